//! Slices that are far too large, and slices with a kind of dependence left out, to try the oracle itself.

use std::collections::BTreeSet;

use flowcheck::interp::watch::Spot;
use flowcheck::ir::{InstKind, Operand, Program, Terminator};

use super::oracle::{Criterion, Place};

/// All places of a program.
pub struct Crude<'a> {
    program: &'a Program,
}

impl<'a> Crude<'a> {
    /// Of a program.
    pub fn new(program: &'a Program) -> Self {
        Crude { program }
    }

    fn all(&self) -> BTreeSet<Place> {
        let mut all = BTreeSet::new();
        for (f, _, body) in self.program.bodies() {
            for (v, inst) in body.insts.enumerate() {
                all.insert((f, Spot::Value(v)));
                match &inst.kind {
                    InstKind::Call { args, .. } => {
                        all.insert((f, Spot::Call(v)));
                        all.extend((0..args.len() as u32).map(|index| (f, Spot::Argument { call: v, index })));
                    }
                    InstKind::Phi(args) => {
                        all.extend((0..args.len() as u32).map(|operand| (f, Spot::PhiOperand { phi: v, operand })));
                    }
                    _ => {}
                }
            }
            for b in body.blocks.ids() {
                all.extend([(f, Spot::Choice(b)), (f, Spot::Return(b))]);
            }
        }
        all
    }

    /// Everything.
    pub fn everything(self) -> impl Fn(&Criterion) -> BTreeSet<Place> + use<'a> {
        move |_| self.all()
    }

    /// Everything but values that nothing uses, apart from the criterion.
    pub fn used(self) -> impl Fn(&Criterion) -> BTreeSet<Place> + use<'a> {
        move |criterion| {
            let mut kept = self.all();
            for (f, _, body) in self.program.bodies() {
                let mut used = vec![false; body.insts.len()];
                let mut work = Vec::new();
                let mark = |op: &Operand, work: &mut Vec<_>| {
                    if let Operand::Value(v) = op {
                        work.push(*v);
                    }
                };
                for (v, inst) in body.insts.enumerate() {
                    let acts = matches!(
                        inst.kind,
                        InstKind::Store { .. }
                            | InstKind::Call { .. }
                            | InstKind::VaStart(_)
                            | InstKind::VaArg(_)
                            | InstKind::VaCopy { .. }
                            | InstKind::Alloca { .. }
                    );
                    if acts {
                        inst.kind.for_each_operand(|op| mark(op, &mut work));
                    }
                    if criterion.points.contains(&(f, Spot::Value(v))) {
                        work.push(v);
                    }
                }
                for block in &body.blocks {
                    if let Some(op) = block.term.operand() {
                        mark(op, &mut work);
                    }
                }
                while let Some(v) = work.pop() {
                    if !std::mem::replace(&mut used[v.0 as usize], true) {
                        body.insts[v].kind.for_each_operand(|op| mark(op, &mut work));
                    }
                }
                kept.retain(|(g, spot)| match spot {
                    Spot::Value(v) | Spot::PhiOperand { phi: v, .. } if *g == f => {
                        used[v.0 as usize] || matches!(body.insts[*v].kind, InstKind::Store { .. })
                    }
                    _ => true,
                });
            }
            kept
        }
    }

    /// Everything but one kind of dependence.
    pub fn without(self, kind: Missing) -> impl Fn(&Criterion) -> BTreeSet<Place> + use<'a> {
        move |criterion| {
            let mut kept = self.all();
            kept.retain(|place| criterion.points.contains(place) || !self.is(kind, *place));
            kept
        }
    }

    fn is(&self, kind: Missing, (f, spot): Place) -> bool {
        let body = self.program.functions[f].body.as_ref().expect("places are in bodies");
        match (kind, spot) {
            (Missing::Control, Spot::Choice(b)) => matches!(body.blocks[b].term, Terminator::Branch { .. }),
            (Missing::Switches, Spot::Choice(b)) => matches!(body.blocks[b].term, Terminator::Switch { .. }),
            (Missing::Stores, Spot::Value(v)) => matches!(body.insts[v].kind, InstKind::Store { .. }),
            (Missing::Loads, Spot::Value(v)) => matches!(body.insts[v].kind, InstKind::Load { .. }),
            (Missing::Parameters, Spot::Value(v)) => matches!(body.insts[v].kind, InstKind::Param(_)),
            (Missing::Phis, Spot::PhiOperand { .. })
            | (Missing::Arguments, Spot::Argument { .. })
            | (Missing::Calls, Spot::Call(_))
            | (Missing::Returns, Spot::Return(_)) => true,
            _ => false,
        }
    }
}

/// A kind of place that a broken slice leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// Decisions of branches.
    Control,
    /// Decisions of switches.
    Switches,
    /// Values written to memory.
    Stores,
    /// Values read from memory.
    Loads,
    /// Operands of φs.
    Phis,
    /// What functions get.
    Parameters,
    /// What calls pass.
    Arguments,
    /// That calls happen.
    Calls,
    /// What functions return.
    Returns,
}

impl Missing {
    /// All of them.
    pub const ALL: [Missing; 9] = [
        Missing::Control,
        Missing::Switches,
        Missing::Stores,
        Missing::Loads,
        Missing::Phis,
        Missing::Parameters,
        Missing::Arguments,
        Missing::Calls,
        Missing::Returns,
    ];
}
