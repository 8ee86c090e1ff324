//! Statements, without recursion: what is not finished waits on a stack.

use super::declarations::Context;
use super::tokens::{Kind, Soft};
use super::walk::{Res, Walk};

/// A statement that waits for a part of it. Each has a scope of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Open {
    /// Up to `}`. It ends so many `__label__` names.
    Block { labels: usize },
    /// The first branch.
    If,
    /// The second branch, or the body of a loop or `switch`.
    Last,
    /// The body of `do`; `while (…);` follows.
    Do,
}

/// So many labels of one statement are left as they are.
const LABELS: usize = 256;

impl Walk<'_, '_> {
    /// A compound statement and all in it.
    pub fn compound(&mut self) -> Res<()> {
        let outside = self.open.len();
        self.open_block()?;
        while self.open.len() > outside {
            self.step()?;
        }
        Ok(())
    }

    fn open(&mut self, open: Open) -> Res<()> {
        self.open.push(open);
        self.check_height(0)
    }

    fn open_block(&mut self) -> Res<()> {
        self.bump();
        self.names.enter();
        self.open(Open::Block { labels: self.local_labels.len() })
    }

    /// The next declaration, or statement up to the statement in it.
    fn step(&mut self) -> Res<()> {
        if let Some(&Open::Block { labels }) = self.open.last() {
            match self.kind() {
                Kind::RBrace | Kind::Eof => {
                    self.bump();
                    self.names.leave();
                    self.local_labels.truncate(labels);
                    self.open.pop();
                    return self.finished();
                }
                Kind::StaticAssert | Kind::Soft(Soft::StaticAssert) => return self.static_assert(),
                Kind::LocalLabel => {
                    self.declare_labels();
                    return Ok(());
                }
                _ if self.is_declaration(self.at) => return self.block_declaration(),
                _ => {}
            }
        }
        if self.labels()? {
            return self.finished();
        }
        self.statement()
    }

    fn block_declaration(&mut self) -> Res<()> {
        let start = self.at;
        self.declaration(Context::Block)?;
        if self.at == start {
            self.bump();
        }
        Ok(())
    }

    /// Whether a declaration begins at a token of a block.
    fn is_declaration(&self, index: usize) -> bool {
        match self.kind_of(index) {
            Kind::Auto | Kind::Typedef => true,
            Kind::Ident if self.kind_of(index + 1) == Kind::Colon => false,
            Kind::Attribute | Kind::Declspec | Kind::LBracket => {
                let after = self.after_attributes(index);
                after > index && self.is_declaration(after)
            }
            _ => self.is_type_start(index),
        }
    }

    /// Attributes and labels in front of a statement. Whether the statement is an empty one, which lang-c wants before a declaration and `}`.
    fn labels(&mut self) -> Res<bool> {
        let mut height = 0;
        let in_block = matches!(self.open.last(), Some(Open::Block { .. }));
        let attributes = self.skip_attributes()?;
        self.drop_attributes(attributes);
        loop {
            match self.kind() {
                Kind::Case => {
                    self.bump();
                    self.expression(false)?;
                    if self.eat(Kind::Ellipsis) {
                        self.expression(false)?;
                    }
                }
                Kind::Default => self.bump(),
                Kind::Ident | Kind::Soft(_) if self.next_kind() == Kind::Colon => self.label_name(),
                _ => break,
            }
            if !self.eat(Kind::Colon) {
                break;
            }
            height += 1;
            self.check_height(height)?;
            let after = self.after_attributes(self.at);
            let ends = match self.kind_of(after) {
                Kind::RBrace | Kind::StaticAssert | Kind::LocalLabel | Kind::Soft(Soft::StaticAssert) => true,
                _ => self.is_declaration(after),
            };
            if ends {
                self.edits.insert(self.end(), ";");
            }
            let attributes = self.skip_attributes()?;
            self.drop_attributes(attributes);
            if ends {
                return Ok(true);
            }
            if in_block && height % LABELS == 0 {
                // Label in label in label: an empty statement between two makes them neighbours.
                self.edits.insert(self.end(), ";");
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A statement without attributes and labels, up to the statement in it.
    fn statement(&mut self) -> Res<()> {
        match self.kind() {
            Kind::LBrace => return self.open_block(),
            Kind::If => {
                self.bump();
                self.names.enter();
                self.condition()?;
                return self.open(Open::If);
            }
            Kind::While | Kind::Switch => {
                self.bump();
                self.names.enter();
                self.condition()?;
                return self.open(Open::Last);
            }
            Kind::Do => {
                self.bump();
                self.names.enter();
                return self.open(Open::Do);
            }
            Kind::For => return self.for_head(),
            Kind::Goto => self.goto()?,
            Kind::Return => {
                self.bump();
                self.expression(true)?;
            }
            Kind::Jump => self.bump(),
            Kind::Asm => self.asm()?,
            Kind::Semi => {}
            Kind::Ident if matches!(self.next_kind(), Kind::Ident) => {
                self.unknown_type()?;
            }
            _ => {
                self.expression(true)?;
            }
        }
        if !self.eat(Kind::Semi) && !matches!(self.kind(), Kind::RBrace | Kind::Eof) {
            // Not C: lang-c will say so.
            self.lost = true;
            self.bump();
        }
        self.finished()
    }

    /// A statement ended: so do those that waited for it.
    fn finished(&mut self) -> Res<()> {
        loop {
            match self.open.last() {
                Some(Open::If) if self.kind() == Kind::Else => {
                    self.bump();
                    self.open.pop();
                    return self.open(Open::Last);
                }
                Some(Open::If | Open::Last) => {
                    self.open.pop();
                    self.names.leave();
                }
                Some(Open::Do) => {
                    self.open.pop();
                    if self.eat(Kind::While) {
                        self.condition()?;
                        self.eat(Kind::Semi);
                    }
                    self.names.leave();
                }
                Some(Open::Block { .. }) | None => return Ok(()),
            }
        }
    }

    /// `( … )` of a statement.
    fn condition(&mut self) -> Res<()> {
        let from = self.at;
        if self.kind() == Kind::LParen {
            self.enter()?;
            self.bump();
            self.expression(true)?;
            self.eat(Kind::RParen);
            self.leave(from)?;
        }
        Ok(())
    }

    fn for_head(&mut self) -> Res<()> {
        self.bump();
        self.names.enter();
        let from = self.at;
        if self.kind() == Kind::LParen {
            self.enter()?;
            self.bump();
            if self.is_declaration(self.at) {
                // `T *p;` could be an expression, so lang-c takes it for one.
                let plain = self.kind() == Kind::Ident && self.is_name(self.at + 1);
                if matches!(self.kind(), Kind::Ident | Kind::Typeof | Kind::AutoType) && !plain {
                    self.edits.insert(self.start(), "__attribute__(()) ");
                }
                self.declaration(Context::Block)?;
            } else if matches!(self.kind(), Kind::StaticAssert | Kind::Soft(Soft::StaticAssert)) {
                self.static_assert()?;
            } else {
                self.expression(true)?;
                self.eat(Kind::Semi);
            }
            self.expression(true)?;
            self.eat(Kind::Semi);
            self.expression(true)?;
            self.eat(Kind::RParen);
            self.leave(from)?;
        }
        self.open(Open::Last)
    }

    /// `goto label;`, or `goto *e;`, which becomes a call.
    fn goto(&mut self) -> Res<()> {
        let word = self.at;
        self.bump();
        if self.kind() == Kind::Star {
            self.respell(word, "__fc_goto");
            self.respell(self.at, "(");
            self.bump();
            self.expression(true)?;
            self.edits.insert(self.end(), ")");
        } else if self.is_name(self.at) {
            self.label_name();
        }
        Ok(())
    }

    /// The label at hand; one of `__label__` gets a number, because lowering knows one name space in a function.
    pub fn label_name(&mut self) {
        if let Some(number) = self.local_label(self.at) {
            self.edits.insert(self.tokens[self.at].end, format!("__fc_{number}"));
        }
        self.bump();
    }

    fn local_label(&self, index: usize) -> Option<usize> {
        let name = self.text_of(index);
        self.local_labels.iter().rev().find(|(label, _)| *label == name).map(|&(_, number)| number)
    }

    /// `__label__ a, b;`
    fn declare_labels(&mut self) {
        let from = self.at;
        self.bump();
        while self.is_name(self.at) {
            self.local_labels.push((self.text_of(self.at), self.label_count));
            self.label_count += 1;
            self.bump();
            self.eat(Kind::Comma);
        }
        self.eat(Kind::Semi);
        self.blank_tokens(from, self.at);
    }

    /// An assembler statement up to its `;`. The labels of `asm goto` are cut off.
    fn asm(&mut self) -> Res<()> {
        let offset = self.start();
        // `asm` alone is a name to lang-c, and `asm("…")` would be a call.
        self.respell(self.at, "__asm__");
        self.bump();
        let mut qualified = false;
        let mut jumps = false;
        loop {
            match self.kind() {
                // lang-c reads one qualifier.
                Kind::Qualifier => {
                    if qualified {
                        self.blank_token(self.at);
                    }
                    qualified = true;
                }
                Kind::Storage => self.blank_token(self.at),
                Kind::Goto => {
                    jumps = true;
                    self.blank_token(self.at);
                }
                _ => break,
            }
            self.bump();
        }
        if self.kind() != Kind::LParen {
            return self.fail("this form of assembler statement is not supported");
        }
        let from = self.at;
        self.enter()?;
        self.bump();
        while self.kind() == Kind::Str {
            self.bump();
        }
        let mut colons = 0;
        let mut labels = Vec::new();
        loop {
            match self.kind() {
                Kind::Colon => {
                    colons += 1;
                    if colons > 3 {
                        self.blank_token(self.at);
                    }
                    self.bump();
                }
                Kind::Ident | Kind::Soft(_) if colons > 3 => {
                    let number = self.local_label(self.at).map_or(String::new(), |n| format!("__fc_{n}"));
                    labels.push(self.text_of(self.at).to_string() + &number);
                    self.blank_token(self.at);
                    self.bump();
                }
                Kind::Comma => {
                    if colons > 3 {
                        self.blank_token(self.at);
                    }
                    self.bump();
                }
                Kind::LBracket => self.skip_group(),
                Kind::Str => self.bump(),
                Kind::LParen => self.condition()?,
                _ => break,
            }
        }
        self.eat(Kind::RParen);
        self.leave(from)?;
        if jumps {
            self.found.asm_goto.push((offset, labels));
        }
        Ok(())
    }

    /// `asm("…");` at file scope: taken out.
    pub fn top_asm(&mut self) -> Res<()> {
        let from = self.at;
        let offset = self.start();
        self.bump();
        while matches!(self.kind(), Kind::Qualifier | Kind::Storage) {
            self.bump();
        }
        if self.kind() != Kind::LParen {
            return self.fail("this form of assembler statement is not supported");
        }
        let open = self.at;
        self.skip_group();
        let strings = (open..self.at).filter(|&i| self.kind_of(i) == Kind::Str);
        let template = strings.map(|i| self.text_of(i).trim_matches('"')).collect();
        self.eat(Kind::Semi);
        self.blank_tokens(from, self.at);
        self.found.top_asm.push((offset, template));
        Ok(())
    }
}
