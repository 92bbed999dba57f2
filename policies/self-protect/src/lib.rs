//! `self-protect`: prevents an agent from changing or bypassing guard-host.
//!
//! The policy protects three things from file tools, shell commands and other tools:
//!
//! - guard-host's own files
//! - the files in which harnesses register hooks
//! - guard-host commands that only a person may run
//!
//! Reading a file passes, unless it is a copy that `guard-host undo` restores: it can contain secrets.
//!
//! The policy judges the known effects of a call. If the effects aren't known, it judges the names in the call.
//! A path is judged as written, after removing `.` and `..`, and after following links.
//!
//! Besides a protected file itself, these are covered:
//!
//! - **Folders above it**: deleting or moving one affects the file, if the file exists.
//! - **Clones and archives**: they can change every protected file in the folder that they fill. They need confirmation
//!   in a protected file's own folder, in the home, and above the user's configuration and state. In a project, an
//!   archive is judged only by the names in the command.
//! - **Searches**: a change of files selected by `find`, `fd` or `locate` needs confirmation if the search could find a
//!   protected file by its name. It is denied if the search starts in the protected folder.
//! - **`refs/guard-host`**: in every repository, these references keep commits for `guard-host undo`.
//!
//! ## Settings
//!
//! guard-host itself sets `places`: the locations of a moved configuration, state, cache or log, of the components and
//! settings in the user's configuration, and of files outside of `.guard` that a project's configuration uses.
//! The default locations in every home are also protected.
//!
//! The settings `raise`, `lower` and `silence` list rules whose outcome is one step more severe, one step less severe,
//! or turned off.
//!
//! ## Limits
//!
//! - The policy doesn't follow a program that the agent writes and then runs, or a hard link. A hook isn't a sandbox.
//! - It doesn't know which files git tracks. `git clean` and `git stash -u` need confirmation in a work tree that
//!   contains the state or the configuration.
//! - It doesn't read the files that it protects, so it doesn't know whether `settings.json` contains guard-host's
//!   hook. A new version without the hook is denied, and an edit of single lines needs confirmation.
//! - It doesn't protect files in a container or on another machine. It does protect this machine's files that a mount
//!   or `ssh localhost` reaches. It doesn't see a mount that an image defines.

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
mod stored_copies;
mod supplying_searches;
mod swept;
mod touch;
mod unexplained;

use std::cmp::Reverse;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use call_view::CallView;
pub use settings::{ProtectedPaths, Settings};

/// The maximum number of findings.
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
        // The sort is stable: within an outcome, the order of the rules puts the most specific finding first.
        findings.sort_by_key(|finding| Reverse(finding.outcome));
        findings.truncate(FINDINGS);
        Ok(findings.into_iter().collect())
    }
}
