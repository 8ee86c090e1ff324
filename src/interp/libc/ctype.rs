//! `<ctype.h>` in the "C" locale, as functions and as the tables behind glibc's macros.

use super::{Args, Entries, Machine, Ret, Stop, int, word};

fn test(a: &Args<'_>, is: fn(u8) -> bool) -> Ret {
    int(i64::from(u8::try_from(a.int(0)).is_ok_and(is)))
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t'..=b'\r')
}

fn is_print(b: u8) -> bool {
    matches!(b, b' '..=b'~')
}

fn lower(c: i64) -> i64 {
    if (65..=90).contains(&c) { c + 32 } else { c }
}

fn upper(c: i64) -> i64 {
    if (97..=122).contains(&c) { c - 32 } else { c }
}

/// What glibc's table says of a character: bit `n` is property `n`, in the order of `_ISupper` and so on.
fn properties(b: u8) -> u16 {
    let all: [fn(u8) -> bool; 12] = [
        |b| b.is_ascii_uppercase(),
        |b| b.is_ascii_lowercase(),
        |b| b.is_ascii_alphabetic(),
        |b| b.is_ascii_digit(),
        |b| b.is_ascii_hexdigit(),
        is_space,
        is_print,
        |b| b.is_ascii_graphic(),
        |b| matches!(b, b' ' | b'\t'),
        |b| b.is_ascii_control(),
        |b| b.is_ascii_punctuation(),
        |b| b.is_ascii_alphanumeric(),
    ];
    all.iter().enumerate().map(|(n, is)| u16::from(is(b)) << n).sum()
}

/// The address of a pointer to entry 0 of a table whose entries go from -128 to 255.
fn table(
    m: &mut Machine<'_>,
    name: &'static str,
    holder: &'static str,
    size: u64,
    entry: impl Fn(i64) -> u64,
) -> Result<u64, Stop> {
    let (addr, new) = m.buffer(name, 384 * size)?;
    let (pointer, _) = m.buffer(holder, 16)?;
    if new {
        for c in -128..256 {
            m.memory.store_uint(addr + (c + 128) as u64 * size, size, entry(c))?;
        }
        m.memory.store_pointer(pointer, addr + 128 * size)?;
    }
    Ok(pointer)
}

fn ctype_b_loc(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    let big = m.memory.big_endian;
    word(table(m, "ctype_b", "ctype_b_loc", 2, |c| {
        // The properties 0 to 7 are in the second byte in memory.
        let bits = u8::try_from(c).map_or(0, properties);
        u64::from(if big { bits } else { bits.swap_bytes() })
    })?)
}

fn ctype_tolower_loc(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    word(table(m, "ctype_lower", "ctype_lower_loc", 4, |c| lower(c) as u64)?)
}

fn ctype_toupper_loc(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    word(table(m, "ctype_upper", "ctype_upper_loc", 4, |c| upper(c) as u64)?)
}

pub(super) const TABLE: Entries = &[
    ("isalpha", |_, a| test(a, |b| b.is_ascii_alphabetic())),
    ("isdigit", |_, a| test(a, |b| b.is_ascii_digit())),
    ("isalnum", |_, a| test(a, |b| b.is_ascii_alphanumeric())),
    ("isspace", |_, a| test(a, is_space)),
    ("isupper", |_, a| test(a, |b| b.is_ascii_uppercase())),
    ("islower", |_, a| test(a, |b| b.is_ascii_lowercase())),
    ("ispunct", |_, a| test(a, |b| b.is_ascii_punctuation())),
    ("isprint", |_, a| test(a, is_print)),
    ("isgraph", |_, a| test(a, |b| b.is_ascii_graphic())),
    ("iscntrl", |_, a| test(a, |b| b.is_ascii_control())),
    ("isxdigit", |_, a| test(a, |b| b.is_ascii_hexdigit())),
    ("isblank", |_, a| test(a, |b| matches!(b, b' ' | b'\t'))),
    ("isascii", |_, a| int(i64::from((0..128).contains(&a.int(0))))),
    ("toascii", |_, a| int(i64::from(a.int(0) & 0x7f))),
    ("tolower", |_, a| int(lower(i64::from(a.int(0))))),
    ("toupper", |_, a| int(upper(i64::from(a.int(0))))),
    ("_tolower", |_, a| int(lower(i64::from(a.int(0))))),
    ("_toupper", |_, a| int(upper(i64::from(a.int(0))))),
    ("__ctype_b_loc", ctype_b_loc),
    ("__ctype_tolower_loc", ctype_tolower_loc),
    ("__ctype_toupper_loc", ctype_toupper_loc),
    ("__ctype_get_mb_cur_max", |_, _| word(1)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_glibcs() {
        // Read from glibc's own table on x86-64.
        assert_eq!(properties(b'A').swap_bytes(), 0xd508);
        assert_eq!(properties(b'g').swap_bytes(), 0xc608);
        assert_eq!(properties(b'7').swap_bytes(), 0xd808);
        assert_eq!(properties(b' ').swap_bytes(), 0x6001);
        assert_eq!(properties(b'\n').swap_bytes(), 0x2002);
        assert_eq!(properties(b'!').swap_bytes(), 0xc004);
    }
}
