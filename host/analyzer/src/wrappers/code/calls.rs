//! Calls that start programs, in languages without a script analyzer.

use guard_sdk::syntax::{Part, Word};

use super::super::layer::Runnable;
use super::languages::{ANY, LISPS, Language};
use super::{LONGEST, bounded, text};
use crate::limits;
use crate::word::expand::literal;

/// Returns the commands that a piece of code starts.
pub(super) fn commands(language: &Language, code: &str) -> Vec<Runnable> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    let mut tried = 0;
    while let Some(char) = code.get(at..).and_then(|rest| rest.chars().next()) {
        if !bounded(tried) {
            break;
        }
        let rest = code.get(at..).unwrap_or_default();
        let name_end = rest.find(|char: char| !is_part_of_name(char)).unwrap_or(rest.len());
        let name = rest.get(..name_end).unwrap_or_default();
        if name_end > 0 && !is_part_of_name(before) {
            let tail = rest.get(name_end..).unwrap_or_default();
            let until = code.get(..at + name_end).unwrap_or_default();
            let known = language.calls.iter().any(|call| {
                *call == name || call.contains(['.', ':']) && call.ends_with(name) && until.ends_with(call)
            });
            let known = known || language.programs == [ANY] && starts(until, name);
            if known {
                tried += 1;
                if language.programs.contains(&"emacs") {
                    found.extend(function(name, tail));
                } else {
                    found.extend(call(language, tail));
                }
            }
            before = name.chars().next_back().unwrap_or(' ');
            at += name_end;
            continue;
        }
        match char {
            '`' if language.backticks => {
                let inner = rest.get(1..).unwrap_or_default();
                let Some((command, _)) = inner.split_once('`') else { break };
                tried += 1;
                found.push(text(command));
                at += command.len() + 2;
                before = '`';
                continue;
            }
            '%' if language.backticks && rest.starts_with("%x") => {
                tried += 1;
                let close = match rest.chars().nth(2) {
                    Some('(') => ')',
                    Some('{') => '}',
                    Some('[') => ']',
                    Some(other) => other,
                    None => break,
                };
                if let Some((command, _)) = rest.get(3..).unwrap_or_default().split_once(close) {
                    found.push(text(command));
                }
            }
            _ => {}
        }
        before = char;
        at += char.len_utf8();
    }
    found
}

/// Words in the name of a call that starts a program, and those that do so for a process only.
const STARTS: &[&str] = &["cmd", "exec", "execute", "popen", "shell", "spawn", "subprocess", "system"];
const STARTS_PROCESS: &[&str] = &["call", "command", "new", "process", "run", "start"];

/// Returns whether the words of a call's name say that it starts a program, in a language without known calls.
fn starts(until: &str, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |list: &[&str]| list.iter().any(|word| name.contains(word));
    let near = until.len().saturating_sub(name.len() + 16);
    let object = until.get(near..).unwrap_or_default().to_ascii_lowercase();
    let is_process = ["process", "child", "command", "proc", "cmd", "os"].iter().any(|word| object.contains(word));
    has(STARTS) || has(STARTS_PROCESS) && is_process
}

fn is_part_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// Returns the command of a call, whose arguments are at the start of `tail`.
fn call(language: &Language, tail: &str) -> Option<Runnable> {
    let open = tail.trim_start_matches([' ', '\t']);
    let is_resource = language.programs.contains(&"puppet");
    let braced = || open.strip_prefix('{').filter(|_| is_resource);
    let inside = match open.strip_prefix('(').or_else(braced) {
        Some(inside) => inside,
        None if language.bare && open.starts_with(['"', '\'', 'q', '{', '[', '`', '%', '*']) => open,
        None => return None,
    };
    let mut arguments = Arguments::default();
    let mut rest = inside;
    while let Some(char) = rest.chars().next() {
        let before = inside.get(..inside.len().saturating_sub(rest.len())).unwrap_or_default();
        if before.len() > LONGEST || arguments.words.len() >= limits::STARTS {
            break;
        }
        let is_argument = || {
            arguments.depth == 0 && {
                let before = before.trim_end();
                before.is_empty() || before.ends_with([',', '*'])
            }
        };
        let width = if let Some((items, width)) = listed_words(rest).filter(|_| is_argument()) {
            arguments.words.extend(items.split_ascii_whitespace().map(literal));
            width
        } else if let Some((text, width)) = string(rest) {
            // White space separates the arguments of a Lisp call, and joins literals elsewhere.
            arguments.add_string(&text, language.programs != LISPS);
            width
        } else if char.is_ascii_alphabetic() || matches!(char, '$' | '_' | '@') {
            arguments.add_name(rest)
        } else if arguments.ends_at(char, rest) {
            break;
        } else {
            char.len_utf8()
        };
        rest = rest.get(width..).unwrap_or_default();
    }
    chained(&mut arguments.words, rest);
    what(arguments.words, arguments.listed)
}

/// The arguments of a call read so far.
#[derive(Default)]
struct Arguments {
    words: Vec<Word>,
    /// Whether they are one list.
    listed: bool,
    /// The number of open brackets and parentheses, and of open parentheses alone.
    depth: usize,
    nested: usize,
    /// Whether the last word is incomplete: literals side by side, or joined by an operator.
    grows: bool,
    /// Whether the value of a named argument follows.
    named: bool,
}

impl Arguments {
    fn add_string(&mut self, text: &str, joins: bool) {
        if !self.named && self.nested == 0 {
            match self.words.last_mut().filter(|_| self.grows && joins) {
                Some(word) => extend(word, Some(text)),
                None => self.words.push(literal(text)),
            }
            self.grows = true;
        }
        self.named = false;
    }

    /// Adds the unknown value of a name, and returns the name's length.
    fn add_name(&mut self, rest: &str) -> usize {
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && !"_$@.".contains(char));
        let (name, behind) = rest.split_at_checked(end.unwrap_or(rest.len()).max(1)).unwrap_or((rest, ""));
        let is_keyword = behind.trim_start().starts_with(['=', ':']);
        if !is_keyword && !self.named && !matches!(name, "nil" | "None" | "new" | "r" | "f" | "b" | "q" | "qq" | "t") {
            let is_first = self.words.is_empty() && !(behind.starts_with('(') && self.nested == 0);
            match self.words.last_mut().filter(|_| self.grows) {
                Some(word) => extend(word, None),
                None if is_first => {}
                None => self.words.push(unknown()),
            }
            self.grows = true;
        }
        self.named = false;
        name.len()
    }

    /// Reads a sign, and returns whether it ends the arguments.
    fn ends_at(&mut self, char: char, rest: &str) -> bool {
        match char {
            ',' if self.depth == 0 || self.listed => self.grows = false,
            '[' | '(' => {
                self.listed |= char == '[' && self.words.len() <= 1;
                self.grows &= char != '[';
                self.depth += 1;
                self.nested += usize::from(char == '(');
            }
            ')' | ']' => {
                let Some(left) = self.depth.checked_sub(1) else { return true };
                self.depth = left;
                self.nested = self.nested.saturating_sub(usize::from(char == ')'));
                return char == ']' && self.listed && left == 0;
            }
            '{' => return !self.listed && !rest.contains("args"),
            ';' | '\n' => return self.depth == 0 && !self.words.is_empty(),
            '=' => self.named = !rest.starts_with("=="),
            _ => {}
        }
        false
    }
}

/// Adds arguments from chained calls: `Command::new("git").arg("push").args(["--force"])`.
fn chained(words: &mut Vec<Word>, end: &str) {
    let mut rest = end.strip_prefix(')').unwrap_or_default().trim_start();
    while let Some((name, arguments)) = rest.strip_prefix('.').and_then(|rest| rest.split_once('(')) {
        if words.len() >= limits::STARTS || end.len() - arguments.len() > LONGEST || !matches!(name, "arg" | "args") {
            break;
        }
        let mut inside = arguments;
        while let Some(char) = inside.chars().next().filter(|char| *char != ')') {
            match string(inside) {
                Some((text, width)) => {
                    words.push(literal(&text));
                    inside = inside.get(width..).unwrap_or_default();
                }
                None => inside = inside.get(char.len_utf8()..).unwrap_or_default(),
            }
        }
        rest = inside.strip_prefix(')').unwrap_or_default().trim_start();
    }
}

/// Returns the command of an Emacs call, whose arguments follow blanks: a text, or a program and its arguments.
fn function(name: &str, tail: &str) -> Option<Runnable> {
    let arguments = tail.split(')').next()?;
    let mut strings = arguments.split('"').skip(1).step_by(2).take(limits::STARTS);
    // A process has a name and a buffer before its program.
    if name.starts_with("start-") {
        strings.next();
    }
    let words: Vec<Word> = strings.map(literal).collect();
    match name {
        "call-process" | "start-process" => {
            (!words.is_empty()).then_some(Runnable::Words { assignments: Vec::new(), words })
        }
        _ => words.first().map(|command| text(&command.text)),
    }
}

/// Returns the words of a call as a text, or as a program and its arguments.
fn what(mut words: Vec<Word>, listed: bool) -> Option<Runnable> {
    // A program whose arguments are one text: `Process.Start("rm", "-r a")`.
    if let [program, options] = words.as_slice()
        && options.text.starts_with('-')
        && options.text.contains(' ')
    {
        words = vec![literal(&format!("{} {}", program.text, options.text))];
    }
    let first = words.first()?;
    let is_text = first.text.contains([' ', '\t', '\n', ';', '|', '&', '`']);
    if is_text && (!listed || words.len() == 1) || words.len() == 1 {
        return Some(Runnable::Text { text: words.swap_remove(0), parameters: None });
    }
    // `execlp("rm", "rm", "-rf")` contains the program twice.
    let base = first.text.rsplit('/').next().unwrap_or_default().to_owned();
    if words.get(1).is_some_and(|second| second.text == base || second.text == first.text) {
        words.remove(0);
    }
    Some(Runnable::Words { assignments: Vec::new(), words })
}

fn unknown_part() -> Part {
    Part { kind: "variable".to_owned(), text: "_".to_owned(), quoted: false }
}

fn unknown() -> Word {
    Word { text: "$_".to_owned(), dynamic: true, quoted: false, glob: false, parts: vec![unknown_part()] }
}

/// Appends a literal, or a part that is only known at run time, to a word.
fn extend(word: &mut Word, more: Option<&str>) {
    match more {
        Some(text) => {
            word.text.push_str(text);
            word.parts.extend(literal(text).parts);
        }
        None if word.dynamic => {}
        None => {
            word.text.push_str("$_");
            word.dynamic = true;
            word.parts.push(unknown_part());
        }
    }
}

/// Returns the words of the list at the start of the text, Ruby's `%w[rm -rf]` or Perl's `qw(rm -rf)`, and its length.
fn listed_words(text: &str) -> Option<(&str, usize)> {
    let inside = ["%w", "%W", "qw"].iter().find_map(|opener| text.strip_prefix(opener))?;
    let open = inside.chars().next().filter(|open| !open.is_alphanumeric() && !open.is_whitespace())?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let (items, behind) = inside.get(open.len_utf8()..)?.split_once(close)?;
    // A list that is indexed, joined with another one, or partly escaped isn't followed.
    let is_whole = behind.trim_start().is_empty() || behind.trim_start().starts_with([')', ',', ';', '}']);
    if items.len() > LONGEST || items.contains(['\\', '#']) || !is_whole {
        return None;
    }
    Some((items, text.len() - inside.len() + open.len_utf8() + items.len() + close.len_utf8()))
}

/// Returns the string literal at the start of the text, without its quotes, and its length.
pub(super) fn string(text: &str) -> Option<(String, usize)> {
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        let Some(inside) = text.strip_prefix(quote) else { continue };
        let mut result = String::new();
        let mut chars = inside.char_indices();
        while let Some((at, char)) = chars.next() {
            if inside.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
                return Some((result, at + 2 * quote.len()));
            }
            if at > LONGEST {
                return None;
            }
            match char {
                '\\' => match chars.next() {
                    Some((_, 'n')) => result.push('\n'),
                    Some((_, 't')) => result.push('\t'),
                    Some((_, other)) => result.push(other),
                    None => return None,
                },
                _ => result.push(char),
            }
        }
        return None;
    }
    None
}
