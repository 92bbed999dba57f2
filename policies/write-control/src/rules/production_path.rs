//! `production-path`: a write to a production path.
//! The write is allowed, with a notice to the agent. If the entry has `may-allow`, the harness's own prompt is
//! skipped. Where that isn't possible, for example in a project's file, the notice is a warning.
//!
//! ## Why
//! Experiments and notes belong elsewhere, and the agent should know where it writes.
//!
//! ## Examples
//! - allowed: `Write src/index.ts`
//! - allowed: `Write plugins/iflow/agents/foo.md`
//! - passes: `Write notes.txt`
//! - passes: `Write test/src/mock.ts`
//!
//! ## Instead
//! Write experiments and notes to `agent_sandbox/`.
//!
//! ## Settings
//! - `warned`: the patterns.
//! - `paranoid`: writes need confirmation instead.

use guard_sdk::{Finding, Outcome, Rule};

use crate::Settings;
use crate::paths::{ProjectRoot, Target, shown};

pub(crate) const RULE: Rule = Rule {
    id: "production-path",
    summary: "a write to a shipped path",
    default: Outcome::Allow,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(target: &Target, settings: &Settings, _: &ProjectRoot<'_>) -> Option<Finding> {
    let path = target.find(|path| settings.warned.iter().any(|glob| glob.matches(path)))?;
    let finding = Finding::new(&RULE, format!("Production path: {} - ensure this is intentional", shown(path)));
    Some(
        finding
            .at(if settings.paranoid { Outcome::Ask } else { RULE.default })
            .tag("path", shown(path))
            .tag("notice", ""),
    )
}
