//! PowerShell strings and variables.

use super::values::{Piece, Text, Value};
use super::{ITEM, Reader, UNKNOWN};

/// Returns the bash counterpart of a PowerShell variable.
pub(super) fn variable(name: &str) -> Piece {
    let lower = name.to_lowercase();
    if let Some(name) = lower.strip_prefix("env:") {
        let name = match name {
            "userprofile" | "home" | "homepath" => "HOME".to_owned(),
            "temp" | "tmp" | "tmpdir" => "TMPDIR".to_owned(),
            "systemdrive" => return Piece::Bare("C:".to_owned()),
            "systemroot" | "windir" => return Piece::Bare("C:/Windows".to_owned()),
            "programfiles" => return Piece::Bare("C:/Program Files".to_owned()),
            "programdata" => return Piece::Bare("C:/ProgramData".to_owned()),
            other => sanitized(&other.to_uppercase()),
        };
        return Piece::Variable(name);
    }
    let own = ["script:", "global:", "local:", "private:", "using:", "variable:"]
        .iter()
        .find_map(|scope| lower.strip_prefix(scope))
        .unwrap_or(&lower);
    match own {
        "home" => Piece::Variable("HOME".to_owned()),
        "pwd" => Piece::Variable("PWD".to_owned()),
        "profile" => Piece::Bare("~/.config/powershell/profile.ps1".to_owned()),
        "null" => Piece::Quoted(String::new()),
        "true" | "false" => Piece::Quoted(own.to_owned()),
        "_" | "psitem" => Piece::Variable(ITEM.to_owned()),
        "" | "?" | "^" | "$" => Piece::Variable(UNKNOWN.to_owned()),
        // A name with a special meaning in shells.
        "path" | "match" | "reply" | "ifs" | "random" | "seconds" => Piece::Variable(format!("ps_{own}")),
        other => Piece::Variable(sanitized(other)),
    }
}

/// Replaces characters that bash doesn't allow in a name.
fn sanitized(name: &str) -> String {
    let mut result: String =
        name.chars().map(|char| if char.is_ascii_alphanumeric() || char == '_' { char } else { '_' }).collect();
    if !result.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        result.insert_str(0, "ps_");
    }
    result
}

/// Quotes that PowerShell treats as `'`, and as `"`.
pub(super) const SINGLE: [char; 4] = ['\'', '\u{2018}', '\u{2019}', '\u{201b}'];
pub(super) const DOUBLE: [char; 4] = ['"', '\u{201c}', '\u{201d}', '\u{201e}'];

impl Reader<'_> {
    /// Reads a variable's name after its `$`. `None` if no name follows: the `$` is then text.
    pub(super) fn variable_name(&mut self) -> Option<String> {
        if self.cursor.eat("{") {
            let (name, closed) = self.cursor.take_until("}");
            if !closed {
                self.partial("the name of a variable of PowerShell has no end");
            }
            return Some(name.to_owned());
        }
        if let Some(special) = self.cursor.peek().filter(|char| matches!(char, '?' | '^' | '$')) {
            self.cursor.next();
            return Some(special.to_string());
        }
        let name = self.cursor.take_while(|char| char.is_alphanumeric() || char == '_');
        if name.is_empty() {
            return None;
        }
        // `$env:NAME`, but not `$drive:\x` or `$type::Member`.
        let behind = self.cursor.rest().strip_prefix(':');
        let scoped = behind.is_some_and(|rest| rest.starts_with(|char: char| char.is_alphanumeric() || char == '_'));
        if !scoped {
            return Some(name.to_owned());
        }
        self.cursor.next();
        let rest = self.cursor.take_while(|char| char.is_alphanumeric() || char == '_');
        Some(format!("{name}:{rest}"))
    }

    /// Reads the commands of `$( ... )` or `( ... )`, after the opening parenthesis.
    pub(super) fn inner(&mut self) -> String {
        let text = self.deeper(|reader| reader.statements(Some(')')));
        if self.cursor.before() != Some(')') && !self.cursor.eat(")") {
            self.partial("a parenthesis of PowerShell has no end");
        }
        text
    }

    /// Reads a single-quoted string, after the opening quote.
    pub(super) fn single(&mut self) -> Text {
        let mut text = String::new();
        loop {
            text.push_str(self.cursor.take_while(|char| !SINGLE.contains(&char)));
            if self.cursor.next().is_none() {
                self.partial("a string of PowerShell has no end");
                break;
            }
            if !self.cursor.peek().is_some_and(|char| SINGLE.contains(&char)) {
                break;
            }
            text.extend(self.cursor.next());
        }
        Text::quoted(&text)
    }

    /// Reads a double-quoted string, after the opening quote.
    pub(super) fn double(&mut self) -> Text {
        let mut pieces = Vec::new();
        loop {
            if self.cursor.peek().is_none() {
                self.partial("a string of PowerShell has no end");
                break;
            }
            if self.cursor.peek().is_some_and(|char| DOUBLE.contains(&char)) {
                self.cursor.next();
                if !self.cursor.peek().is_some_and(|char| DOUBLE.contains(&char)) {
                    break;
                }
            }
            self.expandable(&mut pieces);
        }
        finished(pieces)
    }

    /// Reads one character of an expandable text.
    pub(super) fn expandable(&mut self, pieces: &mut Vec<Piece>) {
        match self.cursor.next() {
            Some('`') => match self.cursor.next() {
                Some('n') => push(pieces, '\n'),
                Some('t') => push(pieces, '\t'),
                Some('r') => push(pieces, '\r'),
                Some('0' | 'a' | 'b' | 'e' | 'f' | 'v') => push(pieces, ' '),
                Some('u') if self.cursor.eat("{") => {
                    let code = u32::from_str_radix(self.cursor.take_until("}").0, 16).ok().and_then(char::from_u32);
                    push(pieces, code.unwrap_or(' '));
                }
                Some('\n') | None => {}
                Some(char) => push(pieces, char),
            },
            Some('$') if self.cursor.eat("(") => pieces.push(Piece::Output(self.inner())),
            Some('$') => match self.variable_name() {
                Some(name) => pieces.push(variable(&name)),
                None => push(pieces, '$'),
            },
            Some(char) => push(pieces, char),
            None => {}
        }
    }

    /// Reads `@'` or `@"` at the end of a line, up to a line that begins with the same quote and `@`.
    pub(super) fn here_string(&mut self) -> Option<Text> {
        let expands = self.cursor.starts_with("@\"");
        if !expands && !self.cursor.starts_with("@'") {
            return None;
        }
        let header = self.cursor.rest().get(2..).unwrap_or_default();
        if !header.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
            return None;
        }
        self.cursor.take_until("\n");
        let end = if expands { "\"@" } else { "'@" };
        let mut pieces = Vec::new();
        if self.cursor.eat(end) {
            return Some(finished(pieces));
        }
        let close = format!("\n{end}");
        if !expands {
            let (text, closed) = self.cursor.take_until(&close);
            if !closed {
                self.partial("a string of PowerShell has no end");
            }
            return Some(Text::quoted(text));
        }
        while !self.cursor.eat(&close) {
            if self.cursor.peek().is_none() {
                self.partial("a string of PowerShell has no end");
                break;
            }
            self.expandable(&mut pieces);
        }
        Some(finished(pieces))
    }

    /// Reads `$name` with its members, or `$( ... )`, after the `$`. `None` if it is text.
    pub(super) fn dollar(&mut self) -> Option<Value> {
        if self.cursor.eat("(") {
            let code = self.inner();
            return Some(Value::of(Text::of(Piece::Output(code))));
        }
        let name = self.variable_name()?;
        let piece = variable(&name);
        let Piece::Variable(own) = &piece else { return Some(Value::of(Text::of(piece))) };
        let mut value = Value { table: self.tables.get(own).cloned(), ..Value::default() };
        if self.blocks.contains(own) {
            value.block = Some(format!("ps_block_{own}\n"));
        }
        let piece = if self.lists.contains(own) { Piece::Elements(own.clone()) } else { piece };
        value.words.push(Text::of(piece));
        Some(value)
    }
}

pub(super) fn push(pieces: &mut Vec<Piece>, char: char) {
    match pieces.last_mut() {
        Some(Piece::Quoted(text)) => text.push(char),
        _ => pieces.push(Piece::Quoted(char.to_string())),
    }
}

pub(super) fn finished(mut pieces: Vec<Piece>) -> Text {
    if pieces.is_empty() {
        pieces.push(Piece::Quoted(String::new()));
    }
    Text { pieces }
}
