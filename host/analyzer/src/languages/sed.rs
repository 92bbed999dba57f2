//! `sed` scripts: the commands that they start, and the files that they read and write.
//!
//! Supports the commands of GNU sed, including its own `e`. Analysis ends at a syntax error, because `sed` doesn't run
//! a script with one.

use super::pieces::Pieces;
use super::with_options::ProgramText;
use crate::options::{Operand, Options, Parsed};

/// The options of `sed` that take a value.
pub(crate) const OPTIONS: Options = Options::new("efl", "expression file line-length").with_attached("i");

/// An action of a script other than editing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A text becomes shell.
    Runs(Pieces),
    /// The line's current content becomes shell.
    RunsLines,
    /// The line's text becomes shell after `from`, which is a literal pattern, is replaced.
    RunsReplaced {
        from: String,
        to: String,
    },
    Reads(String),
    Writes(String),
}

/// A change of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    Replaces { from: String, to: Pieces },
    Inserts(String),
}

impl Edit {
    /// Returns the new line if it doesn't depend on the old one.
    pub(crate) fn line(&self) -> Option<&str> {
        match self {
            Edit::Inserts(text) => Some(text),
            Edit::Replaces { from, to } => {
                to.text_ref().filter(|_| matches!(from.as_str(), ".*" | "^.*$" | "^.*" | ".*$"))
            }
        }
    }
}

/// Returns a text after these edits. A line that a pattern would have to match stays, followed by its replacement.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_owned();
    for edit in edits {
        if text.len() > crate::limits::SOURCE {
            break;
        }
        let mut more: Option<&str> = None;
        match edit {
            Edit::Inserts(line) => more = Some(line),
            Edit::Replaces { from, to } => match (from.as_str(), to.text()) {
                (_, None) => {}
                ("^", Some(to)) => text = text.lines().map(|line| format!("{to}{line}\n")).collect(),
                ("$", Some(to)) => text = text.lines().map(|line| format!("{line}{to}\n")).collect(),
                (from, Some(replacement)) => match plain(from.trim_start_matches('^')) {
                    Some(pattern) => text = with_replaced(&text, &pattern, &replacement),
                    // Another line would break JSON.
                    None if text.starts_with('{') => {}
                    None => more = to.text_ref(),
                },
            },
        }
        if let Some(line) = more {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Returns a pattern as characters, with `None` for any character. `None` if it has other special characters.
fn plain(pattern: &str) -> Option<Vec<Option<char>>> {
    let mut found = Vec::new();
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '.' => found.push(None),
            '\\' => {
                found.push(Some(chars.next().filter(|char| !char.is_alphanumeric() && !"(){}|+?".contains(*char))?))
            }
            '[' | '*' | '^' | '$' | '&' | '+' | '?' => return None,
            char => found.push(Some(char)),
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Replaces each part of a text that a pattern matches.
fn with_replaced(text: &str, pattern: &[Option<char>], replacement: &str) -> String {
    if let Some(plain) = pattern.iter().copied().collect::<Option<String>>() {
        return text.replace(&plain, replacement);
    }
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut chars = rest.chars();
        let matches = pattern.iter().all(|wanted| match (wanted, chars.next()) {
            (_, None | Some('\n')) => false,
            (wanted, Some(char)) => wanted.is_none_or(|wanted| wanted == char),
        });
        if matches {
            replaced.push_str(replacement);
            rest = chars.as_str();
        } else {
            replaced.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    replaced
}

/// Returns the edits of a script.
pub(crate) fn edits(script: &str) -> Vec<Edit> {
    let mut reader = Reader { rest: script, acts: Vec::new(), edits: Vec::new(), replaced: None };
    while reader.command().is_some() && reader.edits.len() < MOST {}
    reader.edits
}

/// The maximum number of actions in one script. Further ones count as unknown text that runs.
const MOST: usize = 256;

/// Returns a call's script and operands. `content` returns the text of a script file.
pub(crate) fn given<'a>(parsed: &Parsed<'a>, content: impl Fn(&Operand<'a>) -> Option<String>) -> ProgramText<'a> {
    // In BSD's `-i ''`, the suffix is a separate word.
    let suffix = parsed.has("i", "in-place") && parsed.operands.first().is_some_and(|first| first.text.is_empty());
    super::with_options::given(parsed, &["e", "expression"], &["f", "file"], usize::from(suffix), content)
}

/// Returns the actions of the script.
pub(crate) fn acts(script: &str) -> Vec<Action> {
    let mut reader = Reader { rest: script, acts: Vec::new(), edits: Vec::new(), replaced: None };
    while reader.command().is_some() {
        if reader.acts.len() >= MOST {
            crate::limits::reached("a script has too many parts to follow");
            reader.acts.push(Action::Runs(Pieces::unknown()));
            break;
        }
    }
    reader.acts
}

struct Reader<'s> {
    rest: &'s str,
    acts: Vec<Action>,
    edits: Vec<Edit>,
    /// The content of a line after the last replacement.
    replaced: Option<Pieces>,
}

impl<'s> Reader<'s> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let char = chars.next();
        self.rest = chars.as_str();
        char
    }

    fn skip(&mut self, skips: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(skips);
    }

    /// Reads the rest of the line, without the newline.
    fn line(&mut self) -> &'s str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Reads one command with its addresses. `None` at the end or at a syntax error.
    fn command(&mut self) -> Option<()> {
        self.skip(|char| char.is_whitespace() || char == ';');
        self.peek()?;
        if self.address() {
            self.skip(|char| char == ' ' || char == '\t');
            if self.peek() == Some(',') {
                self.next();
                self.skip(|char| char == ' ' || char == '\t');
                self.address();
            }
        }
        self.skip(|char| matches!(char, ' ' | '\t' | '!'));
        match self.next()? {
            '#' => drop(self.line()),
            'a' | 'i' | 'c' => {
                let text = self.text();
                self.edits.push(Edit::Inserts(text));
            }
            ':' | 'b' | 't' | 'T' | 'v' => self.skip(|char| char != '\n' && char != ';'),
            'r' | 'R' => {
                let file = self.line().trim_start().to_owned();
                self.acts.push(Action::Reads(file));
            }
            'w' | 'W' => {
                let file = self.line().trim_start().to_owned();
                self.acts.push(Action::Writes(file));
            }
            'e' => self.execute(),
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.next()?;
                self.until(delimiter, false)?;
                self.until(delimiter, false)?;
            }
            // One letter, perhaps with a number.
            '{' | '}' | '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'l' | 'L' | 'n' | 'N' | 'p' | 'P' | 'q'
            | 'Q' | 'x' | 'z' => self.skip(|char| char == ' ' || char == '\t' || char.is_ascii_digit()),
            _ => return None,
        }
        Some(())
    }

    /// Reads an address. Returns whether there was one.
    fn address(&mut self) -> bool {
        match self.peek() {
            Some(char) if char.is_ascii_digit() || matches!(char, '$' | '+' | '~') => {
                self.next();
                self.skip(|char| char.is_ascii_digit() || char == '~');
                true
            }
            Some(opener @ ('/' | '\\')) => {
                self.next();
                let delimiter = if opener == '\\' { self.next() } else { Some(opener) };
                delimiter.and_then(|delimiter| self.until(delimiter, true));
                self.skip(|char| matches!(char, 'I' | 'M'));
                true
            }
            _ => false,
        }
    }

    /// Reads the text up to the next `delimiter`, and consumes the delimiter. In a pattern, a bracket expression may
    /// contain it.
    fn until(&mut self, delimiter: char, pattern: bool) -> Option<String> {
        let mut text = String::new();
        loop {
            let char = self.next()?;
            match char {
                _ if char == delimiter => return Some(text),
                '\\' => {
                    let escaped = self.next()?;
                    if escaped != delimiter {
                        text.push('\\');
                    }
                    text.push(escaped);
                }
                '[' if pattern => {
                    text.push(char);
                    self.bracket(&mut text);
                }
                _ => text.push(char),
            }
        }
    }

    /// Reads the rest of a bracket expression, if it ends on this line.
    fn bracket(&mut self, text: &mut String) {
        let body = self.rest.strip_prefix('^').unwrap_or(self.rest);
        let body = body.strip_prefix(']').unwrap_or(body);
        let mut at = self.rest.len() - body.len();
        loop {
            let Some(tail) = self.rest.get(at..) else { return };
            let class = ["[:", "[.", "[="].into_iter().find_map(|open| {
                let close: String = open.chars().rev().map(|char| if char == '[' { ']' } else { char }).collect();
                tail.strip_prefix(open)?.find(&close).map(|end| end + 4)
            });
            match (class, tail.chars().next()) {
                (Some(width), _) => at += width,
                (None, Some(']')) => break,
                (None, Some(char)) if char != '\n' => at += char.len_utf8(),
                _ => return,
            }
        }
        if let Some((inside, rest)) = self.rest.split_at_checked(at + 1) {
            text.push_str(inside);
            self.rest = rest;
        }
    }

    /// Reads the text of `a`, `c`, `e` or `i`: up to a newline without a backslash.
    fn text(&mut self) -> String {
        let mut text = String::new();
        while let Some(char) = self.next() {
            match char {
                '\n' => break,
                '\\' => text.extend(self.next()),
                _ => text.push(char),
            }
        }
        text.trim_start().to_owned()
    }

    fn execute(&mut self) {
        let command = self.text();
        let bare = matches!(command.trim(), "" | ";" | "}") || command.starts_with(';');
        if !bare {
            return self.acts.push(Action::Runs(Pieces::known(&command)));
        }
        let act = self.replaced.clone().map_or(Action::RunsLines, Action::Runs);
        self.acts.push(act);
    }

    fn substitute(&mut self) -> Option<()> {
        let delimiter = self.next().filter(|char| !matches!(char, '\n' | '\\'))?;
        let pattern = self.until(delimiter, true)?;
        let replacement = self.until(delimiter, false)?;
        let (mut runs, mut file) = (false, None);
        loop {
            match self.peek() {
                Some('e') => runs = true,
                Some('w') => {
                    self.next();
                    file = Some(self.line().trim_start().to_owned());
                    break;
                }
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | ' ' | '\t' | '\r') => {}
                Some(char) if char.is_ascii_digit() => {}
                Some('}' | ';' | '\n' | '#') | None => break,
                Some(_) => return None,
            }
            self.next();
        }
        let pieces = replaced(&replacement);
        if runs {
            match pieces.text() {
                Some(to) if plain(&pattern).is_some_and(|pattern| pattern.iter().all(Option::is_some)) => {
                    self.acts.push(Action::RunsReplaced { from: pattern.clone(), to });
                }
                _ => self.acts.push(Action::Runs(pieces.clone())),
            }
        }
        self.edits.push(Edit::Replaces { from: pattern, to: pieces.clone() });
        self.replaced = Some(pieces).filter(Pieces::says_something);
        self.acts.extend(file.map(Action::Writes));
        Some(())
    }
}

/// Returns a replacement's text. `&` and `\1` are only known at run time.
fn replaced(replacement: &str) -> Pieces {
    let mut pieces = Pieces::default();
    let mut chars = replacement.chars();
    while let Some(char) = chars.next() {
        match char {
            '&' => pieces.push_unknown(),
            '\\' => match chars.next() {
                Some('0'..='9') => pieces.push_unknown(),
                // They change the case of the text that follows.
                Some('L' | 'U' | 'l' | 'u' | 'E') => {}
                Some('n') => pieces.push("\n"),
                Some('t') => pieces.push("\t"),
                Some(base @ ('x' | 'o' | 'd')) => {
                    let (radix, most) = match base {
                        'x' => (16, 2),
                        'o' => (8, 3),
                        _ => (10, 3),
                    };
                    let digits: String = chars.clone().take(most).take_while(|char| char.is_digit(radix)).collect();
                    let code = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
                    chars.by_ref().take(digits.len()).for_each(drop);
                    pieces.push(&code.map_or_else(|| base.to_string(), String::from));
                }
                Some(other) => pieces.push(&other.to_string()),
                None => {}
            },
            other => pieces.push(&other.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests;
