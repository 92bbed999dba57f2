//! `command-guard`: denies shell commands that destroy something permanently, and asks before those that may.
//!
//! The policy judges the effects of a command, never its text.
//! `echo 'rm -rf /'` passes, and `sudo env X=1 rm -fr -- //.` is a deletion of the root directory.
//! The only exception is `deny-patterns`, which you write yourself.
//! The policy doesn't judge file tools. `protected-files` does.
//!
//! [Tables](../../host/analyzer/programs/README.md) describe what each known program does and what it can lose.
//! The rules below don't list individual programs.
//!
//! ## Settings
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `protected-branches` | `[]` | more branches, besides `main` and `master`, to which forced pushes are denied: [patterns](../PATTERNS.md) in which `*` also matches slashes; `!master` removes a branch |
//! | `secret-reads` | `"deny"` | the outcome of a command that reads a secret: `deny`, `ask`, or `allow` |
//! | `force-with-lease` | `"ask"` | the outcome of a push with a lease to a protected branch |
//! | `deny-patterns` | `[]` | regular expressions for commands to deny; see [`custom`](#custom) |
//! | `new-packages` | `"allow"` | the outcome for a new package from a registry: `allow`, `warn`, or `ask`; see [`new-package`](#new-package) |
//! | `strict` | `false` | also stop harmless variants: creating a file of secrets, printing only names or counts of variables, `git push --dry-run`; `true` in the presets `hardened`, `guardrail` and `full` |
//! | `raise` | `[]` | names whose outcome becomes one step more severe: ask becomes deny |
//! | `lower` | `[]` | names whose outcome becomes one step less severe: deny becomes ask, ask becomes warn |
//! | `silence` | `[]` | names that are turned off; wins over `raise` and `lower` |
//! | `files` | the shared lists | [patterns](../PATTERNS.md) of files: `blocked`, `confirm`, and `exempt`; a list adds to the default one, and `!x` removes `x` |
//!
//! `raise`, `lower` and `silence` accept these names:
//!
//! - a rule, such as `git-push`
//! - a class of rules, such as `publish`; the table below lists the classes
//! - a kind of effect, such as `cloud`: `cloud`, `container`, `database`, `delete`, `device`, `execute`, `metadata`,
//!   `network`, `orchestration`, `package`, `power`, `privilege`, `process`, `read`, `service`, `system`, `vcs`, or
//!   `write`
//! - an operation, such as `git.stash.drop`, or a family of operations: `aws.s3` and `aws.*` include all operations
//!   below
//!
//! ```toml
//! lower = ["cloud"]              # a loss in a cloud account only warns
//! silence = ["kubernetes.drain"]
//! raise = ["aws.s3", "package.unpublish"]
//! ```
//!
//! ## Limits
//!
//! - A command that isn't fully understood needs confirmation only if it can't be parsed, if it exceeds a limit, or if
//!   the unknown part could delete something. Examples are `eval "$x"`, a shell that reads a pipe, inline code that
//!   deletes, and a name known only at run time with arguments such as `-rf`.
//! - `dd of=/dev/null` and `dd of=/dev/stdout` pass.
//! - `source .env` passes, because it loads variables without showing them.
//! - `git merge --abort` and similar commands pass, because they restore the previous state. `--skip` needs
//!   confirmation, because it leaves out a commit.
//! - `rm` of build products passes, such as `*.pyc`, `*.o` and, in a build folder, `*.map`. In a folder for temporary
//!   files, `rm` of a pattern that contains a name passes, such as `/tmp/app-*.log`.
//! - SQL from a file passes on this machine. It needs confirmation on a host with a domain name, or with a
//!   name that suggests production.
//! - A more restrictive mode for a secret passes, such as `chmod 600 ~/.ssh/id_rsa`.
//! - A command that reads or moves a folder is judged by the first 1,000 files in it that your `files` lists name. A search
//!   of the whole project, such as `grep -r TODO .`, passes.

mod calls;
mod code;
mod fetched;
mod old_files;
mod overwritten;
mod own_folders;
mod credential_options;
mod elsewhere;
mod blast_radius;
mod by_products;
mod likely_secrets;
mod rules;
mod secret_loading;
mod secret_use;
mod call_view;
mod command_texts;
mod settings;
mod tool_caches;

use guard_sdk::{Adjustments, Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use call_view::{CallView, Hit, MergedFinding};
use rules::Check;
pub use settings::{Answer, Notice, Settings};

/// The maximum number of findings of one rule.
const FINDINGS_OF_A_RULE: usize = 3;

/// The number of a rule's hits after which one deny is enough. More could only add names to a message that says "many
/// more".
const HITS_OF_A_RULE: usize = 256;

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

    const ADJUSTABLE: bool = true;

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings })
    }

    fn adjust(&mut self, adjustments: &mut Adjustments) -> Result<(), Error> {
        self.settings.apply_adjustments(adjustments)
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let view = CallView::new(call, analysis, &self.settings);
        let mut findings: Vec<Finding> = Vec::new();
        for rule in rules::ALL {
            let merged = |hit: Hit| hit.into_merged_finding(&rule.rule, rule.class, &view);
            let merged: Vec<MergedFinding> = match rule.check {
                Check::Effect(check) => {
                    let hits = analysis.effects.iter().filter_map(|effect| check(effect, &view));
                    merge_hits(hits.filter_map(merged))
                }
                Check::Loss(check) => {
                    let hit = |effect| check(effect, &view).map(|hit| hit.with_loss(effect));
                    merge_hits(analysis.effects.iter().filter_map(hit).filter_map(merged))
                }
                Check::Call(check) => check(&view).and_then(merged).into_iter().collect(),
            };
            findings.extend(merged.into_iter().map(|merged| merged.into_finding(&rule.rule)));
        }
        // The sort is stable: within an outcome, the order of the rules puts the most specific finding first.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
        Ok(findings.into_iter().collect())
    }
}

/// Returns the first hits of a rule, each merged with later ones that differ only in their names. A more severe hit
/// replaces a less severe one.
fn merge_hits(hits: impl Iterator<Item = MergedFinding>) -> Vec<MergedFinding> {
    let mut joined: Vec<MergedFinding> = Vec::new();
    for (index, hit) in hits.enumerate() {
        if index >= HITS_OF_A_RULE && joined.iter().any(|finding| finding.outcome() == Outcome::Deny) {
            break;
        }
        if let Some(finding) = joined.iter_mut().find(|finding| finding.is_like(&hit)) {
            finding.join(hit);
        } else if joined.len() < FINDINGS_OF_A_RULE {
            joined.push(hit);
        } else if let Some(milder) = joined.iter_mut().rfind(|finding| finding.outcome() < hit.outcome()) {
            *milder = hit;
        }
    }
    joined
}
