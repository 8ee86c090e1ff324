//! The text of a program as a tree, so that statements can be put in and taken out.

use std::fmt::Write;

/// A statement, declaration or function: heads, each with what stands below it, and what closes the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// `if (c) {` and what it guards, then `} else {` and what that guards.
    pub parts: Vec<(String, Vec<Piece>)>,
    /// `}`, or nothing.
    pub close: String,
    /// What may stand below it.
    pub kind: Kind,
}

/// What may stand below a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing: it is one line.
    Line,
    /// What may stand around it.
    Block,
    /// `break` and `continue`, too.
    Loop,
    /// Statements of a helper, which is not the entry.
    Helper,
    /// Statements of the entry.
    Entry,
}

/// One line.
pub fn line(text: impl Into<String>) -> Piece {
    Piece { parts: vec![(text.into(), Vec::new())], close: String::new(), kind: Kind::Line }
}

/// Something in braces.
pub fn block(kind: Kind, head: impl Into<String>, below: Vec<Piece>, close: impl Into<String>) -> Piece {
    Piece { parts: vec![(head.into(), below)], close: close.into(), kind }
}

/// `if`, with `else` if there is something to do.
pub fn branch(condition: &str, then: Vec<Piece>, other: Vec<Piece>) -> Piece {
    let mut piece = block(Kind::Block, format!("if ({condition}) {{"), then, "}");
    if !other.is_empty() {
        piece.parts.push(("} else {".to_owned(), other));
    }
    piece
}

/// The text of pieces.
pub fn render(pieces: &[Piece]) -> String {
    let mut out = String::new();
    write_all(pieces, 0, &mut out);
    out
}

fn write_all(pieces: &[Piece], depth: usize, out: &mut String) {
    for piece in pieces {
        for (head, below) in &piece.parts {
            let _ = writeln!(out, "{:width$}{head}", "", width = depth * 4);
            write_all(below, depth + 1, out);
        }
        if !piece.close.is_empty() {
            let _ = writeln!(out, "{:width$}{}", "", piece.close, width = depth * 4);
        }
    }
}

/// A list of statements in a tree, and what may stand in it.
pub struct List<'a> {
    /// The statements.
    pub pieces: &'a mut Vec<Piece>,
    /// Whether a loop is around it.
    pub in_loop: bool,
}

/// How many lists of statements there are below pieces that are taken.
pub fn count_lists(pieces: &[Piece], taken: &dyn Fn(Kind) -> bool) -> usize {
    let of = |piece: &Piece| {
        let own = if taken(piece.kind) { piece.parts.len() } else { 0 };
        own + piece.parts.iter().map(|(_, below)| count_lists(below, taken)).sum::<usize>()
    };
    pieces.iter().map(of).sum()
}

/// The list of a number, counted as by [`count_lists`].
pub fn list<'a>(pieces: &'a mut [Piece], taken: &dyn Fn(Kind) -> bool, number: usize) -> Option<List<'a>> {
    find(pieces, taken, &mut { number }, false)
}

fn find<'a>(
    pieces: &'a mut [Piece],
    taken: &dyn Fn(Kind) -> bool,
    left: &mut usize,
    in_loop: bool,
) -> Option<List<'a>> {
    for piece in pieces {
        let in_loop = in_loop || piece.kind == Kind::Loop;
        for (_, below) in &mut piece.parts {
            if taken(piece.kind) {
                if *left == 0 {
                    return Some(List { pieces: below, in_loop });
                }
                *left -= 1;
            }
            if let Some(found) = find(below, taken, left, in_loop) {
                return Some(found);
            }
        }
    }
    None
}

/// How many pieces there are in all.
pub fn count(pieces: &[Piece]) -> usize {
    let of = |piece: &Piece| 1 + piece.parts.iter().map(|(_, below)| count(below)).sum::<usize>();
    pieces.iter().map(of).sum()
}

/// A way to make a program smaller at one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// The piece goes, with all below it.
    Whole,
    /// Only what is below one of its heads stays.
    Unwrap(usize),
    /// One of its heads goes, with what is below it; not the first.
    Part(usize),
}

/// The program with a cut at the piece of a number, in the order of the text; `None` if there is nothing to cut.
pub fn cut(pieces: &[Piece], number: usize, cut: Cut) -> Option<Vec<Piece>> {
    let mut pieces = pieces.to_vec();
    cut_in(&mut pieces, &mut { number }, cut)?.then_some(pieces)
}

/// Whether something was cut; `None` if the piece is not among these.
fn cut_in(pieces: &mut Vec<Piece>, left: &mut usize, cut: Cut) -> Option<bool> {
    for at in 0..pieces.len() {
        if *left == 0 {
            return Some(cut_at(pieces, at, cut));
        }
        *left -= 1;
        let found = pieces[at].parts.iter_mut().find_map(|(_, below)| cut_in(below, left, cut));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn cut_at(pieces: &mut Vec<Piece>, at: usize, cut: Cut) -> bool {
    let parts = &mut pieces[at].parts;
    match cut {
        Cut::Whole => {
            pieces.remove(at);
            true
        }
        Cut::Unwrap(part) if part < parts.len() && !parts[part].1.is_empty() => {
            let below = std::mem::take(&mut parts[part].1);
            pieces.splice(at..=at, below);
            true
        }
        Cut::Part(part) if part > 0 && part < parts.len() => {
            parts.remove(part);
            true
        }
        Cut::Unwrap(_) | Cut::Part(_) => false,
    }
}

/// Makes a program smaller, as long as it stays `wanted`.
pub fn reduce(pieces: &[Piece], wanted: &dyn Fn(&[Piece]) -> bool) -> Vec<Piece> {
    let mut best = pieces.to_vec();
    loop {
        let before = count(&best);
        // From the end, so that uses go before what they use.
        for number in (0..before).rev() {
            let cuts = [Cut::Whole, Cut::Unwrap(0), Cut::Unwrap(1), Cut::Part(1), Cut::Part(2)];
            let smaller = cuts.into_iter().filter_map(|c| cut(&best, number, c)).find(|smaller| wanted(smaller));
            best = smaller.unwrap_or(best);
        }
        if count(&best) == before {
            return best;
        }
    }
}

#[test]
fn a_program_is_reduced_to_what_matters() {
    let program = vec![
        line("int a;"),
        branch("x", vec![line("b;"), branch("y", vec![line("keep;")], vec![line("c;")])], vec![line("d;")]),
        block(Kind::Loop, "while (z) {", vec![line("too;"), line("e;")], "}"),
    ];
    let wanted = |pieces: &[Piece]| {
        let text = render(pieces);
        text.contains("keep;") && text.contains("too;") && text.contains("while")
    };
    assert_eq!(render(&reduce(&program, &wanted)), "keep;\nwhile (z) {\n    too;\n}\n");
    assert_eq!(count(&program), 10);
    let inner = |kind| kind == Kind::Block || kind == Kind::Loop;
    assert_eq!(count_lists(&program, &inner), 5);
    let mut program = program;
    let last = list(&mut program, &inner, 4).expect("the loop's");
    assert!(last.in_loop && last.pieces.len() == 2);
}
