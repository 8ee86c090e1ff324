//! `<string.h>` and `<strings.h>`.

use super::super::memory::Fault;
use super::{Args, Entries, Machine, Ret, Stop, int, word};

/// What glibc calls an error.
pub(super) fn error_text(error: i32) -> String {
    let known = [
        "Success",
        "Operation not permitted",
        "No such file or directory",
        "No such process",
        "Interrupted system call",
        "Input/output error",
        "No such device or address",
        "Argument list too long",
        "Exec format error",
        "Bad file descriptor",
        "No child processes",
        "Resource temporarily unavailable",
        "Cannot allocate memory",
        "Permission denied",
        "Bad address",
        "Block device required",
        "Device or resource busy",
        "File exists",
        "Invalid cross-device link",
        "No such device",
        "Not a directory",
        "Is a directory",
        "Invalid argument",
        "Too many open files in system",
        "Too many open files",
        "Inappropriate ioctl for device",
        "Text file busy",
        "File too large",
        "No space left on device",
        "Illegal seek",
        "Read-only file system",
        "Too many links",
        "Broken pipe",
        "Numerical argument out of domain",
        "Numerical result out of range",
        "Resource deadlock avoided",
        "File name too long",
        "No locks available",
        "Function not implemented",
        "Directory not empty",
        "Too many levels of symbolic links",
    ];
    match (usize::try_from(error).ok().and_then(|i| known.get(i)), error) {
        (Some(text), _) => (*text).to_string(),
        (None, 75) => "Value too large for defined data type".to_string(),
        (None, 84) => "Invalid or incomplete multibyte or wide character".to_string(),
        (None, 95) => "Operation not supported".to_string(),
        (None, 110) => "Connection timed out".to_string(),
        (None, 111) => "Connection refused".to_string(),
        (None, _) => format!("Unknown error {error}"),
    }
}

fn copy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.copy(a.word(0), a.word(1), a.word(2))?;
    word(a.word(0))
}

fn memset(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.slice_mut(a.word(0), a.word(2))?.fill(a.int(1) as u8);
    word(a.word(0))
}

fn order(a: u8, b: u8) -> i64 {
    i64::from(a) - i64::from(b)
}

fn memcmp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (x, y) = (m.memory.slice(a.word(0), a.word(2))?, m.memory.slice(a.word(1), a.word(2))?);
    int(x.iter().zip(y).find(|(p, q)| p != q).map_or(0, |(p, q)| order(*p, *q)))
}

fn memchr(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let wanted = a.int(1) as u8;
    // The search stops at the first hit, so that a generous length is no fault.
    for i in 0..a.word(2) {
        if m.memory.load::<1>(a.word(0).wrapping_add(i))? as u8 == wanted {
            return word(a.word(0) + i);
        }
    }
    word(0)
}

fn memrchr(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let bytes = m.memory.slice(a.word(0), a.word(2))?;
    let at = bytes.iter().rposition(|b| *b == a.int(1) as u8);
    word(at.map_or(0, |i| a.word(0) + i as u64))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    haystack.windows(needle.len()).position(|w| w == needle)
}

fn memmem(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let at = find(m.memory.slice(a.word(0), a.word(1))?, m.memory.slice(a.word(2), a.word(3))?);
    word(at.map_or(0, |i| a.word(0) + i as u64))
}

fn memccpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    for i in 0..a.word(3) {
        let byte = m.memory.load::<1>(a.word(1) + i)?;
        m.memory.store::<1>(a.word(0) + i, byte)?;
        if byte as u8 == a.int(2) as u8 {
            return word(a.word(0) + i + 1);
        }
    }
    word(0)
}

fn strlen(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(m.memory.string_length(a.word(0), u64::MAX)?)
}

fn strnlen(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(m.memory.string_length(a.word(0), a.word(1))?)
}

/// Compares up to `limit` bytes of two strings, each passed through `map`.
fn compare(m: &Machine<'_>, x: u64, y: u64, limit: u64, map: fn(u8) -> u8) -> Ret {
    for i in 0..limit {
        let a = map(m.memory.load::<1>(x.wrapping_add(i))? as u8);
        let b = map(m.memory.load::<1>(y.wrapping_add(i))? as u8);
        if a != b || a == 0 {
            return int(order(a, b));
        }
    }
    int(0)
}

fn same(byte: u8) -> u8 {
    byte
}

fn lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

/// Copies a string with its 0; answers its length.
fn copy_string(m: &mut Machine<'_>, to: u64, from: u64) -> Result<u64, Fault> {
    let length = m.memory.string_length(from, u64::MAX)?;
    m.memory.copy(to, from, length + 1)?;
    Ok(length)
}

fn strcpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    copy_string(m, a.word(0), a.word(1))?;
    word(a.word(0))
}

fn stpcpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(a.word(0) + copy_string(m, a.word(0), a.word(1))?)
}

fn copy_bounded(m: &mut Machine<'_>, a: &Args<'_>) -> Result<u64, Stop> {
    let (to, from, size) = (a.word(0), a.word(1), a.word(2));
    let length = m.memory.string_length(from, size)?;
    m.memory.copy(to, from, length)?;
    m.memory.slice_mut(to + length, size - length)?.fill(0);
    Ok(length)
}

fn strncpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    copy_bounded(m, a)?;
    word(a.word(0))
}

fn stpncpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(a.word(0) + copy_bounded(m, a)?)
}

fn strcat(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let length = m.memory.string_length(a.word(0), u64::MAX)?;
    copy_string(m, a.word(0) + length, a.word(1))?;
    word(a.word(0))
}

fn strncat(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let end = a.word(0) + m.memory.string_length(a.word(0), u64::MAX)?;
    let length = m.memory.string_length(a.word(1), a.word(2))?;
    m.memory.copy(end, a.word(1), length)?;
    m.memory.store::<1>(end + length, 0)?;
    word(a.word(0))
}

fn strlcpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let length = m.memory.string_length(a.word(1), u64::MAX)?;
    if let Some(room) = a.word(2).checked_sub(1) {
        m.memory.copy(a.word(0), a.word(1), length.min(room))?;
        m.memory.store::<1>(a.word(0) + length.min(room), 0)?;
    }
    word(length)
}

fn strchr(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let wanted = a.int(1) as u8;
    let mut at = a.word(0);
    loop {
        match m.memory.load::<1>(at)? as u8 {
            byte if byte == wanted => return word(at),
            0 => return word(0),
            _ => at += 1,
        }
    }
}

fn strchrnul(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    match strchr(m, a)? {
        (0, _) => word(a.word(0) + m.memory.string_length(a.word(0), u64::MAX)?),
        found => Ok(found),
    }
}

fn strrchr(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let length = m.memory.string_length(a.word(0), u64::MAX)?;
    let text = m.memory.slice(a.word(0), length + 1)?;
    let at = text.iter().rposition(|b| *b == a.int(1) as u8);
    word(at.map_or(0, |i| a.word(0) + i as u64))
}

fn strstr(m: &mut Machine<'_>, a: &Args<'_>, fold: bool) -> Ret {
    let (mut text, mut wanted) = (m.string(a.word(0))?, m.string(a.word(1))?);
    if fold {
        text.make_ascii_lowercase();
        wanted.make_ascii_lowercase();
    }
    word(find(&text, &wanted).map_or(0, |i| a.word(0) + i as u64))
}

/// How many bytes at the start are in the set, or are not.
fn span(m: &Machine<'_>, text: u64, set: &[u8], inside: bool) -> Result<u64, Stop> {
    let mut members = [false; 256];
    for b in set {
        members[usize::from(*b)] = true;
    }
    let mut length = 0;
    loop {
        let byte = m.memory.load::<1>(text + length)? as u8;
        if byte == 0 || members[usize::from(byte)] != inside {
            return Ok(length);
        }
        length += 1;
    }
}

fn strspn(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(span(m, a.word(0), &m.string(a.word(1))?, true)?)
}

fn strcspn(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(span(m, a.word(0), &m.string(a.word(1))?, false)?)
}

fn strpbrk(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let at = a.word(0) + span(m, a.word(0), &m.string(a.word(1))?, false)?;
    word(if m.memory.load::<1>(at)? == 0 { 0 } else { at })
}

/// The next token from `start` on, and where to go on.
fn token(m: &mut Machine<'_>, start: u64, delimiters: u64) -> Result<(u64, u64), Stop> {
    if start == 0 {
        return Ok((0, 0));
    }
    let set = m.string(delimiters)?;
    let first = start + span(m, start, &set, true)?;
    if m.memory.load::<1>(first)? == 0 {
        return Ok((0, first));
    }
    let end = first + span(m, first, &set, false)?;
    if m.memory.load::<1>(end)? == 0 {
        return Ok((first, end));
    }
    m.memory.store::<1>(end, 0)?;
    Ok((first, end + 1))
}

fn strtok(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let start = if a.word(0) == 0 { m.libc.token } else { a.word(0) };
    let (first, next) = token(m, start, a.word(1))?;
    m.libc.token = next;
    word(first)
}

fn strtok_r(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let start = if a.word(0) == 0 { m.memory.load_pointer(a.word(2))? } else { a.word(0) };
    let (first, next) = token(m, start, a.word(1))?;
    m.memory.store_pointer(a.word(2), next)?;
    word(first)
}

fn strsep(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let start = m.memory.load_pointer(a.word(0))?;
    if start == 0 {
        return word(0);
    }
    let end = start + span(m, start, &m.string(a.word(1))?, false)?;
    if m.memory.load::<1>(end)? == 0 {
        m.memory.store_pointer(a.word(0), 0)?;
    } else {
        m.memory.store::<1>(end, 0)?;
        m.memory.store_pointer(a.word(0), end + 1)?;
    }
    word(start)
}

fn strdup(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let text = m.string(a.word(0))?;
    word(m.new_string(&text)?)
}

fn strndup(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let length = m.memory.string_length(a.word(0), a.word(1))?;
    let text = m.memory.slice(a.word(0), length)?.to_vec();
    word(m.new_string(&text)?)
}

fn strerror(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(m.constant(&error_text(a.int(0)))?)
}

/// GNU's `strerror_r` answers the text; POSIX's, whether it could be stored.
fn strerror_r(m: &mut Machine<'_>, a: &Args<'_>, posix: bool) -> Ret {
    let mut text = error_text(a.int(0)).into_bytes();
    text.truncate((a.word(2) as usize).saturating_sub(1));
    m.memory.put_c_string(a.word(1), &text)?;
    word(if posix { 0 } else { a.word(1) })
}

fn strsignal(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let known = [
        "",
        "Hangup",
        "Interrupt",
        "Quit",
        "Illegal instruction",
        "Trace/breakpoint trap",
        "Aborted",
        "Bus error",
        "Floating point exception",
        "Killed",
        "User defined signal 1",
        "Segmentation fault",
        "User defined signal 2",
        "Broken pipe",
        "Alarm clock",
        "Terminated",
    ];
    let text = match usize::try_from(a.int(0)).ok().and_then(|i| known.get(i)) {
        Some(text) if !text.is_empty() => (*text).to_string(),
        _ => format!("Unknown signal {}", a.int(0)),
    };
    word(m.constant(&text)?)
}

fn strxfrm(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let text = m.string(a.word(1))?;
    if let Some(room) = (a.word(2) as usize).checked_sub(1) {
        m.memory.put_c_string(a.word(0), &text[..text.len().min(room)])?;
    }
    word(text.len() as u64)
}

fn bzero(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.slice_mut(a.word(0), a.word(1))?.fill(0);
    word(0)
}

fn bcopy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.copy(a.word(1), a.word(0), a.word(2))?;
    word(0)
}

fn mempcpy(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.copy(a.word(0), a.word(1), a.word(2))?;
    word(a.word(0) + a.word(2))
}

fn swab(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut bytes = m.memory.slice(a.word(0), a.word(2) & !1)?.to_vec();
    bytes.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    m.put(a.word(1), &bytes)?;
    word(0)
}

fn basename(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let text = m.string(a.word(0))?;
    word(a.word(0) + text.iter().rposition(|b| *b == b'/').map_or(0, |i| i as u64 + 1))
}

fn strverscmp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let split = |t: &[u8]| -> Vec<(Vec<u8>, u128)> {
        let mut parts = Vec::new();
        let mut rest = t;
        while !rest.is_empty() {
            let text = rest.iter().take_while(|b| !b.is_ascii_digit()).count();
            let digits = rest[text..].iter().take_while(|b| b.is_ascii_digit()).count();
            let number = std::str::from_utf8(&rest[text..text + digits]).ok().and_then(|d| d.parse().ok()).unwrap_or(0);
            parts.push((rest[..text].to_vec(), number));
            rest = &rest[text + digits..];
        }
        parts
    };
    let (x, y) = (m.string(a.word(0))?, m.string(a.word(1))?);
    int(split(&x).cmp(&split(&y)) as i64)
}

pub(super) const TABLE: Entries = &[
    ("memcpy", copy),
    ("memmove", copy),
    ("__memcpy_chk", copy),
    ("__memmove_chk", copy),
    ("mempcpy", mempcpy),
    ("__mempcpy_chk", mempcpy),
    ("memset", memset),
    ("__memset_chk", memset),
    ("explicit_bzero", bzero),
    ("memcmp", memcmp),
    ("bcmp", memcmp),
    ("memchr", memchr),
    ("rawmemchr", |m, a| {
        let mut at = a.word(0);
        while m.memory.load::<1>(at)? as u8 != a.int(1) as u8 {
            at += 1;
        }
        word(at)
    }),
    ("memrchr", memrchr),
    ("memmem", memmem),
    ("memccpy", memccpy),
    ("strlen", strlen),
    ("strnlen", strnlen),
    ("strcmp", |m, a| compare(m, a.word(0), a.word(1), u64::MAX, same)),
    ("strcoll", |m, a| compare(m, a.word(0), a.word(1), u64::MAX, same)),
    ("strncmp", |m, a| compare(m, a.word(0), a.word(1), a.word(2), same)),
    ("strcasecmp", |m, a| compare(m, a.word(0), a.word(1), u64::MAX, lower)),
    ("strncasecmp", |m, a| compare(m, a.word(0), a.word(1), a.word(2), lower)),
    ("strverscmp", strverscmp),
    ("strcpy", strcpy),
    ("__strcpy_chk", strcpy),
    ("stpcpy", stpcpy),
    ("__stpcpy_chk", stpcpy),
    ("strncpy", strncpy),
    ("__strncpy_chk", strncpy),
    ("stpncpy", stpncpy),
    ("strcat", strcat),
    ("__strcat_chk", strcat),
    ("strncat", strncat),
    ("__strncat_chk", strncat),
    ("strlcpy", strlcpy),
    ("strchr", strchr),
    ("index", strchr),
    ("strchrnul", strchrnul),
    ("strrchr", strrchr),
    ("rindex", strrchr),
    ("strstr", |m, a| strstr(m, a, false)),
    ("strcasestr", |m, a| strstr(m, a, true)),
    ("strspn", strspn),
    ("strcspn", strcspn),
    ("strpbrk", strpbrk),
    ("strtok", strtok),
    ("strtok_r", strtok_r),
    ("__strtok_r", strtok_r),
    ("strsep", strsep),
    ("__strsep", strsep),
    ("strdup", strdup),
    ("__strdup", strdup),
    ("strndup", strndup),
    ("__strndup", strndup),
    ("strerror", strerror),
    ("strerror_r", |m, a| strerror_r(m, a, false)),
    ("__xpg_strerror_r", |m, a| strerror_r(m, a, true)),
    ("strsignal", strsignal),
    ("strxfrm", strxfrm),
    ("bzero", bzero),
    ("bcopy", bcopy),
    ("swab", swab),
    ("basename", basename),
    ("__xpg_basename", basename),
];
