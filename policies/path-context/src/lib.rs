//! `path-context`: judges a change by its path.
//! Changes in blocked paths are denied, and changes in safe paths and git repositories pass. Everywhere else, they
//! need confirmation.
//! A few commands are judged wherever they run.
//!
//! The first of these that matches decides:
//!
//! 1. **Blocked**: the path is in one of `blocked_paths`, as written or after following links.
//! 2. **Safe**: after following links, the path is in one of `safe_paths`.
//! 3. **Safe**: the path is in a git repository, unless `git_safe` is false. A repository whose root is the home or
//!    `/` doesn't make it safe.
//! 4. **Outside**: everything else.
//!
//! Each finding has the tag `path-context` with `safe`, `outside`, `blocked` or `n/a`, which the audit log shows.
//!
//! ## Settings
//!
//! The settings have the format of `guardrails.json`.
//! The presets read that file from `~/.claude/state/`.
//!
//! | key | meaning |
//! |---|---|
//! | `version` | the version of the format |
//! | `safe_paths`, `blocked_paths` | lists of [patterns](../PATTERNS.md), which replace the defaults |
//! | `git_safe` | whether git repositories are safe |
//! | `rules` | patterns in `bash`, `write` and `edit`, each with the action `block` (deny) or `confirm` (ask) |
//! | `raise`, `lower`, `silence` | rules whose outcome is one step more severe, one step less severe, or turned off |
//!
//! Each rule below, except `custom`, names its entry in the starter file under *Settings*.
//! For such an entry, guard-host judges the effect instead of the text: `rm -rf ~/old` isn't a deletion of the home.
//! Any other pattern in `bash` is a regular expression for the rule `custom`, and `pattern` in `write` or `edit` is a
//! regular expression for the path.
//! Python's syntax works, including look-around. A pattern that takes too long is treated as a match.
//!
//! An unknown key, version or action is an error, and so is an invalid path pattern.
//! In `~/.claude/state/guardrails.json`, guard-host ignores only the invalid entry, with a warning.
//!
//! ## Limits
//!
//! - Reads and git commands pass.
//! - Changes of mode or owner pass, except `chmod -R 777`.
//! - Deleting a whole repository is judged by the folder that contains it. Deleting something in a repository passes.

mod place;
mod rules;
mod call_view;
mod settings;

use guard_sdk::syntax::Coverage;
use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use call_view::{CallView, Verdicts};
pub use settings::{RawSettings, Settings};

/// The policy.
#[derive(Debug)]
pub struct PathContext {
    settings: Settings,
}

const fn example(tool: &'static str, input: &'static str, outcome: Outcome, rule: &'static str) -> Example {
    Example { tool, input, outcome, rule }
}

impl Policy for PathContext {
    type Settings = settings::RawSettings;

    const MANIFEST: Manifest = Manifest {
        id: "path-context",
        version: env!("CARGO_PKG_VERSION"),
        summary: "denies changes in blocked paths, and asks before changes outside of safe ones",
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

    const ADJUSTABLE: bool = true;

    fn configure(settings: Self::Settings) -> Result<Self, Error> {
        Ok(Self { settings: Settings::new(settings)? })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let view = CallView::new(call, analysis, &self.settings);
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
