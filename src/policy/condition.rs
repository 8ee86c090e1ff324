//! Conditions on the program's variables: C expressions without effects, for `[[assume]]` and `[XASSERT]`.
//!
//! Names are not looked up here; who knows the program binds them to the variables in scope, and tells what is unknown at
//! [`Expr::at`].
//!
//! Invariant: a condition has at most 1,000 words, so that its tree can be walked by recursion.
//!
//! Cost: linear in the text.

use std::fmt;
use std::ops::Range;

use super::lexer::{self, Integer, Token};
use super::place::{Mistake, Span};

/// Longer conditions are refused, in words.
const LONGEST: usize = 1000;

/// More deeply nested ones are refused.
const DEEPEST: usize = 200;

/// A condition as it is spelt, and what it means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The text, without blanks around it.
    pub text: String,
    /// What it means.
    pub expr: Expr,
}

/// A C expression without effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands in the condition's text.
    pub at: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A variable, an enumerator or a macro.
    Name(String),
    /// `0x10`
    Integer(Integer),
    /// `'a'`: its byte. Its type is `int`; whether it is negative from 128 on depends on the target.
    Char(u8),
    /// `1.5f`, as it is spelt.
    Float(String),
    /// `a.b`, or `a->b` if `arrow`
    #[allow(missing_docs, reason = "the names say it")]
    Member { object: Box<Expr>, name: String, arrow: bool },
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `-a`
    Unary(Unary, Box<Expr>),
    /// `a + b`
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Plus,
    Minus,
    Not,
    Complement,
    Dereference,
    Address,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

const UNARY: [(&str, Unary); 6] = [
    ("+", Unary::Plus),
    ("-", Unary::Minus),
    ("!", Unary::Not),
    ("~", Unary::Complement),
    ("*", Unary::Dereference),
    ("&", Unary::Address),
];

/// Each with how tightly it binds.
const BINARY: [(&str, Binary, u8); 18] = [
    ("||", Binary::Or, 1),
    ("&&", Binary::And, 2),
    ("|", Binary::BitOr, 3),
    ("^", Binary::BitXor, 4),
    ("&", Binary::BitAnd, 5),
    ("==", Binary::Equal, 6),
    ("!=", Binary::NotEqual, 6),
    ("<", Binary::Less, 7),
    ("<=", Binary::LessEqual, 7),
    (">", Binary::Greater, 7),
    (">=", Binary::GreaterEqual, 7),
    ("<<", Binary::ShiftLeft, 8),
    (">>", Binary::ShiftRight, 8),
    ("+", Binary::Add, 9),
    ("-", Binary::Subtract, 9),
    ("*", Binary::Multiply, 10),
    ("/", Binary::Divide, 10),
    ("%", Binary::Remainder, 10),
];

/// How tightly `<`, `<=`, `>` and `>=` bind.
const SIZES: u8 = 7;

/// Binds tighter than all of [`BINARY`].
const PREFIX: u8 = 11;
const POSTFIX: u8 = 12;

/// Words of C that are no names, with what to say to those who write them here.
const KEYWORDS: &str = "auto break case char const continue default do double else enum extern float for goto if inline int long register \
                        restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Alignof";

impl Binary {
    /// As C spells it.
    pub fn spelling(self) -> &'static str {
        BINARY.iter().find(|(_, op, _)| *op == self).map_or("", |(mark, ..)| mark)
    }
    fn binds(self) -> u8 {
        BINARY.iter().find(|(_, op, _)| *op == self).map_or(0, |(_, _, binds)| *binds)
    }
    /// `<`, `<=`, `>`, `>=`, `==`, `!=`
    pub fn is_comparison(self) -> bool {
        matches!(self.binds(), 6 | 7)
    }
}

impl Unary {
    /// As C spells it.
    pub fn spelling(self) -> &'static str {
        UNARY.iter().find(|(_, op)| *op == self).map_or("", |(mark, _)| mark)
    }
}

/// The names in an expression that stand for objects (not those of members), with their places, in the order of the text.
pub fn names(expr: &Expr) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    collect(expr, &mut found);
    found
}

fn collect<'e>(expr: &'e Expr, found: &mut Vec<(&'e str, Span)>) {
    match &expr.kind {
        ExprKind::Name(name) => found.push((name, expr.at)),
        ExprKind::Integer(_) | ExprKind::Char(_) | ExprKind::Float(_) => {}
        ExprKind::Member { object: a, .. } | ExprKind::Unary(_, a) => collect(a, found),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| collect(e, found)),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| collect(e, found)),
    }
}

/// The one condition in a text.
pub(super) fn one(text: &str) -> Result<Condition, Mistake> {
    let mut reader = Reader::new(text)?;
    let condition = reader.condition()?;
    match reader.peek() {
        (Token::End, _) => Ok(condition),
        (Token::Mark(";"), at) => {
            Err(Mistake::new("one condition is wanted here", at, "join conditions by `&&`, or write a list of them"))
        }
        (_, at) => Err(reader.unexpected(at)),
    }
}

/// `cond; cond;` with the place of each in the text.
pub(super) fn several(text: &str) -> Result<Vec<(Condition, Range<usize>)>, Mistake> {
    let mut reader = Reader::new(text)?;
    let mut found = Vec::new();
    loop {
        while reader.take(";") {}
        if reader.peek().0 == Token::End {
            return Ok(found);
        }
        let start = reader.peek().1.start;
        let condition = reader.condition()?;
        found.push((condition, start..reader.end));
        match reader.peek() {
            (Token::End | Token::Mark(";"), _) => {}
            (_, at) => return Err(reader.unexpected(at)),
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    /// Where the last word that was taken ends.
    end: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Result<Reader<'t>, Mistake> {
        let tokens = lexer::tokens(text)?;
        let mut words = tokens.split(|(token, _)| *token == Token::Mark(";"));
        if let Some(long) = words.find(|words| words.len() > LONGEST) {
            return Err(Mistake::new("this condition is too long", long[LONGEST].1.clone(), "split it"));
        }
        Ok(Reader { text, tokens, next: 0, end: 0, depth: 0 })
    }
    fn peek(&self) -> (Token, Range<usize>) {
        self.tokens[self.next].clone()
    }
    fn advance(&mut self) {
        self.end = self.tokens[self.next].1.end;
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }
    fn take(&mut self, mark: &str) -> bool {
        let found = matches!(&self.tokens[self.next].0, Token::Mark(m) if *m == mark);
        if found {
            self.advance();
        }
        found
    }
    fn expect(&mut self, mark: &'static str, opened: Range<usize>) -> Result<(), Mistake> {
        if self.take(mark) {
            return Ok(());
        }
        match self.peek() {
            (Token::End, _) => Err(Mistake::new(format!("the `{mark}` for this is missing"), opened, "")),
            (_, at) => Err(self.unexpected(at)),
        }
    }
    /// Places of a condition are those in its own text.
    fn condition(&mut self) -> Result<Condition, Mistake> {
        let start = self.peek().1.start;
        let mut expr = self.conditional()?;
        shift(&mut expr, start as u32);
        Ok(Condition { text: self.text[start..self.end].to_owned(), expr })
    }
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Mistake>) -> Result<T, Mistake> {
        if self.depth == DEEPEST {
            return Err(Mistake::new("this is nested too deeply", self.peek().1, "split the condition"));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }
    fn conditional(&mut self) -> Result<Expr, Mistake> {
        self.deeper(|r| {
            let first = r.binary(1)?;
            let mark = r.peek().1;
            if !r.take("?") {
                return Ok(first);
            }
            let then = r.conditional()?;
            r.expect(":", mark)?;
            let other = r.conditional()?;
            let at = first.at.to(other.at);
            Ok(Expr { kind: ExprKind::Conditional(Box::new(first), Box::new(then), Box::new(other)), at })
        })
    }
    /// Operators that bind at least so tightly.
    fn binary(&mut self, least: u8) -> Result<Expr, Mistake> {
        let mut left = self.unary()?;
        // Whether `left` is a comparison by size without brackets around it.
        let mut is_compared = false;
        loop {
            let (token, at) = self.peek();
            let Token::Mark(mark) = token else { break };
            let Some((_, op, binds)) = BINARY.iter().find(|(m, _, binds)| *m == mark && *binds >= least) else { break };
            if *binds == SIZES && is_compared {
                let help = "C would compare the first result, 0 or 1; write `a <= x && x <= b`";
                return Err(Mistake::new("comparisons cannot be chained", at, help));
            }
            self.advance();
            let right = self.deeper(|r| r.binary(binds + 1))?;
            let range = left.at.to(right.at);
            left = Expr { kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)), at: range };
            is_compared = *binds == SIZES;
        }
        Ok(left)
    }
    fn unary(&mut self) -> Result<Expr, Mistake> {
        let (token, at) = self.peek();
        if let Token::Mark(mark) = token
            && let Some((_, op)) = UNARY.iter().find(|(m, _)| *m == mark)
        {
            self.advance();
            let of = self.deeper(Reader::unary)?;
            let at = Span::from(at).to(of.at);
            return Ok(Expr { kind: ExprKind::Unary(*op, Box::new(of)), at });
        }
        self.postfix()
    }
    fn postfix(&mut self) -> Result<Expr, Mistake> {
        let mut expr = self.primary()?;
        loop {
            let (token, at) = self.peek();
            let Token::Mark(mark @ ("[" | "." | "->" | "(" | "++" | "--")) = token else { return Ok(expr) };
            self.advance();
            let start = expr.at;
            let object = Box::new(expr);
            let kind = match mark {
                "[" => {
                    let index = self.conditional()?;
                    self.expect("]", at)?;
                    ExprKind::Index(object, Box::new(index))
                }
                "(" => {
                    let help = "a condition speaks of variables; say what holds for the variable that gets the result";
                    return Err(Mistake::new("calls are not known in conditions", start.to(at.into()).range(), help));
                }
                "++" | "--" => return Err(changes(mark, at)),
                _ => {
                    let (Token::Name(name), _) = self.peek() else { return Err(self.unexpected(self.peek().1)) };
                    self.advance();
                    ExprKind::Member { object, name, arrow: mark == "->" }
                }
            };
            expr = Expr { kind, at: Span { start: start.start, end: self.end as u32 } };
        }
    }
    fn primary(&mut self) -> Result<Expr, Mistake> {
        let (token, at) = self.peek();
        let kind = match token {
            Token::Name(name) if is_keyword(&name) => {
                let message = format!("`{name}` cannot stand in a condition");
                return Err(Mistake::new(message, at, "casts, `sizeof` and declarations are not known here"));
            }
            Token::Name(name) => ExprKind::Name(name),
            Token::Integer(integer) => ExprKind::Integer(integer),
            Token::Char(byte) => ExprKind::Char(byte),
            Token::Float(text) => ExprKind::Float(text),
            Token::Mark("(") => {
                self.advance();
                let inner = self.conditional()?;
                self.expect(")", at.clone())?;
                return Ok(Expr { at: Span::from(at.start..self.end), ..inner });
            }
            Token::Mark(_) | Token::End => return Err(self.unexpected(at)),
        };
        self.advance();
        Ok(Expr { kind, at: at.into() })
    }
    /// What to say of a word that cannot stand where it does.
    fn unexpected(&self, at: Range<usize>) -> Mistake {
        match &self.tokens[self.next].0 {
            Token::End if self.text.trim().is_empty() => {
                Mistake::new("the condition is empty", 0..self.text.len(), "write a C expression, as in `idx < 10`")
            }
            Token::End | Token::Mark(";") if self.next > 0 => {
                let last = self.tokens[self.next - 1].1.clone();
                Mistake::new("the condition ends too early", last, "something has to follow this")
            }
            Token::Mark("=") => Mistake::new("`=` changes a variable", at, "did you mean `==`?"),
            Token::Mark(
                mark @ ("++" | "--" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>="),
            ) => changes(mark, at),
            Token::Mark(",") => Mistake::new("`,` cannot stand here", at, "join conditions by `&&`"),
            Token::End | Token::Mark(_) | Token::Name(_) | Token::Integer(_) | Token::Char(_) | Token::Float(_) => {
                let message = format!("`{}` cannot stand here", &self.text[at.clone()]);
                Mistake::new(message, at, "an operator is missing before it, or something is missing there")
            }
        }
    }
}

fn changes(mark: &str, at: Range<usize>) -> Mistake {
    Mistake::new(format!("`{mark}` changes a variable"), at, "a condition only looks at variables")
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_whitespace().any(|word| word == name)
}

/// Moves all places to the left.
fn shift(expr: &mut Expr, by: u32) {
    expr.at = Span { start: expr.at.start - by, end: expr.at.end - by };
    match &mut expr.kind {
        ExprKind::Name(_) | ExprKind::Integer(_) | ExprKind::Char(_) | ExprKind::Float(_) => {}
        ExprKind::Member { object: a, .. } | ExprKind::Unary(_, a) => shift(a, by),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| shift(e, by)),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| shift(e, by)),
    }
}

impl fmt::Display for Expr {
    /// As C, with the parentheses that C needs and no others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, 0, f)
    }
}

/// Writes an expression where one stands that binds at least so tightly.
fn write(expr: &Expr, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let binds = match &expr.kind {
        ExprKind::Conditional(..) => 0,
        ExprKind::Binary(op, ..) => op.binds(),
        ExprKind::Unary(..) => PREFIX,
        _ => POSTFIX,
    };
    if binds < least {
        write!(f, "(")?;
    }
    match &expr.kind {
        ExprKind::Name(text) | ExprKind::Float(text) => write!(f, "{text}")?,
        ExprKind::Integer(integer) => write!(f, "{integer}")?,
        ExprKind::Char(byte) => match byte {
            b'\'' | b'\\' => write!(f, "'\\{}'", char::from(*byte))?,
            b' '..=b'~' => write!(f, "'{}'", char::from(*byte))?,
            _ => write!(f, "'\\x{byte:02x}'")?,
        },
        ExprKind::Member { object, name, arrow } => {
            // `0.x` would be a number.
            if matches!(object.kind, ExprKind::Integer(_) | ExprKind::Float(_)) {
                write!(f, "({object})")?;
            } else {
                write(object, POSTFIX, f)?;
            }
            write!(f, "{}{name}", if *arrow { "->" } else { "." })?;
        }
        ExprKind::Index(object, index) => {
            write(object, POSTFIX, f)?;
            write!(f, "[")?;
            write(index, 0, f)?;
            write!(f, "]")?;
        }
        ExprKind::Unary(op, of) => {
            write!(f, "{}", op.spelling())?;
            // `- -x` is not `--x`.
            let doubled = matches!(&of.kind, ExprKind::Unary(inner, _) if inner == op);
            write!(f, "{}", if doubled { " " } else { "" })?;
            write(of, PREFIX, f)?;
        }
        ExprKind::Binary(op, left, right) => {
            // Comparisons are not chained, so they never stand bare in one another.
            let left_least = if op.is_comparison() { op.binds() + 1 } else { op.binds() };
            write(left, left_least, f)?;
            write!(f, " {} ", op.spelling())?;
            write(right, op.binds() + 1, f)?;
        }
        ExprKind::Conditional(condition, then, other) => {
            write(condition, 1, f)?;
            write!(f, " ? ")?;
            write(then, 0, f)?;
            write!(f, " : ")?;
            write(other, 0, f)?;
        }
    }
    if binds < least { write!(f, ")") } else { Ok(()) }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Integer { value, in_base, unsigned, long } = self;
        if *in_base {
            write!(f, "{value:#x}")?;
        } else {
            write!(f, "{value}")?;
        }
        write!(f, "{}{}", if *unsigned { "u" } else { "" }, ["", "l", "ll"][usize::from(*long).min(2)])
    }
}

#[cfg(test)]
mod tests;
