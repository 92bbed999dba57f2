//! `write-control`: sorts the paths below the project's root into three tiers. A write to a protected path is denied, a
//! write to a production path passes with a notice, and a write to a safe path passes in silence, as does every other
//! write.
//!
//! The policy compares paths relative to the project's root with three lists of globs. The first list that fits
//! decides: `protected`, then `warned`, then `safe`. `*` stays within a component, `**` is any number of components,
//! and a pattern without `**/` fits at its own depth only.
//!
//! ## Settings
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `protected` | `.git/**`, `node_modules/**`, `.env*`, `*.key`, `*.pem`, `package-lock.json`, `yarn.lock` | writes are denied |
//! | `warned` | `src/**`, `plugins/**/agents/*.md`, `plugins/**/commands/*.md`, `plugins/**/skills/**`, `.claude-plugin/**` | writes pass with a notice |
//! | `safe` | `docs/**`, `agent_sandbox/**`, `tests/**`, `*.md` | writes are noted |
//! | `exempt` | templates such as `.env.example` | not protected although a glob fits; adds to the templates |
//! | `shell` | `false` | judge what shell commands write, too |
//! | `paranoid` | `false` | ask before a production path is written |
//! | `fold-case` | `true` on macOS, else `false` | the case of protected paths does not count |
//! | `raise`, `lower`, `silence` | `[]` | rules that answer one step more severely, one step less, or not at all |
//!
//! A file `write-policies.json` serves as settings as it is. It is read from `~/.claude/hooks/config/`; a hook that is
//! registered as `write-control.sh` reads the one in the folder `config` next to the script first. A list replaces the
//! default one, and with a `protected` of the user's own no template is exempt unless `exempt` says so. `db` is the folder
//! and all that is below it. A deletion, a move or an archive that takes a protected folder along is a write to it. A key
//! that is not known is an error, and so is a pattern that no path of a project can match, such as `/etc/**`, `../x` or
//! `{a`. In a file in its usual place, such an entry is ignored alone, with a warning; the other entries still apply.
//! [PATTERNS.md](../PATTERNS.md) describes the patterns.
//!
//! ## Limits
//!
//! - A safe path lifts no answer of another policy.
//! - The policy does not judge paths outside of the project; `path-context` does.
//! - Commands that take whole commits, such as `git merge`, `git pull`, `git rebase`, `git cherry-pick` and `git stash
//!   pop`, pass: they write what was committed or written before.

mod paths;
mod rules;
mod settings;

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use paths::{ProjectRoot, Target};
pub use settings::{RawSettings, Settings};

/// More findings of one tier than this say nothing new.
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

/// The first tier that has the path names it.
fn judge(target: &Target, settings: &Settings, root: &ProjectRoot<'_>) -> Option<Finding> {
    rules::CHECKS.iter().find_map(|check| check(target, settings, root))
}

/// Whether the effect changes a file of this machine.
fn is_change(effect: &Effect) -> bool {
    let is_change = match effect.kind.as_str() {
        "write" | "delete" | "metadata" => true,
        // Files that git restores, and its index.
        "vcs" => matches!(effect.operation.as_str(), "git.discard" | "git.index"),
        _ => false,
    };
    is_change && effect.tag("where").is_none()
}
