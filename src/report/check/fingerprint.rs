//! Names of flows that stay when lines move: for the baseline, and to speak of a flow from one run to the next.
//!
//! A name is made from what the source and the sink are called, the function they are in and their statement's words, not from
//! lines, folders, blanks or comments. Pairs that agree in all of this are told apart by their order.

use rustc_hash::{FxHashMap, FxHashSet};

/// One end of a flow, as far as its name is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Anchor<'a> {
    /// The domain.
    pub domain: &'a str,
    /// The file; of its path only the last part counts.
    pub file: &'a str,
    /// The function it is in; empty for what is in none.
    pub function: &'a str,
    /// What it is: `p_cd`, `printf argument 3` …
    pub what: &'a str,
    /// The C text of its statement.
    pub text: &'a str,
}

/// The names of flows, in the order of the flows: 16 hexadecimal digits, each different.
pub fn fingerprints(flows: &[(Anchor<'_>, Anchor<'_>)]) -> Vec<String> {
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    let mut taken: FxHashSet<u64> = FxHashSet::default();
    let name = |(from, to): &(Anchor<'_>, Anchor<'_>)| {
        let mut hash = Fnv::new();
        hash.anchor(from);
        hash.anchor(to);
        let ordinal = seen.entry(hash.0).or_insert(0);
        loop {
            let mut one = Fnv(hash.0);
            // The first of them keeps its name when a second one comes.
            if *ordinal > 0 {
                one.part(&ordinal.to_string());
            }
            *ordinal += 1;
            if taken.insert(one.0) {
                return format!("{:016x}", one.0);
            }
        }
    };
    flows.iter().map(name).collect()
}

/// FNV-1a of 64 bits: the same on every machine and in every version.
struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf29ce484222325)
    }
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100000001b3);
    }
    /// A text, told from the next one by a byte that no text has.
    fn part(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.byte(byte));
        self.byte(0xff);
    }
    fn anchor(&mut self, anchor: &Anchor<'_>) {
        self.part(anchor.domain);
        self.part(anchor.file.rsplit(['/', '\\']).next().unwrap_or_default());
        self.part(anchor.function);
        self.part(anchor.what);
        for word in words(anchor.text) {
            self.part(word);
        }
        self.byte(0xfe);
    }
}

/// The words of a C text, without blanks and comments.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        } else if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
            continue;
        } else if first == '"' || first == '\'' {
            literal(rest, first)
        } else if is_word(first) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        found.push(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

/// The length of a literal at the start of a text.
pub(crate) fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Anchor<'_> =
        Anchor { domain: "keyboard", file: "src/scale.c", function: "main", what: "p_cd", text: "int p_cd[1] = {0};" };
    const TO: Anchor<'_> = Anchor {
        domain: "display",
        file: "src/scale.c",
        function: "main",
        what: "printf argument 3",
        text: "printf(\"%s  %f\", e_puf, u_kg)",
    };

    fn id(from: Anchor<'_>, to: Anchor<'_>) -> String {
        fingerprints(&[(from, to)]).remove(0)
    }

    #[test]
    fn layout_and_folders_do_not_count() {
        let text = "int  p_cd [ 1 ]\n\t= { 0 } /* was 1 */ ; // new";
        assert_eq!(id(Anchor { text, ..FROM }, TO), id(FROM, TO));
        assert_eq!(id(Anchor { file: "other/scale.c", ..FROM }, TO), id(FROM, TO));
        assert_eq!(id(FROM, TO).len(), 16);
    }

    #[test]
    fn all_else_does() {
        let original = id(FROM, TO);
        for from in [
            Anchor { domain: "sensor", ..FROM },
            Anchor { file: "src/other.c", ..FROM },
            Anchor { function: "f", ..FROM },
            Anchor { what: "p_ab", ..FROM },
            Anchor { text: "int p_cd[1] = {1};", ..FROM },
            Anchor { text: "int p_cd[1] = {0}", ..FROM },
            // The same letters, in other words.
            Anchor { text: "intp_cd[1] = {0};", ..FROM },
            Anchor { domain: "keyboar", file: "d", ..FROM },
        ] {
            assert_ne!(id(from, TO), original, "{from:?}");
        }
        // Blanks inside a string are part of it.
        assert_ne!(id(FROM, Anchor { text: "printf(\"%s %f\", e_puf, u_kg)", ..TO }), original);
        assert_ne!(id(TO, FROM), original);
    }

    #[test]
    fn equal_pairs_are_told_apart_by_their_order() {
        let other = Anchor { what: "p_ab", ..FROM };
        let ids = fingerprints(&[(FROM, TO), (other, TO), (FROM, TO), (FROM, TO)]);
        assert_eq!((&ids[0], &ids[1]), (&id(FROM, TO), &id(other, TO)));
        let mut sorted = ids.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), 4);
        // What comes later does not change what was there.
        assert_eq!(fingerprints(&[(FROM, TO), (FROM, TO)]), [ids[0].clone(), ids[2].clone()]);
    }

    #[test]
    fn names_are_the_same_in_every_version() {
        // FNV-1a's published values: of nothing, and of "a".
        assert_eq!(Fnv::new().0, 0xcbf29ce484222325);
        let mut hash = Fnv::new();
        hash.byte(b'a');
        assert_eq!(hash.0, 0xaf63dc4c8601ec8c);
    }
}
