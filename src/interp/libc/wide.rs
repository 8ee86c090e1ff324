//! Wide characters in the "C" locale, where every byte below 128 is itself and others have no meaning.

use super::{Args, Entries, Machine, Ret, Stop, errno, int, word};

fn size(m: &Machine<'_>) -> u64 {
    let model = &m.program.types.model;
    model.int_size(model.wchar_type)
}

fn unit(m: &Machine<'_>, addr: u64, i: u64) -> Result<u64, Stop> {
    let size = size(m);
    Ok(m.memory.load_uint(addr.wrapping_add(i.wrapping_mul(size)), size)?)
}

fn put_unit(m: &mut Machine<'_>, addr: u64, i: u64, value: u64) -> Result<(), Stop> {
    let size = size(m);
    Ok(m.memory.store_uint(addr.wrapping_add(i.wrapping_mul(size)), size, value)?)
}

fn length(m: &Machine<'_>, addr: u64, limit: u64) -> Result<u64, Stop> {
    let mut n = 0;
    while n < limit && unit(m, addr, n)? != 0 {
        n += 1;
    }
    Ok(n)
}

fn compare(m: &Machine<'_>, a: &Args<'_>, limit: u64, to_zero: bool) -> Ret {
    for i in 0..limit {
        let (x, y) = (unit(m, a.word(0), i)? as i32, unit(m, a.word(1), i)? as i32);
        if x != y {
            return int(if x < y { -1 } else { 1 });
        }
        if x == 0 && to_zero {
            break;
        }
    }
    int(0)
}

fn copy(m: &mut Machine<'_>, a: &Args<'_>, at: u64, limit: u64) -> Ret {
    let count = length(m, a.word(1), limit)?;
    let size = size(m);
    m.memory.copy(a.word(0) + at * size, a.word(1), count * size)?;
    put_unit(m, a.word(0), at + count, 0)?;
    word(a.word(0))
}

fn wcsncpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let count = length(m, a.word(1), a.word(2))?;
    for i in 0..a.word(2) {
        let value = if i < count { unit(m, a.word(1), i)? } else { 0 };
        put_unit(m, a.word(0), i, value)?;
    }
    word(a.word(0))
}

fn find(m: &Machine<'_>, a: &Args<'_>, limit: u64, to_zero: bool) -> Ret {
    let wanted = u64::from(a.int(1) as u32);
    for i in 0..limit {
        let value = unit(m, a.word(0), i)?;
        if value == wanted {
            return word(a.word(0) + i * size(m));
        }
        if value == 0 && to_zero {
            break;
        }
    }
    word(0)
}

fn wcsrchr(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let wanted = u64::from(a.int(1) as u32);
    for i in (0..=length(m, a.word(0), u64::MAX)?).rev() {
        if unit(m, a.word(0), i)? == wanted {
            return word(a.word(0) + i * size(m));
        }
    }
    word(0)
}

fn fill(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    for i in 0..a.word(2) {
        put_unit(m, a.word(0), i, u64::from(a.int(1) as u32))?;
    }
    word(a.word(0))
}

fn move_units(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let bytes = a.word(2).saturating_mul(size(m));
    m.memory.copy(a.word(0), a.word(1), bytes)?;
    word(a.word(0))
}

/// `mbtowc` and `mbrtowc`: one byte to one unit.
fn to_wide(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.word(1) == 0 {
        return int(0);
    }
    if a.word(2) == 0 {
        return int(-1);
    }
    let byte = m.memory.load::<1>(a.word(1))?;
    if byte >= 0x80 {
        return m.fail(errno::EILSEQ);
    }
    if a.word(0) != 0 {
        put_unit(m, a.word(0), 0, byte)?;
    }
    word(u64::from(byte != 0))
}

fn to_narrow(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.word(0) == 0 {
        return int(0);
    }
    match u8::try_from(a.int(1)) {
        Ok(byte) if byte < 0x80 => {
            m.put(a.word(0), &[byte])?;
            int(1)
        }
        _ => m.fail(errno::EILSEQ),
    }
}

fn mbstowcs(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let text = m.string(a.word(1))?;
    if text.iter().any(|b| *b >= 0x80) {
        return m.fail(errno::EILSEQ);
    }
    if a.word(0) != 0 {
        for (i, byte) in text.iter().chain(&[0]).take(a.word(2) as usize).enumerate() {
            put_unit(m, a.word(0), i as u64, u64::from(*byte))?;
        }
        return word((text.len() as u64).min(a.word(2)));
    }
    word(text.len() as u64)
}

fn wcstombs(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let count = length(m, a.word(1), u64::MAX)?;
    let mut text = Vec::new();
    for i in 0..count {
        match u8::try_from(unit(m, a.word(1), i)?) {
            Ok(byte) if byte < 0x80 => text.push(byte),
            _ => return m.fail(errno::EILSEQ),
        }
    }
    if a.word(0) != 0 {
        text.push(0);
        text.truncate(a.word(2) as usize);
        m.put(a.word(0), &text)?;
        return word(count.min(a.word(2)));
    }
    word(count)
}

fn mblen(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.word(0) == 0 {
        return int(0);
    }
    let byte = m.memory.load::<1>(a.word(0))?;
    if byte >= 0x80 { m.fail(errno::EILSEQ) } else { word(u64::from(byte != 0)) }
}

fn same_if_ascii(_: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    int(i64::from(if (0..128).contains(&a.int(0)) { a.int(0) } else { -1 }))
}

fn test(a: &Args<'_>, is: fn(u8) -> bool) -> Ret {
    int(i64::from(u8::try_from(a.int(0)).is_ok_and(|b| b < 0x80 && is(b))))
}

fn put_wide(m: &mut Machine<'_>, c: i32, file: u64) -> Ret {
    match u8::try_from(c) {
        Ok(byte) if byte < 0x80 => {
            m.emit(file, &[byte])?;
            int(i64::from(c))
        }
        _ => m.fail(errno::EILSEQ),
    }
}

fn fputws(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    for i in 0..length(m, a.word(0), u64::MAX)? {
        let c = unit(m, a.word(0), i)? as i32;
        put_wide(m, c, a.word(1))?;
    }
    int(1)
}

fn wcsdup(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let bytes = (length(m, a.word(0), u64::MAX)? + 1) * size(m);
    let addr = m.malloc(bytes, 16)?;
    if addr != 0 {
        m.memory.copy(addr, a.word(0), bytes)?;
    }
    word(addr)
}

pub(super) const TABLE: Entries = &[
    ("wcslen", |m, a| word(length(m, a.word(0), u64::MAX)?)),
    ("wcsnlen", |m, a| word(length(m, a.word(0), a.word(1))?)),
    ("wcscmp", |m, a| compare(m, a, u64::MAX, true)),
    ("wcscoll", |m, a| compare(m, a, u64::MAX, true)),
    ("wcsncmp", |m, a| compare(m, a, a.word(2), true)),
    ("wmemcmp", |m, a| compare(m, a, a.word(2), false)),
    ("wcscpy", |m, a| copy(m, a, 0, u64::MAX)),
    ("wcscat", |m, a| {
        let at = length(m, a.word(0), u64::MAX)?;
        copy(m, a, at, u64::MAX)
    }),
    ("wcsncat", |m, a| {
        let at = length(m, a.word(0), u64::MAX)?;
        copy(m, a, at, a.word(2))
    }),
    ("wcsncpy", wcsncpy),
    ("wcschr", |m, a| find(m, a, u64::MAX, true)),
    ("wmemchr", |m, a| find(m, a, a.word(2), false)),
    ("wcsrchr", wcsrchr),
    ("wcsdup", wcsdup),
    ("wmemset", fill),
    ("wmemcpy", move_units),
    ("wmemmove", move_units),
    ("mbtowc", to_wide),
    ("mbrtowc", to_wide),
    ("wctomb", to_narrow),
    ("wcrtomb", to_narrow),
    ("mbstowcs", mbstowcs),
    ("wcstombs", wcstombs),
    ("mblen", mblen),
    ("mbrlen", mblen),
    ("mbsinit", |_, _| int(1)),
    ("btowc", same_if_ascii),
    ("wctob", same_if_ascii),
    ("putwchar", |m, a| {
        let file = m.standard("stdout")?;
        put_wide(m, a.int(0), file)
    }),
    ("fputwc", |m, a| put_wide(m, a.int(0), a.word(1))),
    ("putwc", |m, a| put_wide(m, a.int(0), a.word(1))),
    ("fputws", fputws),
    ("iswalpha", |_, a| test(a, |b| b.is_ascii_alphabetic())),
    ("iswdigit", |_, a| test(a, |b| b.is_ascii_digit())),
    ("iswalnum", |_, a| test(a, |b| b.is_ascii_alphanumeric())),
    ("iswspace", |_, a| test(a, |b| matches!(b, b' ' | b'\t'..=b'\r'))),
    ("iswupper", |_, a| test(a, |b| b.is_ascii_uppercase())),
    ("iswlower", |_, a| test(a, |b| b.is_ascii_lowercase())),
    ("iswpunct", |_, a| test(a, |b| b.is_ascii_punctuation())),
    ("iswprint", |_, a| test(a, |b| matches!(b, b' '..=b'~'))),
    ("towlower", |_, a| int(i64::from(u8::try_from(a.int(0)).map_or(a.int(0), |b| i32::from(b.to_ascii_lowercase()))))),
    ("towupper", |_, a| int(i64::from(u8::try_from(a.int(0)).map_or(a.int(0), |b| i32::from(b.to_ascii_uppercase()))))),
];
