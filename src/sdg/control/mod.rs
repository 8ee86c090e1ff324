//! Control dependence of C functions: what decides whether, and how often, each instruction is executed.
//!
//! A function's blocks are cut into *regions* ([`regions`]): the instructions of a block between two calls that may not come
//! back. All of a region is executed equally often, so it has one list of [`Dependence`]s: a branch of a terminator, a call's return, or
//! the function's entry, each with its [`LoopMove`]. An edge of the control-flow graph is in a region as well (the operand of a `Phi` is a
//! copy on its edge).
//!
//! ## What the graph of regions has besides the edges of the body
//! - An *entry* that leads to the first region or past everything, so that what nothing else decides over depends on the entry.
//! - A call that may not return ([`MayNotReturn`]) leads to what follows and past everything: what follows depends on the call.
//! - So does a call that returns twice (`setjmp`): how often what follows is executed hangs on it.
//! - All returns lead to one node, *returned*. What it depends on decides whether the function returns at all
//!   ([`FunctionControl::returned`]).
//! - A loop without exit is left, never, before its header ([`PostDominance`](crate::base::graph::PostDominance)); a dependence on that is
//!   replaced by what the loop's being entered depends on, so no controller is a made-up one.
//! - A region that ends in `Unreachable` is the program's end if it does something that may itself be the end (a call, assembly, a
//!   stand-in). Otherwise (`__builtin_unreachable`) it is undefined behaviour, which no run is assumed to have: the branch to it is
//!   not taken, and nothing else depends on it. What is inside such a region still depends on that branch.
//!
//! Undefined behaviour elsewhere (a division by zero, a null pointer) is not seen as an end of the run.
//!
//! ## What the system dependence graph has to add
//! - [`Controller::Entry`]: the call sites of the function, and whoever starts it (the system, a thread, a signal).
//! - [`Controller::Call`]: the call node itself, which depends on its own region; and, for each callee with a body that may not return, an edge
//!   from the callee's *returned* node (with the dependences of [`FunctionControl::returned`]) to the call's "returns" node. A
//!   callee without a body that may not return decides by its arguments and by what it reads.
//! - The call of a function that returns twice depends on every call that may jump to it (`longjmp`), by an edge between functions: both on
//!   its being executed and on its arguments, and all that memory holds at the jump is seen after the second return.
//! - `exit` runs the handlers of `atexit`, destructors and the closing of streams: they are called from each such call.
//! - A call through a pointer decides which callee is executed: callees hang on it as on a predicate.
//!
//! ## Soundness
//! Let a set of regions hold all that its members depend on, across calls as above. Two runs that decide alike at its members go
//! through them in the same order, as long as both go on ([`Termination::Insensitive`]), or to the end or for ever
//! ([`Termination::Sensitive`]); see [`PostDominance`](crate::base::graph::PostDominance) and
//! [`strong_dependences`](crate::base::graph::strong_dependences) for the proofs on graphs. When non-termination
//! counts, a function with a cycle, or one that calls itself, may not return either.
//!
//! Cost: near linear in the body plus the result; with `Sensitive` quadratic in the worst case, see there.

pub mod label;
pub mod moves;
pub mod regions;
pub mod returns;

#[cfg(test)]
mod tests;

pub use label::{Label, label};
pub use moves::{LoopMove, Step, User};
pub use regions::{FunctionControl, RegionId};
pub use returns::{Calls, MayNotReturn};

use crate::base::{IdVec, parallel};
use crate::ir::{BlockId, FuncId, Program, ValueId};

/// Whether it counts that a run may go on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Termination {
    /// No: loops are taken to end.
    #[default]
    Insensitive,
    /// Yes: what follows a loop depends on its ending.
    Sensitive,
}

/// What decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Controller {
    /// That the function is called.
    Entry,
    /// The terminator of this block.
    Branch(BlockId),
    /// That this call returns; of a call that returns twice, how often.
    Call(ValueId),
}

/// What a region depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dependence {
    /// What decides.
    pub on: Controller,
    /// Which outcome leads here: the index among the successors of the block's terminator; 0 for an entry or a call. [`label()`] tells
    /// it in C's words.
    pub branch: u32,
    /// What happens to the iterations of loops between the two.
    pub moves: LoopMove,
}

/// The control dependences of all functions with a body.
#[derive(Clone, Debug, Default)]
pub struct ControlDependences {
    /// By function; `None` without body.
    pub functions: IdVec<FuncId, Option<FunctionControl>>,
}

impl ControlDependences {
    /// Of a program. The same for any number of jobs.
    pub fn new(program: &Program, returns: &MayNotReturn, termination: Termination, jobs: usize) -> Self {
        let ids: Vec<FuncId> = program.functions.ids().collect();
        let one = |_: usize, id: &FuncId| {
            let body = program.functions[*id].body.as_ref()?;
            Some(FunctionControl::new(body, returns.splits(*id), termination))
        };
        ControlDependences { functions: parallel::map(&ids, jobs, one).into_iter().collect() }
    }
}
