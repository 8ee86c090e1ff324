//! Expressions: a run of operands and operators, brackets apart.

use super::tokens::{Kind, Soft};
use super::walk::{Res, Walk};

impl Walk<'_, '_> {
    /// An expression, with commas outside of brackets or without; up to the token that cannot belong to it. Its height.
    pub fn expression(&mut self, commas: bool) -> Res<usize> {
        // The greatest height of an operand, and the operators around it.
        let mut highest = 0;
        let mut operators = 0;
        let mut questions = 0;
        let mut tallest = 0;
        let mut operand = true;
        loop {
            let kind = self.kind();
            if operand {
                match kind {
                    Kind::Star | Kind::Amp | Kind::Sign | Kind::Not | Kind::Step => {
                        operators += 1;
                        self.bump();
                    }
                    Kind::Part => {
                        operators += 1;
                        self.part();
                    }
                    Kind::LParen => {
                        let (height, is_cast) = self.parenthesis()?;
                        highest = highest.max(height);
                        operators += usize::from(is_cast);
                        operand = is_cast;
                    }
                    Kind::Sizeof => {
                        operators += 1;
                        operand = !self.sizeof_type()?;
                    }
                    _ => {
                        let Some(height) = self.primary()? else { break };
                        highest = highest.max(height);
                        operand = false;
                    }
                }
                continue;
            }
            match kind {
                Kind::LParen | Kind::LBracket | Kind::Dot | Kind::Arrow | Kind::Step => {
                    operators += 1;
                    highest = highest.max(self.postfix()?);
                }
                Kind::Star
                | Kind::Amp
                | Kind::AmpAmp
                | Kind::Sign
                | Kind::Caret
                | Kind::Assign
                | Kind::AssignOp
                | Kind::Binary => {
                    operators += 1;
                    operand = true;
                    self.bump();
                }
                Kind::Question => {
                    operators += 1;
                    operand = true;
                    self.bump();
                    if self.kind() == Kind::Colon {
                        self.edits.insert(self.end(), " __fc_same ");
                        self.bump();
                    } else {
                        questions += 1;
                    }
                }
                Kind::Colon if questions > 0 => {
                    questions -= 1;
                    operand = true;
                    self.bump();
                }
                Kind::Comma if commas || questions > 0 => {
                    // lang-c keeps the parts of a comma expression and the arguments of a call side by side.
                    if questions == 0 {
                        tallest = tallest.max(highest + operators);
                        (highest, operators) = (0, 0);
                    }
                    operand = true;
                    self.bump();
                }
                // Strings side by side.
                Kind::Str => self.bump(),
                _ => break,
            }
        }
        let height = tallest.max(highest + operators) + 1;
        self.check_height(height)?;
        Ok(height)
    }

    /// An operand that is no operator's and in no parentheses: its height, or nothing if there is none.
    fn primary(&mut self) -> Res<Option<usize>> {
        let word = |walk: &mut Self, text| {
            walk.respell(walk.at, text);
            walk.bump();
            Ok(Some(1))
        };
        match self.kind() {
            // The other words of C23 are no operands; lang-c says so.
            Kind::Ident
            | Kind::Number
            | Kind::Char
            | Kind::Str
            | Kind::Soft(Soft::Bool | Soft::Alignas | Soft::StaticAssert | Soft::ThreadLocal | Soft::Constexpr) => {
                self.bump();
                Ok(Some(1))
            }
            Kind::Soft(Soft::True) => word(self, "((_Bool)1)"),
            Kind::Soft(Soft::False) => word(self, "((_Bool)0)"),
            Kind::Soft(Soft::Nullptr) => word(self, "((void *)0)"),
            Kind::AmpAmp => self.label_address().map(Some),
            Kind::Alignof | Kind::Soft(Soft::Alignof) => self.alignof().map(Some),
            Kind::Generic => self.generic().map(Some),
            Kind::TypesCompatible => self.in_parentheses(Walk::two_types).map(Some),
            Kind::ConvertVector => self.in_parentheses(Walk::vector_and_type).map(Some),
            Kind::Offsetof => self.in_parentheses(Walk::type_and_member).map(Some),
            Kind::VaArg => self.in_parentheses(Walk::list_and_type).map(Some),
            Kind::Caret => self.fail("blocks are not supported"),
            _ => Ok(None),
        }
    }

    /// A call's arguments, an index, a member, `++`. Its height.
    fn postfix(&mut self) -> Res<usize> {
        match self.kind() {
            Kind::LParen | Kind::LBracket => {
                let from = self.at;
                let close = if self.kind() == Kind::LParen { Kind::RParen } else { Kind::RBracket };
                self.enter()?;
                self.bump();
                let height = if self.kind() == close { 1 } else { self.expression(true)? };
                self.eat(close);
                self.leave(from)?;
                Ok(height)
            }
            Kind::Dot | Kind::Arrow => {
                self.bump();
                self.bump();
                Ok(1)
            }
            _ => {
                self.bump();
                Ok(1)
            }
        }
    }

    /// `(` where an operand is expected: the height, and whether it is a cast, so that the operand is still to come.
    fn parenthesis(&mut self) -> Res<(usize, bool)> {
        let from = self.at;
        self.enter()?;
        self.bump();
        let mut height = 1;
        let mut is_cast = false;
        if self.kind() == Kind::LBrace {
            self.compound()?;
            self.eat(Kind::RParen);
        } else if self.is_type_start(self.at) {
            self.type_name()?;
            self.eat(Kind::RParen);
            is_cast = self.kind() != Kind::LBrace;
            if !is_cast {
                self.braces(true)?;
            }
        } else {
            height = self.expression(true)?;
            self.eat(Kind::RParen);
        }
        self.leave(from)?;
        Ok((height, is_cast))
    }

    /// An operand with its prefixes and suffixes.
    fn unary(&mut self) -> Res<usize> {
        let mut height = 0;
        loop {
            height += 1;
            match self.kind() {
                Kind::Star | Kind::Amp | Kind::Sign | Kind::Not | Kind::Step => self.bump(),
                Kind::Part => self.part(),
                Kind::LParen => {
                    let (inner, is_cast) = self.parenthesis()?;
                    height += inner;
                    if !is_cast {
                        break;
                    }
                }
                Kind::Sizeof => {
                    if self.sizeof_type()? {
                        break;
                    }
                }
                _ => {
                    height += self.primary()?.unwrap_or(0);
                    break;
                }
            }
        }
        while matches!(self.kind(), Kind::LParen | Kind::LBracket | Kind::Dot | Kind::Arrow | Kind::Step | Kind::Str) {
            height += self.postfix()?;
        }
        self.check_height(height)?;
        Ok(height)
    }

    /// `sizeof` and a type in parentheses, if that is what follows. Otherwise only `sizeof`.
    fn sizeof_type(&mut self) -> Res<bool> {
        let start = self.start();
        self.bump();
        if self.kind() != Kind::LParen || !self.is_type_start(self.at + 1) {
            return Ok(false);
        }
        let open = self.start();
        self.type_in_parentheses()?;
        if self.kind() == Kind::LBrace {
            self.literal(open)?;
        } else if self.sizeof_types > 0 {
            // lang-c reads an operand twice, and remembers only what is in parentheses: otherwise nesting would double the time.
            self.edits.insert(start, "(");
            self.edits.insert(self.end(), ")");
        }
        Ok(true)
    }

    /// The braces of a compound literal that is the operand of `sizeof`, where lang-c would end at the type: parentheses around,
    /// from offset `open` on.
    fn literal(&mut self, open: u32) -> Res<()> {
        self.edits.insert(open, "(");
        self.braces(true)?;
        while matches!(self.kind(), Kind::LParen | Kind::LBracket | Kind::Dot | Kind::Arrow | Kind::Step) {
            self.postfix()?;
        }
        self.edits.insert(self.end(), ")");
        Ok(())
    }

    fn type_in_parentheses(&mut self) -> Res<()> {
        let from = self.at;
        self.enter()?;
        self.bump();
        self.sizeof_types += 1;
        self.type_name()?;
        self.sizeof_types -= 1;
        self.eat(Kind::RParen);
        self.leave(from)
    }

    /// `_Alignof(type)`, or gcc's `__alignof__ e`, which becomes a call.
    fn alignof(&mut self) -> Res<usize> {
        let word = self.at;
        let start = self.start();
        self.bump();
        if self.kind() == Kind::LParen && self.is_type_start(self.at + 1) {
            let open = self.start();
            self.type_in_parentheses()?;
            if self.kind() == Kind::LBrace {
                self.respell(word, "__fc_alignof");
                self.literal(open)?;
                return Ok(2);
            }
            if self.kind_of(word) != Kind::Alignof {
                self.respell(word, "_Alignof");
            }
            if self.sizeof_types > 0 {
                self.edits.insert(start, "(");
                self.edits.insert(self.end(), ")");
            }
            return Ok(1);
        }
        self.respell(word, "__fc_alignof");
        self.edits.insert(self.start(), "(");
        self.enter()?;
        let height = self.unary()?;
        self.leave(word)?;
        self.edits.insert(self.end(), ")");
        Ok(height + 1)
    }

    /// `__real__ e` reads or writes a part of a complex number: `*(struct __fc_real *)e`.
    fn part(&mut self) {
        let imaginary = self.text_of(self.at).starts_with("__imag");
        self.respell(self.at, if imaginary { "*(struct __fc_imag *)" } else { "*(struct __fc_real *)" });
        self.bump();
    }

    /// `&&label` is `__fc_label_address(label)`.
    fn label_address(&mut self) -> Res<usize> {
        self.respell(self.at, "__fc_label_address(");
        self.bump();
        if !self.is_name(self.at) {
            return self.fail("`&&` needs a label here");
        }
        self.label_name();
        self.edits.insert(self.end(), ")");
        Ok(2)
    }

    fn in_parentheses(&mut self, inside: impl Fn(&mut Self) -> Res<()>) -> Res<usize> {
        self.bump();
        let from = self.at;
        if self.kind() == Kind::LParen {
            self.enter()?;
            self.bump();
            inside(self)?;
            self.eat(Kind::RParen);
            self.leave(from)?;
        }
        Ok(2)
    }

    /// A type where lang-c wants an expression.
    fn type_as_sizeof(&mut self) -> Res<()> {
        self.edits.insert(self.start(), "sizeof(");
        self.sizeof_types += 1;
        self.type_name()?;
        self.sizeof_types -= 1;
        self.edits.insert(self.end(), ")");
        Ok(())
    }

    fn two_types(&mut self) -> Res<()> {
        self.type_as_sizeof()?;
        self.eat(Kind::Comma);
        self.type_as_sizeof()
    }

    fn vector_and_type(&mut self) -> Res<()> {
        self.expression(false)?;
        self.eat(Kind::Comma);
        self.type_as_sizeof()
    }

    fn list_and_type(&mut self) -> Res<()> {
        self.expression(false)?;
        self.eat(Kind::Comma);
        self.type_name()
    }

    fn type_and_member(&mut self) -> Res<()> {
        self.type_name()?;
        self.eat(Kind::Comma);
        // The member's name is no operand, but what follows looks like suffixes of one.
        self.bump();
        while matches!(self.kind(), Kind::LBracket | Kind::Dot | Kind::Arrow) {
            self.postfix()?;
        }
        Ok(())
    }

    fn generic(&mut self) -> Res<usize> {
        self.in_parentheses(|walk| {
            if walk.is_type_start(walk.at) {
                return walk.fail("a type as the first operand of _Generic is not supported");
            }
            walk.expression(false)?;
            while walk.eat(Kind::Comma) {
                if walk.kind() == Kind::Default {
                    walk.bump();
                } else {
                    walk.type_name()?;
                }
                if !walk.eat(Kind::Colon) {
                    break;
                }
                walk.expression(false)?;
            }
            Ok(())
        })
    }
}
