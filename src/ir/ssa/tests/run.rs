//! A small interpreter of bodies in either form, for comparison. Numbers are arbitrary but the same in both forms; decisions come
//! from a list, so that all ways are taken.

use super::build::Random;
use crate::base::IdVec;
use crate::ir::syntax::*;

/// What a run shows: arguments of calls, conditions, and the result.
pub(in crate::ir) type Trace = Vec<Vec<u64>>;

/// So many entries are enough.
const ENOUGH: usize = 300;

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(b >> 7)
}

struct Run<'a> {
    body: &'a Body,
    memory: IdVec<LocalId, u64>,
    values: IdVec<ValueId, Option<u64>>,
    trace: Trace,
}

/// Runs a body until it returns, has shown enough, or does nothing visible any more.
pub(in crate::ir) fn run(body: &Body, seed: u64) -> Trace {
    let mut decisions = Random::new(seed);
    let uninit = |l: LocalId| mix(1000, u64::from(l.0));
    let mut run = Run {
        body,
        memory: body.locals.ids().map(uninit).collect(),
        values: IdVec::filled(None, body.insts.len()),
        trace: Vec::new(),
    };
    let (mut from, mut at) = (None, body.entry);
    let mut silent = 0;
    loop {
        let before = run.trace.len();
        run.block(from, at, &uninit);
        let Some(to) = run.leave(at, &mut decisions) else { break };
        (from, at) = (Some(at), to);
        silent = if run.trace.len() == before { silent + 1 } else { 0 };
        if run.trace.len() > ENOUGH || silent > 2 * body.blocks.len() + 2 {
            break;
        }
    }
    run.trace.truncate(ENOUGH);
    run.trace
}

impl Run<'_> {
    fn operand(&self, op: &Operand) -> u64 {
        match op {
            Operand::Value(v) => self.values[*v].unwrap_or_else(|| panic!("{v} is used before it is computed")),
            Operand::Int(value, _) => value.value() as u64,
            Operand::Local(l) => mix(2000, u64::from(l.0)),
            Operand::Label(l) => mix(3000, u64::from(l.0)),
            Operand::Float(..) | Operand::Global(_) | Operand::Function(_) => panic!("not in these tests"),
        }
    }

    fn block(&mut self, from: Option<BlockId>, at: BlockId, uninit: &impl Fn(LocalId) -> u64) {
        let body = self.body;
        let arrived: Vec<(ValueId, u64)> = body.blocks[at]
            .insts
            .iter()
            .filter_map(|id| match &body.insts[*id].kind {
                InstKind::Phi(args) => {
                    let arg = args.iter().find(|a| Some(a.0) == from).expect("an operand for every predecessor");
                    Some((*id, self.operand(&arg.1)))
                }
                _ => None,
            })
            .collect();
        for (id, value) in arrived {
            self.values[id] = Some(value);
        }
        for &id in &body.blocks[at].insts {
            let inst = &body.insts[id];
            let value = match &inst.kind {
                InstKind::Phi(_) => continue,
                InstKind::Param(n) => mix(4000, u64::from(*n)),
                InstKind::Uninit => uninit(inst.var.expect("of a variable")),
                InstKind::Copy(a) | InstKind::Cast(a) => self.operand(a),
                InstKind::Binary(BinOp::Add, a, b) => self.operand(a).wrapping_add(self.operand(b)),
                InstKind::Load { addr: Operand::Local(l), .. } => self.memory[*l],
                InstKind::Store { addr: Operand::Local(l), value, .. } => {
                    self.memory[*l] = self.operand(value);
                    0
                }
                InstKind::Call { args, .. } => {
                    let shown: Vec<u64> = args.iter().map(|a| self.operand(a)).collect();
                    // The callee writes through the addresses it gets.
                    for arg in args {
                        if let Operand::Local(l) = arg {
                            self.memory[*l] = mix(self.memory[*l], 5);
                        }
                    }
                    self.trace.push(shown);
                    mix(5000, self.trace.len() as u64)
                }
                other => panic!("not in these tests: {other:?}"),
            };
            self.values[id] = Some(value);
        }
    }

    /// Where a block leads. What `cfg::clean` may fold shows nothing and takes no decision.
    fn leave(&mut self, at: BlockId, decisions: &mut Random) -> Option<BlockId> {
        let term = &self.body.blocks[at].term;
        let mut decide = |run: &mut Self, op: &Operand, ways: usize| {
            let shown = run.operand(op);
            run.trace.push(vec![6000, shown]);
            decisions.below(ways)
        };
        match term {
            Terminator::Jump(to) => Some(*to),
            Terminator::Branch { cond: Operand::Int(value, _), then, otherwise } => {
                Some(if value.value() == 0 { *otherwise } else { *then })
            }
            Terminator::Branch { cond, then, otherwise } => {
                if then == otherwise {
                    return Some(*then);
                }
                Some([*then, *otherwise][decide(self, cond, 2)])
            }
            Terminator::Switch { value: Operand::Int(value, _), cases, default } => {
                let v = value.value();
                Some(cases.iter().find(|c| c.low <= v && v <= c.high).map_or(*default, |c| c.target))
            }
            Terminator::Switch { value, cases, default } => {
                if cases.iter().all(|c| c.target == *default) {
                    return Some(*default);
                }
                let way = decide(self, value, cases.len() + 1);
                Some(cases.get(way).map_or(*default, |c| c.target))
            }
            Terminator::IndirectJump { addr, targets } => Some(targets[decide(self, addr, targets.len())].1),
            Terminator::Return(value) => {
                let shown = value.as_ref().map_or(0, |op| self.operand(op));
                self.trace.push(vec![7000, shown]);
                None
            }
            Terminator::Unreachable => None,
        }
    }
}
