//! `hook-removed`: a change that may stop a harness from calling guard-host:
//!
//! - a file with hooks is deleted or overwritten
//! - an edit removes guard-host's hook, or turns hooks off
//! - a shell command could write anything to the file
//!
//! ## Why
//! A harness starts only registered hooks, and no one notices a missing one.
//!
//! ## Examples
//! - denied: `rm ~/.claude/settings.json`
//! - denied: `sed -i 's/guard-host/true/' ~/.claude/settings.json`
//! - denied: `npx prettier --write ~/.gemini/settings.json`
//! - passes: `npx prettier --check .claude/settings.json`
//! - passes: `cp ~/.claude/settings.json /tmp/backup.json`
//!
//! ## Instead
//! Change only the necessary lines with the edit tool, so that the user sees the difference and can confirm it.
//!
//! ## Settings
//! - `places`: hook files that a harness's variable has moved. guard-host sets it.

use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, shorten};
use crate::guarded::GuardedKind;
use crate::hook_change::{Change, change};

pub(crate) const RULE: Rule = Rule {
    id: "hook-removed",
    summary: "a change that may stop a harness from calling guard-host",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for touch in view.touches() {
        let GuardedKind::Registration(harness) = touch.what else { continue };
        let path = shorten(&touch.effect.target);
        let (why, remedy) = match change(touch, view) {
            Change::Removes(why) => (why, "leave the hook as it is, because only the user may remove it"),
            Change::Unseen(why) => {
                (why, "change only those lines with the edit tool, so that the user sees the diff and can approve it")
            }
            Change::Edits => continue,
        };
        let message = format!("`{path}` is where {harness} registers hooks, and this call {why}");
        findings.push(touch.with_path(Finding::new(&RULE, message).remedy(remedy)));
    }
}
