//! Sets of integers of the form `low, low + step, …, high`: an interval and a congruence in one.
//!
//! Invariant: never empty; `step` is 0 exactly if there is one number; `high` is a member. What could be empty is an `Option`.

use crate::ir::CmpOp;

/// The integers of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Bits, at most 64.
    pub width: u32,
    /// Whether there are negative ones.
    pub signed: bool,
    /// `_Bool`: only 0 and 1, whatever the width.
    pub bool: bool,
}

impl Kind {
    /// The least number.
    pub fn least(self) -> i128 {
        if self.signed && !self.bool { -(1 << (self.width - 1)) } else { 0 }
    }
    /// The greatest number.
    pub fn greatest(self) -> i128 {
        match (self.bool, self.signed) {
            (true, _) => 1,
            (false, true) => (1 << (self.width - 1)) - 1,
            (false, false) => (1 << self.width) - 1,
        }
    }
    /// All of them.
    pub fn full(self) -> Range {
        Range::all(self.least(), self.greatest())
    }
    /// Whether all numbers of a range are of this type.
    pub fn holds(self, range: Range) -> bool {
        self.least() <= range.low && range.high <= self.greatest()
    }
}

/// A set of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    low: i128,
    high: i128,
    step: i128,
}

/// The greatest common divisor; that of 0 and 0 is 0.
fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

#[allow(clippy::should_implement_trait, reason = "results are ranges that hold all results, some of them optional")]
impl Range {
    /// One number.
    pub fn one(number: i128) -> Range {
        Range { low: number, high: number, step: 0 }
    }
    /// All numbers between two, which are in order.
    pub fn all(low: i128, high: i128) -> Range {
        Range::stepping(low, high, 1)
    }
    /// The numbers from `low` on in steps, up to `high`.
    fn stepping(low: i128, high: i128, step: i128) -> Range {
        assert!(low <= high, "{low} to {high}");
        let step = if step == 0 { 1 } else { step };
        let high = high - (high - low) % step;
        Range { low, high, step: if low == high { 0 } else { step } }
    }
    /// The least member.
    pub fn low(self) -> i128 {
        self.low
    }
    /// The greatest member.
    pub fn high(self) -> i128 {
        self.high
    }
    /// How far members are apart; 0 if there is only one.
    pub fn step(self) -> i128 {
        self.step
    }
    /// The only member.
    pub fn only(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }
    /// Whether a number is a member.
    pub fn contains(self, number: i128) -> bool {
        self.low <= number && number <= self.high && (self.step == 0 || (number - self.low) % self.step == 0)
    }
    /// All that is in one of two.
    #[must_use]
    pub fn join(self, other: Range) -> Range {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        let step = gcd(gcd(self.step, other.step), self.low - other.low);
        Range::stepping(low, high, step)
    }
    /// The members between two numbers.
    pub fn within(self, low: i128, high: i128) -> Option<Range> {
        let step = self.step.max(1);
        let first = if low <= self.low { self.low } else { self.low + (low - self.low + step - 1) / step * step };
        let last = high.min(self.high);
        (first <= last).then(|| Range::stepping(first, last, self.step))
    }
    /// Members of both, and maybe others of this one.
    pub fn meet(self, other: Range) -> Option<Range> {
        if let Some(number) = other.only() {
            return self.contains(number).then_some(other);
        }
        if let Some(number) = self.only() {
            return other.contains(number).then_some(self);
        }
        let (finer, coarser) = if self.step >= other.step { (other, self) } else { (self, other) };
        coarser.within(finer.low, finer.high)
    }
    /// Without one number, if that is at an end.
    pub fn without(self, number: i128) -> Option<Range> {
        match (number == self.low, number == self.high) {
            (true, true) => None,
            (true, false) => self.within(self.low + 1, self.high),
            (false, true) => self.within(self.low, self.high - 1),
            (false, false) => Some(self),
        }
    }
    /// What may come to be when a range keeps growing beyond this one: its ends go to the next of the marks, which are sorted, or of the type.
    #[must_use]
    pub fn widened(self, grown: Range, kind: Kind, marks: &[i128]) -> Range {
        let step = gcd(gcd(self.step, grown.step), self.low - grown.low).max(1);
        let mut low = grown.low;
        if grown.low < self.low {
            let mark = marks.iter().rev().copied().find(|m| *m <= grown.low).unwrap_or(kind.least());
            let mark = mark.max(kind.least());
            low = grown.low - (grown.low - mark) / step * step;
        }
        let mut high = grown.high;
        if grown.high > self.high {
            let mark = marks.iter().copied().find(|m| *m >= grown.high).unwrap_or(kind.greatest());
            high = mark.min(kind.greatest());
        }
        Range::stepping(low, high.max(low), step)
    }

    /// The sums; exact.
    #[must_use]
    pub fn add(self, other: Range) -> Range {
        Range::stepping(self.low + other.low, self.high + other.high, gcd(self.step, other.step))
    }
    /// The negations; exact.
    #[must_use]
    pub fn neg(self) -> Range {
        Range::stepping(-self.high, -self.low, self.step)
    }
    /// The products; exact. `None` if they are too large.
    pub fn mul(self, other: Range) -> Option<Range> {
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for (a, b) in ends {
            let product = a.checked_mul(b).filter(|p| p.unsigned_abs() < 1 << 100)?;
            (low, high) = (low.min(product), high.max(product));
        }
        let step = match (self.only(), other.only()) {
            (Some(factor), _) => factor.checked_mul(other.step)?.abs(),
            (None, Some(factor)) => factor.checked_mul(self.step)?.abs(),
            (None, None) => 1,
        };
        Some(Range::stepping(low, high, step))
    }
    /// The quotients by a positive number, cut towards zero.
    #[must_use]
    pub fn div(self, by: i128) -> Range {
        Range::all(self.low / by, self.high / by)
    }
    /// The remainders after division by a positive number, with the sign of what is divided.
    #[must_use]
    pub fn rem(self, by: i128) -> Range {
        if self.low / by == self.high / by && (self.low >= 0 || self.high <= 0) {
            return Range::stepping(self.low % by, self.high % by, self.step);
        }
        let low = if self.low >= 0 { 0 } else { self.low.max(1 - by) };
        let high = if self.high <= 0 { 0 } else { self.high.min(by - 1) };
        if self.low < 0 {
            return Range::all(low, high);
        }
        let step = gcd(self.step, by).max(1);
        let first = self.low % step;
        Range::stepping(first, high.max(first), step)
    }
    /// Conjunction of the bits with those of a number that is not negative.
    #[must_use]
    pub fn mask(self, mask: i128) -> Range {
        if mask == 0 {
            return Range::one(0);
        }
        let is_low_bits = mask & (mask + 1) == 0;
        if is_low_bits {
            // The remainder by a power of two, read as unsigned.
            let by = mask + 1;
            if self.low.div_euclid(by) == self.high.div_euclid(by) {
                return Range::stepping(self.low.rem_euclid(by), self.high.rem_euclid(by), self.step);
            }
            let step = gcd(self.step, by).max(1);
            return Range::stepping(self.low.rem_euclid(step), mask, step);
        }
        let high = if self.low >= 0 { mask.min(self.high) } else { mask };
        let unit = mask & -mask;
        Range::stepping(0, high.max(0), unit)
    }
    /// Shifted to the right, the sign kept.
    #[must_use]
    pub fn shift_right(self, by: u32) -> Range {
        Range::all(self.low >> by, self.high >> by)
    }

    /// Exact results brought into a type that wraps around.
    #[must_use]
    pub fn wrapped(self, kind: Kind) -> Range {
        if kind.holds(self) {
            return self;
        }
        if kind.bool {
            return kind.full();
        }
        let size = 1i128 << kind.width;
        let turn = (self.low - kind.least()).div_euclid(size);
        if turn == (self.high - kind.least()).div_euclid(size) {
            return Range::stepping(self.low - turn * size, self.high - turn * size, self.step);
        }
        let step = gcd(self.step, size).max(1);
        let first = kind.least() + (self.low - kind.least()).rem_euclid(step);
        Range::stepping(first, kind.greatest(), step)
    }
    /// Exact results that are known to fit into a type; `None` if none does.
    pub fn fitting(self, kind: Kind) -> Option<Range> {
        self.within(kind.least(), kind.greatest())
    }
    /// Whether a comparison of members holds: of all, or of none; `None` if that depends.
    pub fn compared(self, op: CmpOp, other: Range) -> Option<bool> {
        let less = |a: Range, b: Range| (a.high < b.low).then_some(true).or((a.low >= b.high).then_some(false));
        match op {
            CmpOp::Lt => less(self, other),
            CmpOp::Gt => less(other, self),
            CmpOp::Le => less(other, self).map(|holds| !holds),
            CmpOp::Ge => less(self, other).map(|holds| !holds),
            CmpOp::Eq | CmpOp::Ne => {
                let equal = if self.only().is_some() && self == other {
                    Some(true)
                } else {
                    self.meet(other).or_else(|| other.meet(self)).is_none().then_some(false)
                };
                equal.map(|equal| equal == (op == CmpOp::Eq))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges with few members, near zero.
    fn few() -> Vec<Range> {
        let mut found = Vec::new();
        for low in -6..6 {
            for high in low..(low + 9) {
                for step in 1..4 {
                    found.push(Range::stepping(low, high, step));
                }
            }
        }
        found.dedup();
        found
    }
    fn members(range: Range) -> Vec<i128> {
        (range.low..=range.high).filter(|n| range.contains(*n)).collect()
    }

    #[test]
    fn what_is_computed_of_one_range_has_the_results_of_all_members() {
        let kinds = [(3, true, false), (3, false, false), (4, true, false), (8, false, true)];
        for range in few() {
            assert!(range.contains(range.high), "{range:?}");
            for number in members(range) {
                for by in 1..6 {
                    assert!(range.div(by).contains(number / by), "{range:?} / {by}");
                    assert!(range.rem(by).contains(number % by), "{range:?} % {by}: {:?}", range.rem(by));
                }
                for mask in 0..14 {
                    assert!(range.mask(mask).contains(number & mask), "{range:?} & {mask}: {:?}", range.mask(mask));
                }
                assert!(range.shift_right(1).contains(number >> 1) && range.neg().contains(-number));
                assert!((-7..16).all(|low| {
                    let cut = range.within(low, low + 4);
                    (low..=low + 4).contains(&number) == cut.is_some_and(|cut| cut.contains(number))
                }));
                assert!((-7..16).all(|gone| gone == number || range.without(gone).is_some_and(|r| r.contains(number))));
                for (width, signed, bool) in kinds.into_iter().filter(|(.., bool)| !bool) {
                    let kind = Kind { width, signed, bool };
                    let wrapped = (number - kind.least()).rem_euclid(1 << width) + kind.least();
                    assert!(range.wrapped(kind).contains(wrapped), "{range:?} in {kind:?}: {:?}", range.wrapped(kind));
                    let fits = (kind.least()..=kind.greatest()).contains(&number);
                    assert_eq!(fits, range.fitting(kind).is_some_and(|cut| cut.contains(number)));
                }
            }
        }
    }

    #[test]
    fn what_is_computed_of_two_ranges_has_the_results_of_all_pairs() {
        let all: Vec<Range> = few().into_iter().step_by(3).collect();
        let ops = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];
        for a in &all {
            for b in &all {
                let (joined, met) = (a.join(*b), a.meet(*b));
                let grown = a.widened(joined, Kind { width: 6, signed: true, bool: false }, &[-8, 0, 9]);
                for x in members(*a) {
                    assert!(joined.contains(x) && grown.contains(x), "{a:?} {b:?}");
                    for y in members(*b) {
                        assert!(joined.contains(y) && grown.contains(y), "{a:?} {b:?}: {grown:?}");
                        assert!(x != y || met.is_some_and(|met| met.contains(x)), "{a:?} and {b:?}: {met:?}");
                        assert!(a.add(*b).contains(x + y));
                        assert!(a.mul(*b).is_some_and(|product| product.contains(x * y)), "{a:?} * {b:?}");
                        for op in ops {
                            let truth = match op {
                                CmpOp::Eq => x == y,
                                CmpOp::Ne => x != y,
                                CmpOp::Lt => x < y,
                                CmpOp::Le => x <= y,
                                CmpOp::Gt => x > y,
                                CmpOp::Ge => x >= y,
                            };
                            assert!(a.compared(op, *b).is_none_or(|said| said == truth), "{a:?} {op:?} {b:?}");
                        }
                    }
                }
            }
        }
    }
}
