//! Constant bit-vectors of any width, with the arithmetic of SMT-LIB.
//!
//! Up to 128 bits are kept in place: nearly all numbers of C. Wider ones are images of records and exact products.
//!
//! Invariant: bits past the width are zero, and there are exactly as many limbs as the width needs, so equal numbers are equal
//! values. Cost: linear in the width, products and quotients of more than 128 bits quadratic.

use std::cmp::Ordering;
use std::fmt;

const LIMB: u32 = 128;

/// A bit-vector of at least one bit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BitVec {
    width: u32,
    low: u128,
    /// The bits from 128 on.
    rest: Vec<u128>,
}

impl BitVec {
    /// The low bits of `value`, zero-extended where `width` is more than 128.
    pub fn new(width: u32, value: u128) -> BitVec {
        assert!(width > 0, "a bit-vector has bits");
        if width <= LIMB {
            return BitVec { width, low: value & (u128::MAX >> (LIMB - width)), rest: Vec::new() };
        }
        let mut limbs = vec![0; Self::limbs_of(width)];
        limbs[0] = value;
        Self::from_limbs(width, limbs)
    }
    /// The low bits of `value`, sign-extended where `width` is more than 128.
    pub fn signed(width: u32, value: i128) -> BitVec {
        if width <= LIMB {
            return BitVec::new(width, value as u128);
        }
        let mut limbs = vec![if value < 0 { u128::MAX } else { 0 }; Self::limbs_of(width)];
        limbs[0] = value as u128;
        Self::from_limbs(width, limbs)
    }
    /// Zero.
    pub fn zero(width: u32) -> BitVec {
        BitVec::new(width, 0)
    }
    /// All bits set.
    pub fn ones(width: u32) -> BitVec {
        BitVec::signed(width, -1)
    }
    /// From bytes, the first lowest.
    pub fn from_bytes(bytes: &[u8]) -> BitVec {
        let limb = |chunk: &[u8]| chunk.iter().rev().fold(0u128, |limb, byte| (limb << 8) | u128::from(*byte));
        Self::from_limbs(bytes.len() as u32 * 8, bytes.chunks(16).map(limb).collect())
    }
    /// From digits of base 2 or 16, the most significant first; `None` if there are none, or another character.
    pub fn parse(radix: u32, digits: &str) -> Option<BitVec> {
        let step = if radix == 16 { 4 } else { 1 };
        let mut number: Option<BitVec> = None;
        for c in digits.chars() {
            let digit = BitVec::new(step, u128::from(c.to_digit(radix)?));
            number = Some(number.map_or(digit.clone(), |high| high.concat(&digit)));
        }
        number
    }

    fn limbs_of(width: u32) -> usize {
        width.div_ceil(LIMB) as usize
    }
    fn from_limbs(width: u32, mut limbs: Vec<u128>) -> BitVec {
        limbs.resize(Self::limbs_of(width), 0);
        let spare = Self::limbs_of(width) as u32 * LIMB - width;
        if let Some(last) = limbs.last_mut() {
            *last &= u128::MAX >> spare;
        }
        let rest = limbs.split_off(1);
        BitVec { width, low: limbs[0], rest }
    }
    fn limbs(&self) -> impl DoubleEndedIterator<Item = u128> + '_ {
        std::iter::once(self.low).chain(self.rest.iter().copied())
    }
    fn limb(&self, index: usize) -> u128 {
        if index == 0 { self.low } else { self.rest.get(index - 1).copied().unwrap_or(0) }
    }

    /// How many bits.
    pub fn width(&self) -> u32 {
        self.width
    }
    /// The number, if it is below 2^128.
    pub fn to_u128(&self) -> Option<u128> {
        self.rest.iter().all(|limb| *limb == 0).then_some(self.low)
    }
    /// The low 128 bits.
    pub fn low(&self) -> u128 {
        self.low
    }
    /// The number read as signed, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        let low = self.resize(LIMB, true);
        (low.resize(self.width.max(LIMB), true) == self.resize(self.width.max(LIMB), true)).then_some(low.low as i128)
    }
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.limbs().all(|limb| limb == 0)
    }
    /// Whether all bits are set.
    pub fn is_ones(&self) -> bool {
        *self == BitVec::ones(self.width)
    }
    /// Bit `index`, 0 the lowest.
    pub fn bit(&self, index: u32) -> bool {
        self.limb((index / LIMB) as usize) >> (index % LIMB) & 1 == 1
    }
    /// The highest bit.
    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// With another width: cut, or extended as said.
    #[must_use]
    pub fn resize(&self, width: u32, signed: bool) -> BitVec {
        if width <= LIMB && (width <= self.width || !signed || !self.sign()) {
            return BitVec::new(width, self.low);
        }
        let mut limbs: Vec<u128> = self.limbs().collect();
        if signed && self.sign() {
            let spare = limbs.len() as u32 * LIMB - self.width;
            if let Some(last) = limbs.last_mut()
                && spare > 0
            {
                *last |= u128::MAX << (LIMB - spare);
            }
            limbs.resize(Self::limbs_of(width).max(limbs.len()), u128::MAX);
        }
        Self::from_limbs(width, limbs)
    }
    /// The bits `low` to `high`, both included.
    #[must_use]
    pub fn extract(&self, high: u32, low: u32) -> BitVec {
        self.shift_right(low).resize(high - low + 1, false)
    }
    /// `self` above `low`.
    #[must_use]
    pub fn concat(&self, low: &BitVec) -> BitVec {
        let width = self.width + low.width;
        self.resize(width, false).shift_left(low.width).or(&low.resize(width, false))
    }

    fn shift_left(&self, count: u32) -> BitVec {
        if self.width <= LIMB {
            return BitVec::new(self.width, self.low.checked_shl(count).unwrap_or(0));
        }
        let (whole, part) = ((count / LIMB) as usize, count % LIMB);
        let limb = |i: usize| {
            let below = |i: usize| i.checked_sub(whole).map_or(0, |i| self.limb(i));
            let carried = if part == 0 || i == 0 { 0 } else { below(i - 1) >> (LIMB - part) };
            (below(i) << part) | carried
        };
        Self::from_limbs(self.width, (0..Self::limbs_of(self.width)).map(limb).collect())
    }
    fn shift_right(&self, count: u32) -> BitVec {
        if self.width <= LIMB {
            return BitVec::new(self.width, self.low.checked_shr(count).unwrap_or(0));
        }
        let (whole, part) = ((count / LIMB) as usize, count % LIMB);
        let limb = |i: usize| {
            let carried = if part == 0 { 0 } else { self.limb(i + whole + 1) << (LIMB - part) };
            (self.limb(i + whole) >> part) | carried
        };
        Self::from_limbs(self.width, (0..Self::limbs_of(self.width)).map(limb).collect())
    }
    /// The shift count that a number is: at most the width, since more does no more.
    fn count(&self) -> u32 {
        self.to_u128().map_or(self.width, |count| count.min(u128::from(self.width)) as u32)
    }
    /// Shifted left; zero from the width on.
    #[must_use]
    pub fn shl(&self, count: &BitVec) -> BitVec {
        let count = count.count();
        if count >= self.width { BitVec::zero(self.width) } else { self.shift_left(count) }
    }
    /// Shifted right, zeros coming in.
    #[must_use]
    pub fn lshr(&self, count: &BitVec) -> BitVec {
        let count = count.count();
        if count >= self.width { BitVec::zero(self.width) } else { self.shift_right(count) }
    }
    /// Shifted right, copies of the sign coming in.
    #[must_use]
    pub fn ashr(&self, count: &BitVec) -> BitVec {
        if self.sign() { self.not().lshr(count).not() } else { self.lshr(count) }
    }

    fn zip(&self, other: &BitVec, f: impl Fn(u128, u128) -> u128) -> BitVec {
        if self.width <= LIMB {
            return BitVec::new(self.width, f(self.low, other.low));
        }
        Self::from_limbs(self.width, self.limbs().zip(other.limbs()).map(|(a, b)| f(a, b)).collect())
    }
    /// Bit by bit.
    #[must_use]
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a & b)
    }
    /// Bit by bit.
    #[must_use]
    pub fn or(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a | b)
    }
    /// Bit by bit.
    #[must_use]
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a ^ b)
    }
    /// Bit by bit.
    #[must_use]
    pub fn not(&self) -> BitVec {
        self.zip(self, |a, _| !a)
    }

    /// The sum, wrapped.
    #[must_use]
    pub fn add(&self, other: &BitVec) -> BitVec {
        if self.width <= LIMB {
            return BitVec::new(self.width, self.low.wrapping_add(other.low));
        }
        let mut carry = false;
        let mut limbs = Vec::with_capacity(1 + self.rest.len());
        for (a, b) in self.limbs().zip(other.limbs()) {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(u128::from(carry));
            carry = first || second;
            limbs.push(sum);
        }
        Self::from_limbs(self.width, limbs)
    }
    /// The two's complement.
    #[must_use]
    pub fn neg(&self) -> BitVec {
        self.not().add(&BitVec::new(self.width, 1))
    }
    /// The difference, wrapped.
    #[must_use]
    pub fn sub(&self, other: &BitVec) -> BitVec {
        self.add(&other.neg())
    }
    /// The product, wrapped.
    #[must_use]
    pub fn mul(&self, other: &BitVec) -> BitVec {
        if self.width <= LIMB {
            return BitVec::new(self.width, self.low.wrapping_mul(other.low));
        }
        let mut sum = BitVec::zero(self.width);
        for i in (0..self.width).filter(|i| other.bit(*i)) {
            sum = sum.add(&self.shift_left(i));
        }
        sum
    }
    /// Quotient and remainder as unsigned numbers; as SMT-LIB says, by zero they are all ones and the dividend.
    fn divide(&self, other: &BitVec) -> (BitVec, BitVec) {
        if other.is_zero() {
            return (BitVec::ones(self.width), self.clone());
        }
        if self.width <= LIMB {
            return (BitVec::new(self.width, self.low / other.low), BitVec::new(self.width, self.low % other.low));
        }
        // One bit more, so that the doubled remainder fits.
        let divisor = other.resize(self.width + 1, false);
        let mut quotient = BitVec::zero(self.width);
        let mut remainder = BitVec::zero(self.width + 1);
        let one = BitVec::new(self.width + 1, 1);
        for i in (0..self.width).rev() {
            remainder = remainder.shift_left(1);
            if self.bit(i) {
                remainder = remainder.or(&one);
            }
            quotient = quotient.shift_left(1);
            if remainder.ucmp(&divisor).is_ge() {
                remainder = remainder.sub(&divisor);
                quotient = quotient.or(&one.resize(self.width, false));
            }
        }
        (quotient, remainder.resize(self.width, false))
    }
    /// The unsigned quotient; all ones if the divisor is zero.
    #[must_use]
    pub fn udiv(&self, other: &BitVec) -> BitVec {
        self.divide(other).0
    }
    /// The unsigned remainder; the dividend if the divisor is zero.
    #[must_use]
    pub fn urem(&self, other: &BitVec) -> BitVec {
        self.divide(other).1
    }
    fn magnitude(&self) -> BitVec {
        if self.sign() { self.neg() } else { self.clone() }
    }
    /// The signed quotient, towards zero; 1 or -1 if the divisor is zero.
    #[must_use]
    pub fn sdiv(&self, other: &BitVec) -> BitVec {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.sign() == other.sign() { quotient } else { quotient.neg() }
    }
    /// The signed remainder, with the sign of the dividend; the dividend if the divisor is zero.
    #[must_use]
    pub fn srem(&self, other: &BitVec) -> BitVec {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.sign() { remainder.neg() } else { remainder }
    }

    /// Compares as unsigned numbers of the same width.
    pub fn ucmp(&self, other: &BitVec) -> Ordering {
        self.limbs().rev().cmp(other.limbs().rev())
    }
    /// Compares as signed numbers of the same width.
    pub fn scmp(&self, other: &BitVec) -> Ordering {
        other.sign().cmp(&self.sign()).then_with(|| self.ucmp(other))
    }
}

/// As SMT-LIB writes it: `#x2a`, or `#b101` where the width is no multiple of 4.
impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.width.is_multiple_of(4) {
            f.write_str("#b")?;
            return (0..self.width).rev().try_for_each(|i| f.write_str(if self.bit(i) { "1" } else { "0" }));
        }
        f.write_str("#x")?;
        (0..self.width / 4).rev().try_for_each(|i| write!(f, "{:x}", self.extract(4 * i + 3, 4 * i).low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A number of `width` bits whose top is that of `high`.
    fn wide(width: u32, high: u128, low: u128) -> BitVec {
        BitVec::new(128, high).concat(&BitVec::new(128, low)).resize(width, false)
    }

    proptest! {
        #[test]
        fn wide_arithmetic_obeys_the_laws_of_rings_and_division(a: (u128, u128), b: (u128, u128), width in 129u32..257) {
            let (x, y) = (wide(width, a.0, a.1), wide(width, b.0 >> (b.1 % 128), b.1));
            prop_assert_eq!(x.add(&y).sub(&y), x.clone());
            prop_assert_eq!(x.mul(&y), y.mul(&x));
            if !y.is_zero() {
                prop_assert_eq!(x.udiv(&y).mul(&y).add(&x.urem(&y)), x.clone());
                prop_assert!(x.urem(&y).ucmp(&y).is_lt());
                prop_assert_eq!(x.sdiv(&y).mul(&y).add(&x.srem(&y)), x.clone());
            }
            prop_assert_eq!(x.extract(width - 1, 100).concat(&x.extract(99, 0)), x);
        }

        #[test]
        fn narrow_arithmetic_is_that_of_the_machine(a: i64, b: i64, n in 0u32..70) {
            let (x, y) = (BitVec::signed(64, i128::from(a)), BitVec::signed(64, i128::from(b)));
            let num = |v: i64| BitVec::new(64, u128::from(v as u64));
            prop_assert_eq!(x.mul(&y), num(a.wrapping_mul(b)));
            prop_assert_eq!(x.sub(&y), num(a.wrapping_sub(b)));
            if b != 0 {
                prop_assert_eq!(x.sdiv(&y), num(a.wrapping_div(b)));
                prop_assert_eq!(x.srem(&y), num(a.wrapping_rem(b)));
                prop_assert_eq!(x.udiv(&y), num(((a as u64) / (b as u64)) as i64));
            }
            let count = BitVec::new(64, u128::from(n));
            prop_assert_eq!(x.shl(&count), num(a.checked_shl(n).unwrap_or(0)));
            prop_assert_eq!(x.ashr(&count), num(a >> n.min(63)));
            prop_assert_eq!(x.scmp(&y), a.cmp(&b));
            prop_assert_eq!(x.ucmp(&y), (a as u64).cmp(&(b as u64)));
            prop_assert_eq!(x.resize(200, true).to_i128(), Some(i128::from(a)));
            prop_assert_eq!(x.resize(200, true).extract(199, 64).is_ones(), a < 0);
        }
    }

    #[test]
    fn numbers_are_written_and_read_as_smt_lib_does() {
        assert_eq!(BitVec::new(12, 0xabc).to_string(), "#xabc");
        assert_eq!(BitVec::new(3, 5).to_string(), "#b101");
        assert_eq!(BitVec::parse(16, "0abc"), Some(BitVec::new(16, 0xabc)));
        assert_eq!(BitVec::parse(2, "12"), None);
        assert_eq!(BitVec::from_bytes(&[1, 2]).low(), 0x201);
    }
}
