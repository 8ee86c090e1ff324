//! Which words of a compile command reach a compiler.
//!
//! Invariant: only what is on the lists below does. A `compile_commands.json` may come from anywhere, and compilers have options
//! that load or run things (`-fplugin`, `-wrapper`, `-specs`, `-B`, `@file`, `-Xclang -load` …); none of them is listed.

/// Options with a value that is a file or a folder, joined or as the next word.
const PATHS: &[&str] = &[
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iwithprefixbefore",
    "-iwithprefix",
    "-iprefix",
    "-I",
];

/// Options that stand alone.
const PLAIN: &[&str] =
    &["-ansi", "-nostdinc", "-pthread", "-pthreads", "-undef", "-trigraphs", "-traditional-cpp", "-EB", "-EL"];

/// `-f…` and `-fno-…` that change predefined macros, preprocessing or the data model.
const FEATURES: &[&str] = &[
    "unsigned-char",
    "signed-char",
    "short-enums",
    "short-wchar",
    "short-double",
    "pack-struct",
    "signed-bitfields",
    "unsigned-bitfields",
    "openmp",
    "openacc",
    "freestanding",
    "hosted",
    "pic",
    "PIC",
    "pie",
    "PIE",
    "exceptions",
    "fast-math",
    "finite-math-only",
    "math-errno",
    "signaling-nans",
    "rounding-math",
    "unsafe-math-optimizations",
    "single-precision-constant",
    "gnu89-inline",
    "ms-extensions",
    "plan9-extensions",
    "dollars-in-identifiers",
    "extended-identifiers",
    "stack-protector",
    "stack-protector-all",
    "stack-protector-strong",
    "stack-protector-explicit",
    "asm",
    "blocks",
    "leading-underscore",
];

/// `-f…=` with a value, likewise.
const VALUED: &[&str] = &[
    "-fpack-struct=",
    "-fsanitize=",
    "-fcf-protection=",
    "-finput-charset=",
    "-fexec-charset=",
    "-fwide-exec-charset=",
    "-fsso-struct=",
    "-fmacro-prefix-map=",
    "-ffile-prefix-map=",
];

/// Options that are dropped together with the word after them.
const DROPPED_WITH_VALUE: &[&str] = &[
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-include-pch",
    "-T",
    "-u",
    "-z",
    "-L",
    "-l",
    "-B",
    "-A",
    "-G",
    "-wrapper",
    "-specs",
    "--specs",
    "--config",
    "--param",
    "-aux-info",
    "-arch",
    "-framework",
    "-dumpbase",
    "-dumpdir",
];

/// What a compile command says to the preprocessor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The words to pass on.
    pub flags: Vec<String>,
    /// `-x LANGUAGE`, the last one.
    pub language: Option<String>,
}

/// The options among `words` (those after the compiler's name) that matter to preprocessing and the data model.
pub(super) fn choose(words: &[String]) -> Chosen {
    let mut chosen = Chosen::default();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let flags = &mut chosen.flags;
        if DROPPED_WITH_VALUE.contains(&word) {
            words.next();
        } else if let Some(option) = PATHS.iter().find(|o| word.starts_with(**o)) {
            let joined = &word[option.len()..];
            if let Some(value) = if joined.is_empty() { words.next() } else { Some(joined) } {
                flags.extend([(*option).to_owned(), file_word(value)]);
            }
        } else if let Some(option) = ["-D", "-U"].iter().find(|o| word.starts_with(**o)) {
            let joined = &word[option.len()..];
            if let Some(value) = if joined.is_empty() { words.next() } else { Some(joined) } {
                flags.push(format!("{option}{value}"));
            }
        } else if let Some(parts) = word.strip_prefix("-Wp,") {
            flags.extend(
                parts
                    .split(',')
                    .filter(|p| p.len() > 2 && ["-D", "-U", "-I"].iter().any(|o| p.starts_with(o)))
                    .map(str::to_owned),
            );
        } else if word == "--sysroot" {
            flags.extend(words.next().map(|value| format!("--sysroot={value}")));
        } else if word == "-target" {
            flags.extend(words.next().filter(|v| is_name(v)).map(|value| format!("--target={value}")));
        } else if word == "-x" {
            chosen.language = words.next().map(str::to_owned);
        } else if let Some(language) = word.strip_prefix("-x") {
            chosen.language = Some(language.to_owned());
        } else if is_relevant(word) {
            flags.push(word.to_owned());
        }
    }
    chosen
}

fn is_relevant(word: &str) -> bool {
    let feature = |f: &str| FEATURES.contains(&f) || f.strip_prefix("no-").is_some_and(|f| FEATURES.contains(&f));
    PLAIN.contains(&word)
        || word.starts_with("--sysroot=")
        || ["-std=", "--std=", "--target="].iter().any(|o| word.strip_prefix(o).is_some_and(is_name))
        || word.strip_prefix("-m").is_some_and(is_name)
        || word.strip_prefix("-f").is_some_and(feature)
        || VALUED.iter().any(|o| word.starts_with(o))
}

/// Whether it is a plain name or number, with no path in it: `-mmcu=` with a path would make avr-gcc read a specs file.
fn is_name(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.,=+-".contains(&b))
}

/// A file name as a word of its own: gcc takes `@name` for a file of more options.
fn file_word(value: &str) -> String {
    if value.starts_with('@') { format!("./{value}") } else { value.to_owned() }
}

/// Those of `flags` (as [`choose`] writes them, or as the user wrote them) that can change the data model.
pub(super) fn of_target(flags: &[String]) -> Vec<String> {
    let mut target = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        if PATHS.contains(&word.as_str()) || word == "-D" || word == "-U" {
            words.next();
        } else if ["-m", "-f", "-std=", "-ansi", "--target="].iter().any(|o| word.starts_with(o))
            || word == "-EB"
            || word == "-EL"
        {
            target.push(word.clone());
        }
    }
    target
}

/// Those of `flags` that change what the program means in a way that is not honoured.
pub(super) fn not_honoured(flags: &[String]) -> impl Iterator<Item = &String> {
    flags.iter().filter(|flag| match flag.split_once('=') {
        Some(("-fexec-charset", set)) => !set.eq_ignore_ascii_case("utf-8") && !set.eq_ignore_ascii_case("utf8"),
        Some(("-fwide-exec-charset" | "-fsso-struct", _)) => true,
        _ => ["-funsigned-bitfields", "-fno-signed-bitfields", "-fsingle-precision-constant"].contains(&flag.as_str()),
    })
}

/// `-fpack-struct[=N]`: the alignment of members where no `#pragma pack` says another.
pub(super) fn pack_struct(flags: &[String]) -> Option<u64> {
    flags.iter().fold(None, |pack, flag| match flag.strip_prefix("-fpack-struct") {
        Some("") => Some(1),
        Some(n) => n.strip_prefix('=').and_then(|n| n.parse().ok()).or(pack),
        None if flag == "-fno-pack-struct" => None,
        None => pack,
    })
}

/// `flags` of someone who works in `from`, for a compiler that works elsewhere.
pub fn anchored(flags: &[String], from: &std::path::Path) -> Vec<String> {
    // `-include x.h` may also name a header on the search path: only what is there is anchored.
    let anchor = |value: &str| {
        let path = from.join(value);
        if path.exists() { path.display().to_string() } else { value.to_owned() }
    };
    let mut anchored = Vec::with_capacity(flags.len());
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        match PATHS.iter().find(|o| word.starts_with(**o)) {
            Some(option) if word.len() > option.len() => {
                anchored.extend([(*option).to_owned(), anchor(&word[option.len()..])]);
            }
            Some(_) => {
                anchored.push(word.clone());
                anchored.extend(words.next().map(|value| anchor(value)));
            }
            None => anchored.push(word.clone()),
        }
    }
    anchored
}

/// What the name of a program says it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tool {
    /// A C compiler.
    C,
    /// A compiler that takes `.c` files for C++.
    Cxx,
    /// Starts the compiler named after it.
    Wrapper,
    /// Anything else: never run.
    Other,
}

/// What a program is, by its base name.
pub(super) fn tool(program: &str) -> Tool {
    let base = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    // `gcc-12.2`, `clang15`
    let name = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let name = name.strip_suffix('-').unwrap_or(name);
    let last = name.rsplit('-').next().unwrap_or(name);
    match last {
        "gcc" | "cc" | "clang" => Tool::C,
        _ if ["c89", "c90", "c99", "c11", "c17"].contains(&base) => Tool::C,
        "g++" | "c++" | "clang++" => Tool::Cxx,
        "ccache" | "sccache" | "distcc" | "icecc" | "gomacc" | "libtool" | "sh" | "bash" | "env" | "nice" => {
            Tool::Wrapper
        }
        _ => Tool::Other,
    }
}

/// The place of the compiler in a command: past `ccache`, `sh ./libtool --mode=compile` and the like.
pub(super) fn compiler(words: &[String]) -> Option<(usize, Tool)> {
    for (i, word) in words.iter().enumerate() {
        match tool(word) {
            Tool::Wrapper => {}
            Tool::Other if i > 0 && (word.starts_with('-') || word.contains('=')) => {}
            kind @ (Tool::C | Tool::Cxx | Tool::Other) => return Some((i, kind)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }
    fn chosen(text: &str) -> String {
        choose(&words(text)).flags.join(" ")
    }

    #[test]
    fn preprocessor_options_pass() {
        assert_eq!(chosen("-Iinc -I lib -DA=1 -D B -UC"), "-I inc -I lib -DA=1 -DB -UC");
        assert_eq!(chosen("-include a.h -isystem /s -iquote q -idirafter d"), {
            "-include a.h -isystem /s -iquote q -idirafter d"
        });
        assert_eq!(chosen("-std=gnu99 -m32 -mmcu=atmega328p -march=rv32imac -funsigned-char -fno-exceptions"), {
            "-std=gnu99 -m32 -mmcu=atmega328p -march=rv32imac -funsigned-char -fno-exceptions"
        });
        assert_eq!(chosen("-Wp,-MD,x.d,-DK=1 --sysroot /r -target arm-none-eabi"), {
            "-DK=1 --sysroot=/r --target=arm-none-eabi"
        });
    }

    #[test]
    fn whatever_loads_or_runs_something_is_dropped() {
        for bad in [
            "-fplugin=x.so",
            "-fplugin-arg-x-y=1",
            "-wrapper gdb,--args",
            "-specs=/tmp/s",
            "--specs=nosys.specs",
            "-specs /tmp/s",
            "-B/tmp",
            "-B /tmp",
            "@args",
            "-Xclang -load",
            "-Xpreprocessor -fplugin=x",
            "-mllvm -load=x.so",
            "-mmcu=../../x",
            "-Wp,-fplugin=x.so",
            "-Wl,-x",
            "-Wa,-x",
            "--config x",
            "-include-pch x",
            "-fuse-ld=/tmp/x",
            "-fprofile-use=x",
            "-c",
            "-O2",
            "-o -DX",
            "-MF -DX",
            "a.c",
            "-P",
            "-dM",
            "-E",
            "-save-temps",
            "-no-canonical-prefixes",
            "-iplugindir=/tmp",
        ] {
            assert_eq!(chosen(bad), "", "{bad}");
        }
    }

    #[test]
    fn a_file_name_is_never_a_response_file() {
        assert_eq!(chosen("-include @args -I@x"), "-include ./@args -I ./@x");
    }

    #[test]
    fn the_language_is_told() {
        assert_eq!(choose(&words("-x c++ -xc")).language.as_deref(), Some("c"));
        assert_eq!(choose(&words("-x assembler-with-cpp")).language.as_deref(), Some("assembler-with-cpp"));
    }

    #[test]
    fn compilers_are_known_by_name() {
        for c in ["gcc", "cc", "/usr/bin/gcc-12", "clang-15", "avr-gcc", "arm-none-eabi-gcc-12.2.1", "clang15", "c99"] {
            assert_eq!(tool(c), Tool::C, "{c}");
        }
        assert_eq!(tool("x86_64-linux-gnu-g++-12"), Tool::Cxx);
        assert_eq!(tool("rm"), Tool::Other);
        assert_eq!(tool("gcc.sh"), Tool::Other);
        assert_eq!(tool("notgcc"), Tool::Other);
    }

    #[test]
    fn wrappers_are_passed_over() {
        assert_eq!(compiler(&words("ccache gcc -c a.c")), Some((1, Tool::C)));
        assert_eq!(compiler(&words("/bin/sh ./libtool --tag=CC --mode=compile gcc -c a.c")), Some((4, Tool::C)));
        assert_eq!(compiler(&words("env A=b cc a.c")), Some((2, Tool::C)));
        assert_eq!(compiler(&words("rm -rf gcc")), Some((0, Tool::Other)));
        assert_eq!(compiler(&words("ccache")), None);
    }

    #[test]
    fn packing_is_taken_from_the_last_option() {
        assert_eq!(pack_struct(&words("-fpack-struct=4 -DX")), Some(4));
        assert_eq!(pack_struct(&words("-fpack-struct=4 -fpack-struct")), Some(1));
        assert_eq!(pack_struct(&words("-fpack-struct -fno-pack-struct")), None);
    }

    #[test]
    fn target_flags_leave_out_definitions() {
        assert_eq!(of_target(&words("-D -m32 -DA -m16 -I -fx -std=c99 -include -mx -funsigned-char")), {
            words("-m16 -std=c99 -funsigned-char")
        });
    }

    #[test]
    fn what_is_not_honoured_is_told() {
        let flags = words("-fexec-charset=UTF-8 -fexec-charset=latin1 -funsigned-bitfields -fsigned-char");
        assert_eq!(not_honoured(&flags).collect::<Vec<_>>(), ["-fexec-charset=latin1", "-funsigned-bitfields"]);
    }
}
