//! Dense bit sets and bit matrices.

use std::fmt;
use std::marker::PhantomData;

use super::id::Id;

/// Bits in a word.
const WORD: usize = u64::BITS as usize;

/// A set of ids, one bit for each id of the table: membership in one step, union and intersection 64 ids at a time.
#[derive(Clone, PartialEq, Eq)]
pub struct IdSet<I> {
    words: Vec<u64>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id> IdSet<I> {
    /// An empty set of ids below `len`.
    pub fn new(len: usize) -> Self {
        IdSet { words: vec![0; len.div_ceil(WORD)], id: PhantomData }
    }
    /// The set of these ids, all below `len`.
    pub fn of(len: usize, ids: impl IntoIterator<Item = I>) -> Self {
        let mut set = IdSet::new(len);
        for id in ids {
            set.insert(id);
        }
        set
    }
    /// Adds an id; whether it is new.
    pub fn insert(&mut self, id: I) -> bool {
        let word = &mut self.words[id.index() / WORD];
        let old = *word;
        *word |= 1 << (id.index() % WORD);
        *word != old
    }
    /// Removes an id; whether it was there.
    pub fn remove(&mut self, id: I) -> bool {
        let Some(word) = self.words.get_mut(id.index() / WORD) else { return false };
        let old = *word;
        *word &= !(1 << (id.index() % WORD));
        *word != old
    }
    /// Whether the id is in the set; an id past the table's end is not.
    pub fn contains(&self, id: I) -> bool {
        self.words.get(id.index() / WORD).is_some_and(|word| word & (1 << (id.index() % WORD)) != 0)
    }
    /// Adds all of another set of the same table.
    pub fn union_with(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
    /// What is in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        IdSet { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect(), id: PhantomData }
    }
    /// Whether all of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|id| other.contains(id))
    }
    /// The ids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> {
        ones(&self.words).map(I::new)
    }
    /// How many ids are in the set. Linear in the table's size.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
    /// Whether there is none. Linear in the table's size.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

impl<I: Id> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The numbers of the bits that are set, ascending.
pub fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(i, word)| {
        std::iter::successors((*word != 0).then_some(*word), |left| {
            let rest = left & (left - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |left| i * WORD + left.trailing_zeros() as usize)
    })
}

/// How many words hold so many bits.
pub fn words_for(bits: usize) -> usize {
    bits.div_ceil(WORD)
}

/// Whether two rows of bits have one in common.
pub fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// A matrix of bits, row by row.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct BitMatrix {
    rows: usize,
    columns: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// All bits clear.
    pub fn new(rows: usize, columns: usize) -> Self {
        BitMatrix { rows, columns, words: vec![0; rows * words_for(columns)] }
    }
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// Whether a bit is set.
    pub fn get(&self, row: usize, column: usize) -> bool {
        debug_assert!(column < self.columns);
        self.row(row)[column / WORD] & (1 << (column % WORD)) != 0
    }
    /// Sets a bit; whether it was clear.
    pub fn set(&mut self, row: usize, column: usize) -> bool {
        debug_assert!(column < self.columns);
        let word = &mut self.row_mut(row)[column / WORD];
        let old = *word;
        *word |= 1 << (column % WORD);
        *word != old
    }
    /// The words of a row; bits past the last column are clear.
    pub fn row(&self, row: usize) -> &[u64] {
        let width = words_for(self.columns);
        &self.words[row * width..(row + 1) * width]
    }
    /// The words of a row, to be changed; bits past the last column must stay clear.
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        let width = words_for(self.columns);
        &mut self.words[row * width..(row + 1) * width]
    }
    /// The columns whose bit is set in a row, ascending.
    pub fn ones(&self, row: usize) -> impl Iterator<Item = usize> {
        ones(self.row(row))
    }
    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut other = BitMatrix::new(self.columns, self.rows);
        for row in 0..self.rows {
            for column in self.ones(row) {
                other.set(column, row);
            }
        }
        other
    }
    /// Adds a row at the end.
    pub fn push_row(&mut self, row: &[u64]) {
        debug_assert_eq!(row.len(), words_for(self.columns));
        self.words.extend_from_slice(row);
        self.rows += 1;
    }
}

impl fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.rows).map(|row| self.ones(row).collect::<Vec<_>>())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{BitMatrix, IdSet, meet};
    use crate::define_id;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    define_id!(/// Anything.
        Thing, "t");

    proptest! {
        #[test]
        fn a_set_is_a_set(a in prop::collection::vec(0u32..300, 0..60), b in prop::collection::vec(0u32..300, 0..60)) {
            let (mut left, right) = (IdSet::of(300, a.iter().map(|i| Thing(*i))), IdSet::of(300, b.iter().map(|i| Thing(*i))));
            let (x, y): (BTreeSet<u32>, BTreeSet<u32>) = (a.into_iter().collect(), b.into_iter().collect());
            let plain = |set: &IdSet<Thing>| set.iter().map(|t| t.0).collect::<Vec<_>>();
            prop_assert_eq!(left.count(), x.len());
            prop_assert_eq!(plain(&left.intersection(&right)), x.intersection(&y).copied().collect::<Vec<_>>());
            prop_assert_eq!(left.is_subset(&right), x.is_subset(&y));
            prop_assert_eq!(left.is_empty(), x.is_empty());
            for i in 0..310 {
                prop_assert_eq!(left.contains(Thing(i)), x.contains(&i));
            }
            left.union_with(&right);
            prop_assert_eq!(plain(&left), x.union(&y).copied().collect::<Vec<_>>());
            for i in &y {
                prop_assert!(left.remove(Thing(*i)) && !left.remove(Thing(*i)) && left.insert(Thing(*i)) && !left.insert(Thing(*i)));
            }
        }

        #[test]
        fn a_transposed_matrix_has_the_same_bits(bits in prop::collection::vec((0usize..70, 0usize..130), 0..80)) {
            let mut matrix = BitMatrix::new(70, 130);
            for (row, column) in &bits {
                matrix.set(*row, *column);
            }
            let other = matrix.transposed();
            for row in 0..70 {
                for column in 0..130 {
                    prop_assert_eq!(matrix.get(row, column), bits.contains(&(row, column)));
                    prop_assert_eq!(other.get(column, row), bits.contains(&(row, column)));
                }
            }
            prop_assert_eq!(meet(matrix.row(0), matrix.row(1)), matrix.ones(0).any(|c| matrix.get(1, c)));
            prop_assert_eq!(other.transposed(), matrix);
        }
    }
}
