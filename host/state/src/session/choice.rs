//! [`Choice`]: selects a pending call of a session.

use super::{Entry, recorded_text};
use guard_contract::paths::is_below;

/// How a person identifies a pending call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// By its code.
    Code(String),
    /// By its exact operation.
    Operation(String),
}

impl Choice {
    /// Parses a command line that has the form of the confirmations in replies.
    #[must_use]
    pub fn parse(line: &str, command: &str) -> Option<Self> {
        let rest = line.strip_prefix(command)?.strip_prefix(' ').filter(|rest| !rest.contains('\n'))?;
        if let Some(code) = rest.strip_prefix("--code ") {
            return code.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| Choice::Code(code.to_owned()));
        }
        let inner = rest.strip_prefix('\'')?.strip_suffix('\'')?.replace(r"'\''", "\n");
        // The quoted text must be one word, not the end of one and the start of another.
        (!inner.contains('\'')).then(|| Choice::Operation(inner.replace('\n', "'")))
    }

    /// Returns whether this identifies the entry.
    #[must_use]
    pub fn matches(&self, entry: &Entry) -> bool {
        match self {
            Choice::Code(code) => entry.code == *code,
            Choice::Operation(text) => !text.is_empty() && entry.operation == recorded_text(text),
        }
    }
}

/// The pending call that a choice identifies.
#[derive(Debug, PartialEq, Eq)]
pub enum ChoiceMatch<'a> {
    /// Exactly one entry matches.
    One(&'a Entry),
    /// No entry matches.
    None,
    /// Several entries match.
    Several(Vec<&'a Entry>),
}

/// Finds the pending call: first in or below these folders, in order, then in any other folder. If the same operation
/// is pending several times in one folder, for other rules or in another session, the newest one is used.
#[must_use]
pub fn choose<'a>(entries: impl IntoIterator<Item = &'a Entry>, choice: &Choice, folders: &[&str]) -> ChoiceMatch<'a> {
    let mut fitting: Vec<&Entry> = entries.into_iter().filter(|entry| choice.matches(entry)).collect();
    let is_in = |entry: &Entry, folder: &str| entry.cwd == folder || is_below(&entry.cwd, folder);
    if let Some(folder) = folders.iter().find(|folder| fitting.iter().any(|entry| is_in(entry, folder))) {
        fitting.retain(|entry| is_in(entry, folder));
    }
    fitting.sort_by(|left, right| left.ts.cmp(&right.ts));
    let Some(newest) = fitting.last().copied() else { return ChoiceMatch::None };
    let same = |entry: &Entry| (&entry.sha256, &entry.cwd) == (&newest.sha256, &newest.cwd);
    if fitting.iter().all(|entry| same(entry)) { ChoiceMatch::One(newest) } else { ChoiceMatch::Several(fitting) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_confirmation_in_the_form_of_the_replies_only() {
        let of = |line: &str| Choice::parse(line, "guard-host confirm");
        let by = |text: &str| Some(Choice::Operation(text.to_owned()));
        assert_eq!(of("guard-host confirm 'rm -rf x'"), by("rm -rf x"));
        assert_eq!(of(r"guard-host confirm 'echo '\''a'\'''"), by("echo 'a'"));
        assert_eq!(of("guard-host confirm --code 12ab"), Some(Choice::Code("12ab".to_owned())));
        for line in [
            "guard-host confirm",
            "guard-host confirm a",
            "guard-host confirm 'a' 'b'",
            "guard-host confirm 'a'; rm 'b'",
            "guard-host confirm --code 12ab; true",
            "guard-host confirm --code 12ab ",
            "guard-host confirms 'a'",
            "sudo guard-host confirm 'a'",
            "guard-host confirm --list",
            "guard-host confirm 'a\nb'",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
