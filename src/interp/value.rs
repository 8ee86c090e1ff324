//! How values are held while a program runs.
//!
//! Registers are 64-bit slots. A scalar of at most 64 bits takes one slot, wider ones (`__int128`, x87 and quad floats) two, low half
//! first. Complex numbers, vectors, structs and unions are *images*: their bytes as in memory, eight to a slot, the first byte
//! lowest, whatever the target's byte order.
//!
//! Invariant: an integer in a slot is *canonical*: sign- or zero-extended to 64 bits as its type says. So comparisons and
//! conversions need no width, and arithmetic needs it only to wrap the result.

pub(super) use crate::ir::fold::Format;
use crate::ir::{Type, TypeId, Types};
use crate::source::DataModel;

/// Width and sign of an integer of 1 to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub bits: u8,
    pub signed: bool,
}

impl Shape {
    /// `value` made canonical.
    #[inline]
    pub fn wrap(self, value: u64) -> u64 {
        let shift = 64 - u32::from(self.bits);
        if self.signed { (((value << shift) as i64) >> shift) as u64 } else { (value << shift) >> shift }
    }
}

/// What a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// `_Bool`
    Bool,
    /// Integers, enumerations and pointers of at most 64 bits.
    Int(Shape),
    /// `__int128`; whether it is signed.
    Wide(bool),
    /// Floating numbers.
    Float(Format),
}

impl Scalar {
    /// Bytes that an access touches.
    pub fn bytes(self) -> u64 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int(shape) => u64::from(shape.bits / 8),
            Scalar::Wide(_) => 16,
            Scalar::Float(format) => format.bytes(),
        }
    }
    /// Slots it takes.
    pub fn slots(self) -> u32 {
        match self {
            Scalar::Wide(_) | Scalar::Float(Format::X87 | Format::Quad) => 2,
            Scalar::Bool | Scalar::Int(_) | Scalar::Float(Format::Half | Format::Single | Format::Double) => 1,
        }
    }
    /// Bits of the type, for integers.
    pub fn width(self) -> u32 {
        match self {
            Scalar::Bool => 8,
            Scalar::Int(shape) => u32::from(shape.bits),
            Scalar::Wide(_) => 128,
            Scalar::Float(format) => format.bytes() as u32 * 8,
        }
    }
    /// Whether it is a signed integer.
    pub fn signed(self) -> bool {
        match self {
            Scalar::Int(shape) => shape.signed,
            Scalar::Wide(signed) => signed,
            Scalar::Bool | Scalar::Float(_) => false,
        }
    }
    /// The payload of two slots: an integer extended to 128 bits as its type says, or a float's bits.
    pub fn payload(self, low: u64, high: u64) -> u128 {
        let both = u128::from(low) | (u128::from(high) << 64);
        match self {
            Scalar::Int(Shape { signed: true, .. }) => i128::from(low as i64) as u128,
            Scalar::Float(Format::X87) => both & ((1 << 80) - 1),
            Scalar::Bool | Scalar::Int(_) | Scalar::Float(Format::Half | Format::Single | Format::Double) => {
                u128::from(low)
            }
            Scalar::Wide(_) | Scalar::Float(Format::Quad) => both,
        }
    }
    /// The slots of a payload, wrapped to the type.
    pub fn slots_of(self, payload: u128) -> (u64, u64) {
        let (low, high) = (payload as u64, (payload >> 64) as u64);
        match self {
            Scalar::Bool => (u64::from(payload & 0xff != 0), 0),
            Scalar::Int(shape) => (shape.wrap(low), 0),
            Scalar::Wide(_) | Scalar::Float(Format::Quad) => (low, high),
            Scalar::Float(Format::X87) => (low, high & 0xffff),
            Scalar::Float(Format::Half) => (low & 0xffff, 0),
            Scalar::Float(Format::Single) => (low & 0xffff_ffff, 0),
            Scalar::Float(Format::Double) => (low, 0),
        }
    }
    /// The slots of a scalar in memory: `raw` has its bytes, the first lowest.
    pub fn decode(self, raw: u128, big_endian: bool) -> (u64, u64) {
        let bits = self.bytes() as u32 * 8;
        let value = if big_endian { raw.swap_bytes() >> (128 - bits) } else { raw };
        self.slots_of(value)
    }
    /// The bytes of a scalar, the first lowest.
    pub fn encode(self, low: u64, high: u64, big_endian: bool) -> u128 {
        let bits = self.bytes() as u32 * 8;
        let both = u128::from(low) | (u128::from(high) << 64);
        if big_endian { both.swap_bytes() >> (128 - bits) } else { both & (u128::MAX >> (128 - bits)) }
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Nothing.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A complex number: an image of two parts, `stride` bytes apart.
    Complex { format: Format, stride: u32 },
    /// A vector: an image of lanes.
    Vector { lane: Scalar, lanes: u32 },
    /// A struct, union or array: an image of so many bytes.
    Bytes(u64),
}

impl Class {
    /// `void *`
    pub fn pointer(model: &DataModel) -> Class {
        Class::Scalar(Scalar::Int(Shape { bits: model.pointer_size as u8 * 8, signed: false }))
    }
    /// Of a type; what has no size counts as `void`.
    pub fn of(types: &Types, ty: TypeId) -> Class {
        let model = &types.model;
        match types.get(ty) {
            Type::Void | Type::Function(_) => Class::Void,
            Type::Bool => Class::Scalar(Scalar::Bool),
            Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => match types.int_shape(ty) {
                Some((bits, signed)) if bits <= 64 => Class::Scalar(Scalar::Int(Shape { bits: bits as u8, signed })),
                Some((_, signed)) => Class::Scalar(Scalar::Wide(signed)),
                None => Class::Void,
            },
            Type::Float(kind) => Class::Scalar(Scalar::Float(Format::of(model, *kind))),
            Type::Complex(kind) => {
                Class::Complex { format: Format::of(model, *kind), stride: model.float_size(*kind) as u32 }
            }
            Type::Vector { element, lanes } => match Class::of(types, *element) {
                Class::Scalar(lane) => Class::Vector { lane, lanes: *lanes },
                Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => Class::Void,
            },
            Type::Record(_) | Type::Array { .. } => types.size_of(ty).map_or(Class::Void, Class::Bytes),
        }
    }
    /// Bytes in memory that an access touches.
    pub fn bytes(self) -> u64 {
        match self {
            Class::Void => 0,
            Class::Scalar(scalar) => scalar.bytes(),
            Class::Complex { stride, .. } => 2 * u64::from(stride),
            Class::Vector { lane, lanes } => lane.bytes() * u64::from(lanes),
            Class::Bytes(size) => size,
        }
    }
    /// Slots it takes.
    pub fn slots(self) -> u32 {
        match self {
            Class::Scalar(scalar) => scalar.slots(),
            Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => {
                self.bytes().div_ceil(8) as u32
            }
        }
    }
}

/// `count` bytes of an image from `offset` on, the first lowest; `count` is at most 16. Bytes past the image are zero.
pub(super) fn image_read(image: &[u64], offset: u64, count: u64) -> u128 {
    let slot = |i: u64| u128::from(image.get(i as usize).copied().unwrap_or(0));
    let first = offset / 8;
    let shift = (offset % 8) as u32 * 8;
    let low = slot(first) | (slot(first + 1) << 64);
    let raw = if shift == 0 { low } else { (low >> shift) | (slot(first + 2) << (128 - shift)) };
    if count >= 16 { raw } else { raw & ((1 << (count * 8)) - 1) }
}

/// Writes `count` bytes of an image.
pub(super) fn image_write(image: &mut [u64], offset: u64, count: u64, raw: u128) {
    for i in 0..count {
        let at = offset + i;
        if let Some(slot) = image.get_mut((at / 8) as usize) {
            let shift = (at % 8) * 8;
            let byte = u64::from((raw >> (i * 8)) as u8);
            *slot = (*slot & !(0xff << shift)) | (byte << shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_keep_bytes_apart() {
        let mut image = [0u64; 4];
        image_write(&mut image, 5, 7, 0x0707_0605_0403_0201);
        assert_eq!(image_read(&image, 5, 7), 0x07_0605_0403_0201);
        assert_eq!(image_read(&image, 4, 1), 0);
        assert_eq!(image_read(&image, 12, 1), 0);
        image_write(&mut image, 13, 16, u128::MAX);
        assert_eq!(image_read(&image, 13, 16), u128::MAX);
        assert_eq!(image_read(&image, 12, 3), 0xffff00);
        assert_eq!(image_read(&image, 29, 3), 0);
    }

    #[test]
    fn scalars_go_through_memory_in_both_byte_orders() {
        let int = Scalar::Int(Shape { bits: 32, signed: true });
        for big in [false, true] {
            let raw = int.encode((-2i64) as u64, 0, big);
            assert_eq!(int.decode(raw, big), ((-2i64) as u64, 0));
        }
        assert_eq!(int.encode(0x0102_0304, 0, true), 0x0403_0201);
        assert_eq!(Shape { bits: 8, signed: true }.wrap(0x1ff), u64::MAX);
        assert_eq!(Shape { bits: 64, signed: false }.wrap(u64::MAX), u64::MAX);
    }
}
