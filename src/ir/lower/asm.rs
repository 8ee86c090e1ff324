//! Inline assembly.
//!
//! What the template does is not known; what it may touch is, from the operands: its outputs depend on its inputs, on the memory
//! operands, and with a `memory` clobber on all memory that anyone else may know of. A lvalue is evaluated once, even if it is
//! both read and written (`+r`). A template that is not empty is listed in the assumptions; an empty one is only a barrier.

use lang_c::ast::{AsmStatement, GnuAsmOperand, GnuExtendedAsmStatement, StringLiteral, TypeQualifier};
use lang_c::span::{Node, Span};

use super::expr::{Lv, Val};
use super::{Lower, Res};
use crate::ir::syntax::{Asm, AssumptionKind, Case, InstKind, Operand, Terminator};
use crate::ir::types::{Type, Types};
use crate::source::Place;

/// So much of a template is quoted.
const QUOTED: usize = 120;

impl Lower<'_> {
    pub(super) fn asm_statement(&mut self, s: &Node<AsmStatement>) -> Res<()> {
        let place = self.place(s.span);
        match &s.node {
            AsmStatement::GnuBasic(template) => {
                let template = self.string_text(template)?;
                self.assume_asm(&template, place);
                let asm = Asm {
                    template,
                    volatile: true,
                    outputs: Vec::new(),
                    inputs: Vec::new(),
                    memory: Vec::new(),
                    clobbers: vec!["memory".into()],
                    labels: Vec::new(),
                };
                self.f().emit(InstKind::Asm(Box::new(asm)), Types::VOID, place);
                Ok(())
            }
            AsmStatement::GnuExtended(asm) => self.extended_asm(asm, s.span),
        }
    }

    fn extended_asm(&mut self, s: &GnuExtendedAsmStatement, span: Span) -> Res<()> {
        let place = self.place(span);
        let volatile = matches!(s.qualifier.as_ref().map(|q| &q.node), Some(TypeQualifier::Volatile));
        let labels = self.goto_labels(place);
        let mut asm = Asm {
            template: self.string_text(&s.template)?,
            volatile: volatile || s.outputs.is_empty() || !labels.is_empty(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            memory: Vec::new(),
            clobbers: Vec::new(),
            labels: labels.clone(),
        };
        let mut targets = Vec::new();
        for output in &s.outputs {
            self.asm_output(&output.node, &mut asm, &mut targets)?;
        }
        for input in &s.inputs {
            self.asm_input(&input.node, &mut asm)?;
        }
        for clobber in &s.clobbers {
            asm.clobbers.push(self.string_text(clobber)?);
        }
        self.assume_asm(&asm.template, place);
        let Operand::Value(id) = self.f().emit(InstKind::Asm(Box::new(asm)), Types::VOID, place) else {
            return Ok(());
        };
        let outcome = |l: &mut Self, index: usize, ty| {
            l.f().emit(InstKind::AsmOutput { asm: id, index: index as u32 }, ty, place)
        };
        // All outputs exist before any is stored: a store may change what another lvalue reads.
        let values: Vec<Operand> = targets.iter().enumerate().map(|(i, lv)| outcome(self, i, lv.ty.ty)).collect();
        let taken = (!labels.is_empty()).then(|| outcome(self, targets.len(), Types::INT));
        for (lv, value) in targets.iter().zip(values) {
            self.write(*lv, value, place);
        }
        if let Some(taken) = taken {
            self.asm_goto(taken, &labels, place);
        }
        Ok(())
    }

    /// The labels that the pre-pass cut from an `asm goto`.
    fn goto_labels(&self, place: Place) -> Vec<String> {
        let table = &self.side.asm_goto;
        match table.binary_search_by_key(&place.start, |(offset, _)| *offset) {
            Ok(i) => table[i].1.clone(),
            Err(_) => Vec::new(),
        }
    }

    /// Goes to the label taken, as a `goto` does, or on.
    fn asm_goto(&mut self, taken: Operand, labels: &[String], place: Place) {
        let f = self.f();
        let numbers = 1..=labels.len() as i128;
        let cases: Vec<Case> = numbers.map(|n| Case { low: n, high: n, target: f.new_block(place) }).collect();
        let default = f.new_block(place);
        f.end(Terminator::Switch { value: taken, cases: cases.clone(), default }, place);
        for (label, case) in labels.iter().zip(cases) {
            self.f().start(case.target);
            self.goto(label, place);
        }
        self.f().start(default);
    }

    /// An output: memory, or a value that is stored afterwards.
    fn asm_output(&mut self, o: &GnuAsmOperand, asm: &mut Asm, targets: &mut Vec<Lv>) -> Res<()> {
        let constraint = self.string_text(&o.constraints)?;
        let e = &o.variable_name;
        let Some(mode) = constraint.trim_start().chars().next().filter(|c| matches!(c, '=' | '+')) else {
            return self.error(o.constraints.span, "the constraint of an output begins with = or +");
        };
        let lv = self.lvalue(e)?;
        if self.is_in_memory(&constraint, lv) {
            asm.memory.push(lv.addr);
            return Ok(());
        }
        if self.types.size_of(lv.ty.ty).is_none() {
            return self.error(e.span, format!("the type {} is no output", self.types.show(lv.ty.ty)));
        }
        if mode == '+' {
            let old = self.read(lv, e.span)?;
            asm.inputs.push((format!("+{}", targets.len()), old.op));
        }
        asm.outputs.push(constraint);
        targets.push(lv);
        Ok(())
    }

    /// An input: memory, or a value.
    fn asm_input(&mut self, o: &GnuAsmOperand, asm: &mut Asm) -> Res<()> {
        let constraint = self.string_text(&o.constraints)?;
        let e = &o.variable_name;
        let place = self.place(e.span);
        let rv = match self.expr(e)? {
            Val::Lv(lv) if only_memory(&constraint) && lv.bits.is_none() => {
                asm.memory.push(lv.addr);
                return Ok(());
            }
            Val::Lv(lv) => self.read(lv, e.span)?,
            Val::Rv(rv) => rv,
        };
        if rv.ty == Types::VOID {
            return self.error(e.span, "the operand has no value");
        }
        if only_memory(&constraint) {
            let addr = self.spill(rv, place);
            asm.memory.push(addr);
        } else {
            asm.inputs.push((constraint, rv.op));
        }
        Ok(())
    }

    /// Whether an lvalue operand is accessed in memory. What may be in a register is read and stored as a value instead: that means
    /// the same.
    fn is_in_memory(&self, constraint: &str, lv: Lv) -> bool {
        let array = matches!(self.types.get(lv.ty.ty), Type::Array { .. });
        array || (only_memory(constraint) && lv.bits.is_none())
    }

    fn assume_asm(&mut self, template: &str, place: Place) {
        let words: Vec<&str> = template.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        let mut text = words.join(" ");
        if text.chars().count() > QUOTED {
            text = text.chars().take(QUOTED).chain(['…']).collect();
        }
        let text = format!("inline assembly is known by its operands only: \"{text}\"");
        self.assume(AssumptionKind::InlineAsm, text, place);
    }

    /// The text of adjacent string literals.
    fn string_text(&self, literal: &Node<StringLiteral>) -> Res<String> {
        let text = self.text(&literal.node, literal.span)?;
        let bytes = self.text_bytes(&text.units, Types::CHAR);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether a constraint allows memory and nothing else. Modifiers and alternatives do not count; unknown letters may be registers.
fn only_memory(constraint: &str) -> bool {
    let mut letters = constraint
        .chars()
        .filter(|c| !matches!(c, '=' | '+' | '&' | '%' | ',' | '*' | '?' | '!' | '#' | '^' | '$' | ' '));
    let mut any = false;
    let all = letters.all(|c| {
        any = true;
        matches!(c, 'm' | 'o' | 'V' | '<' | '>')
    });
    any && all
}

#[cfg(test)]
mod tests {
    use super::only_memory;

    #[test]
    fn constraints_tell_memory_from_values() {
        for memory in ["m", "=m", "+m", "=&m", "=o", "m,m", "+*m"] {
            assert!(only_memory(memory), "{memory}");
        }
        for value in ["r", "=r", "+rm", "=g", "0", "i", "=@ccz", "=a", "rm,m", "p", "X", ""] {
            assert!(!only_memory(value), "{value}");
        }
    }
}
