//! Domains, and which flows between them are allowed.
//!
//! Invariant: `allowed` is a preorder, the reflexive and transitive closure of what the policy lists; all else is forbidden.
//!
//! Cost: cubic in the number of domains over the word size; a question is one look-up.

use super::place::{Mistake, Span, trimmed};
use super::toml::nearest;
use crate::base::IdVec;
use crate::base::bits::BitMatrix;
use crate::base::id::Id;
use crate::define_id;

define_id!(/// A domain of the policy.
    DomainId, "domain");

/// A class of information.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// What it is, for the report.
    pub what: String,
    /// Where the policy names it.
    pub at: Span,
}

/// All domains, and the flows allowed between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Domains {
    all: IdVec<DomainId, Domain>,
    allowed: BitMatrix,
}

impl Domains {
    /// Domains of which each may flow to itself only, in this order.
    pub(super) fn new(all: IdVec<DomainId, Domain>) -> Domains {
        let mut allowed = BitMatrix::new(all.len(), all.len());
        for id in all.ids() {
            allowed.set(id.index(), id.index());
        }
        Domains { all, allowed }
    }
    /// Allows these flows, and what follows from them together.
    pub(super) fn allow(&mut self, flows: impl IntoIterator<Item = (DomainId, DomainId)>) {
        for (from, to) in flows {
            self.allowed.set(from.index(), to.index());
        }
        // Warshall: a way by the domains up to `via`.
        for via in 0..self.all.len() {
            let onward: Vec<usize> = self.allowed.ones(via).collect();
            for from in 0..self.all.len() {
                if self.allowed.get(from, via) {
                    for to in &onward {
                        self.allowed.set(from, *to);
                    }
                }
            }
        }
    }
    /// Whether information may flow from one domain to another.
    pub fn allowed(&self, from: DomainId, to: DomainId) -> bool {
        self.allowed.get(from.index(), to.index())
    }
    /// The pairs between which nothing may flow, in the order of the policy.
    pub fn forbidden(&self) -> impl Iterator<Item = (DomainId, DomainId)> {
        let pairs = self.all.ids().flat_map(|from| self.all.ids().map(move |to| (from, to)));
        pairs.filter(|(from, to)| !self.allowed(*from, *to))
    }
    /// The domain of this name.
    pub fn find(&self, name: &str) -> Option<DomainId> {
        self.all.enumerate().find(|(_, domain)| domain.name == name).map(|(id, _)| id)
    }
    /// A domain.
    pub fn get(&self, id: DomainId) -> &Domain {
        &self.all[id]
    }
    /// All domains, in the order of the policy.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (DomainId, &Domain)> + ExactSizeIterator {
        self.all.enumerate()
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
    /// The domain of this name, or what is wrong with it: the message and the advice.
    pub(super) fn named(&self, name: &str) -> Result<DomainId, (String, String)> {
        self.find(name).ok_or_else(|| {
            let known: Vec<&str> = self.all.iter().map(|domain| domain.name.as_str()).collect();
            let help = match (nearest(name, &known), known.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => format!("`[domains]` is missing: write `{name} = \"what it is\"` there"),
                (None, false) => format!("`[domains]` has {}", listed(&known)),
            };
            (format!("there is no domain `{name}`"), help)
        })
    }
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// What a domain may not be called, if it is so: text that flows and comments could not name.
pub(super) fn why_no_name(name: &str) -> Option<&'static str> {
    let stray = |c: char| c.is_control() || ",()*?[]{}\"".contains(c);
    if name.is_empty() {
        Some("a domain needs a name")
    } else if name.trim() != name || name.contains("->") || name.contains(stray) {
        Some("a domain's name has no blanks around it, no `->`, and none of `,()*?[]{}\"`")
    } else {
        None
    }
}

/// `a -> b -> c`: the flows of a chain.
pub(super) fn chain(domains: &Domains, text: &str) -> Result<Vec<(DomainId, DomainId)>, Mistake> {
    let help = "write `FROM -> TO`, or a chain `A -> B -> C`";
    let mut start = 0;
    let mut ids = Vec::new();
    for piece in text.split("->") {
        let at = trimmed(text, start..start + piece.len());
        let name = &text[at.clone()];
        if name.is_empty() {
            // A mark of no width is hard to see.
            let at = start.saturating_sub(2)..(start + piece.len() + 2).min(text.len());
            return Err(Mistake::new("a domain is missing here", at, help));
        }
        ids.push(domains.named(name).map_err(|(message, help)| Mistake::new(message, at, help))?);
        start += piece.len() + 2;
    }
    if ids.len() < 2 {
        return Err(Mistake::new("a flow needs an arrow `->`", 0..text.len(), help));
    }
    Ok(ids.windows(2).map(|pair| (pair[0], pair[1])).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn domains(names: &[&str]) -> Domains {
        let mut all = IdVec::new();
        for name in names {
            all.push(Domain { name: (*name).to_owned(), what: String::new(), at: Span::default() });
        }
        Domains::new(all)
    }

    fn allowed(domains: &Domains, from: &str, to: &str) -> bool {
        domains.allowed(domains.find(from).unwrap(), domains.find(to).unwrap())
    }

    #[test]
    fn chains_close_and_the_rest_is_forbidden() {
        let mut d = domains(&["public", "internal", "secret", "other"]);
        let flows = chain(&d, "public -> internal->secret").unwrap();
        d.allow(flows);
        assert!(allowed(&d, "public", "secret") && allowed(&d, "public", "public") && allowed(&d, "other", "other"));
        assert!(
            !allowed(&d, "secret", "public") && !allowed(&d, "internal", "public") && !allowed(&d, "other", "public")
        );
        let name = |id| d.get(id).name.as_str();
        let forbidden: Vec<(&str, &str)> = d.forbidden().map(|(from, to)| (name(from), name(to))).collect();
        assert_eq!(
            forbidden,
            [
                ("public", "other"),
                ("internal", "public"),
                ("internal", "other"),
                ("secret", "public"),
                ("secret", "internal"),
                ("secret", "other"),
                ("other", "public"),
                ("other", "internal"),
                ("other", "secret"),
            ]
        );
    }

    #[test]
    fn mistakes_in_chains_are_shown_where_they_are() {
        let d = domains(&["sensor", "display", "a-b"]);
        assert!(chain(&d, "a-b -> a-b").is_ok());
        for (text, at, message, help) in [
            ("sensor", "sensor", "needs an arrow", "FROM -> TO"),
            ("sensor -> dislay", "dislay", "no domain `dislay`", "did you mean `display`?"),
            ("sensor -> xyz", "xyz", "no domain `xyz`", "`sensor`, `display`, `a-b`"),
            ("sensor -> ", "-> ", "is missing here", "FROM -> TO"),
            ("-> sensor", "->", "is missing here", "FROM -> TO"),
            ("sensor => display", "sensor => display", "no domain", "`[domains]` has"),
        ] {
            let mistake = chain(&d, text).unwrap_err();
            assert_eq!(&text[mistake.at.clone()], at, "{mistake:?}");
            assert!(mistake.message.contains(message) && mistake.help.contains(help), "{mistake:?}");
        }
        assert!(domains(&[]).named("x").unwrap_err().1.contains("`[domains]` is missing"));
    }

    proptest! {
        /// The closure is what a search over the listed flows finds.
        #[test]
        fn allowed_is_reachability(flows in proptest::collection::vec((0usize..7, 0usize..7), 0..12)) {
            let mut d = domains(&["a", "b", "c", "d", "e", "f", "g"]);
            d.allow(flows.iter().map(|(from, to)| (DomainId::new(*from), DomainId::new(*to))));
            for from in 0..7 {
                let mut seen = vec![from];
                let mut next = 0;
                while next < seen.len() {
                    let here = seen[next];
                    for (_, to) in flows.iter().filter(|(f, _)| *f == here) {
                        if !seen.contains(to) {
                            seen.push(*to);
                        }
                    }
                    next += 1;
                }
                for to in 0..7 {
                    prop_assert_eq!(d.allowed(DomainId::new(from), DomainId::new(to)), seen.contains(&to));
                }
            }
        }
    }
}
