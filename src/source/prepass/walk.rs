//! What all parts of the walk over the tokens share: looking ahead, changing tokens, the limits.

use super::edits::Edits;
use super::names::Names;
use super::statements::Open;
use super::tokens::{Kind, SOFT, Soft, Token};
use super::{Failure, MAX_HEIGHT, MAX_NESTING};

pub(super) type Res<T> = Result<T, Failure>;

/// What is taken out of the text, at offsets in the input.
#[derive(Default)]
pub(super) struct Found {
    pub asm_goto: Vec<(u32, Vec<String>)>,
    pub top_asm: Vec<(u32, String)>,
}

/// Bytes that lang-c may copy for deeply nested expressions, in tokens: a few gigabytes at most.
const MAX_COPIES: usize = 20_000_000;
/// From which nesting on they count: what people write stays below.
const DEEP: usize = 32;

/// The walk.
pub(super) struct Walk<'t, 'e> {
    pub text: &'t str,
    pub tokens: &'t [Token],
    /// The token at hand; never beyond the last, which is `Eof`.
    pub at: usize,
    pub edits: &'e mut Edits,
    pub names: Names<'t>,
    pub found: Found,
    /// Words that the unit declares itself.
    pub declared: [bool; SOFT],
    /// Statements that are not finished, the innermost last.
    pub open: Vec<Open>,
    /// `__label__` declarations in force: the name and the number that tells it from others.
    pub local_labels: Vec<(&'t str, usize)>,
    pub label_count: usize,
    /// How many `sizeof(type)` are around.
    pub sizeof_types: usize,
    /// Something was not C. lang-c reports the first such place; what is found later may follow from it.
    pub lost: bool,
    nesting: usize,
    copies: usize,
}

/// Walks over a unit's tokens, which end with `Eof`.
pub(super) fn walk(text: &str, tokens: &[Token], edits: &mut Edits) -> Res<Found> {
    let mut walk = Walk {
        text,
        tokens,
        at: 0,
        edits,
        names: Names::new(),
        found: Found::default(),
        declared: [false; SOFT],
        open: Vec::new(),
        local_labels: Vec::new(),
        label_count: 0,
        sizeof_types: 0,
        lost: false,
        nesting: 0,
        copies: 0,
    };
    while walk.kind() != Kind::Eof {
        walk.external()?;
    }
    Ok(walk.found)
}

impl<'t> Walk<'t, '_> {
    /// What the token is, given what the unit declares.
    pub fn kind_of(&self, index: usize) -> Kind {
        match self.tokens[index.min(self.tokens.len() - 1)].kind {
            Kind::Soft(word) if self.declared[word as usize] => Kind::Ident,
            kind => kind,
        }
    }

    pub fn kind(&self) -> Kind {
        self.kind_of(self.at)
    }

    pub fn next_kind(&self) -> Kind {
        self.kind_of(self.at + 1)
    }

    pub fn text_of(&self, index: usize) -> &'t str {
        let token = self.tokens[index];
        &self.text[token.start as usize..token.end as usize]
    }

    pub fn start(&self) -> u32 {
        self.tokens[self.at].start
    }

    /// The end of the token before.
    pub fn end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].end)
    }

    pub fn bump(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn eat(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// A word that can be a name: what lang-c takes for a keyword is none, but the user may have other ideas in other name spaces.
    pub fn is_name(&self, index: usize) -> bool {
        matches!(self.kind_of(index), Kind::Ident | Kind::Soft(_))
    }

    pub fn declare(&mut self, index: usize, is_type: bool) {
        if let Kind::Soft(word) = self.tokens[index].kind {
            self.declared[word as usize] = true;
        }
        self.names.declare(self.text_of(index), is_type);
    }

    pub fn fail<T>(&self, message: impl Into<String>) -> Res<T> {
        Err(Failure::new(self.start(), message))
    }

    /// The word at hand must be a type, but is none that is known.
    pub fn unknown_type(&self) -> Res<()> {
        if self.lost {
            return Ok(());
        }
        self.fail(format!("unknown type name `{}`", self.text_of(self.at)))
    }

    pub fn blank_token(&mut self, index: usize) {
        let token = self.tokens[index];
        self.edits.blank(token.start, token.end);
    }

    pub fn blank_tokens(&mut self, from: usize, to: usize) {
        for index in from..to {
            self.blank_token(index);
        }
    }

    pub fn respell(&mut self, index: usize, text: &str) {
        let token = self.tokens[index];
        self.edits.overwrite(token.start, token.end, text);
    }

    /// `[[` begins attributes: nothing else in C does.
    pub fn is_double_bracket(&self, index: usize) -> bool {
        self.kind_of(index) == Kind::LBracket && self.kind_of(index + 1) == Kind::LBracket
    }

    /// Into a bracket; [`Walk::leave`] goes with it.
    pub fn enter(&mut self) -> Res<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return self.fail(format!("nested more than {MAX_NESTING} deep"));
        }
        Ok(())
    }

    /// Out of a bracket that began at token `from`.
    pub fn leave(&mut self, from: usize) -> Res<()> {
        if self.nesting > DEEP {
            self.copies += self.at.saturating_sub(from);
            if self.copies > MAX_COPIES {
                return self.fail("too many deeply nested expressions");
            }
        }
        self.nesting -= 1;
        Ok(())
    }

    /// An expression or a chain of statements of this height can be taken.
    pub fn check_height(&self, height: usize) -> Res<()> {
        if self.open.len() + self.nesting + height > MAX_HEIGHT {
            return self.fail(format!("nested more than {MAX_HEIGHT} deep"));
        }
        Ok(())
    }

    /// To the matching bracket, if the token at hand opens one, and behind it. For tokens that are not looked into.
    pub fn skip_group(&mut self) {
        let mut depth = 0;
        loop {
            match self.kind() {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => depth -= 1,
                Kind::Eof => return,
                _ => {}
            }
            self.bump();
            if depth <= 0 {
                return;
            }
        }
    }

    /// Whether a type begins at a token, where an expression could stand too.
    pub fn is_type_start(&self, index: usize) -> bool {
        match self.kind_of(index) {
            Kind::Basic
            | Kind::Qualifier
            | Kind::Atomic
            | Kind::Struct
            | Kind::Enum
            | Kind::Typeof
            | Kind::AutoType
            | Kind::Alignas
            | Kind::Storage
            | Kind::Attribute
            | Kind::Soft(Soft::Bool | Soft::Constexpr | Soft::Alignas | Soft::ThreadLocal) => true,
            Kind::Ident => self.names.is_type(self.text_of(index)),
            _ => self.is_double_bracket(index),
        }
    }
}
