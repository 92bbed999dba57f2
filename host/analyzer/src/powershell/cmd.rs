//! Translates `cmd` to equivalent bash.

use std::collections::BTreeSet;

use super::cursor::Cursor;
use super::strings::{finished, push, variable};
use super::values::{Piece, Text};
use super::{DEPTH, Translation, UNKNOWN};

/// Translates a `cmd` text.
pub(super) fn translate(text: &str) -> Translation {
    let mut reader = Reader { cursor: Cursor::new(text), reasons: BTreeSet::new(), depth: 0 };
    let mut text = String::new();
    loop {
        text.push_str(&reader.sequence());
        // An unmatched parenthesis is text.
        if reader.cursor.next().is_none() {
            break;
        }
    }
    Translation { text, reasons: reader.reasons }
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    reasons: BTreeSet<&'static str>,
    depth: usize,
}

/// The words of a command, and its redirections.
#[derive(Default)]
struct Words {
    words: Vec<Text>,
    redirects: String,
}

impl Words {
    fn literal(&self, index: usize) -> String {
        self.words.get(index).and_then(Text::literal).unwrap_or_default()
    }

    fn operands(&self) -> Vec<&Text> {
        self.words.iter().skip(1).filter(|word| !word.head().starts_with('/')).collect()
    }

    fn paths(&self) -> String {
        self.operands().iter().map(|word| word.as_path(false)).collect::<Vec<_>>().join(" ")
    }
}

impl Reader<'_> {
    fn blanks(&mut self) {
        loop {
            self.cursor.take_while(|char| char == ' ' || char == '\t' || char == '\r' || char == '@');
            if !self.cursor.eat("^\r\n") && !self.cursor.eat("^\n") {
                return;
            }
        }
    }

    /// Reads commands up to a closing parenthesis or the end.
    fn sequence(&mut self) -> String {
        let mut text = String::new();
        loop {
            self.cursor.take_while(|char| char.is_whitespace() || matches!(char, '&' | '@' | ';' | ','));
            if self.cursor.peek().is_none_or(|char| char == ')') {
                return text;
            }
            let at = self.cursor.at();
            text.push_str(self.chain().trim_end());
            text.push('\n');
            if self.cursor.at() == at {
                self.cursor.next();
            }
        }
    }

    /// Reads commands joined by `&&`, `||` and `|`.
    fn chain(&mut self) -> String {
        let mut text = self.command();
        loop {
            self.blanks();
            let Some(operator) = ["&&", "||", "|"].into_iter().find(|operator| self.cursor.eat(operator)) else {
                return text;
            };
            let right = self.command();
            text.truncate(text.trim_end().len());
            text.push_str(if text.is_empty() { ": " } else { " " });
            text.push_str(operator);
            text.push('\n');
            text.push_str(if right.trim().is_empty() { ":" } else { &right });
        }
    }

    fn command(&mut self) -> String {
        if self.depth >= DEPTH {
            self.reasons.insert("text of cmd is nested too deeply to follow");
            self.cursor.take_while(|char| char != '\n');
            return String::new();
        }
        self.depth += 1;
        let text = self.one();
        self.depth -= 1;
        text
    }

    fn one(&mut self) -> String {
        self.blanks();
        if self.cursor.eat("(") {
            let body = self.sequence();
            if !self.cursor.eat(")") {
                self.reasons.insert("a parenthesis of cmd has no end");
            }
            let mut words = Words::default();
            self.rest(&mut words, true);
            return format!("{{\n{body}:\n}}{}", words.redirects);
        }
        if self.cursor.starts_with(":") {
            self.cursor.take_while(|char| char != '\n');
            return String::new();
        }
        match self.cursor.word().as_str() {
            "rem" => {
                self.cursor.take_while(|char| char != '\n');
                String::new()
            }
            "if" => self.condition(),
            "for" => self.repeated(),
            "set" => self.assignment(),
            _ => {
                let mut words = Words::default();
                self.rest(&mut words, false);
                meaning(&words)
            }
        }
    }

    /// Reads words up to the end of the command. `only`: only redirections.
    fn rest(&mut self, words: &mut Words, only: bool) {
        loop {
            self.blanks();
            match self.cursor.peek() {
                None | Some('\n' | '&' | '|' | ')') => return,
                Some(_) => {}
            }
            if self.redirection(words) {
                continue;
            }
            if only {
                return;
            }
            let at = self.cursor.at();
            let word = self.word();
            words.words.push(word);
            if self.cursor.at() == at {
                self.cursor.next();
            }
        }
    }

    fn redirection(&mut self, words: &mut Words) -> bool {
        let rest = self.cursor.rest();
        let number = rest.chars().next().filter(char::is_ascii_digit);
        let sign = number.map_or(rest, |_| rest.get(1..).unwrap_or_default());
        if !sign.starts_with(['>', '<']) {
            return false;
        }
        if number.is_some() {
            self.cursor.next();
        }
        let operator = [">>", ">", "<"].into_iter().find(|sign| self.cursor.eat(sign)).unwrap_or(">");
        if self.cursor.eat("&1") || self.cursor.eat("&2") {
            words.redirects.push_str(" 2>&1");
            return true;
        }
        self.blanks();
        let target = self.word();
        let is_null = target.literal().is_some_and(|name| name.eq_ignore_ascii_case("nul"));
        let place = if is_null { "/dev/null".to_owned() } else { target.as_path(true) };
        let number = number.map(String::from).unwrap_or_default();
        words.redirects.push_str(&format!(" {number}{operator} {place}"));
        true
    }

    fn word(&mut self) -> Text {
        let (mut pieces, mut quoted) = (Vec::new(), false);
        while let Some(char) = self.cursor.peek() {
            match char {
                '\n' => break,
                '"' => {
                    quoted = !quoted;
                    if pieces.is_empty() {
                        pieces.push(Piece::Quoted(String::new()));
                    }
                    self.cursor.next();
                }
                '^' if !quoted => {
                    self.cursor.next();
                    if let Some(char) = self.cursor.next() {
                        push(&mut pieces, char);
                    }
                }
                '%' | '!' => self.variable(&mut pieces),
                char if !quoted && (char.is_whitespace() || "&|()<>".contains(char)) => break,
                char if quoted => {
                    self.cursor.next();
                    push(&mut pieces, char);
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
        if quoted {
            self.reasons.insert("a string of cmd has no end");
        }
        finished(pieces)
    }

    /// Reads `%NAME%`, `%NAME:x=y%`, `!NAME!`, or a loop's variable, `%x` or `%%x`.
    fn variable(&mut self, pieces: &mut Vec<Piece>) {
        let sign = self.cursor.next().unwrap_or('%');
        let doubled = self.cursor.peek() == Some(sign);
        if doubled {
            self.cursor.next();
        }
        let rest = self.cursor.rest();
        let is_name = |char: char| char.is_alphanumeric() || "_()".contains(char);
        let end = rest.find(|char: char| !is_name(char)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        let behind = rest.get(end..).unwrap_or_default();
        let closes = behind.starts_with(sign)
            || behind.starts_with(':') && behind.split('\n').next().is_some_and(|line| line.contains(sign));
        if !doubled && closes && !name.is_empty() {
            let own = match name.to_uppercase().as_str() {
                "CD" => Piece::Variable("PWD".to_owned()),
                _ => variable(&format!("env:{name}")),
            };
            self.cursor.take_until(&sign.to_string());
            pieces.push(own);
            return;
        }
        if sign == '%' {
            // `%~dpnx1` and similar.
            self.cursor.take_while(|char| char == '~');
            let letters = self.cursor.take_while(char::is_alphanumeric);
            let letter = letters.chars().next_back();
            match letter {
                Some(letter) if letter.is_alphabetic() => pieces.push(Piece::Variable(loop_variable(letter))),
                Some(_) => pieces.push(Piece::Variable(UNKNOWN.to_owned())),
                None if self.cursor.eat("*") => pieces.push(Piece::Variable(UNKNOWN.to_owned())),
                None => push(pieces, '%'),
            }
        } else {
            push(pieces, sign);
        }
    }

    /// Reads `set NAME=value`.
    fn assignment(&mut self) -> String {
        let mut words = Words::default();
        self.rest(&mut words, false);
        let Some(first) = words.words.get(1) else { return ":".to_owned() };
        let Some((name, start)) = first.head().split_once('=') else { return ":".to_owned() };
        let name = match variable(&format!("env:{name}")) {
            Piece::Variable(name) => name,
            _ => return ":".to_owned(),
        };
        let mut pieces = vec![Piece::Quoted(start.to_owned())];
        pieces.extend(first.pieces.iter().skip(1).cloned());
        for word in words.words.iter().skip(2) {
            pieces.push(Piece::Quoted(" ".to_owned()));
            pieces.extend(word.pieces.iter().cloned());
        }
        format!("export {name}={}", Text { pieces }.as_written())
    }

    /// Reads `if [/i] [not] exist FILE | a==b | a EQU b | errorlevel N | defined N  COMMAND [else COMMAND]`.
    fn condition(&mut self) -> String {
        self.word();
        loop {
            self.blanks();
            if !self.cursor.starts_with("/") && self.cursor.word() != "not" {
                break;
            }
            self.word();
        }
        let first = self.word();
        let mut test = format!("test -n \"${{{UNKNOWN}}}\"");
        match first.literal().unwrap_or_default().to_lowercase().as_str() {
            "exist" => {
                self.blanks();
                test = format!("test -e {}", self.word().as_path(false));
            }
            "errorlevel" | "defined" | "cmdextversion" => {
                self.blanks();
                self.word();
            }
            _ => {
                self.blanks();
                let operator = self.cursor.word();
                let compares = matches!(operator.as_str(), "equ" | "neq" | "lss" | "leq" | "gtr" | "geq");
                if compares || self.cursor.starts_with("==") {
                    self.word();
                    self.blanks();
                    if compares
                        || first.literal().is_none_or(|text| !text.contains("==")) && self.cursor.before() == Some(' ')
                    {
                        self.word();
                    }
                }
            }
        }
        let body = self.chain();
        let mut text = format!("if {test}; then\n{body}\n:\n");
        let at = self.cursor.at();
        self.cursor.take_while(char::is_whitespace);
        if self.cursor.word() == "else" {
            self.word();
            text.push_str(&format!("else\n{}\n:\n", self.chain()));
        } else {
            self.cursor.back_to(at);
        }
        text.push_str("fi");
        text
    }

    /// Reads `for [/f "options"|/d|/r PATH|/l] %x in (SET) do COMMAND`.
    fn repeated(&mut self) -> String {
        self.word();
        let mut name = UNKNOWN.to_owned();
        let mut kind = String::new();
        while self.cursor.peek().is_some_and(|char| char != '(' && char != '\n') {
            self.blanks();
            if self.cursor.peek() == Some('(') {
                break;
            }
            let at = self.cursor.at();
            let word = self.word();
            if let [Piece::Variable(found)] = word.pieces.as_slice() {
                name.clone_from(found);
            }
            if word.head().starts_with('/') {
                kind = word.head().to_lowercase();
            }
            if self.cursor.at() == at {
                self.cursor.next();
            }
        }
        self.cursor.eat("(");
        let set = if kind == "/f" {
            self.lines_of()
        } else {
            let mut words = Words::default();
            self.rest(&mut words, false);
            words.words.iter().map(|word| word.as_path(false)).collect::<Vec<_>>().join(" ")
        };
        self.cursor.take_until(")");
        self.blanks();
        if self.cursor.word() == "do" {
            self.word();
        }
        let body = self.chain();
        format!("for {name} in {set}; do\n{body}\n:\ndone")
    }

    /// Reads the source of the lines of `for /f`: a file, a text, or a command in single quotes.
    fn lines_of(&mut self) -> String {
        self.blanks();
        if !self.cursor.eat("'") {
            let mut words = Words::default();
            self.rest(&mut words, false);
            let files: Vec<String> = words.words.iter().map(|word| word.as_path(false)).collect();
            return format!("$(cat {})", files.join(" "));
        }
        let (text, closed) = self.cursor.take_until("'");
        if !closed {
            self.reasons.insert("a string of cmd has no end");
        }
        let inner = translate(text);
        self.reasons.extend(inner.reasons);
        format!("$(\n{}\n)", inner.text)
    }
}

fn loop_variable(letter: char) -> String {
    format!("for_{}", u32::from(letter))
}

/// Translates a `cmd` command or a program call.
fn meaning(words: &Words) -> String {
    let name = words.literal(0).to_lowercase();
    let name = name.trim_end_matches(".exe");
    let paths = || words.paths();
    let text = match name {
        "" if words.words.is_empty() => String::new(),
        "type" | "more" => format!("cat {}", paths()),
        "md" | "mkdir" => format!("mkdir -p {}", paths()),
        "cd" | "chdir" => format!("cd {}", paths()),
        "pushd" => format!("pushd {}", paths()),
        "popd" => "popd".to_owned(),
        "dir" | "tree" => format!("ls {}", paths()),
        "copy" | "xcopy" => format!("cp -r {}", paths()),
        "move" | "ren" | "rename" => moved(words),
        "mklink" => {
            let operands = words.operands();
            let spelled = |index: usize| operands.get(index).map(|word| word.as_path(true)).unwrap_or_default();
            format!("ln -s {} {}", spelled(1), spelled(0))
        }
        "echo" | "echo." => {
            let words: Vec<String> = words.words.iter().skip(1).map(Text::as_written).collect();
            format!("echo {}", words.join(" "))
        }
        "cls" | "pause" | "title" | "ver" | "vol" | "color" | "setlocal" | "endlocal" | "prompt" | "goto" | "shift"
        | "break" | "verify" | "chcp" | "timeout" | "choice" => ":".to_owned(),
        "exit" => "exit".to_owned(),
        "call" | "start" => started(words),
        _ => program(&words.words),
    };
    if text.is_empty() { format!(":{}", words.redirects) } else { format!("{text}{}", words.redirects) }
}

/// Translates a program with its arguments.
fn program(words: &[Text]) -> String {
    let mut text = String::new();
    let name = words.first().map(|name| name.with_slashes().as_argument()).unwrap_or_default();
    text.push_str(&name);
    let deletes = matches!(name.to_lowercase().as_str(), "del" | "erase" | "rd" | "rmdir");
    let keeps = super::cmdlets::is_of_windows(
        name.to_lowercase().rsplit('/').next().unwrap_or_default().trim_end_matches(".exe"),
    );
    for word in words.iter().skip(1) {
        text.push(' ');
        text.push_str(&if keeps {
            word.as_written()
        } else if deletes {
            word.as_path(false)
        } else {
            word.as_argument()
        });
    }
    text
}

/// Translates `call PROGRAM words` and `start ["title"] [/options] PROGRAM words`, also nested.
fn started(words: &Words) -> String {
    let mut rest = words.words.as_slice();
    while let Some((name, mut tail)) = rest.split_first() {
        let name = name.literal().unwrap_or_default().to_lowercase();
        match name.trim_end_matches(".exe") {
            "call" => {}
            "start" => {
                let is_title = |word: &Text| matches!(word.pieces.first(), Some(Piece::Quoted(_)));
                while let Some((first, behind)) = tail.split_first() {
                    if !first.head().starts_with('/') && (!is_title(first) || behind.is_empty()) {
                        break;
                    }
                    tail = behind;
                }
            }
            _ => break,
        }
        rest = tail;
    }
    if rest.first().is_none_or(|first| first.head().starts_with(':')) {
        return ":".to_owned();
    }
    meaning(&Words { words: rest.to_vec(), redirects: String::new() })
}

/// Translates `move SOURCE TARGET` and `ren SOURCE NAME`.
fn moved(words: &Words) -> String {
    let operands = words.operands();
    let [source, target] = operands.as_slice() else { return format!("mv {}", words.paths()) };
    let (from, to) = (source.as_path(false), target.as_path(true));
    let name = target.literal().unwrap_or_default();
    if source.is_pattern() && !name.contains(['*', '?']) && !name.is_empty() && !super::files::is_folder(Some(target)) {
        return format!("Move-Item {from} -Destination {to}");
    }
    format!("mv {from} {to}")
}
