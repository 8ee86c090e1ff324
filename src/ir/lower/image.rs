//! The content of a static object while its initialiser is evaluated.
//!
//! A sparse map from offsets to what is there: what nobody writes costs nothing, however large the object. What is written later
//! overwrites what was there. Writing in ascending order costs amortised constant time per byte.

use std::collections::BTreeMap;

use super::super::syntax::{InitItem, InitTarget, Initializer};
use super::super::types::Bits;

/// Pieces by offset, not overlapping.
pub(super) struct Image {
    pieces: BTreeMap<u64, InitItem>,
    big_endian: bool,
    pointer_size: u64,
}

impl Image {
    pub fn new(big_endian: bool, pointer_size: u64) -> Image {
        Image { pieces: BTreeMap::new(), big_endian, pointer_size }
    }

    fn len(&self, item: &InitItem) -> u64 {
        match item {
            InitItem::Bytes(bytes) => bytes.len() as u64,
            InitItem::Address { .. } => self.pointer_size,
        }
    }

    /// Takes away what is in `len` bytes from `start`. Of an address that is only partly there, nothing remains.
    pub fn clear(&mut self, start: u64, len: u64) {
        let end = start.saturating_add(len);
        let first = self.pieces.range(..start).next_back().map_or(start, |(at, _)| *at);
        let touched: Vec<u64> = self.pieces.range(first..end.max(first)).map(|(at, _)| *at).collect();
        for at in touched {
            let piece_end = at + self.len(&self.pieces[&at]);
            if piece_end <= start {
                continue;
            }
            let Some(InitItem::Bytes(mut bytes)) = self.pieces.remove(&at) else { continue };
            if piece_end > end {
                let rest = bytes.split_off((end - at) as usize);
                self.pieces.insert(end, InitItem::Bytes(rest));
            }
            if at < start {
                bytes.truncate((start - at) as usize);
                self.pieces.insert(at, InitItem::Bytes(bytes));
            }
        }
    }

    pub fn put(&mut self, offset: u64, new: &[u8]) {
        if new.is_empty() {
            return;
        }
        let end = offset + new.len() as u64;
        let next = self.pieces.range(offset + 1..).next().map(|(at, _)| *at);
        if let Some((&at, InitItem::Bytes(bytes))) = self.pieces.range_mut(..=offset).next_back() {
            let (from, to) = ((offset - at) as usize, (end - at) as usize);
            if from <= bytes.len() && (to <= bytes.len() || next.is_none_or(|next| end <= next)) {
                // Inside a piece of bytes, or right behind it.
                let inside = bytes.len().min(to) - from;
                bytes[from..from + inside].copy_from_slice(&new[..inside]);
                bytes.extend_from_slice(&new[inside..]);
                return;
            }
        }
        self.clear(offset, new.len() as u64);
        self.pieces.insert(offset, InitItem::Bytes(new.to_vec()));
    }

    pub fn put_address(&mut self, offset: u64, target: InitTarget, addend: i64) {
        self.clear(offset, self.pointer_size);
        self.pieces.insert(offset, InitItem::Address { target, addend });
    }

    /// Writes a bit-field and leaves the bits around it.
    pub fn put_bits(&mut self, offset: u64, bits: Bits, value: u128) {
        let mut bytes: Vec<u8> = (0..bits.bytes()).map(|i| self.byte(offset + i)).collect();
        let width = usize::from(bits.width);
        for i in 0..width {
            let at = usize::from(bits.offset) + i;
            let (from, to) = if self.big_endian { (width - 1 - i, 7 - at % 8) } else { (i, at % 8) };
            let bit = ((value >> from) & 1) as u8;
            bytes[at / 8] = bytes[at / 8] & !(1 << to) | (bit << to);
        }
        self.put(offset, &bytes);
    }

    fn byte(&self, at: u64) -> u8 {
        match self.pieces.range(..=at).next_back() {
            Some((start, InitItem::Bytes(bytes))) => bytes.get((at - start) as usize).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// The pieces, adjacent bytes joined.
    pub fn finish(self) -> Initializer {
        let mut items: Vec<(u64, InitItem)> = Vec::with_capacity(self.pieces.len());
        for (at, item) in self.pieces {
            match (items.last_mut(), item) {
                (Some((start, InitItem::Bytes(bytes))), InitItem::Bytes(more)) if *start + bytes.len() as u64 == at => {
                    bytes.extend(more);
                }
                (_, item) => items.push((at, item)),
            }
        }
        Initializer { items }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::syntax::{FuncId, GlobalId};
    use super::*;

    fn image() -> Image {
        Image::new(false, 8)
    }

    fn bytes(at: u64, bytes: &[u8]) -> (u64, InitItem) {
        (at, InitItem::Bytes(bytes.to_vec()))
    }

    #[test]
    fn later_bytes_win_and_neighbours_join() {
        let mut i = image();
        i.put(0, &[1, 2, 3, 4]);
        i.put(4, &[5]);
        i.put(10, &[7, 8]);
        i.put(2, &[9, 9]);
        i.put(4, &[6, 6, 6, 6, 6, 6, 6]);
        assert_eq!(i.finish().items, vec![bytes(0, &[1, 2, 9, 9, 6, 6, 6, 6, 6, 6, 6, 8])]);
    }

    #[test]
    fn addresses_are_overwritten_whole() {
        let target = InitTarget::Global(GlobalId(3));
        let mut i = image();
        i.put_address(8, target, 4);
        i.put(15, &[1]);
        i.put(0, &[9; 20]);
        i.put_address(4, InitTarget::Function(FuncId(1)), 0);
        let address = (4, InitItem::Address { target: InitTarget::Function(FuncId(1)), addend: 0 });
        assert_eq!(i.finish().items, vec![bytes(0, &[9; 4]), address, bytes(12, &[9; 8])]);
    }

    #[test]
    fn bit_fields_keep_their_neighbours() {
        let mut i = image();
        i.put_bits(0, Bits { offset: 0, width: 3 }, 0b101);
        i.put_bits(0, Bits { offset: 3, width: 10 }, 0x3ff);
        i.put_bits(0, Bits { offset: 4, width: 1 }, 0);
        assert_eq!(i.finish().items, vec![bytes(0, &[0b1110_1101, 0x1f])]);
        let mut big = Image::new(true, 4);
        big.put_bits(0, Bits { offset: 0, width: 4 }, 0b1000);
        big.put_bits(0, Bits { offset: 4, width: 8 }, 0b1000_0001);
        assert_eq!(big.finish().items, vec![bytes(0, &[0b1000_1000, 0b0001_0000])]);
    }

    #[test]
    fn clearing_splits_a_piece() {
        let mut i = image();
        i.put(0, &[1, 2, 3, 4, 5, 6]);
        i.clear(2, 2);
        assert_eq!(i.finish().items, vec![bytes(0, &[1, 2]), bytes(4, &[5, 6])]);
    }
}
