//! Paths of Python that are put together of literals: `os.path.join(…)`, `Path.home() / 'a'`, `os.path.expanduser('~/a')`.

use guard_sdk::code::literal;

/// Expressions inside each other, and the parts of one path.
const DEEP: usize = 6;
const PARTS: usize = 32;
const LONGEST: usize = 4096;

/// A path that is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) path: String,
    /// It begins at the home of the user, and `~` stands for that.
    pub(super) home: bool,
}

impl Known {
    fn literal(path: &str) -> Known {
        Known { path: path.to_owned(), home: false }
    }

    fn home() -> Known {
        Known { path: "~".to_owned(), home: true }
    }

    /// With a part below it; one that begins at the root stands by itself.
    fn join(self, part: Known) -> Option<Known> {
        if part.home || part.path.starts_with('/') || self.path.is_empty() {
            return Some(part);
        }
        let slash = if self.path.ends_with('/') { "" } else { "/" };
        let path = format!("{}{slash}{}", self.path, part.path);
        (path.len() <= LONGEST).then_some(Known { path, home: self.home })
    }
}

/// Calls and values that are the home of the user.
const HOMES: &[&str] = &[
    "Path.home()",
    "os.environ['HOME']",
    "os.environ[\"HOME\"]",
    "os.environ.get('HOME')",
    "os.environ.get(\"HOME\")",
    "os.getenv('HOME')",
    "os.getenv(\"HOME\")",
];

/// Calls that give their argument back as a path.
const SAME: &[&str] = &["Path(", "PurePath(", "os.path.abspath(", "os.path.realpath(", "os.path.normpath(", "str("];

/// The path that the text begins with, and what follows it.
pub(super) fn path(text: &str) -> Option<(Known, &str)> {
    sum(text, DEEP)
}

/// Parts between `/`, or texts between `+`.
fn sum(text: &str, deep: usize) -> Option<(Known, &str)> {
    let (mut known, mut rest) = part(text.trim_start(), deep.checked_sub(1)?)?;
    for _ in 0..PARTS {
        let next = rest.trim_start();
        let (operand, joins) = match (next.strip_prefix('/'), next.strip_prefix('+')) {
            (Some(operand), _) => (operand, true),
            (_, Some(operand)) => (operand, false),
            _ => return Some((methods(known, &mut rest), rest)),
        };
        let (more, after) = part(operand.trim_start(), deep.checked_sub(1)?)?;
        known = if joins { known.join(more)? } else { Known { path: known.path + &more.path, home: known.home } };
        rest = after;
    }
    None
}

/// The path after the methods that do not change where it leads.
fn methods(known: Known, rest: &mut &str) -> Known {
    let mut known = known;
    for _ in 0..DEEP {
        let Some(after) = [".resolve()", ".absolute()", ".expanduser()", ".as_posix()"]
            .iter()
            .find_map(|method| rest.strip_prefix(method).map(|after| (*method, after)))
        else {
            break;
        };
        if after.0 == ".expanduser()" {
            known = expanded(known);
        }
        *rest = after.1;
    }
    known
}

fn expanded(known: Known) -> Known {
    let home = known.home || known.path == "~" || known.path.starts_with("~/");
    Known { home, ..known }
}

fn part(text: &str, deep: usize) -> Option<(Known, &str)> {
    let text = text.strip_prefix("pathlib.").unwrap_or(text);
    if let Some(rest) = HOMES.iter().find_map(|home| text.strip_prefix(home)) {
        let mut rest = rest;
        return Some((methods(Known::home(), &mut rest), rest));
    }
    if let Some(inside) = text.strip_prefix("os.path.expanduser(") {
        let (known, rest) = arguments(inside, deep)?;
        return Some((expanded(known), rest));
    }
    if let Some(inside) = text.strip_prefix("os.path.join(") {
        return arguments(inside, deep);
    }
    if let Some(inside) = SAME.iter().find_map(|call| text.strip_prefix(call)) {
        let (known, mut rest) = arguments(inside, deep)?;
        return Some((methods(known, &mut rest), rest));
    }
    if let Some(inside) = text.strip_prefix('(') {
        let (known, rest) = sum(inside, deep)?;
        let mut rest = rest.trim_start().strip_prefix(')')?;
        return Some((methods(known, &mut rest), rest));
    }
    let plain = text.trim_start_matches(['r', 'b', 'u']);
    let (inside, rest) = literal(plain)?;
    let simple = text.len() - plain.len() < 2 && !plain.starts_with('`') && !inside.contains(['\\', '\n']);
    simple.then(|| (Known::literal(inside), rest))
}

/// The arguments of a call, each below the one before.
fn arguments(inside: &str, deep: usize) -> Option<(Known, &str)> {
    let (mut known, mut rest) = sum(inside, deep)?;
    for _ in 0..PARTS {
        let next = rest.trim_start();
        if let Some(after) = next.strip_prefix(')') {
            return Some((known, after));
        }
        let argument = next.strip_prefix(',')?.trim_start();
        if let Some(after) = argument.strip_prefix(')') {
            return Some((known, after));
        }
        let (more, after) = sum(argument, deep)?;
        known = known.join(more)?;
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Known, path};

    #[test]
    fn paths_are_put_together() {
        for (text, expected, home, rest) in [
            ("'a/b', 'w')", "a/b", false, ", 'w')"),
            ("os.path.join('a', \"b\", 'c'))", "a/b/c", false, ")"),
            ("os.path.join('a', '/b'), 'w')", "/b", false, ", 'w')"),
            ("os.path.expanduser('~/a'))", "~/a", true, ")"),
            ("os.path.join(os.path.expanduser('~'), '.a', 'b'))", "~/.a/b", true, ")"),
            ("Path.home() / '.a' / 'b')", "~/.a/b", true, ")"),
            ("(Path.home()/'.a'/'b').write_text('x')", "~/.a/b", true, ".write_text('x')"),
            ("pathlib.Path('a') / 'b', 1)", "a/b", false, ", 1)"),
            ("Path('~/a').expanduser().unlink()", "~/a", true, ".unlink()"),
            ("Path('a', 'b').resolve().unlink()", "a/b", false, ".unlink()"),
            ("os.environ['HOME'] + '/a')", "~/a", true, ")"),
            ("str(Path.home() / 'a'))", "~/a", true, ")"),
            ("'~/a')", "~/a", false, ")"),
        ] {
            assert_eq!(path(text), Some((Known { path: expected.to_owned(), home }, rest)), "{text}");
        }
        for text in [
            "x / 'a')",
            "Path(x) / 'a')",
            "os.path.join(d, 'a'))",
            "f'a{x}')",
            "'a' + x)",
            "Path.home() / x)",
            "'a\\n')",
            "",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
        assert_eq!(path(&"(".repeat(10_000)), None);
        assert_eq!(path(&"'a'/".repeat(10_000)), None);
    }
}
