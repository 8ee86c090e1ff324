//! Names: ordinary identifiers and tags, in nested scopes.
//!
//! Each name has a stack of its meanings, innermost last, so that a lookup costs one hash however deep scopes nest.

use rustc_hash::FxHashMap;

use super::super::syntax::{FuncId, GlobalId, LocalId};
use super::super::types::{EnumId, QualType, RecordId, TypeId};

/// What an ordinary identifier means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// A type name, with the alignment an attribute gave it.
    Typedef(QualType, Option<u64>),
    /// A variable or parameter.
    Local(LocalId),
    /// A variable-length array: the local holds its address.
    Indirect(LocalId, QualType),
    /// An object with static storage.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// An enumeration constant.
    Constant(i128, TypeId),
}

/// What a name with linkage means in this unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Global(GlobalId),
    Function(FuncId),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// The names of one name space.
struct Names<T> {
    index: FxHashMap<String, usize>,
    /// The meanings of each name with the depth of their scopes.
    meanings: Vec<Vec<(usize, T)>>,
    /// What was defined, in order, to be taken back when its scope is left.
    defined: Vec<usize>,
    /// Where each open scope starts in `defined`.
    starts: Vec<usize>,
}

impl<T: Copy> Names<T> {
    fn new() -> Names<T> {
        Names { index: FxHashMap::default(), meanings: Vec::new(), defined: Vec::new(), starts: vec![0] }
    }
    fn slot(&mut self, name: &str) -> usize {
        if let Some(&i) = self.index.get(name) {
            return i;
        }
        self.meanings.push(Vec::new());
        self.index.insert(name.to_string(), self.meanings.len() - 1);
        self.meanings.len() - 1
    }
    fn define(&mut self, name: &str, meaning: T) {
        let depth = self.starts.len();
        let slot = self.slot(name);
        match self.meanings[slot].last_mut() {
            Some(last) if last.0 == depth => last.1 = meaning,
            _ => {
                self.meanings[slot].push((depth, meaning));
                self.defined.push(slot);
            }
        }
    }
    /// Defines a name at file scope from inside other scopes.
    fn define_at_file(&mut self, name: &str, meaning: T) {
        let slot = self.slot(name);
        match self.meanings[slot].first_mut() {
            Some(first) if first.0 == 1 => first.1 = meaning,
            _ => self.meanings[slot].insert(0, (1, meaning)),
        }
    }
    fn lookup(&self, name: &str) -> Option<(usize, T)> {
        self.index.get(name).and_then(|i| self.meanings[*i].last().copied())
    }
    fn lookup_here(&self, name: &str) -> Option<T> {
        self.lookup(name).filter(|(depth, _)| *depth == self.starts.len()).map(|(_, meaning)| meaning)
    }
    fn enter(&mut self) {
        self.starts.push(self.defined.len());
    }
    fn leave(&mut self) {
        let start = self.starts.pop().expect("the file scope is never left");
        for slot in self.defined.drain(start..) {
            self.meanings[slot].pop();
        }
    }
}

/// The scopes, innermost last.
pub(super) struct Scopes {
    names: Names<Symbol>,
    tags: Names<Tag>,
    prototypes: u32,
}

impl Scopes {
    pub fn new() -> Scopes {
        Scopes { names: Names::new(), tags: Names::new(), prototypes: 0 }
    }
    /// The parameter list of a prototype: a scope of its own where array sizes say nothing.
    pub fn enter_prototype(&mut self) {
        self.prototypes += 1;
        self.enter();
    }
    pub fn leave_prototype(&mut self) {
        self.prototypes -= 1;
        self.leave();
    }
    pub fn in_prototype(&self) -> bool {
        self.prototypes > 0
    }
    pub fn enter(&mut self) {
        self.names.enter();
        self.tags.enter();
    }
    /// Leaves the innermost scope.
    pub fn leave(&mut self) {
        assert!(self.depth() > 1, "the file scope is never left");
        self.names.leave();
        self.tags.leave();
    }
    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.names.starts.len()
    }
    /// Leaves scopes down to `depth` (after an error inside them).
    pub fn truncate(&mut self, depth: usize) {
        while self.depth() > depth.max(1) {
            self.leave();
        }
    }
    pub fn at_file_scope(&self) -> bool {
        self.depth() == 1
    }
    pub fn define(&mut self, name: &str, symbol: Symbol) {
        self.names.define(name, symbol);
    }
    /// Defines a name at file scope (an implicitly declared function).
    pub fn define_at_file(&mut self, name: &str, symbol: Symbol) {
        self.names.define_at_file(name, symbol);
    }
    pub fn lookup(&self, name: &str) -> Option<Symbol> {
        self.names.lookup(name).map(|(_, symbol)| symbol)
    }
    pub fn lookup_here(&self, name: &str) -> Option<Symbol> {
        self.names.lookup_here(name)
    }
    pub fn define_tag(&mut self, name: &str, tag: Tag) {
        self.tags.define(name, tag);
    }
    pub fn lookup_tag(&self, name: &str) -> Option<Tag> {
        self.tags.lookup(name).map(|(_, tag)| tag)
    }
    pub fn lookup_tag_here(&self, name: &str) -> Option<Tag> {
        self.tags.lookup_here(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scopes_hide_outer_ones_until_they_are_left() {
        let mut scopes = Scopes::new();
        let constant = |scopes: &Scopes| match scopes.lookup("x") {
            Some(Symbol::Constant(value, _)) => Some(value),
            _ => None,
        };
        scopes.enter();
        scopes.define_at_file("x", Symbol::Constant(1, TypeId(0)));
        assert_eq!(constant(&scopes), Some(1));
        scopes.define("x", Symbol::Constant(2, TypeId(0)));
        scopes.enter();
        scopes.define("x", Symbol::Constant(3, TypeId(0)));
        assert_eq!(constant(&scopes), Some(3));
        scopes.leave();
        assert_eq!(constant(&scopes), Some(2));
        scopes.truncate(1);
        assert_eq!(constant(&scopes), Some(1));
    }
}
