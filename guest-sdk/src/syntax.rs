//! The analysis of a tool call: commands, effects, scripts. Its items are those of `wit/0.1.0/syntax.wit`.

pub use crate::bindings::guard::policy::syntax::{
    Analysis, Assignment, Command, Coverage, Effect, Part, Position, Redirection, Script, Severity, Span, Via, Word,
};

pub use crate::index::Index;
use crate::{Presence, ResolvedPath};

/// The operations of effects that the analyzer of this version names, by name. A later one may name more.
pub fn operations() -> impl Iterator<Item = &'static str> {
    include_str!("operations.txt").lines()
}

impl Effect {
    /// The value of the tag `name`, if the effect has it.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The texts under which the target is known, as written first, equal ones once.
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

impl ResolvedPath {
    /// A path of which nothing is known but its text.
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
    /// The line, from 1. `None` for code in other languages than shell, and for a file that the call itself writes.
    pub line: Option<u32>,
}

impl Command {
    /// The text of the word at `index`; empty if there is none.
    #[must_use]
    pub fn word(&self, index: usize) -> &str {
        self.argv.get(index).map_or("", |word| word.text.as_str())
    }

    /// The program's name without its folder, `rm` for `/bin/rm`; empty if there is no program.
    #[must_use]
    pub fn program(&self) -> &str {
        let name = self.word(0);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// The innermost file that contains the command. `None` for a command in the text of the call itself.
    #[must_use]
    pub fn script(&self) -> Option<ScriptPlace<'_>> {
        let at = self.via.iter().rposition(|via| via.kind == "script")?;
        let path = self.via.get(at)?.detail.as_str();
        let line = self.via.get(at + 1).filter(|via| via.kind == "line").and_then(|via| via.detail.parse().ok());
        Some(ScriptPlace { path, line })
    }

    /// The words joined by single spaces.
    #[must_use]
    pub fn text(&self) -> String {
        self.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}
