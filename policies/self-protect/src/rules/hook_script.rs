//! `hook-script`: a change to a script that a harness's hooks run.
//!
//! ## Why
//! Such a script runs at each step of the agent without a prompt, and it may be the script that calls guard-host.
//!
//! ## Examples
//! - denied: `Write ~/.claude/hooks/test.py`
//! - denied: `rm -rf .claude/hooks`
//! - passes: `cat .claude/hooks/x.sh`
//! - passes: `Write hooks/x.sh`
//!
//! ## Instead
//! Write the script to another place, and let the user move it.

use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, shorten};
use crate::guarded::GuardedKind;
use crate::touch::Reach;

pub(crate) const RULE: Rule = Rule {
    id: "hook-script",
    summary: "a change to a script that a harness's hooks run",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for touch in view.touches() {
        let GuardedKind::Scripts(harness) = touch.what else { continue };
        let path = shorten(&touch.effect.target);
        let (outcome, what) = match touch.how {
            Reach::Itself => (Outcome::Deny, "is a script that"),
            Reach::LostWithFolder => (Outcome::Deny, "holds the scripts that"),
            Reach::LostWithAll | Reach::Perhaps => (Outcome::Ask, "holds the scripts that"),
        };
        let message = format!("`{path}` {what} the hooks of {harness} run at each step without asking");
        let finding = Finding::new(&RULE, message).at(outcome);
        findings.push(touch.with_path(finding.remedy("write the script elsewhere and let the user put it in place")));
    }
}
