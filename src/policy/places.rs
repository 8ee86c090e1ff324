//! The tables that say what is to be checked: domains, flows, places, exceptions, assumptions, data types and threads.

use super::adt::{self, Adt, Arities, Operation};
use super::condition;
use super::domain::{self, Domain, DomainId, Domains};
use super::pattern;
use super::place::{At, Mistake, Span};
use super::selector::{
    Arguments, Assume, AssumeScope, Declassify, Instances, Narrow, Observe, Role, Selector, Thread, ThreadKind,
    Through, What,
};
use super::toml::{Item, Table};
use crate::base::IdVec;
use crate::error::UserError;

/// The keys that say which places are meant.
const MAIN: [&str; 11] = [
    "function",
    "result",
    "variable",
    "field",
    "parameter",
    "register",
    "address",
    "location",
    "region",
    "region_function",
    "rest",
];

/// All keys of a selector, the main ones last.
const SELECTOR: [&str; 19] = [
    "domain",
    "arguments",
    "in_file",
    "in_function",
    "with",
    "observe",
    "optional",
    "except",
    "function",
    "result",
    "variable",
    "field",
    "parameter",
    "register",
    "address",
    "location",
    "region",
    "region_function",
    "rest",
];

/// `[domains]` and `[flows]`
pub(super) fn domains(domains: Option<Item<'_>>, flows: Option<Item<'_>>) -> Result<Domains, UserError> {
    let mut all: Vec<Domain> = Vec::new();
    if let Some(item) = domains {
        let help = "write `NAME = \"what it is\"` for each domain";
        let Some(entries) = item.value.get_ref().as_table() else {
            return Err(item.error("`domains` has to be a table, [domains]", "here", help));
        };
        for (key, value) in entries {
            let name: &str = key.get_ref();
            if let Some(why) = domain::why_no_name(name) {
                return Err(item.text.error(format!("`{name}` cannot be a domain"), key.span(), why, ""));
            }
            let what = Item { key: name, value, ..item }.string()?;
            all.push(Domain { name: name.to_owned(), what: what.to_owned(), at: key.span().into() });
        }
    }
    // Entries are sorted by name; reports have them in the order of the file.
    all.sort_by_key(|domain| domain.at.start);
    let mut table = IdVec::new();
    for domain in all {
        table.push(domain);
    }
    let mut domains = Domains::new(table);
    if let Some(item) = flows {
        let table = item.table("[flows]", &["allow"])?;
        let mut allowed = Vec::new();
        for chain in table.get("allow").iter().flat_map(Item::each) {
            let flows = domain::chain(&domains, chain.string()?).map_err(|mistake| chain.mistake_inside(mistake))?;
            allowed.extend(flows);
        }
        domains.allow(allowed);
    }
    Ok(domains)
}

/// All tables of one kind of selector.
pub(super) fn selectors(item: Item<'_>, role: Role, domains: &Domains) -> Result<Vec<Selector>, UserError> {
    item.tables()?.map(|element| selector(element, role, domains)).collect()
}

fn selector(item: Item<'_>, role: Role, domains: &Domains) -> Result<Selector, UserError> {
    let name = match role {
        Role::Source => "[[source]]",
        Role::Sink => "[[sink]]",
        Role::Place => "[[place]]",
    };
    let table = item.table(name, &SELECTOR)?;
    let (main, value) = main_key(item, &table, name, &MAIN)?;
    let what = what(&table, main, value)?;
    for (key, with, wanted) in [
        ("arguments", matches!(what, What::Function { .. }), "`function`"),
        ("with", matches!(what, What::Function { .. } | What::Result(_)), "`function` or `result`"),
        (
            "except",
            matches!(what, What::Region { .. } | What::RegionFunction { .. } | What::Rest { .. }),
            "`region`, `region_function` or `rest`",
        ),
        ("observe", role != Role::Source, "`[[sink]]` or `[[place]]`"),
    ] {
        if let (Some(at), false) = (table.key(key), with) {
            let message = format!("`{key}` belongs to {wanted}");
            return Err(item.text.error(message, at, "this has no meaning here", ""));
        }
    }
    let Some(domain) = table.get("domain") else {
        let help = "write `domain = \"NAME\"`, a name of [domains]";
        return Err(item.error(format!("a `{name}` has to name its domain"), "`domain` is missing", help));
    };
    let observe = table.get("observe").map(|item| item.choice(&[("value", Observe::Value)])).transpose()?;
    Ok(Selector {
        role,
        domains: named_domains(domain, domains, false)?,
        what,
        narrow: narrow(&table)?,
        observe: observe.unwrap_or_default(),
        optional: flag(&table, "optional")?,
        at: item.span(),
    })
}

/// The one main key of a table.
fn main_key<'a>(
    item: Item<'a>,
    table: &Table<'a>,
    name: &str,
    keys: &[&'static str],
) -> Result<(&'static str, Item<'a>), UserError> {
    let mut found: Vec<(&'static str, Item<'a>)> =
        keys.iter().filter_map(|key| table.get(key).map(|value| (*key, value))).collect();
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let help = format!("write one of {}", quoted.join(", "));
    found.sort_by_key(|(_, value)| value.value.span().start);
    match found[..] {
        [] => Err(item.error(format!("a `{name}` has to say which places it means"), "no key here does", help)),
        [one] => Ok(one),
        [(first, _), (second, value), ..] => {
            let at = table.key(second).unwrap_or(value.value.span());
            let message = format!("`{first}` and `{second}` cannot stand in one `{name}`");
            Err(item.text.error(message, at, "the second", format!("write a second `{name}`")))
        }
    }
}

fn what(table: &Table<'_>, main: &str, value: Item<'_>) -> Result<What, UserError> {
    let except = || match table.get("except") {
        Some(item) => item.all(pattern::exception),
        None => Ok(Vec::new()),
    };
    Ok(match main {
        "function" => {
            let arguments = table.get("arguments").map(|item| item.all_items(arguments)).transpose()?;
            What::Function { functions: value.all(pattern::function)?, arguments }
        }
        "result" => What::Result(value.all(pattern::function)?),
        "variable" => What::Variable(value.all(pattern::variable)?),
        "field" => What::Field(value.all(pattern::field)?),
        "parameter" => What::Parameter(value.all(pattern::parameter)?),
        "register" => What::Register(value.all(register)?),
        "address" => What::Address(value.all_items(address)?),
        "location" => What::Location(value.all(pattern::lines)?),
        "region" => What::Region { files: value.all(pattern::file)?, except: except()? },
        "region_function" => What::RegionFunction { functions: value.all(pattern::function)?, except: except()? },
        _ => {
            if !value.boolean()? {
                return Err(value.error("`rest` is true or left out", "here", "write `rest = true`"));
            }
            What::Rest { except: except()?, at: value.span() }
        }
    })
}

/// `2` or `"3.."`
fn arguments(item: Item<'_>) -> Result<Arguments, UserError> {
    if item.value.get_ref().is_integer() {
        return Ok(Arguments { first: item.argument()?, and_later: false });
    }
    let help = "write `arguments = [2, \"3..\"]`: the second, and all from the third on";
    let text =
        item.value.get_ref().as_str().ok_or_else(|| item.wrong_type("numbers such as 2, or texts such as \"3..\""))?;
    let (digits, and_later) = text.strip_suffix("..").map_or((text, false), |digits| (digits, true));
    match digits.parse::<u32>() {
        Ok(0) => Err(item.error("there is no argument 0", "here", "arguments are counted from 1")),
        Ok(first) if digits.bytes().all(|b| b.is_ascii_digit()) => Ok(Arguments { first, and_later }),
        Ok(_) | Err(_) => Err(item.error(format!("`{text}` does not say which arguments"), "here", help)),
    }
}

/// An lvalue: the program's macros decide what it means, so only what cannot be one is refused.
fn register(text: &str) -> Result<String, Mistake> {
    let help = "write it as the program does: `PORTB`, `GPIOA->ODR`";
    if text.trim().is_empty() {
        return Err(Mistake::new("the register is missing", 0..text.len(), help));
    }
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        };
        if depth < 0 || ";{}=\"'#\\\n".contains(c) {
            return Err(Mistake::new(format!("`{c}` cannot be part of a register"), at..at + c.len_utf8(), help));
        }
    }
    if depth > 0 {
        return Err(Mistake::new("a bracket is not closed", 0..text.len(), help));
    }
    Ok(text.trim().to_owned())
}

fn address(item: Item<'_>) -> Result<u64, UserError> {
    let number = item.integer()?;
    u64::try_from(number).map_err(|_| item.error("an address is not negative", "here", "write `address = 0x25`"))
}

fn narrow(table: &Table<'_>) -> Result<Narrow, UserError> {
    let mut narrow = Narrow::default();
    if let Some(files) = table.get("in_file") {
        narrow.in_file = files.all(pattern::file)?;
    }
    if let Some(functions) = table.get("in_function") {
        narrow.in_function = functions.all(pattern::function)?;
    }
    if let Some(item) = table.get("with") {
        let help =
            "write `with = { 1 = [\"stderr\", \"log_fp\"] }`: calls whose argument 1 may be one of these objects";
        let Some(entries) = item.value.get_ref().as_table().filter(|entries| !entries.is_empty()) else {
            return Err(item.error("`with` has to be a table of arguments", "here", help));
        };
        for (key, value) in entries {
            let number = key.get_ref().parse().ok().filter(|n: &u32| *n > 0);
            let Some(number) = number else {
                let message = format!("`{}` is not the number of an argument", key.get_ref());
                return Err(item.text.error(message, key.span(), "here", help));
            };
            narrow.with.push((number, Item { value, ..item }.all(pattern::variable)?));
        }
        narrow.with.sort_by_key(|(number, _)| *number);
    }
    Ok(narrow)
}

fn flag(table: &Table<'_>, key: &'static str) -> Result<bool, UserError> {
    table.get(key).map_or(Ok(false), |item| item.boolean())
}

/// The domains of a name or a list of names; globs where one may mean several.
fn named_domains(item: Item<'_>, domains: &Domains, globs: bool) -> Result<Vec<DomainId>, UserError> {
    let mut found: Vec<DomainId> = Vec::new();
    for name in item.all_items(|item| item.string())? {
        let spelt = name.value;
        let fitting: Vec<DomainId> = match pattern::plain(spelt) {
            Ok(glob) if globs && glob.is_glob() => {
                domains.iter().filter(|(_, domain)| glob.matches(&domain.name)).map(|(id, _)| id).collect()
            }
            _ => domains.find(spelt).into_iter().collect(),
        };
        if fitting.is_empty() {
            let (message, help) = domains.named(spelt).err().unwrap_or_default();
            return Err(item.text.error(message, name.at.range(), help, ""));
        }
        found.extend(fitting);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// All `[[declassify]]`s.
pub(super) fn declassify(item: Item<'_>, domains: &Domains) -> Result<Vec<Declassify>, UserError> {
    let keys = ["from", "to", "reason", "in_file", "in_function", "optional", "function", "location", "variable"];
    let read = |item: Item<'_>| -> Result<Declassify, UserError> {
        let name = "[[declassify]]";
        let table = item.table(name, &keys)?;
        let (main, value) = main_key(item, &table, name, &["function", "location", "variable"])?;
        let through = match main {
            "function" => Through::Function(value.all(pattern::function)?),
            "location" => Through::Location(value.all(pattern::lines)?),
            _ => Through::Variable(value.all(pattern::variable)?),
        };
        let side = |key: &'static str| {
            let missing = || {
                let message = format!("a `{name}` has to name the domains it is about");
                item.error(message, format!("`{key}` is missing"), "write `from = \"A\"` and `to = \"B\"`")
            };
            named_domains(table.get(key).ok_or_else(missing)?, domains, true)
        };
        let Some(reason) = reason(&table)? else {
            let help = "write `reason = \"…\"`: why this flow is acceptable; the report shows it";
            return Err(item.error(format!("a `{name}` needs a reason"), "`reason` is missing", help));
        };
        Ok(Declassify {
            from: side("from")?,
            to: side("to")?,
            through,
            narrow: narrow(&table)?,
            optional: flag(&table, "optional")?,
            reason,
            at: item.span(),
        })
    };
    item.tables()?.map(read).collect()
}

fn reason(table: &Table<'_>) -> Result<Option<String>, UserError> {
    let Some(item) = table.get("reason") else { return Ok(None) };
    let text = item.string()?.trim();
    if text.is_empty() {
        return Err(item.error("`reason` is empty", "here", "say why; the report shows it"));
    }
    Ok(Some(text.to_owned()))
}

/// All `[[assume]]`s.
pub(super) fn assume(item: Item<'_>) -> Result<Vec<Assume>, UserError> {
    let read = |item: Item<'_>| -> Result<Assume, UserError> {
        let name = "[[assume]]";
        let table = item.table(name, &["condition", "reason", "optional", "location", "function"])?;
        let (main, value) = main_key(item, &table, name, &["location", "function"])?;
        let scope = match main {
            "location" => AssumeScope::Location(value.all(pattern::lines)?),
            _ => AssumeScope::Function(value.all(pattern::function)?),
        };
        let Some(conditions) = table.get("condition") else {
            let help = "write `condition = \"idx < 10\"`, a C expression over the variables there";
            return Err(item.error(format!("an `{name}` has to say what holds"), "`condition` is missing", help));
        };
        Ok(Assume {
            scope,
            conditions: conditions.all(condition::one)?,
            optional: flag(&table, "optional")?,
            reason: reason(&table)?,
            at: item.span(),
        })
    };
    item.tables()?.map(read).collect()
}

/// All `[[adt]]`s.
pub(super) fn adts(item: Item<'_>) -> Result<Vec<Adt>, UserError> {
    item.tables()?.map(adt).collect()
}

fn adt(item: Item<'_>) -> Result<Adt, UserError> {
    let name = "[[adt]]";
    let table = item.table(name, &["name", "operations", "equations"])?;
    let missing = |key: &str, example: &str| {
        item.error(
            format!("an `{name}` needs `{key}`"),
            format!("`{key}` is missing"),
            format!("write `{key} = {example}`"),
        )
    };
    let title = table.get("name").ok_or_else(|| missing("name", "\"stack\""))?.string()?.to_owned();
    let equations = table.get("equations").ok_or_else(|| missing("equations", "[\"top(push(x, s)) = x\"]"))?;
    let mut operations: Vec<At<Operation>> = Vec::new();
    let mut arities = Arities::default();
    if let Some(item) = table.get("operations") {
        let help = "write `operations = { push = \"stk_push(*1, 2)\" }`";
        let Some(entries) = item.value.get_ref().as_table() else {
            return Err(item.error("`operations` has to be a table", "here", help));
        };
        for (key, value) in entries {
            let value = Item { value, ..item };
            let text = value.string()?;
            let operation = adt::operation(key.get_ref(), text).map_err(|mistake| value.mistake_inside(mistake))?;
            arities.seen.push((operation.name.clone(), operation.arguments.len()));
            operations.push(At { value: operation, at: value.span() });
        }
        arities.listed = !operations.is_empty();
    }
    let equations = equations.all_with(|text| adt::equation(text, &mut arities))?;
    Ok(Adt { name: title, operations, equations, at: item.span() })
}

/// All `[[thread]]`s.
pub(super) fn threads(item: Item<'_>) -> Result<Vec<Thread>, UserError> {
    let read = |item: Item<'_>| -> Result<Thread, UserError> {
        let name = "[[thread]]";
        let table = item.table(name, &["entry", "kind", "priority", "instances"])?;
        let Some(entry) = table.get("entry") else {
            let help = "write `entry = \"uart_isr\"`, the function that runs";
            return Err(item.error(format!("a `{name}` has to name its function"), "`entry` is missing", help));
        };
        let kinds = [("interrupt", ThreadKind::Interrupt), ("task", ThreadKind::Task)];
        let instances = [("one", Instances::One), ("many", Instances::Many)];
        Ok(Thread {
            entry: entry.all(pattern::function)?,
            kind: table.get("kind").map(|item| item.choice(&kinds)).transpose()?.unwrap_or_default(),
            priority: table.get("priority").map(|item| item.integer()).transpose()?,
            instances: table.get("instances").map(|item| item.choice(&instances)).transpose()?.unwrap_or_default(),
            at: item.span(),
        })
    };
    item.tables()?.map(read).collect()
}

impl Item<'_> {
    /// Where it stands.
    pub fn span(&self) -> Span {
        self.value.span().into()
    }
}
