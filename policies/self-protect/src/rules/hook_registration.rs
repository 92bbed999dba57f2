//! `hook-registration`: an ordinary edit of a file with a harness's hooks.
//!
//! ## Why
//! Agents may edit settings, but these settings also decide what the agent may do and which programs run at each step.
//!
//! ## Examples
//! - asked: `Edit /home/u/.claude/settings.json`
//! - asked: `Write opencode.json`
//! - asked: `touch .claude/settings.json`
//! - passes: `Write settings.json`
//! - passes: `claude mcp list`
//!
//! ## Instead
//! Explain the change, so that the user can confirm it.

use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, shorten};
use crate::guarded::GuardedKind;
use crate::hook_change::{Change, change};

pub(crate) const RULE: Rule = Rule {
    id: "hook-registration",
    summary: "an edit of a file with a harness's hooks",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for touch in view.touches() {
        let GuardedKind::Registration(harness) = touch.what else { continue };
        if change(touch, view) != Change::Edits {
            continue;
        }
        let path = shorten(&touch.effect.target);
        let message = format!("`{path}` needs confirmation: {harness} registers its hooks there");
        let finding = Finding::new(&RULE, message).remedy("say what the change does, so that the user can approve it");
        findings.push(touch.with_path(finding));
    }
}
