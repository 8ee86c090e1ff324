//! Numbers, characters and strings as C writes them.

use lang_c::ast::{Constant, Float, FloatFormat, Integer, IntegerBase, IntegerSize, TS18661FloatFormat};
use lang_c::span::Span;

use super::super::fold;
use super::super::syntax::{Global, GlobalDef, GlobalId, InitItem, Initializer, InstKind, Intrinsic, Linkage, Operand};
use super::super::types::{FloatKind, IntKind, Length, Type, TypeId, Types};
use super::convert::Rv;
use super::{Lower, Res};

/// The decoded elements of a string literal, with the type of an element; the terminating zero is not among them.
pub(super) struct Text {
    pub units: Vec<u32>,
    pub element: TypeId,
}

impl Lower<'_> {
    pub(super) fn constant(&mut self, c: &Constant, span: Span) -> Res<Rv> {
        match c {
            Constant::Integer(i) => self.integer(i, span),
            Constant::Float(f) => self.float(f, span),
            Constant::Character(text) => self.character(text, span),
        }
    }

    fn integer(&mut self, i: &Integer, span: Span) -> Res<Rv> {
        let (radix, decimal) = match i.base {
            IntegerBase::Decimal => (10, true),
            IntegerBase::Octal => (8, false),
            IntegerBase::Hexadecimal => (16, false),
            IntegerBase::Binary => (2, false),
        };
        let digits = if i.number.is_empty() { "0" } else { &i.number };
        let Ok(value) = u128::from_str_radix(digits, radix) else {
            return self.error(span, "the integer is too large");
        };
        let ranks: &[IntKind] = match i.suffix.size {
            IntegerSize::Int => &[IntKind::Int, IntKind::Long, IntKind::LongLong],
            IntegerSize::Long => &[IntKind::Long, IntKind::LongLong],
            IntegerSize::LongLong => &[IntKind::LongLong],
        };
        let fits = |kind: IntKind| {
            let bits = self.types.model.int_size(kind) as u32 * 8;
            let bits = if self.types.is_signed_kind(kind) { bits - 1 } else { bits };
            bits >= 128 || value < 1u128 << bits
        };
        let mut kind = None;
        for &k in ranks {
            if !i.suffix.unsigned && fits(k) {
                kind = Some(k);
                break;
            }
            if (i.suffix.unsigned || !decimal) && fits(k.to_unsigned()) {
                kind = Some(k.to_unsigned());
                break;
            }
        }
        // gcc goes on with `unsigned long long` (with a warning), then `__int128`.
        let kind = match kind {
            Some(kind) => kind,
            None if fits(IntKind::ULongLong) => IntKind::ULongLong,
            None if fits(IntKind::Int128) => IntKind::Int128,
            None => return self.error(span, "the integer is too large"),
        };
        let rv = self.int_rv(value as i128, Types::int(kind));
        if i.suffix.imaginary {
            return self.error(span, "complex integers are not supported");
        }
        Ok(rv)
    }

    fn float(&mut self, f: &Float, span: Span) -> Res<Rv> {
        let kind = match &f.suffix.format {
            FloatFormat::Float => FloatKind::Float,
            FloatFormat::Double => FloatKind::Double,
            FloatFormat::LongDouble => FloatKind::LongDouble,
            FloatFormat::TS18661Format(t) => match (&t.format, t.width) {
                (TS18661FloatFormat::BinaryInterchange, 16) => FloatKind::Float16,
                (TS18661FloatFormat::BinaryInterchange, 32) => FloatKind::Float,
                (TS18661FloatFormat::BinaryInterchange, 64) | (TS18661FloatFormat::BinaryExtended, 32) => {
                    FloatKind::Double
                }
                (TS18661FloatFormat::BinaryInterchange, 128) => FloatKind::Float128,
                (TS18661FloatFormat::BinaryExtended, 64) => FloatKind::LongDouble,
                _ => return self.error(span, "decimal floating constants are not supported"),
            },
        };
        let hex = f.base == lang_c::ast::FloatBase::Hexadecimal;
        let digits = if hex && !f.number.starts_with("0x") { format!("0x{}", f.number) } else { f.number.to_string() };
        let Some(bits) = fold::parse_float(&self.types.model, kind, &digits) else {
            return self.error(span, "this floating constant cannot be read");
        };
        let ty = Types::float(kind);
        let op = Operand::Float(bits, ty);
        if f.suffix.imaginary {
            let complex = self.types.intern(Type::Complex(kind));
            let zero = Operand::Float(fold::int_to_float(&self.types.model, 0, false, kind), ty);
            let place = self.place(span);
            let op = self.f().emit(InstKind::Intrinsic(Intrinsic::Complex, vec![zero, op]), complex, place);
            return Ok(Rv::new(op, complex));
        }
        Ok(Rv::new(op, ty))
    }

    fn character(&mut self, text: &str, span: Span) -> Res<Rv> {
        let (prefix, body) = split(text);
        let Some(units) = decode(body, prefix.is_empty() || prefix == "u8") else {
            return self.error(span, "this character constant cannot be read");
        };
        let model = &self.types.model;
        let ty = match prefix {
            "L" => Types::int(model.wchar_type),
            "u" => Types::int(model.char16_type),
            "U" => Types::int(model.char32_type),
            "u8" => Types::int(IntKind::UChar),
            _ => Types::INT,
        };
        if prefix.is_empty() {
            // A single character is a `char`; more than one, gcc packs into an `int`.
            let value = match units.as_slice() {
                [one] => fold::wrap(i128::from(*one), 8, model.char_signed),
                many => many.iter().fold(0i128, |v, u| (v << 8) | i128::from(*u & 0xff)),
            };
            return Ok(self.int_rv(value, ty));
        }
        let units = self.split_wide(units, ty);
        Ok(self.int_rv(i128::from(units.last().copied().unwrap_or(0)), ty))
    }

    /// The elements of adjacent string literals.
    pub(super) fn text(&self, parts: &[String], span: Span) -> Res<Text> {
        let prefix = parts.iter().map(|p| split(p).0).find(|p| !p.is_empty() && *p != "u8").unwrap_or("");
        let model = &self.types.model;
        let element = match prefix {
            "L" => Types::int(model.wchar_type),
            "u" => Types::int(model.char16_type),
            "U" => Types::int(model.char32_type),
            _ => Types::CHAR,
        };
        let mut units = Vec::new();
        for part in parts {
            let Some(decoded) = decode(split(part).1, prefix.is_empty()) else {
                return self.error(span, "this string cannot be read");
            };
            units.extend(decoded);
        }
        let units = self.split_wide(units, element);
        Ok(Text { units, element })
    }

    /// Code points as elements of this type: those that 16 bits do not hold are two.
    fn split_wide(&self, units: Vec<u32>, element: TypeId) -> Vec<u32> {
        if self.types.size_of(element) != Some(2) {
            return units;
        }
        let pair = |unit: u32| match char::from_u32(unit) {
            Some(c) if unit > 0xffff => c.encode_utf16(&mut [0; 2]).iter().map(|u| u32::from(*u)).collect(),
            _ => vec![unit],
        };
        units.into_iter().flat_map(pair).collect()
    }

    /// The bytes of elements in the target's order.
    pub(super) fn text_bytes(&self, units: &[u32], element: TypeId) -> Vec<u8> {
        let size = self.types.size_of(element).unwrap_or(1) as usize;
        let mut bytes = Vec::with_capacity(units.len() * size);
        for unit in units {
            let le = u64::from(*unit).to_le_bytes();
            if self.types.model.big_endian {
                bytes.extend(le[..size].iter().rev());
            } else {
                bytes.extend(&le[..size]);
            }
        }
        bytes
    }

    /// The object of a string literal; equal ones share it, as compilers do.
    pub(super) fn string_global(&mut self, text: &Text, span: Span) -> (GlobalId, TypeId) {
        let mut units = text.units.clone();
        units.push(0);
        let ty = self.types.array_of(text.element.into(), Length::Fixed(units.len() as u64));
        let bytes = self.text_bytes(&units, text.element);
        if let Some(&id) = self.strings.get(&(bytes.clone(), ty)) {
            return (id, ty);
        }
        let item = InitItem::Bytes(bytes.clone());
        let id = self.globals.push(Global {
            name: format!(".str{}", self.strings.len()),
            link_name: None,
            ty: ty.into(),
            addr_ty: self.types.pointer_to(ty.into()),
            align: self.types.align_of(text.element),
            linkage: Linkage::Internal,
            definition: GlobalDef::Defined(Initializer { items: vec![(0, item)] }),
            thread_local: false,
            owner: None,
            place: self.place(span),
        });
        self.strings.insert((bytes, ty), id);
        (id, ty)
    }
}

/// The prefix, and what stands between the quotes.
fn split(text: &str) -> (&str, &str) {
    let at = text.find(['"', '\'']).unwrap_or(0);
    let body = text.get(at + 1..text.len().saturating_sub(1)).unwrap_or("");
    (&text[..at], body)
}

/// Escapes resolved. Narrow: bytes (UTF-8 for characters beyond ASCII); wide: code points.
fn decode(body: &str, narrow: bool) -> Option<Vec<u32>> {
    let mut out = Vec::with_capacity(body.len());
    let push_char = |out: &mut Vec<u32>, c: char| {
        if narrow {
            out.extend(c.to_string().bytes().map(u32::from));
        } else {
            out.push(u32::from(c));
        }
    };
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            push_char(&mut out, c);
            continue;
        }
        let escape = chars.next()?;
        let simple = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '\\' | '\'' | '"' | '?' => u32::from(escape),
            '0'..='7' => {
                let mut value = escape.to_digit(8)?;
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(d) => {
                            value = value * 8 + d;
                            chars.next();
                        }
                        None => break,
                    }
                }
                if narrow { value & 0xff } else { value }
            }
            'x' => {
                let mut value: u32 = 0;
                let mut any = false;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_shl(4) | d;
                    any = true;
                    chars.next();
                }
                if !any {
                    return None;
                }
                if narrow { value & 0xff } else { value }
            }
            'u' | 'U' => {
                let digits = if escape == 'u' { 4 } else { 8 };
                let mut value = 0;
                for _ in 0..digits {
                    value = value * 16 + chars.next()?.to_digit(16)?;
                }
                push_char(&mut out, char::from_u32(value)?);
                continue;
            }
            // gcc takes an unknown escape for the character itself.
            other => {
                push_char(&mut out, other);
                continue;
            }
        };
        out.push(simple);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{decode, split};

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(decode(r"a\n\x41\101\0", true), Some(vec![97, 10, 0x41, 0x41, 0]));
        assert_eq!(decode(r"\377", true), Some(vec![255]));
        assert_eq!(decode(r"\u00e9", true), Some(vec![0xc3, 0xa9]));
        assert_eq!(decode(r"\u00e9", false), Some(vec![0xe9]));
        assert_eq!(decode(r"\x", true), None);
        assert_eq!(split("L\"ab\""), ("L", "ab"));
    }
}
