//! Abstract data types by their equations: `top(push(x, s)) = x`.
//!
//! Equations are rewriting rules from left to right. An operation is a C function of the same name whose arguments are those of
//! the operation; `operations` says otherwise, for functions that change an object in place.
//!
//! Invariant: an operation has one number of arguments everywhere, and the right side of an equation has only variables of its
//! left side.
//!
//! Cost: linear in the text, but for checks that compare the operations of one type with each other.

use std::fmt;
use std::ops::Range;

use super::condition::Binary;
use super::lexer::{self, Integer, Token};
use super::place::{At, Mistake, Span};
use super::toml::nearest;

/// Longer equations are refused, in words: their trees are walked by recursion.
const LONGEST: usize = 400;

/// `[[adt]]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adt {
    /// What the report calls it.
    pub name: String,
    /// What its operations are in C, sorted by name; those that are not listed are the functions of their names.
    pub operations: Vec<At<Operation>>,
    /// Its equations.
    pub equations: Vec<At<Equation>>,
    /// Where the policy says it.
    pub at: Span,
}

/// `push = "stk_push(*1, 2)"`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The name in equations.
    pub name: String,
    /// The C function.
    pub function: String,
    /// What the operation gets, as arguments of the C function.
    pub arguments: Vec<OperationArgument>,
}

/// An argument of a C function that an operation gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperationArgument {
    /// Its number, from 1.
    pub number: u32,
    /// `*N`: the object that it points to, which the function may change in place; its new value is the operation's result if
    /// that is of the type.
    pub in_place: bool,
}

/// `left = right`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// What is replaced: an operation.
    pub left: Term,
    /// What by.
    pub right: Right,
}

/// A term over operations and variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// `x`: anything.
    Variable(String),
    /// `3`
    Integer(Integer),
    /// `'a'`
    Char(u8),
    /// `push(x, s)`
    Apply(String, Vec<Term>),
}

/// The right side of an equation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Right {
    /// A term.
    Term(Term),
    /// `k == j ? v : get(m, j)`
    #[allow(missing_docs, reason = "the names say it")]
    If { guard: Guard, then: Box<Right>, other: Box<Right> },
}

/// What a conditional right side asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// `k == j`; the operator is a comparison.
    Compare(Binary, Term, Term),
    /// `!g`
    Not(Box<Guard>),
    /// `g && h`
    And(Box<Guard>, Box<Guard>),
    /// `g || h`
    Or(Box<Guard>, Box<Guard>),
}

const COMPARISONS: [Binary; 6] =
    [Binary::Equal, Binary::NotEqual, Binary::LessEqual, Binary::GreaterEqual, Binary::Less, Binary::Greater];

/// `stk_push(*1, 2)`
pub(super) fn operation(name: &str, text: &str) -> Result<Operation, Mistake> {
    let help = "write the C function with its arguments, `*N` for the object it changes: `stk_push(*1, 2)`";
    let mut reader = Reader::new(text)?;
    let function = match reader.peek() {
        (Token::Name(function), _) => function,
        (_, at) => return Err(Mistake::new("a function's name is wanted here", at, help)),
    };
    reader.next += 1;
    let mut arguments: Vec<OperationArgument> = Vec::new();
    let opened = reader.peek().1;
    if !reader.take("(") {
        return Err(Mistake::new("the arguments are missing", 0..text.len(), help));
    }
    while !reader.take(")") {
        if !arguments.is_empty() && !reader.take(",") {
            let at = if reader.peek().0 == Token::End { opened } else { reader.peek().1 };
            return Err(Mistake::new("a `,` or `)` is missing", at, help));
        }
        let in_place = reader.take("*");
        let (token, at) = reader.peek();
        reader.next += 1;
        match token {
            Token::Integer(Integer { value: 0, .. }) => {
                return Err(Mistake::new("there is no argument 0", at, "arguments are counted from 1"));
            }
            Token::Integer(Integer { value, .. }) if u32::try_from(value).is_ok() => {
                let number = value as u32;
                if arguments.iter().any(|argument| argument.number == number) {
                    return Err(Mistake::new(format!("argument {number} stands here twice"), at, help));
                }
                arguments.push(OperationArgument { number, in_place });
            }
            _ => {
                let at = if at.is_empty() { opened } else { at };
                return Err(Mistake::new("the number of an argument is wanted here", at, help));
            }
        }
    }
    match reader.peek() {
        (Token::End, _) => Ok(Operation { name: name.to_owned(), function, arguments }),
        (_, at) => Err(Mistake::new("nothing may follow", at, help)),
    }
}

/// The number of arguments that each operation was seen with, for the check of all equations of a type.
#[derive(Default)]
pub(super) struct Arities {
    /// Those of `operations`; if there are any, there are no others.
    pub listed: bool,
    pub seen: Vec<(String, usize)>,
}

/// One equation.
pub(super) fn equation(text: &str, arities: &mut Arities) -> Result<Equation, Mistake> {
    let mut reader = Reader::new(text)?;
    let at = reader.peek().1;
    let left = reader.term(arities)?;
    if !matches!(left, Term::Apply(..)) {
        let help = "the left side is what is replaced: `top(push(x, s)) = x`";
        return Err(Mistake::new("the left side has to be an operation", at, help));
    }
    reader.variables = Some(std::mem::take(&mut reader.used));
    if !reader.take("=") {
        let (token, at) = reader.peek();
        return Err(match token {
            Token::Mark("==") => Mistake::new("an equation has one `=`", at, "write `LEFT = RIGHT`"),
            Token::End => Mistake::new("the `=` is missing", 0..text.len(), "write `LEFT = RIGHT`"),
            _ => Mistake::new("a `=` is wanted here", at, "write `LEFT = RIGHT`"),
        });
    }
    let right = reader.right(arities)?;
    match reader.peek() {
        (Token::End, _) => Ok(Equation { left, right }),
        (_, at) => Err(reader.unexpected(at)),
    }
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    /// The variables of the left side, once it is read.
    variables: Option<Vec<String>>,
    /// The variables so far.
    used: Vec<String>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Result<Reader<'t>, Mistake> {
        let tokens = lexer::tokens(text)?;
        if let Some((_, at)) = tokens.get(LONGEST) {
            return Err(Mistake::new("this is too long", at.clone(), "split it into several equations"));
        }
        Ok(Reader { text, tokens, next: 0, variables: None, used: Vec::new() })
    }
    fn peek(&self) -> (Token, Range<usize>) {
        self.tokens[self.next.min(self.tokens.len() - 1)].clone()
    }
    fn take(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek().0, Token::Mark(m) if m == mark);
        self.next += usize::from(found);
        found
    }
    fn unexpected(&self, at: Range<usize>) -> Mistake {
        let help = "terms are variables, numbers and operations: `get(put(m, k, v), j) = k == j ? v : get(m, j)`";
        if at.is_empty() {
            let last = self.tokens.iter().rev().nth(1).map_or(0..0, |(_, at)| at.clone());
            return Mistake::new("the equation ends too early", last, help);
        }
        Mistake::new(format!("`{}` cannot stand here", &self.text[at.clone()]), at, help)
    }
    fn term(&mut self, arities: &mut Arities) -> Result<Term, Mistake> {
        let (token, at) = self.peek();
        self.next += 1;
        let name = match token {
            Token::Name(name) => name,
            Token::Integer(integer) => return Ok(Term::Integer(integer)),
            Token::Char(byte) => return Ok(Term::Char(byte)),
            Token::Float(_) | Token::Mark(_) | Token::End => return Err(self.unexpected(at)),
        };
        let opened = self.peek().1;
        if !self.take("(") {
            self.variable(&name, at)?;
            return Ok(Term::Variable(name));
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() && !self.take(",") {
                let at = self.peek().1;
                if at.is_empty() {
                    return Err(Mistake::new("the `)` for this is missing", opened, ""));
                }
                return Err(self.unexpected(at));
            }
            arguments.push(self.term(arities)?);
        }
        arities.check(&name, arguments.len(), at)?;
        Ok(Term::Apply(name, arguments))
    }
    fn variable(&mut self, name: &str, at: Range<usize>) -> Result<(), Mistake> {
        match &self.variables {
            Some(known) if !known.iter().any(|v| v == name) => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = match nearest(name, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the variables of the left side: {}", known.join(", ")),
                };
                Err(Mistake::new(format!("the left side has no variable `{name}`"), at, help))
            }
            _ => {
                self.used.push(name.to_owned());
                Ok(())
            }
        }
    }
    fn right(&mut self, arities: &mut Arities) -> Result<Right, Mistake> {
        if !self.is_conditional() {
            return self.term(arities).map(Right::Term);
        }
        let guard = self.any(arities)?;
        let mark = self.peek().1;
        if !self.take("?") {
            return Err(self.unexpected(mark));
        }
        let then = Box::new(self.right(arities)?);
        if !self.take(":") {
            let at = self.peek().1;
            return Err(if at.is_empty() {
                Mistake::new("the `:` for this is missing", mark, "")
            } else {
                self.unexpected(at)
            });
        }
        Ok(Right::If { guard, then, other: Box::new(self.right(arities)?) })
    }
    /// Whether a `?` comes before this right side ends.
    fn is_conditional(&self) -> bool {
        let mut depth = 0usize;
        for (token, _) in &self.tokens[self.next.min(self.tokens.len())..] {
            match token {
                Token::Mark("(") => depth += 1,
                Token::Mark(")" | ":") if depth == 0 => return false,
                Token::Mark(")") => depth -= 1,
                Token::Mark("?") if depth == 0 => return true,
                Token::Name(_) | Token::Integer(_) | Token::Char(_) | Token::Float(_) | Token::Mark(_) | Token::End => {
                }
            }
        }
        false
    }
    fn any(&mut self, arities: &mut Arities) -> Result<Guard, Mistake> {
        let mut guard = self.all(arities)?;
        while self.take("||") {
            guard = Guard::Or(Box::new(guard), Box::new(self.all(arities)?));
        }
        Ok(guard)
    }
    fn all(&mut self, arities: &mut Arities) -> Result<Guard, Mistake> {
        let mut guard = self.single(arities)?;
        while self.take("&&") {
            guard = Guard::And(Box::new(guard), Box::new(self.single(arities)?));
        }
        Ok(guard)
    }
    fn single(&mut self, arities: &mut Arities) -> Result<Guard, Mistake> {
        let opened = self.peek().1;
        if self.take("!") {
            return Ok(Guard::Not(Box::new(self.single(arities)?)));
        }
        if self.take("(") {
            let guard = self.any(arities)?;
            let at = self.peek().1;
            return if self.take(")") {
                Ok(guard)
            } else {
                Err(self.unexpected(if at.is_empty() { opened } else { at }))
            };
        }
        let left = self.term(arities)?;
        let (token, at) = self.peek();
        let Some(op) = COMPARISONS.into_iter().find(|op| token == Token::Mark(op.spelling())) else {
            let help = "before `?` stands a comparison of terms: `k == j ? v : get(m, j)`";
            return Err(Mistake::new("a comparison is wanted here", at, help));
        };
        self.next += 1;
        Ok(Guard::Compare(op, left, self.term(arities)?))
    }
}

impl Arities {
    fn check(&mut self, name: &str, count: usize, at: Range<usize>) -> Result<(), Mistake> {
        let arguments = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
        match self.seen.iter().find(|(seen, _)| seen == name) {
            Some((_, expected)) if *expected == count => Ok(()),
            Some((_, expected)) => {
                let message = format!("`{name}` has {} here and {} before", arguments(count), arguments(*expected));
                Err(Mistake::new(message, at, "an operation has the same arguments everywhere"))
            }
            None if self.listed => {
                let known: Vec<&str> = self.seen.iter().map(|(seen, _)| seen.as_str()).collect();
                let help = match nearest(name, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`operations` has {}; add `{name} = \"FUNCTION(1)\"` there", known.join(", ")),
                };
                Err(Mistake::new(format!("there is no operation `{name}`"), at, help))
            }
            None => {
                self.seen.push((name.to_owned(), count));
                Ok(())
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Variable(name) => write!(f, "{name}"),
            Term::Integer(integer) => write!(f, "{integer}"),
            Term::Char(byte) => write!(f, "'{}'", byte.escape_ascii()),
            Term::Apply(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Term::to_string).collect();
                write!(f, "{name}({})", arguments.join(", "))
            }
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guard::Compare(op, a, b) => write!(f, "{a} {} {b}", op.spelling()),
            Guard::Not(guard) => write!(f, "!({guard})"),
            Guard::And(a, b) => write!(f, "({a}) && ({b})"),
            Guard::Or(a, b) => write!(f, "({a}) || ({b})"),
        }
    }
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.left, self.right)
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Right::Term(term) => write!(f, "{term}"),
            Right::If { guard, then, other } => write!(f, "{guard} ? {then} : {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Term {
        Term::Variable(name.to_owned())
    }

    fn apply(name: &str, arguments: &[Term]) -> Term {
        Term::Apply(name.to_owned(), arguments.to_vec())
    }

    fn read(text: &str) -> Result<Equation, Mistake> {
        equation(text, &mut Arities::default())
    }

    #[test]
    fn equations_become_terms() {
        let push = apply("push", &[variable("x"), variable("s")]);
        let expected = Equation { left: apply("top", &[push]), right: Right::Term(variable("x")) };
        assert_eq!(read("top(push(x, s)) = x"), Ok(expected));
        let Equation { right: Right::If { guard, then, other }, .. } =
            read("get(put(m, k, v), j) = k == j ? v : get(m, j)").unwrap()
        else {
            panic!()
        };
        assert_eq!(guard, Guard::Compare(Binary::Equal, variable("k"), variable("j")));
        assert_eq!(*then, Right::Term(variable("v")));
        assert_eq!(*other, Right::Term(apply("get", &[variable("m"), variable("j")])));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "empty(new()) = 1",
            "get(put(m, k, v), j) = k == j ? v : get(m, j)",
            "f(a, b) = (a < b) && (!(a != 'x')) ? g(a) : b >= 0x10u ? a : b",
            "f(a, b) = ((a < b) || (a > 3)) && (b == 2) ? a == b ? a : b : b",
        ] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        // `&&` binds tighter than `||`.
        assert_eq!(
            read("f(a) = a == 1 || a == 2 && a == 3 ? a : 0").unwrap().to_string(),
            "f(a) = (a == 1) || ((a == 2) && (a == 3)) ? a : 0"
        );
    }

    #[test]
    fn operations_name_arguments_of_c_functions() {
        let push = operation("push", "stk_push(*1, 2)").unwrap();
        assert_eq!((push.name.as_str(), push.function.as_str()), ("push", "stk_push"));
        let argument = |number, in_place| OperationArgument { number, in_place };
        assert_eq!(push.arguments, [argument(1, true), argument(2, false)]);
        assert_eq!(operation("new", "stk_new()").unwrap().arguments, []);
        for (text, at, says) in [
            ("stk_push", "stk_push", "arguments are missing"),
            ("(1)", "(", "a function's name"),
            ("f(0)", "0", "no argument 0"),
            ("f(x)", "x", "number of an argument"),
            ("f(1, *1)", "1", "twice"),
            ("f(1 2)", "2", "`,` or `)`"),
            ("f(1", "(", "`,` or `)`"),
            ("f(1,", "(", "number of an argument"),
            ("f(1) g", "g", "nothing may follow"),
        ] {
            let mistake = operation("x", text).unwrap_err();
            assert_eq!(&text[mistake.at.clone()], at, "{mistake:?}");
            assert!(mistake.message.contains(says), "{mistake:?}");
        }
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, at, says, help) in [
            ("x = x", "x", "has to be an operation", "what is replaced"),
            ("top(push(x, s)) == x", "==", "one `=`", "LEFT = RIGHT"),
            ("top(push(x, s))", "top(push(x, s))", "`=` is missing", ""),
            ("top(push(x, s) = x", "=", "cannot stand here", ""),
            ("top(push(x, s)", "(", "`)` for this", ""),
            ("top(push(elem, s)) = elen", "elen", "no variable `elen`", "did you mean `elem`?"),
            ("top(push(x, s)) = yy", "yy", "no variable `yy`", "x, s"),
            ("top(push(x, s)) =", "=", "too early", ""),
            ("top(push(x, s)) = x y", "y", "cannot stand", ""),
            ("f(a, f(b)) = a", "f", "2 arguments here and 1 argument before", "everywhere"),
            ("f(a) = a ? a : 0", "?", "a comparison is wanted", "k == j"),
            ("f(a) = a == 1 ? a", "?", "`:` for this", ""),
            ("f(a) = a + 1", "+", "cannot stand", ""),
            ("f(a, ) = a", ")", "cannot stand", ""),
            ("f(1.5) = 2", "1.5", "cannot stand", ""),
        ] {
            let mistake = read(text).unwrap_err();
            assert_eq!(&text[mistake.at.clone()], at, "{text}: {mistake:?}");
            assert!(mistake.message.contains(says) && mistake.help.contains(help), "{text}: {mistake:?}");
        }
        let mut listed = Arities { listed: true, seen: vec![("push".into(), 2), ("top".into(), 1)] };
        assert!(equation("top(push(x, s)) = x", &mut listed).is_ok());
        let mistake = equation("top(pus(x, s)) = x", &mut listed).unwrap_err();
        assert!(mistake.message.contains("no operation `pus`") && mistake.help.contains("`push`"), "{mistake:?}");
        let mistake = equation("top(empty()) = 0", &mut listed).unwrap_err();
        assert!(mistake.help.contains("`operations` has push, top"), "{mistake:?}");
        let mistake = equation("top(push(x)) = x", &mut listed).unwrap_err();
        assert!(mistake.message.contains("1 argument here and 2 arguments before"), "{mistake:?}");
        assert!(read(&format!("{}x{} = x", "f(".repeat(10_000), ")".repeat(10_000))).is_err());
    }
}
