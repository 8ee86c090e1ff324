//! The built-in models against the system's own headers: every argument that a model names is one that the function has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use flowcheck::base::parallel;
use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Program, Quals, Type, TypeId};
use flowcheck::models::Models;
use flowcheck::policy;
use flowcheck::policy::model::{Model, Spot};
use flowcheck::source::{self, Request};

const HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdio_ext.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
    "wctype.h",
    "arpa/inet.h",
    "crypt.h",
    "dirent.h",
    "dlfcn.h",
    "err.h",
    "error.h",
    "execinfo.h",
    "fcntl.h",
    "fnmatch.h",
    "ftw.h",
    "getopt.h",
    "glob.h",
    "grp.h",
    "iconv.h",
    "ifaddrs.h",
    "langinfo.h",
    "libgen.h",
    "libintl.h",
    "malloc.h",
    "monetary.h",
    "mqueue.h",
    "net/if.h",
    "netdb.h",
    "netinet/in.h",
    "nl_types.h",
    "poll.h",
    "pthread.h",
    "pty.h",
    "pwd.h",
    "regex.h",
    "sched.h",
    "search.h",
    "semaphore.h",
    "shadow.h",
    "spawn.h",
    "sys/auxv.h",
    "sys/epoll.h",
    "sys/eventfd.h",
    "sys/file.h",
    "sys/ioctl.h",
    "sys/ipc.h",
    "sys/mman.h",
    "sys/msg.h",
    "sys/prctl.h",
    "sys/ptrace.h",
    "sys/random.h",
    "sys/resource.h",
    "sys/select.h",
    "sys/sem.h",
    "sys/sendfile.h",
    "sys/shm.h",
    "sys/socket.h",
    "sys/stat.h",
    "sys/statfs.h",
    "sys/statvfs.h",
    "sys/sysinfo.h",
    "sys/time.h",
    "sys/timeb.h",
    "sys/times.h",
    "sys/types.h",
    "sys/uio.h",
    "sys/utsname.h",
    "sys/vfs.h",
    "sys/wait.h",
    "syslog.h",
    "termios.h",
    "ucontext.h",
    "unistd.h",
    "utime.h",
    "wordexp.h",
];

/// All that the headers declare.
fn declarations(flags: &[&str]) -> Program {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("headers.c");
    let include = |header: &&str| format!("#if __has_include(<{header}>)\n#include <{header}>\n#endif\n");
    std::fs::write(&file, HEADERS.iter().map(include).collect::<String>()).expect("a scratch file");
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let request = Request { paths: vec![PathBuf::from(&file)], flags, jobs: 1, ..Request::default() };
    let loaded = source::load(&request, &Progress::silent()).expect("the headers are there");
    let ids: Vec<_> = loaded.sources.units.ids().collect();
    let mut programs = parallel::map(&ids, 1, |_, id| {
        let unit = &loaded.sources.units[*id];
        let tree = source::parse(unit, *id).expect("the headers can be parsed");
        ir::lower::lower_unit(*id, &unit.text, &unit.side, &loaded.sources.model, &tree, &[]).expect("lowered").0
    });
    programs.pop().expect("one unit")
}

/// What a parameter can be for a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number.
    Value,
    /// A pointer to what may be written.
    Pointer,
    /// A pointer to what is `const`.
    Constant,
    /// A pointer to a function.
    Function,
}

/// A declaration.
struct Declared {
    parameters: Vec<Kind>,
    /// More may follow.
    variadic: bool,
    returns: bool,
}

impl Declared {
    /// What argument `n` is; a further one may be anything.
    fn kind(&self, n: u32) -> Option<Kind> {
        self.parameters.get(n as usize - 1).copied().or(self.variadic.then_some(Kind::Pointer))
    }
}

fn kind(program: &Program, ty: TypeId) -> Kind {
    match program.types.get(ty) {
        Type::Pointer(to) if matches!(program.types.get(to.ty), Type::Function(_)) => Kind::Function,
        Type::Pointer(to) if to.quals.has(Quals::CONST) => Kind::Constant,
        // A record may hold pointers; the addresses of sockets are unions of them.
        Type::Pointer(_) | Type::Record(_) => Kind::Pointer,
        _ => Kind::Value,
    }
}

/// The functions that a program declares, by both of their names.
fn functions(program: &Program) -> BTreeMap<String, Declared> {
    let mut found = BTreeMap::new();
    for function in &program.functions {
        let Type::Function(ty) = program.types.get(function.ty) else { panic!("{}", function.name) };
        for name in function.link_name.iter().chain([&function.name]) {
            let parameters = ty.params.iter().map(|ty| kind(program, *ty)).collect();
            let returns = !matches!(program.types.get(ty.result), Type::Void);
            found.insert(name.clone(), Declared { parameters, variadic: ty.variadic, returns });
        }
    }
    found
}

/// Written although the header says `const`: getopt sorts the arguments.
const NOT_CONSTANT: [&str; 4] = ["getopt", "__posix_getopt", "getopt_long", "getopt_long_only"];

/// What in a model does not fit the declaration.
fn complaints(model: &Model, declared: &Declared) -> Vec<String> {
    let mut found = Vec::new();
    let mut complain = |what: String| found.push(format!("{}: {what}", model.function));
    let last = model.last_argument();
    if last > 0 && declared.kind(last).is_none() {
        complain(format!("there is no argument {last}"));
        return found;
    }
    for flow in &model.flows {
        if flow.target == Spot::Return && !declared.returns {
            complain(format!("`{flow}`, but it returns nothing"));
        }
        for spot in flow.sources.iter().chain([&flow.target]) {
            if let Spot::Object(n) | Spot::Memory(n) = spot
                && matches!(declared.kind(*n), Some(Kind::Value))
            {
                complain(format!("`{flow}`, but argument {n} is no pointer"));
            }
        }
        if let Spot::Object(n) = flow.target
            && declared.kind(n) == Some(Kind::Constant)
            && !NOT_CONSTANT.contains(&model.function.as_str())
        {
            complain(format!("`{flow}`, but what argument {n} points to is constant"));
        }
    }
    let called = model.callbacks.iter().map(|c| c.function).chain(model.threads.iter().map(|t| t.entry));
    for n in called {
        // A structure may hold the function.
        if !matches!(declared.kind(n), Some(Kind::Function | Kind::Pointer | Kind::Constant)) {
            complain(format!("argument {n} cannot be called"));
        }
    }
    // A result that nothing decides is something forgotten.
    if declared.returns && !model.noreturn && !model.flows.iter().any(|f| f.target == Spot::Return) {
        complain("what it returns is not said".to_owned());
    }
    found
}

/// The declared function that an internal name of glibc stands for.
fn plain(name: &str) -> Option<&str> {
    let prefixes = ["__isoc23_", "__isoc99_", "__xpg_", "__posix_", "_IO_", "__sysv_", "___", "__", "_"];
    let name = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
    // A checking function that no header declares has its further argument at the end.
    Some(name.strip_suffix("_internal").or_else(|| name.strip_suffix("_chk")).unwrap_or(name))
}

/// In no header of some systems, with the reason.
const UNDECLARED: &[(&str, &str)] = &[
    (
        "compilers call them",
        "alloca __stack_chk_fail __chk_fail __fortify_fail __clear_cache __gmon_start__ __mulsc3 __muldc3 __mulxc3 __divsc3 \
         __divdc3 __divxc3 __cyg_profile_func_enter __cyg_profile_func_exit __memcmpeq \
         __cxa_atexit",
    ),
    (
        "what compilers make of a macro",
        "isfinite isfinitef isfinitel isnormal isnormalf isnormall issignaling issignalingf issignalingl signbit signbitf signbitl \
         isinf_sign sigsetjmp _tolower _toupper",
    ),
    (
        "older headers declared them",
        "gets __gets_chk pow10 pow10f pow10l cfree bsd_signal __xstat __lxstat __fxstat __xstat64 __lxstat64 __fxstat64 printf_unlocked \
         fprintf_unlocked",
    ),
    (
        "newer headers or other systems' declare them",
        "strlcpy strlcat arc4random arc4random_buf arc4random_uniform free_sized free_aligned_sized memset_explicit logp1 logp1f \
         logp1l issetugid setfsuid setfsgid __iscanonical __iscanonicalf timespec_getres fesetexcept",
    ),
    (
        "what a checking header calls, where it has one",
        "__strlcpy_chk __strlcat_chk __longjmp_chk ___sprintf_chk ___snprintf_chk",
    ),
];

#[test]
fn arguments_of_models_are_parameters_of_the_headers() {
    let mut known = functions(&declarations(&["-D_GNU_SOURCE"]));
    known.extend(functions(&declarations(&["-D_GNU_SOURCE", "-O2", "-D_FORTIFY_SOURCE=2"])));
    assert!(known.len() > 1500, "{} declarations", known.len());
    let models = Models::new(&[]);
    let mut found = Vec::new();
    let mut checked = 0;
    for name in models.names() {
        let model = models.by_name(name).expect("a name has its model");
        let declared = known.get(name).or_else(|| known.get(plain(name)?));
        match declared {
            Some(declared) => {
                checked += 1;
                found.extend(complaints(model, declared));
            }
            None if UNDECLARED.iter().any(|(_, names)| names.split_whitespace().any(|n| n == name)) => {}
            None => found.push(format!("{name}: not declared")),
        }
    }
    assert!(checked > 1000, "{checked} were checked");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn reading_them_takes_little_time() {
    // The fastest of several, as other work may be going on; unoptimised code gets more.
    let limit = std::time::Duration::from_millis(if cfg!(debug_assertions) { 50 } else { 5 });
    let time = |_| {
        let start = std::time::Instant::now();
        assert!(!Models::new(&[]).names().is_empty());
        start.elapsed()
    };
    let fastest = (0..10).map(time).min().expect("ten runs");
    assert!(fastest < limit, "{fastest:?}");
}

#[test]
fn the_policies_in_the_documents_can_be_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut read = 0;
    for document in ["docs/POLICY.md", "docs/MODELS.md", "README.md"] {
        let text = std::fs::read_to_string(root.join(document)).expect(document);
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().expect("a block ends");
            if let Err(error) = policy::parse(block, document) {
                panic!("{error:?}");
            }
            read += 1;
        }
    }
    assert!(read > 4, "{read} blocks");
}
