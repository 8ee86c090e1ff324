//! The `printf` family.

use super::super::value::{Format, Shape};
use super::digits::{self, Kind, Number};
use super::{Args, Entries, Machine, Ret, Stop, Variable, errno, int};
use crate::ir::FloatKind;

/// Flags, width, precision of a conversion.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "printf has these flags")]
pub(super) struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The size of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    LongDouble,
    Max,
    Size,
    Difference,
}

/// The output would be longer than an `int` counts.
const TOO_LONG: usize = i32::MAX as usize;
/// No field is wider, since it is made in memory.
const WIDEST: usize = 1 << 26;

/// Where the parser stands.
struct Parser<'f> {
    format: &'f [u8],
    at: usize,
    next_arg: usize,
}

impl Parser<'_> {
    fn peek(&self) -> u8 {
        self.format.get(self.at).copied().unwrap_or(0)
    }
    fn accept(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte && byte != 0;
        self.at += usize::from(there);
        there
    }
    /// A decimal number; `None` if there is none.
    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut value = 0usize;
        while self.peek().is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add(usize::from(self.peek() - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }
    /// `N$`, an argument's number from 1.
    fn position(&mut self) -> Option<usize> {
        let start = self.at;
        if let Some(n) = self.number()
            && n > 0
            && self.accept(b'$')
        {
            return Some(n - 1);
        }
        self.at = start;
        None
    }
    /// The index of the argument after a `*` or of a conversion.
    fn argument(&mut self, position: Option<usize>) -> usize {
        position.unwrap_or_else(|| {
            self.next_arg += 1;
            self.next_arg - 1
        })
    }
    fn length(&mut self) -> Length {
        match self.peek() {
            b'h' => {
                self.at += 1;
                if self.accept(b'h') { Length::Char } else { Length::Short }
            }
            b'l' => {
                self.at += 1;
                if self.accept(b'l') { Length::LongLong } else { Length::Long }
            }
            b'q' => {
                self.at += 1;
                Length::LongLong
            }
            b'L' => {
                self.at += 1;
                Length::LongDouble
            }
            b'j' => {
                self.at += 1;
                Length::Max
            }
            b'z' | b'Z' => {
                self.at += 1;
                Length::Size
            }
            b't' => {
                self.at += 1;
                Length::Difference
            }
            _ => Length::Int,
        }
    }
}

/// `body` in a field: spaces outside, or zeros between the prefix and it.
pub(super) fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &[u8], body: &[u8], zeros: bool) {
    let fill = spec.width.saturating_sub(prefix.len() + body.len());
    if !spec.left && !zeros {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(prefix);
    if !spec.left && zeros {
        out.extend(std::iter::repeat_n(b'0', fill));
    }
    out.extend_from_slice(body);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static [u8] {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => b"-",
        (false, true, _) => b"+",
        (false, false, true) => b" ",
        (false, false, false) => b"",
    }
}

/// An integer: its magnitude, and whether it is negative (`d` and `i` only).
fn put_integer(out: &mut Vec<u8>, spec: &Spec, conversion: u8, magnitude: u64, negative: bool) {
    let mut digits = match conversion {
        b'o' => format!("{magnitude:o}"),
        b'x' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        b'b' | b'B' => format!("{magnitude:b}"),
        _ => format!("{magnitude}"),
    }
    .into_bytes();
    if magnitude == 0 && spec.precision == Some(0) {
        digits.clear();
    }
    let wanted = spec.precision.unwrap_or(1);
    if digits.len() < wanted {
        let mut padded = vec![b'0'; wanted - digits.len()];
        padded.append(&mut digits);
        digits = padded;
    }
    let prefix: &[u8] = match conversion {
        b'd' | b'i' => sign(spec, negative),
        b'x' if spec.alternate && magnitude != 0 => b"0x",
        b'X' if spec.alternate && magnitude != 0 => b"0X",
        b'b' if spec.alternate && magnitude != 0 => b"0b",
        b'B' if spec.alternate && magnitude != 0 => b"0B",
        _ => b"",
    };
    if conversion == b'o' && spec.alternate && digits.first() != Some(&b'0') {
        digits.insert(0, b'0');
    }
    pad(out, spec, prefix, &digits, spec.zero && spec.precision.is_none());
}

/// A floating number.
fn put_float(out: &mut Vec<u8>, spec: &Spec, conversion: u8, number: Number) {
    let lower = conversion.to_ascii_lowercase();
    let mut body = digits::text(number, lower, spec.precision, spec.alternate);
    let mut prefix = sign(spec, number.negative).to_vec();
    let finite = matches!(number.kind, Kind::Finite { .. });
    if lower == b'a' && finite {
        prefix.extend(b"0x");
    }
    if conversion.is_ascii_uppercase() {
        body.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    pad(out, spec, &prefix, &body, spec.zero && finite);
}

/// Formats; false if `printf` fails there, with `errno` set.
fn format(m: &mut Machine<'_>, text: &[u8], args: &Variable<'_>) -> Result<(Vec<u8>, bool), Stop> {
    let mut out = Vec::new();
    let mut p = Parser { format: text, at: 0, next_arg: 0 };
    while p.at < text.len() {
        let plain = text[p.at..].iter().position(|b| *b == b'%').unwrap_or(text.len() - p.at);
        out.extend_from_slice(&text[p.at..p.at + plain]);
        p.at += plain;
        if !p.accept(b'%') {
            break;
        }
        let start = p.at;
        let position = p.position();
        let mut spec = Spec::default();
        loop {
            match p.peek() {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                b'\'' | b'I' => {}
                _ => break,
            }
            p.at += 1;
        }
        if p.accept(b'*') {
            let at = p.position();
            let index = p.argument(at);
            let width = args.get(m, index)?[0] as i32;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            spec.width = p.number().unwrap_or(0);
        }
        if p.accept(b'.') {
            if p.accept(b'*') {
                let at = p.position();
                let index = p.argument(at);
                spec.precision = usize::try_from(args.get(m, index)?[0] as i32).ok();
            } else {
                spec.precision = Some(p.number().unwrap_or(0));
            }
        }
        if spec.width >= TOO_LONG || spec.precision.is_some_and(|p| p >= TOO_LONG) {
            m.set_errno(errno::EOVERFLOW)?;
            return Ok((out, false));
        }
        let is_text = |c: u8| matches!(c, b's' | b'S');
        let length = p.length();
        let conversion = p.peek();
        if spec.width > WIDEST || (spec.precision.is_some_and(|p| p > WIDEST) && !is_text(conversion)) {
            return Err(Stop::Limit);
        }
        p.at += usize::from(p.at < text.len());
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        if conversion == b'm' {
            let addr = m.errno_address()?;
            let error = m.get_int(addr)?;
            let message = super::string::error_text(error as i32);
            pad(&mut out, &spec, b"", message.as_bytes(), false);
            continue;
        }
        if !b"diouxXbBcCsSpneEfFgGaA".contains(&conversion) {
            // glibc shows what it does not know.
            out.push(b'%');
            out.extend_from_slice(&text[start..p.at]);
            continue;
        }
        let index = p.argument(position);
        let value = args.get(m, index)?;
        if !convert(m, &mut out, &spec, length, conversion, value)? {
            m.set_errno(errno::EILSEQ)?;
            return Ok((out, false));
        }
    }
    Ok((out, true))
}

fn size_of(m: &Machine<'_>, length: Length) -> u64 {
    let model = &m.program.types.model;
    match length {
        Length::Char => 1,
        Length::Short => model.short_size,
        Length::Int => model.int_size,
        Length::Long => model.long_size,
        Length::LongLong | Length::LongDouble => model.long_long_size,
        Length::Max => 8,
        Length::Size => model.int_size(model.size_type),
        Length::Difference => model.int_size(model.ptrdiff_type),
    }
}

/// One conversion; false if a wide character has no bytes.
fn convert(
    m: &mut Machine<'_>,
    out: &mut Vec<u8>,
    spec: &Spec,
    length: Length,
    conversion: u8,
    value: [u64; 2],
) -> Result<bool, Stop> {
    let shape = |signed| Shape { bits: size_of(m, length) as u8 * 8, signed };
    match conversion {
        b'd' | b'i' => {
            let value = shape(true).wrap(value[0]) as i64;
            put_integer(out, spec, conversion, value.unsigned_abs(), value < 0);
        }
        b'o' | b'u' | b'x' | b'X' | b'b' | b'B' => {
            put_integer(out, spec, conversion, shape(false).wrap(value[0]), false);
        }
        b'c' if length != Length::Long => pad(out, spec, b"", &[value[0] as u8], false),
        b'c' | b'C' => match u8::try_from(value[0] as u32) {
            Ok(byte) if byte < 0x80 => pad(out, spec, b"", &[byte], false),
            _ => return Ok(false),
        },
        b's' if length != Length::Long => {
            if value[0] == 0 {
                let shown: &[u8] = if spec.precision.is_none_or(|p| p >= 6) { b"(null)" } else { b"" };
                pad(out, spec, b"", shown, false);
                return Ok(true);
            }
            let limit = spec.precision.map_or(u64::MAX, |p| p as u64);
            let length = m.memory.string_length(value[0], limit)?;
            pad(out, spec, b"", m.memory.slice(value[0], length)?, false);
        }
        b's' | b'S' => {
            if value[0] == 0 {
                pad(out, spec, b"", b"(null)", false);
                return Ok(true);
            }
            let mut text = Vec::new();
            let size = m.program.types.model.int_size(m.program.types.model.wchar_type);
            while spec.precision.is_none_or(|p| text.len() < p) {
                let unit = m.memory.load_uint(value[0] + size * text.len() as u64, size)?;
                match unit {
                    0 => break,
                    1..0x80 => text.push(unit as u8),
                    _ => return Ok(false),
                }
            }
            pad(out, spec, b"", &text, false);
        }
        b'p' => {
            if value[0] == 0 {
                pad(out, spec, b"", b"(nil)", false);
            } else {
                let spec = Spec { alternate: true, ..*spec };
                put_integer(out, &spec, b'x', value[0], false);
            }
        }
        b'n' => {
            let size = size_of(m, length);
            m.memory.store_uint(value[0], size, out.len() as u64)?;
        }
        _ => {
            let model = &m.program.types.model;
            let kind = if length == Length::LongDouble { FloatKind::LongDouble } else { FloatKind::Double };
            let format = Format::of(model, kind);
            let bits = u128::from(value[0]) | (u128::from(value[1]) << 64);
            let mask = u128::MAX >> (128 - format.bytes() * 8);
            put_float(out, spec, conversion, Number::new(format, bits & mask));
        }
    }
    Ok(true)
}

/// Formats to a stream.
fn to_stream(m: &mut Machine<'_>, file: u64, text: u64, args: &Variable<'_>) -> Ret {
    let text = m.string(text)?;
    let (out, done) = format(m, &text, args)?;
    int(if m.emit(file, &out)? && done { out.len() as i64 } else { -1 })
}

fn to_stdout(m: &mut Machine<'_>, text: u64, args: &Variable<'_>) -> Ret {
    let file = m.standard("stdout")?;
    to_stream(m, file, text, args)
}

/// Formats to memory of `size` bytes.
fn to_memory(m: &mut Machine<'_>, target: u64, size: Option<u64>, text: u64, args: &Variable<'_>) -> Ret {
    let text = m.string(text)?;
    let (out, done) = format(m, &text, args)?;
    match size {
        Some(0) => {}
        Some(size) => {
            let kept = out.len().min(size as usize - 1);
            m.memory.put_c_string(target, &out[..kept])?;
        }
        None => m.memory.put_c_string(target, &out)?,
    }
    int(if done { out.len() as i64 } else { -1 })
}

/// Formats to a fresh block.
fn to_block(m: &mut Machine<'_>, target: u64, text: u64, args: &Variable<'_>) -> Ret {
    let text = m.string(text)?;
    let (out, done) = format(m, &text, args)?;
    if !done {
        return int(-1);
    }
    let addr = m.new_string(&out)?;
    m.memory.store_pointer(target, addr)?;
    int(out.len() as i64)
}

fn to_descriptor(m: &mut Machine<'_>, fd: i64, text: u64, args: &Variable<'_>) -> Ret {
    let text = m.string(text)?;
    let (out, done) = format(m, &text, args)?;
    let written = m.libc.files.write(fd, &out);
    m.number_or_errno(written.map(|()| if done { out.len() as i64 } else { -1 }))
}

fn passed<'a>(args: &'a Args<'a>, from: usize) -> Variable<'a> {
    Variable::Passed { args, from }
}

fn list(a: &Args<'_>, i: usize) -> Variable<'static> {
    Variable::List(a.word(i))
}

pub(super) const TABLE: Entries = &[
    ("printf", |m, a| to_stdout(m, a.word(0), &passed(a, 1))),
    ("printf_unlocked", |m, a| to_stdout(m, a.word(0), &passed(a, 1))),
    ("__printf_chk", |m, a| to_stdout(m, a.word(1), &passed(a, 2))),
    ("vprintf", |m, a| to_stdout(m, a.word(0), &list(a, 1))),
    ("__vprintf_chk", |m, a| to_stdout(m, a.word(1), &list(a, 2))),
    ("fprintf", |m, a| to_stream(m, a.word(0), a.word(1), &passed(a, 2))),
    ("fprintf_unlocked", |m, a| to_stream(m, a.word(0), a.word(1), &passed(a, 2))),
    ("__fprintf_chk", |m, a| to_stream(m, a.word(0), a.word(2), &passed(a, 3))),
    ("vfprintf", |m, a| to_stream(m, a.word(0), a.word(1), &list(a, 2))),
    ("__vfprintf_chk", |m, a| to_stream(m, a.word(0), a.word(2), &list(a, 3))),
    ("sprintf", |m, a| to_memory(m, a.word(0), None, a.word(1), &passed(a, 2))),
    ("__sprintf_chk", |m, a| to_memory(m, a.word(0), None, a.word(3), &passed(a, 4))),
    ("___sprintf_chk", |m, a| to_memory(m, a.word(0), None, a.word(3), &passed(a, 4))),
    ("vsprintf", |m, a| to_memory(m, a.word(0), None, a.word(1), &list(a, 2))),
    ("__vsprintf_chk", |m, a| to_memory(m, a.word(0), None, a.word(3), &list(a, 4))),
    ("snprintf", |m, a| to_memory(m, a.word(0), Some(a.word(1)), a.word(2), &passed(a, 3))),
    ("__snprintf_chk", |m, a| to_memory(m, a.word(0), Some(a.word(1)), a.word(4), &passed(a, 5))),
    ("___snprintf_chk", |m, a| to_memory(m, a.word(0), Some(a.word(1)), a.word(4), &passed(a, 5))),
    ("vsnprintf", |m, a| to_memory(m, a.word(0), Some(a.word(1)), a.word(2), &list(a, 3))),
    ("__vsnprintf_chk", |m, a| to_memory(m, a.word(0), Some(a.word(1)), a.word(4), &list(a, 5))),
    ("asprintf", |m, a| to_block(m, a.word(0), a.word(1), &passed(a, 2))),
    ("__asprintf_chk", |m, a| to_block(m, a.word(0), a.word(2), &passed(a, 3))),
    ("vasprintf", |m, a| to_block(m, a.word(0), a.word(1), &list(a, 2))),
    ("__vasprintf_chk", |m, a| to_block(m, a.word(0), a.word(2), &list(a, 3))),
    ("dprintf", |m, a| to_descriptor(m, a.long(0), a.word(1), &passed(a, 2))),
    ("__dprintf_chk", |m, a| to_descriptor(m, a.long(0), a.word(2), &passed(a, 3))),
    ("vdprintf", |m, a| to_descriptor(m, a.long(0), a.word(1), &list(a, 2))),
];
