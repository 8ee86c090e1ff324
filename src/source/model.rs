//! The data model of the target: what the user's compiler says of its types.

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
