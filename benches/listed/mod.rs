//! What the benchmarks on real programs share: the list of programs, and random numbers.
//!
//! Each line of a list is a name and what flowcheck would get to read the program: paths, `-I`, `-D` …, `--exclude GLOB`, `--cc COMMAND`.
//! Paths are relative to the list's folder.

use std::path::{Path, PathBuf};

use flowcheck::source::Request;

/// A line of a list.
pub struct Listed {
    /// The program's name.
    pub name: String,
    /// What flowcheck gets.
    pub arguments: Vec<String>,
}

/// A list of programs, and the folder that its paths are relative to.
pub struct List {
    /// The programs, as listed.
    pub programs: Vec<Listed>,
    /// The folder.
    pub folder: PathBuf,
}

/// The list that the user names, else that of `FLOWCHECK_PROGRAMS_LIST`; `None` without one. `names` choose among its lines if there are any.
pub fn read(list: Option<PathBuf>, names: &[String]) -> Result<Option<List>, String> {
    let list = list.or_else(|| std::env::var_os("FLOWCHECK_PROGRAMS_LIST").map(PathBuf::from));
    let Some(list) = list else { return Ok(None) };
    let text = std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let folder = list.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
    let mut programs = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let words = shlex::split(line).ok_or_else(|| format!("{}: a quote is open: {line}", list.display()))?;
        let (name, arguments) = words.split_first().expect("the line is not blank");
        if names.is_empty() || names.contains(name) {
            programs.push(Listed { name: name.clone(), arguments: arguments.to_vec() });
        }
    }
    Ok(Some(List { programs, folder }))
}

/// What to read, from words as flowcheck's command line has them.
pub fn request(arguments: &[String]) -> Result<Request, String> {
    let mut request = Request { jobs: 1, ..Request::default() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--exclude" => request.exclude.push(value()?),
            "--cc" => request.cc = shlex::split(&value()?).ok_or("--cc: a quote is open")?,
            "-I" | "-D" | "-U" | "-include" | "-isystem" => {
                let value = value()?;
                request.flags.extend([word.clone(), value]);
            }
            _ if word.starts_with('-') => request.flags.push(word.clone()),
            _ => request.paths.push(word.into()),
        }
    }
    Ok(request)
}

/// Random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// One that is less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}
