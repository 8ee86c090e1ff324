//! Reads that see a write only if their indices are equal.

use super::leaves::Run;
use super::values::{FrameId, Values};
use crate::ir::InstKind;
use crate::sdg::{NodeId, NodeKind};
use crate::solve::term::{BitOp, Node, TermId, Terms};

/// An address as `base + stride * index + offset`; without an index the stride is 0.
struct Place {
    base: TermId,
    index: Option<TermId>,
    stride: u128,
    offset: u128,
}

impl Values<'_> {
    /// That a load reads what a store wrote, as an equation between their indices; `None` if that cannot be said so simply, or if the runs may
    /// not agree on the addresses.
    pub fn same_cell(&mut self, store: (FrameId, NodeId), load: (FrameId, NodeId)) -> Option<TermId> {
        let (written, read) = (self.accessed(store)?, self.accessed(load)?);
        self.same_index(written, read)
    }
    /// That two addresses of so many bytes have one in common, as an equation between indices; `None` if that cannot be said so simply.
    pub fn same_index(&mut self, (written, size): (TermId, u64), (read, other): (TermId, u64)) -> Option<TermId> {
        if size != other || !size.is_power_of_two() {
            return None;
        }
        let (a, b) = (place(&self.terms, written)?, place(&self.terms, read)?);
        let stride = a.stride.max(b.stride);
        // Whole elements apart: they are the same, or have no byte in common.
        let whole = |offset: u128| offset.is_multiple_of(u128::from(size));
        if a.base != b.base || stride == 0 || !whole(stride) || !whole(a.offset.abs_diff(b.offset)) {
            return None;
        }
        match (a.index, b.index) {
            (Some(i), Some(j)) if a.stride == b.stride && a.offset == b.offset => {
                (self.terms.sort(i) == self.terms.sort(j)).then(|| self.terms.eq(i, j))
            }
            (Some(index), None) => constant(&mut self.terms, index, stride, (b.offset, a.offset)),
            (None, Some(index)) => constant(&mut self.terms, index, stride, (a.offset, b.offset)),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
    /// The address of a load or a store in both runs, and how many bytes it is about.
    fn accessed(&mut self, (frame, node): (FrameId, NodeId)) -> Option<(TermId, u64)> {
        let shape = self.shapes.of(self.frame_of(frame).func);
        let NodeKind::Inst(inst) = self.sdg.nodes()[node].kind else { return None };
        let (InstKind::Load { addr, access } | InstKind::Store { addr, access, .. }) = shape.body.insts[inst].kind
        else {
            return None;
        };
        if access.bits.is_some() || shape.is_blurred(shape.home[inst]) {
            return None;
        }
        let [a, b] = Run::BOTH.map(|run| self.operand(frame, run, addr));
        Some((a.filter(|_| a == b)?, self.program.types.size_of(access.ty)?))
    }
}

/// That an index leads from the second offset to the first.
fn constant(terms: &mut Terms, index: TermId, stride: u128, (to, from): (u128, u128)) -> Option<TermId> {
    let distance = i128::try_from(to).ok()? - i128::try_from(from).ok()?;
    let stride = i128::try_from(stride).ok()?;
    let width = terms.width(index);
    let number = (distance % stride == 0).then_some(distance / stride)?;
    let fits = number.unsigned_abs() < 1 << (width - 1);
    fits.then(|| {
        let number = terms.number(width, number);
        terms.eq(index, number)
    })
}

/// The index is narrower than addresses, so that no product of it and the stride wraps, or the stride is 1.
fn place(terms: &Terms, address: TermId) -> Option<Place> {
    let (sum, offset) = match terms.node(address) {
        Node::Bit(BitOp::Add, x, k) if terms.is_constant(*k) => (*x, terms.as_bits(*k)?.to_i128()?),
        _ => (address, 0),
    };
    let offset = u128::try_from(offset).ok()?;
    let plain = Place { base: sum, index: None, stride: 0, offset };
    let Node::Bit(BitOp::Add, x, y) = *terms.node(sum) else { return Some(plain) };
    let scaled = |id: TermId| match *terms.node(id) {
        Node::Bit(BitOp::Mul, index, k) => match (terms.node(index), terms.as_bits(k)?.to_i128()?) {
            (Node::Extend { signed: true, of, .. }, stride @ 1..) => {
                let room = terms.width(id).checked_sub(terms.width(*of))?;
                let stride = u128::try_from(stride).ok()?;
                (stride < 1 << room.min(64)).then_some((*of, stride))
            }
            _ => None,
        },
        Node::Extend { signed: true, of, .. } => Some((of, 1)),
        _ => None,
    };
    match (scaled(x), scaled(y)) {
        (None, Some((index, stride))) => Some(Place { base: x, index: Some(index), stride, offset }),
        (Some((index, stride)), None) => Some(Place { base: y, index: Some(index), stride, offset }),
        (Some(_), Some(_)) | (None, None) => Some(plain),
    }
}
