//! The analysis of a tool call: commands, effects, scripts. The types are those of `wit/0.1.0/syntax.wit`.

pub use crate::bindings::guard::policy::syntax::{
    Analysis, Assignment, Command, Coverage, Effect, Part, Position, Redirection, Script, Severity, Span, Via, Word,
};

use crate::globs::spelled_folder;
pub use crate::index::Index;
use crate::paths::last_name;
use crate::resolve::{HOLDS, MORE, is_pattern};
use crate::{Presence, ResolvedPath, scan};

/// The kinds of effects in this version. Later versions may add some.
pub const EFFECT_KINDS: [&str; 18] = [
    "cloud",
    "container",
    "database",
    "delete",
    "device",
    "execute",
    "metadata",
    "network",
    "orchestration",
    "package",
    "power",
    "privilege",
    "process",
    "read",
    "service",
    "system",
    "vcs",
    "write",
];

/// The operations of effects in this version, sorted by name. Later versions may add some.
pub fn operations() -> impl Iterator<Item = &'static str> {
    include_str!("operations.txt").lines()
}

/// A comment in shell text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The text after `#`, without the white space around it.
    pub text: String,
    /// The range in the shell text, from `#` to the end of the line.
    pub span: Span,
}

/// Returns the first 4,096 comments in shell text.
///
/// Here-documents, backticks and strings, such as the text of `bash -c`, are data here: their comments aren't included.
#[must_use]
pub fn comments(source: &str) -> Vec<Comment> {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let comment = |range: std::ops::Range<usize>| Comment {
        text: source.get(range.start + 1..range.end).unwrap_or_default().trim().to_owned(),
        span: Span { start: offset(range.start), end: offset(range.end) },
    };
    scan::survey(source).comments.into_iter().map(comment).collect()
}

impl Effect {
    /// Returns whether the effect has the kind `name`, such as `write`, the operation, such as `package.publish`, or an
    /// operation with this prefix, such as `git.push.`.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        if name.ends_with('.') {
            self.operation.starts_with(name)
        } else if name.contains('.') {
            self.operation == name
        } else {
            self.kind == name
        }
    }

    /// Returns the value of the tag `name`, if the effect has it.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the existing files that the effect takes without naming them. `None` if it names them, or if they are
    /// unknown.
    #[must_use]
    pub fn held_files(&self) -> Option<HeldFiles<'_>> {
        Some(HeldFiles::new(self.tag(HOLDS)?, &self.path.lexical, &self.path.canonical))
    }

    /// Returns the distinct spellings of the target, starting with the written one.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        let path = &self.path;
        let [target, raw, lexical, canonical] =
            [&self.target, &path.raw, &path.lexical, &path.canonical].map(String::as_str);
        let fresh = [
            Some(target),
            Some(raw).filter(|text| *text != target),
            Some(lexical).filter(|text| *text != raw),
            Some(canonical).filter(|text| *text != lexical),
        ];
        fresh.into_iter().flatten().filter(|text| !text.is_empty())
    }
}

/// The existing files in a folder, or of a pattern, that an effect takes: its tag `holds`.
#[derive(Debug, Clone, Copy)]
pub struct HeldFiles<'a> {
    names: &'a str,
    folders: [&'a str; 2],
}

impl<'a> HeldFiles<'a> {
    /// Reads the tag of an effect with this path, as written and as it is.
    #[must_use]
    pub fn new(tag: &'a str, lexical: &'a str, canonical: &'a str) -> Self {
        let folder = |path| if is_pattern(path) { spelled_folder(path) } else { path };
        HeldFiles { names: tag, folders: [folder(lexical), folder(canonical)] }
    }

    /// Returns the names relative to the folder, which end with a slash if they are folders themselves.
    pub fn names(self) -> impl Iterator<Item = &'a str> {
        self.names.lines().filter(|name| *name != MORE)
    }

    /// Returns whether these are all files.
    #[must_use]
    pub fn is_whole(self) -> bool {
        !self.names.ends_with(MORE)
    }

    /// Returns the absolute paths.
    pub fn paths(self) -> impl Iterator<Item = String> + use<'a> {
        let [lexical, canonical] = self.folders;
        let folders = [Some(lexical), Some(canonical).filter(|folder| *folder != lexical)];
        let path =
            move |folder: &'a str| self.names().map(move |name| format!("{}/{name}", folder.trim_end_matches('/')));
        folders.into_iter().flatten().filter(|folder| !folder.is_empty()).flat_map(path)
    }
}

/// An effect without a command, which is certain. For tests: `Effect { target: "main".to_owned(), ..Effect::new("vcs",
/// "git.push") }`.
impl Default for Effect {
    fn default() -> Self {
        Effect {
            kind: String::new(),
            operation: String::new(),
            severity: Severity::Routine,
            target: String::new(),
            path: ResolvedPath::unresolved(""),
            command_id: 0,
            certain: true,
            tags: Vec::new(),
        }
    }
}

/// A command without words, which is certain and outside of other constructs.
impl Default for Command {
    fn default() -> Self {
        Command {
            id: 1,
            parent: 0,
            argv: Vec::new(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            position: Position {
                pipeline: 1,
                index: 0,
                length: 1,
                operator: String::new(),
                background: false,
                within: Vec::new(),
            },
            via: Vec::new(),
            span: Span { start: 0, end: 0 },
            cwd: String::new(),
            certain: true,
        }
    }
}

impl Effect {
    /// Creates an effect of a kind, such as `vcs`, with its operation, such as `git.push`.
    #[must_use]
    pub fn new(kind: &str, operation: &str) -> Self {
        Effect { kind: kind.to_owned(), operation: operation.to_owned(), ..Effect::default() }
    }
}

impl Command {
    /// Creates a command from literal words without quotes.
    #[must_use]
    pub fn new(words: &[&str]) -> Self {
        let word = |text: &&str| Word {
            text: (*text).to_owned(),
            dynamic: false,
            quoted: false,
            glob: false,
            parts: Vec::new(),
        };
        Command { argv: words.iter().map(word).collect(), ..Command::default() }
    }
}

impl ResolvedPath {
    /// Creates a path with only its text known.
    #[must_use]
    pub fn unresolved(raw: impl Into<String>) -> Self {
        ResolvedPath {
            raw: raw.into(),
            lexical: String::new(),
            canonical: String::new(),
            project_relative: String::new(),
            git_root: String::new(),
            exists: Presence::Unknown,
            kind: String::new(),
        }
    }
}

/// The position of a command in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptPlace<'c> {
    /// The file's path.
    pub path: &'c str,
    /// The line, from 1. `None` for code in languages other than shell, and for a file that the call itself writes.
    pub line: Option<u32>,
}

impl Command {
    /// Returns the text of the word at `index`, or an empty text.
    #[must_use]
    pub fn word(&self, index: usize) -> &str {
        self.argv.get(index).map_or("", |word| word.text.as_str())
    }

    /// Returns the program's name without its folder: `rm` for `/bin/rm`. Empty if there is no program.
    #[must_use]
    pub fn program(&self) -> &str {
        last_name(self.word(0))
    }

    /// Returns the innermost file that contains the command. `None` for a command in the call's own text.
    #[must_use]
    pub fn script(&self) -> Option<ScriptPlace<'_>> {
        let at = self.via.iter().rposition(|via| via.kind == "script")?;
        let path = self.via.get(at)?.detail.as_str();
        let line = self.via.get(at + 1).filter(|via| via.kind == "line").and_then(|via| via.detail.parse().ok());
        Some(ScriptPlace { path, line })
    }

    /// Returns whether a pipe or a file that isn't empty is the command's input.
    #[must_use]
    pub fn is_fed(&self) -> bool {
        let is_input = |one: &Redirection| one.operator.starts_with('<') && one.target.text != "/dev/null";
        self.position.index > 0 || self.redirections.iter().any(is_input)
    }

    /// Returns the words, joined by spaces.
    #[must_use]
    pub fn text(&self) -> String {
        self.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_named_by_its_kind_its_operation_or_the_start_of_it() {
        let effect = Effect::new("vcs", "git.push.force");
        for (name, is) in [
            ("vcs", true),
            ("git.push.force", true),
            ("git.push.", true),
            ("git.", true),
            ("git.push", false),
            ("git", false),
            ("git.pull.", false),
        ] {
            assert_eq!(effect.is(name), is, "{name}");
        }
    }

    #[test]
    fn a_comment_begins_a_word_outside_of_quotes_and_data() {
        let texts = |source: &str| comments(source).into_iter().map(|comment| comment.text).collect::<Vec<_>>();
        for (source, expected) in [
            ("ls # all of it", vec!["all of it"]),
            ("#!/bin/sh\nls;#x\r\n", vec!["!/bin/sh", "x"]),
            ("a=$(ls # é\n) # b", vec!["é", "b"]),
            ("(ls) # c\n#", vec!["c", ""]),
            ("case x in # d\nx) ls;; esac", vec!["d"]),
            ("cat <<X # e\n# data\nX\n# f", vec!["e", "f"]),
            ("echo a#b '# c' \"# d\" \\# e ${x# f} $#", vec![]),
            ("bash -c 'ls # g'; echo `ls # h`", vec![]),
            ("x=$((16#ff)); [[ a == b#c ]]", vec![]),
        ] {
            assert_eq!(texts(source), expected, "{source}");
        }
        let found = comments("ls # é\npwd");
        assert_eq!((found[0].span.start, found[0].span.end), (3, 7));
        assert_eq!(comments(&"#\n".repeat(5_000)).len(), 4_096);
    }

    #[test]
    fn a_command_is_built_from_its_words() {
        let command = Command { id: 3, ..Command::new(&["/bin/rm", "-r"]) };
        assert_eq!((command.program(), command.text().as_str(), command.id), ("rm", "/bin/rm -r", 3));
    }
}
