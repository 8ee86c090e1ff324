//! Random C programs whose flows can be decided by running them: inputs and secrets are masked to a few values, and what there is in them makes flows that
//! happen under conditions, or seem to. The secret is used once or twice, flags are set under conditions and tested later, conditions repeat.
//!
//! They always end, and have no undefined behaviour: everything is initialised, indices and values are masked, no address of a local outlives it. Inputs are
//! read at the start, so that two runs read the same; the secret may be read anywhere.

use super::piece::{self, Kind, Piece, block, branch, line};
use crate::support::generator::Random;
use crate::support::runs::Domain;

/// What programs are made of. Each has what those before it have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Variables, branches, early returns.
    Branches,
    /// Loops and arrays.
    Loops,
    /// Pointers, globals, calls, recursion.
    Calls,
    /// Structs, unions, `switch`, `goto`, function pointers.
    Types,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 4] = [Level::Branches, Level::Loops, Level::Calls, Level::Types];
    /// The level of a seed.
    pub fn of(seed: u64) -> Level {
        Level::ALL[(seed % 4) as usize]
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its text.
    pub pieces: Vec<Piece>,
    /// Its inputs and secrets.
    pub domain: Domain,
}

/// The name of the entry.
pub const ENTRY: &str = "t";

pub(super) struct Generator {
    pub(super) random: Random,
    level: Level,
    /// `int` lvalues that may be read, and those that may be written; one that is here twice is taken twice as often.
    readable: Vec<String>,
    writable: Vec<String>,
    /// Declarations of the function that is being made.
    declared: Vec<Piece>,
    /// Helpers that can be called: name, with a word behind it if it is recursive, and whether the first argument is a pointer.
    helpers: Vec<(String, bool)>,
    names: usize,
    has_record: bool,
    pub(super) has_pointer: bool,
    /// The secret is passed on by calls, if at all.
    through_calls: bool,
}

/// The program of a seed, and of an attempt at it.
pub fn program(seed: u64, attempt: u64) -> Made {
    let mut random = Random::new(seed.wrapping_mul(64).wrapping_add(attempt) ^ 0x0f10_3c4e);
    let level = Level::of(seed);
    let (inputs, input_mask) = random.pick(&[(2, 3), (3, 1), (1, 3), (2, 1)]);
    let secret_mask = random.pick(&[1, 1, 3]);
    let mut g = Generator {
        random,
        level,
        readable: Vec::new(),
        writable: Vec::new(),
        declared: Vec::new(),
        helpers: Vec::new(),
        names: 0,
        has_record: false,
        has_pointer: false,
        // The same for all attempts: else those with flows of another kind would crowd it out.
        through_calls: level >= Level::Calls && Random::new(seed ^ 0xca11).below(100) < 50,
    };
    let pieces = g.program(inputs, input_mask, secret_mask);
    let domain = Domain { secrets: (0..=secret_mask).collect(), inputs: (0..=input_mask).collect() };
    Made { pieces, domain }
}

impl Generator {
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }
    pub(super) fn at_least(&self, level: Level) -> bool {
        self.level >= level
    }
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
    pub(super) fn one_of(&mut self, names: &[String]) -> String {
        names[self.random.below(names.len())].clone()
    }
    pub(super) fn declare(&mut self, text: impl Into<String>) {
        self.declared.push(line(text));
    }

    fn program(&mut self, inputs: usize, input_mask: i32, secret_mask: i32) -> Vec<Piece> {
        let mut top = vec![line("int src(void); int in(void); void sink(int);")];
        if self.at_least(Level::Calls) {
            top.push(line("static int g0, g1 = 1;"));
        }
        if self.at_least(Level::Types) {
            top.push(line("struct r { int f; int h; int row[2]; }; union n { int i; unsigned char c[4]; };"));
            top.push(line("static struct r gr = { 0, 1, { 0, 1 } };"));
        }
        if self.at_least(Level::Calls) {
            let fewest = usize::from(self.at_least(Level::Types));
            for _ in 0..=fewest + self.random.below(2) {
                let helper = self.helper();
                top.push(helper);
            }
        }
        self.start(&["z", "z", "y"]);
        self.declare("int y = 0;");
        self.declare("int z = 0;");
        for i in 0..inputs {
            let name = ["x", "v", "u"][i];
            self.declare(format!("int {name} = in() & {input_mask};"));
            self.readable.push(name.to_owned());
            if self.chance(30) {
                self.writable.push(name.to_owned());
            }
        }
        let through_calls = self.through_calls;
        let mut body = if through_calls {
            self.calling_body()
        } else if self.at_least(Level::Loops) && self.chance(25) {
            self.looping_body()
        } else if self.at_least(Level::Types) && self.chance(20) {
            self.jumping_body()
        } else if self.at_least(Level::Loops) && self.chance(15) {
            self.indexing_body()
        } else {
            let size = 3 + self.random.below(4);
            self.block(2, false, size)
        };
        // The secret, and what is done with it.
        let declared = if self.chance(65) {
            format!("int w = src() & {secret_mask};")
        } else {
            let at = self.random.below(100);
            self.insert(&mut body, at, |_, _| line(format!("w = src() & {secret_mask};")));
            "int w = 0;".to_owned()
        };
        self.declare(declared);
        let uses = if through_calls { self.random.pick(&[0, 0, 0, 1]) } else { self.random.pick(&[1, 1, 2]) };
        for _ in 0..uses {
            let at = self.random.below(60);
            self.insert(&mut body, at, Generator::secret_use);
        }
        // What is seen.
        if self.chance(30) {
            self.insert(&mut body, 100, |g, _| {
                let condition = g.condition();
                branch(&condition, vec![g.sink()], Vec::new())
            });
        }
        if self.chance(25) {
            let reset = self.assignment();
            body.push(reset);
        }
        if through_calls {
            self.readable = ["z", "y", "g0", "z", "y", "x"].map(String::from).to_vec();
        }
        let condition = self.condition();
        let sink = self.sink();
        body.push(if self.chance(65) { branch(&condition, vec![sink], Vec::new()) } else { sink });
        let mut all = std::mem::take(&mut self.declared);
        all.extend(body);
        top.push(block(Kind::Entry, format!("void {ENTRY}(void) {{"), all, "}"));
        top
    }

    /// What the function that starts here can name, beside these.
    fn start(&mut self, own: &[&str]) {
        self.readable = own.iter().map(|s| (*s).to_owned()).collect();
        self.writable.clone_from(&self.readable);
        self.declared.clear();
        (self.has_record, self.has_pointer) = (false, false);
        let both = |g: &mut Generator, name: &str| {
            g.readable.push(name.to_owned());
            g.writable.push(name.to_owned());
        };
        if self.at_least(Level::Loops) && self.chance(60) {
            self.declare("int a[4] = { 0, 1 };");
            for index in ["0", "1"] {
                both(self, &format!("a[{index}]"));
            }
            let index = self.one_of(&self.readable.clone());
            both(self, &format!("a[{index} & 3]"));
        }
        if self.at_least(Level::Calls) && self.chance(70) {
            both(self, "g0");
            if self.chance(50) {
                both(self, "g1");
            }
        }
        if self.at_least(Level::Types) && self.chance(70) {
            self.has_record = true;
            self.declare("struct r r = { 0, 1, { 0, 0 } }, *q = &r; union n n = { 0 };");
            for name in ["r.f", "q->h", "r.row[1]", "gr.f", "n.i", "n.c[0]", "q->f"] {
                if self.chance(45) {
                    both(self, name);
                }
            }
        }
    }

    /// A pointer, declared when it is wanted: to `y`, `z`, or a global.
    pub(super) fn pointer(&mut self) {
        if !self.has_pointer {
            self.has_pointer = true;
            // Declarations come in the order in which they are wanted, `y` and `z` or the parameters before all.
            self.declare("int *p = &z;");
            self.readable.push("*p".to_owned());
            self.writable.push("*p".to_owned());
        }
    }

    fn helper(&mut self) -> Piece {
        let name = self.fresh("f");
        let by_pointer = self.chance(50);
        let recursive = self.chance(30);
        self.start(&["y", "z"]);
        let mut body = Vec::new();
        let first = if by_pointer { "int *o" } else { "int y" };
        if by_pointer {
            self.declare("int y = *o;");
            self.readable.push("*o".to_owned());
            self.writable.push("*o".to_owned());
        }
        // What it is given decides something that others see.
        let given = self.random.pick(&["y", "z", "!z", "z == 1", "y && !z"]);
        let seen = if by_pointer { "*o" } else { self.random.pick(&["y", "g0", "g0", "g1"]) };
        let value = self.random.pick(&["1", "2", "0", "!z"]);
        body.push(branch(given, vec![line(format!("{seen} = {value};"))], Vec::new()));
        let size = self.random.below(3);
        body.extend(self.block(1, false, size));
        if self.chance(12) {
            let condition = self.condition();
            body.push(branch(&condition, vec![self.sink()], Vec::new()));
        }
        let value = if self.chance(60) { self.random.pick(&["y", "z", seen, seen]).to_owned() } else { self.value() };
        let mut parameters = format!("{first}, int z");
        if recursive {
            parameters.push_str(", int d");
            let (to, argument) = (self.one_of(&["y".into(), "z".into()]), self.value());
            let first = if by_pointer { "o".to_owned() } else { self.value() };
            body.push(branch("d > 0", vec![line(format!("{to} = {name}({first}, {argument}, d - 1);"))], Vec::new()));
        }
        let mut all = std::mem::take(&mut self.declared);
        all.extend(body);
        let head = format!("static int {name}({parameters}) {{");
        self.helpers.push((if recursive { format!("{name} rec") } else { name }, by_pointer));
        block(Kind::Helper, head, all, format!("    return {value};\n}}"))
    }

    /// A call of a helper with one value that is chosen.
    pub(super) fn call(&mut self, given: Option<&str>) -> String {
        let (helper, by_pointer) = self.helpers[self.random.below(self.helpers.len())].clone();
        let (name, recursive) = helper.split_once(' ').map_or((helper.as_str(), false), |(name, _)| (name, true));
        let given = given.map_or_else(|| self.value(), str::to_owned);
        let first = match by_pointer {
            true if self.chance(50) => "&y".to_owned(),
            true => "&z".to_owned(),
            false if self.chance(50) => self.value(),
            false => given.clone(),
        };
        let more = if recursive { format!(", {}", 1 + self.random.below(2)) } else { String::new() };
        format!("{name}({first}, {given}{more})")
    }

    pub(super) fn value(&mut self) -> String {
        let name = self.one_of(&self.readable.clone());
        match self.random.below(100) {
            0..45 => self.random.below(3).to_string(),
            45..80 => name,
            80..86 => format!("!{name}"),
            86..92 => format!("({name} ^ 1)"),
            92..96 => format!("(({name} + 1) & 3)"),
            _ => {
                let other = self.one_of(&self.readable.clone());
                let op = self.random.pick(&["&", "|", "^"]);
                format!("({name} {op} {other})")
            }
        }
    }

    pub(super) fn condition(&mut self) -> String {
        let name = self.one_of(&self.readable.clone());
        match self.random.below(100) {
            0..28 => name,
            28..55 => format!("!{name}"),
            55..80 => format!("{name} == {}", self.random.below(3)),
            80..88 => format!("{name} < {}", 1 + self.random.below(2)),
            88..92 => {
                let other = self.one_of(&self.readable.clone());
                format!("{name} == {other}")
            }
            _ => {
                let other = self.one_of(&self.readable.clone());
                let op = self.random.pick(&["&&", "||"]);
                format!("{name} {op} !{other}")
            }
        }
    }

    /// A condition on the secret.
    pub(super) fn secret(&mut self) -> String {
        match self.random.below(4) {
            0 | 1 => "w".to_owned(),
            2 => "!w".to_owned(),
            _ => {
                let other = self.one_of(&self.readable.clone());
                let other = self.random.pick(&["1", "0", &other]).to_owned();
                format!("w == {other}")
            }
        }
    }

    pub(super) fn assignment(&mut self) -> Piece {
        let (to, value) = (self.one_of(&self.writable.clone()), self.value());
        line(format!("{to} = {value};"))
    }

    pub(super) fn sink(&mut self) -> Piece {
        let value = if self.chance(45) { "1".to_owned() } else { self.value() };
        line(format!("sink({value});"))
    }

    fn block(&mut self, depth: usize, in_loop: bool, count: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for _ in 0..count {
            self.statement(depth, in_loop, &mut pieces);
        }
        pieces
    }

    fn statement(&mut self, depth: usize, in_loop: bool, out: &mut Vec<Piece>) {
        let count = 1 + self.random.below(2);
        let roll = self.random.below(100);
        let piece = match roll {
            0..30 if depth > 0 => {
                let condition = self.condition();
                let then = self.block(depth - 1, in_loop, count);
                let other = if self.chance(30) { self.block(depth - 1, in_loop, 1) } else { Vec::new() };
                branch(&condition, then, other)
            }
            30..45 if depth > 0 && self.at_least(Level::Loops) => self.a_loop(depth),
            45..53 if in_loop => {
                let condition = self.condition();
                branch(&condition, vec![line(self.random.pick(&["break;", "break;", "continue;"]))], Vec::new())
            }
            53..56 => {
                let condition = self.condition();
                // Helpers return by falling out: `return` without a value is for the entry only.
                let end = if self.is_entry() { "return;" } else { "return 1;" };
                branch(&condition, vec![line(end)], Vec::new())
            }
            56..64 if !self.helpers.is_empty() => {
                let call = self.call(None);
                let to = self.one_of(&self.writable.clone());
                line(format!("{to} = {call};"))
            }
            64..70 if self.at_least(Level::Calls) && self.is_entry() => {
                self.pointer();
                let condition = self.condition();
                let (a, b) = (self.random.pick(&["&z", "&y"]), self.random.pick(&["&g0", "&y", "&z"]));
                line(format!("p = {condition} ? {a} : {b};"))
            }
            70..82 if self.at_least(Level::Types) => return self.rich(depth, in_loop, out),
            _ => self.assignment(),
        };
        out.push(piece);
    }

    /// Only the entry has inputs.
    fn is_entry(&self) -> bool {
        self.declared.iter().any(|d| d.parts[0].0.contains("in()"))
    }

    fn a_loop(&mut self, depth: usize) -> Piece {
        let counter = self.fresh("k");
        self.declare(format!("int {counter} = 0;"));
        let times = 2 + self.random.below(2);
        self.readable.push(counter.clone());
        let count = 1 + self.random.below(3);
        let below = self.block(depth - 1, true, count);
        let also = if self.chance(40) { format!(" && {}", self.condition()) } else { String::new() };
        let also = if also.contains("||") { String::new() } else { also };
        self.readable.pop();
        match self.random.below(3) {
            0 | 1 => {
                block(Kind::Loop, format!("for ({counter} = 0; {counter} < {times}{also}; {counter}++) {{"), below, "}")
            }
            _ => block(Kind::Loop, "do {", below, format!("}} while (++{counter} < {times}{also});")),
        }
    }

    fn rich(&mut self, depth: usize, in_loop: bool, out: &mut Vec<Piece>) {
        let piece = match self.random.below(6) {
            0 if depth > 0 => {
                let name = self.one_of(&self.readable.clone());
                self.switch(&name, depth, in_loop)
            }
            1 | 2 if depth > 0 => return self.jump(depth, in_loop, out),
            3 if self.has_record => {
                line(self.random.pick(&["gr = r;", "r = gr;", "*q = gr;", "q->row[0] = r.row[1];"]))
            }
            4 if self.has_record => {
                let condition = self.condition();
                line(format!("q = {condition} ? &r : &gr;"))
            }
            5 if self.is_entry() => {
                let (condition, value, to) = (self.condition(), self.value(), self.one_of(&self.writable.clone()));
                match self.pair() {
                    Some((a, b)) => {
                        line(format!("{{ int (*fp)(int, int) = {condition} ? {a} : {b}; {to} = fp({value}, 1); }}"))
                    }
                    None => self.assignment(),
                }
            }
            _ => self.assignment(),
        };
        out.push(piece);
    }

    /// Two helpers of the same plain type.
    fn pair(&mut self) -> Option<(String, String)> {
        let plain = |(name, by_pointer): &(String, bool)| (!by_pointer && !name.contains(' ')).then(|| name.clone());
        let found: Vec<String> = self.helpers.iter().filter_map(plain).collect();
        let last = found.last()?.clone();
        Some((found[0].clone(), last)).filter(|(a, b)| a != b)
    }

    fn switch(&mut self, on: &str, depth: usize, in_loop: bool) -> Piece {
        let mut parts = vec![(format!("switch ({on}) {{"), Vec::new())];
        for label in ["case 0:", "case 1:", "default:"] {
            let mut below = self.block(depth - 1, in_loop, 1);
            if self.chance(60) {
                below.push(line("break;"));
            }
            parts.push((label.to_owned(), below));
        }
        Piece { parts, close: "}".to_owned(), kind: Kind::Block }
    }

    /// A jump forwards over some statements, or back for a few times.
    fn jump(&mut self, depth: usize, in_loop: bool, out: &mut Vec<Piece>) {
        let label = self.fresh("L");
        let condition = self.condition();
        let between = self.block(depth - 1, in_loop, 1);
        if self.chance(60) {
            out.push(line(format!("if ({condition}) goto {label};")));
            out.extend(between);
            out.push(line(format!("{label}:;")));
        } else {
            let counter = self.fresh("j");
            self.declare(format!("int {counter} = 0;"));
            out.push(line(format!("{label}:;")));
            out.extend(between);
            out.push(line(format!("if ({counter} < 2 && ({condition})) {{ {counter}++; goto {label}; }}")));
        }
    }

    /// Puts a statement into some list of the program; `at` is how far down it, in percent, it stands at most.
    fn insert(&mut self, body: &mut Vec<Piece>, at: usize, make: impl Fn(&mut Generator, bool) -> Piece) {
        let inner = |kind| kind == Kind::Block || kind == Kind::Loop;
        let number = self.random.below(piece::count_lists(body, &inner) + 2);
        let most = |len: usize| (len * at).div_ceil(100).min(len);
        if let Some(list) = piece::list(body, &inner, number)
            && !list.pieces.is_empty()
        {
            let made = make(self, list.in_loop);
            let place = self.random.below(most(list.pieces.len()) + 1);
            list.pieces.insert(place, made);
        } else {
            let made = make(self, false);
            let place = self.random.below(most(body.len()) + 1);
            body.insert(place, made);
        }
    }

    /// A statement that uses the secret.
    fn secret_use(&mut self, in_loop: bool) -> Piece {
        let condition = self.secret();
        let to = self.one_of(&self.writable.clone());
        match self.random.below(100) {
            0..8 => return line(format!("{to} = w;")),
            8..14 if self.at_least(Level::Loops) => {
                if let Some(cell) = self.readable.iter().find(|r| r.starts_with("a[")).cloned() {
                    let value = self.value();
                    return if self.chance(60) {
                        line(format!("a[w & 3] = {value};"))
                    } else {
                        line(format!("{to} = a[w & 3] | {cell};"))
                    };
                }
            }
            14..40 if !self.helpers.is_empty() => {
                let call = self.call(Some("w"));
                return line(format!("{to} = {call};"));
            }
            40..46 if self.has_pointer => return line(format!("p = {condition} ? &y : &z;")),
            46..52 if self.has_record => return line(format!("q = {condition} ? &r : &gr;")),
            52..57 if self.at_least(Level::Types) => return self.switch("w", 1, in_loop),
            57..62 if in_loop => {
                return branch(&condition, vec![line(self.random.pick(&["break;", "continue;"]))], Vec::new());
            }
            62..66 => return branch(&condition, vec![line("return;")], Vec::new()),
            66..70 => return line(format!("{to} = w & {};", self.random.below(2))),
            _ => {}
        }
        let then = self.assignment();
        let other = if self.chance(25) { vec![self.assignment()] } else { Vec::new() };
        branch(&condition, vec![then], other)
    }
}
