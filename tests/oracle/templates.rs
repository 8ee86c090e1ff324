//! Bodies of programs that are all of one kind: what is hard about it is there in each of them.

use super::generator::Generator;
use super::piece::{Kind, Piece, block, branch, line};

impl Generator {
    /// A loop in which what happens depends on its counter: what is written in one turn is seen in another, or never.
    pub(super) fn looping_body(&mut self) -> Vec<Piece> {
        self.declare("int k = 0;");
        let counted = |g: &mut Generator| {
            if g.chance(70) { format!("k == {}", g.random.below(4)) } else { g.condition() }
        };
        let mut below = Vec::new();
        for _ in 0..2 + self.random.below(3) {
            let condition = counted(self);
            let piece = match self.random.below(10) {
                0..4 => line("z = w;"),
                4 | 5 => {
                    let secret = self.secret();
                    branch(&secret, vec![self.assignment()], Vec::new())
                }
                6 | 7 => self.assignment(),
                8 => self.sink(),
                _ => line(self.random.pick(&["break;", "continue;"])),
            };
            below.push(branch(&condition, vec![piece], Vec::new()));
        }
        let condition = counted(self);
        let sink = if self.chance(50) { line("sink(z);") } else { self.sink() };
        let at = self.random.below(below.len() + 1);
        below.insert(at, branch(&condition, vec![sink], Vec::new()));
        let mut body = vec![block(Kind::Loop, "for (k = 0; k < 3; k++) {", below, "}")];
        if self.chance(50) {
            let condition = self.condition();
            body.push(branch(&condition, vec![line("z = 0;")], Vec::new()));
        }
        body
    }

    /// Cells that are chosen by conditions.
    pub(super) fn indexing_body(&mut self) -> Vec<Piece> {
        self.declare("int b[2] = { 0, 0 };");
        let index = |g: &mut Generator| {
            if g.chance(70) {
                format!("{} & 1", g.random.pick(&["z", "z", "y"]))
            } else {
                g.random.below(2).to_string()
            }
        };
        let mut body = Vec::new();
        for _ in 0..=self.random.below(3) {
            let condition = if self.chance(40) { self.secret() } else { self.condition() };
            let set = line(format!("{} = {};", self.random.pick(&["z", "y"]), self.random.below(2)));
            body.push(branch(&condition, vec![set], Vec::new()));
        }
        for _ in 0..=self.random.below(2) {
            let (index, value) = (index(self), self.value());
            body.push(line(format!("b[{index}] = {value};")));
        }
        let index = index(self);
        body.push(line(format!("z = b[{index}];")));
        body
    }
    /// Statements with jumps between them, forwards to anywhere and back for a few times: loops with several entries, too.
    pub(super) fn jumping_body(&mut self) -> Vec<Piece> {
        let count = 6 + self.random.below(4);
        let first = self.fresh("S");
        let mut body = Vec::new();
        let mut backwards = 0;
        for i in 0..count {
            body.push(line(format!("{first}_{i}:;")));
            let condition = if self.chance(75) { self.condition() } else { self.secret() };
            let piece = match self.random.below(20) {
                0..10 => self.assignment(),
                10..16 if i + 1 < count => {
                    let to = i + 1 + self.random.below(count - i - 1);
                    line(format!("if ({condition}) goto {first}_{to};"))
                }
                _ if backwards < 2 && i > 0 => {
                    backwards += 1;
                    let counter = self.fresh("j");
                    self.declare(format!("int {counter} = 0;"));
                    let to = self.random.below(i);
                    line(format!("if ({counter} < 2 && ({condition})) {{ {counter}++; goto {first}_{to}; }}"))
                }
                _ => self.assignment(),
            };
            body.push(piece);
        }
        body
    }

    /// What is passed on through calls, globals and pointers, and hardly any other way.
    pub(super) fn calling_body(&mut self) -> Vec<Piece> {
        if self.chance(50) {
            self.pointer();
        }
        let mut body = Vec::new();
        for _ in 0..3 + self.random.below(3) {
            let plain = self.value();
            let given = self.random.pick(&["w", "w", "w", "z", "y", "g0", &plain]).to_owned();
            // The secret comes in by calls alone.
            let known = if given == "w" { "z".to_owned() } else { given.clone() };
            let to = self.random.pick(&["z", "y"]);
            let piece = match self.random.below(12) {
                0..3 => {
                    let call = self.call(Some(&given));
                    line(format!("{to} = {call};"))
                }
                3..7 => {
                    let call = self.call(Some(&given));
                    line(format!("{call};"))
                }
                7 => line(format!("g0 = {known};")),
                8 | 9 if self.has_pointer => {
                    let condition = self.condition();
                    line(format!("p = {condition} ? &y : &z;"))
                }
                10 if self.has_pointer => line(format!("*p = {known};")),
                _ => self.assignment(),
            };
            let is_call = piece.parts[0].0.contains('(');
            let condition = if is_call && self.chance(50) { self.secret() } else { self.condition() };
            body.push(if self.chance(40) { branch(&condition, vec![piece], Vec::new()) } else { piece });
        }
        body
    }
}
