//! Memory at absolute addresses: device registers.

use crate::ir::*;

/// The absolute addresses that a program names: overlapping ones are one object.
pub(super) struct Registers {
    /// First byte, one past the last, and the type if all that is there is of one.
    ranges: Vec<(u64, u64, Option<TypeId>)>,
}

impl Registers {
    pub fn new(program: &Program) -> Registers {
        let types = &program.types;
        let mut found: Vec<(u64, u64, Option<TypeId>)> = Vec::new();
        let mut note = |address: Int, ty: TypeId| {
            if let Some(to) = types.pointee(ty).filter(|_| address.bits() != 0) {
                let start = address.bits() as u64;
                let size = types.size_of(to.ty);
                found.push((start, start.saturating_add(size.unwrap_or(1).max(1)), size.map(|_| to.ty)));
            }
        };
        for (_, _, body) in program.bodies() {
            for inst in &body.insts {
                inst.kind.for_each_operand(|operand| {
                    if let Operand::Int(value, ty) = operand {
                        note(*value, *ty);
                    }
                });
                if let InstKind::Cast(Operand::Int(value, _)) = &inst.kind {
                    note(*value, inst.ty);
                }
            }
        }
        found.sort_unstable();
        let mut ranges: Vec<(u64, u64, Option<TypeId>)> = Vec::new();
        for (start, end, ty) in found {
            match ranges.last_mut() {
                Some(last) if start < last.1 => {
                    let same = last.0 == start && last.1 == end && last.2 == ty;
                    last.2 = ty.filter(|_| same);
                    last.1 = last.1.max(end);
                }
                _ => ranges.push((start, end, ty)),
            }
        }
        Registers { ranges }
    }
    /// The object that an address is in: where it starts, and its type.
    pub fn find(&self, address: Int) -> Option<(u64, Option<TypeId>)> {
        let address = address.bits() as u64;
        let after = self.ranges.partition_point(|range| range.0 <= address);
        let (start, end, ty) = *self.ranges.get(after.checked_sub(1)?)?;
        (address < end).then_some((start, ty))
    }
}
