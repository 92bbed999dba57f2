//! `path-context`: what is done to a path is judged by where the path lies. Blocked places are not written; safe places
//! and git repositories are free; anywhere else a person confirms. A few commands are judged wherever they run.
//!
//! A file `guardrails.json` serves as settings as it is. Each finding has a tag `path-context` with `safe`, `outside`,
//! `blocked` or `n/a`, which the audit log shows. Reading is nobody's business here, and neither is git.

mod place;
mod rules;
mod call_view;
mod settings;

use guard_sdk::syntax::Coverage;
use guard_sdk::{Call, Decision, Error, Example, Finding, Level, Manifest, Outcome, Policy};

use call_view::{CallView, Verdicts};
pub use settings::Settings;

/// The policy.
#[derive(Debug)]
pub struct PathContext {
    settings: Settings,
}

const fn example(tool: &'static str, input: &'static str, outcome: Outcome, rule: &'static str) -> Example {
    Example { tool, input, outcome, rule }
}

impl Policy for PathContext {
    type Settings = serde_json::Value;

    const MANIFEST: Manifest = Manifest {
        id: "path-context",
        version: env!("CARGO_PKG_VERSION"),
        summary: "blocks writes to blocked places, and asks before a change outside of safe ones",
        tools: &["Bash", "PowerShell", "Write", "Edit", "MultiEdit", "NotebookEdit"],
        rules: rules::RULES,
        grants: &[],
        examples: &[
            example("Bash", r#"{"command": "rm -rf /"}"#, Outcome::Deny, "rm_rf_root"),
            example("Bash", r#"{"command": "shutdown -h now"}"#, Outcome::Ask, "shutdown"),
            example("Bash", r#"{"command": "echo 'rm -rf /'"}"#, Outcome::Abstain, ""),
            example("Write", r#"{"file_path": "/etc/hosts"}"#, Outcome::Deny, "blocked_path"),
        ],
    };

    fn configure(settings: Self::Settings) -> Result<Self, Error> {
        Ok(Self { settings: Settings::new(&settings) })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        self.settings.warnings.iter().for_each(|warning| call.log(Level::Warn, warning));
        let analysis = call.analysis();
        let view = CallView::new(call, &analysis, &self.settings);
        let mut verdicts = Verdicts::default();
        for effect in &analysis.effects {
            if view.is_shell() {
                rules::starters::check(effect, &view, &mut verdicts);
            }
            rules::files::check(effect, &view, &mut verdicts);
        }
        if view.is_shell() {
            rules::custom::check(&view, &mut verdicts);
            if analysis.coverage != Coverage::Complete {
                rules::starters::check_text(&view, &mut verdicts);
            }
        }
        let mut findings: Vec<Finding> = verdicts.into_findings();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
        Ok(findings.into_iter().collect())
    }
}

guard_sdk::export!(PathContext);
