//! Attributes: GNU's, C23's and Microsoft's, where they may stay, go or have to move.

use super::tokens::Kind;
use super::walk::{Res, Walk};

/// A run of attribute specifiers, as tokens `from..to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes {
    pub from: usize,
    pub to: usize,
}

/// Attributes whose arguments lowering reads: they must be expressions and stay.
const READ: &[&str] = &[
    "packed",
    "aligned",
    "noreturn",
    "returns_twice",
    "weak",
    "alias",
    "vector_size",
    "mode",
    "transparent_union",
    "constructor",
    "destructor",
    "cleanup",
    "interrupt",
    "signal",
    "isr",
    "interrupt_handler",
    "gnu_inline",
    "scalar_storage_order",
    "address_space",
    "weakref",
    "ifunc",
];

fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

impl Walk<'_, '_> {
    pub fn at_attribute(&self) -> bool {
        matches!(self.kind(), Kind::Attribute | Kind::Declspec) || self.is_double_bracket(self.at)
    }

    /// The first token behind the attributes that start at a token.
    pub fn after_attributes(&self, mut index: usize) -> usize {
        while let Some(after) = self.after_attribute(index) {
            index = after;
        }
        index
    }

    /// The first token behind the one attribute specifier that starts at a token; nothing if none does, or it does not end.
    fn after_attribute(&self, index: usize) -> Option<usize> {
        match self.kind_of(index) {
            Kind::Attribute | Kind::Declspec if self.kind_of(index + 1) == Kind::LParen => self.after_group(index + 1),
            _ if self.is_double_bracket(index) => self.after_group(index),
            _ => None,
        }
    }

    /// The token behind the bracket that closes the one at `open`; nothing if none does before the attribute must have ended.
    fn after_group(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for index in open.. {
            match self.kind_of(index) {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => depth -= 1,
                // Only inside the arguments of an attribute can there be anything.
                Kind::Semi if depth <= 2 => return None,
                Kind::Eof => return None,
                _ => {}
            }
            if depth <= 0 {
                return Some(index + 1);
            }
        }
        None
    }

    /// Steps over the attributes at hand, if any. They stay as they are.
    pub fn skip_attributes(&mut self) -> Res<Attributes> {
        let from = self.at;
        self.at = self.after_attributes(from);
        if self.at_attribute() {
            return self.fail("this attribute does not end");
        }
        Ok(Attributes { from, to: self.at })
    }

    /// Attributes that mean nothing where they stand.
    pub fn drop_attributes(&mut self, attributes: Attributes) {
        self.blank_tokens(attributes.from, attributes.to);
    }

    /// Takes attributes out of the text; what is to be written elsewhere, in GNU's form.
    pub fn take_attributes(&mut self, attributes: Attributes) -> String {
        let mut text = String::new();
        let mut index = attributes.from;
        while let Some(end) = self.after_attribute(index).filter(|&end| end <= attributes.to) {
            text.push_str(&self.as_gnu(index, end));
            index = end;
        }
        self.drop_attributes(attributes);
        text
    }

    /// The attributes at hand, in a place where lang-c reads GNU's.
    pub fn keep_attributes(&mut self) -> Res<()> {
        while self.at_attribute() {
            let from = self.at;
            let Some(to) = self.after_attribute(from) else { return self.fail("this attribute does not end") };
            if self.kind() == Kind::Attribute {
                self.keep_gnu(to)?;
            } else {
                let offset = self.start();
                let text = self.take_attributes(Attributes { from, to });
                self.edits.insert(offset, text);
            }
            self.at = to;
        }
        Ok(())
    }

    /// `__attribute__((…))` in its place. lang-c wants `((` and `))` without a blank between, no empty attributes, and arguments
    /// that are expressions.
    fn keep_gnu(&mut self, end: usize) -> Res<()> {
        self.bump();
        if self.kind() != Kind::LParen || self.next_kind() != Kind::LParen || end < self.at + 4 {
            return self.fail("an attribute needs two pairs of parentheses");
        }
        self.join(self.at);
        self.bump();
        self.bump();
        let close = end - 2;
        let mut empty = true;
        let mut last_comma = None;
        while self.at < close {
            if self.kind() == Kind::Comma {
                if empty {
                    self.blank_token(self.at);
                } else {
                    last_comma = Some(self.at);
                }
                empty = true;
                self.bump();
                continue;
            }
            empty = false;
            let name = plain(self.text_of(self.at));
            self.bump();
            if self.kind() != Kind::LParen || self.at >= close {
                continue;
            }
            let arguments_end = self.after_group(self.at).unwrap_or(close).min(close);
            if READ.contains(&name) {
                let from = self.at;
                self.enter()?;
                self.bump();
                self.expression(true)?;
                self.leave(from)?;
            } else if !self.is_plain(self.at, arguments_end) {
                self.blank_tokens(self.at, arguments_end);
            }
            self.at = arguments_end;
        }
        if let Some(comma) = last_comma.filter(|_| empty) {
            self.blank_token(comma);
        }
        self.join(close);
        Ok(())
    }

    /// Moves the parenthesis after token `first`, which is one too, next to it.
    fn join(&mut self, first: usize) {
        let (one, two) = (self.tokens[first], self.tokens[first + 1]);
        if one.end != two.start {
            self.blank_token(first + 1);
            self.edits.insert(one.end, self.text_of(first + 1).to_string());
        }
    }

    /// Whether tokens form expressions without types in them, for sure.
    fn is_plain(&self, from: usize, to: usize) -> bool {
        (from..to).all(|i| {
            matches!(
                self.kind_of(i),
                Kind::Ident | Kind::Number | Kind::Str | Kind::Char | Kind::Comma | Kind::LParen | Kind::RParen
            ) && !(matches!(self.kind_of(i), Kind::Comma | Kind::LParen) && self.kind_of(i + 1) == Kind::Comma)
        })
    }

    fn words(&self, from: usize, to: usize) -> String {
        (from..to).map(|i| self.text_of(i)).collect::<Vec<_>>().join(" ")
    }

    /// One attribute specifier as `__attribute__((…))`, with what lowering may read; empty if that is nothing.
    fn as_gnu(&self, from: usize, to: usize) -> String {
        let specifier = self.kind_of(from);
        let (start, end) = match specifier {
            Kind::Attribute => (from + 3, to.saturating_sub(2)),
            Kind::Declspec => (from + 2, to.saturating_sub(1)),
            _ => (from + 2, to.saturating_sub(2)),
        };
        let mut kept: Vec<String> = Vec::new();
        let mut index = start;
        while index < end {
            if self.kind_of(index) == Kind::Comma {
                index += 1;
                continue;
            }
            let mut name = plain(self.text_of(index));
            let mut gnu = specifier == Kind::Attribute;
            index += 1;
            if self.kind_of(index) == Kind::Colon && self.kind_of(index + 1) == Kind::Colon && index + 2 < end {
                gnu = name == "gnu" || name == "clang";
                name = plain(self.text_of(index + 2));
                index += 3;
            }
            let arguments = index;
            if self.kind_of(index) == Kind::LParen && index < end {
                index = self.after_group(index).unwrap_or(end).min(end);
            }
            let arguments = self.words(arguments, index);
            match (specifier, name) {
                _ if gnu && READ.contains(&name) => kept.push(name.to_string() + &arguments),
                (Kind::Declspec, "align") => kept.push("aligned".to_string() + &arguments),
                (_, "noreturn" | "_Noreturn") => kept.push("noreturn".to_string()),
                _ => {}
            }
        }
        if kept.is_empty() { String::new() } else { format!(" __attribute__(({})) ", kept.join(", ")) }
    }
}
