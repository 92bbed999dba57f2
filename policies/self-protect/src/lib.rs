//! `self-protect`: keeps an agent from changing the guard that it is asked by.
//!
//! Guards the files of guard-host and the files in which harnesses hold their hooks, against file tools, shell commands
//! and other tools; and the commands of guard-host that belong to a person. Reading is nobody's business here. A hook is
//! no sandbox: a program that the agent writes and runs is not followed.

mod copies;
mod guarded;
mod harnesses;
mod mention;
mod names;
mod hook_change;
mod rules;
mod call_view;
mod search;
mod settings;
mod supplying_searches;
mod touch;

use std::cmp::Reverse;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use call_view::CallView;
pub use settings::{Places, Settings};

/// More findings than this say nothing new.
const FINDINGS: usize = 32;

/// The policy.
#[derive(Debug)]
pub struct SelfProtect {
    settings: Settings,
}

const fn example(tool: &'static str, input: &'static str, outcome: Outcome, rule: &'static str) -> Example {
    Example { tool, input, outcome, rule }
}

impl Policy for SelfProtect {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "self-protect",
        version: env!("CARGO_PKG_VERSION"),
        summary: "keeps an agent from changing the guard that it is asked by",
        tools: &["*"],
        rules: rules::RULES,
        grants: &[],
        examples: &[
            example("Write", r#"{"file_path": ".guard/guard.toml"}"#, Outcome::Deny, "guard-file"),
            example("Bash", r#"{"command": "rm -rf ~/.config/guard-host"}"#, Outcome::Deny, "guard-file"),
            example("Bash", r#"{"command": "rm ~/.claude/settings.json"}"#, Outcome::Deny, "hook-removed"),
            example("Bash", r#"{"command": "guard-host trust"}"#, Outcome::Deny, "guard-command"),
            example("Bash", r#"{"command": "guard-host check 'rm -rf /'"}"#, Outcome::Abstain, ""),
            example("Bash", r#"{"command": "cat ~/.claude/settings.json"}"#, Outcome::Abstain, ""),
        ],
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let view = CallView::new(call, &analysis, &self.settings);
        let mut findings: Vec<Finding> = Vec::new();
        for check in rules::CHECKS {
            check(&view, &mut findings);
        }
        // Stable: within an outcome the order of the rules says which finding is the most telling.
        findings.sort_by_key(|finding| Reverse(finding.outcome));
        findings.truncate(FINDINGS);
        Ok(findings.into_iter().collect())
    }
}

guard_sdk::export!(SelfProtect);
