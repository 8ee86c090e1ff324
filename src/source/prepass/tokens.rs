//! The tokens of preprocessed C.
//!
//! Comments, line markers and pragmas are no tokens. What can be rewritten without a look at the neighbours (spellings of types,
//! literals, identifiers that lang-c does not know) is rewritten here.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::Failure;
use super::edits::Edits;
use super::literals;
use super::pragmas::Pragmas;

/// A token: what it is, and where in the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// What a token is, as far as the pre-pass must know. Keywords that play the same part share a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Eof,
    Ident,
    Number,
    Char,
    Str,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Semi,
    Comma,
    Colon,
    Question,
    Dot,
    Ellipsis,
    Arrow,
    Star,
    Amp,
    AmpAmp,
    /// `+ -`
    Sign,
    /// `~ !`
    Not,
    /// `++ --`
    Step,
    Caret,
    Assign,
    /// `+=` and the like.
    AssignOp,
    /// A binary operator that can be nothing else.
    Binary,
    /// A character that C has no use for.
    Other,
    /// Specifiers of declarations that are neither types nor qualifiers.
    Storage,
    Auto,
    Typedef,
    Qualifier,
    Atomic,
    /// A type named by keywords.
    Basic,
    Struct,
    Enum,
    Typeof,
    AutoType,
    Alignas,
    Alignof,
    Sizeof,
    Attribute,
    Declspec,
    Asm,
    StaticAssert,
    Generic,
    If,
    Else,
    While,
    Do,
    For,
    Switch,
    Case,
    Default,
    Goto,
    Return,
    /// `break continue`
    Jump,
    LocalLabel,
    /// `__real__ __imag__`
    Part,
    TypesCompatible,
    ConvertVector,
    Offsetof,
    VaArg,
    /// A keyword only since C23, unless the unit declares it.
    Soft(Soft),
}

/// Words that became keywords with C23; earlier programs may define them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Soft {
    Bool,
    True,
    False,
    Nullptr,
    Alignas,
    Alignof,
    StaticAssert,
    ThreadLocal,
    Constexpr,
}

/// How many [`Soft`] there are.
pub(super) const SOFT: usize = 9;

/// What is done with a word.
#[derive(Clone, Copy)]
enum Word {
    /// Nothing.
    Plain(Kind),
    /// Written in another way.
    Spelled(Kind, &'static str),
    /// Taken out: it says nothing about what the program does.
    Blank,
    /// Not supported.
    Refused(&'static str),
    /// The `_Pragma` operator.
    Pragma,
}

static WORDS: LazyLock<FxHashMap<&'static [u8], Word>> = LazyLock::new(|| {
    use Word::{Blank, Plain, Refused, Spelled};
    let groups: &[(Word, &str)] = &[
        (Plain(Kind::Storage), "extern static register inline __inline __inline__ _Noreturn _Thread_local"),
        (Spelled(Kind::Storage, "_Thread_local"), "__thread"),
        (Plain(Kind::Auto), "auto"),
        (Plain(Kind::Typedef), "typedef"),
        (Plain(Kind::Qualifier), "const __const volatile __volatile __volatile__ restrict __restrict __restrict__"),
        (Spelled(Kind::Qualifier, "const"), "__const__"),
        (Spelled(Kind::Qualifier, "__attribute__((address_space(1)))"), "__seg_gs __seg_fs"),
        (Plain(Kind::Atomic), "_Atomic"),
        (
            Plain(Kind::Basic),
            "void char short int long float double signed __signed __signed__ unsigned _Bool _Complex __complex __complex__ \
             _Float16 _Float32 _Float64 _Float128 _Float32x _Float64x _Float128x _Decimal32 _Decimal64 _Decimal128 \
             __builtin_va_list",
        ),
        (Spelled(Kind::Basic, "long long long"), "__int128 __int128_t"),
        (Spelled(Kind::Basic, "unsigned long long long"), "__uint128_t"),
        (Spelled(Kind::Basic, "_Float128"), "__float128"),
        (Spelled(Kind::Basic, "long double"), "__float80"),
        // The two sixteen-bit formats differ in precision only; gcc's vector headers name `__bf16` in every unit that includes them.
        (Spelled(Kind::Basic, "_Float16"), "__fp16 __bf16"),
        (Plain(Kind::Struct), "struct union"),
        (Plain(Kind::Enum), "enum"),
        (Plain(Kind::Typeof), "typeof __typeof __typeof__"),
        (Spelled(Kind::Typeof, "__typeof__"), "typeof_unqual __typeof_unqual __typeof_unqual__"),
        (Spelled(Kind::AutoType, "__typeof__(__fc_auto)"), "__auto_type"),
        (Plain(Kind::Alignas), "_Alignas"),
        (Plain(Kind::Alignof), "_Alignof __alignof __alignof__"),
        (Plain(Kind::Sizeof), "sizeof"),
        (Plain(Kind::Attribute), "__attribute __attribute__"),
        (Plain(Kind::Declspec), "__declspec"),
        (Plain(Kind::Asm), "asm __asm __asm__"),
        (Plain(Kind::StaticAssert), "_Static_assert"),
        (Plain(Kind::Generic), "_Generic"),
        (Plain(Kind::If), "if"),
        (Plain(Kind::Else), "else"),
        (Plain(Kind::While), "while"),
        (Plain(Kind::Do), "do"),
        (Plain(Kind::For), "for"),
        (Plain(Kind::Switch), "switch"),
        (Plain(Kind::Case), "case"),
        (Plain(Kind::Default), "default"),
        (Plain(Kind::Goto), "goto"),
        (Plain(Kind::Return), "return"),
        (Plain(Kind::Jump), "break continue"),
        (Plain(Kind::LocalLabel), "__label__"),
        (Plain(Kind::Part), "__real __real__ __imag __imag__"),
        (Spelled(Kind::TypesCompatible, "__fc_types_compatible"), "__builtin_types_compatible_p"),
        (Spelled(Kind::ConvertVector, "__fc_convertvector"), "__builtin_convertvector"),
        (Plain(Kind::Offsetof), "__builtin_offsetof"),
        (Plain(Kind::VaArg), "__builtin_va_arg"),
        (Plain(Kind::Soft(Soft::Bool)), "bool"),
        (Plain(Kind::Soft(Soft::True)), "true"),
        (Plain(Kind::Soft(Soft::False)), "false"),
        (Plain(Kind::Soft(Soft::Nullptr)), "nullptr"),
        (Plain(Kind::Soft(Soft::Alignas)), "alignas"),
        (Plain(Kind::Soft(Soft::Alignof)), "alignof"),
        (Plain(Kind::Soft(Soft::StaticAssert)), "static_assert"),
        (Plain(Kind::Soft(Soft::ThreadLocal)), "thread_local"),
        (Plain(Kind::Soft(Soft::Constexpr)), "constexpr"),
        (
            Blank,
            "__extension__ _Nonnull _Nullable _Null_unspecified _Nullable_result __cdecl __stdcall __fastcall __thiscall \
             __vectorcall __ptr32 __ptr64 __unaligned __w64 __flash __flash1 __flash2 __flash3 __flash4 __flash5 __memx",
        ),
        (Refused("_BitInt is not supported"), "_BitInt"),
        (Refused("__builtin_has_attribute is not supported"), "__builtin_has_attribute"),
        (Word::Pragma, "_Pragma"),
    ];
    groups.iter().flat_map(|(word, names)| names.split_whitespace().map(|name| (name.as_bytes(), *word))).collect()
});

/// Bytes of identifiers; what is not ASCII counts, and `\` begins a universal character name.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

struct Lexer<'t, 'e> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    edits: &'e mut Edits,
    pragmas: Pragmas,
    tokens: Vec<Token>,
}

/// All tokens, with one `Eof` at the end, and what the pragmas say.
pub(super) fn lex(text: &str, edits: &mut Edits) -> Result<(Vec<Token>, Pragmas), Failure> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        edits,
        pragmas: Pragmas::default(),
        tokens: Vec::with_capacity(text.len() / 4),
    };
    if text.starts_with('\u{feff}') {
        lexer.edits.blank(0, 3);
        lexer.at = 3;
    }
    lexer.line_start()?;
    while lexer.at < lexer.bytes.len() {
        lexer.token()?;
    }
    let end = text.len() as u32;
    lexer.tokens.push(Token { kind: Kind::Eof, start: end, end });
    Ok((lexer.tokens, lexer.pragmas))
}

impl Lexer<'_, '_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let start = self.at as u32;
        self.at += length;
        self.tokens.push(Token { kind, start, end: self.at as u32 });
    }

    /// A directive, if the line that starts here is one.
    fn line_start(&mut self) -> Result<(), Failure> {
        let start = self.at;
        let mut hash = start;
        while matches!(self.bytes.get(hash), Some(b' ' | b'\t')) {
            hash += 1;
        }
        let digraph = self.bytes.get(hash..hash + 2) == Some(b"%:");
        if self.bytes.get(hash) != Some(&b'#') && !digraph {
            return Ok(());
        }
        let end = self.bytes[hash..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| hash + n);
        let body = self.text[hash + 1 + usize::from(digraph)..end].trim();
        let word = body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        match word {
            "pragma" => {
                self.pragmas.directive(&body["pragma".len()..], start as u32)?;
                self.edits.blank(start as u32, end as u32);
            }
            "include" | "include_next" | "import" | "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" => {
                return Err(Failure::new(hash as u32, format!("#{word}: this text has not been preprocessed")));
            }
            // Line markers and what `-dD` leaves. lang-c skips a line only if `#` is its first character.
            _ => {
                self.edits.blank(hash as u32, hash as u32 + 1 + u32::from(digraph));
                self.edits.set(start as u32, b'#');
            }
        }
        self.at = end;
        Ok(())
    }

    fn token(&mut self) -> Result<(), Failure> {
        let byte = self.bytes[self.at];
        match byte {
            b'\n' => {
                self.at += 1;
                self.line_start()?;
            }
            b' ' | b'\t' => self.at += 1,
            b'\r' if self.peek(1) == b'\n' => self.at += 1,
            // White space of C that lang-c does not know; a line that goes on; DOS's end of file.
            b'\r' | 0x0b | 0x0c | 0x1a => self.skip(1),
            b'\\' if self.peek(1) == b'\n' || (self.peek(1) == b'\r' && self.peek(2) == b'\n') => {
                self.skip(1);
                // The next line continues this one, so it is no directive.
                self.at += if self.peek(0) == b'\r' { 2 } else { 1 };
            }
            b'/' if self.peek(1) == b'/' => {
                let rest = &self.bytes[self.at..];
                let end = (0..rest.len())
                    .find(|&i| rest[i] == b'\n' && rest[i - 1] != b'\\' && !rest[..i].ends_with(b"\\\r"))
                    .unwrap_or(rest.len());
                self.skip(end);
            }
            b'/' if self.peek(1) == b'*' => match self.text[self.at + 2..].find("*/") {
                Some(n) => self.skip(n + 4),
                None => return Err(Failure::new(self.at as u32, "unterminated comment")),
            },
            b'"' | b'\'' => self.quoted(0)?,
            b'0'..=b'9' => self.number()?,
            b'.' if self.peek(1).is_ascii_digit() => self.number()?,
            b'\\' if matches!(self.peek(1), b'u' | b'U') => self.word()?,
            _ if is_word(byte) => self.word()?,
            _ => self.punctuation(byte),
        }
        Ok(())
    }

    fn skip(&mut self, length: usize) {
        self.edits.blank(self.at as u32, (self.at + length) as u32);
        self.at += length;
    }

    fn punctuation(&mut self, byte: u8) {
        let (kind, length) = match (byte, self.peek(1), self.peek(2)) {
            (b'(', ..) => (Kind::LParen, 1),
            (b')', ..) => (Kind::RParen, 1),
            (b'[', ..) => (Kind::LBracket, 1),
            (b']', ..) => (Kind::RBracket, 1),
            (b'{', ..) => (Kind::LBrace, 1),
            (b'}', ..) => (Kind::RBrace, 1),
            (b';', ..) => (Kind::Semi, 1),
            (b',', ..) => (Kind::Comma, 1),
            (b'?', ..) => (Kind::Question, 1),
            (b':', b'>', _) => return self.digraph(Kind::RBracket, "]"),
            (b':', ..) => (Kind::Colon, 1),
            (b'.', b'.', b'.') => (Kind::Ellipsis, 3),
            (b'.', ..) => (Kind::Dot, 1),
            (b'-', b'>', _) => (Kind::Arrow, 2),
            (b'-', b'-', _) | (b'+', b'+', _) => (Kind::Step, 2),
            (b'+' | b'-' | b'*' | b'&' | b'^' | b'/' | b'%' | b'|', b'=', _) => (Kind::AssignOp, 2),
            (b'<', b'<', b'=') | (b'>', b'>', b'=') => (Kind::AssignOp, 3),
            (b'+' | b'-', ..) => (Kind::Sign, 1),
            (b'*', ..) => (Kind::Star, 1),
            (b'&', b'&', _) => (Kind::AmpAmp, 2),
            (b'&', ..) => (Kind::Amp, 1),
            (b'^', ..) => (Kind::Caret, 1),
            (b'<', b':', _) => return self.digraph(Kind::LBracket, "["),
            (b'<', b'%', _) => return self.digraph(Kind::LBrace, "{"),
            (b'%', b'>', _) => return self.digraph(Kind::RBrace, "}"),
            (b'<', b'<', _) | (b'>', b'>', _) | (b'|', b'|', _) | (b'<' | b'>' | b'=' | b'!', b'=', _) => {
                (Kind::Binary, 2)
            }
            (b'<' | b'>' | b'|' | b'/' | b'%', ..) => (Kind::Binary, 1),
            (b'=', ..) => (Kind::Assign, 1),
            (b'~' | b'!', ..) => (Kind::Not, 1),
            _ => (Kind::Other, 1),
        };
        self.push(kind, length);
    }

    fn digraph(&mut self, kind: Kind, text: &str) {
        self.edits.overwrite(self.at as u32, self.at as u32 + 2, text);
        self.push(kind, 2);
    }

    fn number(&mut self) -> Result<(), Failure> {
        let start = self.at;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(b'e' | b'E' | b'p' | b'P') if matches!(self.bytes.get(end + 1), Some(b'+' | b'-')) => {
                    // `0xe+1` is three tokens to a reader, but one to C.
                    end += 2;
                }
                Some(b'\'') if self.bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) => end += 2,
                // Of `1...3` only the number is taken: lang-c wants blanks there, but says so itself.
                Some(b'.') if self.bytes[end..].starts_with(b"...") => break,
                Some(&b) if b == b'.' || b == b'_' || b.is_ascii_alphanumeric() => end += 1,
                _ => break,
            }
        }
        literals::number(&self.text[start..end], start as u32, self.edits)?;
        self.push(Kind::Number, end - start);
        Ok(())
    }

    /// A string or character constant after a prefix of so many bytes.
    fn quoted(&mut self, prefix: usize) -> Result<(), Failure> {
        let quote = self.peek(prefix);
        let mut length = prefix + 1;
        loop {
            match self.peek(length) {
                b'\\' if self.peek(length + 1) != 0 => length += 2,
                b'\n' | 0 => {
                    return Err(Failure::new(self.at as u32, format!("the closing {} is missing", quote as char)));
                }
                b if b == quote => break,
                _ => length += 1,
            }
        }
        length += 1;
        // An escaped character of several bytes ends in the middle of it.
        while !self.text.is_char_boundary(self.at + length) {
            length += 1;
        }
        let text = &self.text[self.at..self.at + length];
        literals::quoted(text, prefix, self.at as u32, self.edits)?;
        self.push(if quote == b'"' { Kind::Str } else { Kind::Char }, length);
        Ok(())
    }

    fn word(&mut self) -> Result<(), Failure> {
        let start = self.at;
        let mut end = start;
        let mut plain = true;
        loop {
            match self.bytes.get(end) {
                Some(&b) if is_word(b) => {
                    plain &= b.is_ascii() && b != b'$';
                    end += 1;
                }
                Some(b'\\') if matches!(self.bytes.get(end + 1), Some(b'u' | b'U')) => {
                    plain = false;
                    end += 2;
                }
                _ => break,
            }
        }
        let word = &self.bytes[start..end];
        let prefix = matches!(word, b"L" | b"u" | b"U" | b"u8");
        match self.bytes.get(end) {
            Some(b'"' | b'\'') if prefix => return self.quoted(end - start),
            Some(b'"') if matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                let Some((length, plain)) = literals::raw(&self.text[start..], end - start) else {
                    return Err(Failure::new(start as u32, "this raw string cannot be read"));
                };
                self.edits.blank(start as u32, (start + length) as u32);
                self.edits.insert(start as u32, plain);
                self.push(Kind::Str, length);
                return Ok(());
            }
            _ => {}
        }
        if !plain {
            let name = literals::identifier(&self.text[start..end]);
            self.edits.overwrite(start as u32, end as u32, &name);
            self.push(Kind::Ident, end - start);
            return Ok(());
        }
        match WORDS.get(word) {
            None => self.push(Kind::Ident, end - start),
            Some(Word::Plain(kind)) => self.push(*kind, end - start),
            Some(Word::Spelled(kind, text)) => {
                self.edits.overwrite(start as u32, end as u32, text);
                self.push(*kind, end - start);
            }
            Some(Word::Blank) => self.skip(end - start),
            Some(Word::Refused(message)) => return Err(Failure::new(start as u32, *message)),
            Some(Word::Pragma) => {
                self.skip(end - start);
                self.pragma_operator(start)?;
            }
        }
        Ok(())
    }

    /// `("text")` after `_Pragma`.
    fn pragma_operator(&mut self, start: usize) -> Result<(), Failure> {
        let rest = &self.text[self.at..];
        let bad = || Failure::new(start as u32, "_Pragma needs a string in parentheses");
        let open = rest.find('"').ok_or_else(bad)?;
        if rest[..open].trim().trim_end_matches('L').trim_end() != "(" {
            return Err(bad());
        }
        let mut content = String::new();
        let mut chars = rest[open + 1..].char_indices();
        let close = loop {
            match chars.next() {
                Some((_, '\\')) => content.extend(chars.next().map(|(_, c)| c)),
                Some((n, '"')) => break open + 1 + n,
                Some((_, '\n')) | None => return Err(bad()),
                Some((_, c)) => content.push(c),
            }
        };
        let after = rest[close + 1..].find(')').ok_or_else(bad)?;
        if !rest[close + 1..close + 1 + after].trim().is_empty() {
            return Err(bad());
        }
        self.pragmas.directive(&content, start as u32)?;
        self.skip(close + 2 + after);
        Ok(())
    }
}
