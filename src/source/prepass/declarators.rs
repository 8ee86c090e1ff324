//! Declarators, parameters and type names.

use super::declarations::{Context, Specifiers};
use super::tokens::Kind;
use super::walk::{Res, Walk};

/// Which declarators can stand here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// With a name.
    Named,
    /// Without one: in a type name.
    Abstract,
    /// A parameter's.
    Either,
}

/// What a declarator declares.
#[derive(Default)]
pub(super) struct Declarator {
    /// The token of its name.
    pub name: Option<usize>,
    /// The parameters, if the name is a function's.
    pub parameters: Option<Parameters>,
    /// Nothing but the name, maybe in parentheses: what follows is the name's.
    plain: bool,
    /// C23 attributes taken from behind the name, which belong behind the declarator.
    pub moved: String,
}

/// Tokens of the names of parameters.
pub(super) enum Parameters {
    /// `(int a, char b)`, `(void)`, `()`
    Typed(Vec<usize>),
    /// `(a, b)`, with declarations to follow.
    Named(Vec<usize>),
}

impl Walk<'_, '_> {
    pub fn declarator(&mut self, mode: Mode) -> Res<Declarator> {
        let mut found = self.declarator_in(mode, false)?;
        let moved = std::mem::take(&mut found.moved);
        self.edits.insert(self.end(), moved);
        Ok(found)
    }

    /// A declarator, maybe in parentheses. The attributes of [`Declarator::moved`] are not written yet.
    pub fn declarator_in(&mut self, mode: Mode, grouped: bool) -> Res<Declarator> {
        let mut found = Declarator::default();
        // lang-c reads attributes in front of a pointer only if there is a name.
        let offset = self.start();
        let leading =
            if grouped && mode != Mode::Named && self.at_attribute() { Some(self.skip_attributes()?) } else { None };
        let mut behind_star = None;
        loop {
            match self.kind() {
                Kind::Star => {
                    self.bump();
                    behind_star = behind_star.or(Some(self.end()));
                }
                Kind::Qualifier | Kind::Atomic => self.bump(),
                Kind::Caret => return self.fail("blocks are not supported"),
                _ if self.at_attribute() => self.keep_attributes()?,
                _ => break,
            }
        }
        match self.kind() {
            Kind::Ident | Kind::Soft(_) if mode != Mode::Abstract => {
                found.name = Some(self.at);
                found.plain = true;
                self.bump();
            }
            Kind::LParen if self.opens_group(mode) => {
                let from = self.at;
                self.enter()?;
                self.bump();
                found = self.declarator_in(mode, true)?;
                self.eat(Kind::RParen);
                self.leave(from)?;
            }
            _ => {}
        }
        if let Some(leading) = leading {
            let text = self.take_attributes(leading);
            if let Some(offset) = if found.name.is_some() { Some(offset) } else { behind_star } {
                self.edits.insert(offset, text);
            }
        }
        self.suffixes(&mut found)?;
        found.plain &= behind_star.is_none();
        Ok(found)
    }

    /// Whether `(` begins a declarator in parentheses, not parameters.
    fn opens_group(&self, mode: Mode) -> bool {
        if mode == Mode::Named {
            return true;
        }
        let inside = self.after_attributes(self.at + 1);
        match self.kind_of(inside) {
            Kind::Star | Kind::Caret | Kind::LBracket | Kind::LParen => true,
            Kind::Ident => mode == Mode::Either && !self.names.is_type(self.text_of(inside)),
            _ => false,
        }
    }

    /// Arrays and parameters behind a declarator.
    fn suffixes(&mut self, found: &mut Declarator) -> Res<()> {
        loop {
            match self.kind() {
                _ if self.is_double_bracket(self.at) => {
                    let attributes = self.skip_attributes()?;
                    let text = self.take_attributes(attributes);
                    found.moved.push_str(&text);
                    continue;
                }
                Kind::LBracket => {
                    let from = self.at;
                    self.enter()?;
                    self.bump();
                    while matches!(self.kind(), Kind::Storage | Kind::Qualifier | Kind::Atomic) {
                        self.bump();
                    }
                    if self.kind() == Kind::Star && self.next_kind() == Kind::RBracket {
                        self.bump();
                    } else if self.kind() != Kind::RBracket {
                        self.expression(false)?;
                    }
                    self.eat(Kind::RBracket);
                    self.leave(from)?;
                }
                Kind::LParen => {
                    let parameters = self.parameters(found.name.is_none())?;
                    if found.plain {
                        found.parameters = Some(parameters);
                    }
                }
                _ => break,
            }
            found.plain = false;
        }
        Ok(())
    }

    /// Parameters in parentheses. lang-c enters those of a declarator without a name into the scope around, so a name that hides a
    /// type is blanked there (`leaks`).
    fn parameters(&mut self, leaks: bool) -> Res<Parameters> {
        let from = self.at;
        self.enter()?;
        self.bump();
        let mut names = Vec::new();
        if self.kind() == Kind::Ellipsis && self.next_kind() == Kind::RParen {
            self.blank_token(self.at);
            self.bump();
        }
        if leaks
            && self.kind() == Kind::Ident
            && self.names.is_type(self.text_of(self.at))
            && matches!(self.next_kind(), Kind::RParen | Kind::LBracket | Kind::LParen)
        {
            // `int (T)` in a parameter is a function to C, but a parameter `T` to lang-c. `const` of a parameter means nothing.
            self.edits.insert(self.start(), "const ");
        }
        let parameters = if self.kind() == Kind::RParen {
            Parameters::Typed(names)
        } else if self.at_name_list() {
            while self.is_name(self.at) {
                names.push(self.at);
                self.bump();
                self.eat(Kind::Comma);
            }
            Parameters::Named(names)
        } else {
            self.names.enter();
            let mut start = self.at;
            loop {
                self.parameter(&mut names, leaks)?;
                match self.kind() {
                    Kind::Comma => {
                        self.bump();
                        self.eat(Kind::Ellipsis);
                    }
                    // GNU's forward declarations of parameters.
                    Kind::Semi => {
                        self.bump();
                        self.blank_tokens(start, self.at);
                        names.clear();
                        start = self.at;
                    }
                    _ => break,
                }
                if self.kind() == Kind::RParen {
                    break;
                }
            }
            self.names.leave();
            Parameters::Typed(names)
        };
        if !self.eat(Kind::RParen) {
            // Not C: lang-c will say so. On to the end of the list, so that the rest is still read rightly.
            while !matches!(self.kind(), Kind::RParen | Kind::Semi | Kind::LBrace | Kind::RBrace | Kind::Eof) {
                self.skip_group();
            }
            self.eat(Kind::RParen);
        }
        self.leave(from)?;
        Ok(parameters)
    }

    fn at_name_list(&self) -> bool {
        self.kind() == Kind::Ident
            && matches!(self.next_kind(), Kind::Comma | Kind::RParen)
            && !self.names.is_type(self.text_of(self.at))
    }

    fn parameter(&mut self, names: &mut Vec<usize>, leaks: bool) -> Res<()> {
        let specifiers = self.specifiers(Context::Parameter)?;
        self.implied_int(&specifiers)?;
        let declared = self.declarator(Mode::Either)?;
        if self.at_attribute() {
            self.keep_attributes()?;
        }
        if let Some(name) = declared.name {
            if leaks && self.names.is_type(self.text_of(name)) {
                self.blank_token(name);
            } else {
                names.push(name);
            }
            self.declare(name, false);
        }
        Ok(())
    }

    /// A type name, up to what ends it.
    pub fn type_name(&mut self) -> Res<()> {
        let offset = self.start();
        let specifiers: Specifiers = self.specifiers(Context::TypeName)?;
        self.implied_int(&specifiers)?;
        self.declarator(Mode::Abstract)?;
        if self.at_attribute() {
            let attributes = self.skip_attributes()?;
            let text = self.take_attributes(attributes);
            self.edits.insert(offset, text);
        }
        Ok(())
    }
}
