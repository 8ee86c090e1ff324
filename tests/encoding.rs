//! Random expressions over all arithmetic types: what gcc computes, what the interpreter computes, and what the encoder's term is
//! worth are the same bits; for a sample, the solver says so, too; and the term shown as C is compiled to the same.
//!
//! Where C leaves a value open the term has an arbitrary part: the value is compared only if it does not rest on such a part; else
//! what the interpreter computes has to be possible. Divisors are guarded, since a division by zero ends the program.
//! `FLOWCHECK_EXPRESSIONS=N` tries N expressions, `FLOWCHECK_SEED=S` others.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::time::Duration;

use crate::support::expressions::{CALLS, file};
use crate::support::generator::Random;
use crate::support::{Case, gcc, interpret, read, seen};
use flowcheck::base::parallel;
use flowcheck::ir::{Body, Form, InstKind, LocalId, Operand, Program, Terminator, Type, TypeId, ValueId};
use flowcheck::policy::Overflow;
use flowcheck::solve::encode::{self, Meaning, Typed};
use flowcheck::solve::show::{Kind, Name, show};
use flowcheck::solve::term::{Format, Node};
use flowcheck::solve::{Answer, Assignment, BitVec, Budget, Sort, TermId, Terms, Value, VarId, check, eval};

/// Expressions in a file.
const FILE: usize = 250;

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

/// Whether the value rests on something arbitrary: the operands that decided it are followed, and no others.
fn reaches_open(terms: &Terms, root: TermId, assignment: &Assignment) -> bool {
    let mut scratch = Terms::new();
    let mut work = vec![root];
    let mut seen = HashSet::new();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        let mut constant = |id: TermId| scratch.bits(eval(terms, id, assignment).bits().clone());
        match *terms.node(id) {
            Node::Var(var) if terms.variable(var).key.is_none() => return true,
            Node::Ite(c, a, b) => work.extend([c, if eval(terms, c, assignment).bool() { a } else { b }]),
            Node::FloatToInt { format, signed, of, otherwise } => {
                let float = constant(of);
                let [zero, one] = [0, 1].map(|n| scratch.number(terms.width(otherwise), n));
                let fits = scratch.float_to_int(format, signed, float, zero)
                    == scratch.float_to_int(format, signed, float, one);
                work.push(of);
                work.extend((!fits).then_some(otherwise));
            }
            Node::Float(_, format, [a, b, nan]) => {
                let result = constant(id);
                let is_nan = scratch.is_nan(format, result);
                work.extend([a, b]);
                work.extend((scratch.as_bool(is_nan) == Some(true)).then_some(nan));
            }
            Node::FloatToFloat { from, of, nan, .. } => {
                let result = constant(of);
                let is_nan = scratch.is_nan(from, result);
                work.push(of);
                work.extend((scratch.as_bool(is_nan) == Some(true)).then_some(nan));
            }
            ref node => node.for_each_part(|part| work.push(part)),
        }
    }
    false
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
            let mut assignment = Assignment::new();
            for var in terms.variables_of(&[result]) {
                if let Some(key) = terms.variable(var).key {
                    assignment.set(var, Value::Bits(given[key as usize].clone()));
                }
            }
            let value = eval(&terms, result, &assignment);
            if reaches_open(&terms, result, &assignment) {
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
    assert!(total.same > total.open * 4, "most values are defined: {} against {}", total.same, total.open);
    assert!(total.solved * 60 > total.same, "the solver was asked about a sample");
    assert!(total.shown * 2 > wanted, "most expressions can be shown: {} of {wanted}", total.shown);
    assert!(total.allowed * 10 > total.open, "the solver was asked what the machine may do");
}
