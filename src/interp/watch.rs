//! Runs that are looked at and changed: the oracle of the analyses.
//!
//! [`watch()`] runs a program as [`run`](super::run) does. It tells which objects every access touches and whom calls through
//! pointers reach, records the values at chosen [`Spot`]s, and puts other values in the place of those computed at chosen
//! spots, visit by visit. What is watched is translated into probes, operations of their own, so a plain run pays nothing.
//!
//! Invariant: without changes, a watched run does what a plain run does, step for step; the same watch gives the same run.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::arith;
use super::code::{Op, Src};
use super::machine::{Frame, Machine, Stop};
use super::statics::Statics;
use super::translate::Entry;
use super::value::{Class, Format, Scalar, Shape};
use super::{Outcome, Setup};
use crate::ir::{BlockId, FuncId, GlobalId, LocalId, Program, TypeId, ValueId};

/// A place in a function where a run can be looked at and changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spot {
    /// The value of an instruction; of a store, the value written.
    Value(ValueId),
    /// An operand of a φ, copied on the edge by which control arrives.
    PhiOperand {
        /// The φ.
        phi: ValueId,
        /// Which operand.
        operand: u32,
    },
    /// What the block's branch or switch decides by.
    Choice(BlockId),
    /// The value that the block returns.
    Return(BlockId),
    /// An argument of a call.
    Argument {
        /// The call.
        call: ValueId,
        /// Which argument.
        index: u32,
    },
    /// That a call happens.
    Call(ValueId),
}

/// What to put in the place of a value. Of pointers only [`Change::First`] is made, of aggregates none; floats become whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// So much more; at a branch or switch: another way than the one it would take.
    Add(i64),
    /// Always this.
    Set(i64),
    /// These bits turned over.
    Xor(u64),
    /// Any value, by a seed and the number of the visit; at a branch or switch: any of its ways.
    Arbitrary(u64),
    /// Any value from -2 to 13.
    Small(u64),
    /// Any value from 0 to the old one, which is a valid index where the old one was.
    Below(u64),
    /// What was there at the first visit: for a pointer, one that is valid or was.
    First,
    /// The store or call is left out; a call's result is 0.
    Skip,
}

/// What to look at and what to change.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Tell the objects that loads and stores touch, and the functions that calls through pointers reach.
    pub accesses: bool,
    /// Tell the blocks that are executed.
    pub blocks: bool,
    /// End the run with a trap where address arithmetic leaves its object, and never use memory of the stack twice: a changed
    /// run must not reach by undefined behaviour what it cannot reach by C's rules. A request for too much memory ends
    /// the run, too.
    pub strict: bool,
    /// Where to record values.
    pub record: BTreeSet<(FuncId, Spot)>,
    /// What to change.
    pub changes: BTreeMap<(FuncId, Spot), Change>,
    /// How many events to record before the run ends as by a limit; 0: no limit.
    pub max_events: usize,
}

/// A concrete object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A static object.
    Global(GlobalId),
    /// An object of an activation.
    Local(FuncId, LocalId),
    /// What an `Alloca` made.
    Alloca(FuncId, ValueId),
    /// What a call of a library function made on the heap.
    Heap {
        /// The function with the call.
        function: FuncId,
        /// The call.
        call: ValueId,
        /// The call of that function, if it was called by the program.
        caller: Option<(FuncId, ValueId)>,
    },
    /// A function.
    Function(FuncId),
    /// Anything else: arguments of `main`, objects of the library.
    Other,
}

/// An access that happened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    /// In this function,
    pub function: FuncId,
    /// this load or store
    pub inst: ValueId,
    /// touched this object
    pub object: Object,
    /// from this byte on.
    pub offset: u64,
}

/// A recorded value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// Where: the function,
    pub function: FuncId,
    /// and the spot in it.
    pub spot: Spot,
    /// The value: an integer extended to 128 bits, a float's bits; 0 for pointers and aggregates.
    pub value: u128,
}

/// What was seen of a run.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Every access once, sorted.
    pub accesses: Vec<Touch>,
    /// The functions that calls through pointers reached: caller, call, callee; sorted.
    pub callees: Vec<(FuncId, ValueId, FuncId)>,
    /// The executed blocks, sorted.
    pub blocks: Vec<(FuncId, BlockId)>,
    /// The recorded values, in the order of execution.
    pub events: Vec<Event>,
}

/// Runs a program and watches it.
pub fn watch(program: &Program, setup: &Setup, watch: &Watch) -> (Outcome, Observed) {
    super::run_with(program, setup, Some(watch))
}

/// What is done where something is watched.
#[derive(Clone, Debug)]
pub(super) enum Probe {
    /// Before a load or store.
    Access { inst: ValueId, addr: Src },
    /// Before a call through a pointer.
    Callee { inst: ValueId, addr: Src },
    /// At the start of a block.
    Block(BlockId),
    /// After a call: what was allocated since is its work.
    Allocated { inst: ValueId },
    /// After an `Alloca`.
    Alloca { inst: ValueId, dst: u32, size: Src },
    /// After address arithmetic: the result is in the object of `base`, or in the `size` bytes from `base` on.
    Bounds { base: Src, dst: u32, size: Option<u64> },
    /// Where the value in a slot is recorded or changed.
    Value(ValueProbe),
}

/// See [`Probe::Value`].
#[derive(Clone, Debug)]
pub(super) struct ValueProbe {
    pub spot: Spot,
    /// The slot, and what is in it; nothing for aggregates.
    pub value: Option<(u32, Scalar)>,
    pub is_pointer: bool,
    pub change: Option<Change>,
    pub record: bool,
    /// Tells the probes of a program apart.
    pub id: u32,
    /// At a branch or switch: values that lead to each of its ways.
    pub ways: Vec<u128>,
}

/// What a watched run remembers.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    pub strict: bool,
    max_events: usize,
    /// Static objects by address: start, size.
    globals: Vec<(u64, u64, GlobalId)>,
    /// What `Alloca`s made, by address: size, number of the activation, object.
    allocas: BTreeMap<u64, (u64, u64, Object)>,
    /// Blocks of the heap by address.
    heap: BTreeMap<u64, (u64, Object)>,
    accesses: FxHashSet<Touch>,
    callees: FxHashSet<(FuncId, ValueId, FuncId)>,
    blocks: FxHashSet<(FuncId, BlockId)>,
    events: Vec<Event>,
    /// By probe: how often it was visited, and the value at the first visit.
    visits: FxHashMap<u32, (u64, u128)>,
}

impl Watcher {
    pub fn new(program: &Program, statics: &Statics, watch: &Watch) -> Watcher {
        let mut globals: Vec<(u64, u64, GlobalId)> = statics.objects(program).collect();
        globals.sort_unstable();
        let max_events = if watch.max_events == 0 { usize::MAX } else { watch.max_events };
        Watcher { strict: watch.strict, max_events, globals, ..Watcher::default() }
    }

    pub fn finish(self) -> Observed {
        // Hash sets are sorted before anyone sees them.
        let mut accesses: Vec<Touch> = self.accesses.into_iter().collect();
        accesses.sort_unstable();
        let mut callees: Vec<_> = self.callees.into_iter().collect();
        callees.sort_unstable();
        let mut blocks: Vec<_> = self.blocks.into_iter().collect();
        blocks.sort_unstable();
        Observed { accesses, callees, blocks, events: self.events }
    }
}

/// An object, its first address and the one past its last.
type Extent = (Object, u64, u64);

impl Machine<'_> {
    /// What a probe does.
    #[cold]
    pub(super) fn probe(&mut self, probe: &Probe, frame: &Frame) -> Result<(), Stop> {
        let Some(mut watcher) = self.watcher.take() else { return Ok(()) };
        let result = self.probe_with(&mut watcher, probe, frame);
        self.watcher = Some(watcher);
        result
    }

    fn probe_with(&mut self, watcher: &mut Watcher, probe: &Probe, frame: &Frame) -> Result<(), Stop> {
        let function = frame.function;
        match probe {
            Probe::Access { inst, addr } => {
                let addr = self.get(*addr, frame.base, frame.addr);
                let (object, start, _) = self.object_at(watcher, addr).unwrap_or((Object::Other, addr, addr));
                watcher.accesses.insert(Touch { function, inst: *inst, object, offset: addr - start });
            }
            Probe::Callee { inst, addr } => {
                let addr = self.get(*addr, frame.base, frame.addr);
                if let Ok(callee) = self.function_at(addr) {
                    watcher.callees.insert((function, *inst, callee));
                }
            }
            Probe::Block(block) => {
                watcher.blocks.insert((function, *block));
            }
            Probe::Allocated { inst } => {
                let caller = self.call_before();
                let object = Object::Heap { function, call: *inst, caller };
                self.attribute(watcher, object);
            }
            Probe::Alloca { inst, dst, size } => {
                let addr = self.regs[frame.base + *dst as usize];
                let size = self.get(*size, frame.base, frame.addr);
                watcher.allocas.insert(addr, (size, frame.serial, Object::Alloca(function, *inst)));
            }
            Probe::Bounds { base, dst, size } => {
                let base = self.get(*base, frame.base, frame.addr);
                let result = self.regs[frame.base + *dst as usize];
                let inside = match size {
                    Some(size) => result.wrapping_sub(base) <= *size,
                    None => match self.object_at(watcher, base) {
                        Some((_, start, end)) => (start..=end).contains(&result),
                        // A member's offset, computed from a null pointer.
                        None => result == base || result < 4096,
                    },
                };
                if !inside {
                    return Err(Stop::Trap("address arithmetic leaves the object".into()));
                }
            }
            Probe::Value(probe) => return self.probe_value(watcher, probe, frame),
        }
        Ok(())
    }

    fn probe_value(&mut self, watcher: &mut Watcher, probe: &ValueProbe, frame: &Frame) -> Result<(), Stop> {
        let mut seen = 0;
        if let Some((slot, scalar)) = probe.value {
            let old = self.payload(Src::register(slot), scalar, frame);
            seen = old;
            if let Some(change) = probe.change {
                let (visits, first) = watcher.visits.entry(probe.id).or_insert((0, old));
                *visits += 1;
                seen = match change {
                    Change::First => *first,
                    _ if probe.is_pointer => old,
                    _ if probe.ways.is_empty() => changed(change, scalar, old, *visits),
                    _ => other_way(change, &probe.ways, old, *visits),
                };
                self.set_payload(slot, scalar, seen, frame);
            }
        }
        if probe.is_pointer {
            seen = 0;
        }
        if probe.record {
            if watcher.events.len() >= watcher.max_events {
                return Err(Stop::Limit);
            }
            watcher.events.push(Event { function: frame.function, spot: probe.spot, value: seen });
        }
        Ok(())
    }

    /// Says whose work the blocks allocated since the last time are.
    fn attribute(&mut self, watcher: &mut Watcher, object: Object) {
        for made in self.memory.take_allocations() {
            let object = if made.given { object } else { Object::Other };
            watcher.heap.insert(made.addr, (made.size, object));
        }
    }

    /// What was allocated so far is the library's own.
    pub(super) fn own_allocations(&mut self) {
        if let Some(mut watcher) = self.watcher.take() {
            self.attribute(&mut watcher, Object::Other);
            self.watcher = Some(watcher);
        }
    }

    /// The call by which the innermost function was called.
    fn call_before(&self) -> Option<(FuncId, ValueId)> {
        let frame = self.frames.iter().rev().nth(1)?;
        let Entry::Code(code) = &self.image.functions[frame.function] else { return None };
        match code.ops.get((frame.pc as usize).checked_sub(1)?) {
            Some(Op::Call(index)) => Some((frame.function, code.calls[*index as usize].inst)),
            _ => None,
        }
    }

    /// The object that an address points into, or just past.
    fn object_at(&self, watcher: &Watcher, addr: u64) -> Option<Extent> {
        if let Some((start, size, id)) = before(&watcher.globals, addr)
            && addr <= start + size
        {
            return Some((Object::Global(id), start, start + size));
        }
        let (stack, stack_end) = self.memory.stack_bounds();
        if (stack..stack_end).contains(&addr) {
            return self.stack_object_at(watcher, addr);
        }
        if let Some((&start, &(size, object))) = watcher.heap.range(..=addr).next_back() {
            let end = start + self.memory.block_size(start).unwrap_or(size);
            return (addr <= end).then_some((object, start, end));
        }
        let function = self.image.statics.function_at(addr)?;
        Some((Object::Function(function), addr, addr))
    }

    fn stack_object_at(&self, watcher: &Watcher, addr: u64) -> Option<Extent> {
        let after = self.frames.partition_point(|f| f.addr <= addr);
        let frame = self.frames.get(after.checked_sub(1)?)?;
        let layout = &self.code_of(frame).layout;
        let offset = addr - frame.addr;
        if offset < layout.bytes {
            let body = self.program.functions[frame.function].body.as_ref()?;
            let placed = |(id, _): &(LocalId, _)| layout.locals[id.0 as usize].filter(|at| *at <= offset);
            let (id, local) = body.locals.enumerate().rfind(|l| placed(l).is_some())?;
            let start = frame.addr + layout.locals[id.0 as usize]?;
            let end = start + self.program.types.size_of(local.ty.ty).unwrap_or(0);
            return (addr <= end).then_some((Object::Local(frame.function, id), start, end));
        }
        let (&start, &(size, serial, object)) = watcher.allocas.range(..=addr).next_back()?;
        (serial == frame.serial && addr <= start + size).then_some((object, start, start + size))
    }
}

/// The last entry that starts at or before an address.
fn before(sorted: &[(u64, u64, GlobalId)], addr: u64) -> Option<(u64, u64, GlobalId)> {
    let after = sorted.partition_point(|entry| entry.0 <= addr);
    sorted.get(after.checked_sub(1)?).copied()
}

/// A number that hangs on a seed and a visit (splitmix64).
fn mixed(seed: u64, visit: u64) -> u64 {
    let mut z = seed ^ visit.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn changed(change: Change, scalar: Scalar, old: u128, visit: u64) -> u128 {
    let number = |n: i64| match scalar {
        Scalar::Float(Format::Half | Format::Single | Format::Double | Format::X87 | Format::Quad) => {
            arith::cast(Scalar::Int(Shape { bits: 64, signed: true }), scalar, i128::from(n) as u128)
        }
        Scalar::Bool => u128::from(n & 1 != 0),
        Scalar::Int(_) | Scalar::Wide(_) => i128::from(n) as u128,
    };
    let float = matches!(scalar, Scalar::Float(_));
    match change {
        Change::Add(n) | Change::Set(n) if float => number(n),
        Change::Add(n) if scalar == Scalar::Bool => number(n ^ old as i64),
        Change::Add(n) => old.wrapping_add(number(n)),
        Change::Set(n) => number(n),
        Change::Xor(bits) if float => number(bits as i64),
        Change::Xor(bits) => old ^ number(bits as i64),
        Change::Arbitrary(seed) => number(mixed(seed, visit) as i64),
        Change::Small(seed) => number((mixed(seed, visit) % 16) as i64 - 2),
        Change::Below(_) if float || (old as i128) < 0 => old,
        Change::Below(seed) => u128::from(mixed(seed, visit)) % (old + 1),
        Change::First | Change::Skip => old,
    }
}

fn other_way(change: Change, ways: &[u128], old: u128, visit: u64) -> u128 {
    let len = ways.len() as u64;
    let at = ways.iter().position(|w| *w == old).unwrap_or(ways.len() - 1) as u64;
    let index = match change {
        Change::Add(_) | Change::Xor(_) => (at + 1) % len,
        Change::Set(n) => n as u64 % len,
        Change::Arbitrary(seed) | Change::Small(seed) | Change::Below(seed) => mixed(seed, visit) % len,
        Change::First | Change::Skip => at,
    };
    ways[index as usize]
}

/// The class of a value that can be recorded and changed: no aggregate.
pub(super) fn scalar(program: &Program, ty: TypeId) -> Option<Scalar> {
    match Class::of(&program.types, ty) {
        Class::Scalar(scalar) => Some(scalar),
        Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => None,
    }
}
