//! Translates the supported subset of nu to the syntax of other shells.

/// Words before a block that always runs.
const BLOCKS: &[&str] = &["try", "do", "each", "par-each", "items", "catch", "finally"];

/// The start and end of a block.
const GROUP: (&str, &str) = ("{ :; ", "\n} ");
const BRANCH: (&str, &str) = ("; then :; ", "\nfi ");
const OTHERWISE: (&str, &str) = ("\nelse :; ", "\nfi ");
const LOOP: (&str, &str) = ("; do :; ", "\ndone ");

/// Operators of a condition.
const OPERATORS: &[&str] = &[
    "<", "<=", "==", "!=", ">", ">=", "=~", "!~", "and", "or", "xor", "not", "in", "not-in", "+", "-", "*", "/", "++",
];

/// Returns a nu text as shell: `^name` is the program with that name, a block after `try` or `each` is a group, `open`
/// prints a file, `save` writes one, and a block after a condition or a list is a branch or a loop.
pub(super) fn as_shell(text: &str) -> String {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, out: String::with_capacity(text.len() + 16), ..Reader::default() };
    reader.read();
    reader.out
}

#[derive(Default)]
struct Reader<'t> {
    tokens: &'t [&'t str],
    at: usize,
    out: String,
    /// Whether a command begins here.
    starts: bool,
    /// Whether the words are the elements of a list.
    lists: bool,
    /// The block that the next token begins.
    opens: Option<(&'static str, &'static str)>,
    /// The end of each open block.
    closing: Vec<&'static str>,
}

impl<'t> Reader<'t> {
    fn read(&mut self) {
        self.starts = true;
        while let Some(token) = self.take() {
            match token {
                "\n" | ";" | "|" => {
                    (self.starts, self.lists, self.opens) = (true, false, None);
                    self.push(token);
                    continue;
                }
                "(" => {
                    self.out.push_str(if self.starts { "echo $(" } else { "$(" });
                    self.starts = true;
                    continue;
                }
                _ => {}
            }
            if let Some(((begin, end), inside)) = self.opens.take().zip(token.strip_prefix('{')) {
                self.out.push_str(begin);
                self.closing.push(end);
                self.starts = true;
                if inside.is_empty() {
                    // `{|x| ...`: a bar is a separate token.
                    self.skip_parameters();
                } else {
                    self.push_closed(inside);
                }
                continue;
            }
            self.starts = self.word(token);
        }
    }

    /// Reads a word, and returns whether a command begins after it.
    fn word(&mut self, token: &'t str) -> bool {
        let word = token.strip_prefix('^').filter(|_| self.starts).unwrap_or(token);
        let next = self.tokens.get(self.at).copied().unwrap_or_default();
        match word {
            "run-external" if self.starts => self.lists = true,
            "open" if self.starts => self.out.push_str("cat "),
            "save" if self.starts => self.out.push_str("tee "),
            "def" | "def-env" if self.starts => {
                self.out.extend([next.trim_matches(['"', '\'']), "() "]);
                self.at += 1;
                while self.tokens.get(self.at).is_some_and(|token| !token.starts_with('{') && *token != ";") {
                    self.at += 1;
                }
                self.opens = Some(GROUP);
                return true;
            }
            "if" | "while" if self.starts => {
                self.out.extend([word, " :"]);
                self.condition();
                self.opens = Some(if word == "if" { BRANCH } else { LOOP });
                return true;
            }
            "loop" if self.starts && next.starts_with('{') => {
                self.out.push_str("while true");
                self.opens = Some(LOOP);
                return true;
            }
            "for" if self.starts => {
                self.out.extend(["for ", next, " in"]);
                self.at += 1;
                if self.tokens.get(self.at) == Some(&"in") {
                    self.at += 1;
                }
                self.condition();
                self.opens = Some(LOOP);
                return true;
            }
            "else" if self.out.ends_with(BRANCH.1) => {
                self.out.truncate(self.out.len() - BRANCH.1.len());
                self.opens = Some(OTHERWISE);
                if next == "if" {
                    self.at += 1;
                    self.out.push_str("\nelif :");
                    self.condition();
                    self.opens = Some(BRANCH);
                }
                return true;
            }
            _ if BLOCKS.contains(&word) && next.starts_with('{') => {
                if matches!(word, "catch" | "finally") {
                    self.out.push_str("; ");
                }
                self.opens = Some(GROUP);
                return true;
            }
            "-f" | "--force" | "--raw" | "-r" | "--append"
                if self.out.ends_with("tee ") || self.out.ends_with("cat ") => {}
            _ if self.lists => self.push(word.trim_start_matches("...").trim_matches(['[', ']', ','])),
            _ => {
                // A variable's value isn't a command.
                if self.starts && token.starts_with('$') && !token.starts_with("$env.") {
                    self.out.push_str("echo ");
                }
                self.push_closed(word);
            }
        }
        false
    }

    fn take(&mut self) -> Option<&'t str> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    fn push(&mut self, word: &str) {
        self.out.extend([word, " "]);
    }

    /// Adds the words of a condition or a list up to the block after it, without operators and brackets.
    fn condition(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at).filter(|token| !token.starts_with('{') && **token != ";") {
            self.at += 1;
            self.out.push(' ');
            if *token == "(" {
                self.out.push_str("$(");
                depth += 1;
            } else if depth > 0 || !OPERATORS.contains(token) {
                self.out.push_str(token.trim_matches(['[', ']', ',', '^']));
            }
            depth = depth.saturating_sub(token.matches(')').count());
        }
    }

    /// Skips `|x|`, whose bars are tokens.
    fn skip_parameters(&mut self) {
        if self.tokens.get(self.at) == Some(&"|") {
            let behind = self.tokens.get(self.at + 1..).unwrap_or_default();
            self.at += 2 + behind.iter().position(|token| *token == "|").unwrap_or(behind.len());
        }
    }

    /// Adds a word. A brace at its end closes an open block.
    fn push_closed(&mut self, word: &str) {
        let bare = word.trim_end_matches('}');
        let ends = (word.len() - bare.len()).min(self.closing.len());
        self.out.push_str(word.get(..word.len() - ends).unwrap_or(word));
        if ends == 0 {
            self.out.push(' ');
        }
        for _ in 0..ends {
            self.out.push_str(self.closing.pop().unwrap_or_default());
        }
    }
}

/// Splits a text into words and command separators.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quote) = (None::<usize>, None);
    for (at, char) in text.char_indices() {
        match (char, quote) {
            (char, Some(open)) => {
                if char == open {
                    quote = None;
                }
            }
            ('"' | '\'' | '`', None) => {
                quote = Some(char);
                start = start.or(Some(at));
            }
            ('(', None) if start.is_none() => found.extend(text.get(at..at + 1)),
            (char, None) if char.is_whitespace() || matches!(char, ';' | '|') => {
                found.extend(start.take().and_then(|start| text.get(start..at)));
                if matches!(char, '\n' | ';' | '|') {
                    found.extend(text.get(at..at + 1));
                }
            }
            (_, None) => start = start.or(Some(at)),
        }
    }
    found.extend(start.and_then(|start| text.get(start..)));
    found
}

#[cfg(test)]
mod tests {
    use super::as_shell;

    #[test]
    fn blocks_and_commands_are_spelled_as_shell() {
        for (text, shell) in [
            ("ls a", "ls a "),
            ("^ls a; ^ls b", "ls a ; ls b "),
            ("try { ls a } catch { }", "{ :; ls a \n} ; { :; \n} "),
            ("glob a | each { ls $in }", "glob a | { :; ls $in \n} "),
            ("a | each {|x| ls $x}", "a | { :; ls $x\n} "),
            ("a | each { |x| ls $x }", "a | { :; ls $x \n} "),
            ("run-external \"ls\" ...[\"-l\" \"a\"]", "\"ls\" \"-l\" \"a\" "),
            ("open --raw a", "cat a "),
            ("\"x\" | save -f a", "\"x\" | tee a "),
            ("def f [] { ls a }; f", "f() { :; ls a \n} ; f "),
            ("echo '{ try { open'", "echo '{ try { open' "),
            ("open a.json | get name", "cat a.json | get name "),
            ("for x in [1 2] { ls $x }", "for x in 1 2; do :; ls $x \ndone "),
            ("for x [a b] { ls $x }", "for x in a b; do :; ls $x \ndone "),
            (
                "if $x > 2 { ls } else if b { pwd } else { id }",
                "if : $x  2; then :; ls \nelif : b; then :; pwd \nelse :; id \nfi ",
            ),
            ("while (ls | length) < 3 { rm a }", "while : $( ls | length)  3; do :; rm a \ndone "),
            ("loop { ls; break }", "while true; do :; ls ; break \ndone "),
            ("a | each { |x| $x.name }", "a | { :; echo $x.name \n} "),
            ("print (^ls)", "print $(ls) "),
        ] {
            assert_eq!(as_shell(text), shell, "{text}");
        }
    }

    #[test]
    fn many_blocks_cost_little() {
        let text = "try { ".repeat(5_000);
        assert!(as_shell(&text).len() < 10 * text.len());
    }
}
