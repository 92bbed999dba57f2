//! [`Shape`]: the properties of a command's text that rewrites need.
//!
//! The analyzer reports the commands, but not the positions of words. Words are only used if a small parser for plain
//! words and the analyzer agree on all of them.

use guard_contract::syntax::{Analysis, Coverage, Severity};

/// The maximum size of a text that is rewritten, in bytes.
const TEXT_BYTES: usize = 8 << 10;

/// Words with a syntactic meaning at the start of a command.
const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while",
];

/// Builtins whose arguments may be assignments, which are parsed differently.
const DECLARATIONS: &[&str] = &["alias", "declare", "export", "local", "readonly", "typeset"];

/// Commands that only the running shell can execute.
const BUILTINS: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "cd",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Programs that may read standard input. A text with one of these names isn't passed to a shell through standard
/// input.
const READERS: &[&str] = &[
    "at",
    "awk",
    "base64",
    "bash",
    "batch",
    "bc",
    "cat",
    "clickhouse",
    "cpio",
    "cqlsh",
    "crontab",
    "cut",
    "dash",
    "dd",
    "docker",
    "ed",
    "ex",
    "fish",
    "gpg",
    "grep",
    "gzip",
    "head",
    "ksh",
    "kubectl",
    "mapfile",
    "mariadb",
    "mongosh",
    "mysql",
    "nc",
    "node",
    "openssl",
    "parallel",
    "patch",
    "perl",
    "php",
    "podman",
    "psql",
    "python",
    "python3",
    "read",
    "readarray",
    "redis",
    "ruby",
    "sed",
    "sh",
    "sort",
    "source",
    "sqlcmd",
    "sqlite3",
    "ssh",
    "stdin",
    "su",
    "sudo",
    "tail",
    "tar",
    "tee",
    "tr",
    "vi",
    "vim",
    "wc",
    "xargs",
    "zsh",
];

/// Syntax that `sh` may not support.
const BASHISMS: &[&str] =
    &["[[", "$'", "$\"", "<<<", "<(", ">(", "{", "&>", ">&$", "|&", "((", "=(", "^", "~+", "~-", "+="];
const BASH_WORDS: &[&str] = &[
    "builtin",
    "coproc",
    "declare",
    "disown",
    "enable",
    "exec",
    "export",
    "function",
    "let",
    "local",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "select",
    "shopt",
    "source",
    "time",
    "typeset",
];

/// A word of a simple command, and its position.
#[derive(Debug)]
pub(super) struct Word<'a> {
    pub(super) start: usize,
    /// The source text.
    pub(super) raw: &'a str,
    /// The text after quote removal.
    pub(super) text: String,
    /// Whether nothing in it is expanded, so that `text` may be quoted differently.
    pub(super) literal: bool,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    /// Returns whether it is written without quotes.
    pub(super) fn is_bare(&self) -> bool {
        self.literal && self.raw == self.text
    }
}

/// A complete text in Bash, with the properties that rewrites need.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    /// The text without surrounding white space.
    pub(super) text: &'a str,
    /// All words, if the text is one simple command without redirections. Otherwise empty.
    pub(super) words: Vec<Word<'a>>,
    /// The index in `words` of the actual program, after wrappers such as `sudo`.
    pub(super) program: usize,
    /// Whether the effects are known and the output doesn't matter.
    pub(super) is_silent: bool,
    /// Whether something is lost permanently, on any machine.
    pub(super) is_catastrophic: bool,
}

impl<'a> Shape<'a> {
    /// Determines the shape of a text. `None` if it may be incomplete.
    pub(super) fn parse(text: &'a str, analysis: &Analysis) -> Option<Self> {
        let text = text.trim();
        let odd = |c: char| c == '\0' || c == '\r';
        if text.is_empty() || text.len() > TEXT_BYTES || text.contains(odd) || text.ends_with('\\') {
            return None;
        }
        if analysis.coverage == Coverage::Unparsed || !here_documents_end(text) {
            return None;
        }
        let prints = ["read", "network", "execute", ""];
        let is_silent = !analysis.effects.is_empty()
            && !analysis.effects.iter().any(|effect| prints.contains(&effect.kind.as_str()));
        let is_catastrophic = analysis.effects.iter().any(|effect| effect.severity == Severity::Catastrophic);
        let (words, program) = simple(text, analysis).unwrap_or_default();
        Some(Shape { text, words, program, is_silent, is_catastrophic })
    }

    /// Returns whether the text contains one of the words as a separate word.
    pub(super) fn contains_word(&self, words: &[&str]) -> bool {
        self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| words.contains(&word))
    }

    /// Returns whether it is one line, to which more can be appended.
    pub(super) fn is_open(&self) -> bool {
        !self.text.contains(['\n', '#'])
            && !self.text.ends_with(['&', ';', '|', '<', '>'])
            && !has_here_document(self.text)
    }

    /// Returns the text with a terminator, so that `}` or `done` may follow.
    pub(super) fn terminated(&self) -> String {
        if self.is_open() { format!("{};", self.text) } else { format!("{}\n", self.text) }
    }

    /// Returns the text with a space or line break, so that `)` may follow.
    pub(super) fn with_space(&self) -> String {
        if self.is_open() { format!("{} ", self.text) } else { format!("{}\n", self.text) }
    }

    /// Returns whether it may be the body of a function: it uses neither arguments nor `return`.
    pub(super) fn can_be_function_body(&self) -> bool {
        let parameter = self.text.split('$').skip(1).any(|rest| {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            rest.starts_with(|c: char| c.is_ascii_digit() || "@*#".contains(c))
        });
        !parameter
            && !self.contains_word(&[
                "return",
                "local",
                "declare",
                "typeset",
                "shift",
                "set",
                "FUNCNAME",
                "BASH_SOURCE",
            ])
    }

    /// Returns whether it may be the body of a loop.
    pub(super) fn can_be_loop_body(&self) -> bool {
        !self.contains_word(&["break", "continue"])
    }

    /// Returns whether any POSIX shell parses it alike, as far as can be determined.
    pub(super) fn is_posix(&self) -> bool {
        !BASHISMS.iter().any(|odd| self.text.contains(odd)) && !self.contains_word(BASH_WORDS)
    }

    /// Returns whether a shell may read it from standard input: none of its commands reads from there.
    pub(super) fn can_be_shell_input(&self) -> bool {
        !self.text.contains('\n') && !self.contains_word(READERS)
    }

    /// Returns the first word, if it is a plain name that another program can run.
    ///
    /// `None` if the text defines functions, which may have this name.
    pub(super) fn external(&self) -> Option<&'a str> {
        let first = self.command_name()?;
        (!BUILTINS.contains(&first)).then_some(first)
    }

    /// Returns the first word, if it is the plain name of a command.
    pub(super) fn command_name(&self) -> Option<&'a str> {
        let end =
            self.text.find(|c: char| !c.is_ascii_alphanumeric() && !"/._-+".contains(c)).unwrap_or(self.text.len());
        let first = self.text.get(..end)?;
        let ends = self.text.get(end..)?.chars().next().is_none_or(|c| " \t;&|".contains(c));
        let defines =
            self.text.contains("()") || self.text.contains("( )") || self.contains_word(&["function", "alias"]);
        let known = !first.is_empty() && !KEYWORDS.contains(&first) && !DECLARATIONS.contains(&first);
        (ends && known && !defines).then_some(first)
    }

    /// Returns the actual program, if it is a separate word.
    pub(super) fn program(&self) -> Option<&Word<'a>> {
        self.words.get(self.program)
    }

    /// Returns the words after the program.
    pub(super) fn arguments(&self) -> impl DoubleEndedIterator<Item = &Word<'a>> {
        self.words.iter().skip(self.program + 1)
    }

    /// Returns the last argument that can be spelled differently.
    pub(super) fn argument(&self) -> Option<&Word<'a>> {
        self.arguments().rfind(|word| word.literal && !word.text.is_empty())
    }

    /// Replaces one word in the text.
    pub(super) fn replace_word(&self, word: &Word<'_>, spelling: &str) -> Option<String> {
        let (before, after) = (self.text.get(..word.start)?, self.text.get(word.end()..)?);
        Some(format!("{before}{spelling}{after}"))
    }

    /// Replaces the words from `from` on in the text.
    pub(super) fn replace_tail<'b>(&self, from: usize, tail: impl IntoIterator<Item = &'b str>) -> Option<String> {
        let head = self.words.get(..from)?.iter().map(|word| word.raw);
        let words: Vec<String> = head.map(str::to_owned).chain(tail.into_iter().map(str::to_owned)).collect();
        Some(words.join(" "))
    }

    /// Returns a name for a variable or function that isn't in the text.
    pub(super) fn fresh(&self, name: &str) -> String {
        let mut fresh = name.to_owned();
        while self.text.contains(&format!("${fresh}"))
            || self.text.contains(&format!("{{{fresh}"))
            || self.contains_word(&[&fresh])
        {
            fresh.push('1');
        }
        fresh
    }

    /// Returns a delimiter for a here-document that isn't in the text.
    pub(super) fn delimiter(&self) -> String {
        delimiter(self.text)
    }
}

/// Returns a delimiter that isn't in the text.
pub(super) fn delimiter(text: &str) -> String {
    let mut end = "END".to_owned();
    while text.contains(&end) {
        end.push('1');
    }
    end
}

/// Returns the words of a text that is one simple command, and the index of the program, if the analyzer agrees.
fn simple<'a>(text: &'a str, analysis: &Analysis) -> Option<(Vec<Word<'a>>, usize)> {
    let words = split_words(text)?;
    let mut top = analysis.commands.iter().filter(|command| command.parent == 0);
    let (command, None) = (top.next()?, top.next()) else { return None };
    let program = words.len().checked_sub(command.argv.len())?;
    let (own, named) = (words.get(program..)?, command.argv.first()?.text.as_str());
    let agree = own.iter().map(|word| &word.text).eq(command.argv.iter().map(|word| &word.text));
    let plain = command.redirections.is_empty() && command.position.within.is_empty() && command.position.length == 1;
    let special = |name: &str| KEYWORDS.contains(&name) || DECLARATIONS.contains(&name);
    (agree && plain && own.first()?.literal && !special(named)).then_some((words, program))
}

/// Splits a text into words: bare, quoted, or with variables. `None` if there is anything else.
fn split_words(text: &str) -> Option<Vec<Word<'_>>> {
    let mut words = Vec::new();
    let mut open: Option<(usize, String, bool)> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == ' ' || c == '\t' {
            if let Some((start, text_of, literal)) = open.take() {
                words.push(Word { start, raw: text.get(start..at)?, text: text_of, literal });
            }
            continue;
        }
        let first = open.is_none();
        let (_, word, literal) = open.get_or_insert_with(|| (at, String::new(), true));
        match c {
            '\'' => loop {
                match chars.next()?.1 {
                    '\'' => break,
                    '\n' => return None,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match chars.next()?.1 {
                    '"' => break,
                    '\\' | '`' | '\n' => return None,
                    '$' => {
                        is_variable(chars.peek().map(|(_, next)| *next))?;
                        *literal = false;
                        word.push('$');
                    }
                    c => word.push(c),
                }
            },
            '$' => {
                is_variable(chars.peek().map(|(_, next)| *next))?;
                *literal = false;
                word.push(c);
            }
            '#' | '!' if first => return None,
            '\\' | '`' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => return None,
            '*' | '?' | '[' | '{' | '}' | '~' => {
                *literal = false;
                word.push(c);
            }
            c => word.push(c),
        }
    }
    if let Some((start, text_of, literal)) = open {
        words.push(Word { start, raw: text.get(start..)?, text: text_of, literal });
    }
    (!words.is_empty() && !words.iter().any(|word| matches!(word.raw, "{" | "}"))).then_some(words)
}

/// Succeeds if a variable's name follows a dollar sign.
fn is_variable(next: Option<char>) -> Option<()> {
    next.filter(|next| next.is_ascii_alphabetic() || "_{".contains(*next)).map(|_| ())
}

fn has_here_document(text: &str) -> bool {
    text.replace("<<<", "").contains("<<")
}

/// Returns whether every here-document that may start in the text also ends in it.
fn here_documents_end(text: &str) -> bool {
    let text = text.replace("<<<", "");
    text.split("<<").skip(1).all(|rest| {
        let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
        let quote = |c: char| c == '\'' || c == '"' || c == '\\';
        let end = rest.trim_start_matches(quote);
        let end: String = end.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        !end.is_empty() && rest.lines().skip(1).any(|line| line.trim_start_matches('\t') == end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raws(text: &str) -> Option<Vec<(&str, bool)>> {
        Some(split_words(text)?.iter().map(|word| (word.raw, word.literal)).collect())
    }

    #[test]
    fn plain_words_are_found_where_they_stand() {
        let text = "rm  -rf 'a b'\"c\" \"$HOME/x\" ~/y *.c";
        let expected =
            [("rm", true), ("-rf", true), ("'a b'\"c\"", true), ("\"$HOME/x\"", false), ("~/y", false), ("*.c", false)];
        assert_eq!(raws(text).unwrap(), expected);
        let found = split_words(text).unwrap();
        assert_eq!((found[2].start, found[2].end(), found[2].text.as_str()), (8, 16, "a bc"));
    }

    #[test]
    fn what_is_not_plain_has_no_words() {
        for text in [
            "a; b", "a | b", "a > f", "a `b`", "a $(b)", "a \\b", "a # b", "! a", "a 'b", "{ a", "(a)", "a\nb", "a $1",
            "a &",
        ] {
            assert_eq!(raws(text), None, "{text}");
        }
    }

    #[test]
    fn an_open_here_document_is_seen() {
        assert!(here_documents_end("cat <<'E' > f\nx\nE"));
        assert!(here_documents_end("cat <<-E\nx\n\tE\nls"));
        assert!(here_documents_end("cat <<< x"));
        assert!(!here_documents_end("cat <<E\nx"));
        assert!(!here_documents_end("cat <<E; cat <<F\nE"));
    }
}
