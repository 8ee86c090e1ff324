//! The data model of the target: what the user's compiler says of its types.
//!
//! The compiler is asked for its predefined macros (`-dM -E`), which tell sizes and signs. Alignments and `va_list` are not among
//! them; they follow from the target's ABI.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::{flags, preprocess};
use crate::error::UserError;
use crate::ir::types::{FloatKind, IntKind};

/// Sizes, signs and alignments of the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataModel {
    /// Bytes of a pointer.
    pub pointer_size: u64,
    /// Bytes of a `short`.
    pub short_size: u64,
    /// Bytes of an `int`.
    pub int_size: u64,
    /// Bytes of a `long`.
    pub long_size: u64,
    /// Bytes of a `long long`.
    pub long_long_size: u64,
    /// Bytes of a `double`.
    pub double_size: u64,
    /// Bytes of a `long double`, padding included.
    pub long_double_size: u64,
    /// Bits of a `long double`'s significand: 53, 64 (x87) or 113.
    pub long_double_digits: u32,
    /// Whether `char` is signed.
    pub char_signed: bool,
    /// `size_t`
    pub size_type: IntKind,
    /// `ptrdiff_t`
    pub ptrdiff_type: IntKind,
    /// `wchar_t`
    pub wchar_type: IntKind,
    /// `char16_t`
    pub char16_type: IntKind,
    /// `char32_t`
    pub char32_type: IntKind,
    /// No type is aligned to more (1 on AVR, 2 on MSP430, 4 for `double` and `long long` on i386).
    pub max_align: u64,
    /// `long double` is aligned to this.
    pub long_double_align: u64,
    /// `__attribute__((aligned))` without a number.
    pub biggest_align: u64,
    /// Most significant byte first.
    pub big_endian: bool,
    /// Enumerations take the smallest integer type that fits (`-fshort-enums`).
    pub short_enums: bool,
    /// Bytes of a `va_list`.
    pub va_list_size: u64,
}

impl DataModel {
    /// x86-64 Linux.
    pub fn lp64() -> DataModel {
        DataModel {
            pointer_size: 8,
            short_size: 2,
            int_size: 4,
            long_size: 8,
            long_long_size: 8,
            double_size: 8,
            long_double_size: 16,
            long_double_digits: 64,
            char_signed: true,
            size_type: IntKind::ULong,
            ptrdiff_type: IntKind::Long,
            wchar_type: IntKind::Int,
            char16_type: IntKind::UShort,
            char32_type: IntKind::UInt,
            max_align: 16,
            long_double_align: 16,
            biggest_align: 16,
            big_endian: false,
            short_enums: false,
            va_list_size: 24,
        }
    }
    /// The data model of a compiler (in words) with options (as for [`Request::flags`](super::Request::flags)).
    pub fn probe(cc: &[String], options: &[String], directory: Option<&Path>) -> Result<DataModel, UserError> {
        let mut words = flags::of_target(options);
        words.extend(["-dM", "-E", "-x", "c"].map(str::to_owned));
        let output = preprocess::run(cc, &words, Some(Path::new("/dev/null")), directory)?;
        let command = cc.join(" ");
        if !output.status.success() {
            let said = output.stderr.lines().find(|l| l.contains("error")).unwrap_or("it gave no reason").to_owned();
            return Err(UserError::usage(
                format!("the compiler `{command}` does not tell its data model: {said}"),
                "check its options, or name another compiler by `--cc`",
            ));
        }
        DataModel::from_macros(&String::from_utf8_lossy(&output.stdout), &[cc, options].concat()).map_err(|what| {
            UserError::usage(
                format!("the compiler `{command}` {what}"),
                "gcc and clang for all common targets are known; name one by `--cc`",
            )
        })
    }
    /// The data model from predefined macros (`#define NAME VALUE` lines) and options; the error is what the compiler does.
    fn from_macros(text: &str, options: &[String]) -> Result<DataModel, String> {
        let macros: FxHashMap<&str, &str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
            .map(|(name, value)| (name, value.trim()))
            .collect();
        let has = |name: &str| macros.contains_key(name);
        let number = |name: &str| -> Result<u64, String> {
            let value = macros.get(name).ok_or_else(|| format!("does not define `{name}`"))?;
            value.parse().map_err(|_| format!("defines `{name}` as `{value}`, which is not a number"))
        };
        let kind = |name: &str, default: Option<IntKind>| -> Result<IntKind, String> {
            match macros.get(name) {
                Some(value) => int_kind(value).ok_or_else(|| format!("has the type `{value}` as its `{name}`")),
                None => default.ok_or_else(|| format!("does not define `{name}`")),
            }
        };
        let pointer_size = number("__SIZEOF_POINTER__")?;
        let long_double_size = number("__SIZEOF_LONG_DOUBLE__")?;
        let biggest_align = number("__BIGGEST_ALIGNMENT__")?;
        // i386 keeps the alignments of its 16-bit days inside structures, except on Windows.
        let old_x86 = has("__i386__") && !has("_WIN32") && !options.iter().any(|o| o == "-malign-double");
        let max_align = if old_x86 { 4 } else { biggest_align.min(16) };
        let long_double_align = match long_double_size {
            16 => biggest_align.min(16),
            // x87's ten bytes in twelve.
            12 => max_align.min(4),
            size => size.min(max_align),
        };
        let minimal_enum = macros.get("__ARM_SIZEOF_MINIMAL_ENUM").map(|size| *size == "1");
        let asked = options.iter().rev().find_map(|o| match o.as_str() {
            "-fshort-enums" => Some(true),
            "-fno-short-enums" => Some(false),
            _ => None,
        });
        Ok(DataModel {
            pointer_size,
            short_size: number("__SIZEOF_SHORT__")?,
            int_size: number("__SIZEOF_INT__")?,
            long_size: number("__SIZEOF_LONG__")?,
            long_long_size: number("__SIZEOF_LONG_LONG__")?,
            double_size: number("__SIZEOF_DOUBLE__")?,
            long_double_size,
            long_double_digits: number("__LDBL_MANT_DIG__")? as u32,
            char_signed: !has("__CHAR_UNSIGNED__"),
            size_type: kind("__SIZE_TYPE__", None)?,
            ptrdiff_type: kind("__PTRDIFF_TYPE__", None)?,
            wchar_type: kind("__WCHAR_TYPE__", None)?,
            char16_type: kind("__CHAR16_TYPE__", Some(IntKind::UShort))?,
            char32_type: kind("__CHAR32_TYPE__", Some(IntKind::UInt))?,
            max_align,
            long_double_align,
            biggest_align,
            big_endian: macros.get("__BYTE_ORDER__").is_some_and(|order| *order == "__ORDER_BIG_ENDIAN__"),
            short_enums: minimal_enum.or(asked).unwrap_or(false),
            va_list_size: va_list_size(&has, pointer_size),
        })
    }
    /// Says in which way two models differ.
    pub(super) fn difference(&self, other: &DataModel) -> String {
        let facts = |m: &DataModel| {
            [
                ("size of a pointer", m.pointer_size.to_string()),
                ("size of `int`", m.int_size.to_string()),
                ("size of `long`", m.long_size.to_string()),
                ("size of `double`", m.double_size.to_string()),
                ("size of `long double`", m.long_double_size.to_string()),
                ("sign of `char`", if m.char_signed { "signed" } else { "unsigned" }.to_owned()),
                ("type of `wchar_t`", format!("{:?}", m.wchar_type)),
                ("size of an enumeration", if m.short_enums { "the smallest" } else { "that of `int`" }.to_owned()),
                ("byte order", if m.big_endian { "big" } else { "little" }.to_owned()),
            ]
        };
        let found = facts(self).into_iter().zip(facts(other)).find(|(a, b)| a.1 != b.1);
        found.map_or_else(
            || "their types are aligned differently".to_owned(),
            |((what, one), (_, two))| format!("the {what} is {one} in the first and {two} in the second"),
        )
    }
    /// Bytes of an integer type.
    pub fn int_size(&self, kind: IntKind) -> u64 {
        match kind {
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => self.short_size,
            IntKind::Int | IntKind::UInt => self.int_size,
            IntKind::Long | IntKind::ULong => self.long_size,
            IntKind::LongLong | IntKind::ULongLong => self.long_long_size,
            IntKind::Int128 | IntKind::UInt128 => 16,
        }
    }
    /// Alignment of an integer type as a struct member.
    pub fn int_align(&self, kind: IntKind) -> u64 {
        self.int_size(kind).min(self.max_align)
    }
    /// Bytes of a floating type.
    pub fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Float16 => 2,
            FloatKind::Float => 4,
            FloatKind::Double => self.double_size,
            FloatKind::LongDouble => self.long_double_size,
            FloatKind::Float128 => 16,
        }
    }
    /// Alignment of a floating type as a struct member.
    pub fn float_align(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::LongDouble => self.long_double_align,
            FloatKind::Float128 => 16.min(self.biggest_align),
            FloatKind::Float16 | FloatKind::Float | FloatKind::Double => self.float_size(kind).min(self.max_align),
        }
    }
}

/// The type that a macro such as `__SIZE_TYPE__` names.
fn int_kind(words: &str) -> Option<IntKind> {
    let (mut longs, mut short, mut char, mut unsigned, mut signed) = (0, false, false, false, false);
    for word in words.split_ascii_whitespace() {
        match word {
            "long" => longs += 1,
            "short" => short = true,
            "char" => char = true,
            "unsigned" => unsigned = true,
            "signed" => signed = true,
            "int" => {}
            _ => return None,
        }
    }
    Some(match (longs, short, char, unsigned) {
        (0, false, true, true) => IntKind::UChar,
        (0, false, true, false) if signed => IntKind::SChar,
        (0, false, true, false) => IntKind::Char,
        (0, true, false, true) => IntKind::UShort,
        (0, true, false, false) => IntKind::Short,
        (0, false, false, true) => IntKind::UInt,
        (0, false, false, false) => IntKind::Int,
        (1, false, false, true) => IntKind::ULong,
        (1, false, false, false) => IntKind::Long,
        (2, false, false, true) => IntKind::ULongLong,
        (2, false, false, false) => IntKind::LongLong,
        _ => return None,
    })
}

/// Bytes of a `va_list` in the target's ABI: a pointer, but for those that pass arguments in registers and keep count of them.
fn va_list_size(has: &impl Fn(&str) -> bool, pointer: u64) -> u64 {
    if has("__x86_64__") && !has("_WIN32") {
        8 + 2 * pointer
    } else if has("__aarch64__") && !has("__APPLE__") && !has("_WIN32") {
        3 * pointer + 8
    } else if (has("__powerpc__") || has("__PPC__")) && pointer == 4 && !has("_AIX") {
        4 + 2 * pointer
    } else if has("__s390__") {
        4 * pointer
    } else if has("__alpha__") {
        16
    } else if has("__XTENSA__") {
        2 * pointer + 4
    } else {
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Predefined macros of a target, the common ones first.
    fn macros(pairs: &[(&str, &str)]) -> String {
        pairs.iter().fold(String::new(), |text, (name, value)| text + &format!("#define {name} {value}\n"))
    }
    fn sizes(sizes: [&str; 7]) -> Vec<(&'static str, &str)> {
        let names = [
            "__SIZEOF_POINTER__",
            "__SIZEOF_SHORT__",
            "__SIZEOF_INT__",
            "__SIZEOF_LONG__",
            "__SIZEOF_LONG_LONG__",
            "__SIZEOF_DOUBLE__",
            "__SIZEOF_LONG_DOUBLE__",
        ];
        names.into_iter().zip(sizes).collect()
    }

    #[test]
    fn avr_has_two_byte_integers_and_no_alignment() {
        let mut avr = sizes(["2", "2", "2", "4", "8", "4", "4"]);
        avr.extend([
            ("__AVR__", "1"),
            ("__LDBL_MANT_DIG__", "24"),
            ("__BIGGEST_ALIGNMENT__", "1"),
            ("__SIZE_TYPE__", "unsigned int"),
            ("__PTRDIFF_TYPE__", "int"),
            ("__WCHAR_TYPE__", "int"),
            ("__CHAR16_TYPE__", "unsigned int"),
            ("__CHAR32_TYPE__", "long unsigned int"),
            ("__BYTE_ORDER__", "__ORDER_LITTLE_ENDIAN__"),
        ]);
        let model = DataModel::from_macros(&macros(&avr), &["-fshort-enums".to_owned()]).unwrap();
        assert_eq!((model.int_size, model.pointer_size, model.double_size), (2, 2, 4));
        assert_eq!((model.max_align, model.long_double_align, model.va_list_size), (1, 1, 2));
        assert_eq!((model.size_type, model.char16_type, model.char32_type), {
            (IntKind::UInt, IntKind::UInt, IntKind::ULong)
        });
        assert!(model.short_enums && model.char_signed && !model.big_endian);
        assert_eq!(model.int_align(IntKind::Long), 1);
    }

    #[test]
    fn bare_arm_has_short_enumerations_and_unsigned_char() {
        let mut arm = sizes(["4", "2", "4", "4", "8", "8", "8"]);
        arm.extend([
            ("__ARM_EABI__", "1"),
            ("__ARM_SIZEOF_MINIMAL_ENUM", "1"),
            ("__CHAR_UNSIGNED__", "1"),
            ("__LDBL_MANT_DIG__", "53"),
            ("__BIGGEST_ALIGNMENT__", "8"),
            ("__SIZE_TYPE__", "unsigned int"),
            ("__PTRDIFF_TYPE__", "int"),
            ("__WCHAR_TYPE__", "unsigned int"),
            ("__BYTE_ORDER__", "__ORDER_BIG_ENDIAN__"),
        ]);
        let model = DataModel::from_macros(&macros(&arm), &[]).unwrap();
        assert!(model.short_enums && !model.char_signed && model.big_endian);
        assert_eq!((model.max_align, model.long_double_align, model.va_list_size), (8, 8, 4));
        assert_eq!(model.wchar_type, IntKind::UInt);
    }

    #[test]
    fn what_is_missing_or_unknown_is_told() {
        let mut msp430 = sizes(["4", "2", "2", "4", "8", "8", "8"]);
        msp430.extend([("__LDBL_MANT_DIG__", "53"), ("__BIGGEST_ALIGNMENT__", "2")]);
        let error = DataModel::from_macros(&macros(&msp430), &[]).unwrap_err();
        assert!(error.contains("__SIZE_TYPE__"), "{error}");
        msp430.push(("__SIZE_TYPE__", "__int20 unsigned"));
        let error = DataModel::from_macros(&macros(&msp430), &[]).unwrap_err();
        assert!(error.contains("__int20 unsigned"), "{error}");
    }

    #[test]
    fn types_are_read_as_the_compiler_writes_them() {
        assert_eq!(int_kind("long unsigned int"), Some(IntKind::ULong));
        assert_eq!(int_kind("long long int"), Some(IntKind::LongLong));
        assert_eq!(int_kind("short unsigned int"), Some(IntKind::UShort));
        assert_eq!(int_kind("signed char"), Some(IntKind::SChar));
        assert_eq!(int_kind("int"), Some(IntKind::Int));
        assert_eq!(int_kind("__int128"), None);
    }

    #[test]
    fn a_difference_is_told() {
        let other = DataModel { int_size: 2, ..DataModel::lp64() };
        assert_eq!(DataModel::lp64().difference(&other), "the size of `int` is 4 in the first and 2 in the second");
    }
}
