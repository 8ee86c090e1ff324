//! The form in which bodies are run: data only.
//!
//! A body becomes one array of operations on slots; jumps are indices into it. Every operand is one [`Src`], read without a
//! branch. What is rare is in side tables ([`Slow`], [`CallSite`], [`Table`]), so that an [`Op`] stays at 24 bytes.

use rustc_hash::FxHashMap;

use super::value::{Class, Scalar, Shape};
use super::watch::Probe;
use crate::ir::{BinOp, Bits, CmpOp, FuncId, Intrinsic, UnOp, ValueId};
use crate::source::Place;

/// Where an operand is: a slot of the register stack, which begins with all constants of the program. If `RELATIVE` is set, the
/// slot counts from the frame's first; if `FRAME` is set, the slot's content is an offset in the frame's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Src(pub u32);

impl Src {
    pub const RELATIVE: u32 = 1 << 31;
    pub const FRAME: u32 = 1 << 30;
    const INDEX: u32 = Src::FRAME - 1;

    /// A register of the frame.
    pub fn register(slot: u32) -> Src {
        Src(slot | Src::RELATIVE)
    }
    /// The slot, in a frame whose registers begin at `base`.
    #[inline]
    pub fn slot(self, base: usize) -> usize {
        let relative = ((self.0 as i32) >> 31) as isize as usize;
        (self.0 & Src::INDEX) as usize + (base & relative)
    }
    /// What to add to the content of the slot, in a frame whose memory begins at `frame`.
    #[inline]
    pub fn bias(self, frame: u64) -> u64 {
        frame & 0u64.wrapping_sub(u64::from(self.0 >> 30 & 1))
    }
}

/// An operation. `dst` is a slot of the frame.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub(super) enum Op {
    Move { dst: u32, src: Src },
    MoveMany { dst: u32, src: Src, slots: u32 },
    /// Integers of at most 64 bits.
    Int { op: BinOp, shape: Shape, dst: u32, a: Src, b: Src },
    Negate { shape: Shape, dst: u32, a: Src },
    Complement { shape: Shape, dst: u32, a: Src },
    Compare { op: CmpOp, signed: bool, dst: u32, a: Src, b: Src },
    Double { op: BinOp, dst: u32, a: Src, b: Src },
    Single { op: BinOp, dst: u32, a: Src, b: Src },
    CompareDouble { op: CmpOp, dst: u32, a: Src, b: Src },
    CompareSingle { op: CmpOp, dst: u32, a: Src, b: Src },
    /// Conversion between integers.
    Wrap { shape: Shape, dst: u32, a: Src },
    /// Conversion to `_Bool`.
    Truth { dst: u32, a: Src },
    IntToDouble { signed: bool, dst: u32, a: Src },
    /// `base + index * stride`
    Element { dst: u32, base: Src, index: Src, stride: u64 },
    /// `base + offset`
    Offset { dst: u32, base: Src, offset: u64 },
    /// `(a - b) / stride`
    Difference { shape: Shape, dst: u32, a: Src, b: Src, stride: u64 },
    /// A scalar of one slot, little-endian.
    Load { shape: Shape, dst: u32, addr: Src },
    Store { bytes: u8, addr: Src, value: Src },
    LoadImage { dst: u32, addr: Src, bytes: u64 },
    StoreImage { addr: Src, value: Src, bytes: u64 },
    Slow(u32),
    Call(u32),
    /// Only where a run is watched.
    Probe(u32),
    /// `cost`: how many instructions the block that ends here has.
    Jump { cost: u32, target: u32 },
    Branch { cost: u32, cond: Src, then: u32, otherwise: u32 },
    Switch { cost: u32, value: Src, table: u32 },
    Indirect { cost: u32, addr: Src, table: u32 },
    Return { cost: u32, value: Src, slots: u32 },
    Unreachable,
}

/// What is rare.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub(super) enum Slow {
    Unary { op: UnOp, class: Class, dst: u32, a: Src },
    /// `right`: the class of `b`, which differs for shifts.
    Binary { op: BinOp, class: Class, right: Class, dst: u32, a: Src, b: Src },
    Compare { op: CmpOp, class: Class, result: Class, dst: u32, a: Src, b: Src },
    Cast { from: Class, to: Class, dst: u32, a: Src },
    Load { scalar: Scalar, dst: u32, addr: Src },
    Store { scalar: Scalar, addr: Src, value: Src },
    LoadBits { scalar: Scalar, bits: Bits, dst: u32, addr: Src },
    StoreBits { scalar: Scalar, bits: Bits, addr: Src, value: Src },
    VaStart { list: Src },
    VaArg { class: Class, dst: u32, list: Src },
    VaCopy { to: Src, from: Src },
    Alloca { dst: u32, size: Src, align: u64 },
    Intrinsic { which: Intrinsic, overflow: Option<Scalar>, class: Class, dst: u32, args: Vec<(Src, Class)> },
    Trap(String),
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct CallSite {
    /// The call instruction.
    pub inst: ValueId,
    pub callee: Target,
    pub args: Vec<(Src, Class)>,
    /// Where the result goes, unless it is `void`.
    pub dst: u32,
    pub result: Class,
    /// All arguments are of the parameters' classes, no more and no fewer: they are copied slot by slot.
    pub plain: bool,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Direct(FuncId),
    Pointer(Src),
}

/// Where a `switch` or a computed `goto` leads.
#[derive(Clone, Debug)]
pub(super) enum Table {
    /// Value `first + i` (in the order of [`key`]) leads to entry `i`.
    Dense { signed: bool, first: u64, targets: Vec<u32>, default: u32 },
    /// Ranges of keys in ascending order.
    Sparse { signed: bool, ranges: Vec<(u64, u64, u32)>, default: u32 },
    /// Ranges of 128-bit values.
    Wide { signed: bool, ranges: Vec<(u128, u128, u32)>, default: u32 },
    /// Addresses of labels.
    Labels(FxHashMap<u64, u32>),
}

/// A canonical integer as an unsigned number in the same order.
#[inline]
pub(super) fn key(value: u64, signed: bool) -> u64 {
    value ^ (u64::from(signed) << 63)
}

/// The parameters of a function and what its frame takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// First slot of each parameter; `None` if the body does not use it.
    pub params: Vec<(Option<u32>, Class)>,
    pub result: Option<Class>,
    pub variadic: bool,
    /// Slots of the frame.
    pub slots: u32,
    /// Bytes of the frame's memory, a multiple of `LINE`, its alignment, and which of them are of objects.
    pub bytes: u64,
    pub align: u64,
    pub masks: Vec<u64>,
    /// Offset of each local; `None` if nothing names it.
    pub locals: Vec<Option<u64>>,
}

/// A body ready to run.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub layout: Layout,
    pub ops: Vec<Op>,
    pub places: Vec<Place>,
    pub slow: Vec<Slow>,
    pub calls: Vec<CallSite>,
    pub tables: Vec<Table>,
    pub probes: Vec<Probe>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_found() {
        assert_eq!(Src(7).slot(100), 7);
        assert_eq!(Src::register(7).slot(100), 107);
        assert_eq!(Src(7 | Src::FRAME).slot(100), 7);
        assert_eq!((Src(7 | Src::FRAME).bias(5000), Src::register(3).bias(5000)), (5000, 0));
        assert!(size_of::<Op>() <= 24);
        assert!(key(u64::MAX, true) < key(0, true) && key(u64::MAX, false) > key(0, false));
    }
}
