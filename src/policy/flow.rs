//! The text of flows and places: `*1 <- *2, 3`.
//!
//! Cost: linear in the text.

use std::ops::Range;

use super::model::{Flow, Spot};
use super::place::{Mistake, trimmed as part};
use super::toml::nearest;

const PLACES: &str = "places are `return`, `N`, `N..`, `*N`, `*N..`, `object N`, `object N..`, `global NAME`, `input`, `stream NAME`, \
                      `state NAME`, `file N`, `errno`, `new`, `&state NAME`, `&global NAME`, `&errno`, `*state NAME` and `*global NAME`";

const WORDS: [&str; 9] = ["return", "object", "global", "input", "stream", "state", "file", "errno", "new"];

/// `TARGET <- SOURCES` or `TARGET <~ SOURCES`.
pub(super) fn flow(text: &str) -> Result<Flow, Mistake> {
    let Some(arrow) = text.find("<-").or_else(|| text.find("<~")) else {
        return Err(mistake(
            "a flow needs an arrow `<-`",
            0..text.len(),
            "write `TARGET <- SOURCES`: `return <- 1, *2`",
        ));
    };
    let (before, after) = (part(text, 0..arrow), part(text, arrow + 2..text.len()));
    let target = spot(text, before.clone())?;
    if let Some(message) = why_not_target(&target) {
        return Err(mistake(
            message,
            before,
            "what a call can change: `return`, `*N`, `object N`, `global NAME`, `stream NAME`, `state NAME`, `file N`, `errno`, `new`",
        ));
    }
    if after.is_empty() {
        return Err(mistake(
            "a source is missing",
            arrow..arrow + 2,
            "write `TARGET <- SOURCES`, with at least one source; no effect at all is `flows = []`",
        ));
    }
    let sources = list(text, after).map(|at| source(text, at)).collect::<Result<_, _>>()?;
    Ok(Flow { target, sources, carries: text[arrow..].starts_with("<-") })
}

/// A place that data comes from, alone in its text.
pub(super) fn source_alone(text: &str) -> Result<Spot, Mistake> {
    source(text, part(text, 0..text.len()))
}

fn source(text: &str, at: Range<usize>) -> Result<Spot, Mistake> {
    match spot(text, at.clone())? {
        Spot::Return => {
            Err(mistake("`return` is no source", at, "the result is what the call makes; put it before the arrow"))
        }
        spot => Ok(spot),
    }
}

fn why_not_target(spot: &Spot) -> Option<&'static str> {
    match spot {
        Spot::Value(_) | Spot::Values(_) => Some("a call cannot change the value of an argument"),
        Spot::Input => Some("`input` is a source only"),
        Spot::Address(_) => Some("an address cannot be changed"),
        Spot::Return
        | Spot::Object(_)
        | Spot::Objects(_)
        | Spot::Memory(_)
        | Spot::Memories(_)
        | Spot::Global(_)
        | Spot::Stream(_)
        | Spot::State(_)
        | Spot::File(_)
        | Spot::Errno
        | Spot::New
        | Spot::Reached(_) => None,
    }
}

/// One place.
fn spot(text: &str, at: Range<usize>) -> Result<Spot, Mistake> {
    let word = &text[at.clone()];
    let fail = |message: String, help: &str| Err(mistake(message, at.clone(), help));
    if word.is_empty() {
        // A mark of no width is hard to see.
        let at = at.start.saturating_sub(1)..(at.end + 1).min(text.len());
        return Err(mistake("a place is missing here", at, PLACES));
    }
    if let Some(of) = word.strip_prefix('&') {
        let start = at.end - of.trim_start().len();
        return match spot(text, start..at.end)? {
            of @ (Spot::State(_) | Spot::Global(_) | Spot::Errno) => Ok(Spot::Address(Box::new(of))),
            _ => fail(
                format!("`{word}` is no address that a model can name"),
                "write `&state NAME`, `&global NAME` or `&errno`",
            ),
        };
    }
    if let Some(number) = word.strip_prefix('*') {
        let of = part(text, at.end - number.len()..at.end);
        if text[of.clone()].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return match spot(text, of)? {
                from @ (Spot::State(_) | Spot::Global(_)) => Ok(Spot::Reached(Box::new(from))),
                _ => fail(
                    format!("`{word}` is no memory that a model can name"),
                    "write `*N`, `*state NAME` or `*global NAME`",
                ),
            };
        }
        let (n, rest) = argument(text, of)?;
        return Ok(if rest { Spot::Memories(n) } else { Spot::Memory(n) });
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let (n, rest) = argument(text, at)?;
        return Ok(if rest { Spot::Values(n) } else { Spot::Value(n) });
    }
    let (key, value) = word.split_once(char::is_whitespace).map_or((word, ""), |(k, v)| (k, v.trim_start()));
    let value_at = at.end - value.len()..at.end;
    match (key, value) {
        ("return", "") => Ok(Spot::Return),
        ("input", "") => Ok(Spot::Input),
        ("errno", "") => Ok(Spot::Errno),
        ("new", "") => Ok(Spot::New),
        ("return" | "input" | "errno" | "new", _) => {
            Err(mistake(format!("`{key}` takes no name"), value_at, "separate places by commas"))
        }
        ("global" | "stream" | "state", "") => fail(format!("`{key}` needs a name"), &format!("write `{key} NAME`")),
        ("global" | "stream" | "state", name) if !is_name(name) => Err(mistake(
            format!("`{name}` is not a name"),
            value_at,
            "names are letters, digits and `_`; separate places by commas",
        )),
        ("global", name) => Ok(Spot::Global(name.to_owned())),
        ("stream", name) => Ok(Spot::Stream(name.to_owned())),
        ("state", name) => Ok(Spot::State(name.to_owned())),
        ("file" | "object", "") => {
            fail(format!("`{key}` needs the number of an argument"), &format!("write `{key} 1`"))
        }
        ("file", _) => match argument(text, value_at.clone())? {
            (n, false) => Ok(Spot::File(n)),
            (_, true) => {
                Err(mistake("`file` is one argument's", value_at, "name the argument that is the file: `file 1`"))
            }
        },
        ("object", _) => {
            let (n, rest) = argument(text, value_at)?;
            Ok(if rest { Spot::Objects(n) } else { Spot::Object(n) })
        }
        _ => match nearest(key, &WORDS) {
            Some(near) => fail(format!("`{word}` is not a place"), &format!("did you mean `{near}`? {PLACES}")),
            None => fail(format!("`{word}` is not a place"), PLACES),
        },
    }
}

/// `N` or `N..`: the number, and whether the later arguments are meant, too.
fn argument(text: &str, at: Range<usize>) -> Result<(u32, bool), Mistake> {
    let word = &text[at.clone()];
    let (digits, rest) = word.strip_suffix("..").map_or((word, false), |digits| (digits, true));
    match digits.parse() {
        Ok(0) => Err(mistake("there is no argument 0", at, "arguments are counted from 1")),
        Ok(n) if digits.bytes().all(|b| b.is_ascii_digit()) => Ok((n, rest)),
        Ok(_) | Err(_) => Err(mistake(
            format!("`{word}` is not the number of an argument"),
            at,
            "arguments are counted from 1; `2..` is the second and all later ones",
        )),
    }
}

/// Whether the text can be a name in C, or one of a hidden object.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The parts between commas, without blanks around them.
fn list(text: &str, at: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = at.start;
    text[at].split(',').map(move |piece| {
        let piece_at = start..start + piece.len();
        start = piece_at.end + 1;
        part(text, piece_at)
    })
}

fn mistake(message: impl Into<String>, at: Range<usize>, help: &str) -> Mistake {
    Mistake::new(message, at, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_spelling() {
        let flow = flow("*1 <-  2 ,3.., *4,*5.. , object 6, object 7.., global g, input, stream stdin, state s_1, file 8, errno, new, &state t, &errno, *state u, *global v")
            .unwrap();
        assert!(flow.carries);
        assert_eq!(flow.target, Spot::Memory(1));
        let address = |spot| Spot::Address(Box::new(spot));
        let expected = [
            Spot::Value(2),
            Spot::Values(3),
            Spot::Memory(4),
            Spot::Memories(5),
            Spot::Object(6),
            Spot::Objects(7),
            Spot::Global("g".into()),
            Spot::Input,
            Spot::Stream("stdin".into()),
            Spot::State("s_1".into()),
            Spot::File(8),
            Spot::Errno,
            Spot::New,
            address(Spot::State("t".into())),
            address(Spot::Errno),
            Spot::Reached(Box::new(Spot::State("u".into()))),
            Spot::Reached(Box::new(Spot::Global("v".into()))),
        ];
        assert_eq!(flow.sources, expected);
        assert_eq!(super::flow(&flow.to_string()), Ok(flow));
        assert!(!super::flow("return <~ 1").unwrap().carries);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, at, message) in [
            ("return = 1", "return = 1", "needs an arrow"),
            ("retrun <- 1", "retrun", "`retrun` is not a place"),
            ("return <- 1, *-1", "-1", "not the number of an argument"),
            ("return <- 1, *file 2", "*file 2", "no memory"),
            ("return <- 0", "0", "no argument 0"),
            ("return <- 1.", "1.", "not the number"),
            ("return <- *2 3", "2 3", "not the number"),
            ("return <-", "<-", "a source is missing"),
            ("return <- 1,, 2", ",,", "a place is missing"),
            ("1 <- 2", "1", "cannot change the value"),
            ("input <- 2", "input", "a source only"),
            ("&errno <- 2", "&errno", "cannot be changed"),
            ("errno <- return", "return", "no source"),
            ("state <- 1", "state", "needs a name"),
            ("stream a-b <- 1", "a-b", "is not a name"),
            ("*1 <- file", "file", "needs the number"),
            ("*1 <- file 2..", "2..", "one argument's"),
            ("return <- new 1", "1", "takes no name"),
            ("return <- &stream x", "&stream x", "no address"),
            ("return <- 99999999999", "99999999999", "not the number"),
        ] {
            let mistake = flow(text).unwrap_err();
            assert_eq!(&text[mistake.at.clone()], at, "{text}: {mistake:?}");
            assert!(mistake.message.contains(message), "{text}: {mistake:?}");
        }
        assert!(flow("retrun <- 1").unwrap_err().help.contains("did you mean `return`"));
    }
}
