//! `safe-path`: a write to a path that anybody may write. Says nothing to anyone; it shows in a trace.
//!
//! It lifts nothing: another tier or another policy still has its say.
//!
//! ## Why
//! Documents, tests and scratch work need no notice.
//! ## Example
//! `Write docs/README.md` · `Write agent_sandbox/2026-02-04/probe/a.py`
//! ## Settings
//! `safe`

use guard_sdk::{Finding, Outcome, Rule};

use crate::Settings;
use crate::paths::{Target, shown};

pub(crate) const RULE: Rule = Rule {
    id: "safe-path",
    summary: "a write to a path that anybody may write",
    default: Outcome::Abstain,
    ceiling: Outcome::Abstain,
};

pub(crate) fn check(target: &Target, settings: &Settings) -> Option<Finding> {
    let texts = target.texts();
    let is_safe = |path: &String| settings.safe.iter().any(|glob| glob.matches(path));
    // What leads out of the project by any way is not safe.
    let path = texts.first().filter(|_| target.is_inside && texts.iter().all(is_safe))?;
    Some(Finding::new(&RULE, "").tag("path", shown(path)))
}
