//! `<stdlib.h>` without conversions, random numbers, searching: memory, ends, integer arithmetic; assertions and signals too.

use super::{Args, Entries, Hook, Machine, Ret, Stop, errno, int, word};

fn malloc(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(m.malloc(a.word(0), 16)?)
}

fn calloc(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let Some(size) = a.word(0).checked_mul(a.word(1)) else { return m.fail_null(errno::ENOMEM) };
    let addr = m.malloc(size, 16)?;
    if addr != 0 {
        m.memory.slice_mut(addr, size)?.fill(0);
    }
    word(addr)
}

fn release(m: &mut Machine<'_>, addr: u64) -> Result<(), Stop> {
    if addr == 0 {
        return Ok(());
    }
    m.memory.release(addr).map_err(|_| Stop::Trap(format!("free of {addr:#x}, which is no block of the heap")))
}

/// `realloc`
pub(super) fn reallocate(m: &mut Machine<'_>, addr: u64, size: u64) -> Result<u64, Stop> {
    if addr == 0 {
        return m.malloc(size, 16);
    }
    let Some(old) = m.memory.block_size(addr) else {
        return Err(Stop::Trap(format!("realloc of {addr:#x}, which is no block of the heap")));
    };
    if size == 0 {
        release(m, addr)?;
        return Ok(0);
    }
    if m.memory.resize(addr, size) {
        return Ok(addr);
    }
    let new = m.malloc(size, 16)?;
    if new != 0 {
        m.memory.copy(new, addr, old.min(size))?;
        release(m, addr)?;
    }
    Ok(new)
}

fn reallocarray(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let Some(size) = a.word(1).checked_mul(a.word(2)) else { return m.fail_null(errno::ENOMEM) };
    word(reallocate(m, a.word(0), size)?)
}

fn aligned(m: &mut Machine<'_>, align: u64, size: u64) -> Ret {
    if !align.is_power_of_two() {
        return m.fail_null(errno::EINVAL);
    }
    word(m.malloc(size, align.max(16))?)
}

fn posix_memalign(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let align = a.word(1);
    if !align.is_power_of_two() || !align.is_multiple_of(m.pointer_size()) {
        return int(i64::from(errno::EINVAL));
    }
    let addr = m.malloc(a.word(2), align.max(16))?;
    if addr == 0 {
        return int(i64::from(errno::ENOMEM));
    }
    m.memory.store_pointer(a.word(0), addr)?;
    int(0)
}

fn usable_size(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(m.memory.block_size(a.word(0)).unwrap_or(0))
}

fn exit(_: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    Err(Stop::Exit(a.int(0)))
}

/// Ends at once: no hooks, no flush.
fn exit_now(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.libc.hooks.clear();
    m.libc.files.streams.clear();
    m.libc.is_ended = true;
    Err(Stop::Exit(a.int(0)))
}

fn abort(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    raise(m, 6)?;
    Err(Stop::Signal(6))
}

fn atexit(m: &mut Machine<'_>, hook: Hook) -> Ret {
    m.libc.hooks.push(hook);
    int(0)
}

fn assert_fail(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut text = m.program_name()?;
    let (condition, file) = (m.string(a.word(0))?, m.string(a.word(1))?);
    let function = if a.word(3) == 0 { Vec::new() } else { m.string(a.word(3))? };
    text.extend(b": ");
    text.extend(file);
    text.extend(format!(":{}: ", a.int(2) as u32).bytes());
    if !function.is_empty() {
        text.extend(function);
        text.extend(b": ");
    }
    text.extend(b"Assertion `");
    text.extend(condition);
    text.extend(b"' failed.\n");
    let file = m.standard("stderr")?;
    m.emit(file, &text)?;
    raise(m, 6)?;
    Err(Stop::Signal(6))
}

/// The handler of a signal becomes `handler`; answers the one before.
fn set_handler(m: &mut Machine<'_>, signal: i32, handler: u64) -> u64 {
    m.libc.handlers.insert(signal, handler).unwrap_or(0)
}

fn signal(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if !(1..=64).contains(&a.int(0)) {
        return m.fail(errno::EINVAL);
    }
    word(set_handler(m, a.int(0), a.word(1)))
}

/// A handler is the first member of `struct sigaction`.
fn sigaction(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let old = m.libc.handlers.get(&a.int(0)).copied().unwrap_or(0);
    if a.word(1) != 0 {
        let handler = m.memory.load_pointer(a.word(1))?;
        set_handler(m, a.int(0), handler);
    }
    if a.word(2) != 0 {
        m.memory.store_pointer(a.word(2), old)?;
    }
    int(0)
}

/// Delivers a signal.
fn raise(m: &mut Machine<'_>, signal: i32) -> Ret {
    match m.libc.handlers.get(&signal).copied().unwrap_or(0) {
        // These are ignored unless someone handles them.
        0 if matches!(signal, 0 | 17 | 18 | 23 | 28) => int(0),
        0 => Err(Stop::Signal(signal)),
        1 => int(0),
        handler => {
            let class = m.int_class();
            m.call_back(handler, &[(class, i64::from(signal) as u64)])?;
            int(0)
        }
    }
}

/// The image of a `div_t` and its relatives: quotient, then remainder.
fn divide(m: &mut Machine<'_>, a: &Args<'_>, size: u64) -> Ret {
    let (x, y) = (a.long(0), a.long(1));
    let (Some(q), Some(r)) = (x.checked_div(y), x.checked_rem(y)) else {
        return Err(Stop::Trap("division by zero".into()));
    };
    let mut image = [0; 2];
    let scalar = super::Scalar::Int(super::Shape { bits: size as u8 * 8, signed: true });
    for (i, value) in [(0, q), (1, r)] {
        let raw = scalar.encode(value as u64, 0, m.memory.big_endian);
        super::super::value::image_write(&mut image, i * size, size, raw);
    }
    Ok((image[0], image[1]))
}

fn nothing(_: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    int(0)
}

pub(super) const TABLE: Entries = &[
    ("malloc", malloc),
    ("calloc", calloc),
    ("realloc", |m, a| word(reallocate(m, a.word(0), a.word(1))?)),
    ("reallocarray", reallocarray),
    ("free", |m, a| release(m, a.word(0)).and_then(|()| int(0))),
    ("cfree", |m, a| release(m, a.word(0)).and_then(|()| int(0))),
    ("aligned_alloc", |m, a| aligned(m, a.word(0), a.word(1))),
    ("memalign", |m, a| aligned(m, a.word(0), a.word(1))),
    ("valloc", |m, a| aligned(m, 4096, a.word(0))),
    ("posix_memalign", posix_memalign),
    ("malloc_usable_size", usable_size),
    ("malloc_trim", nothing),
    ("alloca", |m, a| word(m.stack_allocate(a.word(0), 16)?)),
    ("exit", exit),
    ("_exit", exit_now),
    ("_Exit", exit_now),
    ("quick_exit", exit_now),
    ("abort", abort),
    ("atexit", |m, a| atexit(m, Hook::Plain(a.word(0)))),
    ("on_exit", |m, a| atexit(m, Hook::Status(a.word(0), a.word(1)))),
    ("__cxa_atexit", |m, a| atexit(m, Hook::Argument(a.word(0), a.word(1)))),
    ("at_quick_exit", nothing),
    ("__assert_fail", assert_fail),
    ("__assert", assert_fail),
    ("__stack_chk_fail", abort),
    ("__chk_fail", abort),
    ("trap", |_, _| Err(Stop::Signal(4))),
    ("unreachable", |_, _| Err(Stop::Trap("reached a place that is never reached".into()))),
    ("signal", signal),
    ("bsd_signal", signal),
    ("__sysv_signal", signal),
    ("sigset", signal),
    ("sigaction", sigaction),
    ("raise", |m, a| raise(m, a.int(0))),
    ("kill", |m, a| raise(m, a.int(1))),
    ("sigemptyset", nothing),
    ("sigfillset", nothing),
    ("sigaddset", nothing),
    ("sigdelset", nothing),
    ("sigprocmask", nothing),
    ("pthread_sigmask", nothing),
    ("siginterrupt", nothing),
    ("alarm", nothing),
    ("system", |m, a| if a.word(0) == 0 { int(0) } else { m.fail(errno::ENOSYS) }),
    ("fork", |m, _| m.fail(errno::ENOSYS)),
    ("abs", |_, a| int(i64::from(a.int(0).wrapping_abs()))),
    ("labs", |_, a| int(a.long(0).wrapping_abs())),
    ("llabs", |_, a| int(a.long(0).wrapping_abs())),
    ("imaxabs", |_, a| int(a.long(0).wrapping_abs())),
    ("div", |m, a| divide(m, a, m.int_size())),
    ("ldiv", |m, a| divide(m, a, m.long_size())),
    ("lldiv", |m, a| divide(m, a, 8)),
    ("imaxdiv", |m, a| divide(m, a, 8)),
    ("ffs", |_, a| int(i64::from(if a.int(0) == 0 { 0 } else { a.int(0).trailing_zeros() + 1 }))),
    ("ffsl", |_, a| int(i64::from(if a.long(0) == 0 { 0 } else { a.long(0).trailing_zeros() + 1 }))),
    ("ffsll", |_, a| int(i64::from(if a.long(0) == 0 { 0 } else { a.long(0).trailing_zeros() + 1 }))),
    ("expect", |_, a| word(a.word(0))),
    ("expect_with_probability", |_, a| word(a.word(0))),
    ("assume_aligned", |_, a| word(a.word(0))),
    ("constant_p", nothing),
    ("object_size", |_, a| word(if a.int(1) & 2 == 0 { u64::MAX } else { 0 })),
    ("dynamic_object_size", |_, a| word(if a.int(1) & 2 == 0 { u64::MAX } else { 0 })),
    ("prefetch", nothing),
    ("__clear_cache", nothing),
    ("pthread_mutex_init", nothing),
    ("pthread_mutex_destroy", nothing),
    ("pthread_mutex_lock", nothing),
    ("pthread_mutex_trylock", nothing),
    ("pthread_mutex_unlock", nothing),
    ("pthread_mutexattr_init", nothing),
    ("pthread_mutexattr_settype", nothing),
    ("pthread_mutexattr_destroy", nothing),
    ("pthread_self", |_, _| word(1)),
    ("pthread_equal", |_, a| word(u64::from(a.word(0) == a.word(1)))),
];
