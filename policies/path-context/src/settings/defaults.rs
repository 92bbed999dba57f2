//! The defaults: those of the starter file, and `docker system prune`, which only the file's description mentions.

use guard_sdk::Outcome;

use super::{BashRule, Condition, FileRule, Paths};
use crate::rules::starters;

pub(super) const SAFE: &[&str] = &["~/.claude", "~/projects"];

pub(super) const BLOCKED: &[&str] = &["/etc", "/usr", "/var", "/boot", "/sys", "/proc", "~/.ssh", "~/.gnupg", "~/.aws"];

/// The pattern for `rm`.
pub(super) const REMOVAL: &str = "rm ";

/// The number of starters before the rule for `rm`.
const BEFORE_REMOVAL: usize = 11;

pub(super) fn bash() -> Vec<BashRule> {
    let starter =
        |starter| BashRule { outcome: starters::default(starter), matter: Condition::Starter(starter), outside: false };
    let mut rules: Vec<BashRule> = starters::STARTERS.iter().map(starter).collect();
    let removal = BashRule { matter: Condition::Removal, outcome: Outcome::Ask, outside: true };
    rules.insert(BEFORE_REMOVAL.min(rules.len()), removal);
    rules
}

pub(super) fn files() -> Vec<FileRule> {
    vec![
        FileRule { paths: vec![Paths::Blocked], outcome: Outcome::Deny },
        FileRule { paths: vec![Paths::Outside], outcome: Outcome::Ask },
    ]
}
