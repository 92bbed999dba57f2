//! [`Choice`]: which question of a session is meant.

use super::{Entry, shown};
use guard_contract::paths::is_below;

/// How a question is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// By its code.
    Code(String),
    /// By its operation, to the character.
    Operation(String),
}

impl Choice {
    /// The choice that a command line makes, if it is a confirmation in the form that replies show.
    #[must_use]
    pub fn parse(line: &str, command: &str) -> Option<Self> {
        let rest = line.strip_prefix(command)?.strip_prefix(' ').filter(|rest| !rest.contains('\n'))?;
        if let Some(code) = rest.strip_prefix("--code ") {
            return code.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| Choice::Code(code.to_owned()));
        }
        let inner = rest.strip_prefix('\'')?.strip_suffix('\'')?.replace(r"'\''", "\n");
        // What the quotes leave must be one word, not the end of one and the start of another.
        (!inner.contains('\'')).then(|| Choice::Operation(inner.replace('\n', "'")))
    }

    /// Returns whether the question is one that is named so.
    #[must_use]
    pub fn fits(&self, entry: &Entry) -> bool {
        match self {
            Choice::Code(code) => entry.code == *code,
            Choice::Operation(text) => !text.is_empty() && entry.operation == shown(text),
        }
    }
}

/// Which question is meant.
#[derive(Debug, PartialEq, Eq)]
pub enum ChoiceMatch<'a> {
    /// This one.
    One(&'a Entry),
    /// None that is there.
    None,
    /// Each of these could be.
    Several(Vec<&'a Entry>),
}

/// Finds the question that is meant: one in the first of these folders with any, or below it, else one anywhere. Of an
/// operation in one folder that was asked about again, by other rules or in another session, it is the newest.
#[must_use]
pub fn choose<'a>(entries: impl IntoIterator<Item = &'a Entry>, choice: &Choice, folders: &[&str]) -> ChoiceMatch<'a> {
    let mut fitting: Vec<&Entry> = entries.into_iter().filter(|entry| choice.fits(entry)).collect();
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
