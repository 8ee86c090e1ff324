//! The C library as the interpreter models it, by the names that the linker sees.
//!
//! It behaves as glibc does in the "C" locale and in UTC, over a file system in memory and with a clock that counts executed
//! instructions, so that every run gives the same result. A function that is not here ends the run when it is called, with its
//! name.

#![allow(clippy::unnecessary_wraps, reason = "a library function answers a result")]

mod conv;
mod ctype;
mod digits;
mod env;
mod exact;
mod files;
mod getopt;
mod math;
mod printf;
mod rand;
mod scanf;
mod search;
mod setjmp;
mod special;
mod stdio;
mod stdlib;
mod stream;
mod string;
mod time;
mod wide;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::arith;
use super::machine::{Machine, Stop};
use super::memory::NoMemory;
use super::value::{Class, Format, Scalar, Shape};
use files::Files;

/// What a library function answers: the two slots of its result.
pub(super) type Ret = Result<(u64, u64), Stop>;
/// A library function.
pub(super) type Builtin = fn(&mut Machine<'_>, &Args<'_>) -> Ret;
/// Names and functions.
type Entries = &'static [(&'static str, Builtin)];

static BUILTINS: LazyLock<FxHashMap<&'static str, Builtin>> = LazyLock::new(|| {
    let tables: [Entries; 16] = [
        conv::TABLE,
        ctype::TABLE,
        env::TABLE,
        files::TABLE,
        getopt::TABLE,
        math::TABLE,
        printf::TABLE,
        rand::TABLE,
        scanf::TABLE,
        search::TABLE,
        setjmp::TABLE,
        stdio::TABLE,
        stdlib::TABLE,
        string::TABLE,
        time::TABLE,
        wide::TABLE,
    ];
    tables.into_iter().flatten().copied().collect()
});

/// Objects that libc defines.
const OBJECTS: [&str; 17] = [
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "__environ",
    "_environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "signgam",
    "timezone",
    "daylight",
    "tzname",
    "program_invocation_name",
    "program_invocation_short_name",
    "__progname",
];

/// Whether libc defines an object of this name.
pub(super) fn has_object(name: &str) -> bool {
    OBJECTS.contains(&name)
}

/// The function of this name. A compiler's builtin is the function it stands for.
pub(super) fn find(name: &str) -> Option<Builtin> {
    let plain = |n: &str| BUILTINS.get(n).copied();
    plain(name).or_else(|| plain(name.strip_prefix("__builtin_")?))
}

/// The names of all functions, sorted.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = BUILTINS.keys().copied().collect();
    names.sort_unstable();
    names
}

/// The file system at the start.
pub(super) fn files(files: &BTreeMap<String, Vec<u8>>, stdin: &[u8]) -> Files {
    Files::new(files, stdin)
}

/// The arguments of a call.
pub(super) struct Args<'a> {
    list: &'a [(Class, [u64; 2])],
    /// What the caller takes the result for.
    pub result: Class,
}

impl<'a> Args<'a> {
    pub fn new(list: &'a [(Class, [u64; 2])], result: Class) -> Args<'a> {
        Args { list, result }
    }
    /// The slots of an argument; zero if it was not passed.
    fn slots(&self, i: usize) -> [u64; 2] {
        self.list.get(i).map_or([0; 2], |a| a.1)
    }
    fn class(&self, i: usize) -> Class {
        self.list.get(i).map_or(Class::Void, |a| a.0)
    }
    /// A pointer, `size_t` or other unsigned number.
    fn word(&self, i: usize) -> u64 {
        self.slots(i)[0]
    }
    fn int(&self, i: usize) -> i32 {
        self.slots(i)[0] as i32
    }
    fn long(&self, i: usize) -> i64 {
        self.slots(i)[0] as i64
    }
    /// A floating argument of any format.
    fn float(&self, i: usize) -> (Format, u128) {
        let [low, high] = self.slots(i);
        match self.class(i) {
            Class::Scalar(scalar @ Scalar::Float(format)) => (format, scalar.payload(low, high)),
            Class::Scalar(scalar) => {
                let payload = arith::cast(scalar, Scalar::Float(Format::Double), scalar.payload(low, high));
                (Format::Double, payload)
            }
            Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => (Format::Double, 0),
        }
    }
    fn f64(&self, i: usize) -> f64 {
        let (format, payload) = self.float(i);
        arith::to_f64(format, payload)
    }
    /// The format that the caller takes the result for.
    fn result_format(&self) -> Format {
        match self.result {
            Class::Scalar(Scalar::Float(format)) => format,
            Class::Void | Class::Scalar(_) | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => {
                Format::Double
            }
        }
    }
    /// A floating result, rounded to what the caller takes it for.
    fn give(&self, value: f64) -> Ret {
        let payload = arith::from_f64(self.result_format(), value);
        Ok((payload as u64, (payload >> 64) as u64))
    }
}

/// A result of one slot.
fn word(value: u64) -> Ret {
    Ok((value, 0))
}

/// A signed result.
fn int(value: i64) -> Ret {
    Ok((value as u64, 0))
}

/// The arguments after those a function names, or those in a `va_list`.
enum Variable<'a> {
    Passed { args: &'a Args<'a>, from: usize },
    List(u64),
}

impl Variable<'_> {
    /// The slots of argument `index`.
    fn get(&self, m: &Machine<'_>, index: usize) -> Result<[u64; 2], Stop> {
        match self {
            Variable::Passed { args, from } if from + index < args.list.len() => Ok(args.slots(from + index)),
            Variable::Passed { .. } => Err(Stop::Trap("the format asks for more arguments than were passed".into())),
            Variable::List(list) => {
                let list = m.memory.load_pointer(*list)?;
                let at = list.wrapping_add(super::machine::VA_STEP * index as u64);
                let missing = |_| Stop::Trap("the format asks for more arguments than were passed".into());
                Ok([m.memory.load::<8>(at).map_err(missing)?, m.memory.load::<8>(at + 8).map_err(missing)?])
            }
        }
    }
}

/// Errors, as Linux numbers them.
mod errno {
    pub const ENOENT: i32 = 2;
    pub const EBADF: i32 = 9;
    pub const ECHILD: i32 = 10;
    pub const ENOMEM: i32 = 12;
    pub const EACCES: i32 = 13;
    pub const EEXIST: i32 = 17;
    pub const EISDIR: i32 = 21;
    pub const EINVAL: i32 = 22;
    pub const ENOTTY: i32 = 25;
    pub const ENOSPC: i32 = 28;
    pub const ESPIPE: i32 = 29;
    pub const EDOM: i32 = 33;
    pub const ERANGE: i32 = 34;
    pub const ENOSYS: i32 = 38;
    pub const EOVERFLOW: i32 = 75;
    pub const EILSEQ: i32 = 84;
}

/// What runs at exit.
#[derive(Clone, Copy, Debug)]
enum Hook {
    /// `atexit`
    Plain(u64),
    /// `on_exit`
    Status(u64, u64),
    /// `__cxa_atexit`
    Argument(u64, u64),
}

/// The library's state.
#[derive(Debug)]
pub(super) struct Libc {
    pub files: Files,
    objects: FxHashMap<&'static str, u64>,
    /// Buffers and tables that functions return pointers to, made on first use.
    buffers: FxHashMap<&'static str, u64>,
    constants: FxHashMap<String, u64>,
    hooks: Vec<Hook>,
    handlers: BTreeMap<i32, u64>,
    random: rand::State,
    token: u64,
    scan: getopt::State,
    umask: u64,
    /// Microseconds spent in `sleep`.
    slept: u64,
    /// `_exit` was called: nothing more runs.
    pub is_ended: bool,
}

impl Libc {
    /// The state at the start.
    pub fn new(files: Files) -> Libc {
        Libc {
            files,
            objects: FxHashMap::default(),
            buffers: FxHashMap::default(),
            constants: FxHashMap::default(),
            hooks: Vec::new(),
            handlers: BTreeMap::new(),
            random: rand::State::default(),
            token: 0,
            scan: getopt::State::default(),
            umask: 0o22,
            slept: 0,
            is_ended: false,
        }
    }
}

impl Machine<'_> {
    /// The class of `int`, for callbacks.
    fn int_class(&self) -> Class {
        Class::Scalar(Scalar::Int(Shape { bits: self.int_size() as u8 * 8, signed: true }))
    }
    /// The class of pointers, for callbacks.
    fn pointer_class(&self) -> Class {
        Class::pointer(&self.program.types.model)
    }
    fn int_size(&self) -> u64 {
        self.program.types.model.int_size
    }
    fn long_size(&self) -> u64 {
        self.program.types.model.long_size
    }
    fn pointer_size(&self) -> u64 {
        self.memory.pointer_size
    }
    fn put_int(&mut self, addr: u64, value: i64) -> Result<(), Stop> {
        Ok(self.memory.store_uint(addr, self.int_size(), value as u64)?)
    }
    fn get_int(&self, addr: u64) -> Result<i64, Stop> {
        let size = self.int_size();
        let shape = Shape { bits: size as u8 * 8, signed: true };
        Ok(shape.wrap(self.memory.load_uint(addr, size)?) as i64)
    }
    fn put(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.memory.slice_mut(addr, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }
    fn string(&self, addr: u64) -> Result<Vec<u8>, Stop> {
        Ok(self.memory.c_string(addr)?)
    }

    /// `malloc`: a null pointer where the address space ends.
    fn malloc(&mut self, size: u64, align: u64) -> Result<u64, Stop> {
        match self.memory.allocate(size, align) {
            Ok(addr) => {
                self.memory.give();
                Ok(addr)
            }
            Err(NoMemory::Exhausted) if self.watcher.as_ref().is_some_and(|w| w.strict) => Err(Stop::Limit),
            Err(NoMemory::Exhausted) => {
                self.set_errno(errno::ENOMEM)?;
                Ok(0)
            }
            Err(NoMemory::Limit) => Err(Stop::Limit),
        }
    }

    /// A fresh C string on the heap.
    fn new_string(&mut self, text: &[u8]) -> Result<u64, Stop> {
        let addr = self.malloc(text.len() as u64 + 1, 1)?;
        if addr != 0 {
            self.memory.put_c_string(addr, text)?;
        }
        Ok(addr)
    }

    /// A buffer of the library's own, made on first use; whether it is new.
    fn buffer(&mut self, name: &'static str, size: u64) -> Result<(u64, bool), Stop> {
        if let Some(addr) = self.libc.buffers.get(name) {
            return Ok((*addr, false));
        }
        let addr = self.memory.allocate(size, 16)?;
        self.libc.buffers.insert(name, addr);
        Ok((addr, true))
    }

    /// A C string of the library's own, the same for equal texts.
    fn constant(&mut self, text: &str) -> Result<u64, Stop> {
        if let Some(addr) = self.libc.constants.get(text) {
            return Ok(*addr);
        }
        let addr = self.memory.allocate(text.len() as u64 + 1, 1)?;
        self.memory.put_c_string(addr, text.as_bytes())?;
        self.libc.constants.insert(text.to_string(), addr);
        Ok(addr)
    }

    fn errno_address(&mut self) -> Result<u64, Stop> {
        Ok(self.buffer("errno", self.int_size().max(4))?.0)
    }
    fn set_errno(&mut self, error: i32) -> Result<(), Stop> {
        let addr = self.errno_address()?;
        self.put_int(addr, i64::from(error))
    }
    /// Sets `errno` and answers -1.
    fn fail(&mut self, error: i32) -> Ret {
        self.set_errno(error)?;
        int(-1)
    }
    /// Sets `errno` and answers a null pointer.
    fn fail_null(&mut self, error: i32) -> Ret {
        self.set_errno(error)?;
        word(0)
    }

    /// The address of an object of libc: the program's declaration of it, or one of its own.
    fn object(&mut self, name: &'static str) -> Result<u64, Stop> {
        if let Some(addr) = self.libc.objects.get(name) {
            return Ok(*addr);
        }
        let addr = match self.image.statics.names.get(name) {
            Some(addr) => *addr,
            None => self.memory.allocate(2 * self.pointer_size(), 16)?,
        };
        self.libc.objects.insert(name, addr);
        Ok(addr)
    }

    /// Gives libc's objects their contents, and `main` its arguments: `argc`, `argv`, `envp`.
    pub fn start_libc(&mut self, args: &[Vec<u8>], env: &[Vec<u8>]) -> Result<[u64; 3], Stop> {
        for (name, fd) in [("stdin", 0), ("stdout", 1), ("stderr", 2)] {
            let stream = self.open_standard(fd)?;
            let addr = self.object(name)?;
            self.memory.store_pointer(addr, stream)?;
        }
        for (name, value) in [("optind", 1), ("opterr", 1), ("optopt", i64::from(b'?'))] {
            let addr = self.object(name)?;
            self.put_int(addr, value)?;
        }
        let argv = self.pointer_array(args)?;
        let envp = self.pointer_array(env)?;
        for name in ["environ", "__environ", "_environ"] {
            let addr = self.object(name)?;
            self.memory.store_pointer(addr, envp)?;
        }
        let name = self.memory.load_pointer(argv)?;
        let short = args.first().map_or(0, |a| a.iter().rposition(|b| *b == b'/').map_or(0, |i| i as u64 + 1));
        for (object, value) in [
            ("program_invocation_name", name),
            ("program_invocation_short_name", name + short),
            ("__progname", name + short),
        ] {
            let addr = self.object(object)?;
            self.memory.store_pointer(addr, value)?;
        }
        let zone = self.constant("UTC")?;
        let names = self.object("tzname")?;
        self.memory.store_pointer(names, zone)?;
        self.memory.store_pointer(names + self.pointer_size(), zone)?;
        Ok([args.len() as u64, argv, envp])
    }

    /// An array of C strings that a null pointer ends.
    fn pointer_array(&mut self, texts: &[Vec<u8>]) -> Result<u64, Stop> {
        let size = self.pointer_size();
        let array = self.memory.allocate((texts.len() as u64 + 1) * size, 16)?;
        for (i, text) in texts.iter().enumerate() {
            let addr = self.memory.allocate(text.len() as u64 + 1, 1)?;
            self.memory.put_c_string(addr, text)?;
            self.memory.store_pointer(array + size * i as u64, addr)?;
        }
        self.memory.store_pointer(array + size * texts.len() as u64, 0)?;
        Ok(array)
    }

    /// The file name of the program, as messages show it.
    fn program_name(&mut self) -> Result<Vec<u8>, Stop> {
        let addr = self.object("program_invocation_short_name")?;
        let name = self.memory.load_pointer(addr)?;
        if name == 0 { Ok(Vec::new()) } else { self.string(name) }
    }

    /// What `exit` does before it ends the run: hooks, last first; a hook may register more, or call `exit` again.
    pub fn run_exit_hooks(&mut self, mut status: i32) -> Result<i32, Stop> {
        while let Some(hook) = self.libc.hooks.pop() {
            let (int, pointer) = (self.int_class(), self.pointer_class());
            let code = i64::from(status) as u64;
            let result = match hook {
                Hook::Plain(f) => self.call_back(f, &[]),
                Hook::Status(f, arg) => self.call_back(f, &[(int, code), (pointer, arg)]),
                Hook::Argument(f, arg) => self.call_back(f, &[(pointer, arg)]),
            };
            match result {
                Ok(_) => {}
                Err(Stop::Exit(code)) => status = code,
                Err(stop) => return Err(stop),
            }
        }
        Ok(status)
    }
}
