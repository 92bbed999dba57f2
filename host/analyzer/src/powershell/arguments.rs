//! PowerShell commands with their arguments and redirections.

use super::Reader;
use super::cmdlets::Command;
use super::pipeline::lines;
use super::strings::{DOUBLE, SINGLE, finished, push};
use super::values::{Piece, Text, Value};

impl Reader<'_> {
    /// Reads a command with its arguments.
    pub(super) fn command(&mut self) -> Command {
        let mut command = Command::default();
        self.cursor.blanks();
        let is_ampersand = self.cursor.starts_with("&") && !self.cursor.starts_with("&&");
        let ends = |char: char| char.is_whitespace() || "{($'\"".contains(char);
        if is_ampersand || self.cursor.starts_with(".") && self.cursor.second().is_none_or(ends) {
            self.cursor.next();
            command.is_called = true;
        }
        self.cursor.blanks();
        command.head = self.argument();
        command.resolve(&self.aliases);
        self.arguments_of(&mut command);
        command
    }

    fn arguments_of(&mut self, command: &mut Command) {
        loop {
            self.cursor.blanks();
            match self.cursor.peek() {
                None | Some('\n' | ';' | '|' | ')' | '}' | '&') => return,
                Some(_) => {}
            }
            let at = self.cursor.at();
            if self.redirection(command) {
                continue;
            }
            if self.cursor.eat("--%") {
                let rest = self.cursor.take_while(|char| char != '\n' && char != '|');
                let words = rest.split_whitespace();
                command.arguments.extend(words.map(|word| Value::of(Text::quoted(word))));
                continue;
            }
            let mut value = self.argument();
            loop {
                self.cursor.blanks();
                if !self.cursor.eat(",") {
                    break;
                }
                self.cursor.lines();
                let more = self.argument();
                value.code.extend(more.code);
                value.words.extend(more.words);
                if let Some(block) = more.block {
                    value.block = Some(format!("{}\n{block}", value.block.unwrap_or_default()));
                }
                value.is_bare = false;
            }
            command.arguments.push(value);
            if self.cursor.at() == at {
                self.partial("a piece of PowerShell is not understood");
                self.cursor.next();
            }
        }
    }

    /// Reads `> file`, `2>&1` or `*>> file`.
    pub(super) fn redirection(&mut self, command: &mut Command) -> bool {
        let rest = self.cursor.rest();
        let stream = rest.chars().next().filter(|char| char.is_ascii_digit() || *char == '*');
        let sign = stream.map_or(rest, |_| rest.get(1..).unwrap_or_default());
        if !sign.starts_with('>') {
            return false;
        }
        if stream.is_some() {
            self.cursor.next();
        }
        let operator = if self.cursor.eat(">>") { ">>" } else { ">" };
        self.cursor.eat(">");
        if self.cursor.eat("&1") {
            command.redirects.push_str(" 2>&1");
            return true;
        }
        self.cursor.blanks();
        let target = self.argument();
        let code = lines(&target.code);
        command.before.push_str(&code);
        let place = match target.words.first() {
            Some(word)
                if word.literal().as_deref() == Some("")
                    || word.literal().is_some_and(|name| name.eq_ignore_ascii_case("nul")) =>
            {
                "/dev/null".to_owned()
            }
            Some(word) => word.as_path(true),
            None => "/dev/null".to_owned(),
        };
        let number = match stream {
            Some('*') => "&",
            Some('2') => "2",
            Some('3'..='6') => return true,
            _ => "",
        };
        command.redirects.push_str(&format!(" {number}{operator} {place}"));
        true
    }

    /// Reads one argument of a command.
    pub(super) fn argument(&mut self) -> Value {
        let Some(first) = self.cursor.peek() else { return Value::default() };
        let value = if let Some(text) = self.here_string() {
            return Value::of(text);
        } else {
            match first {
                '(' => {
                    self.cursor.next();
                    let value = self.parenthesis();
                    return self.postfix(value);
                }
                '{' => {
                    self.cursor.next();
                    return self.block();
                }
                '@' if self.cursor.second().is_some_and(|char| char == '(' || char == '{') => {
                    let value = self.at_sign();
                    return self.postfix(value);
                }
                '@' if self.is_splat() => return self.at_sign(),
                '$' => {
                    self.cursor.next();
                    match self.dollar() {
                        Some(value) => self.postfix(value),
                        None => Value::of(Text::of(Piece::Bare("$".to_owned()))),
                    }
                }
                _ => Value {
                    is_bare: !SINGLE.contains(&first) && !DOUBLE.contains(&first),
                    words: vec![Text::default()],
                    ..Value::default()
                },
            }
        };
        self.rest_of_word(value)
    }

    fn is_splat(&self) -> bool {
        let rest = self.cursor.rest().get(1..).unwrap_or_default();
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        end > 0 && rest.get(end..).is_none_or(|behind| !behind.starts_with(['/', '\\', '@']))
    }

    /// Reads the rest of a word: the text directly after its beginning.
    fn rest_of_word(&mut self, mut value: Value) -> Value {
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(char) = self.cursor.peek() {
            match char {
                char if char.is_whitespace() || ";|&(){},>".contains(char) => break,
                '`' if self.cursor.second().is_none_or(|next| next == '\n' || next == '\r') => break,
                '`' => {
                    self.cursor.next();
                    match self.cursor.next() {
                        Some(char) => push(&mut pieces, char),
                        None => break,
                    }
                }
                '$' => {
                    self.cursor.next();
                    match self.dollar() {
                        Some(inner) => {
                            value.code.extend(inner.code);
                            pieces.extend(inner.words.into_iter().flat_map(|word| word.pieces));
                        }
                        None => pieces.push(Piece::Bare("$".to_owned())),
                    }
                }
                char if SINGLE.contains(&char) => {
                    self.cursor.next();
                    pieces.extend(self.single().pieces);
                }
                char if DOUBLE.contains(&char) => {
                    self.cursor.next();
                    pieces.extend(self.double().pieces);
                }
                char => {
                    self.cursor.next();
                    match pieces.last_mut() {
                        Some(Piece::Bare(text)) => text.push(char),
                        _ => pieces.push(Piece::Bare(char.to_string())),
                    }
                }
            }
        }
        match value.words.last_mut() {
            Some(word) => word.pieces.extend(pieces),
            None if !pieces.is_empty() => value.words.push(finished(pieces)),
            None => {}
        }
        value
    }
}
