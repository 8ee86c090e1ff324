//! Statements.
//!
//! Control flow is built as it is met; code after a jump goes to blocks that nothing reaches, which `cfg::clean` removes.

use lang_c::ast::{
    BlockItem, DoWhileStatement, Expression, ForInitializer, ForStatement, IfStatement, Label, Statement,
    SwitchStatement, WhileStatement,
};
use lang_c::span::{Node, Span};

use super::super::fold;
use super::super::syntax::{Callee, Case, Operand, Terminator};
use super::super::types::Types;
use super::build::{CleanupChain, JumpTarget, PendingGoto, SwitchState};
use super::{Lower, Res};
use crate::source::{Diagnostic, Place};

impl Lower<'_> {
    pub(super) fn block_item(&mut self, item: &Node<BlockItem>) -> Res<()> {
        match &item.node {
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::StaticAssert(a) => self.static_assert(a),
            BlockItem::Statement(s) => self.statement(s),
        }
    }

    pub(super) fn statement(&mut self, s: &Node<Statement>) -> Res<()> {
        // Labels in a row are a loop, not a recursion: there may be thousands.
        let mut s = s;
        while let Statement::Labeled(l) = &s.node {
            self.enter_label(&l.node.label)?;
            s = &l.node.statement;
        }
        let place = self.place(s.span);
        match &s.node {
            Statement::Labeled(_) | Statement::Expression(None) => Ok(()),
            Statement::Compound(items) => self.compound(items, s.span),
            Statement::Expression(Some(e)) => self.effects(e),
            Statement::If(i) => self.if_statement(&i.node),
            Statement::Switch(sw) => self.switch_statement(sw),
            Statement::While(w) => self.while_statement(&w.node),
            Statement::DoWhile(d) => self.do_statement(&d.node),
            Statement::For(f) => self.for_statement(&f.node, s.span),
            Statement::Goto(label) => {
                self.goto(&label.node.name, place);
                Ok(())
            }
            Statement::Continue => self.leave_loop(true, s.span),
            Statement::Break => self.leave_loop(false, s.span),
            Statement::Return(e) => self.return_statement(e.as_deref(), s.span),
            Statement::Asm(a) => self.asm_statement(a),
        }
    }

    pub(super) fn compound(&mut self, items: &[Node<BlockItem>], span: Span) -> Res<()> {
        let cleanups = self.f().cleanup;
        self.scopes.enter();
        for item in items {
            self.block_item(item)?;
        }
        let end = self.end_place(span);
        self.leave_cleanups(cleanups, end);
        self.scopes.leave();
        Ok(())
    }

    /// The place of the last character: the closing brace of a block.
    pub(super) fn end_place(&self, span: Span) -> Place {
        let place = self.place(span);
        Place { start: place.end.saturating_sub(1).max(place.start), ..place }
    }

    /// Runs the cleanups in force here that are not in force at `to`, and leaves their scopes.
    pub(super) fn leave_cleanups(&mut self, to: CleanupChain, place: Place) {
        let from = self.f().cleanup;
        self.run_cleanups(from, to, place);
        self.f().cleanup = to;
    }

    fn run_cleanups(&mut self, from: CleanupChain, to: CleanupChain, place: Place) {
        if from == to || !self.f().is_open() {
            return;
        }
        for cleanup in self.f().cleanups_between(from, to) {
            let ty = self.functions[cleanup.function].ty;
            let Some(f) = self.types.as_function(ty) else { continue };
            let result = f.result;
            let arg = match f.params.first().copied() {
                Some(param) => self.cast(cleanup.addr, param, place),
                None => cleanup.addr,
            };
            self.emit_call(Callee::Direct(cleanup.function), result, vec![arg], place);
        }
    }

    fn if_statement(&mut self, i: &IfStatement) -> Res<()> {
        let place = self.place(i.condition.span);
        let then = self.f().new_block(place);
        let end = self.f().new_block(place);
        let otherwise = if i.else_statement.is_some() { self.f().new_block(place) } else { end };
        self.branch_on(&i.condition, then, otherwise)?;
        self.f().start(then);
        self.statement(&i.then_statement)?;
        self.f().jump(end, place);
        if let Some(s) = &i.else_statement {
            self.f().start(otherwise);
            self.statement(s)?;
            self.f().jump(end, place);
        }
        self.f().start(end);
        Ok(())
    }

    /// Lowers the body of a loop with its jump targets.
    fn body(&mut self, s: &Node<Statement>, next: super::BlockId, end: super::BlockId) -> Res<()> {
        let f = self.f();
        let cleanups = f.cleanup;
        f.breaks.push(JumpTarget { block: end, cleanups });
        f.continues.push(JumpTarget { block: next, cleanups });
        self.statement(s)?;
        let f = self.f();
        f.breaks.pop();
        f.continues.pop();
        Ok(())
    }

    fn while_statement(&mut self, w: &WhileStatement) -> Res<()> {
        let place = self.place(w.expression.span);
        let f = self.f();
        let (head, body, end) = (f.new_block(place), f.new_block(place), f.new_block(place));
        f.flow_into(head, place);
        self.branch_on(&w.expression, body, end)?;
        self.f().start(body);
        self.body(&w.statement, head, end)?;
        self.f().jump(head, place);
        self.f().start(end);
        Ok(())
    }

    fn do_statement(&mut self, d: &DoWhileStatement) -> Res<()> {
        let place = self.place(d.expression.span);
        let f = self.f();
        let (body, condition, end) = (f.new_block(place), f.new_block(place), f.new_block(place));
        f.flow_into(body, place);
        self.body(&d.statement, condition, end)?;
        self.f().flow_into(condition, place);
        self.branch_on(&d.expression, body, end)?;
        self.f().start(end);
        Ok(())
    }

    fn for_statement(&mut self, l: &ForStatement, span: Span) -> Res<()> {
        self.scopes.enter();
        let cleanups = self.f().cleanup;
        match &l.initializer.node {
            ForInitializer::Empty => {}
            ForInitializer::Expression(e) => self.effects(e)?,
            ForInitializer::Declaration(d) => self.declaration(d)?,
            ForInitializer::StaticAssert(a) => self.static_assert(a)?,
        }
        let place = match (&l.condition, &l.step) {
            (Some(e), _) | (None, Some(e)) => self.place(e.span),
            (None, None) => self.place(Span::span(span.start, l.statement.span.start)),
        };
        let step_place = l.step.as_ref().map_or(place, |e| self.place(e.span));
        let f = self.f();
        let (head, body, step, end) =
            (f.new_block(place), f.new_block(place), f.new_block(step_place), f.new_block(place));
        f.flow_into(head, place);
        match &l.condition {
            Some(e) => self.branch_on(e, body, end)?,
            None => self.f().jump(body, place),
        }
        self.f().start(body);
        self.body(&l.statement, step, end)?;
        self.f().flow_into(step, step_place);
        if let Some(e) = &l.step {
            self.effects(e)?;
        }
        self.f().jump(head, step_place);
        self.f().start(end);
        let end_place = self.end_place(span);
        self.leave_cleanups(cleanups, end_place);
        self.scopes.leave();
        Ok(())
    }

    fn switch_statement(&mut self, s: &Node<SwitchStatement>) -> Res<()> {
        let e = &s.node.expression;
        let place = self.place(e.span);
        let rv = self.rvalue(e)?;
        if !self.is_integer(rv.ty) {
            let ty = self.types.show(rv.ty);
            return self.error(e.span, format!("a switch needs an integer, not {ty}"));
        }
        let value = self.promote(rv, place);
        let f = self.f();
        let head = f.pause();
        let (body, end) = (f.new_block(place), f.new_block(place));
        let (cleanups, inside) = (f.cleanup, f.inside);
        f.switches.push(SwitchState { ty: value.ty, cases: Vec::new(), places: Vec::new(), default: None, inside });
        f.breaks.push(JumpTarget { block: end, cleanups });
        // Code before the first case is not reached.
        f.start(body);
        self.statement(&s.node.statement)?;
        let f = self.f();
        f.jump(end, place);
        f.breaks.pop();
        let Some(state) = f.switches.pop() else { return self.error(s.span, "a switch inside itself") };
        check_cases(&state)?;
        let f = self.f();
        f.resume(head);
        let default = state.default.unwrap_or(end);
        if state.cases.is_empty() {
            f.jump(default, place);
        } else {
            f.end(Terminator::Switch { value: value.op, cases: state.cases, default }, place);
        }
        f.start(end);
        Ok(())
    }

    /// A label stands here.
    pub(super) fn enter_label(&mut self, label: &Node<Label>) -> Res<()> {
        let place = self.place(label.span);
        let (low, high) = match &label.node {
            Label::Identifier(id) => {
                let Some(block) = self.f().define_label(&id.node.name, place) else {
                    let first = self.f().label(&id.node.name, place).place;
                    let message = format!("the label {} stands twice", id.node.name);
                    return Err(Box::new(Diagnostic::error(message, place).with_label(first, "first here")));
                };
                self.f().flow_into(block, place);
                return Ok(());
            }
            Label::Case(e) => (&**e, &**e),
            Label::CaseRange(r) => (&*r.node.low, &*r.node.high),
            Label::Default => {
                if self.open_switch(label.span)?.default.is_some() {
                    return self.error(label.span, "the switch has a default already");
                }
                let block = self.label_block(place);
                self.open_switch(label.span)?.default = Some(block);
                return Ok(());
            }
        };
        let ty = self.open_switch(label.span)?.ty;
        let (low_value, high_value) = (self.constant_int(low)?.0, self.constant_int(high)?.0);
        let low_value = fold::wrap_to(&self.types, low_value, ty);
        let high_value = fold::wrap_to(&self.types, high_value, ty);
        let block = self.label_block(place);
        if low_value > high_value {
            self.warn(place, "this range of cases is empty");
            return Ok(());
        }
        let state = self.open_switch(label.span)?;
        state.cases.push(Case { low: low_value, high: high_value, target: block });
        state.places.push(place);
        Ok(())
    }

    fn open_switch(&mut self, span: Span) -> Res<&mut SwitchState> {
        let place = self.place(span);
        let f = self.f();
        let inside = f.inside;
        match f.switches.last_mut() {
            Some(state) if state.inside == inside => Ok(state),
            _ => Err(Box::new(Diagnostic::error("this label is not inside a switch", place))),
        }
    }

    /// A block that starts here, for a `case` or `default`.
    fn label_block(&mut self, place: Place) -> super::BlockId {
        let f = self.f();
        if let Some(block) = f.empty_block() {
            return block;
        }
        let block = f.new_block(place);
        f.flow_into(block, place);
        block
    }

    pub(super) fn goto(&mut self, label: &str, place: Place) {
        let f = self.f();
        let state = f.label(label, place);
        f.gotos.push((label.to_string(), f.inside, place));
        if f.cleanup.is_none() {
            f.jump(state.block, place);
            return;
        }
        // What is cleaned up is known when all labels are.
        let block = f.new_block(place);
        f.jump(block, place);
        let from = f.cleanup;
        f.pending_gotos.push(PendingGoto { block, from, label: label.to_string(), place });
    }

    /// At the end of a function: gotos out of scopes with cleanups run them on their way.
    pub(super) fn finish_gotos(&mut self) {
        for goto in std::mem::take(&mut self.f().pending_gotos) {
            let state = self.f().label(&goto.label, goto.place);
            self.f().start(goto.block);
            self.run_cleanups(goto.from, state.cleanups, goto.place);
            self.f().jump(state.block, goto.place);
        }
    }

    /// `continue` or `break`.
    fn leave_loop(&mut self, again: bool, span: Span) -> Res<()> {
        let place = self.place(span);
        let f = self.f();
        let target = if again { f.continues.last() } else { f.breaks.last() };
        let Some(&target) = target else {
            return self.error(span, if again { "continue outside a loop" } else { "break outside a loop or switch" });
        };
        let from = f.cleanup;
        self.run_cleanups(from, target.cleanups, place);
        self.f().jump(target.block, place);
        Ok(())
    }

    fn return_statement(&mut self, e: Option<&Node<Expression>>, span: Span) -> Res<()> {
        let place = self.place(span);
        let result = self.f().result;
        let value = match e {
            None => None,
            Some(e) if result == Types::VOID => {
                self.effects(e)?;
                None
            }
            Some(e) => {
                let rv = self.value_for(e, result)?;
                Some(self.convert(rv, result, e.span)?)
            }
        };
        let from = self.f().cleanup;
        self.run_cleanups(from, None, place);
        self.end_with_return(value, place);
        Ok(())
    }

    /// Returns; without a value, a function that has one returns an arbitrary one.
    pub(super) fn end_with_return(&mut self, value: Option<Operand>, place: Place) {
        if !self.f().is_open() {
            return;
        }
        let result = self.f().result;
        let value = match value {
            None if result != Types::VOID => {
                let temp = self.temp(result, place);
                Some(self.load(Operand::Local(temp), result, place))
            }
            value => value,
        };
        self.f().end(Terminator::Return(value), place);
    }
}

/// No value may have two cases.
fn check_cases(state: &SwitchState) -> Res<()> {
    let mut order: Vec<usize> = (0..state.cases.len()).collect();
    order.sort_by_key(|i| (state.cases[*i].low, *i));
    for pair in order.windows(2) {
        let (a, b) = (state.cases[pair[0]], state.cases[pair[1]]);
        if b.low <= a.high {
            let (first, second) = (state.places[pair[0].min(pair[1])], state.places[pair[0].max(pair[1])]);
            let message = format!("the case {} stands twice", b.low);
            return Err(Box::new(Diagnostic::error(message, second).with_label(first, "first here")));
        }
    }
    Ok(())
}
