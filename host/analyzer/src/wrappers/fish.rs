//! Translates fish to the syntax of other shells: `(a)` becomes `$(a)`, and blocks get a shell's keywords.

use crate::limits;

/// Returns a fish text as shell. If the blocks don't match, they stay unchanged, and the result doesn't parse.
pub(super) fn as_shell(text: &str) -> String {
    let text = by_files(&substitutions(text));
    Blocks::new(&text).read().unwrap_or(text)
}

/// Converts parentheses to substitutions, and backslashes in single quotes.
fn substitutions(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let (mut quote, mut before) = (None, ' ');
    let mut chars = source.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', Some('\'')) => {
                match chars.next_if(|next| matches!(next, '\'' | '\\')) {
                    Some('\'') => text.push_str("'\\''"),
                    _ => text.push('\\'),
                }
                continue;
            }
            _ if before == '\\' => {}
            ('"' | '\'', None) => quote = Some(char),
            (char, Some(open)) if char == open => quote = None,
            ('(', None) if before != '$' => text.push('$'),
            _ => {}
        }
        text.push(char);
        before = if before == '\\' { ' ' } else { char };
    }
    text
}

/// Replaces `(... | psub)` with its file, and `string join` with `echo`.
fn by_files(text: &str) -> String {
    let mut text = text.replace("string join \" \" ", "echo ").replace("string join ' ' ", "echo ");
    for _ in 0..limits::STARTS {
        let Some(end) = text.find("| psub)") else { break };
        let Some(start) = text.get(..end).and_then(|before| before.rfind("$(")) else { break };
        text.replace_range(end..end + "| psub)".len(), ")");
        text.replace_range(start..start + 1, "<");
    }
    text
}

/// An open block or parenthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Loop,
    If,
    Group,
    /// `switch`, and whether it had a case.
    Switch(bool),
    Parentheses,
}

/// Reads a text once, from start to end.
struct Blocks<'t> {
    rest: &'t str,
    out: String,
    /// The open blocks, each with the replacement for the separator after it.
    open: Vec<(Block, Option<&'static str>)>,
    /// The replacement for the next separator.
    awaited: Option<&'static str>,
    /// Whether a command begins here.
    starts: bool,
}

impl<'t> Blocks<'t> {
    fn new(text: &'t str) -> Self {
        Blocks {
            rest: text,
            out: String::with_capacity(text.len() + 16),
            open: Vec::new(),
            awaited: None,
            starts: true,
        }
    }

    /// Returns the translation, or `None` if the blocks don't match.
    fn read(mut self) -> Option<String> {
        while let Some(char) = self.rest.chars().next() {
            match char {
                ' ' | '\t' => self.copy(1),
                ';' | '\n' => {
                    match self.awaited.take() {
                        Some(text) => {
                            self.out.push_str(text);
                            self.skip(1);
                        }
                        None => self.copy(1),
                    }
                    self.starts = true;
                }
                '|' | '&' => {
                    self.copy(1);
                    self.starts = true;
                }
                '(' => {
                    self.copy(1);
                    self.opens(Block::Parentheses, None);
                }
                ')' => {
                    (self.closes()? == Block::Parentheses).then_some(())?;
                    self.copy(1);
                }
                '#' => self.skip(self.rest.find('\n').unwrap_or(self.rest.len())),
                _ => {
                    let word = self.rest.get(..word_length(self.rest))?;
                    if self.starts { self.command(word)? } else { self.word(word) }
                }
            }
        }
        self.open.is_empty().then_some(self.out)
    }

    /// Reads a word where a command begins.
    fn command(&mut self, word: &'t str) -> Option<()> {
        match word {
            "if" | "while" | "for" | "switch" => {
                let (block, spelled, then) = match word {
                    "if" => (Block::If, "if", "; then :; "),
                    "switch" => (Block::Switch(false), "case", " in "),
                    _ => (Block::Loop, word, "; do :; "),
                };
                self.replace(word, spelled);
                self.opens(block, Some(then));
                self.starts = block == Block::If || word == "while";
            }
            "else" => {
                self.open.last().filter(|(block, _)| *block == Block::If)?;
                self.skip(word.len());
                self.rest = self.rest.trim_start_matches(' ');
                if self.rest.get(..word_length(self.rest)) == Some("if") {
                    self.replace("if", "elif");
                    self.awaited = Some("; then :; ");
                } else {
                    self.replace("", "else :;");
                    self.skip_separator();
                }
            }
            "begin" => {
                self.replace(word, "{ :;");
                self.opens(Block::Group, None);
                self.skip_separator();
            }
            "function" => self.function()?,
            "case" => self.case()?,
            "end" => {
                self.awaited.is_none().then_some(())?;
                let spelled = match self.closes()? {
                    Block::Loop => "done",
                    Block::If => "fi",
                    Block::Group => "}",
                    Block::Switch(true) => ";; esac",
                    Block::Switch(false) => "esac",
                    Block::Parentheses => return None,
                };
                self.replace(word, spelled);
            }
            "set" => self.assignment(),
            "not" | "and" | "or" | "!" | "time" | "builtin" | "command" | "exec" => self.copy(word.len()),
            _ => self.word(word),
        }
        Some(())
    }

    /// Copies a word, and replaces `$argv` with the parameters.
    fn word(&mut self, word: &str) {
        let mut rest = word;
        while let Some((before, behind)) = rest.split_once("$argv") {
            self.out.push_str(before);
            let index = behind.strip_prefix('[').and_then(|inside| inside.split_once(']'));
            let number = index.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
            rest = match number {
                Some((number, rest)) => {
                    self.out.extend(["${", number, "}"]);
                    rest
                }
                None => {
                    self.out.push_str(if index.is_some() { "$argv" } else { "$@" });
                    behind
                }
            };
        }
        self.out.push_str(rest);
        self.skip(word.len());
        self.starts = false;
    }

    /// Reads `function NAME --argument A B`.
    fn function(&mut self) -> Option<()> {
        let words = self.words();
        let name = words.get(1).filter(|name| is_plain(name))?;
        let begin = words.iter().position(|word| word.starts_with("--arg") || *word == "-a");
        let parameters = begin.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        self.out.extend([*name, "() { :; "]);
        for (at, name) in parameters.iter().take_while(|name| is_plain(name)).enumerate() {
            self.out.push_str(&format!("{name}=${{{}}}; ", at + 1));
        }
        self.opens(Block::Group, None);
        self.skip_separator();
        Some(())
    }

    /// Reads `case A B`.
    fn case(&mut self) -> Option<()> {
        let words = self.words();
        let (block, _) = self.open.last_mut()?;
        if let Block::Switch(true) = block {
            self.out.push_str(";; ");
        }
        (matches!(block, Block::Switch(_)) && words.len() > 1).then_some(())?;
        *block = Block::Switch(true);
        self.out.push_str(&words.get(1..)?.join("|"));
        self.out.push_str(") :; ");
        self.skip_separator();
        self.starts = true;
        Some(())
    }

    /// Reads `set -gx NAME VALUE`. The value is unknown if it is a list or if other options are given.
    fn assignment(&mut self) {
        let rest = self.rest;
        let words = self.words();
        let is_scope = |word: &&&str| {
            word.strip_prefix('-').is_some_and(|letters| letters.bytes().all(|letter| b"gxlUfu".contains(&letter)))
                || matches!(**word, "--global" | "--export" | "--local" | "--universal" | "--function")
        };
        let scopes = words.iter().skip(1).take_while(is_scope).count();
        let name = words.get(scopes + 1).filter(|name| is_plain(name) && **name != "PATH");
        let is_exported = words.iter().take(scopes + 1).any(|word| word.contains('x'));
        match (name, words.get(scopes + 2..).unwrap_or_default()) {
            (Some(name), [] | [_]) => {
                let value = words.get(scopes + 2).copied().unwrap_or_default();
                self.out.extend([if is_exported { "export " } else { "" }, *name, "="]);
                let after = std::mem::replace(&mut self.rest, value);
                self.word(value);
                self.rest = after;
            }
            (Some(name), values) => {
                let values = values.join(" ");
                self.out.extend(["read ", *name, "; : ", &values]);
            }
            (None, _) => {
                self.rest = rest;
                self.copy("set".len());
            }
        }
        self.starts = false;
    }

    /// Skips the words up to the next separator, and returns them.
    fn words(&mut self) -> Vec<&'t str> {
        let mut words = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            let length = whole_word_length(self.rest);
            let Some((word, rest)) = self.rest.split_at_checked(length).filter(|_| length > 0) else { return words };
            words.push(word);
            self.rest = rest;
        }
    }

    fn opens(&mut self, block: Block, awaited: Option<&'static str>) {
        self.open.push((block, self.awaited.take()));
        self.awaited = awaited;
        self.starts = true;
    }

    fn closes(&mut self) -> Option<Block> {
        let (block, awaited) = self.open.pop()?;
        self.awaited = awaited;
        self.starts = false;
        Some(block)
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Skips the separator after a word such as `else`, where a shell has none.
    fn skip_separator(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
        self.rest = self.rest.strip_prefix(';').unwrap_or(self.rest);
        self.out.push(' ');
    }

    fn copy(&mut self, length: usize) {
        self.out.push_str(self.rest.get(..length).unwrap_or_default());
        self.skip(length);
    }

    fn replace(&mut self, word: &str, spelled: &str) {
        self.out.push_str(spelled);
        self.skip(word.len());
    }
}

/// Returns whether a variable's or function's name is also valid in a shell.
fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Returns the length of the word at the start of the text, at least one character.
fn word_length(text: &str) -> usize {
    length(text, false)
}

/// Returns the length of the word at the start of the text, including its substitutions.
fn whole_word_length(text: &str) -> usize {
    length(text, true)
}

fn length(text: &str, is_whole: bool) -> usize {
    let (mut quote, mut depth) = (None, 0_usize);
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match (char, quote) {
            ('\\', Some('"') | None) => drop(chars.next()),
            (char, Some(open)) if char == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(char),
            ('(', None) if is_whole => depth += 1,
            (')', None) if depth > 0 => depth -= 1,
            (' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')', None) if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::as_shell;

    #[test]
    fn blocks_have_the_words_of_a_shell() {
        for (text, shell) in [
            ("ls; and pwd", "ls; and pwd"),
            ("echo (ls) '(a)'", "echo $(ls) '(a)'"),
            ("for x in a b; ls $x; end", "for x in a b; do :;  ls $x; done"),
            ("while read l; ls $l; end < a", "while read l; do :;  ls $l; done < a"),
            ("if a; b; else if c; d; else; e; end", "if a; then :;  b; elif c; then :;  d; else :;  e; fi"),
            ("if a\nb\nend", "if a; then :; b\nfi"),
            ("begin; ls; end | sort", "{ :;  ls; } | sort"),
            ("if begin; a; end; b; end", "if { :;  a; }; then :;  b; fi"),
            (
                "switch (uname); case A B; ls; case '*'; pwd; end",
                "case $(uname) in  A|B) :;   ls; ;; '*') :;   pwd; ;; esac",
            ),
            ("function f -a x; ls $x $argv[2] $argv; end; f a", "f() { :; x=${1};   ls $x ${2} $@; }; f a"),
            ("set -gx d (pwd); ls $d", "export d=$(pwd); ls $d"),
            ("set d a b; ls $d", "read d; : a b; ls $d"),
            ("set -q d; or set PATH a b", "set -q d; or set PATH a b"),
            ("echo for; echo 'end' end", "echo for; echo 'end' end"),
            ("ls # end", "ls "),
            ("echo end; end", "echo end; end"),
            ("for x in a; ls", "for x in a; ls"),
        ] {
            assert_eq!(as_shell(text), shell, "{text}");
        }
    }

    #[test]
    fn many_blocks_cost_little() {
        for block in ["if a; ", "begin; ", "a (", "end; ", "switch a; case b; ", "set a (", "function f; ", "'"] {
            let text = block.repeat(5_000);
            assert!(as_shell(&text).len() < 10 * text.len(), "{block}");
        }
    }
}
