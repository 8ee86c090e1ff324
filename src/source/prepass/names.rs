//! Which names are types, scope by scope.

use rustc_hash::FxHashMap;

/// The names that are types somewhere, with what they are in the scopes around.
///
/// A name that never was a type is not recorded: nothing asks for it.
pub(super) struct Names<'t> {
    /// Innermost last: the depth of the scope, and whether it is a type there.
    meanings: FxHashMap<&'t str, Vec<(usize, bool)>>,
    /// What each scope but the outermost declared.
    declared: Vec<&'t str>,
    scopes: Vec<usize>,
}

impl<'t> Names<'t> {
    pub fn new() -> Names<'t> {
        Names { meanings: FxHashMap::default(), declared: Vec::new(), scopes: Vec::new() }
    }

    pub fn enter(&mut self) {
        self.scopes.push(self.declared.len());
    }

    pub fn leave(&mut self) {
        let Some(start) = self.scopes.pop() else { return };
        for name in self.declared.drain(start..) {
            if let Some(meanings) = self.meanings.get_mut(name) {
                meanings.pop();
            }
        }
    }

    pub fn is_type(&self, name: &str) -> bool {
        self.meanings.get(name).and_then(|m| m.last()).is_some_and(|&(_, is_type)| is_type)
    }

    pub fn declare(&mut self, name: &'t str, is_type: bool) {
        let depth = self.scopes.len();
        let meanings = if is_type {
            self.meanings.entry(name).or_default()
        } else {
            match self.meanings.get_mut(name) {
                Some(meanings) => meanings,
                None => return,
            }
        };
        match meanings.last_mut() {
            Some(last) if last.0 == depth => last.1 = is_type,
            _ => {
                meanings.push((depth, is_type));
                if depth > 0 {
                    self.declared.push(name);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn inner_names_hide_outer_ones() {
        let mut names = Names::new();
        names.declare("T", true);
        names.declare("x", false);
        names.enter();
        names.declare("T", false);
        names.declare("T", false);
        assert!(!names.is_type("T"));
        names.enter();
        names.declare("T", true);
        names.declare("x", true);
        assert!(names.is_type("T") && names.is_type("x"));
        names.leave();
        assert!(!names.is_type("T") && !names.is_type("x"));
        names.leave();
        assert!(names.is_type("T"));
        names.leave();
        assert!(names.is_type("T"));
    }
}
