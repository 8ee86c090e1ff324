//! From a request to preprocessed units.

use std::path::{Path, PathBuf};

use super::files::{self, Exclude, Input};
use super::lines::Draft;
use super::prepass::{self, Prepared};
use super::preprocess::{self, Failure};
use super::{
    DataModel, Diagnostic, Label, Loaded, Location, Request, Severity, SourceFiles, Sources, Unit, bytes,
    compile_commands, flags, general_warning,
};
use crate::base::progress::Progress;
use crate::base::{IdVec, parallel};
use crate::error::UserError;

/// Finds the files, preprocesses them in parallel and prepares them for parsing.
///
/// A unit that cannot be preprocessed is an error among the diagnostics, so that all bad ones are listed at once; an error of the
/// request as a whole (a missing path, no compiler, units for different targets) ends the run.
pub fn load(request: &Request, progress: &Progress) -> Result<Loaded, UserError> {
    let cwd = std::env::current_dir()
        .map_err(|e| UserError::usage(format!("the working folder cannot be read: {e}"), "change to another folder"))?;
    let (inputs, mut diagnostics) = inputs(request, &cwd)?;
    let (model, warning) = common_model(&inputs)?;
    diagnostics.extend(warning);
    diagnostics.extend(warn_not_honoured(&inputs));

    let phase = progress.phase("preprocess", inputs.len());
    let drafts = parallel::map(&inputs, request.jobs, |_, input| {
        let read = preprocess::read(input, &cwd).map(|bytes| prepare(bytes, &input.path, &input.flags));
        phase.step();
        read
    });
    let mut built = Built::default();
    for (input, draft) in inputs.iter().zip(drafts) {
        match draft {
            Ok(draft) => built.add(draft, &input.path, input.directory.as_deref(), &cwd),
            Err(Failure::Compiler(error)) => return Err(error),
            Err(Failure::Unit(errors)) => built.diagnostics.extend(errors),
        }
    }
    diagnostics.append(&mut built.diagnostics);
    // Only files that are known can be shown.
    for (label, _) in diagnostics.iter().flat_map(|d| &d.labels) {
        if let Label::Location(location) = label {
            built.files.intern(location.file.clone());
        }
    }
    Ok(Loaded { sources: Sources { units: built.units, model, files: built.files }, diagnostics })
}

/// Units from preprocessed text in memory.
pub fn of_texts(texts: Vec<(PathBuf, Vec<u8>)>, model: DataModel) -> Loaded {
    let mut built = Built::default();
    for (path, text) in texts {
        built.add(prepare(text, &path, &[]), &path, None, Path::new(""));
    }
    Loaded { sources: Sources { units: built.units, model, files: built.files }, diagnostics: built.diagnostics }
}

/// What can be made of a unit by itself.
type Prepare = (Draft, Result<Prepared, prepass::Failure>);

fn prepare(text: Vec<u8>, path: &Path, flags: &[String]) -> Prepare {
    let draft = Draft::new(bytes::to_text(text), path);
    let mut prepared = prepass::run(draft.text());
    if let (Ok(prepared), Some(pack)) = (&mut prepared, flags::pack_struct(flags)) {
        // `-fpack-struct=N` holds wherever no pragma says another.
        let limits = &mut prepared.side.pack;
        for (_, limit) in limits.iter_mut() {
            limit.get_or_insert(pack);
        }
        if limits.first().is_none_or(|(at, _)| *at > 0) {
            limits.insert(0, (0, Some(pack)));
        }
    }
    (draft, prepared)
}

/// The units so far.
#[derive(Default)]
struct Built {
    units: IdVec<super::UnitId, Unit>,
    files: SourceFiles,
    diagnostics: Vec<Diagnostic>,
}

impl Built {
    fn add(&mut self, (draft, prepared): Prepare, path: &Path, directory: Option<&Path>, cwd: &Path) {
        match prepared {
            Ok(Prepared { text, side, map }) => {
                let lines = draft.finish(&mut self.files, directory, cwd, map);
                self.units.push(Unit { path: path.to_owned(), text, side, lines });
            }
            Err(failure) => {
                let lines = draft.finish(&mut self.files, directory, cwd, prepass::OffsetMap::default());
                let at = failure.offset as usize;
                let location: Location = lines.locate_output(at..at + 1, &self.files);
                self.diagnostics.push(Diagnostic {
                    severity: Severity::Error,
                    message: failure.message,
                    labels: vec![(Label::Location(location), String::new())],
                    notes: Vec::new(),
                });
            }
        }
    }
}

/// The units to read, and warnings.
fn inputs(request: &Request, cwd: &Path) -> Result<(Vec<Input>, Vec<Diagnostic>), UserError> {
    let exclude = Exclude::new(&request.exclude)?;
    let cc: Vec<String> = if request.cc.is_empty() {
        preprocess::default_compiler().map(str::to_owned).into_iter().collect()
    } else {
        request.cc.clone()
    };
    let input = |found: files::Found| Input {
        argument: files::argument(&found.path),
        path: found.path,
        preprocessed: found.preprocessed,
        directory: None,
        cc: cc.clone(),
        flags: request.flags.clone(),
    };
    let (mut inputs, warnings) = if let Some(path) = &request.compile_commands {
        compile_commands::find(path, request, &exclude, cwd, &cc)?
    } else {
        let found = files::find(&request.paths, &exclude, cwd)?;
        (found.into_iter().map(input).collect(), Vec::new())
    };
    if !request.stubs.is_empty() {
        let stubs = files::find(&request.stubs, &Exclude::new(&[])?, cwd)?;
        // A stub may also be in a folder of the program.
        let one_name = |path: &Path| cwd.join(path).canonicalize().unwrap_or_else(|_| path.to_owned());
        let stub_names: Vec<PathBuf> = stubs.iter().map(|stub| one_name(&stub.path)).collect();
        inputs.retain(|input| !stub_names.contains(&one_name(&input.path)));
        inputs.extend(stubs.into_iter().map(input));
    }
    if inputs.iter().any(|i| i.cc.is_empty() && !i.preprocessed) {
        return Err(UserError::usage(
            "there is no C compiler: neither `gcc` nor `cc` is in PATH",
            "flowcheck preprocesses with your compiler; install one, name it by `--cc`, or give preprocessed `.i` files",
        ));
    }
    Ok((inputs, warnings))
}

/// The one data model of all units; each compiler with its options is asked once.
fn common_model(inputs: &[Input]) -> Result<(DataModel, Option<Diagnostic>), UserError> {
    let mut asked: Vec<(&[String], Vec<String>)> = Vec::new();
    let mut common: Option<(&Input, DataModel)> = None;
    for input in inputs.iter().filter(|i| !i.cc.is_empty()) {
        let question = (&input.cc[..], flags::of_target(&input.flags));
        if asked.contains(&question) {
            continue;
        }
        let model = DataModel::probe(&input.cc, &input.flags, input.directory.as_deref())?;
        match &common {
            None => common = Some((input, model)),
            Some((first, agreed)) if *agreed != model => {
                return Err(UserError::usage(
                    format!(
                        "`{}` and `{}` are compiled for different targets: {}",
                        first.path.display(),
                        input.path.display(),
                        agreed.difference(&model)
                    ),
                    "units of one program have one data model; check the units apart, or exclude some by `--exclude`",
                ));
            }
            Some(_) => {}
        }
        asked.push(question);
    }
    Ok(match common {
        Some((_, model)) => (model, None),
        None => (
            DataModel::lp64(),
            Some(
                general_warning("there is no compiler to ask for the target's data model".to_owned())
                    .with_note("64-bit x86 Linux is assumed; name the compiler that the `.i` files are for by `--cc`"),
            ),
        ),
    })
}

/// A warning for each option that changes what a program means but is not honoured.
fn warn_not_honoured(inputs: &[Input]) -> Vec<Diagnostic> {
    let mut told: Vec<&str> = Vec::new();
    let mut warnings = Vec::new();
    for input in inputs {
        for flag in flags::not_honoured(&input.flags) {
            if !told.contains(&flag.as_str()) {
                told.push(flag);
                warnings.push(
                    general_warning(format!("the option `{flag}` is not honoured"))
                        .with_note(format!("`{}` is compiled with it; its meaning may differ", input.path.display())),
                );
            }
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_by_option_fills_what_pragmas_leave() {
        let (_, prepared) =
            prepare(b"struct s { char c; int i; };".to_vec(), Path::new("a.c"), &["-fpack-struct=2".into()]);
        assert_eq!(prepared.unwrap().side.pack, [(0, Some(2))]);
    }

    #[test]
    fn text_in_memory_is_located() {
        let loaded = of_texts(vec![("a.i".into(), b"# 7 \"no/a.c\"\nint x;\n".to_vec())], DataModel::lp64());
        let unit = super::super::UnitId(0);
        let text = &loaded.sources.units[unit].text;
        let start = text.find("int").unwrap() as u32;
        let place = super::super::Place { unit, start, end: start + 6 };
        assert_eq!(loaded.sources.text(place), "int x;");
        let found = loaded.sources.locate(place);
        assert_eq!((found.file.as_path(), found.line, found.end_column), (Path::new("no/a.c"), 7, 7));
    }

    /// What the preprocessor puts around a macro of a system header.
    #[test]
    fn line_markers_are_no_text() {
        let text = "# 3 \"a.c\"\nint x =\n# 3 \"a.c\" 3 4\n       (-1)\n# 3 \"a.c\"\n           ;\n";
        let loaded = of_texts(vec![("a.i".into(), text.as_bytes().to_vec())], DataModel::lp64());
        let unit = super::super::UnitId(0);
        let text = &loaded.sources.units[unit].text;
        let start = text.find("int").unwrap() as u32;
        let place = super::super::Place { unit, start, end: text.rfind(';').unwrap() as u32 + 1 };
        let words: Vec<String> = loaded.sources.text(place).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["int", "x", "=", "(-1)", ";"]);
    }
}
