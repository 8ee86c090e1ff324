//! Random expressions over all arithmetic types: what gcc computes, what the interpreter computes, and what the encoder's term is
//! worth are the same bits; for a sample, the solver says so, too; and the term shown as C is compiled to the same.
//!
//! Where C leaves a value open the term has an arbitrary part: the value is compared only if it is the same for several choices of
//! that part; else what the interpreter computes has to be possible. Divisors are guarded, since a division by zero ends the program. `FLOWCHECK_EXPRESSIONS=N` tries N
//! expressions, `FLOWCHECK_SEED=S` others.

use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

use crate::support::generator::Random;
use crate::support::{Case, gcc, interpret, read, seen};
use flowcheck::base::parallel;
use flowcheck::ir::{Body, Form, InstKind, LocalId, Operand, Program, Terminator, Type, TypeId, ValueId};
use flowcheck::policy::Overflow;
use flowcheck::solve::encode::{self, Meaning, Typed};
use flowcheck::solve::show::{Kind, Name, show};
use flowcheck::solve::term::Format;
use flowcheck::solve::{Answer, Assignment, BitVec, Budget, Sort, TermId, Terms, Value, VarId, check, eval};

const INTEGERS: [&str; 14] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "unsigned long long",
    "__int128",
    "unsigned __int128",
    "enum e",
];
const FLOATS: [&str; 3] = ["float", "double", "long double"];
/// Expressions in a file.
const FILE: usize = 250;
/// How often each expression is computed, with other operands.
const CALLS: usize = 3;

/// How many values of what C leaves open are tried.
const CHOICES: usize = 7;

/// An expression in the making: C text over the parameters `a`, `b` and `c`.
struct Maker<'a> {
    random: &'a mut Random,
    types: [&'static str; 3],
}

impl Maker<'_> {
    fn is_float(&self, index: usize) -> bool {
        FLOATS.contains(&self.types[index])
    }
    fn parameter(&mut self, float: bool) -> Option<String> {
        let fitting: Vec<usize> = (0..3).filter(|i| self.is_float(*i) == float).collect();
        (!fitting.is_empty()).then(|| ["a", "b", "c"][self.random.pick(&fitting)].to_owned())
    }
    fn any(&mut self, depth: usize) -> String {
        if self.random.below(3) == 0 { self.float(depth) } else { self.int(depth) }
    }
    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(8) == 0 {
            let constants =
                ["0", "1", "(-1)", "7u", "65", "2147483647", "4294967295u", "(-9223372036854775807l)", "255ul"];
            return match self.parameter(false) {
                Some(name) if self.random.below(4) > 0 => name,
                Some(_) | None => self.random.pick(&constants).to_owned(),
            };
        }
        let x = self.int(depth - 1);
        match self.random.below(18) {
            0..=4 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({x} {op} {})", self.int(depth - 1))
            }
            5 => {
                let op = self.random.pick(&["/", "%"]);
                // Neither 0 nor -1.
                let divisor = format!("(({} & 63) + 2)", self.int(depth - 1));
                let sign = self.random.pick(&["", "-"]);
                format!("({x} {op} {sign}{divisor})")
            }
            6 | 7 => {
                let op = self.random.pick(&["<<", ">>"]);
                format!("({x} {op} ({} & 31))", self.int(depth - 1))
            }
            8 | 9 => {
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({x} {op} {})", self.any(depth - 1))
            }
            10 => format!("({}{x})", self.random.pick(&["-", "~", "!"])),
            11..=13 => format!("({}){x}", self.random.pick(&INTEGERS)),
            14 => format!("({}){}", self.random.pick(&INTEGERS), self.float(depth - 1)),
            15 => {
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.float(depth - 1), self.any(depth - 1))
            }
            16 => {
                let name = self.random.pick(&[
                    "popcount",
                    "parity",
                    "ffs",
                    "clrsb",
                    "popcountll",
                    "ffsll",
                    "bswap16",
                    "bswap32",
                    "bswap64",
                ]);
                format!("__builtin_{name}({x})")
            }
            _ => match self.random.below(3) {
                0 => format!("__builtin_{}({x} | 1)", self.random.pick(&["clz", "ctz", "clzl", "ctzl"])),
                1 => format!("!!__builtin_signbit({})", self.float(depth - 1)),
                _ => {
                    let op = self.random.pick(&["add", "sub", "mul"]);
                    // gcc takes no enumeration and no _Bool there.
                    let ty = self.random.pick(&INTEGERS[1..13]);
                    format!("__builtin_{op}_overflow_p(+{x}, +{}, ({ty})0)", self.int(depth - 1))
                }
            },
        }
    }
    fn float(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(8) == 0 {
            let ty = self.random.pick(&FLOATS);
            return match (self.parameter(true), self.parameter(false)) {
                (Some(name), None) => name,
                (Some(name), Some(_)) if self.random.below(4) > 0 => name,
                (_, Some(name)) => format!("({ty}){name}"),
                (None, None) => unreachable!("a parameter is the one or the other"),
            };
        }
        let x = self.float(depth - 1);
        match self.random.below(9) {
            0..=3 => format!("({x} {} {})", self.random.pick(&["+", "-", "*", "/"]), self.any(depth - 1)),
            4 => format!("(-{x})"),
            5 | 6 => format!("({}){x}", self.random.pick(&FLOATS)),
            // Constants only beside what is computed when the program runs: which NaN a compiler folds to is its own choice.
            7 => {
                let constants = ["0.1", "1.5f", "(-3.0)", "1e30", "2.5e-40f", "0.7l", "65536.25"];
                format!("({x} {} {})", self.random.pick(&["+", "-", "*", "/"]), self.random.pick(&constants))
            }
            _ => format!("({}){}", self.random.pick(&FLOATS), self.int(depth - 1)),
        }
    }
    /// Statements that keep values in bit-fields, and give one computed from them. What is read is converted at once: gcc computes
    /// with as many bits as a field of `long` has, where the standard leaves that to the compiler.
    fn fields(&mut self, number: usize) -> (String, String) {
        let mut members = String::new();
        let mut body = format!("struct s{number} s; ");
        for (index, (field, parameter)) in ["x", "y", "z"].into_iter().zip(["a", "b", "c"]).enumerate() {
            let (ty, most) = self.random.pick(&[
                ("int", 32),
                ("unsigned", 32),
                ("signed char", 8),
                ("unsigned short", 16),
                ("long", 64),
                ("unsigned long", 64),
                ("_Bool", 1),
            ]);
            let _ = write!(members, "{ty} {field} : {}; ", 1 + self.random.below(most));
            let whole = if self.is_float(index) { "(int)" } else { "" };
            let _ = write!(body, "s.{field} = {whole}{parameter}; ");
        }
        let op = self.random.pick(&["+", "-", "*", "^", "|"]);
        let _ = write!(body, "s.y = (long)s.y {op} (int)s.x; ");
        (
            format!("struct s{number} {{ {members}}};\n"),
            format!("{body}return ((long)s.x {op} (long)s.y) - (short)s.z;"),
        )
    }
}

/// A number for a parameter: its C text and its bits.
fn operand(random: &mut Random, terms: &mut Terms, ty: &str) -> (String, BitVec) {
    let wide = match random.below(5) {
        0 => u128::from(random.next()) << 64 | u128::from(random.next()),
        1 => random.pick(&[0, 1, u128::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, (1 << 63) - 1, 1 << 127, 255, 128]),
        2 => u128::from(random.next() % 100),
        3 => (random.below(100) as u128).wrapping_neg(),
        _ => u128::from(random.next()),
    };
    let width = match ty {
        "_Bool" => return (format!("{}", wide & 1), BitVec::new(8, wide & 1)),
        "char" | "signed char" | "unsigned char" => 8,
        "short" | "unsigned short" => 16,
        "int" | "unsigned int" | "enum e" => 32,
        "long" | "unsigned long" | "unsigned long long" => 64,
        "__int128" | "unsigned __int128" => 128,
        _ => {
            let double = match random.below(4) {
                0 => f64::from(random.next() as i32) / 8.0,
                1 => random.pick(&[0.0, -0.0, 0.1, 1e300, -1e-300, 1e38, 1e-40, f64::INFINITY, 3e9, -1.0, 0.5]),
                2 => (random.next() as i64) as f64,
                _ => random.below(50) as f64 - 20.0,
            };
            let bits = terms.bits(BitVec::new(64, u128::from(double.to_bits())));
            let format = match ty {
                "float" => Format::Single,
                "double" => Format::Double,
                _ => Format::X87,
            };
            let converted = terms.float_to_float(Format::Double, format, bits, bits);
            let number = terms.as_bits(converted).expect("no operand is a NaN").clone();
            return (format!("({ty})of({}ul)", double.to_bits()), number);
        }
    };
    let number = BitVec::new(width, wide);
    let (high, low) = ((number.low() >> 64) as u64, number.low() as u64);
    (format!("({ty})((unsigned __int128){high}ul << 64 | {low}ul)"), number)
}

/// A file of functions, and the operands each is called with.
fn file(random: &mut Random, count: usize) -> (String, Vec<Vec<[BitVec; 3]>>) {
    let mut text = String::from("#include <stdio.h>\n#include <string.h>\nenum e { LEAST = -3, MOST = 5 };\n");
    text.push_str("static double of(unsigned long bits) { double d; memcpy(&d, &bits, 8); return d; }\n");
    text.push_str("static void show(void *at, int size) {\n    unsigned char *p = at;\n");
    text.push_str("    for (int i = 0; i < size; i++) printf(\"%02x\", p[i]);\n    printf(\"\\n\");\n}\n");
    let mut main = String::from("int main(void) {\n");
    let mut operands = Vec::new();
    let mut terms = Terms::new();
    for number in 0..count {
        let all = [INTEGERS.as_slice(), FLOATS.as_slice()].concat();
        let types = [(); 3].map(|()| random.pick(&all));
        // Most floats do not fit most integers, which leaves the result open.
        let result = random.pick(if matches!(number % 6, 1 | 2) { &FLOATS } else { all.as_slice() });
        let mut maker = Maker { random, types };
        let (before, body) = match number % 6 {
            0 => maker.fields(number),
            1 | 2 => (String::new(), format!("return {};", maker.float(3))),
            _ => (String::new(), format!("return {};", maker.int(3))),
        };
        let [a, b, c] = types;
        let _ = writeln!(text, "{before}static {result} f{number}({a} a, {b} b, {c} c) {{ {body} }}");
        let mut calls = Vec::new();
        for _ in 0..CALLS {
            let given = types.map(|ty| operand(random, &mut terms, ty));
            let size = if result == "long double" { "10" } else { "sizeof r" };
            let words: Vec<&str> = given.iter().map(|(text, _)| text.as_str()).collect();
            let _ = writeln!(main, "    {{ {result} r = f{number}({}); show(&r, {size}); }}", words.join(", "));
            calls.push(given.map(|(_, bits)| bits));
        }
        operands.push(calls);
    }
    let _ = write!(text, "{main}    return 0;\n}}\n");
    (text, operands)
}

/// What a function returns, over variables for its parameters; `None` if it has an instruction that is not encoded.
struct Function<'a> {
    program: &'a Program,
    body: &'a Body,
    terms: Terms,
    values: HashMap<ValueId, TermId>,
    /// Pointers into locals, and the locals' bytes.
    addresses: HashMap<ValueId, (LocalId, u64)>,
    memory: HashMap<LocalId, TermId>,
}

impl Function<'_> {
    fn operand(&mut self, operand: Operand) -> TermId {
        match operand {
            Operand::Value(value) => self.values[&value],
            _ => encode::constant(&self.program.types, &mut self.terms, &operand).expect("a constant"),
        }
    }
    fn address(&self, operand: Operand) -> (LocalId, u64) {
        match operand {
            Operand::Local(local) => (local, 0),
            Operand::Value(value) => self.addresses[&value],
            _ => panic!("only locals are in memory"),
        }
    }
    /// The bytes of a local from `at` on, and how many bits they are.
    fn bytes(&self, access: &flowcheck::ir::Access) -> u32 {
        match (access.bits, encode::sort_of(&self.program.types, access.ty)) {
            (Some(bits), _) => bits.bytes() as u32 * 8,
            (None, Some(Sort::Bits(width))) => width,
            (None, _) => panic!("an access has a size"),
        }
    }
    fn run(&mut self) -> TermId {
        let meaning = Meaning { types: &self.program.types, overflow: Overflow::Wrap };
        let block = &self.body.blocks[self.body.entry];
        for &id in &block.insts {
            let inst = &self.body.insts[id];
            match &inst.kind {
                InstKind::Param(index) => {
                    let sort = encode::sort_of(&self.program.types, inst.ty).expect("an arithmetic type");
                    let var = self.terms.var(*index, sort, &format!("p{index}"));
                    self.values.insert(id, var);
                }
                InstKind::FieldAddr { base, record, field } => {
                    let (local, at) = self.address(*base);
                    let offset = self.program.types.records[*record].members[*field as usize].offset;
                    self.addresses.insert(id, (local, at + offset));
                }
                InstKind::Load { addr, access } => {
                    let (local, at) = self.address(*addr);
                    let low = at as u32 * 8;
                    let image = self.image(local);
                    let bytes = self.terms.extract(low + self.bytes(access) - 1, low, image);
                    let value = encode::load(meaning, &mut self.terms, bytes, access).expect("a scalar");
                    self.values.insert(id, value);
                }
                InstKind::Store { addr, value, access } => {
                    let (local, at) = self.address(*addr);
                    let (low, size) = (at as u32 * 8, self.bytes(access));
                    let image = self.image(local);
                    let before = self.terms.extract(low + size - 1, low, image);
                    let value = self.operand(*value);
                    let mut after = encode::store(meaning, &mut self.terms, before, value, access).expect("a scalar");
                    if low > 0 {
                        let below = self.terms.extract(low - 1, 0, image);
                        after = self.terms.concat(after, below);
                    }
                    let width = self.terms.width(image);
                    if low + size < width {
                        let above = self.terms.extract(width - 1, low + size, image);
                        after = self.terms.concat(above, after);
                    }
                    self.memory.insert(local, after);
                }
                kind => {
                    let mut operands = Vec::new();
                    kind.for_each_operand(|operand| operands.push(*operand));
                    let typed: Vec<Typed> = operands
                        .into_iter()
                        .map(|o| Typed { term: self.operand(o), ty: self.program.operand_type(self.body, o) })
                        .collect();
                    let mut fresh = |terms: &mut Terms, sort: Sort| terms.fresh(sort, "open");
                    let encoded = encode::instruction(meaning, &mut self.terms, kind, inst.ty, &typed, &mut fresh);
                    let encoded = encoded.unwrap_or_else(|| panic!("{kind:?} is not encoded"));
                    assert_eq!(
                        self.terms.as_bool(encoded.assume),
                        Some(true),
                        "nothing is assumed when overflow wraps"
                    );
                    let sort = encode::sort_of(meaning.types, inst.ty);
                    assert_eq!(Some(self.terms.sort(encoded.value)), sort, "{kind:?}");
                    self.values.insert(id, encoded.value);
                }
            }
        }
        match &block.term {
            Terminator::Return(Some(operand)) => self.operand(*operand),
            other => panic!("an expression has no branches: {other:?}"),
        }
    }
    fn image(&mut self, local: LocalId) -> TermId {
        if let Some(&image) = self.memory.get(&local) {
            return image;
        }
        let size = self.program.types.size_of(self.body.locals[local].ty.ty).expect("a struct has a size");
        let image = self.terms.fresh(Sort::Bits(size as u32 * 8), "open");
        self.memory.insert(local, image);
        image
    }
}

#[derive(Default)]
struct Tally {
    same: usize,
    open: usize,
    solved: usize,
    allowed: usize,
    shown: usize,
}

/// The number whose bytes these are, the lowest first.
fn from_hex(text: &str) -> BitVec {
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal digits");
    BitVec::from_bytes(&(0..text.len() / 2).map(byte).collect::<Vec<u8>>())
}

/// That the parameters are what was given.
fn fixed(terms: &mut Terms, result: TermId, given: &[BitVec; 3]) -> Vec<TermId> {
    let mut assertions = Vec::new();
    for var in terms.variables_of(&[result]) {
        let (sort, key) = (terms.variable(var).sort, terms.variable(var).key);
        if let Some(key) = key {
            let (id, constant) = (terms.var(key, sort, ""), terms.bits(given[key as usize].clone()));
            assertions.push(terms.eq(id, constant));
        }
    }
    assertions
}

/// The C type of a parameter, for `show`.
fn kind_of(program: &Program, ty: TypeId) -> Kind {
    match (program.types.get(ty), program.types.int_shape(ty)) {
        (Type::Float(kind), _) => Kind::Float(Format::of(&program.types.model, *kind)),
        (_, Some((width, signed))) => Kind::Int { width, signed },
        (other, None) => panic!("{other:?} is no arithmetic type"),
    }
}

/// The file again, with each expression that `show` can say as it says it; and how many these are.
fn shown(program: &Program, text: &str, results: &[(Terms, TermId)]) -> (String, usize) {
    let mut out = String::new();
    let mut count = 0;
    for line in text.lines() {
        let number = line.split_once(" f").and_then(|(_, rest)| rest.split_once('(')).and_then(|(n, _)| n.parse().ok());
        let head = line.split_once(" { ").filter(|_| line.starts_with("static "));
        let (Some(number), Some((head, _))) = (number, head) else {
            let _ = writeln!(out, "{line}");
            continue;
        };
        let number: usize = number;
        let (terms, result) = &results[number];
        let function = program.functions.iter().find(|f| f.name == format!("f{number}")).expect("a function");
        let params = &program.types.as_function(function.ty).expect("its type").params;
        let names = |var: VarId| {
            let variable = terms.variable(var);
            match (variable.key, variable.sort) {
                (Some(key), _) => {
                    let (text, kind) = (["a", "b", "c"][key as usize], kind_of(program, params[key as usize]));
                    Some(Name { text: text.to_owned(), kind })
                }
                // Never reached where the value is not open.
                (None, Sort::Bits(width @ (8 | 16 | 32 | 64 | 128))) => {
                    let ty = ["char", "short", "int", "long", "__int128"][width.ilog2() as usize - 3];
                    Some(Name { text: format!("((signed {ty})0)"), kind: Kind::Int { width, signed: true } })
                }
                (None, _) => None,
            }
        };
        let kind = kind_of(program, program.types.as_function(function.ty).expect("its type").result);
        match show(terms, &program.types.model, &names, kind, *result) {
            Some(expression) => {
                count += 1;
                let _ = writeln!(out, "{head} {{ return {expression}; }}");
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    (out, count)
}

fn check_file(seed: u64, count: usize) -> Result<Tally, String> {
    let mut random = Random::new(seed);
    let (text, operands) = file(&mut random, count);
    let dir = tempfile::tempdir().expect("a scratch folder");
    let path = dir.path().join("expressions.c");
    std::fs::write(&path, &text).expect("a scratch file");
    // Without the second, gcc folds 0.0f - (float)i to -(float)i, which has the wrong sign where i is 0.
    let flags = vec!["-fwrapv".to_owned(), "-frounding-math".to_owned()];
    let case = Case { files: vec![path], flags, max_steps: 100_000_000, ..Case::default() };
    let compiled = gcc(&case, 20).ok_or_else(|| format!("seed {seed}: gcc does not take the file\n{text}"))?;
    let program = read(&case.files, &case.flags, Form::Ssa)?;
    let interpreted = seen(interpret(&program, &case))?;
    let lines = |seen: &crate::support::Seen| -> Vec<String> {
        String::from_utf8_lossy(&seen.stdout).lines().map(str::to_owned).collect()
    };
    let (compiled, interpreted) = (lines(&compiled), lines(&interpreted));
    assert_eq!((compiled.len(), interpreted.len()), (count * CALLS, count * CALLS), "every call shows a line");
    let mut tally = Tally::default();
    let mut results = Vec::new();
    let mut is_open = vec![false; compiled.len()];
    let budget = Budget { timeout: Some(Duration::from_secs(20)), ..Budget::default() };
    for (number, calls) in operands.iter().enumerate() {
        let name = format!("f{number}");
        let function = program.functions.iter().find(|f| f.name == name).expect("a function of the file");
        let body = function.body.as_ref().expect("a body");
        let mut encoder = Function {
            program: &program,
            body,
            terms: Terms::new(),
            values: HashMap::new(),
            addresses: HashMap::new(),
            memory: HashMap::new(),
        };
        let result = encoder.run();
        let source = || text.lines().find(|l| l.contains(&format!(" {name}("))).unwrap_or_default().to_owned();
        let mut terms = encoder.terms;
        for (call, given) in calls.iter().enumerate() {
            let line = number * CALLS + call;
            let mut assignments = [(); CHOICES].map(|()| Assignment::new());
            for var in terms.variables_of(&[result]) {
                let variable = terms.variable(var);
                let Sort::Bits(width) = variable.sort else { panic!("only numbers") };
                for (choice, assignment) in assignments.iter_mut().enumerate() {
                    let arbitrary = match choice {
                        0 => 0,
                        1 => u128::MAX,
                        2 => 1 << (width.min(128) - 1),
                        3 => (1 << (width.min(128) - 1)) - 1,
                        _ => u128::from(random.next()) << 64 | u128::from(random.next()),
                    };
                    let value = variable.key.map_or(BitVec::new(width, arbitrary), |key| given[key as usize].clone());
                    assignment.set(var, Value::Bits(value));
                }
            }
            let value = eval(&terms, result, &assignments[0]);
            if assignments.iter().any(|a| eval(&terms, result, a) != value) {
                tally.open += 1;
                is_open[line] = true;
                // What the machine does must be among the choices.
                if (number + call).is_multiple_of(3) {
                    let mut assertions = fixed(&mut terms, result, given);
                    let constant = terms.bits(from_hex(&interpreted[line]));
                    assertions.push(terms.eq(result, constant));
                    // A quotient of open numbers may take too long.
                    let budget = Budget { timeout: Some(Duration::from_millis(500)), ..Budget::default() };
                    match check(&assertions, &terms, &budget) {
                        Answer::Sat(_) => tally.allowed += 1,
                        Answer::Unknown(_) => {}
                        Answer::Unsat(_) => {
                            return Err(format!("seed {seed}: {}\n{given:?}: not {}", source(), interpreted[line]));
                        }
                    }
                }
                continue;
            }
            let expected = from_hex(&compiled[line]);
            if compiled[line] != interpreted[line] || *value.bits() != expected {
                return Err(format!(
                    "seed {seed}: {}\n{given:?}\ngcc {}, interpreter {}, term {}",
                    source(),
                    compiled[line],
                    interpreted[line],
                    value.bits()
                ));
            }
            tally.same += 1;
            if (number + call).is_multiple_of(29) {
                let mut assertions = fixed(&mut terms, result, given);
                let constant = terms.bits(expected);
                assertions.push(terms.ne(result, constant));
                match check(&assertions, &terms, &budget) {
                    Answer::Unsat(_) => tally.solved += 1,
                    // It found a choice that the few tried above missed.
                    Answer::Sat(_)
                        if terms.variables_of(&[result]).iter().any(|v| terms.variable(*v).key.is_none()) =>
                    {
                        tally.open += 1;
                        is_open[line] = true;
                    }
                    other => return Err(format!("seed {seed}: {}\n{given:?}: {other:?}", source())),
                }
            }
        }
        results.push((terms, result));
    }
    // What is shown is C, and means the same.
    let (text, count) = shown(&program, &text, &results);
    tally.shown = count;
    std::fs::write(&case.files[0], &text).expect("a scratch file");
    let again = gcc(&case, 20).ok_or_else(|| format!("seed {seed}: gcc does not take what is shown\n{text}"))?;
    for (line, (value, expected)) in lines(&again).iter().zip(&compiled).enumerate() {
        if value != expected && !is_open[line] {
            let name = format!(" f{}(", line / CALLS);
            let source = text.lines().find(|l| l.contains(&name)).unwrap_or_default();
            return Err(format!(
                "seed {seed}: shown as {source}\n{:?}\n{value}, not {expected}",
                operands[line / CALLS]
            ));
        }
    }
    Ok(tally)
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn gcc_the_interpreter_the_terms_and_the_solver_compute_the_same() {
    let wanted = number("FLOWCHECK_EXPRESSIONS", 2000) as usize;
    let seed = number("FLOWCHECK_SEED", 1);
    let seeds: Vec<u64> = (0..wanted.div_ceil(FILE) as u64).map(|i| seed + i).collect();
    let results = parallel::map(&seeds, 2, |_, seed| check_file(*seed, FILE));
    let mut total = Tally::default();
    for result in results {
        let tally = result.unwrap_or_else(|difference| panic!("{difference}"));
        total.same += tally.same;
        total.open += tally.open;
        total.solved += tally.solved;
        total.allowed += tally.allowed;
        total.shown += tally.shown;
    }
    println!(
        "encoding: {} values agree, {} asked of the solver; {} left open by C, {} asked of the solver; {} shown as C",
        total.same, total.solved, total.open, total.allowed, total.shown
    );
    assert!(total.same > total.open * 5, "most values are defined: {} against {}", total.same, total.open);
    assert!(total.solved * 60 > total.same, "the solver was asked about a sample");
    assert!(total.shown * 2 > wanted, "most expressions can be shown: {} of {wanted}", total.shown);
    assert!(total.allowed * 10 > total.open, "the solver was asked what the machine may do");
}
