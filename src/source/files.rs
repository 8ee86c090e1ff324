//! From paths of the user to the files to read.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashSet;
use walkdir::WalkDir;

use crate::error::UserError;

/// A translation unit to read, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Input {
    /// The file as it is shown.
    pub path: PathBuf,
    /// The file as the compiler is told, seen from `directory`.
    pub argument: PathBuf,
    /// Already preprocessed (`.i`).
    pub preprocessed: bool,
    /// Where the compiler works; `None`: where this program does.
    pub directory: Option<PathBuf>,
    /// The compiler, in words; empty: there is none, and none is needed but for the data model.
    pub cc: Vec<String>,
    /// Its options.
    pub flags: Vec<String>,
}

/// What a file is by its ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `.c`
    C,
    /// `.i`
    Preprocessed,
    /// Anything else.
    Other,
}

/// What a file is by its ending.
pub(super) fn kind(path: &Path) -> Kind {
    match path.extension().and_then(OsStr::to_str) {
        Some("c") => Kind::C,
        Some("i") => Kind::Preprocessed,
        _ => Kind::Other,
    }
}

/// The files not to read.
pub(super) struct Exclude {
    /// As the user wrote them.
    whole: GlobSet,
    /// Also below any folder.
    suffix: GlobSet,
}

impl Exclude {
    /// From the user's globs: `*` does not cross `/`, `**` does.
    pub fn new(globs: &[String]) -> Result<Exclude, UserError> {
        let mut whole = GlobSetBuilder::new();
        let mut suffix = GlobSetBuilder::new();
        for glob in globs {
            let trimmed = glob.strip_prefix("./").unwrap_or(glob);
            let plain = trimmed.trim_end_matches('/');
            let mut forms = vec![plain.to_owned()];
            // The plain name of a folder stands for what is in it.
            if plain.len() < trimmed.len() || !plain.contains(['*', '?', '[', '{']) {
                forms.push(format!("{plain}/**"));
            }
            for form in forms {
                let build = |text: &str| {
                    GlobBuilder::new(text).literal_separator(true).build().map_err(|e| {
                        UserError::usage(
                            format!("`{glob}` is not a glob: {}", e.kind()),
                            "`*` stands for any part of a name, `**` for any folders: `--exclude 'tests/**'`",
                        )
                    })
                };
                whole.add(build(&form)?);
                suffix.add(build(&format!("**/{form}"))?);
            }
        }
        let finish = |set: GlobSetBuilder| set.build().map_err(|e| UserError::usage(e.to_string(), "give fewer globs"));
        Ok(Exclude { whole: finish(whole)?, suffix: finish(suffix)? })
    }
    /// Whether the file is excluded; `shown` is its path from where the command runs, `within` the path below the folder that
    /// was asked for.
    pub fn matches(&self, shown: &Path, within: &Path) -> bool {
        let within = within.strip_prefix(".").unwrap_or(within);
        self.whole.is_match(shown) || self.suffix.is_match(within)
    }
}

/// A file found, and whether it was found by its ending as preprocessed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// As the user named it, or below the folder that the user named.
    pub path: PathBuf,
    /// `.i`
    pub preprocessed: bool,
}

/// The files of `paths`, each once, in the order given; those of a folder sorted.
pub(super) fn find(paths: &[PathBuf], exclude: &Exclude, cwd: &Path) -> Result<Vec<Found>, UserError> {
    if paths.is_empty() {
        return Err(UserError::usage(
            "no C file is given",
            "name `.c` files or a folder, or a compile_commands.json by `-p`",
        ));
    }
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut problems = Vec::new();
    let mut excluded = 0;
    let mut take = |path: PathBuf, preprocessed: bool, within: &Path| {
        if exclude.matches(&shown(&path, cwd), within) {
            excluded += 1;
        } else if seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            found.push(Found { path, preprocessed });
        }
    };
    for path in paths {
        if path.is_dir() {
            match below(path) {
                Ok(files) if files.is_empty() => {
                    problems
                        .push((format!("there is no `.c` file in the folder `{}`", path.display()), Advice::Folder));
                }
                Ok(files) => {
                    for file in files {
                        let within = file.strip_prefix(path).unwrap_or(&file).to_owned();
                        take(file, false, &within);
                    }
                }
                Err(e) => {
                    problems.push((format!("the folder `{}` cannot be read: {e}", path.display()), Advice::Access));
                }
            }
            continue;
        }
        match (kind(path), std::fs::File::open(path)) {
            (_, Err(e)) if e.kind() == std::io::ErrorKind::NotFound => {
                problems.push((format!("there is no file `{}`", path.display()), Advice::Name));
            }
            (Kind::Other, _) => {
                problems.push((format!("`{}` is neither a `.c` nor a `.i` file", path.display()), Advice::Ending));
            }
            (_, Err(e)) => problems.push((format!("`{}` cannot be read: {e}", path.display()), Advice::Access)),
            (kind, Ok(_)) => {
                let within = shown(path, cwd);
                take(path.clone(), kind == Kind::Preprocessed, &within);
            }
        }
    }
    if !problems.is_empty() {
        return Err(problem(&problems));
    }
    if found.is_empty() {
        return Err(UserError::usage(
            format!("no file is left: `--exclude` takes out all {excluded}"),
            "`*` does not cross `/`, `**` does",
        ));
    }
    Ok(found)
}

/// What to do about a path.
#[derive(Clone, Copy)]
enum Advice {
    Name,
    Folder,
    Ending,
    Access,
}

fn problem(problems: &[(String, Advice)]) -> UserError {
    let help = match problems[0].1 {
        Advice::Name => "check the spelling; paths are relative to where the command runs",
        Advice::Folder => "hidden folders are not looked into; name the folder that holds the sources",
        Advice::Ending => "name C source files (`.c`), preprocessed files (`.i`) or folders; headers are found by `-I`",
        Advice::Access => "check the permissions",
    };
    let mut message = problems[0].0.clone();
    for (more, _) in &problems[1..] {
        let _ = write!(message, "\n{more}");
    }
    UserError::usage(message, help)
}

/// All `*.c` below a folder, sorted; nothing hidden.
fn below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let mut files = Vec::new();
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|e| e.depth() == 0 || !hidden(e.file_name())) {
        let entry = entry?;
        if kind(entry.path()) == Kind::C && entry.path().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// A path as it is shown: from where the command runs if it is below, without `.` and `x/..`.
pub(super) fn shown(path: &Path, cwd: &Path) -> PathBuf {
    let clean = normal(path);
    match clean.strip_prefix(cwd) {
        Ok(relative) if !relative.as_os_str().is_empty() => relative.to_owned(),
        _ => clean,
    }
}

/// Without `.`, and without `x/..` where that names the same file.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(clean.components().next_back(), Some(Component::Normal(_))) => {
                // Through a symbolic link, `x/..` is not where `x` stands.
                if clean.is_symlink() {
                    clean.push("..");
                } else {
                    clean.pop();
                }
            }
            Component::ParentDir | Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                clean.push(component);
            }
        }
    }
    clean
}

/// A file name that a compiler cannot take for an option.
pub(super) fn argument(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(path),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(globs: &[&str], path: &str) -> bool {
        let globs: Vec<String> = globs.iter().map(|g| (*g).to_owned()).collect();
        let exclude = Exclude::new(&globs).unwrap();
        exclude.matches(&Path::new("proj").join(path), Path::new(path))
    }

    #[test]
    fn a_star_does_not_cross_folders() {
        assert!(excluded(&["src/*.c"], "src/a.c"));
        assert!(!excluded(&["src/*.c"], "src/sub/a.c"));
        assert!(excluded(&["src/**"], "src/sub/a.c"));
        assert!(excluded(&["**/test_*.c"], "src/sub/test_a.c"));
        assert!(!excluded(&["src/*"], "src/sub/a.c"));
    }

    #[test]
    fn globs_match_as_suffix_and_from_the_working_folder() {
        assert!(excluded(&["a.c"], "src/a.c"));
        assert!(!excluded(&["a.c"], "src/ba.c"));
        assert!(excluded(&["proj/src/*.c"], "src/a.c"));
        assert!(excluded(&["./proj/src/a.c"], "src/a.c"));
        assert!(excluded(&["sub"], "src/sub/a.c"));
        assert!(excluded(&["sub/"], "src/sub/a.c"));
        assert!(!excluded(&["proj/other/**"], "src/a.c"));
        assert!(!excluded(&["ub"], "src/sub/a.c"));
    }

    #[test]
    fn a_broken_glob_is_an_error() {
        assert!(Exclude::new(&["a[".to_owned()]).is_err());
    }

    #[test]
    fn paths_are_shown_from_the_working_folder() {
        let cwd = Path::new("/w/p");
        assert_eq!(shown(Path::new("./a/../b.c"), cwd), Path::new("b.c"));
        assert_eq!(shown(Path::new("/w/p/build/../src/b.c"), cwd), Path::new("src/b.c"));
        assert_eq!(shown(Path::new("/w/q/b.c"), cwd), Path::new("/w/q/b.c"));
        assert_eq!(shown(Path::new("../b.c"), cwd), Path::new("../b.c"));
    }

    #[test]
    fn names_that_look_like_options_are_guarded() {
        assert_eq!(argument(Path::new("-o.c")), Path::new("./-o.c"));
        assert_eq!(argument(Path::new("@o.c")), Path::new("./@o.c"));
        assert_eq!(argument(Path::new("o.c")), Path::new("o.c"));
    }
}
