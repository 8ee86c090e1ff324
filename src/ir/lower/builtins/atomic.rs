//! `__sync_*`, `__atomic_*` and `__c11_atomic_*`: atomic loads and stores, and branches between them.
//!
//! What the compiler does in one indivisible step is a load, a computation and a store here, all marked atomic; which of them other
//! threads may separate is for the analysis of threads to say. Memory orders are evaluated and then ignored: accesses are taken as
//! sequentially consistent.

use lang_c::ast::Expression;
use lang_c::span::{Node, Span};

use super::super::convert::Rv;
use super::super::expr::Lv;
use super::super::{Lower, Res};
use super::Args;
use crate::ir::syntax::{BinOp, Callee, CmpOp, InstKind, Operand};
use crate::ir::types::{QualType, Quals, Type, TypeId, Types};
use crate::source::Place;

/// An atomic builtin.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Atomic {
    what: What,
    /// `__atomic_load_8` and the like: the object is an unsigned integer of so many bytes.
    size: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// The value of the object.
    Load,
    /// The same into memory.
    LoadInto,
    /// A value into the object.
    Store,
    /// The same from memory.
    StoreFrom,
    /// Stores a value; the answer is what was there.
    Exchange,
    /// The same from and into memory.
    ExchangeInto,
    /// `compare_exchange`: `from_memory` tells where the new value is, `weak` whether an argument tells that it may fail.
    CompareExchange { from_memory: bool, weak: bool },
    /// `__sync_val_compare_and_swap`, `__sync_bool_compare_and_swap`
    CompareAndSwap { value: bool },
    /// Reads, computes and writes; the answer is the old value or the new one. A pointer moves by bytes, or by elements.
    Update { op: Update, new: bool, elements: bool },
    /// `__sync_lock_release`
    Release,
    /// `__atomic_test_and_set`
    TestAndSet,
    /// `__atomic_clear`
    Clear,
    /// A fence.
    Fence,
    /// Whether an object of this size is lock-free.
    LockFree,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Update {
    Plain(BinOp),
    Nand,
    Min,
    Max,
}

fn update(word: &str) -> Option<Update> {
    Some(match word {
        "add" => Update::Plain(BinOp::Add),
        "sub" => Update::Plain(BinOp::Sub),
        "and" => Update::Plain(BinOp::And),
        "or" => Update::Plain(BinOp::Or),
        "xor" => Update::Plain(BinOp::Xor),
        "nand" => Update::Nand,
        "min" => Update::Min,
        "max" => Update::Max,
        _ => return None,
    })
}

/// `load_8` is `load` with 8 bytes.
fn sized(name: &str) -> (&str, Option<u64>) {
    match name.rsplit_once('_') {
        Some((stem, digits @ ("1" | "2" | "4" | "8" | "16"))) => (stem, digits.parse().ok()),
        _ => (name, None),
    }
}

pub(super) fn classify(name: &str) -> Option<Atomic> {
    if let Some(rest) = name.strip_prefix("__sync_") {
        let (stem, size) = sized(rest);
        let what = match stem {
            "bool_compare_and_swap" => What::CompareAndSwap { value: false },
            "val_compare_and_swap" => What::CompareAndSwap { value: true },
            "lock_test_and_set" | "swap" => What::Exchange,
            "lock_release" => What::Release,
            "synchronize" => What::Fence,
            _ => {
                let (word, new) = match stem.strip_prefix("fetch_and_") {
                    Some(word) => (word, false),
                    None => (stem.strip_suffix("_and_fetch")?, true),
                };
                What::Update { op: update(word)?, new, elements: false }
            }
        };
        return Some(Atomic { what, size });
    }
    let (rest, c11) = match name.strip_prefix("__c11_atomic_") {
        Some(rest) => (rest, true),
        None => (name.strip_prefix("__atomic_")?, false),
    };
    let (stem, size) = sized(rest);
    // Plain names take their values from memory, except in clang's C11 forms and with a size.
    let direct = c11 || size.is_some();
    let what = match stem {
        "load_n" => What::Load,
        "load" if direct => What::Load,
        "load" => What::LoadInto,
        "store_n" => What::Store,
        "store" if direct => What::Store,
        "init" if c11 => What::Store,
        "store" => What::StoreFrom,
        "exchange_n" => What::Exchange,
        "exchange" if direct => What::Exchange,
        "exchange" => What::ExchangeInto,
        "compare_exchange_n" => What::CompareExchange { from_memory: false, weak: true },
        "compare_exchange" => What::CompareExchange { from_memory: size.is_none(), weak: true },
        "compare_exchange_strong" | "compare_exchange_weak" if c11 => {
            What::CompareExchange { from_memory: false, weak: false }
        }
        "test_and_set" => What::TestAndSet,
        "clear" => What::Clear,
        "thread_fence" | "signal_fence" => What::Fence,
        "always_lock_free" | "is_lock_free" => What::LockFree,
        _ => {
            let (word, new) = match stem.strip_prefix("fetch_") {
                Some(word) => (word, false),
                None => (stem.strip_suffix("_fetch")?, true),
            };
            What::Update { op: update(word)?, new, elements: c11 }
        }
    };
    Some(Atomic { what, size })
}

impl Lower<'_> {
    pub(super) fn atomic_builtin(&mut self, builtin: Atomic, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let place = self.place(span);
        match builtin.what {
            What::Fence => {
                self.all_effects(args)?;
                return Ok(self.void());
            }
            What::LockFree => return self.lock_free(name, args, span),
            What::TestAndSet | What::Clear => {
                let [object, rest @ ..] = args else { return self.wrong_count(name, span) };
                let flag = self.atomic_object(object, Some(1))?;
                self.all_effects(rest)?;
                let set = builtin.what == What::TestAndSet;
                let value = self.int(i128::from(set), flag.ty.ty);
                if !set {
                    self.write(flag, value, place);
                    return Ok(self.void());
                }
                let old = self.read(flag, span)?;
                self.write(flag, value, place);
                return Ok(Rv::new(self.cast(old.op, Types::BOOL, place), Types::BOOL));
            }
            What::Load
            | What::LoadInto
            | What::Store
            | What::StoreFrom
            | What::Exchange
            | What::ExchangeInto
            | What::CompareExchange { .. }
            | What::CompareAndSwap { .. }
            | What::Update { .. }
            | What::Release => {}
        }
        let [object, rest @ ..] = args else { return self.wrong_count(name, span) };
        let object = self.atomic_object(object, builtin.size)?;
        let ty = object.ty.ty;
        let answer = match (builtin.what, rest) {
            (What::Load, orders) => {
                self.all_effects(orders)?;
                Some(self.read(object, span)?)
            }
            (What::LoadInto, [to, orders @ ..]) => {
                let to = self.pointer_for(to, ty)?;
                self.all_effects(orders)?;
                let value = self.read(object, span)?.op;
                self.store(to, value, place);
                None
            }
            (What::Store, [value, orders @ ..]) => {
                let value = self.argument(value, ty)?;
                self.all_effects(orders)?;
                self.write(object, value, place);
                None
            }
            (What::StoreFrom, [from, orders @ ..]) => {
                let from = self.pointer_for(from, ty)?;
                self.all_effects(orders)?;
                let value = self.load(from, ty, place);
                self.write(object, value, place);
                None
            }
            (What::Release, orders) => {
                self.all_effects(orders)?;
                let zero = self.convert(self.int_rv(0, Types::INT), ty, span)?;
                self.write(object, zero, place);
                None
            }
            (What::Exchange, [value, orders @ ..]) => {
                let value = self.argument(value, ty)?;
                self.all_effects(orders)?;
                let old = self.read(object, span)?;
                self.write(object, value, place);
                Some(old)
            }
            (What::ExchangeInto, [from, to, orders @ ..]) => {
                let (from, to) = (self.pointer_for(from, ty)?, self.pointer_for(to, ty)?);
                self.all_effects(orders)?;
                let value = self.load(from, ty, place);
                let old = self.read(object, span)?.op;
                self.write(object, value, place);
                self.store(to, old, place);
                None
            }
            (What::CompareExchange { from_memory, weak }, [expected, value, orders @ ..])
                if orders.len() == if weak { 3 } else { 2 } =>
            {
                let expected = self.pointer_for(expected, ty)?;
                let value = if from_memory { self.pointer_for(value, ty)? } else { self.argument(value, ty)? };
                self.all_effects(orders)?;
                let value = if from_memory { self.load(value, ty, place) } else { value };
                Some(self.compare_exchange(object, expected, value, span)?)
            }
            (What::CompareAndSwap { value: answers_value }, [expected, value, others @ ..]) => {
                let (expected, value) = (self.argument(expected, ty)?, self.argument(value, ty)?);
                self.all_effects(others)?;
                let old = self.read(object, span)?;
                let same = self.compare(CmpOp::Eq, old.op, expected, place);
                self.write_if(same, object, value, None, place);
                if answers_value { Some(old) } else { Some(Rv::new(self.cast(same, Types::BOOL, place), Types::BOOL)) }
            }
            (What::Update { op, new, elements }, [value, orders @ ..]) => {
                let operand = self.update_operand(value, ty)?;
                self.all_effects(orders)?;
                let old = self.read(object, span)?;
                let result = self.updated(op, old.op, operand, ty, elements, span)?;
                self.write(object, result, place);
                Some(if new { Rv::new(result, ty) } else { old })
            }
            _ => return self.wrong_count(name, span),
        };
        Ok(answer.unwrap_or_else(|| self.void()))
    }

    /// The object that a pointer argument names, accessed atomically; with a size, as an unsigned integer of so many bytes.
    fn atomic_object(&mut self, e: &Node<Expression>, size: Option<u64>) -> Res<Lv> {
        let pointer = self.rvalue(e)?;
        let Some(target) = self.types.pointee(pointer.ty) else {
            return self.error(e.span, "an atomic builtin takes a pointer first");
        };
        let quals = target.quals.with(Quals::ATOMIC);
        let Some(size) = size else {
            if self.types.size_of(target.ty).is_none() || matches!(self.types.get(target.ty), Type::Array { .. }) {
                let ty = self.types.show(target.ty);
                return self.error(e.span, format!("an object of type {ty} cannot be accessed atomically"));
            }
            return Ok(Lv { addr: pointer.op, ty: QualType { ty: target.ty, quals }, bits: None });
        };
        let Some(ty) = self.unsigned_of(size) else {
            return self.error(e.span, "the target has no integer of this size");
        };
        let place = self.place(e.span);
        let ty = QualType { ty, quals };
        let to = self.types.pointer_to(QualType { ty: ty.ty, quals: target.quals });
        Ok(Lv { addr: self.cast(pointer.op, to, place), ty, bits: None })
    }

    /// A pointer argument, as a pointer to `ty`.
    fn pointer_for(&mut self, e: &Node<Expression>, ty: TypeId) -> Res<Operand> {
        let pointer = self.rvalue(e)?;
        let Some(target) = self.types.pointee(pointer.ty) else {
            return self.error(e.span, "this argument must be a pointer");
        };
        if target.ty == ty {
            return Ok(pointer.op);
        }
        let place = self.place(e.span);
        let to = self.types.pointer_to(ty.into());
        Ok(self.cast(pointer.op, to, place))
    }

    /// The operand of an update; of a pointer, the distance it moves.
    fn update_operand(&mut self, e: &Node<Expression>, ty: TypeId) -> Res<Operand> {
        if !self.is_pointer(ty) {
            return self.argument(e, ty);
        }
        let distance = self.types.ptrdiff_t();
        self.argument(e, distance)
    }

    /// The new value; integers wrap.
    fn updated(
        &mut self,
        op: Update,
        old: Operand,
        by: Operand,
        ty: TypeId,
        elements: bool,
        span: Span,
    ) -> Res<Operand> {
        let place = self.place(span);
        if let Some(target) = self.types.pointee(ty) {
            return match op {
                Update::Plain(op @ (BinOp::Add | BinOp::Sub)) => {
                    let index = if op == BinOp::Sub {
                        let zero = self.int(0, self.types.ptrdiff_t());
                        self.binary(BinOp::Sub, zero, by, place)
                    } else {
                        by
                    };
                    // gcc does not scale; clang's C11 forms do.
                    let stride = if elements { self.types.stride(target.ty).unwrap_or(1) } else { 1 };
                    Ok(self.f().emit(InstKind::PtrAdd { base: old, index, stride }, ty, place))
                }
                Update::Plain(_) | Update::Nand | Update::Min | Update::Max => {
                    let word = self.types.size_t();
                    let (a, b) = (self.cast(old, word, place), self.cast(by, word, place));
                    let value = self.updated(op, a, b, word, false, span)?;
                    Ok(self.cast(value, ty, place))
                }
            };
        }
        let float = matches!(self.types.get(ty), Type::Float(_));
        match op {
            Update::Plain(op @ (BinOp::Add | BinOp::Sub)) if float => Ok(self.binary(op, old, by, place)),
            _ if !self.is_integer(ty) => {
                let ty = self.types.show(ty);
                self.error(span, format!("an object of type {ty} cannot be updated atomically"))
            }
            Update::Plain(op) => Ok(self.wrapped(op, old, by, ty, place)),
            Update::Nand => {
                let both = self.wrapped(BinOp::And, old, by, ty, place);
                Ok(self.complement(both, place))
            }
            Update::Min | Update::Max => {
                let order = if op == Update::Min { CmpOp::Lt } else { CmpOp::Gt };
                let first = self.compare(order, old, by, place);
                Ok(self.select(first, old, by, place))
            }
        }
    }

    /// Writes `value` if `cond` holds; else `otherwise`, a value for another address.
    fn write_if(
        &mut self,
        cond: Operand,
        object: Lv,
        value: Operand,
        otherwise: Option<(Operand, Operand)>,
        place: Place,
    ) {
        let (yes, no, end) = {
            let f = self.f();
            (f.new_block(place), f.new_block(place), f.new_block(place))
        };
        self.f().branch(cond, yes, no, place);
        self.f().start(yes);
        self.write(object, value, place);
        self.f().jump(end, place);
        self.f().start(no);
        if let Some((addr, value)) = otherwise {
            self.store(addr, value, place);
        }
        self.f().flow_into(end, place);
    }

    /// Stores `value` if the object equals what `expected` points to, else stores the object there; whether it was equal.
    fn compare_exchange(&mut self, object: Lv, expected: Operand, value: Operand, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let ty = object.ty.ty;
        let wanted = self.load(expected, ty, place);
        let old = self.read(object, span)?.op;
        let same = self.same_bytes(old, wanted, ty, place);
        self.write_if(same, object, value, Some((expected, old)), place);
        Ok(Rv::new(self.cast(same, Types::BOOL, place), Types::BOOL))
    }

    /// Whether two values have the same representation, as `int`.
    fn same_bytes(&mut self, a: Operand, b: Operand, ty: TypeId, place: Place) -> Operand {
        if self.is_integer(ty) || self.is_pointer(ty) {
            return self.compare(CmpOp::Eq, a, b, place);
        }
        let (a, b) = (self.spill(Rv::new(a, ty), place), self.spill(Rv::new(b, ty), place));
        let size = self.types.size_of(ty).unwrap_or(0);
        if let Some(word) = self.unsigned_of(size) {
            let pointer = self.types.pointer_to(word.into());
            let mut words = [a, b];
            for op in &mut words {
                let addr = self.cast(*op, pointer, place);
                *op = self.load(addr, word, place);
            }
            return self.compare(CmpOp::Eq, words[0], words[1], place);
        }
        let memcmp = self.library_function("memcmp", place);
        let constant = self.types.pointer_to(QualType { ty: Types::VOID, quals: Quals::CONST });
        let (a, b) = (self.cast(a, constant, place), self.cast(b, constant, place));
        let size = self.int(i128::from(size), self.types.size_t());
        let order = self.emit_call(Callee::Direct(memcmp), Types::INT, vec![a, b, size], place);
        let zero = self.int(0, Types::INT);
        self.compare(CmpOp::Eq, order.op, zero, place)
    }

    /// `always_lock_free(size, pointer)`: up to the size of a pointer.
    fn lock_free(&mut self, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let [size, rest @ ..] = args else { return self.wrong_count(name, span) };
        let place = self.place(span);
        let size_t = self.types.size_t();
        let size = self.argument(size, size_t)?;
        self.all_effects(rest)?;
        let widest = self.types.model.pointer_size;
        let mut answer = self.int(0, Types::INT);
        for bytes in [1u64, 2, 4, 8].into_iter().filter(|b| *b <= widest) {
            let bytes = self.int(i128::from(bytes), size_t);
            let fits = self.compare(CmpOp::Eq, size, bytes, place);
            answer = self.binary(BinOp::Or, answer, fits, place);
        }
        Ok(Rv::new(self.cast(answer, Types::BOOL, place), Types::BOOL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(name: &str) -> Option<What> {
        classify(name).map(|a| a.what)
    }

    #[test]
    fn names_tell_the_operation() {
        let add = |new, elements| What::Update { op: Update::Plain(BinOp::Add), new, elements };
        assert_eq!(what("__sync_fetch_and_add"), Some(add(false, false)));
        assert_eq!(what("__sync_add_and_fetch"), Some(add(true, false)));
        assert_eq!(what("__atomic_add_fetch"), Some(add(true, false)));
        assert_eq!(what("__c11_atomic_fetch_add"), Some(add(false, true)));
        assert_eq!(what("__atomic_fetch_nand"), Some(What::Update { op: Update::Nand, new: false, elements: false }));
        assert_eq!(what("__atomic_load"), Some(What::LoadInto));
        assert_eq!(what("__atomic_load_n"), Some(What::Load));
        assert_eq!(what("__c11_atomic_load"), Some(What::Load));
        assert_eq!(what("__atomic_compare_exchange"), Some(What::CompareExchange { from_memory: true, weak: true }));
        assert_eq!(
            what("__c11_atomic_compare_exchange_weak"),
            Some(What::CompareExchange { from_memory: false, weak: false })
        );
        assert_eq!(what("__sync_synchronize"), Some(What::Fence));
        assert_eq!(what("__atomic_frobnicate"), None);
        assert_eq!(what("__syncx"), None);
        let sized = classify("__atomic_load_8").map(|a| (a.what, a.size));
        assert_eq!(sized, Some((What::Load, Some(8))));
    }
}
