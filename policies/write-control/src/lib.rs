//! `write-control`: sorts the paths in the project into protected, production and safe ones.
//! Writes to protected paths are denied, and writes to production paths pass with a notice. All other writes pass
//! silently.
//!
//! The policy compares paths, relative to the project's root, with three lists of [patterns](../PATTERNS.md).
//! The first list that matches decides: `protected`, then `warned`, then `safe`.
//!
//! ## Settings
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `protected` | `.git/**`, `node_modules/**`, `.env*`, `*.key`, `*.pem`, `package-lock.json`, `yarn.lock` | writes are denied |
//! | `warned` | `src/**`, `plugins/**/agents/*.md`, `plugins/**/commands/*.md`, `plugins/**/skills/**`, `.claude-plugin/**` | production paths: writes pass with a notice |
//! | `safe` | `docs/**`, `agent_sandbox/**`, `tests/**`, `*.md` | writes are noted in the trace |
//! | `exempt` | templates such as `.env.example` | not protected although a pattern matches; adds to the templates |
//! | `shell` | `false` | also judge files that shell commands write |
//! | `paranoid` | `false` | ask before writes to production paths |
//! | `fold-case` | `true` on macOS, else `false` | ignore the case of protected paths |
//! | `raise`, `lower`, `silence` | `[]` | rules whose outcome is one step more severe, one step less severe, or turned off |
//!
//! The settings can also be in a file `write-policies.json`.
//! It is read from `~/.claude/hooks/config/`. A hook that is registered as `write-control.sh` first reads the file in
//! the folder `config` next to the script.
//!
//! - A list replaces the default one. If you set `protected`, templates are protected too unless `exempt` lists them.
//! - `db` matches the folder and everything in it. So do `db*` and `*/db`. See [PATTERNS.md](../PATTERNS.md).
//! - Deleting, moving or unpacking over a folder above a protected path is treated as a write to it. With a pattern for any
//!   depth, such as `**/*.sql`, it needs confirmation if one of the first 1,000 files in the folder matches.
//! - An unknown key is an error, and so is a pattern that no path in a project can match, such as `/etc/**`, `../x` or
//!   `{a`. In the file in its usual location, only the invalid entry is ignored, with a warning.
//!
//! ## Limits
//!
//! - A safe path doesn't change the answer of another policy.
//! - The policy doesn't judge paths outside of the project. `path-context` does.
//! - Commands that apply whole commits pass, because they write committed or stashed files: `git merge`, `git pull`,
//!   `git rebase`, `git cherry-pick` and `git stash pop`.

mod paths;
mod rules;
mod settings;

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use paths::{ProjectRoot, Target};
pub use settings::{RawSettings, Settings};

/// The maximum number of findings of one tier.
const FINDINGS_OF_A_TIER: usize = 8;

/// The policy.
#[derive(Debug)]
pub struct WriteControl {
    settings: Settings,
}

const fn write(input: &'static str, outcome: Outcome, rule: &'static str) -> Example {
    Example { tool: "Write", input, outcome, rule }
}

impl Policy for WriteControl {
    type Settings = settings::RawSettings;

    const MANIFEST: Manifest = Manifest {
        id: "write-control",
        version: env!("CARGO_PKG_VERSION"),
        summary: "keeps protected paths from being written, and gives notice of production paths",
        tools: &["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"],
        rules: rules::RULES,
        grants: &[],
        examples: &[
            write(r#"{"file_path": ".git/config"}"#, Outcome::Deny, "protected-path"),
            write(r#"{"file_path": "src/index.ts"}"#, Outcome::Allow, "production-path"),
            write(r#"{"file_path": "docs/README.md"}"#, Outcome::Abstain, "safe-path"),
            write(r#"{"file_path": "random/file.txt"}"#, Outcome::Abstain, ""),
        ],
    };

    const ADJUSTABLE: bool = true;

    fn configure(settings: Self::Settings) -> Result<Self, Error> {
        Ok(Self { settings: Settings::new(settings)? })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let settings = &self.settings;
        let is_shell = call.tool() == "Bash";
        if is_shell && !settings.shell {
            return Ok(Decision::abstain());
        }
        let (analysis, facts) = (call.analysis(), call.context());
        let root = ProjectRoot::new(call, &facts, settings);
        let changes = analysis.effects.iter().filter(|effect| is_change(effect));
        let findings = changes.flat_map(|effect| judge(&Target::new(effect, &root), settings, &root));
        let mut kept: Vec<Finding> = Vec::new();
        for finding in findings {
            if kept.iter().filter(|other| other.rule == finding.rule).count() < FINDINGS_OF_A_TIER {
                kept.push(finding);
            }
        }
        kept.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
        Ok(kept.into_iter().collect())
    }
}

/// The first tier that contains the path applies.
fn judge(target: &Target, settings: &Settings, root: &ProjectRoot<'_>) -> Option<Finding> {
    rules::CHECKS.iter().find_map(|check| check(target, settings, root))
}

/// Returns whether the effect changes a file of this machine.
fn is_change(effect: &Effect) -> bool {
    let is_change = match effect.kind.as_str() {
        "write" | "delete" | "metadata" => true,
        // Files that git restores, and its index.
        "vcs" => matches!(effect.operation.as_str(), "git.discard" | "git.index"),
        _ => false,
    };
    is_change && effect.tag("where").is_none()
}
