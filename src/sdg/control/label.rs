//! The outcomes of branches in C's words.

use std::fmt;

use crate::ir::{BlockId, Body, Terminator};

/// An outcome of a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// The only way on: no branch.
    Always,
    /// The condition is not 0.
    True,
    /// The condition is 0.
    False,
    /// The value is in one of these ranges, both ends included; `default`: or in none of the switch's.
    Switch {
        /// The cases that lead there, in source order.
        cases: Vec<(i128, i128)>,
        /// Whether `default`, or no case, leads there.
        default: bool,
    },
    /// A computed `goto` to one of these labels.
    Goto(Vec<String>),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Always => f.write_str("always"),
            Label::True => f.write_str("true"),
            Label::False => f.write_str("false"),
            Label::Switch { cases, default } => {
                let mut words: Vec<String> = Vec::new();
                for (low, high) in cases {
                    words.push(if low == high { format!("case {low}") } else { format!("case {low} ... {high}") });
                }
                if *default {
                    words.push("default".to_string());
                }
                f.write_str(&words.join(" | "))
            }
            Label::Goto(names) => {
                let words: Vec<String> = names.iter().map(|n| format!("goto {n}")).collect();
                f.write_str(&words.join(" | "))
            }
        }
    }
}

/// The label of a block's way to its successor of this index.
pub fn label(body: &Body, block: BlockId, branch: u32) -> Label {
    let term = &body.blocks[block].term;
    let target = term.successors().get(branch as usize).copied();
    match term {
        Terminator::Branch { then, .. } => {
            if target == Some(*then) {
                Label::True
            } else {
                Label::False
            }
        }
        Terminator::Switch { cases, default, .. } => Label::Switch {
            cases: cases.iter().filter(|c| Some(c.target) == target).map(|c| (c.low, c.high)).collect(),
            default: target == Some(*default),
        },
        Terminator::IndirectJump { targets, .. } => {
            Label::Goto(targets.iter().filter(|t| Some(t.1) == target).map(|t| body.labels[t.0].name.clone()).collect())
        }
        Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => Label::Always,
    }
}
