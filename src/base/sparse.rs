//! Sets of ids that take the room of what is in them: words of 64 ids, sorted, only those that are not empty.
//!
//! Union, difference and comparison cost the words of both sets; ids that are near each other share words.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::id::Id;

/// A set of ids. See the module.
pub struct SparseSet<I> {
    /// The number of each word and its bits, ascending, none empty.
    words: Vec<(u32, u64)>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id> SparseSet<I> {
    /// No ids.
    pub const fn new() -> Self {
        SparseSet { words: Vec::new(), id: PhantomData }
    }
    /// Adds an id; whether it is new.
    pub fn insert(&mut self, id: I) -> bool {
        let (number, bit) = split(id);
        // Ids mostly come in ascending order.
        let at = match self.words.last() {
            Some((last, _)) if *last < number => Err(self.words.len()),
            _ => self.words.binary_search_by_key(&number, |word| word.0),
        };
        match at {
            Ok(at) => {
                let old = self.words[at].1;
                self.words[at].1 |= bit;
                self.words[at].1 != old
            }
            Err(at) => {
                self.words.insert(at, (number, bit));
                true
            }
        }
    }
    /// Removes an id; whether it was there.
    pub fn remove(&mut self, id: I) -> bool {
        let (number, bit) = split(id);
        let Ok(at) = self.words.binary_search_by_key(&number, |word| word.0) else { return false };
        let old = self.words[at].1;
        self.words[at].1 &= !bit;
        let new = self.words[at].1;
        if new == 0 {
            self.words.remove(at);
        }
        new != old
    }
    /// Whether an id is in the set.
    pub fn contains(&self, id: I) -> bool {
        let (number, bit) = split(id);
        self.words.binary_search_by_key(&number, |word| word.0).is_ok_and(|at| self.words[at].1 & bit != 0)
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// How many there are. Linear.
    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }
    /// The only id, if there is exactly one.
    pub fn single(&self) -> Option<I> {
        match self.words.as_slice() {
            [(number, bits)] if bits.is_power_of_two() => Some(join(*number, bits.trailing_zeros())),
            _ => None,
        }
    }
    /// The ids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().flat_map(|(number, bits)| {
            std::iter::successors((*bits != 0).then_some(*bits), |left| {
                let rest = left & (left - 1);
                (rest != 0).then_some(rest)
            })
            .map(|left| join(*number, left.trailing_zeros()))
        })
    }
    /// Adds all of another set; whether any was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        self.add(other, |_, _| {})
    }
    /// Adds all of another set, and what was new to a third.
    pub fn union_into(&mut self, other: &Self, new: &mut Self) -> bool {
        let mut found = SparseSet::new();
        let any = self.add(other, |number, bits| found.words.push((number, bits)));
        if any {
            new.union_with(&found);
        }
        any
    }
    fn add(&mut self, other: &Self, mut report: impl FnMut(u32, u64)) -> bool {
        // Which words are missing altogether: none, mostly, and then nothing has to move.
        let (mut at, mut missing, mut any) = (0, 0, false);
        for (number, bits) in &other.words {
            while at < self.words.len() && self.words[at].0 < *number {
                at += 1;
            }
            match self.words.get_mut(at) {
                Some(word) if word.0 == *number => {
                    let new = bits & !word.1;
                    if new != 0 {
                        any = true;
                        if missing == 0 {
                            word.1 |= new;
                            report(*number, new);
                        }
                    }
                }
                _ => missing += 1,
            }
            if missing > 0 {
                break;
            }
        }
        if missing == 0 {
            return any;
        }
        let mine = std::mem::take(&mut self.words);
        let mut merged = Vec::with_capacity(mine.len() + other.words.len());
        let (mut left, mut right) = (mine.iter().peekable(), other.words.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some((a, x)), Some((b, y))) if a == b => {
                    if y & !x != 0 {
                        report(*a, y & !x);
                    }
                    merged.push((*a, x | y));
                    left.next();
                    right.next();
                }
                (Some((a, x)), Some((b, _))) if a < b => {
                    merged.push((*a, *x));
                    left.next();
                }
                (_, Some((b, y))) => {
                    report(*b, *y);
                    merged.push((*b, *y));
                    right.next();
                }
                (Some((a, x)), None) => {
                    merged.push((*a, *x));
                    left.next();
                }
                (None, None) => break,
            }
        }
        self.words = merged;
        true
    }
    /// What is in this set and not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut words = Vec::new();
        let mut at = 0;
        for (number, bits) in &self.words {
            while at < other.words.len() && other.words[at].0 < *number {
                at += 1;
            }
            let taken = other.words.get(at).filter(|word| word.0 == *number).map_or(0, |word| word.1);
            if bits & !taken != 0 {
                words.push((*number, bits & !taken));
            }
        }
        SparseSet { words, id: PhantomData }
    }
    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut words = Vec::new();
        let (mut a, mut b) = (0, 0);
        while let (Some((x, p)), Some((y, q))) = (self.words.get(a), other.words.get(b)) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    if p & q != 0 {
                        words.push((*x, p & q));
                    }
                    a += 1;
                    b += 1;
                }
            }
        }
        SparseSet { words, id: PhantomData }
    }
    /// Whether they have one in common.
    pub fn meets(&self, other: &Self) -> bool {
        let (mut a, mut b) = (0, 0);
        while let (Some((x, p)), Some((y, q))) = (self.words.get(a), other.words.get(b)) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    if p & q != 0 {
                        return true;
                    }
                    a += 1;
                    b += 1;
                }
            }
        }
        false
    }
    /// Whether all of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }
}

fn split<I: Id>(id: I) -> (u32, u64) {
    ((id.index() / 64) as u32, 1 << (id.index() % 64))
}

fn join<I: Id>(number: u32, bit: u32) -> I {
    I::new(number as usize * 64 + bit as usize)
}

impl<I> Default for SparseSet<I> {
    fn default() -> Self {
        SparseSet { words: Vec::new(), id: PhantomData }
    }
}
impl<I> Clone for SparseSet<I> {
    fn clone(&self) -> Self {
        SparseSet { words: self.words.clone(), id: PhantomData }
    }
}
impl<I> PartialEq for SparseSet<I> {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}
impl<I> Eq for SparseSet<I> {}
impl<I> Hash for SparseSet<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words.hash(state);
    }
}
impl<I: Id> FromIterator<I> for SparseSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = SparseSet::new();
        for id in ids {
            set.insert(id);
        }
        set
    }
}
impl<I: Id> Extend<I> for SparseSet<I> {
    fn extend<T: IntoIterator<Item = I>>(&mut self, ids: T) {
        for id in ids {
            self.insert(id);
        }
    }
}
impl<I: Id> fmt::Debug for SparseSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::SparseSet;
    use crate::define_id;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    define_id!(/// Anything.
        Thing, "t");

    fn sparse(from: &BTreeSet<u32>) -> SparseSet<Thing> {
        from.iter().map(|i| Thing(*i)).collect()
    }

    proptest! {
        #[test]
        fn a_sparse_set_is_a_set(a in prop::collection::btree_set(0u32..900, 0..40), b in prop::collection::btree_set(0u32..900, 0..40), c in prop::collection::btree_set(0u32..900, 0..40)) {
            let (left, right) = (sparse(&a), sparse(&b));
            let plain = |set: &SparseSet<Thing>| set.iter().map(|t| t.0).collect::<BTreeSet<u32>>();
            prop_assert_eq!(plain(&left), a.clone());
            prop_assert_eq!(left.len(), a.len());
            prop_assert_eq!(left.single().map(|t| t.0), if a.len() == 1 { a.first().copied() } else { None });
            prop_assert_eq!(plain(&left.difference(&right)), &a - &b);
            prop_assert_eq!(plain(&left.intersection(&right)), &a & &b);
            prop_assert_eq!(left.meets(&right), !(&a & &b).is_empty());
            prop_assert_eq!(left.is_subset(&right), a.is_subset(&b));
            let mut both = left.clone();
            let mut new = sparse(&c);
            prop_assert_eq!(both.union_into(&right, &mut new), !b.is_subset(&a));
            prop_assert_eq!(plain(&both), &a | &b);
            prop_assert_eq!(plain(&new), &c | &(&b - &a));
            prop_assert!(!both.union_with(&left) && both == sparse(&(&a | &b)));
            for i in 0..910 {
                prop_assert_eq!(left.contains(Thing(i)), a.contains(&i));
            }
            for i in &a {
                prop_assert!(both.remove(Thing(*i)) && !both.remove(Thing(*i)));
            }
            prop_assert_eq!(plain(&both), &b - &a);
            for i in &a {
                prop_assert!(both.insert(Thing(*i)) && !both.insert(Thing(*i)));
            }
            prop_assert_eq!(both, sparse(&(&a | &b)));
        }
    }
}
