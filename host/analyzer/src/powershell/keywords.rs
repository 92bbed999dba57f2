//! Statements that begin with a keyword: conditions, loops, functions.

use super::pipeline::{Element, lines};
use super::statement::{function_name, outputs};
use super::strings::variable;
use super::values::Piece;
use super::{Reader, UNKNOWN};

impl Reader<'_> {
    /// Reads a statement that begins with a keyword.
    pub(super) fn keyword(&mut self) -> Option<String> {
        let word = self.cursor.word();
        let rest = self.cursor.rest().get(word.len()..).unwrap_or_default();
        let follows = rest.trim_start();
        let fits = match word.as_str() {
            "if" | "while" | "for" | "foreach" | "switch" | "param" => {
                follows.starts_with('(')
                    || word == "switch" && follows.starts_with('-')
                    || word == "foreach" && follows.starts_with('-')
            }
            "do" | "try" | "begin" | "process" | "end" | "dynamicparam" | "clean" | "finally" | "catch" | "else"
            | "inlinescript" | "parallel" | "sequence" => {
                follows.starts_with('{') || word == "catch" && follows.starts_with('[')
            }
            "trap" | "data" => follows.contains('{'),
            "function" | "filter" | "workflow" | "configuration" | "class" | "enum" | "using" => {
                rest.starts_with(char::is_whitespace) && !follows.starts_with(['|', ';', '-'])
            }
            "return" | "throw" | "exit" | "break" | "continue" => {
                rest.is_empty() || rest.starts_with(|char: char| char.is_whitespace() || ";)}(".contains(char))
            }
            _ => false,
        };
        if !fits {
            return None;
        }
        for _ in 0..word.chars().count() {
            self.cursor.next();
        }
        Some(match word.as_str() {
            "if" => self.if_statement(),
            "while" => {
                let condition = self.condition();
                let body = self.braces().unwrap_or_default();
                format!("while {condition} do\n{body}\n:\ndone")
            }
            "do" => {
                let body = self.braces().unwrap_or_default();
                self.cursor.lines();
                for _ in 0..self.cursor.word().len() {
                    self.cursor.next();
                }
                let condition = self.condition();
                format!("while {condition} do\n{body}\n:\ndone")
            }
            "for" => self.for_statement(),
            "foreach" => self.foreach_statement(),
            "switch" => self.switch_statement(),
            "try" => self.try_statement(),
            "param" => self.parameters().1,
            "function" | "filter" | "workflow" | "configuration" => self.function(),
            "class" | "enum" => self.class(&word),
            "using" => {
                self.cursor.take_while(|char| char != '\n' && char != ';');
                String::new()
            }
            "return" | "throw" | "exit" | "break" | "continue" => self.leaving(&word),
            "trap" => {
                self.cursor.take_while(|char| char != '{');
                let body = self.braces().unwrap_or_default();
                format!("if test -n \"${{{UNKNOWN}}}\"; then\n{body}\n:\nfi")
            }
            "catch" => {
                self.cursor.take_while(|char| char != '{');
                self.braces().unwrap_or_default()
            }
            _ => {
                self.cursor.take_while(|char| char != '{');
                self.braces().unwrap_or_default()
            }
        })
    }

    fn if_statement(&mut self) -> String {
        let condition = self.condition();
        let body = self.braces().unwrap_or_default();
        let mut text = format!("if {condition} then\n{body}\n:\n");
        loop {
            let at = self.cursor.at();
            self.cursor.lines();
            match self.cursor.word().as_str() {
                "elseif" => {
                    self.cursor.take_while(char::is_alphabetic);
                    let condition = self.condition();
                    let body = self.braces().unwrap_or_default();
                    text.push_str(&format!("elif {condition} then\n{body}\n:\n"));
                }
                "else" => {
                    self.cursor.take_while(char::is_alphabetic);
                    let body = self.braces().unwrap_or_default();
                    text.push_str(&format!("else\n{body}\n:\n"));
                    break;
                }
                _ => {
                    self.cursor.back_to(at);
                    break;
                }
            }
        }
        text.push_str("fi");
        text
    }

    fn for_statement(&mut self) -> String {
        self.cursor.lines();
        self.cursor.eat("(");
        let mut parts: Vec<String> = Vec::new();
        loop {
            self.cursor.lines();
            if self.cursor.eat(")") || self.cursor.peek().is_none() {
                break;
            }
            if self.cursor.eat(";") {
                continue;
            }
            let at = self.cursor.at();
            let value = self.statement_value();
            parts.push(lines(&value.code));
            if self.cursor.at() == at {
                self.cursor.next();
            }
        }
        let body = self.braces().unwrap_or_default();
        format!("{}\nwhile test -n \"${{{UNKNOWN}}}\"; do\n{body}\n:\ndone", parts.join("\n"))
    }

    fn foreach_statement(&mut self) -> String {
        self.cursor.lines();
        if self.cursor.starts_with("-") {
            // `-Parallel`.
            self.cursor.take_while(|char| char != '(' && char != '\n');
        }
        self.cursor.eat("(");
        self.cursor.lines();
        self.cursor.eat("$");
        let name = self.variable_name().unwrap_or_default();
        let name = match variable(&name) {
            Piece::Variable(name) => name,
            _ => UNKNOWN.to_owned(),
        };
        self.cursor.lines();
        self.cursor.take_while(char::is_alphabetic);
        let value = self.parenthesis();
        self.lists.remove(&name);
        self.tables.remove(&name);
        self.items.insert(name.clone());
        let body = self.braces().unwrap_or_default();
        let words: Vec<String> = value
            .words
            .iter()
            .map(|word| match word.pieces.as_slice() {
                [Piece::Output(code)] => format!("$(\n{code}\n)"),
                _ => word.as_path(false),
            })
            .collect();
        format!("{}for {name} in {}; do\n{body}\n:\ndone", lines(&value.code), words.join(" "))
    }

    fn switch_statement(&mut self) -> String {
        self.cursor.lines();
        let mut text = String::new();
        while self.cursor.starts_with("-") {
            self.cursor.take_while(|char| !char.is_whitespace() && char != '(');
            self.cursor.lines();
        }
        if self.cursor.eat("(") {
            let value = self.parenthesis();
            text.push_str(&lines(&value.code));
            text.push_str(&outputs(&value));
            self.cursor.lines();
        } else if self.cursor.peek() != Some('{') {
            let value = self.expression(false);
            text.push_str(&outputs(&value));
            self.cursor.lines();
        }
        if !self.cursor.eat("{") {
            return text;
        }
        loop {
            self.separators();
            if self.cursor.eat("}") {
                return text;
            }
            if self.cursor.peek().is_none() {
                self.partial("a bracket of PowerShell has no end");
                return text;
            }
            let at = self.cursor.at();
            let pattern = if self.cursor.peek() == Some('{') {
                self.braces().unwrap_or_default()
            } else {
                let value = self.argument();
                outputs(&value)
            };
            text.push_str(&pattern);
            if let Some(body) = self.braces() {
                text.push_str(&format!("if test -n \"${{{UNKNOWN}}}\"; then\n{body}\n:\nfi\n"));
            }
            if self.cursor.at() == at {
                self.partial("a piece of PowerShell is not understood");
                self.cursor.next();
            }
        }
    }

    fn try_statement(&mut self) -> String {
        let mut text = format!("{{\n{}\n:\n}}\n", self.braces().unwrap_or_default());
        loop {
            let at = self.cursor.at();
            self.cursor.lines();
            let word = self.cursor.word();
            if word != "catch" && word != "finally" {
                self.cursor.back_to(at);
                return text;
            }
            self.cursor.take_while(|char| char != '{');
            let body = self.braces().unwrap_or_default();
            match word.as_str() {
                "catch" => text.push_str(&format!("if test -n \"${{{UNKNOWN}}}\"; then\n{body}\n:\nfi\n")),
                _ => text.push_str(&body),
            }
        }
    }

    /// Reads `( [type] $name = default, ... )`: the names, and the commands of the defaults.
    fn parameters(&mut self) -> (Vec<String>, String) {
        let (mut names, mut text) = (Vec::new(), String::new());
        self.cursor.lines();
        if !self.cursor.eat("(") {
            return (names, text);
        }
        loop {
            self.cursor.lines();
            match self.cursor.peek() {
                None => {
                    self.partial("a parenthesis of PowerShell has no end");
                    break;
                }
                Some(')') => {
                    self.cursor.next();
                    break;
                }
                Some('[') => self.cursor.skip_balanced(),
                Some('$') => {
                    self.cursor.next();
                    if let Some(Piece::Variable(name)) = self.variable_name().map(|name| variable(&name)) {
                        names.push(name);
                    }
                }
                Some('=') => {
                    self.cursor.next();
                    let value = self.expression(false);
                    text.push_str(&lines(&value.code));
                    text.push_str(&outputs(&value));
                }
                Some(_) => _ = self.cursor.next(),
            }
        }
        (names, text)
    }

    fn function(&mut self) -> String {
        self.cursor.blanks();
        let name = self.cursor.take_while(|char| !char.is_whitespace() && !"({;".contains(char)).to_lowercase();
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        let (mut names, before) = self.parameters();
        self.cursor.lines();
        if !self.cursor.eat("{") {
            return before;
        }
        // The parameters of a `param` block are read ahead, because the body's translation needs them.
        let at = self.cursor.at();
        self.skip_attributes();
        if self.cursor.word() == "param" {
            self.cursor.take_while(char::is_alphabetic);
            names.extend(self.parameters().0);
        }
        self.cursor.back_to(at);
        self.functions.insert(name.clone(), names.clone());
        let given: String =
            names.iter().enumerate().map(|(index, name)| format!("{name}=\"${{{}}}\"\n", index + 1)).collect();
        let body = self.deeper(Self::body);
        format!("{before}{}() {{\n{given}{body}\n:\n}}", function_name(&name))
    }

    /// Skips `[CmdletBinding()]` before `param`.
    fn skip_attributes(&mut self) {
        loop {
            self.cursor.lines();
            if self.cursor.peek() != Some('[') {
                return;
            }
            self.cursor.skip_balanced();
        }
    }

    fn class(&mut self, word: &str) -> String {
        self.cursor.take_while(|char| char != '{');
        if word == "class" {
            self.partial("classes of PowerShell are not followed");
        }
        self.cursor.skip_balanced();
        String::new()
    }

    fn leaving(&mut self, word: &str) -> String {
        self.cursor.blanks();
        let ends = matches!(self.cursor.peek(), None | Some('\n' | ';' | ')' | '}'));
        let element = if ends {
            Element::default()
        } else if matches!(word, "break" | "continue") {
            self.cursor.take_while(|char| char.is_alphanumeric());
            Element::default()
        } else {
            let first = self.first();
            self.pipeline(first)
        };
        match word {
            "exit" if element.text.starts_with("echo ") || element.text.is_empty() => "exit".to_owned(),
            "exit" => format!("{}\nexit", element.text),
            _ => element.text,
        }
    }
}
