//! Arithmetic on constant floats, by the formats' own rules.

use std::sync::LazyLock;

use super::number::BitVec;
use super::term::{FloatOp, FloatOrder, Format, format_width};
use crate::ir::{BinOp, CmpOp, Int, fold};
use crate::source::DataModel;

/// [`fold`] is asked about x86-64, where each format has a type.
static MODEL: LazyLock<DataModel> = LazyLock::new(DataModel::lp64);

fn int(number: &BitVec) -> Int {
    Int::new(number.low() as i128)
}

/// The bits, or `None` if they are no number.
fn number(format: Format, bits: Int) -> Option<BitVec> {
    let bits = BitVec::new(format_width(format), bits.bits());
    (!is_nan(format, &bits)).then_some(bits)
}

/// Arithmetic; `None` if the result is not a number.
pub(super) fn binary(format: Format, op: FloatOp, a: &BitVec, b: &BitVec) -> Option<BitVec> {
    let op = match op {
        FloatOp::Add => BinOp::Add,
        FloatOp::Sub => BinOp::Sub,
        FloatOp::Mul => BinOp::Mul,
        FloatOp::Div => BinOp::Div,
    };
    number(format, fold::float_binary(&MODEL, format.kind(), op, int(a), int(b))?)
}

/// Comparison.
pub(super) fn compare(format: Format, op: FloatOrder, a: &BitVec, b: &BitVec) -> bool {
    let op = match op {
        FloatOrder::Eq => CmpOp::Eq,
        FloatOrder::Lt => CmpOp::Lt,
        FloatOrder::Le => CmpOp::Le,
    };
    fold::float_compare(&MODEL, format.kind(), op, int(a), int(b))
}

/// Whether it is not a number.
pub(super) fn is_nan(format: Format, a: &BitVec) -> bool {
    fold::float_compare(&MODEL, format.kind(), CmpOp::Ne, int(a), int(a))
}

/// From an integer of at most 128 bits.
pub(super) fn from_int(format: Format, signed: bool, a: &BitVec) -> BitVec {
    let value = a.resize(128, signed).low() as i128;
    BitVec::new(format_width(format), fold::int_to_float(&MODEL, value, !signed, format.kind()).bits())
}

/// To an integer of at most 128 bits, towards zero; `None` if it does not fit.
pub(super) fn to_int(format: Format, signed: bool, width: u32, a: &BitVec) -> Option<BitVec> {
    // By way of 128 bits: the library knows no signed integer of one bit.
    let whole = BitVec::new(128, fold::float_to_int(&MODEL, format.kind(), int(a), 128, signed)? as u128);
    let cut = whole.resize(width, false);
    (cut.resize(128, signed) == whole).then_some(cut)
}

/// To another format; `None` if it is not a number.
pub(super) fn convert(from: Format, to: Format, a: &BitVec) -> Option<BitVec> {
    if is_nan(from, a) {
        return None;
    }
    number(to, fold::float_to_float(&MODEL, from.kind(), to.kind(), int(a)))
}

/// The sign bit inverted.
pub(super) fn neg(a: &BitVec) -> BitVec {
    a.xor(&BitVec::new(a.width(), 1 << (a.width() - 1)))
}
