//! Values made of parts: complex numbers, vectors, records; and how any value lies in memory.

use super::{Class, Encoder, Meaning, Scalar, from_truth, is_true};
use crate::ir::{Access, Bits};
use crate::solve::term::{Format, TermId, Terms};

/// The bytes of a bit-vector in reverse order.
pub(super) fn swap_bytes(terms: &mut Terms, of: TermId) -> TermId {
    let width = terms.width(of);
    let mut swapped = None;
    for byte in 0..width / 8 {
        let piece = terms.extract(8 * byte + 7, 8 * byte, of);
        swapped = Some(swapped.map_or(piece, |above| terms.concat(above, piece)));
    }
    swapped.unwrap_or(of)
}

/// A scalar from its bytes, the first lowest.
fn decode(terms: &mut Terms, scalar: Scalar, image: TermId, big_endian: bool) -> TermId {
    let value = if big_endian { swap_bytes(terms, image) } else { image };
    match scalar {
        Scalar::Bool => {
            let truth = is_true(terms, value);
            from_truth(terms, truth, 8)
        }
        Scalar::Int { .. } | Scalar::Float(_) => value,
    }
}

/// The bytes of a scalar, the first lowest.
fn encode(terms: &mut Terms, value: TermId, big_endian: bool) -> TermId {
    if big_endian { swap_bytes(terms, value) } else { value }
}

/// Where a bit-field is in its bytes, the first byte lowest on a little-endian target and highest on a big-endian one.
fn field(bits: Bits, big_endian: bool) -> (u32, u32) {
    let (offset, width) = (u32::from(bits.offset), u32::from(bits.width));
    let low = if big_endian { bits.bytes() as u32 * 8 - offset - width } else { offset };
    (low + width - 1, low)
}

/// The value that an access reads from the bytes it touches (of a bit-field, `bits.bytes()` of them), the first lowest.
pub fn load(meaning: Meaning<'_>, terms: &mut Terms, image: TermId, access: &Access) -> Option<TermId> {
    let big = meaning.types.model.big_endian;
    match (Class::of(meaning.types, access.ty)?, access.bits) {
        (Class::Scalar(scalar), Some(bits)) => {
            let (high, low) = field(bits, big);
            let whole = if big { swap_bytes(terms, image) } else { image };
            let value = terms.extract(high, low, whole);
            let value = terms.resize(scalar.signed(), scalar.width(), value);
            Some(decode(terms, scalar, value, false))
        }
        (Class::Scalar(scalar), None) => Some(decode(terms, scalar, image, big)),
        (Class::Complex { .. } | Class::Vector { .. } | Class::Image(_), _) => Some(image),
    }
}

/// The bytes that an access touches after it wrote `value`, where they were `before`; the first lowest.
pub fn store(
    meaning: Meaning<'_>,
    terms: &mut Terms,
    before: TermId,
    value: TermId,
    access: &Access,
) -> Option<TermId> {
    let big = meaning.types.model.big_endian;
    match (Class::of(meaning.types, access.ty)?, access.bits) {
        (Class::Scalar(_), Some(bits)) => {
            let (high, low) = field(bits, big);
            let whole = if big { swap_bytes(terms, before) } else { before };
            let width = terms.width(whole);
            let mut image = terms.resize(false, high - low + 1, value);
            if low > 0 {
                let below = terms.extract(low - 1, 0, whole);
                image = terms.concat(image, below);
            }
            if high + 1 < width {
                let above = terms.extract(width - 1, high + 1, whole);
                image = terms.concat(above, image);
            }
            Some(encode(terms, image, big))
        }
        (Class::Scalar(_), None) => Some(encode(terms, value, big)),
        (Class::Complex { .. } | Class::Vector { .. } | Class::Image(_), _) => Some(value),
    }
}

impl Encoder<'_> {
    fn is_big_endian(&self) -> bool {
        self.meaning.types.model.big_endian
    }
    /// The scalar at a bit of an image.
    fn piece(&mut self, scalar: Scalar, image: TermId, at: u32) -> TermId {
        let piece = self.terms.extract(at + scalar.width() - 1, at, image);
        let big = self.is_big_endian();
        decode(self.terms, scalar, piece, big)
    }
    /// The parts of a complex number.
    pub(super) fn parts(&mut self, class: Class, image: TermId) -> (TermId, TermId) {
        let Class::Complex { format, stride } = class else { panic!("{class:?} has no parts") };
        let scalar = Scalar::Float(format);
        (self.piece(scalar, image, 0), self.piece(scalar, image, stride))
    }
    /// The lanes of a vector.
    pub(super) fn lanes(&mut self, class: Class, image: TermId) -> Vec<TermId> {
        let Class::Vector { lane, lanes } = class else { panic!("{class:?} has no lanes") };
        (0..lanes).map(|i| self.piece(lane, image, i * lane.width())).collect()
    }
    /// A complex number or a vector of its parts; padding is zero.
    pub(super) fn join(&mut self, class: Class, parts: &[TermId]) -> TermId {
        let step = class.width() / parts.len() as u32;
        let big = self.is_big_endian();
        let mut image = None;
        for &part in parts {
            let bytes = encode(self.terms, part, big);
            let bytes = self.terms.resize(false, step, bytes);
            image = Some(image.map_or(bytes, |below| self.terms.concat(bytes, below)));
        }
        image.expect("a value has parts")
    }
    /// A float of 0.
    fn zero(&mut self, format: Format) -> TermId {
        self.terms.number(super::format_width(format), 0)
    }

    /// Conversion between values of any class. Vectors and records are reinterpreted.
    pub(super) fn cast(&mut self, from: Class, to: Class, a: TermId) -> TermId {
        let big = self.is_big_endian();
        match (from, to) {
            (Class::Scalar(f), Class::Scalar(g)) => self.cast_scalar(f, g, a),
            (Class::Scalar(f), Class::Complex { format, .. }) => {
                let re = self.cast_scalar(f, Scalar::Float(format), a);
                let im = self.zero(format);
                self.join(to, &[re, im])
            }
            (Class::Complex { format, .. }, Class::Scalar(g)) => {
                let (re, im) = self.parts(from, a);
                let scalar = Scalar::Float(format);
                let value = self.cast_scalar(scalar, g, re);
                if g == Scalar::Bool {
                    let other = self.cast_scalar(scalar, g, im);
                    self.terms.bit(super::BitOp::Or, value, other)
                } else {
                    value
                }
            }
            (Class::Complex { format, .. }, Class::Complex { format: target, .. }) => {
                let (re, im) = self.parts(from, a);
                let re = self.cast_scalar(Scalar::Float(format), Scalar::Float(target), re);
                let im = self.cast_scalar(Scalar::Float(format), Scalar::Float(target), im);
                self.join(to, &[re, im])
            }
            (Class::Scalar(_), Class::Vector { .. } | Class::Image(_)) => {
                let image = encode(self.terms, a, big);
                self.terms.resize(false, to.width(), image)
            }
            (Class::Vector { .. } | Class::Image(_), Class::Scalar(g)) => {
                let image = self.terms.resize(false, g.width(), a);
                decode(self.terms, g, image, big)
            }
            (
                Class::Complex { .. } | Class::Vector { .. } | Class::Image(_),
                Class::Complex { .. } | Class::Vector { .. } | Class::Image(_),
            ) => self.terms.resize(false, to.width(), a),
        }
    }
}
