//! `path-context`: judges a change by its path. Blocked places are denied, safe places and git repositories
//! pass, and everywhere else a person confirms. A few commands are judged wherever they run.
//!
//! The first of these that fits decides:
//!
//! 1. The path is below one of `blocked_paths`, by its text or by where links lead: it is blocked.
//! 2. The path is below one of `safe_paths`, by where links lead: it is safe.
//! 3. The path is in a git repository: it is safe, unless `git_safe` is false. A repository whose root is the home or
//!    `/` doesn't make it safe.
//! 4. Otherwise the path is outside.
//!
//! Each finding has a tag `path-context` with `safe`, `outside`, `blocked` or `n/a`, which the audit log shows.
//!
//! ## Settings
//!
//! A file `guardrails.json` serves as settings as it is, and the presets look for it in `~/.claude/state/`. Its keys
//! are `version`, `safe_paths`, `blocked_paths`, `git_safe`, and `rules` with `bash`, `write`, and `edit`. A list replaces
//! the default one. The action `block` is deny, and `confirm` is ask. A key, a version or an action that is not known is
//! an error, and so is a path that is no [pattern](../PATTERNS.md).
//!
//! If a rule below names a pattern in its settings, the rule judges the meaning of the pattern and not its text: `rm
//! -rf ~/old` is no loss of a home. Any other pattern of `bash` is a regular expression for the rule `custom`, and the
//! `pattern` of a rule of `write` or `edit` is one over the path. Python's syntax works, look-around included. One that
//! takes too long is treated as a match.
//!
//! In a file in its usual place, an entry that cannot be used is ignored alone, with a warning. The other entries still
//! apply.
//!
//! ## Limits
//!
//! - Reading passes, and git passes.
//! - A change of mode or owner passes, except `chmod -R 777`.
//! - A whole repository belongs to the folder around it: its deletion asks, a deletion in it passes.

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
