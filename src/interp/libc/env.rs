//! The environment, the locale, the process.

use super::{Args, Entries, Machine, Ret, Stop, errno, int, word};

/// The strings of `environ`.
fn variables(m: &mut Machine<'_>) -> Result<Vec<Vec<u8>>, Stop> {
    let object = m.object("environ")?;
    let array = m.memory.load_pointer(object)?;
    let mut all = Vec::new();
    if array != 0 {
        loop {
            let entry = m.memory.load_pointer(array + m.pointer_size() * all.len() as u64)?;
            if entry == 0 {
                break;
            }
            all.push(m.string(entry)?);
        }
    }
    Ok(all)
}

/// The entry of `environ` with this name: where the pointer to it is.
fn find(m: &mut Machine<'_>, name: &[u8]) -> Result<Option<u64>, Stop> {
    let all = variables(m)?;
    let object = m.object("environ")?;
    let array = m.memory.load_pointer(object)?;
    let is = |e: &Vec<u8>| e.starts_with(name) && e.get(name.len()) == Some(&b'=');
    Ok(all.iter().position(is).map(|i| array + m.pointer_size() * i as u64))
}

fn getenv(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let name = m.string(a.word(0))?;
    match find(m, &name)? {
        Some(slot) => word(m.memory.load_pointer(slot)? + name.len() as u64 + 1),
        None => word(0),
    }
}

/// Makes `entry`, a `NAME=value` in memory, part of the environment.
fn put(m: &mut Machine<'_>, name: &[u8], entry: u64) -> Result<(), Stop> {
    if let Some(slot) = find(m, name)? {
        m.memory.store_pointer(slot, entry)?;
        return Ok(());
    }
    let object = m.object("environ")?;
    let (old, count) = (m.memory.load_pointer(object)?, variables(m)?.len() as u64);
    let size = m.pointer_size();
    let array = m.memory.allocate((count + 2) * size, 16)?;
    if count > 0 {
        m.memory.copy(array, old, count * size)?;
    }
    m.memory.store_pointer(array + count * size, entry)?;
    m.memory.store_pointer(array + (count + 1) * size, 0)?;
    for name in ["environ", "__environ", "_environ"] {
        let object = m.object(name)?;
        m.memory.store_pointer(object, array)?;
    }
    Ok(())
}

fn setenv(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (name, value) = (m.string(a.word(0))?, m.string(a.word(1))?);
    if name.is_empty() || name.contains(&b'=') {
        return m.fail(errno::EINVAL);
    }
    if a.int(2) == 0 && find(m, &name)?.is_some() {
        return int(0);
    }
    let entry = m.new_string(&[&name[..], b"=", &value].concat())?;
    put(m, &name, entry)?;
    int(0)
}

fn putenv(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let text = m.string(a.word(0))?;
    let Some(end) = text.iter().position(|b| *b == b'=') else { return int(0) };
    put(m, &text[..end], a.word(0))?;
    int(0)
}

fn unsetenv(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let name = m.string(a.word(0))?;
    while let Some(mut slot) = find(m, &name)? {
        loop {
            let next = m.memory.load_pointer(slot + m.pointer_size())?;
            m.memory.store_pointer(slot, next)?;
            if next == 0 {
                break;
            }
            slot += m.pointer_size();
        }
    }
    int(0)
}

fn setlocale(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.word(1) != 0 {
        let name = m.string(a.word(1))?;
        if !matches!(name.as_slice(), b"" | b"C" | b"POSIX") {
            return word(0);
        }
    }
    word(m.constant("C")?)
}

/// `struct lconv`: ten strings, then characters that are all `CHAR_MAX`.
fn localeconv(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    let size = m.pointer_size();
    let (addr, new) = m.buffer("lconv", 10 * size + 16)?;
    if new {
        let (point, empty) = (m.constant(".")?, m.constant("")?);
        for i in 0..10 {
            m.memory.store_pointer(addr + i * size, if i == 0 { point } else { empty })?;
        }
        m.memory.slice_mut(addr + 10 * size, 14)?.fill(0x7f);
    }
    word(addr)
}

fn nl_langinfo(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    // CODESET is 14; RADIXCHAR 0x10000.
    word(m.constant(match a.int(0) {
        14 => "ANSI_X3.4-1968",
        0x10000 => ".",
        _ => "",
    })?)
}

fn errno_location(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    word(m.errno_address()?)
}

fn nothing(_: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    int(0)
}

/// Text that is the same with and without translation.
fn same_text(_: &mut Machine<'_>, a: &Args<'_>, which: usize) -> Ret {
    word(a.word(which))
}

fn sysconf(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    match a.int(0) {
        // _SC_CLK_TCK, _SC_OPEN_MAX, _SC_PAGESIZE, _SC_NPROCESSORS_*
        2 => int(100),
        4 => int(1024),
        30 => int(4096),
        83 | 84 => int(1),
        _ => m.fail(errno::EINVAL),
    }
}

fn gethostname(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let name = b"localhost";
    if a.word(1) <= name.len() as u64 {
        return m.fail(errno::EINVAL);
    }
    m.memory.put_c_string(a.word(0), name)?;
    int(0)
}

fn getrusage(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.slice_mut(a.word(1), 144)?.fill(0);
    int(0)
}

pub(super) const TABLE: Entries = &[
    ("getenv", getenv),
    ("secure_getenv", getenv),
    ("setenv", setenv),
    ("putenv", putenv),
    ("unsetenv", unsetenv),
    ("setlocale", setlocale),
    ("localeconv", localeconv),
    ("nl_langinfo", nl_langinfo),
    ("__errno_location", errno_location),
    ("getpid", |_, _| int(4242)),
    ("getppid", |_, _| int(4241)),
    ("getuid", |_, _| int(1000)),
    ("geteuid", |_, _| int(1000)),
    ("getgid", |_, _| int(1000)),
    ("getegid", |_, _| int(1000)),
    ("getpagesize", |_, _| int(4096)),
    ("sysconf", sysconf),
    ("gethostname", gethostname),
    ("getrusage", getrusage),
    ("getrlimit", |m, _| m.fail(errno::ENOSYS)),
    ("setrlimit", nothing),
    ("getlogin", |_, _| word(0)),
    ("getpwuid", |_, _| word(0)),
    ("getpwnam", |_, _| word(0)),
    ("dlopen", |_, _| word(0)),
    ("dlsym", |_, _| word(0)),
    ("dlclose", nothing),
    ("dlerror", |_, _| word(0)),
    ("gettext", |m, a| same_text(m, a, 0)),
    ("dgettext", |m, a| same_text(m, a, 1)),
    ("dcgettext", |m, a| same_text(m, a, 1)),
    ("bindtextdomain", |_, _| word(0)),
    ("textdomain", |_, _| word(0)),
    ("sched_yield", nothing),
    ("execv", |m, _| m.fail(errno::EACCES)),
    ("execvp", |m, _| m.fail(errno::EACCES)),
    ("waitpid", |m, _| m.fail(errno::ECHILD)),
    ("wait", |m, _| m.fail(errno::ECHILD)),
];
