//! The user's files as they are on disk: read when first asked for, and kept.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::bytes;
use crate::base::IdVec;
use crate::define_id;

define_id!(/// A file that a unit was made from.
    FileId, "file");

/// Larger files are not shown.
const LIMIT: u64 = 1 << 30;

/// All files that the units were made from, headers included, each once.
#[derive(Debug, Default)]
pub struct SourceFiles {
    files: IdVec<FileId, SourceFile>,
    by_path: FxHashMap<PathBuf, FileId>,
}

#[derive(Debug)]
struct SourceFile {
    path: PathBuf,
    text: OnceLock<Option<FileText>>,
}

/// What is in a file.
#[derive(Debug)]
pub(super) struct FileText {
    /// As long as the file, with `?` for what cannot be shown.
    shown: String,
    /// The bytes, where they differ from `shown`.
    raw: Option<Vec<u8>>,
    /// The first byte of each line, and the end.
    starts: Vec<usize>,
}

impl SourceFiles {
    /// The id of a file; its path is as it is shown, which leads to it from where the command runs.
    pub(super) fn intern(&mut self, path: PathBuf) -> FileId {
        if let Some(id) = self.by_path.get(&path) {
            return *id;
        }
        let id = self.files.push(SourceFile { path: path.clone(), text: OnceLock::new() });
        self.by_path.insert(path, id);
        id
    }
    /// The file with this path, if a unit was made from it.
    pub fn find(&self, path: &Path) -> Option<FileId> {
        self.by_path.get(path).copied()
    }
    /// The file's path as it is shown.
    pub fn path(&self, id: FileId) -> &Path {
        &self.files[id].path
    }
    /// A line (from 1) of the file with this path, without its end; `None` if a unit was not made from it or it cannot be read.
    pub fn line(&self, path: &Path, line: u32) -> Option<&str> {
        let text = self.text(self.find(path)?)?;
        let range = text.line_range((line as usize).checked_sub(1)?)?;
        Some(text.shown().get(range)?.trim_end_matches(['\r', '\n']))
    }
    /// What is in the file; `None` if it cannot be read.
    pub(super) fn text(&self, id: FileId) -> Option<&FileText> {
        let file = &self.files[id];
        file.text.get_or_init(|| read(&file.path)).as_ref()
    }
}

/// Only plain files: a line marker may name a device or a pipe.
fn read(path: &Path) -> Option<FileText> {
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LIMIT {
        return None;
    }
    Some(FileText::new(std::fs::read(path).ok()?))
}

impl FileText {
    fn new(raw: Vec<u8>) -> FileText {
        let mut starts = vec![0];
        starts.extend(raw.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1));
        if starts.last() != Some(&raw.len()) {
            starts.push(raw.len());
        }
        let shown = bytes::to_shown(raw.clone());
        let raw = (shown.as_bytes() != raw).then_some(raw);
        FileText { shown, raw, starts }
    }
    /// The text to show.
    pub fn shown(&self) -> &str {
        &self.shown
    }
    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.starts.len() - 1
    }
    /// The range of a line (from 0), its end of line included.
    pub fn line_range(&self, line: usize) -> Option<std::ops::Range<usize>> {
        Some(*self.starts.get(line)?..*self.starts.get(line + 1)?)
    }
    /// The line (from 0) of a byte; the last line past the end.
    pub fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|s| *s <= at).min(self.lines()).saturating_sub(1)
    }
    /// The bytes from the start of a line (from 0) up to the end of another, without the last end of line.
    pub fn bytes(&self, first: usize, last: usize) -> Option<&[u8]> {
        let end = self.line_range(last.min(self.lines().saturating_sub(1)))?.end;
        let range = self.line_range(first)?.start..end;
        let bytes = self.raw.as_deref().unwrap_or(self.shown.as_bytes()).get(range)?;
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        Some(bytes.strip_suffix(b"\r").unwrap_or(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found() {
        let text = FileText::new(b"ab\r\n\ncd\xe9".to_vec());
        assert_eq!(text.lines(), 3);
        assert_eq!(text.bytes(0, 0), Some(&b"ab"[..]));
        assert_eq!(text.bytes(1, 1), Some(&b""[..]));
        assert_eq!(text.bytes(2, 9), Some(&b"cd\xe9"[..]));
        assert_eq!(text.bytes(3, 3), None);
        assert_eq!(
            (text.line_of(0), text.line_of(3), text.line_of(4), text.line_of(5), text.line_of(99)),
            (0, 0, 1, 2, 2)
        );
        assert_eq!(text.shown(), "ab\r\n\ncd?");
    }

    #[test]
    fn an_empty_file_has_no_lines() {
        let text = FileText::new(Vec::new());
        assert_eq!((text.lines(), text.line_of(0)), (0, 0));
        assert_eq!(text.bytes(0, 0), None);
    }

    #[test]
    fn devices_are_not_read() {
        let mut files = SourceFiles::default();
        for path in ["/dev/zero", "<built-in>", "/"] {
            let id = files.intern(path.into());
            assert!(files.text(id).is_none(), "{path}");
            assert_eq!(files.find(Path::new(path)), Some(id));
        }
    }
}
