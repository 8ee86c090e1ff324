//! C's compatibility of types, on merged types: what two declarations of one symbol must have.
//!
//! A little wider than the standard where compilers are: an enumeration and an integer type of its size agree.

use super::super::types::{FloatKind, FunctionType, IntKind, Length, QualType, RecordId, Type, TypeId, Types};

/// Why two types are not compatible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Difference {
    /// Two definitions of one tag differ.
    Record(RecordId),
    /// Anything else.
    Type,
}

/// The first difference between two types, if they are not compatible.
pub(super) fn difference(types: &Types, a: TypeId, b: TypeId) -> Option<Difference> {
    if a == b {
        return None;
    }
    let unless = |same: bool| if same { None } else { Some(Difference::Type) };
    match (types.get(a), types.get(b)) {
        (Type::Enum(x), Type::Enum(y)) => {
            let (x, y) = (&types.enums[*x], &types.enums[*y]);
            unless(x.name == y.name && !(x.complete && y.complete))
        }
        (Type::Enum(e), Type::Int(kind)) | (Type::Int(kind), Type::Enum(e)) => {
            let e = &types.enums[*e];
            unless(!e.complete || types.model.int_size(e.underlying) == types.model.int_size(*kind))
        }
        (Type::Record(x), Type::Record(y)) => {
            let (rx, ry) = (&types.records[*x], &types.records[*y]);
            if rx.kind != ry.kind || rx.name != ry.name {
                Some(Difference::Type)
            } else if rx.complete && ry.complete {
                Some(Difference::Record(*x))
            } else {
                None
            }
        }
        (Type::Pointer(x), Type::Pointer(y)) => qual_difference(types, *x, *y),
        (Type::Array { element: x, length: left }, Type::Array { element: y, length: right }) => {
            let same_length = match (left, right) {
                (Length::Fixed(left), Length::Fixed(right)) => left == right,
                (Length::Unknown | Length::Variable(_), _) | (_, Length::Unknown | Length::Variable(_)) => true,
            };
            qual_difference(types, *x, *y).or(unless(same_length))
        }
        (Type::Vector { element: x, lanes: left }, Type::Vector { element: y, lanes: right }) => {
            difference(types, *x, *y).or(unless(left == right))
        }
        (Type::Function(f), Type::Function(g)) => function_difference(types, f, g),
        // Two different types; equal ones have equal ids.
        _ => Some(Difference::Type),
    }
}

/// The same for objects: the qualifiers count.
pub(super) fn qual_difference(types: &Types, a: QualType, b: QualType) -> Option<Difference> {
    if a.quals != b.quals {
        return Some(Difference::Type);
    }
    difference(types, a.ty, b.ty)
}

fn function_difference(types: &Types, f: &FunctionType, g: &FunctionType) -> Option<Difference> {
    let result = difference(types, f.result, g.result);
    if result.is_some() {
        return result;
    }
    // `f()` says nothing of its parameters.
    if (!f.prototype && f.params.is_empty()) || (!g.prototype && g.params.is_empty()) {
        return None;
    }
    if f.params.len() != g.params.len() || f.variadic != g.variadic {
        return Some(Difference::Type);
    }
    let both = f.prototype && g.prototype;
    f.params.iter().zip(&g.params).find_map(|(&x, &y)| {
        let plain = difference(types, x, y);
        if plain.is_none() || both {
            return plain;
        }
        // A K&R definition receives its arguments promoted, so its prototype may name the promoted type.
        difference(types, promoted(types, x), promoted(types, y))
    })
}

/// The type an argument has after C's default promotions.
fn promoted(types: &Types, id: TypeId) -> TypeId {
    match types.get(id) {
        Type::Float(FloatKind::Float) => Types::DOUBLE,
        Type::Bool => Types::INT,
        Type::Int(kind) if kind.rank() < IntKind::Int.rank() => {
            let widens = types.model.int_size(*kind) < types.model.int_size;
            if widens || types.is_signed_kind(*kind) { Types::INT } else { Types::UINT }
        }
        _ => id,
    }
}
