//! Pragmas that change what a program means: `pack`, `weak`, and those that are refused, OpenMP first.

use super::Failure;

/// The alignment limit in force, and the changes to it so far.
#[derive(Default)]
pub(super) struct Pragmas {
    /// Offsets in the input.
    pub pack: Vec<(u32, Option<u64>)>,
    /// Symbols declared weak, each with what it is another name for.
    pub weak: Vec<(String, Option<String>)>,
    limit: Option<u64>,
    saved: Vec<(Option<String>, Option<u64>)>,
}

impl Pragmas {
    /// What follows `#pragma`, at `offset` in the input.
    pub fn directive(&mut self, body: &str, offset: u32) -> Result<(), Failure> {
        let body = body.trim();
        let end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
        match &body[..end] {
            "omp" => Err(Failure::new(offset, "OpenMP is not supported")),
            word @ ("scalar_storage_order" | "redefine_extname") => {
                Err(Failure::new(offset, format!("#pragma {word} is not supported")))
            }
            "weak" => {
                let (name, target) = body[end..].split_once('=').unwrap_or((&body[end..], ""));
                let target = Some(target.trim()).filter(|t| !t.is_empty());
                self.weak.push((name.trim().to_string(), target.map(String::from)));
                Ok(())
            }
            "pack" => {
                self.pack(body[end..].trim(), offset);
                Ok(())
            }
            // Diagnostics, optimisation, visibility, floating-point modes: nothing that the IR tells apart.
            _ => Ok(()),
        }
    }

    /// `(8)`, `()`, `(push)`, `(push, 8)`, `(push, name, 8)`, `(pop)`, `(pop, name)`. Like gcc, what cannot be read is ignored.
    fn pack(&mut self, arguments: &str, offset: u32) {
        let Some(inner) = arguments.strip_prefix('(').and_then(|a| a.split(')').next()) else { return };
        let mut limit = self.limit;
        let mut words = inner.split(',').map(str::trim).filter(|word| !word.is_empty()).peekable();
        match words.peek().copied() {
            None => limit = None,
            Some("push") => {
                words.next();
                let name = words.next_if(|word| word.parse::<u64>().is_err());
                self.saved.push((name.map(String::from), self.limit));
                if let Some(n) = words.next() {
                    limit = bytes(n, limit);
                }
            }
            Some("pop") => {
                words.next();
                match words.next() {
                    Some(name) if name.parse::<u64>().is_err() => {
                        let found = self.saved.iter().rposition(|(saved, _)| saved.as_deref() == Some(name));
                        if let Some(at) = found {
                            limit = self.saved[at].1;
                            self.saved.truncate(at);
                        }
                    }
                    number => {
                        if let Some((_, saved)) = self.saved.pop() {
                            limit = saved;
                        }
                        limit = number.map_or(limit, |n| bytes(n, limit));
                    }
                }
            }
            Some(n) => limit = bytes(n, limit),
        }
        if limit != self.limit {
            self.limit = limit;
            self.pack.push((offset, limit));
        }
    }
}

/// 1, 2, 4, 8 or 16 bytes; 0 is no limit. What else is there leaves the limit as it was.
fn bytes(word: &str, before: Option<u64>) -> Option<u64> {
    match word.parse::<u64>() {
        Ok(0) => None,
        Ok(n @ (1 | 2 | 4 | 8 | 16)) => Some(n),
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use super::Pragmas;

    #[test]
    fn pack_is_a_stack() {
        let mut pragmas = Pragmas::default();
        for (offset, text) in [
            (1, "pack(push, 1)"),
            (2, "GCC diagnostic push"),
            (3, "pack(push,name,2)"),
            (4, "pack(push)"),
            (5, "pack(4)"),
            (6, "pack(pop, name)"),
            (7, "pack(pop)"),
            (8, " pack ( 8 ) "),
            (9, "pack()"),
            (10, "pack(3)"),
        ] {
            pragmas.directive(text, offset).unwrap();
        }
        assert_eq!(
            pragmas.pack,
            [(1, Some(1)), (3, Some(2)), (5, Some(4)), (6, Some(1)), (7, None), (8, Some(8)), (9, None)]
        );
    }
}
