//! What the places in models mean at a call: which memory an argument leads to.

use super::solver::Region;
use crate::ir::*;
use crate::policy::model::{Model, Spot};

/// What a file argument stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bond {
    /// The objects that it points to, or holds as a descriptor.
    Held,
    /// A path: the file system.
    Path,
    /// The descriptor of a standard stream.
    Standard(&'static str),
}

impl Bond {
    /// Of an argument of a call.
    pub fn of(program: &Program, body: &Body, argument: Operand) -> Bond {
        let types = &program.types;
        if let Operand::Int(number, ty) = argument
            && types.pointee(ty).is_none()
        {
            return match number.value() {
                0 => Bond::Standard("stdin"),
                1 => Bond::Standard("stdout"),
                2 => Bond::Standard("stderr"),
                _ => Bond::Held,
            };
        }
        let to = types.pointee(program.operand_type(body, argument));
        let is_text = to.is_some_and(|to| types.size_of(to.ty) == Some(1) && types.int_shape(to.ty).is_some());
        if is_text { Bond::Path } else { Bond::Held }
    }
}

/// How much memory a library function means by each of its pointers at a call.
#[derive(Clone, Debug)]
pub struct Extent {
    /// By argument.
    pub of: Vec<Region>,
}

/// The regions of a call's arguments.
///
/// A pointer to a typed object means that object, all elements if it is one of an array. A `void *` or `char *` is an array of bytes whose length other
/// arguments tell: if these are constants, so many bytes, else the array that it points into, or the whole object.
pub fn regions(program: &Program, body: &Body, callee: &Function, model: &Model, args: &[Operand]) -> Extent {
    let types = &program.types;
    let constant = |operand: &Operand| match operand {
        Operand::Int(number, ty) if types.pointee(*ty).is_none() => u64::try_from(number.value()).ok(),
        _ => None,
    };
    let number = |operand: &Operand| types.int_shape(program.operand_type(body, *operand)).is_some();
    // What may be a length: all numbers that are passed.
    let numbers: Vec<Option<u64>> = args.iter().filter(|a| number(a)).map(constant).collect();
    let length = numbers.iter().try_fold(1u64, |product, n| n.map(|n| product.saturating_mul(n.max(1))));
    let params = types.as_function(callee.ty).map_or(&[][..], |f| f.params.as_slice());
    let of = args.iter().enumerate().map(|(i, arg)| {
        let own = program.operand_type(body, *arg);
        // What is passed to `...` is a pointer of the type it has.
        let ty = params.get(i).copied().unwrap_or(own);
        let to = types.pointee(ty).map(|to| to.ty);
        let bytes = to.is_none_or(|to| types.size_of(to).is_none_or(|size| size <= 1));
        let overwritten = model.overwrites.iter().find(|(n, _)| *n as usize == i + 1);
        match overwritten {
            Some((_, Spot::Value(n))) => {
                let size = args.get(*n as usize - 1).and_then(constant);
                size.map_or(Region::Array, Region::Bytes)
            }
            _ if !bytes => Region::Part,
            _ => match length {
                Some(length) if !numbers.is_empty() => Region::Bytes(length),
                _ => Region::Array,
            },
        }
    });
    Extent { of: of.collect() }
}

impl Extent {
    /// Of an argument, counted from 1.
    pub fn argument(&self, n: u32) -> Region {
        self.of.get(n as usize - 1).copied().unwrap_or(Region::Object)
    }
}
