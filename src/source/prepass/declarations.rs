//! Declarations and function definitions.

use super::attributes::Attributes;
use super::declarators::{Mode, Parameters};
use super::tokens::{Kind, Soft};
use super::walk::{Res, Walk};

/// Where specifiers stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    File,
    Block,
    Parameter,
    Member,
    TypeName,
}

/// What the specifiers of a declaration say.
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one list")]
pub(super) struct Specifiers {
    context: Context,
    /// Where they begin in the text.
    offset: u32,
    has_type: bool,
    is_typedef: bool,
    is_auto: bool,
    any: bool,
}

impl Walk<'_, '_> {
    /// One declaration, definition or stray token at file scope.
    pub fn external(&mut self) -> Res<()> {
        match self.kind() {
            Kind::Semi => {
                self.blank_token(self.at);
                self.bump();
            }
            Kind::Asm => self.top_asm()?,
            Kind::StaticAssert | Kind::Soft(Soft::StaticAssert) => self.static_assert()?,
            _ => {
                let start = self.at;
                self.declaration(Context::File)?;
                if self.at == start {
                    self.bump();
                }
            }
        }
        Ok(())
    }

    pub fn specifiers(&mut self, context: Context) -> Res<Specifiers> {
        let mut found = Specifiers {
            context,
            offset: self.start(),
            has_type: false,
            is_typedef: false,
            is_auto: false,
            any: false,
        };
        loop {
            match self.kind() {
                Kind::Storage | Kind::Qualifier => self.bump(),
                Kind::Auto => {
                    found.is_auto = true;
                    self.bump();
                }
                Kind::Typedef => {
                    found.is_typedef = true;
                    self.bump();
                }
                Kind::Basic | Kind::AutoType => {
                    found.has_type = true;
                    self.bump();
                }
                Kind::Atomic => {
                    self.bump();
                    if self.kind() == Kind::LParen {
                        found.has_type = true;
                        let from = self.at;
                        self.enter()?;
                        self.bump();
                        self.type_name()?;
                        self.eat(Kind::RParen);
                        self.leave(from)?;
                    }
                }
                Kind::Struct => {
                    found.has_type = true;
                    self.record()?;
                }
                Kind::Enum => {
                    found.has_type = true;
                    self.enumeration()?;
                }
                Kind::Typeof => {
                    found.has_type = true;
                    self.type_of()?;
                }
                Kind::Alignas | Kind::Soft(Soft::Alignas) => self.alignas(context)?,
                Kind::Soft(Soft::Bool) if !found.has_type => {
                    found.has_type = true;
                    self.respell(self.at, "_Bool");
                    self.bump();
                }
                Kind::Soft(Soft::Constexpr) if self.starts_declarator_or_specifier() => {
                    self.respell(self.at, "const");
                    self.bump();
                }
                Kind::Soft(Soft::ThreadLocal) if self.starts_declarator_or_specifier() => {
                    self.respell(self.at, "_Thread_local");
                    self.bump();
                }
                Kind::Ident if !found.has_type && self.names.is_type(self.text_of(self.at)) => {
                    found.has_type = true;
                    self.bump();
                }
                _ if self.at_attribute() => self.keep_attributes()?,
                _ => break,
            }
            found.any = true;
        }
        Ok(found)
    }

    /// Whether the word at hand is not the name that is declared, because one is still to come.
    fn starts_declarator_or_specifier(&self) -> bool {
        !matches!(
            self.next_kind(),
            Kind::Semi | Kind::Comma | Kind::Assign | Kind::LBracket | Kind::LParen | Kind::RParen | Kind::Colon
        )
    }

    /// `int`, where C of old lets it out.
    pub fn implied_int(&mut self, found: &Specifiers) -> Res<()> {
        if found.has_type {
            return Ok(());
        }
        let offset = self.start();
        match self.kind() {
            Kind::Ident => {
                let next = self.next_kind();
                if matches!(next, Kind::Ident | Kind::Star | Kind::Basic | Kind::Qualifier)
                    || !(found.any || found.context == Context::File)
                {
                    return self.unknown_type();
                }
                if found.is_auto && next == Kind::Assign {
                    self.edits.insert(offset, "__typeof__(__fc_auto) ");
                } else {
                    self.edits.insert(offset, "int ");
                }
            }
            Kind::Star | Kind::LParen if found.any || found.context == Context::File => {
                self.edits.insert(offset, "int ");
            }
            Kind::LBracket if found.any => self.edits.insert(offset, "int "),
            Kind::RParen | Kind::Comma if found.any => self.edits.insert(offset, " int"),
            _ => {}
        }
        Ok(())
    }

    /// Steps over `;` right behind specifiers. Without a type (`__attribute__((…));`, `const;`) lang-c does not read them.
    pub fn declares_nothing(&mut self, start: usize, found: &Specifiers) -> bool {
        if self.kind() != Kind::Semi {
            return false;
        }
        if !found.has_type {
            self.blank_tokens(start, self.at + 1);
        }
        self.bump();
        true
    }

    /// A declaration with its `;`, or a function definition. Names that it declares are entered.
    pub fn declaration(&mut self, context: Context) -> Res<()> {
        self.declaration_of(context, &mut Vec::new())
    }

    /// The same, and the tokens of the names.
    fn declaration_of(&mut self, context: Context, names: &mut Vec<usize>) -> Res<()> {
        let start = self.at;
        let specifiers = self.specifiers(context)?;
        if self.declares_nothing(start, &specifiers) {
            return Ok(());
        }
        self.implied_int(&specifiers)?;
        let mut first = true;
        loop {
            let declared = self.declarator_in(Mode::Named, false)?;
            let end = self.end();
            let attributes = self.behind_declarator()?;
            if let Some(name) = declared.name {
                self.declare(name, specifiers.is_typedef);
                names.push(name);
            }
            if let Some(parameters) = declared.parameters.filter(|_| !specifiers.is_typedef) {
                let old = matches!(&parameters, Parameters::Named(_)) && self.is_type_start(self.at);
                if self.kind() == Kind::LBrace || old {
                    if context != Context::File || !first {
                        self.at = declared.name.unwrap_or(self.at);
                        return self.fail("nested functions are not supported");
                    }
                    for attributes in attributes {
                        let text = self.take_attributes(attributes);
                        self.edits.insert(specifiers.offset, text);
                    }
                    self.edits.insert(specifiers.offset, declared.moved);
                    return self.function(&parameters);
                }
            }
            self.edits.insert(end, declared.moved);
            first = false;
            if self.eat(Kind::Assign) {
                self.initializer()?;
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.lost |= !self.eat(Kind::Semi);
        Ok(())
    }

    /// The assembler name and the attributes behind a declarator, which lang-c reads in this order. The attributes.
    fn behind_declarator(&mut self) -> Res<Vec<Attributes>> {
        let mut found = Vec::new();
        loop {
            if self.at_attribute() {
                let from = self.at;
                let to = self.after_attributes(from);
                // What an assembler name follows moves behind it.
                if self.kind_of(to) == Kind::Asm {
                    self.at = to;
                    self.assembler_name();
                    let text = self.take_attributes(Attributes { from, to });
                    self.edits.insert(self.end(), text);
                } else {
                    self.keep_attributes()?;
                    found.push(Attributes { from, to: self.at });
                }
            } else if self.kind() == Kind::Asm {
                self.assembler_name();
            } else {
                return Ok(found);
            }
        }
    }

    fn assembler_name(&mut self) {
        self.bump();
        if self.kind() == Kind::LParen {
            self.skip_group();
        }
    }

    /// The rest of a function definition.
    fn function(&mut self, parameters: &Parameters) -> Res<()> {
        self.names.enter();
        match parameters {
            Parameters::Typed(names) => {
                let hiding: Vec<&str> =
                    names.iter().map(|&n| self.text_of(n)).filter(|name| self.names.is_type(name)).collect();
                if !hiding.is_empty() && self.kind() == Kind::LBrace {
                    let list = hiding.iter().map(|name| format!("int {name}")).collect::<Vec<_>>().join(",");
                    self.edits.insert(self.tokens[self.at].end, format!(" sizeof(void(*)({list}));"));
                }
                for &name in names {
                    self.declare(name, false);
                }
            }
            Parameters::Named(names) => {
                let mut declared = Vec::new();
                while !matches!(self.kind(), Kind::LBrace | Kind::Eof) {
                    let start = self.at;
                    self.declaration_of(Context::Parameter, &mut declared)?;
                    if self.at == start {
                        break;
                    }
                }
                for &name in names {
                    let name = self.text_of(name);
                    if !declared.iter().any(|&d| self.text_of(d) == name) {
                        self.edits.insert(self.start(), format!("int {name}; "));
                    }
                }
            }
        }
        if self.kind() == Kind::LBrace {
            self.compound()?;
        }
        self.names.leave();
        Ok(())
    }

    /// `= …`
    pub fn initializer(&mut self) -> Res<()> {
        if self.kind() == Kind::LBrace { self.braces(false) } else { self.expression(false).map(|_| ()) }
    }

    /// An initialiser in braces. lang-c wants something in those of a compound literal.
    pub fn braces(&mut self, literal: bool) -> Res<()> {
        let from = self.at;
        self.enter()?;
        self.bump();
        if literal && self.kind() == Kind::RBrace {
            self.edits.insert(self.start(), "0");
        }
        while !matches!(self.kind(), Kind::RBrace | Kind::Eof) {
            let start = self.at;
            self.designators()?;
            self.initializer()?;
            self.eat(Kind::Comma);
            if self.at == start {
                break;
            }
        }
        self.eat(Kind::RBrace);
        self.leave(from)
    }

    fn designators(&mut self) -> Res<()> {
        if self.is_name(self.at) && self.next_kind() == Kind::Colon {
            self.bump();
            self.bump();
            return Ok(());
        }
        loop {
            match self.kind() {
                Kind::Dot => {
                    self.bump();
                    self.bump();
                }
                Kind::LBracket => {
                    let from = self.at;
                    self.enter()?;
                    self.bump();
                    self.expression(false)?;
                    if self.eat(Kind::Ellipsis) {
                        self.expression(false)?;
                    }
                    self.eat(Kind::RBracket);
                    self.leave(from)?;
                }
                Kind::Assign => {
                    self.bump();
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// `_Static_assert(e);` gets the message that lang-c wants.
    pub fn static_assert(&mut self) -> Res<()> {
        if self.kind() != Kind::StaticAssert {
            self.respell(self.at, "_Static_assert");
        }
        self.bump();
        let from = self.at;
        if self.kind() == Kind::LParen {
            self.enter()?;
            self.bump();
            self.expression(false)?;
            if self.kind() == Kind::RParen {
                self.edits.insert(self.start(), ", \"\"");
            }
            self.eat(Kind::Comma);
            while self.kind() == Kind::Str {
                self.bump();
            }
            self.eat(Kind::RParen);
            self.leave(from)?;
        }
        self.eat(Kind::Semi);
        Ok(())
    }
}
