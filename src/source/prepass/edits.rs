//! Changes to the text, and the way back.
//!
//! Most changes overwrite a token with blanks or with something of the same length; what does not fit is inserted. Nothing is ever
//! removed, so an offset of the input is still an offset of the output once the insertions before it are added.
//!
//! Cost: linear in the text plus `k log k` for `k` insertions; [`OffsetMap::original`] is `O(log k)`.

use std::borrow::Cow;

/// From offsets in the prepared text to offsets in the preprocessor's output.
#[derive(Clone, Debug, Default)]
pub struct OffsetMap {
    /// For each insertion: where it starts and ends in the prepared text, and where it was made. Sorted.
    inserted: Vec<Inserted>,
}

#[derive(Clone, Copy, Debug)]
struct Inserted {
    start: u32,
    end: u32,
    original: u32,
}

impl OffsetMap {
    /// The offset in the preprocessor's output that `offset` in the prepared text comes from. Inserted text comes from the byte
    /// that it stands before.
    pub fn original(&self, offset: u32) -> u32 {
        let after = self.inserted.partition_point(|i| i.start <= offset);
        match after.checked_sub(1).map(|last| self.inserted[last]) {
            None => offset,
            Some(i) if offset < i.end => i.original,
            Some(i) => i.original + (offset - i.end),
        }
    }

    /// The offset in the prepared text of the byte at `original`.
    pub fn prepared(&self, original: u32) -> u32 {
        let after = self.inserted.partition_point(|i| i.original <= original);
        match after.checked_sub(1).map(|last| self.inserted[last]) {
            None => original,
            Some(i) => i.end + (original - i.original),
        }
    }
}

/// The text while it is changed.
pub(super) struct Edits {
    out: Vec<u8>,
    inserts: Vec<(u32, Cow<'static, str>)>,
}

impl Edits {
    pub fn new(text: &str) -> Edits {
        Edits { out: text.as_bytes().to_vec(), inserts: Vec::new() }
    }

    /// Spaces, but line ends stay.
    pub fn blank(&mut self, start: u32, end: u32) {
        for byte in &mut self.out[start as usize..end as usize] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    /// Puts `text` before the byte at `at`. Of several insertions at one place the first made comes first.
    pub fn insert(&mut self, at: u32, text: impl Into<Cow<'static, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.inserts.push((at, text));
        }
    }

    /// One byte for another.
    pub fn set(&mut self, at: u32, byte: u8) {
        self.out[at as usize] = byte;
    }

    /// `text` in the place of `start..end`: padded with blanks where it is shorter, the rest inserted where it is longer.
    /// ASCII only, so that it can be cut anywhere.
    pub fn overwrite(&mut self, start: u32, end: u32, text: &str) {
        debug_assert!(text.is_ascii(), "only ASCII is written over the text");
        let room = (end - start) as usize;
        let fits = text.len().min(room);
        self.out[start as usize..start as usize + fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.blank(start + fits as u32, end);
        if text.len() > room {
            self.insert(end, text[room..].to_string());
        }
    }

    /// The changed text and its map. `None` if it is not UTF-8 any more (a token was cut, which is a mistake of the caller's) or
    /// longer than offsets reach.
    pub fn finish(mut self) -> Option<(String, OffsetMap)> {
        if self.inserts.is_empty() {
            return Some((String::from_utf8(self.out).ok()?, OffsetMap::default()));
        }
        self.inserts.sort_by_key(|(at, _)| *at);
        let added: usize = self.inserts.iter().map(|(_, text)| text.len()).sum();
        u32::try_from(self.out.len() + added).ok()?;
        let mut text = Vec::with_capacity(self.out.len() + added);
        let mut inserted = Vec::with_capacity(self.inserts.len());
        let mut copied = 0;
        for (at, new) in &self.inserts {
            text.extend_from_slice(&self.out[copied..*at as usize]);
            copied = *at as usize;
            let start = text.len() as u32;
            text.extend_from_slice(new.as_bytes());
            inserted.push(Inserted { start, end: text.len() as u32, original: *at });
        }
        text.extend_from_slice(&self.out[copied..]);
        Some((String::from_utf8(text).ok()?, OffsetMap { inserted }))
    }
}

#[cfg(test)]
mod tests {
    use super::Edits;

    #[test]
    fn offsets_lead_back_over_insertions() {
        let mut edits = Edits::new("abcdef");
        edits.insert(4, "YY");
        edits.insert(2, "x");
        edits.insert(4, "Z");
        edits.overwrite(0, 1, "123");
        let (text, map) = edits.finish().unwrap();
        assert_eq!(text, "123bxcdYYZef");
        let back: Vec<u32> = (0..=text.len() as u32).map(|i| map.original(i)).collect();
        assert_eq!(back, [0, 1, 1, 1, 2, 2, 3, 4, 4, 4, 4, 5, 6]);
        let there: Vec<u32> = (0..=6).map(|i| map.prepared(i)).collect();
        assert_eq!(there, [0, 3, 5, 6, 10, 11, 12]);
    }

    #[test]
    fn a_shorter_text_is_padded() {
        let mut edits = Edits::new("a long b");
        edits.overwrite(2, 6, "x");
        let (text, map) = edits.finish().unwrap();
        assert_eq!(text, "a x    b");
        assert_eq!(map.original(7), 7);
    }
}
