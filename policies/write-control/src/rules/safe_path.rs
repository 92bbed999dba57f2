//! `safe-path`: a write to a safe path.
//! The rule only adds a finding to the trace. It doesn't change the answer of another list or policy.
//!
//! ## Why
//! Documents, tests and temporary work need no notice.
//!
//! ## Examples
//! - noted: `Write docs/README.md`
//! - noted: `Write tests/a.rs`
//! - passes: `Write random/file.txt`
//! - denied by `protected-path`: `Write .git/config`
//!
//! ## Settings
//! - `safe`: the patterns.

use guard_sdk::{Finding, Outcome, Rule};

use crate::Settings;
use crate::paths::{ProjectRoot, Target, shown};

pub(crate) const RULE: Rule = Rule {
    id: "safe-path",
    summary: "a write to a path that anybody may write",
    default: Outcome::Abstain,
    ceiling: Outcome::Abstain,
};

pub(crate) fn check(target: &Target, settings: &Settings, _: &ProjectRoot<'_>) -> Option<Finding> {
    let texts = target.texts();
    let is_safe = |path: &String| settings.safe.iter().any(|glob| glob.matches(path));
    // A path that leads out of the project in any way isn't safe.
    let path = texts.first().filter(|_| target.is_inside && texts.iter().all(is_safe))?;
    Some(Finding::new(&RULE, "").tag("path", shown(path)))
}
