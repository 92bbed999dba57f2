//! `command-guard`: denies shell commands that destroy what cannot be had back, and asks before those that may.
//!
//! Judges commands and effects, never the text itself, so that data stays data and a spelling changes nothing. The one
//! exception is `deny-patterns`, which its user writes. File tools are the business of `protected-files`.

mod calls;
mod code;
mod blast_radius;
mod rules;
mod call_view;
mod settings;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use call_view::CallView;
use rules::Check;
pub use settings::{Answer, Settings};

/// More findings of one rule than this say nothing new.
const FINDINGS_OF_A_RULE: usize = 3;

/// The policy.
#[derive(Debug)]
pub struct CommandGuard {
    settings: Settings,
}

const fn bash(input: &'static str, outcome: Outcome, rule: &'static str) -> Example {
    Example { tool: "Bash", input, outcome, rule }
}

impl Policy for CommandGuard {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "command-guard",
        version: env!("CARGO_PKG_VERSION"),
        summary: "denies commands that destroy what cannot be had back, and asks before those that may",
        tools: &["Bash", "PowerShell"],
        rules: rules::RULES,
        grants: &[],
        examples: &[
            bash(r#"{"command": "rm -rf /"}"#, Outcome::Deny, "rm-root"),
            bash(r#"{"command": "git push --force origin main"}"#, Outcome::Deny, "force-push-protected"),
            bash(r#"{"command": "git push"}"#, Outcome::Ask, "git-push"),
            bash(r#"{"command": "echo 'rm -rf /'"}"#, Outcome::Abstain, ""),
            bash(r#"{"command": "ls -la"}"#, Outcome::Abstain, ""),
        ],
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings: settings.checked()? })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let view = CallView::new(call, &analysis, &self.settings);
        let mut findings: Vec<Finding> = Vec::new();
        for rule in rules::ALL {
            let found = |hit: call_view::Hit| hit.into_finding(&rule.rule, rule.class, &view);
            match rule.check {
                Check::Effect(check) => {
                    let hits = analysis.effects.iter().filter_map(|effect| check(effect, &view));
                    findings.extend(hits.take(FINDINGS_OF_A_RULE).filter_map(found));
                }
                Check::Call(check) => findings.extend(check(&view).and_then(found)),
            }
        }
        // Stable: within an outcome the order of the rules says which finding is the most telling.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
        Ok(findings.into_iter().collect())
    }
}

guard_sdk::export!(CommandGuard);
