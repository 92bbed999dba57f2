//! `self-protect`: keeps an agent from changing the guard that answers it.
//!
//! The policy guards the files of guard-host, the files in which harnesses register hooks, and the commands of
//! guard-host that belong to a person. It looks at file tools, shell commands and other tools. Reading a file always
//! passes.
//!
//! It judges the effects of a call where the analysis knows them, and the names in a call where it does not. A path
//! is judged as it is written, by its text, and by where links lead. A folder above a guarded file is guarded if it is deleted
//! or moved and the file exists. A tree of files, such as a clone or an archive, changes all that is guarded in the
//! folder that it fills. Above a guarded file it asks: in the file's own folder, in the home, and above the user's
//! configuration and state. In a project, an archive is judged only by the names that the command gives.
//!
//! In every repository it guards the references below `refs/guard-host`, which keep commits for `guard-host undo`.
//!
//! A change of files that `find`, `fd` or `locate` select is caught if a guarded file is below and its name fits: the
//! change asks, and it is denied where the search starts in the guarded folder.
//!
//! ## Settings
//!
//! The host fills in the one setting, `places`. With it, a moved configuration, state, cache or log is guarded where it
//! is, as are the components and settings of the user's configuration. The usual places below any home are
//! guarded as well.
//!
//! ## Limits
//!
//! - The policy does not follow a program that the agent writes and then runs, a hard link, or a `git` operation on the
//!   whole tree, such as `git clean` or `git stash`. A hook is no sandbox.
//! - It does not read the files that it guards, so it does not know whether `settings.json` has guard-host's hook. A
//!   replacement without the hook is denied, and an edit of some lines asks.
//! - It does not guard the files of a container or of another machine. It guards those of this machine that a mount or
//!   `ssh localhost` reaches. An image that uses a mount by itself is not seen.

mod agent_settings;
mod copies;
mod guarded;
mod harnesses;
mod mention;
mod names;
mod pins;
mod hook_change;
mod rules;
mod call_view;
mod search;
mod settings;
mod supplying_searches;
mod touch;
mod unexplained;

use std::cmp::Reverse;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use call_view::CallView;
pub use settings::{ProtectedPaths, Settings};

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
        summary: "keeps an agent from changing guard-host or its hooks",
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

    const ADJUSTABLE: bool = true;

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let view = CallView::new(call, analysis, &self.settings);
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
