//! Random C programs that always end, read nothing and print what they computed: branches, loops, switches, jumps, calls, arrays,
//! structs, unions, bit-fields and pointers over all integer types, and some `double`.
//!
//! Signed overflow happens in them and wraps, as gcc without optimisation and the interpreter both do; division, shifts and
//! indices are guarded. Expressions are pure, so that the order of evaluation cannot be seen; calls are statements.

use std::fmt::Write;

/// A seeded source of random numbers (splitmix64).
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635)
    }
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// One of these.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const TYPES: [&str; 10] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
    "char",
];

struct Generator {
    random: Random,
    out: String,
    /// Lvalues of scalar type that may be named here.
    scalars: Vec<String>,
    functions: usize,
    counters: usize,
    labels: usize,
    depth: usize,
    /// Statements the program may still get: the size stays bounded.
    fuel: usize,
}

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut g = Generator {
        random: Random::new(seed),
        out: String::new(),
        scalars: Vec::new(),
        functions: 0,
        counters: 0,
        labels: 0,
        depth: 0,
        fuel: 90,
    };
    g.program();
    g.out
}

impl Generator {
    fn program(&mut self) {
        self.out.push_str(
            "#include <stdio.h>\n\
             #define SAFE(b) ((b) == 0 || (b) == -1 ? 3 : (b))\n\
             struct in { short s; unsigned b3 : 3; int b9 : 9; unsigned char c[4]; };\n\
             struct st { int a; struct in in; union { unsigned u; unsigned char raw[4]; float f; }; double d; struct st *link; long q : 33; };\n\
             static struct st s0 = { 7, { -3, 5, -100, { 1, 2 } }, { 0x40400000 }, 2.5, 0, -9 }, s1;\n\
             static struct in ins[4] = { { 1 }, [2] = { .b9 = -1, .c = \"xyz\" } };\n\
             static int budget = 20000;\n",
        );
        for i in 0..6 {
            let ty = self.random.pick(&TYPES);
            let value = self.random.below(300);
            let _ = writeln!(self.out, "static {ty} g{i} = {value};");
            self.scalars.push(format!("g{i}"));
        }
        for i in 0..3 {
            let ty = self.random.pick(&TYPES);
            let _ = writeln!(self.out, "static {ty} a{i}[8] = {{ 1, [3] = 5, 9 }};");
        }
        let _ = writeln!(self.out, "static int m[4][4]; static int *ip = &m[1][2]; static struct st *sp = &s0;");
        for f in [
            "s0.a",
            "s1.a",
            "sp->a",
            "s0.in.s",
            "s0.in.b3",
            "s0.in.b9",
            "s1.in.b9",
            "sp->in.b3",
            "s0.u",
            "s1.raw[2]",
            "s0.q",
            "sp->q",
            "(*ip)",
            "ins[1].b3",
            "ins[2].c[1]",
        ] {
            self.scalars.push(f.to_string());
        }
        let functions = 2 + self.random.below(3);
        for _ in 0..functions {
            self.function();
        }
        self.main();
    }

    fn function(&mut self) {
        let id = self.functions;
        let result = self.random.pick(&TYPES);
        let (p, q) = (self.random.pick(&TYPES), self.random.pick(&TYPES));
        let by_value = self.random.chance(40);
        let third = if by_value { "struct st v" } else { "struct st *v" };
        let _ = writeln!(self.out, "static {result} f{id}({p} p0, {q} p1, {third}) {{");
        let globals = self.scalars.len();
        self.scalars.extend(["p0".to_string(), "p1".to_string()]);
        self.scalars.push(if by_value { "v.in.b9".into() } else { "v->in.b9".into() });
        self.scalars.push(if by_value { "v.a".into() } else { "v->a".into() });
        let count = 3 + self.random.below(4);
        self.block(count);
        let value = self.expression(3);
        let _ = writeln!(self.out, "return {value};\n}}");
        self.scalars.truncate(globals);
        self.functions += 1;
        // A function's record argument is a pointer or a value: calls need to know which.
        let _ = writeln!(self.out, "#define CALL{id}(a, b) f{id}(a, b, {})", if by_value { "*sp" } else { "sp" });
    }

    fn main(&mut self) {
        self.out.push_str("int main(void) {\n");
        self.fuel = self.fuel.max(30);
        self.block(10);
        for name in [
            "g0", "g1", "g2", "g3", "g4", "g5", "s0.a", "s0.in.s", "s0.in.b3", "s0.in.b9", "s0.u", "s0.q", "s1.a",
            "s1.u", "s1.q", "s1.in.b9", "(*ip)",
        ] {
            let _ = writeln!(self.out, "printf(\"{name} %ld\\n\", (long)({name}));");
        }
        self.out.push_str(
            "printf(\"%.17g %.17g\\n\", s0.d, s1.d);\n\
             for (int i = 0; i < 8; i++) printf(\"%ld %ld %ld\\n\", (long)a0[i], (long)a1[i], (long)a2[i]);\n\
             for (int i = 0; i < 4; i++) printf(\"%d %d %d %d %d\\n\", m[i][0], m[i][3], ins[i].s, ins[i].b9, ins[i].c[1]);\n\
             return (int)(budget & 63);\n}\n",
        );
    }

    fn block(&mut self, statements: usize) {
        let scalars = self.scalars.len();
        for i in 0..statements {
            if i == 0 && self.random.chance(60) {
                let ty = self.random.pick(&TYPES);
                let name = format!("x{}", self.counters);
                self.counters += 1;
                let value = self.expression(2);
                let _ = writeln!(self.out, "{ty} {name} = {value};");
                self.scalars.push(name);
            } else {
                self.statement();
            }
        }
        self.scalars.truncate(scalars);
    }

    fn statement(&mut self) {
        if self.fuel == 0 || self.depth > 3 {
            return self.assignment();
        }
        self.fuel -= 1;
        self.depth += 1;
        match self.random.below(12) {
            0..=3 => self.assignment(),
            4 | 5 => {
                let c = self.expression(3);
                let _ = writeln!(self.out, "if ({c}) {{");
                self.block(2);
                if self.random.chance(60) {
                    self.out.push_str("} else {\n");
                    self.block(2);
                }
                self.out.push_str("}\n");
            }
            6 | 7 => self.looping(),
            8 => {
                let value = self.expression(2);
                let _ = writeln!(self.out, "switch ((int)({value}) & 7) {{");
                for case in ["case 0:", "case 1 ... 2:", "default:", "case 5:"] {
                    self.out.push_str(case);
                    self.out.push('\n');
                    self.assignment();
                    if self.random.chance(60) {
                        self.out.push_str("break;\n");
                    }
                }
                self.out.push_str("}\n");
            }
            9 => {
                let label = self.labels;
                self.labels += 1;
                let c = self.expression(2);
                // Backwards or forwards; the budget ends what goes round.
                if self.random.chance(50) {
                    let _ = writeln!(self.out, "L{label}:;");
                    self.assignment();
                    let _ = writeln!(self.out, "if (budget-- > 0 && ({c})) goto L{label};");
                } else {
                    let _ = writeln!(self.out, "if ({c}) goto L{label};");
                    self.statement();
                    let _ = writeln!(self.out, "L{label}:;");
                }
            }
            10 => {
                let text = match self.random.below(7) {
                    0 => "s1 = s0;".to_string(),
                    1 => "*sp = s1;".to_string(),
                    2 => format!("sp = ({}) ? &s0 : &s1;", self.expression(2)),
                    3 => format!("ip = &m[(int)({}) & 3][(int)({}) & 3];", self.expression(1), self.expression(1)),
                    4 => format!("ins[(int)({}) & 3] = s0.in;", self.expression(1)),
                    5 => "s1.link = sp; sp = s1.link;".to_string(),
                    _ => format!("s0.in = (struct in){{ .s = {}, .b9 = {} }};", self.expression(1), self.expression(1)),
                };
                self.out.push_str(&text);
                self.out.push('\n');
            }
            _ if self.functions > 0 => {
                let (a, b, to) = (self.expression(2), self.expression(2), self.lvalue());
                let f = self.random.below(self.functions);
                let _ = writeln!(self.out, "if (budget-- > 0) {{ long r = CALL{f}({a}, {b}); {to} = r; }}");
            }
            _ => {
                let c = self.expression(2);
                let _ = writeln!(self.out, "s1.d = s0.d * 0.5 + (int)({c}) % 100; s0.d = s1.d < 3 ? 4.25f : s1.d;");
            }
        }
        self.depth -= 1;
    }

    fn looping(&mut self) {
        let i = self.counters;
        self.counters += 1;
        let times = 1 + self.random.below(5);
        let kind = self.random.below(3);
        match kind {
            0 => {
                let _ = writeln!(self.out, "for (int i{i} = 0; i{i} < {times} && budget-- > 0; i{i}++) {{");
            }
            1 => {
                let c = self.expression(2);
                let _ = writeln!(self.out, "{{ int i{i} = 0; while (i{i}++ < {times} && budget-- > 0 && ({c})) {{");
            }
            _ => {
                let _ = writeln!(self.out, "{{ int i{i} = 0; do {{");
            }
        }
        self.scalars.push(format!("a0[i{i} & 7]"));
        self.block(2);
        if self.random.chance(30) {
            let c = self.expression(2);
            let jump = if self.random.chance(50) { "break" } else { "continue" };
            let _ = writeln!(self.out, "if ({c}) {jump};");
            self.assignment();
        }
        self.scalars.pop();
        match kind {
            0 => self.out.push_str("}\n"),
            1 => self.out.push_str("} }\n"),
            _ => {
                let _ = writeln!(self.out, "}} while (i{i}++ < {times} && budget-- > 0); }}");
            }
        }
    }

    fn lvalue(&mut self) -> String {
        if self.random.chance(25) {
            let index = self.expression(1);
            match self.random.below(3) {
                0 => format!("a{}[(int)({index}) & 7]", self.random.below(3)),
                1 => format!("m[(int)({index}) & 3][{}]", self.random.below(4)),
                _ => format!("ins[(int)({index}) & 3].b9"),
            }
        } else {
            let i = self.random.below(self.scalars.len());
            self.scalars[i].clone()
        }
    }

    fn assignment(&mut self) {
        let to = self.lvalue();
        let value = self.expression(3);
        let op = self.random.pick(&["=", "=", "=", "+=", "-=", "*="]);
        let text = match self.random.below(8) {
            0 => format!("{to}++;"),
            1 => format!("--{to};"),
            _ => format!("{to} {op} {value};"),
        };
        self.out.push_str(&text);
        self.out.push('\n');
    }

    /// An expression of arithmetic type without side effects that are not sequenced.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return match self.random.below(6) {
                0 => self.random.below(10).to_string(),
                1 => self.random.pick(&["-1", "0x7fffffff", "255u", "1ul << 40", "-128", "'a'", "65535"]).to_string(),
                _ => {
                    let i = self.random.below(self.scalars.len());
                    self.scalars[i].clone()
                }
            };
        }
        let a = self.expression(depth - 1);
        match self.random.below(13) {
            0..=3 => {
                let b = self.expression(depth - 1);
                let op = self.random.pick(&["+", "-", "*", "<", "==", ">=", "!=", "&&", "||"]);
                format!("({a}) {op} ({b})")
            }
            4 | 5 => {
                let b = self.expression(depth - 1);
                let op = self.random.pick(&["&", "|", "^"]);
                let ty = self.integer_type();
                format!("({ty})({a}) {op} ({ty})({b})")
            }
            6 => {
                let b = self.expression(depth - 1);
                let (op, ty) = (self.random.pick(&["/", "%"]), self.integer_type());
                format!("({ty})({a}) {op} SAFE(({ty})({b}))")
            }
            7 => {
                let b = self.expression(depth - 1);
                let (op, ty) = (self.random.pick(&["<<", ">>"]), self.integer_type());
                format!("({ty})({a}) {op} ((int)({b}) & 7)")
            }
            8 => format!("({})({a})", self.integer_type()),
            9 => {
                let ty = self.integer_type();
                let op = self.random.pick(&["~", "-", "!", "+"]);
                format!("{op}({ty})({a})")
            }
            10 => {
                let (b, c) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({a}) ? ({b}) : ({c})")
            }
            11 => {
                let b = self.expression(depth - 1);
                format!("(({a}), ({b}))")
            }
            _ => format!("a{}[(int)({a}) & 7]", self.random.below(3)),
        }
    }

    fn integer_type(&mut self) -> &'static str {
        self.random.pick(&["signed char", "unsigned char", "short", "int", "unsigned", "long", "unsigned long"])
    }
}
