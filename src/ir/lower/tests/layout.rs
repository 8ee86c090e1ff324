//! The layout of structs and unions is gcc's: random definitions, compared with what gcc says of them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use super::*;

/// A small generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

const INTEGERS: [(&str, u64); 12] = [
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum e", 32),
    ("tight", 32),
];
const OTHERS: [&str; 8] = ["float", "double", "long double", "void *", "struct inner", "union mixed", "wide", "tight"];

/// A named member, and how all its bits are set: a bit-field has no address.
struct Named {
    name: String,
    ones: Option<&'static str>,
}

/// Members in C, and those that have a name.
fn members(r: &mut Random, named: &mut Vec<Named>, depth: u32) -> String {
    let mut out = String::new();
    for _ in 0..=r.below(6) {
        let name = format!("m{}", named.len());
        let attribute = match r.below(12) {
            0 => " __attribute__((packed))".to_string(),
            1 => format!(" __attribute__((aligned({})))", 1 << r.below(5)),
            _ => String::new(),
        };
        let mut ones = None;
        let declaration = match r.below(10) {
            0..=3 => {
                let (ty, most) = INTEGERS[r.below(12) as usize];
                ones = Some(if ty == "_Bool" { "1" } else { "-1" });
                format!("{ty} {name} : {}{attribute};", 1 + r.below(most))
            }
            4 => {
                let (ty, most) = INTEGERS[r.below(12) as usize];
                writeln!(out, "{ty} : {};", r.below(most + 1)).expect("a string");
                continue;
            }
            5 if depth > 0 => {
                let kind = if r.below(2) == 0 { "struct" } else { "union" };
                let inner = members(r, named, depth - 1);
                let name = format!("m{}", named.len());
                writeln!(out, "{kind} {{ {inner} int {name}; }};").expect("a string");
                named.push(Named { name, ones: None });
                continue;
            }
            6 => format!("{} {name}[{}]{attribute};", INTEGERS[r.below(9) as usize].0, r.below(4) + 1),
            7 => format!("{} {name}{attribute};", OTHERS[r.below(8) as usize]),
            _ => format!("{} {name}{attribute};", INTEGERS[r.below(12) as usize].0),
        };
        writeln!(out, "{declaration}").expect("a string");
        named.push(Named { name, ones });
    }
    out
}

/// The bytes a member covers, all its bits set, the others clear.
fn mask(program: &Program, record: RecordId, name: &str, base: u64, out: &mut [u8]) -> bool {
    for member in &program.types.records[record].members {
        if member.name == name {
            let start = base + member.offset;
            if let Some(bits) = member.bits {
                for bit in 0..u64::from(bits.width) {
                    let at = start * 8 + u64::from(bits.offset) + bit;
                    out[(at / 8) as usize] |= 1 << (at % 8);
                }
            } else {
                let size = program.types.size_of(member.ty.ty).expect("a complete member");
                out[start as usize..(start + size) as usize].fill(0xff);
            }
            return true;
        }
        if let Type::Record(inner) = program.types.get(member.ty.ty)
            && member.name.is_empty()
            && mask(program, *inner, name, base + member.offset, out)
        {
            return true;
        }
    }
    false
}

#[test]
fn records_are_laid_out_as_gcc_does() {
    let mut r = Random(20);
    let prelude = "enum e { A, B = 70000 }; typedef int tight __attribute__((aligned(2)));
typedef short wide __attribute__((aligned(16)));
struct inner { char a; long b : 33; short c; }; union mixed { int a; char b[7]; double c; };\n";
    let mut ours = prelude.to_string();
    let mut theirs = format!("#include <stdio.h>\n#include <string.h>\n{prelude}");
    let mut main = String::new();
    let mut side = SideTable::default();
    let mut all_members = Vec::new();
    for i in 0..400 {
        let mut named = Vec::new();
        let kind = if r.below(5) == 0 { "union" } else { "struct" };
        let list = members(&mut r, &mut named, 2);
        let attribute = match r.below(6) {
            0 => "__attribute__((packed))".to_string(),
            1 => format!("__attribute__((aligned({})))", 1 << r.below(6)),
            2 => format!("__attribute__((packed, aligned({})))", 1 << r.below(3)),
            _ => String::new(),
        };
        let pack = (r.below(5) == 0).then(|| 1u64 << r.below(4));
        let definition = format!("{kind} s{i} {{ {list} int last; }} {attribute} v{i};\n");
        side.pack.push((ours.len() as u32, pack));
        ours.push_str(&definition);
        let pragma = pack.map_or("#pragma pack()\n".to_string(), |p| format!("#pragma pack({p})\n"));
        theirs.push_str(&pragma);
        theirs.push_str(&definition);
        writeln!(main, "printf(\"{i} %zu %zu\\n\", sizeof v{i}, _Alignof({kind} s{i}));").expect("a string");
        named.push(Named { name: "last".to_string(), ones: None });
        for Named { name, ones } in &named {
            let fill = match ones {
                Some(value) => format!("v{i}.{name} = {value}"),
                None => format!("memset(&v{i}.{name}, 255, sizeof v{i}.{name})"),
            };
            let show = format!("for (n = 0; n < sizeof v{i}; n++) printf(\"%02x\", ((unsigned char *)&v{i})[n]);");
            writeln!(main, "memset(&v{i}, 0, sizeof v{i}); {fill}; {show} puts(\"\");").expect("a string");
        }
        all_members.push(named);
    }
    writeln!(theirs, "int main(void) {{ size_t n;\n{main}return 0; }}").expect("a string");
    let expected = run_gcc(&theirs);
    let program = match try_lower(&ours, &side) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{errors:?}"),
    };
    let mut lines = expected.lines();
    for (i, named) in all_members.iter().enumerate() {
        let ty = global(&program, &format!("v{i}")).ty.ty;
        let Type::Record(record) = *program.types.get(ty) else { panic!("v{i} is a record") };
        let size = program.types.size_of(ty).expect("complete");
        let head = format!("{i} {size} {}", program.types.align_of(ty));
        assert_eq!(lines.next(), Some(head.as_str()), "{}", definition_of(&ours, i));
        for Named { name, .. } in named {
            let mut bytes = vec![0; size as usize];
            assert!(mask(&program, record, name, 0, &mut bytes));
            let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(lines.next(), Some(hex.concat().as_str()), "member {name} of {}", definition_of(&ours, i));
        }
    }
}

fn definition_of(text: &str, i: usize) -> String {
    let start = text.find(&format!(" s{i} {{")).expect("every struct is there");
    text[start..].lines().take_while(|l| !l.contains(" last;")).collect::<Vec<_>>().join(" ")
}

fn run_gcc(text: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let (source, binary) = (dir.path().join("layout.c"), dir.path().join("layout"));
    std::fs::File::create(&source).and_then(|mut f| f.write_all(text.as_bytes())).expect("the file is written");
    let built = Command::new("gcc").arg("-w").arg(&source).arg("-o").arg(&binary).output().expect("gcc is there");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&binary).output().expect("it runs");
    String::from_utf8(run.stdout).expect("text")
}
