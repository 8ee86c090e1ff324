//! `<setjmp.h>`: the first word of a `jmp_buf` is the number of a record of where to return to.

use super::{Args, Entries, Machine, Ret, Stop, int};

fn setjmp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let id = m.record_jump();
    m.memory.store_pointer(a.word(0), id)?;
    int(0)
}

fn longjmp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let id = m.memory.load_pointer(a.word(0))?;
    if !m.can_jump(id) {
        return Err(Stop::Trap("longjmp to a function that has returned".into()));
    }
    let value = if a.int(1) == 0 { 1 } else { a.int(1) };
    Err(Stop::Jump { id, value: i64::from(value) as u64 })
}

pub(super) const TABLE: Entries = &[
    ("setjmp", setjmp),
    ("_setjmp", setjmp),
    ("__setjmp", setjmp),
    ("sigsetjmp", setjmp),
    ("__sigsetjmp", setjmp),
    ("__builtin_setjmp", setjmp),
    ("longjmp", longjmp),
    ("_longjmp", longjmp),
    ("siglongjmp", longjmp),
    ("__longjmp_chk", longjmp),
    ("__builtin_longjmp", longjmp),
];
