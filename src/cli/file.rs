//! Files that flowcheck writes.
//!
//! Invariant: a file is there in full or as it was before; a run that is stopped leaves no half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::UserError;

/// Tells before a long run that a file could not be written after it.
pub fn can_be_written(path: &Path) -> Result<(), UserError> {
    let folder = folder(path);
    if path.is_dir() {
        let message = format!("the report `{}` cannot be written: it is a folder", path.display());
        return Err(UserError::usage(message, "`--report` names a file"));
    }
    if !folder.is_dir() {
        let message =
            format!("the report `{}` cannot be written: there is no folder `{}`", path.display(), folder.display());
        return Err(UserError::usage(message, "make the folder first, or name another"));
    }
    Ok(())
}

/// Writes a file: another one first, which then takes its place.
pub fn write(path: &Path, text: &[u8]) -> Result<(), UserError> {
    let written = match path.metadata() {
        // Devices and pipes cannot be replaced, and are not to be.
        Ok(found) if !found.is_file() => OpenOptions::new().write(true).open(path).and_then(|file| fill(file, text)),
        // A link leads to the file that is meant.
        Ok(_) => path.canonicalize().and_then(|path| replace(&path, text)),
        Err(_) => replace(path, text),
    };
    written.map_err(|error| {
        let message = format!("the report `{}` cannot be written: {error}", path.display());
        UserError::usage(message, "name another file with `--report`")
    })
}

fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let draft = path.with_file_name(name);
    let done = File::create(&draft).and_then(|file| fill(file, text)).and_then(|()| fs::rename(&draft, path));
    if done.is_err() {
        // There may be none; the error tells what matters.
        let _ = fs::remove_file(&draft);
    }
    done
}

fn fill(mut file: File, text: &[u8]) -> io::Result<()> {
    file.write_all(text)?;
    file.flush()
}

/// The folder that a file is in.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::{can_be_written, write};

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        for text in ["one", "two"] {
            write(&path, text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("r.json"), folder.path().join("link.json"));
        std::fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn what_cannot_be_written_is_told_early_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("none/r.json");
        assert!(can_be_written(&nowhere).is_err() && write(&nowhere, b"x").is_err());
        assert!(can_be_written(folder.path()).is_err());
        assert!(can_be_written(&folder.path().join("r.json")).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
