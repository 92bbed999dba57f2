//! `catastrophic-effect`: a catastrophic effect that no other rule covers.
//! The call is denied if it certainly affects a device, a database or a process. Otherwise it needs confirmation.
//!
//! ## Why
//! The loss is permanent.
//!
//! ## Examples
//! - denied: `redis-cli FLUSHALL`
//! - asked: `terraform destroy`
//! - passes: `redis-cli GET x`
//! - passes: `terraform plan -destroy`
//!
//! ## Instead
//! Ask the user to run it, after a backup.
//! For many programs, the message suggests a safer command.

use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, alternative, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "catastrophic-effect",
    summary: "a permanent loss",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    if effect.severity != Severity::Catastrophic || is_named(effect) {
        return None;
    }
    // The specific rules deny losses on disks and databases. Elsewhere a person may have a reason.
    let denied = effect.certain && matches!(effect.kind.as_str(), "device" | "database" | "process");
    let outcome = if denied { Outcome::Deny } else { Outcome::Ask };
    let remedy = alternative(effect, "ask the user to run it after a backup");
    Some(loss(outcome, effect, ", which can't be recovered", remedy))
}

/// Returns a hit about an effect's loss. `how` describes its extent if the program's table has no text.
pub(super) fn loss(outcome: Outcome, effect: &Effect, how: &'static str, remedy: &str) -> Hit {
    let hit = match (effect.tag("loses"), effect.target.as_str()) {
        (Some(lost), _) => {
            let why = lost.strip_prefix("nothing yet: ").map_or_else(|| format!("this loses {lost}"), str::to_owned);
            Hit::new(outcome, effect, why, remedy)
        }
        (None, "") => Hit::new(outcome, effect, format!("this loses data{how}"), remedy),
        (None, target) => {
            Hit::new(outcome, effect, "this loses ", remedy).naming(format!("`{}`", shorten(target)), how)
        }
    };
    hit.without_summary().tag("operation", effect.operation.as_str())
}

/// Operations with specific rules, which have more information than the severity.
const NAMED: &[&str] = &[
    "container.compose.down",
    "container.system.prune",
    "container.volume.prune",
    "container.volume.remove",
    "device.format",
    "device.write",
    "execute.decoded",
    "execute.remote",
    "fs.delete.recursive",
    "git.clean",
    "git.push",
    "git.push.delete",
    "git.push.force",
    "git.push.force-with-lease",
    "git.reset.hard",
    "kubernetes.delete",
    "process.fork-bomb",
    "sql.delete",
    "sql.drop-database",
    "sql.drop-schema",
    "sql.drop-table",
    "sql.truncate",
    "sql.update",
];

/// Returns whether another rule judges the effect, or the effect is harmless.
pub(super) fn is_named(effect: &Effect) -> bool {
    effect.tag("dry-run").is_some() || NAMED.contains(&effect.operation.as_str())
}
