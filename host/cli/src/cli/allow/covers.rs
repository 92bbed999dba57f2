//! Describes the kinds of calls that an option covers, because the log only has calls that were made.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::choices::{Change, Setting};
use crate::cli::past_questions::CATCH_ALL;
use guard_contract::allow::Allow;
use guard_contract::{Manifest, Outcome};
use guard_redact::plain;

/// The operation of a program without a description.
const UNKNOWN: &str = "execute.unknown";

/// The required part of a built-in's description.
#[derive(Deserialize)]
struct Description {
    manifest: Manifest,
}

/// Returns the kinds of calls that a change allows, one on each line.
pub(super) fn covers(change: &Change) -> Vec<String> {
    let lines: BTreeSet<String> = match change {
        Change::Allows(allows) => allows.iter().map(describe_allow).collect(),
        Change::Settings(settings) => settings.iter().map(describe_setting).collect(),
        Change::CopyInstead => {
            BTreeSet::from(["every call that asks only because of a loss that a copy restores".to_owned()])
        }
    };
    lines.into_iter().collect()
}

fn describe_allow(allow: &Allow) -> String {
    let words = plain(&allow.command.join(" "));
    let targets = plain(&allow.targets.join("`, `"));
    let place = match allow.within.as_str() {
        "" | "project" => "any project".to_owned(),
        within => plain(within),
    };
    if !allow.tool.is_empty() {
        let other = if allow.arguments.is_empty() { "any arguments" } else { "these and any further arguments" };
        let rules = plain(&allow.rules.join(" and "));
        return format!("`{}` with {other}, where only {rules} asks, in {place}", plain(&allow.tool));
    }
    match (allow.effects.is_empty(), allow.targets.is_empty()) {
        (true, true) => format!("`{words}` without further words, in {place}"),
        (true, false) => format!("`{words}` with any number of paths that match `{targets}`, in {place}"),
        (false, no_targets) => {
            let which =
                if no_targets { "every target".to_owned() } else { format!("every target that matches `{targets}`") };
            let kinds = kinds(&allow.effects);
            let effect = |effect: &String| match effect == UNKNOWN {
                true => format!("{effect} (programs that guard-host doesn't know)"),
                false => plain(effect),
            };
            let effects = allow.effects.iter().map(effect).collect::<Vec<_>>().join(", ");
            format!(
                "`{words}` with any further arguments except URLs, {which}{kinds}, if it has no effects other than {effects}, in {place}"
            )
        }
    }
}

/// Returns a description of the targets of operations.
fn kinds(operations: &[String]) -> &'static str {
    let is = |start: &str| operations.iter().any(|operation| operation.starts_with(start));
    if is("git.push") {
        " (all branches and tags of the remote `origin`)"
    } else if is("package.") {
        " (all packages, versions and tags)"
    } else if is("container.") {
        " (all images, containers and registries)"
    } else {
        ""
    }
}

fn describe_setting(Setting { policy, key, item }: &Setting) -> String {
    if let Some(pattern) = item.strip_prefix('!') {
        let what = if *key == "reads" { "every read of a file" } else { "every file" };
        return format!("{what} that matches `{}`", plain(pattern));
    }
    let description = guard_builtins::find(policy)
        .and_then(|builtin| serde_json::from_str::<Description>(builtin.guest.description).ok());
    let rules = description.map(|description| description.manifest.rules).unwrap_or_default();
    match rules.iter().find(|rule| rule.id == *item) {
        Some(rule) => {
            let examples = CATCH_ALL.iter().find(|(name, _)| *name == rule.id);
            let such = examples.map_or_else(String::new, |(_, examples)| format!(", such as {examples}"));
            let stops = if rule.default == Outcome::Deny { "asks or is denied" } else { "asks" };
            format!("every call that {stops} only because of this rule: {}{such}", rule.summary)
        }
        None => format!("every call whose only reason to ask is the effect {}, in all its forms", plain(item)),
    }
}
