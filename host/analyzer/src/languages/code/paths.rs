//! Paths composed by code: concatenated strings, and the home in the syntax of each language.

/// The home in a composed path. It is resolved when the path's effect is added.
pub(super) const HOME: &str = "$HOME";

/// Expressions for the home, and its placeholders in strings.
const HOMES: &[&str] = &[
    "Path.home()",
    "pathlib.Path.home()",
    "os.homedir()",
    "homedir()",
    "process.env.HOME",
    "process.env[\"HOME\"]",
    "process.env['HOME']",
    "Dir.home",
    "ENV['HOME']",
    "ENV[\"HOME\"]",
    "ENV.fetch('HOME')",
    "ENV.fetch(\"HOME\")",
    "$ENV{HOME}",
    "$ENV{'HOME'}",
    "$ENV{\"HOME\"}",
    "os.environ['HOME']",
    "os.environ[\"HOME\"]",
    "os.getenv('HOME')",
    "os.getenv(\"HOME\")",
    "getenv('HOME')",
    "getenv(\"HOME\")",
    "$_SERVER['HOME']",
    "$_SERVER[\"HOME\"]",
];

/// Calls that return the path made of their arguments.
const JOINS: &[&str] = &[
    "pathlib.Path(",
    "Path(",
    "os.path.expanduser(",
    "expanduser(",
    "os.path.join(",
    "os.path.abspath(",
    "path.join(",
    "path.resolve(",
    "join(",
    "File.join(",
    "File.expand_path(",
    "Pathname.new(",
    "str(",
    "os.fspath(",
    "(",
];

/// The maximum length of a path, and the maximum nesting of parentheses.
const LONGEST: usize = 4096;
const DEPTH: usize = 8;

/// Reads the path at the start of the text. Returns it with the rest, or `None` if a part is unknown.
pub(super) fn read(text: &str) -> Option<(String, &str)> {
    sum(text, false, 0)
}

/// Reads joined parts: with an operator, or as a call's arguments.
fn sum(text: &str, arguments: bool, depth: usize) -> Option<(String, &str)> {
    let (mut path, mut rest) = part(text.trim_start(), depth)?;
    loop {
        rest = rest.trim_start();
        let (separated, tail) = match rest.chars().next() {
            Some('+') => (false, rest.get(1..)?),
            // A method, and not a string, may follow a dot.
            Some('.') => match rest.get(1..)?.trim_start() {
                tail if begins_part(tail) => (false, tail),
                _ => return Some((path, rest)),
            },
            Some('/') => (true, rest.get(1..)?),
            Some(',') if arguments => (true, rest.get(1..)?),
            _ => return Some((path, rest)),
        };
        let (more, tail) = part(tail.trim_start(), depth)?;
        if separated && !more.starts_with(['/', '$', '~']) {
            path = format!("{}/{more}", path.trim_end_matches('/'));
        } else if separated {
            path = more;
        } else {
            path.push_str(&more);
        }
        if path.len() > LONGEST {
            return None;
        }
        rest = tail;
    }
}

fn begins_part(text: &str) -> bool {
    text.starts_with(['"', '\'', '`']) || HOMES.iter().any(|home| text.starts_with(home))
}

fn part(text: &str, depth: usize) -> Option<(String, &str)> {
    if depth > DEPTH {
        return None;
    }
    if let Some(rest) = HOMES.iter().find_map(|home| text.strip_prefix(home)) {
        return Some((HOME.to_owned(), rest));
    }
    if let Some(inside) = JOINS.iter().find_map(|call| text.strip_prefix(call)) {
        let (path, rest) = sum(inside, true, depth + 1)?;
        let rest = rest.trim_start().strip_prefix(')')?;
        return Some((path, rest.strip_prefix(".expanduser()").unwrap_or(rest)));
    }
    let text = text.trim_start_matches(['r', 'b', 'u', 'f']);
    let quote = text.chars().next().filter(|char| matches!(char, '\'' | '"' | '`'))?;
    string(text.get(1..)?, quote)
}

/// Reads the string up to `quote`, and inserts the home for its placeholder.
fn string(text: &str, quote: char) -> Option<(String, &str)> {
    let mut path = String::new();
    let mut rest = text;
    loop {
        if let Some((_, tail)) = HOMES.iter().find_map(|home| {
            let inside = rest.strip_prefix(['#', '$']).unwrap_or(rest).strip_prefix('{');
            let braced = inside.and_then(|inside| inside.strip_prefix(*home)?.strip_prefix('}'));
            let bare = || rest.strip_prefix(home).filter(|_| home.starts_with('$') && quote == '"');
            Some((home, braced.or_else(bare)?))
        }) {
            path.push_str(HOME);
            rest = tail;
            continue;
        }
        let char = rest.chars().next()?;
        rest = rest.get(char.len_utf8()..)?;
        match char {
            _ if char == quote => break,
            '\\' | '\n' => return None,
            '$' | '#' if quote != '\'' && rest.starts_with('{') => return None,
            _ => path.push(char),
        }
    }
    let path = path.strip_prefix("~/").map_or(path.clone(), |rest| format!("{HOME}/{rest}"));
    (!path.is_empty() && path.len() <= LONGEST).then_some((path, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_together() {
        for (text, path) in [
            ("'a' + 'b')", "ab"),
            ("(Path.home()/'.x'/'y')", "$HOME/.x/y"),
            ("Path.home() / \".x\" / 'y'", "$HOME/.x/y"),
            ("os.path.join(os.path.expanduser('~/a'), 'b')", "$HOME/a/b"),
            ("os.path.expanduser(\"~/a\")", "$HOME/a"),
            ("f\"{Path.home()}/a\"", "$HOME/a"),
            ("`${process.env.HOME}/a`", "$HOME/a"),
            ("path.join(os.homedir(), 'a', 'b')", "$HOME/a/b"),
            ("\"#{Dir.home}/a\"", "$HOME/a"),
            ("\"$ENV{HOME}/a\"", "$HOME/a"),
            ("$ENV{HOME}.'/a'", "$HOME/a"),
            ("getenv('HOME').'/a'", "$HOME/a"),
            ("'a'.write", "a"),
        ] {
            assert_eq!(read(text).map(|(path, _)| path).as_deref(), Some(path), "{text}");
        }
        for text in ["x + 'a'", "Path(x)", "\"#{x}\"", "'a", "", "os.path.join(x, 'a')"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
