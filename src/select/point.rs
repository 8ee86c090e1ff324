//! Places as the user writes them on the command line.

use std::fmt;
use std::str::FromStr;

/// A place that the user names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Point {
    /// `FILE:LINE` or `FILE:LINE:VARIABLE`
    Line {
        /// The file, by path suffix.
        file: String,
        /// From 1.
        line: u32,
        /// Only this variable.
        variable: Option<String>,
    },
    /// `FUNCTION::VARIABLE`
    Variable {
        /// The function.
        function: String,
        /// Its variable or parameter.
        variable: String,
    },
    /// `FUNCTION()`: its calls.
    Calls(String),
}

impl FromStr for Point {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        parse_point(text)
            .ok_or_else(|| "a point is FILE:LINE, FILE:LINE:VARIABLE, FUNCTION::VARIABLE or FUNCTION()".to_owned())
    }
}

fn parse_point(text: &str) -> Option<Point> {
    if let Some(function) = text.strip_suffix("()") {
        return is_name(function).then(|| Point::Calls(function.to_owned()));
    }
    if let Some((function, variable)) = text.split_once("::") {
        let named = is_name(function) && is_name(variable);
        return named.then(|| Point::Variable { function: function.to_owned(), variable: variable.to_owned() });
    }
    let (head, last) = text.rsplit_once(':')?;
    let (file, line, variable) = if last.starts_with(|c: char| c.is_ascii_digit()) {
        (head, last, None)
    } else {
        let (file, line) = head.rsplit_once(':')?;
        (file, line, Some(last))
    };
    let line = line.parse().ok().filter(|line| *line > 0)?;
    if file.is_empty() || !variable.is_none_or(is_name) {
        return None;
    }
    Some(Point::Line { file: file.to_owned(), line, variable: variable.map(str::to_owned) })
}

/// Whether C could use it as a name; `.` and `->` lead to a member.
fn is_name(text: &str) -> bool {
    let plain = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    text.replace("->", ".").split('.').all(plain)
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Line { file, line, variable: None } => write!(f, "{file}:{line}"),
            Point::Line { file, line, variable: Some(variable) } => write!(f, "{file}:{line}:{variable}"),
            Point::Variable { function, variable } => write!(f, "{function}::{variable}"),
            Point::Calls(function) => write!(f, "{function}()"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Point;

    #[test]
    fn points_are_read() {
        let line = |file: &str, line, variable: Option<&str>| Point::Line {
            file: file.to_owned(),
            line,
            variable: variable.map(str::to_owned),
        };
        assert_eq!("src/scale.c:12".parse(), Ok(line("src/scale.c", 12, None)));
        assert_eq!("scale.c:12:p_ab".parse(), Ok(line("scale.c", 12, Some("p_ab"))));
        assert_eq!("c:/x/scale.c:3:s.f".parse(), Ok(line("c:/x/scale.c", 3, Some("s.f"))));
        assert_eq!(
            "main::p_cd".parse(),
            Ok(Point::Variable { function: "main".to_owned(), variable: "p_cd".to_owned() })
        );
        assert_eq!("printf()".parse(), Ok(Point::Calls("printf".to_owned())));
        for bad in
            ["", "main", "scale.c", "scale.c:0", ":7", "scale.c:x", "::v", "f::", "()", "1f()", "a.c:5:", "a.c:5:1x"]
        {
            assert!(bad.parse::<Point>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_point_is_shown_as_it_is_written() {
        for text in ["src/scale.c:12", "scale.c:3:s.f", "scale.c:3:p->f", "main::p_cd", "printf()"] {
            let point: Point = text.parse().expect("a point");
            assert_eq!(point.to_string(), text);
        }
    }
}
