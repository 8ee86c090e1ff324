//! Random programs made for dependence: many small variables that meet seldom, so that slices leave much outside, and every way in C by which one
//! can reach another: pointers, arrays, structs, unions, the heap, calls with pointers, recursion, function pointers, variable arguments, callbacks,
//! jumps, early returns, `exit`, `longjmp`, library functions.
//!
//! They read nothing, always end, and have no undefined behaviour: all objects are initialised before they are read, no address of a local
//! outlives it, indices are masked. There is no counter that everything hangs on.

use std::fmt::Write;

use crate::support::generator::Random;

const HEAD: &str = "\
int printf(const char *, ...); int snprintf(char *, unsigned long, const char *, ...); int atoi(const char *);
void *malloc(unsigned long); void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
unsigned long strlen(const char *); char *strcpy(char *, const char *); int abs(int);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
void exit(int); void abort(void); int setjmp(long *); void longjmp(long *, int);
struct s { int x; int y; unsigned b : 3; int c : 5; int arr[4]; struct s *next; int *p; union { int i; unsigned char raw[4]; }; };
static int g0 = 1, g1 = 2, g2 = 3, g3 = 4, g4, g5 = 6, direction = 1, can_jump;
static int a0[8] = { 5, 1, 4 }, a1[8] = { 3, [4] = 9 }, m[4][4];
static struct s s0 = { 1, 2 }, s1 = { 3, 4, 5, 6, { 7 } }, s2;
static int *gp = &g0, *gq = a1; static struct s *sp = &s0;
static char text[16] = \"12\"; static long place[64];
static int compare(const void *a, const void *b) { return direction * (*(const int *)a - *(const int *)b); }
static int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int t = 0; while (n-- > 0) t += __builtin_va_arg(l, int); __builtin_va_end(l); return t; }
static void put(int *to, int v) { *to = v; }
static int get(const int *from) { return *from; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static struct s *pick(int c, struct s *a, struct s *b) { return c ? a : b; }
static int twice(int v) { return v + v; }
static int negate(int v) { return -v; }
static int count(int v) { static int calls; calls++; return v + calls; }
static int (*table[4])(int) = { twice, negate, count, twice };
";

struct Generator {
    random: Random,
    out: String,
    /// Names of `int` variables in reach.
    locals: Vec<String>,
    /// `int *` that point to at least one element, and to eight.
    cells: Vec<String>,
    rows: Vec<String>,
    records: Vec<String>,
    functions: usize,
    own: usize,
    names: usize,
    depth: usize,
    fuel: usize,
    jumps: bool,
    exits: bool,
    loops: usize,
}

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x00de_05e0);
    let (jumps, exits) = (random.below(3) == 0, random.below(4) == 0);
    let mut g = Generator {
        random,
        out: HEAD.to_string(),
        locals: Vec::new(),
        cells: Vec::new(),
        rows: Vec::new(),
        records: Vec::new(),
        functions: 0,
        own: 0,
        names: 0,
        depth: 0,
        fuel: 40,
        jumps,
        exits,
        loops: 0,
    };
    let functions = 2 + g.random.below(2);
    for own in 0..functions {
        g.function(own);
    }
    if g.jumps {
        let f = g.random.below(functions);
        let _ = writeln!(
            g.out,
            "static int guard(int d, int a) {{ int r = setjmp(place); if (r == 0) {{ can_jump = 1; r = f{f}(d, a, &g1, a0, &s1); }} else r = r + g2; can_jump = 0; return r; }}"
        );
    }
    g.main();
    g.out
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
    fn pick(&mut self, names: &[String]) -> String {
        names[self.random.below(names.len())].clone()
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn start_scope(&mut self) {
        self.locals.clear();
        self.cells = ["gp", "gq", "&g1", "&g4", "&s0.y", "&s2.x", "sp->p"].map(String::from).to_vec();
        self.rows = ["a0", "a1"].map(String::from).to_vec();
        self.records = ["&s0", "&s1", "&s2", "sp"].map(String::from).to_vec();
        for _ in 0..3 {
            let name = self.fresh("x");
            let value = self.random.below(9);
            let _ = writeln!(self.out, "int {name} = {value};");
            self.locals.push(name);
        }
        let (array, record, pointer) = (self.fresh("la"), self.fresh("ls"), self.fresh("lp"));
        let _ =
            writeln!(self.out, "int {array}[8] = {{ 2, 7, 1 }}; struct s {record} = s1; int *{pointer} = &{record}.x;");
        self.cells.push(pointer);
        self.rows.push(array);
        self.records.push(format!("&{record}"));
    }

    fn function(&mut self, own: usize) {
        let _ = writeln!(self.out, "static int f{own}(int d, int a, int *p, int *row, struct s *q) {{");
        self.own = own;
        self.functions = own + 1;
        self.fuel = 12 + self.random.below(12);
        self.start_scope();
        self.locals.push("a".into());
        self.cells.push("p".into());
        self.rows.push("row".into());
        self.records.push("q".into());
        let count = 4 + self.random.below(4);
        self.block(count);
        let value = self.expression(2);
        let _ = writeln!(self.out, "return {value};\n}}");
    }

    fn main(&mut self) {
        self.line("int main(void) {\nint d = 3;\ns0.p = &g3; s1.p = &g5; s2.p = &a0[2]; s1.next = &s2;");
        self.own = usize::MAX;
        self.fuel = 25;
        self.start_scope();
        self.block(12);
        for _ in 0..4 {
            self.print();
        }
        self.line("return 0;\n}");
    }

    fn block(&mut self, statements: usize) {
        let kept = (self.locals.len(), self.cells.len(), self.rows.len(), self.records.len());
        for _ in 0..statements {
            self.statement();
        }
        self.locals.truncate(kept.0);
        self.cells.truncate(kept.1);
        self.rows.truncate(kept.2);
        self.records.truncate(kept.3);
    }

    fn nested(&mut self) {
        let count = 1 + self.random.below(2);
        self.block(count);
    }

    fn print(&mut self) {
        let value = self.atom();
        let _ = writeln!(self.out, "printf(\"%d\\n\", {value});");
    }

    fn statement(&mut self) {
        if self.fuel == 0 || self.depth > 2 {
            return self.assignment();
        }
        self.fuel -= 1;
        self.depth += 1;
        match self.random.below(28) {
            0..=6 => self.assignment(),
            7..=9 => {
                let c = self.condition();
                let _ = writeln!(self.out, "if ({c}) {{");
                self.nested();
                if self.chance(50) {
                    self.line("} else {");
                    self.nested();
                }
                self.line("}");
            }
            10 | 11 => self.looping(),
            12 => self.switch(),
            13 => self.jump(),
            14 | 15 => self.pointers(),
            16 => self.copies(),
            17..=20 => self.call(),
            21 => self.library(),
            22 => self.heap(),
            23 => self.print(),
            24 => self.leave(),
            25 => {
                let name = self.fresh("x");
                let value = self.expression(2);
                let _ = writeln!(self.out, "int {name} = {value};");
                self.locals.push(name);
            }
            26 => {
                let (name, cell) = (self.fresh("c"), self.cell());
                let _ = writeln!(self.out, "int *{name} = {cell};");
                self.cells.push(name);
            }
            _ => {
                let (name, a, b) = (self.fresh("r"), self.record(), self.record());
                let c = self.condition();
                let _ = writeln!(self.out, "struct s *{name} = pick({c}, {a}, {b});");
                self.records.push(name);
            }
        }
        self.depth -= 1;
    }

    fn looping(&mut self) {
        let i = self.fresh("i");
        let times = 2 + self.random.below(3);
        let kind = self.random.below(3);
        let c = self.condition();
        match kind {
            0 => {
                let _ = writeln!(self.out, "for (int {i} = 0; {i} < {times}; {i}++) {{");
            }
            1 => {
                let _ = writeln!(self.out, "{{ int {i} = 0; while ({i}++ < {times} && {c}) {{");
            }
            _ => {
                let _ = writeln!(self.out, "{{ int {i} = 0; do {{");
            }
        }
        self.loops += 1;
        // Read only: a loop ends because nothing else writes its counter.
        self.nested();
        let row = self.row();
        let to = self.atom_lvalue();
        let _ = writeln!(self.out, "{to} = {row}[{i} & 7];");
        if self.chance(40) {
            let c = self.condition();
            let word = self.random.pick(&["break", "continue"]);
            let _ = writeln!(self.out, "if ({c}) {word};");
            self.assignment();
        }
        self.loops -= 1;
        match kind {
            0 => self.line("}"),
            1 => self.line("} }"),
            _ => {
                let _ = writeln!(self.out, "}} while ({i}++ < {times}); }}");
            }
        }
    }

    fn switch(&mut self) {
        let value = self.atom();
        let _ = writeln!(self.out, "switch ({value} & 3) {{");
        for case in ["case 0:", "case 1:", "default:", "case 3:"] {
            self.line(case);
            self.assignment();
            if self.chance(60) {
                self.line("break;");
            }
        }
        self.line("}");
    }

    fn jump(&mut self) {
        let (label, i) = (self.fresh("L"), self.fresh("j"));
        let c = self.condition();
        // No declaration may be jumped over, so blocks stand around everything.
        match self.random.below(3) {
            0 => {
                let _ = writeln!(self.out, "if ({c}) goto {label};\n{{");
                self.nested();
                let _ = writeln!(self.out, "}}\n{label}:;");
            }
            1 => {
                let _ = writeln!(self.out, "{{ int {i} = 0;\n{label}:;\n{{");
                self.nested();
                let _ = writeln!(self.out, "}}\nif ({i}++ < 2 && {c}) goto {label}; }}");
            }
            _ => {
                // Into a loop.
                let _ = writeln!(self.out, "{{ int {i} = 0; if ({c}) goto {label}; do {{ {{");
                self.nested();
                let _ = writeln!(self.out, "}}\n{label}:; {{");
                self.nested();
                let _ = writeln!(self.out, "}} }} while ({i}++ < 2); }}");
            }
        }
    }

    fn pointers(&mut self) {
        let text = match self.random.below(8) {
            0 => format!("gp = {};", self.random.pick(&["&g0", "&g2", "&g5", "&s1.x", "a0 + 3", "&m[1][2]", "s1.p"])),
            1 => format!("gq = &a{}[{}];", self.random.below(2), self.index(7)),
            2 => format!("sp = {};", self.random.pick(&["&s0", "&s1", "&s2", "sp->next ? sp->next : &s0"])),
            3 => format!("({})->next = {};", self.record(), self.random.pick(&["&s0", "&s2", "0", "sp"])),
            4 => format!("({})->p = {};", self.record(), self.random.pick(&["&g1", "gp", "&s0.x", "&a1[3]"])),
            5 => {
                let (r, v) = (self.record(), self.expression(1));
                format!("if (({r})->next) ({r})->next->y = {v};")
            }
            6 => format!("table[{}] = {};", self.index(3), self.random.pick(&["twice", "negate", "count"])),
            _ => {
                let c = self.condition();
                format!("if ({c}) gp = {};", self.random.pick(&["&g3", "gq", "&s2.y"]))
            }
        };
        self.line(&text);
    }

    fn copies(&mut self) {
        let text = match self.random.below(6) {
            0 => format!("*{} = *{};", self.paren_record(), self.paren_record()),
            1 => "s2 = s0;".into(),
            // No row is in the matrix.
            2 => format!("memcpy({}, m[1], 16);", self.row()),
            3 => format!("memset({} + 2, {}, 8);", self.row(), self.random.below(3)),
            4 => "memcpy(&s2, &s1, sizeof s2);".into(),
            _ => format!("m[{}][{}] = {};", self.index(3), self.index(3), self.expression(1)),
        };
        self.line(&text);
    }

    fn call(&mut self) {
        let to = self.lvalue();
        let text = match self.random.below(10) {
            0 => format!("put({}, {});", self.cell(), self.expression(1)),
            1 => format!("{to} = get({});", self.cell()),
            2 => format!("swap({}, {});", self.cell(), self.cell()),
            3 => format!("{to} = table[{}]({});", self.index(3), self.atom()),
            4 => {
                let (c, v) = (self.condition(), self.atom());
                format!("{{ int (*fn)(int) = {c} ? twice : count; {to} = fn({v}); }}")
            }
            5 => format!("{to} = sum(3, {}, {}, {});", self.atom(), self.atom(), self.atom()),
            6 if self.jumps && self.own == usize::MAX => format!("{to} = guard(d - 1, {});", self.atom()),
            _ if self.functions > 0 => {
                let f = self.random.below(self.functions);
                let (a, p, row, q) = (self.atom(), self.cell(), self.row(), self.record());
                format!("if (d > 0) {to} = f{f}(d - 1, {a}, {p}, {row}, {q});")
            }
            _ => format!("{to} = count({});", self.atom()),
        };
        self.line(&text);
    }

    fn library(&mut self) {
        let to = self.lvalue();
        let text = match self.random.below(6) {
            0 => format!("qsort({}, 4, sizeof(int), compare);", self.row()),
            1 => format!("snprintf(text, sizeof text, \"%d\", {});", self.atom()),
            2 => format!("{to} = atoi(text);"),
            3 => format!("{to} = (int)strlen(text);"),
            4 => format!("strcpy(text, {} ? \"7\" : \"321\");", self.condition()),
            _ => format!("{to} = abs({});", self.atom()),
        };
        self.line(&text);
    }

    fn heap(&mut self) {
        let name = self.fresh("h");
        if self.chance(50) {
            let value = self.expression(1);
            let _ = writeln!(
                self.out,
                "int *{name} = malloc(8 * sizeof(int)); for (int k = 0; k < 8; k++) {name}[k] = k + {value};"
            );
            if self.chance(30) {
                let _ = writeln!(self.out, "gp = {name};");
            }
            self.rows.push(name);
        } else {
            let record = self.paren_record();
            let _ = writeln!(self.out, "struct s *{name} = malloc(sizeof *{name}); *{name} = *{record};");
            if self.chance(40) {
                let _ = writeln!(self.out, "{name}->next = 0; sp = {name};");
            }
            self.records.push(name);
        }
    }

    fn leave(&mut self) {
        let c = self.condition();
        let text = match self.random.below(4) {
            0 if self.exits => format!("if ({c}) exit({});", self.random.below(4)),
            1 if self.jumps && self.own != usize::MAX => {
                format!("if (can_jump && {c}) longjmp(place, {});", self.atom())
            }
            _ if self.own != usize::MAX => format!("if ({c}) return {};", self.atom()),
            _ => return self.print(),
        };
        self.line(&text);
    }

    fn assignment(&mut self) {
        let (to, value) = (self.lvalue(), self.expression(2));
        let op = self.random.pick(&["=", "=", "=", "+=", "^="]);
        let _ = writeln!(self.out, "{to} {op} {value};");
    }

    fn cell(&mut self) -> String {
        let names = self.cells.clone();
        self.pick(&names)
    }
    fn row(&mut self) -> String {
        let names = self.rows.clone();
        self.pick(&names)
    }
    fn record(&mut self) -> String {
        let names = self.records.clone();
        self.pick(&names)
    }
    fn paren_record(&mut self) -> String {
        format!("({})", self.record())
    }
    fn index(&mut self, mask: usize) -> String {
        if self.chance(50) { self.random.below(mask + 1).to_string() } else { format!("{} & {mask}", self.atom()) }
    }

    /// A scalar lvalue without an index.
    fn atom_lvalue(&mut self) -> String {
        match self.random.below(10) {
            0..=4 => {
                let names = self.locals.clone();
                self.pick(&names)
            }
            5 | 6 => self.random.pick(&["g0", "g1", "g2", "g3", "g4", "g5", "direction"]).to_string(),
            7 => format!("*({})", self.cell()),
            8 => format!("({})->{}", self.record(), self.random.pick(&["x", "y", "b", "c", "i", "raw[1]"])),
            _ => format!("{}[{}]", self.row(), self.random.below(8)),
        }
    }
    fn lvalue(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("{}[{}]", self.row(), self.index(7)),
            1 => format!("({})->arr[{}]", self.record(), self.index(3)),
            _ => self.atom_lvalue(),
        }
    }
    fn atom(&mut self) -> String {
        if self.chance(15) { self.random.below(8).to_string() } else { self.atom_lvalue() }
    }
    fn condition(&mut self) -> String {
        let a = self.atom();
        match self.random.below(4) {
            0 => format!("({a} & 1)"),
            1 => format!("({a} > {})", self.random.below(6)),
            2 => format!("({a} < {})", self.atom()),
            _ => format!("({a} & 2 && {} != 3)", self.atom()),
        }
    }
    fn expression(&mut self, depth: usize) -> String {
        let a = self.atom();
        if depth == 0 {
            return a;
        }
        match self.random.below(10) {
            0..=3 => a,
            4 | 5 => {
                let op = self.random.pick(&["+", "-", "^", "&", "|"]);
                format!("({a} {op} {})", self.expression(depth - 1))
            }
            6 => format!("{}[{a} & 7]", self.row()),
            7 => format!("({} ? {a} : {})", self.condition(), self.atom()),
            8 => format!("({a} * 3 % 17)"),
            _ => format!("(int)(({a} + 0.5) / 2)"),
        }
    }
}
