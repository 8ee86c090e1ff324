//! Reading values out of a TOML document, with a place for every mistake.
//!
//! Invariant: an error points at the key or value to blame, and says what is wanted there.

use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use miette::NamedSource;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::place::{At, Mistake, Span};
use crate::error::UserError;

/// A value with its place in the text.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// The text that errors point into.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl<'a> Text<'a> {
    /// The whole document.
    pub fn parse(self) -> Result<DeTable<'a>, UserError> {
        DeTable::parse(self.text).map(Spanned::into_inner).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            self.error("this is not TOML", at, error.message(), "https://toml.io describes the format")
        })
    }
    pub fn error(self, message: impl Display, at: Range<usize>, label: impl Display, help: impl Display) -> UserError {
        UserError::InFile {
            message: format!("{}: {message}", self.name),
            source_code: Arc::new(NamedSource::new(self.name, self.text.to_owned())),
            at: self.visible(at).into(),
            label: label.to_string(),
            help: Some(help.to_string()).filter(|help| !help.is_empty()),
        }
    }
    /// A range that has something to mark, where there is something.
    fn visible(self, at: Range<usize>) -> Range<usize> {
        let Some(next) = self.text.get(at.start..).and_then(|rest| rest.chars().next()) else {
            return self.text.len()..self.text.len();
        };
        at.start..at.end.clamp(at.start + next.len_utf8(), self.text.len())
    }
}

/// A table of the document.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    text: Text<'a>,
    pub entries: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// The table, if it has no keys but these; `name` is what messages call it.
    pub fn new(text: Text<'a>, name: &str, entries: &'a DeTable<'a>, known: &[&str]) -> Result<Table<'a>, UserError> {
        let unknown = |key: &&Spanned<_>| !known.contains(&AsRef::<str>::as_ref(Spanned::get_ref(key)));
        // Entries are sorted by name; the first in the text is told.
        let Some(key) = entries.keys().filter(unknown).min_by_key(|key| key.span().start) else {
            return Ok(Table { text, entries });
        };
        let spelt: &str = key.get_ref();
        let label = match nearest(spelt, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "unknown".to_owned(),
        };
        let inside = if name.is_empty() { String::new() } else { format!(" in {name}") };
        let list: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
        Err(text.error(
            format!("there is no key `{spelt}`{inside}"),
            key.span(),
            label,
            format!("the keys{inside}: {}", list.join(", ")),
        ))
    }
    /// The value of a key, if it is there.
    pub fn get(&self, key: &'a str) -> Option<Item<'a>> {
        self.entries.get(key).map(|value| Item { text: self.text, key, value })
    }
    /// Where a key stands, if it is there.
    pub fn key(&self, key: &str) -> Option<Range<usize>> {
        let found = self.entries.keys().find(|found| AsRef::<str>::as_ref(found.get_ref()) == key)?;
        Some(found.span())
    }
}

/// A value, and the key that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub text: Text<'a>,
    pub key: &'a str,
    pub value: &'a Value<'a>,
}

impl<'a> Item<'a> {
    pub fn error(&self, message: impl Display, label: impl Display, help: impl Display) -> UserError {
        self.text.error(message, self.value.span(), label, help)
    }
    pub fn wrong_type(&self, wanted: &str) -> UserError {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(format!("`{}` has to be {wanted}", self.key), format!("this is {found}"), "")
    }
    /// An error inside a string: at the place in it, where the text shows the string as it is.
    pub fn mistake_inside(&self, mistake: Mistake) -> UserError {
        let at = self.inside(mistake.at).range();
        let message = format!("bad `{}`: {}", self.key, mistake.message);
        self.text.error(message, at, "here", mistake.help)
    }
    /// The place of a part of a string, where the text shows the string as it is; else that of all of it.
    fn inside(&self, part: Range<usize>) -> Span {
        let span = self.value.span();
        let written = &self.text.text[span.clone()];
        let inside = self.value.get_ref().as_str().filter(|text| !text.is_empty()).and_then(|text| written.find(text));
        let at = inside.map(|offset| span.start + offset + part.start..span.start + offset + part.end);
        at.unwrap_or(span).into()
    }
    pub fn string(&self) -> Result<&'a str, UserError> {
        self.value.get_ref().as_str().ok_or_else(|| self.wrong_type("a string"))
    }
    pub fn boolean(&self) -> Result<bool, UserError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }
    pub fn integer(&self) -> Result<i64, UserError> {
        let integer = self.value.get_ref().as_integer().ok_or_else(|| self.wrong_type("an integer"))?;
        i64::from_str_radix(integer.as_str(), integer.radix())
            .map_err(|_| self.error(format!("`{}` is out of range", self.key), "too large", ""))
    }
    /// The number of an argument.
    pub fn argument(&self) -> Result<u32, UserError> {
        let number = self.integer()?;
        u32::try_from(number).ok().filter(|n| *n > 0).ok_or_else(|| {
            self.error(format!("{number} is not the number of an argument"), "here", "arguments are counted from 1")
        })
    }
    /// The elements of a list, or the value itself where it stands alone.
    pub fn each(&self) -> impl Iterator<Item = Item<'a>> + use<'a> {
        let Item { text, key, value } = *self;
        let elements = match value.get_ref() {
            DeValue::Array(elements) => &elements[..],
            _ => std::slice::from_ref(value),
        };
        elements.iter().map(move |value| Item { text, key, value })
    }
    /// The elements of a list.
    pub fn list(&self) -> Result<impl Iterator<Item = Item<'a>> + use<'a>, UserError> {
        match self.value.get_ref() {
            DeValue::Array(_) => Ok(self.each()),
            _ => Err(self.wrong_type("a list")),
        }
    }
    /// The tables of a list of tables: `[[key]]`.
    pub fn tables(&self) -> Result<impl Iterator<Item = Item<'a>> + use<'a>, UserError> {
        if self.value.get_ref().is_table() {
            let message = format!("`{}` has to be a list of tables", self.key);
            return Err(self.error(message, "this is one table", format!("write `[[{}]]`", self.key)));
        }
        self.list()
    }
    /// The elements of a list, or the one value, each read by `read`; an empty list says nothing and is refused.
    pub fn all_items<T>(&self, read: impl Fn(Item<'a>) -> Result<T, UserError>) -> Result<Vec<At<T>>, UserError> {
        let one = |item: Item<'a>| Ok(At { value: read(item)?, at: item.value.span().into() });
        let all: Vec<At<T>> = self.each().map(one).collect::<Result<_, _>>()?;
        if all.is_empty() {
            return Err(self.error(format!("`{}` is empty", self.key), "this names nothing", "leave the table out"));
        }
        Ok(all)
    }
    /// The texts of a list, or the one text, each read by `read`, with the place of the text inside its quotes.
    pub fn all_with<T>(&self, mut read: impl FnMut(&str) -> Result<T, Mistake>) -> Result<Vec<At<T>>, UserError> {
        let mut all = Vec::new();
        for item in self.each() {
            let text = item.value.get_ref().as_str();
            let text = text.ok_or_else(|| item.wrong_type("a string, or a list of strings"))?;
            let value = read(text).map_err(|mistake| item.mistake_inside(mistake))?;
            all.push(At { value, at: item.inside(0..text.len()) });
        }
        if all.is_empty() {
            return Err(self.error(format!("`{}` is empty", self.key), "this names nothing", "leave it out"));
        }
        Ok(all)
    }
    /// As [`Item::all_with`], for what needs no memory.
    pub fn all<T>(&self, read: fn(&str) -> Result<T, Mistake>) -> Result<Vec<At<T>>, UserError> {
        self.all_with(read)
    }
    /// The strings of a list, or one string.
    pub fn strings(&self) -> Result<Vec<String>, UserError> {
        let string = |item: Item<'_>| match item.value.get_ref().as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(item.wrong_type("a string, or a list of strings")),
        };
        self.each().map(string).collect()
    }
    /// A table, as which it is called `name`, with no keys but those known.
    pub fn table(&self, name: &str, known: &[&str]) -> Result<Table<'a>, UserError> {
        let Some(entries) = self.value.get_ref().as_table() else {
            return Err(self.wrong_type(&format!("a table, {name}")));
        };
        Table::new(self.text, name, entries, known)
    }
    /// One of the words.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, UserError> {
        let word = self.string()?;
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == word) {
            return Ok(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        let label = nearest(word, &names).map_or("unknown".to_owned(), |near| format!("did you mean \"{near}\"?"));
        let message = format!("`{}` cannot be \"{word}\"", self.key);
        Err(self.error(message, label, format!("it is {}", quoted.join(" or "))))
    }
}

/// The name that was probably meant.
pub(super) fn nearest<'n>(spelt: &str, known: &[&'n str]) -> Option<&'n str> {
    let far = |name: &str| strsim::damerau_levenshtein(name, spelt);
    let near = known.iter().copied().min_by_key(|name| far(name))?;
    // More than a third of it wrong is another word.
    (far(near) <= (spelt.chars().count().max(near.len()) / 3).max(1)).then_some(near)
}
