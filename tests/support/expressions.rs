//! Random C expressions over all arithmetic types, each a function of three parameters that is called with several operands.

use std::fmt::Write;

use super::generator::Random;
use flowcheck::solve::term::Format;
use flowcheck::solve::{BitVec, Terms};

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
/// How often each expression is computed, with other operands.
pub const CALLS: usize = 3;

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
pub fn file(random: &mut Random, count: usize) -> (String, Vec<Vec<[BitVec; 3]>>) {
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
