//! Translates PowerShell statements to bash statements.

use super::cmdlets::Command;
use super::pipeline::{Element, ElementOutput, lines, printed};
use super::strings::{DOUBLE, SINGLE};
use super::values::{Piece, Text, Value};
use super::{Reader, UNKNOWN};

/// Assignment operators.
const ASSIGNS: &[&str] = &["??=", "+=", "-=", "*=", "/=", "%=", "="];

/// The maximum number of followed entries in a hash table.
const TABLE: usize = 32;

impl Reader<'_> {
    /// Skips separators between statements.
    pub(super) fn separators(&mut self) {
        loop {
            self.cursor.lines();
            if !self.cursor.eat(";") {
                return;
            }
        }
    }

    /// Translates statements up to a closing bracket, which is consumed. Without one, up to an unmatched bracket or the
    /// end.
    pub(super) fn statements(&mut self, end: Option<char>) -> String {
        let mut text = String::new();
        loop {
            self.separators();
            match self.cursor.peek() {
                None => break,
                Some(char) if end == Some(char) => {
                    self.cursor.next();
                    return text;
                }
                Some(')' | '}') => break,
                Some(_) => {}
            }
            let at = self.cursor.at();
            let statement = self.deeper(Self::statement);
            if !statement.trim().is_empty() {
                text.push_str(statement.trim_end());
                text.push('\n');
            }
            if self.cursor.at() == at {
                self.partial("a piece of PowerShell is not understood");
                self.cursor.next();
            }
        }
        if end.is_some() {
            self.partial("a bracket of PowerShell has no end");
        }
        text
    }

    /// Translates the statements of a block, after its brace.
    pub(super) fn body(&mut self) -> String {
        self.statements(Some('}'))
    }

    /// Translates a required block. `None` if there is no brace.
    pub(super) fn braces(&mut self) -> Option<String> {
        self.cursor.lines();
        self.cursor.eat("{").then(|| self.deeper(Self::body))
    }

    /// Translates a statement's `( ... )` to commands with a status.
    pub(super) fn condition(&mut self) -> String {
        self.cursor.lines();
        if !self.cursor.eat("(") {
            return "true\n".to_owned();
        }
        let value = self.parenthesis();
        tested(value)
    }

    fn statement(&mut self) -> String {
        while self.cursor.starts_with(":") {
            // A loop's label.
            self.cursor.take_while(|char| !char.is_whitespace());
            self.cursor.lines();
        }
        if let Some(text) = self.keyword() {
            return text;
        }
        let mut text = String::new();
        loop {
            let first = self.first();
            let element = self.pipeline(first);
            text.push_str(&element.text);
            self.cursor.blanks();
            let operator = ["&&", "||"].into_iter().find(|operator| self.cursor.eat(operator));
            let Some(operator) = operator else { break };
            let ends_alone = text.ends_with('\n') || text.trim().is_empty();
            text.push_str(if ends_alone { "true " } else { " " });
            text.push_str(operator);
            text.push('\n');
            self.cursor.lines();
        }
        if self.cursor.eat("&") {
            // In the background.
            return text;
        }
        text
    }

    /// Translates the first element of a pipeline, or an assignment of the whole pipeline.
    pub(super) fn first(&mut self) -> Element {
        if !self.starts_expression() {
            let command = self.command();
            return self.translated(&command, false);
        }
        let value = self.expression(true);
        self.cursor.blanks();
        let sign = ASSIGNS.iter().find(|sign| self.cursor.eat(sign));
        let Some(sign) = sign else { return self.redirected(printed(value)) };
        self.cursor.lines();
        let right = self.deeper(Self::statement_value);
        Element { text: self.assigned(value, sign, right), gives: ElementOutput::Output, value: None }
    }

    /// Translates a value that may be redirected to a file.
    fn redirected(&mut self, mut element: Element) -> Element {
        let mut command = Command::default();
        self.cursor.blanks();
        while self.redirection(&mut command) {
            self.cursor.blanks();
        }
        if !command.redirects.is_empty() && !element.text.is_empty() {
            element.text = format!("{}{}{}", command.before, element.text, command.redirects);
            element.gives = ElementOutput::Output;
        }
        element
    }

    fn assigned(&mut self, left: Value, sign: &str, right: Value) -> String {
        let mut text = lines(&left.code);
        let is_known = sign == "=";
        let names: Vec<String> = left
            .words
            .iter()
            .filter_map(|word| match word.pieces.as_slice() {
                [Piece::Variable(name) | Piece::Elements(name)] if name != UNKNOWN => Some(name.clone()),
                _ => None,
            })
            .collect();
        let [name] = names.as_slice() else {
            let mut rest = Value::default();
            rest.absorb(right);
            text.push_str(&lines(&rest.code));
            for name in &names {
                text.push_str(&format!("{name}=\"${{{UNKNOWN}}}\"\n"));
            }
            return text;
        };
        text.push_str(&lines(&right.code));
        self.tables.remove(name);
        self.blocks.remove(name);
        let was_list = self.lists.remove(name);
        if let Some(block) = &right.block {
            text.push_str(&format!("ps_block_{name}() {{\n{block}\n:\n}}\n"));
            self.blocks.insert(name.clone());
            return text;
        }
        if let Some(table) = right.table {
            let mut rest = Value::default();
            table.iter().for_each(|(_, value)| rest.code.extend(value.code.clone()));
            text.push_str(&lines(&rest.code));
            if table.len() <= TABLE {
                self.tables.insert(name.clone(), table);
            } else {
                self.partial("a hash table of PowerShell is too long to follow");
            }
            return text;
        }
        let is_environment = name.chars().all(|char| !char.is_ascii_lowercase());
        let words: Vec<String> = right.words.iter().map(Text::as_written).collect();
        let start = if is_environment { "export " } else { "" };
        match words.as_slice() {
            [] => text.push_str(&format!("{start}{name}=''\n")),
            _ if !is_known && (was_list || sign != "+=" || words.len() > 1) => {
                text.push_str(&format!(": {}\n{name}=\"${{{UNKNOWN}}}\"\n", words.join(" ")));
            }
            [word] => text.push_str(&format!("{start}{name}{}{word}\n", if is_known { "=" } else { "+=" })),
            _ => {
                text.push_str(&format!("{name}=({})\n", words.join(" ")));
                self.lists.insert(name.clone());
            }
        }
        text
    }

    /// Returns the value of a statement in parentheses, or after an assignment.
    pub(super) fn statement_value(&mut self) -> Value {
        if let Some(text) = self.keyword() {
            return Value::of(Text::of(Piece::Output(text)));
        }
        if self.starts_expression() {
            let value = self.expression(true);
            self.cursor.blanks();
            if self.cursor.starts_with("|") && !self.cursor.starts_with("||") {
                let element = self.pipeline(printed(value));
                return of_element(element);
            }
            if let Some(sign) = ASSIGNS.iter().find(|sign| self.cursor.eat(sign)) {
                self.cursor.lines();
                let right = self.deeper(Self::statement_value);
                let code = self.assigned(value.clone(), sign, right.clone());
                return Value { code: vec![code], words: value.words, ..Value::default() };
            }
            return value;
        }
        let first = self.command();
        let first = self.translated(&first, false);
        let element = self.pipeline(first);
        of_element(element)
    }

    /// Returns whether an expression, and not a command, begins here.
    pub(super) fn starts_expression(&self) -> bool {
        let Some(first) = self.cursor.peek() else { return false };
        let second = self.cursor.second();
        match first {
            '$' | '(' | '[' | '{' | '!' | ',' => true,
            '@' => true,
            '+' | '-' => {
                second.is_some_and(|char| char.is_ascii_digit() || "$(+-".contains(char)) || self.is_operator_word()
            }
            '.' => second.is_some_and(|char| char.is_ascii_digit()),
            char if char.is_ascii_digit() => self.is_number(),
            char => SINGLE.contains(&char) || DOUBLE.contains(&char),
        }
    }

    fn is_operator_word(&self) -> bool {
        let word = self.cursor.word();
        matches!(word.as_str(), "-not" | "-bnot" | "-join" | "-split")
    }

    /// Returns whether the word is a number, and not a program such as `7z`.
    fn is_number(&self) -> bool {
        let rest = self.cursor.rest();
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().to_lowercase();
        let number = ["kb", "mb", "gb", "tb", "pb", "l", "d", "u"].iter().find_map(|unit| word.strip_suffix(unit));
        let number = number.unwrap_or(&word);
        number.chars().all(|char| char.is_ascii_digit())
            || number.starts_with("0x")
            || number.contains('e') && number.len() < 8
    }
}

/// Returns the bash name of a function.
pub(super) fn function_name(name: &str) -> String {
    let plain: String = name.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect();
    format!("ps_function_{plain}")
}

/// Returns the value of a pipeline element.
fn of_element(element: Element) -> Value {
    match element.gives {
        ElementOutput::Words(words) => {
            let prints = element.text.starts_with("echo ") || element.text.starts_with("ls ");
            let code = if prints { Vec::new() } else { vec![element.text] };
            Value { words, code, ..Value::default() }
        }
        _ if element.text.trim().is_empty() => Value::default(),
        _ => Value::of(Text::of(Piece::Output(element.text))),
    }
}

/// Returns the commands in the words of a value.
pub(super) fn outputs(value: &Value) -> String {
    let mut all = Value::default();
    all.absorb(value.clone());
    lines(&all.code)
}

/// Returns a value as commands with a status.
pub(super) fn tested(value: Value) -> String {
    let mut text = lines(&value.code);
    let mut last = String::new();
    for word in value.words {
        for piece in word.pieces {
            match piece {
                Piece::Output(code) => text.push_str(&lines(&[code])),
                Piece::Variable(_) => last = format!("test -n \"${{{UNKNOWN}}}\"\n"),
                _ => {}
            }
        }
    }
    text.push_str(&last);
    if text.trim().is_empty() { "true\n".to_owned() } else { text }
}
