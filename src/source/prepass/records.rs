//! Type specifiers with parts: structures, unions, enumerations, `typeof`, `_Alignas`.

use super::declarations::Context;
use super::declarators::Mode;
use super::tokens::{Kind, Soft};
use super::walk::{Res, Walk};

impl Walk<'_, '_> {
    /// The attributes and the tag behind `struct`, `union` or `enum`. lang-c reads the attributes behind the body only.
    fn tag(&mut self) -> Res<String> {
        self.bump();
        let mut moved = String::new();
        loop {
            if self.at_attribute() {
                let attributes = self.skip_attributes()?;
                moved.push_str(&self.take_attributes(attributes));
            } else if self.is_name(self.at) {
                self.bump();
                return Ok(moved);
            } else {
                return Ok(moved);
            }
        }
    }

    /// From `struct` to the end of the specifier.
    pub fn record(&mut self) -> Res<()> {
        let moved = self.tag()?;
        // Attributes of a mere mention of the tag have no effect.
        if self.kind() != Kind::LBrace {
            return Ok(());
        }
        let from = self.at;
        self.enter()?;
        self.bump();
        while !matches!(self.kind(), Kind::RBrace | Kind::Eof) {
            let start = self.at;
            match self.kind() {
                Kind::Semi => {
                    self.blank_token(self.at);
                    self.bump();
                }
                Kind::StaticAssert | Kind::Soft(Soft::StaticAssert) => self.static_assert()?,
                _ => self.member()?,
            }
            if self.at == start {
                break;
            }
        }
        self.close_body(&moved);
        self.leave(from)
    }

    fn close_body(&mut self, moved: &str) {
        if self.eat(Kind::RBrace) {
            self.edits.insert(self.end(), moved.to_string());
        }
    }

    fn member(&mut self) -> Res<()> {
        let start = self.at;
        let specifiers = self.specifiers(Context::Member)?;
        if self.declares_nothing(start, &specifiers) {
            return Ok(());
        }
        self.implied_int(&specifiers)?;
        while !matches!(self.kind(), Kind::Semi | Kind::RBrace | Kind::Eof) {
            let start = self.at;
            self.declarator(Mode::Named)?;
            if self.at_attribute() {
                self.keep_attributes()?;
            }
            if self.eat(Kind::Colon) {
                self.expression(false)?;
                if self.at_attribute() {
                    self.keep_attributes()?;
                }
            }
            self.eat(Kind::Comma);
            if self.at == start {
                return Ok(());
            }
        }
        if self.kind() == Kind::RBrace {
            // gcc lets the last one out.
            self.edits.insert(self.end(), ";");
        }
        self.eat(Kind::Semi);
        Ok(())
    }

    /// From `enum` to the end of the specifier. The type behind `:` becomes an attribute.
    pub fn enumeration(&mut self) -> Res<()> {
        let mut moved = self.tag()?;
        if self.kind() == Kind::Colon && self.is_type_start(self.at + 1) {
            let colon = self.at;
            self.bump();
            let from = self.at;
            self.specifiers(Context::TypeName)?;
            let words: Vec<&str> = (from..self.at).map(|i| self.text_of(i)).collect();
            moved.extend([" __attribute__((__fc_underlying(sizeof(", &words.join(" "), ")))) "]);
            self.blank_tokens(colon, self.at);
            if self.kind() != Kind::LBrace {
                self.edits.insert(self.end(), moved);
                return Ok(());
            }
        }
        if self.kind() != Kind::LBrace {
            return Ok(());
        }
        let from = self.at;
        self.enter()?;
        self.bump();
        while self.is_name(self.at) {
            self.declare(self.at, false);
            self.bump();
            if self.at_attribute() {
                self.keep_attributes()?;
            }
            if self.eat(Kind::Assign) {
                self.expression(false)?;
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.close_body(&moved);
        self.leave(from)
    }

    /// `typeof(…)`. lang-c takes what can be an expression for one.
    pub fn type_of(&mut self) -> Res<()> {
        self.bump();
        if self.kind() != Kind::LParen {
            return Ok(());
        }
        let from = self.at;
        self.enter()?;
        self.bump();
        if self.is_type_start(self.at) {
            if matches!(self.kind(), Kind::Ident | Kind::Typeof | Kind::AutoType) {
                self.edits.insert(self.start(), "__attribute__(()) ");
            }
            self.type_name()?;
        } else {
            self.expression(true)?;
        }
        self.eat(Kind::RParen);
        self.leave(from)
    }

    /// `_Alignas(…)`, which lang-c reads in declarations only: elsewhere it is an attribute.
    pub fn alignas(&mut self, context: Context) -> Res<()> {
        let as_attribute = match context {
            Context::Member | Context::TypeName => true,
            Context::File | Context::Block | Context::Parameter => false,
        };
        if as_attribute {
            self.respell(self.at, "__attribute__((aligned");
        } else if self.kind() != Kind::Alignas {
            self.respell(self.at, "_Alignas");
        }
        self.bump();
        if self.kind() != Kind::LParen {
            return Ok(());
        }
        let from = self.at;
        self.enter()?;
        self.bump();
        if self.is_type_start(self.at) {
            if as_attribute {
                self.edits.insert(self.start(), "_Alignof(");
            }
            self.type_name()?;
            if as_attribute {
                self.edits.insert(self.end(), ")");
            }
        } else {
            self.expression(false)?;
        }
        if self.eat(Kind::RParen) && as_attribute {
            self.edits.insert(self.end(), "))");
        }
        self.leave(from)
    }
}
