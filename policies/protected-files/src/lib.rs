//! `protected-files`: denies changes to secrets through a file tool, and asks before changes to a file that controls a
//! build, a tool, or the machine, and before a tool reads a secret.
//!
//! The policy judges the paths of a call: as they are given, without white space around them, by their text, and by
//! where links lead. The most severe answer applies. It does not look at the text that is written. Reading any other file
//! passes.
//!
//! A preset uses the policy for the file tools only, because `command-guard` has the same default lists for shell
//! commands. An entry of the user's own judges what shell commands write and delete as well, by its own lists. If both
//! policies find the same file, the user gets one message. Reads by shell commands are judged by `command-guard` alone,
//! which denies it by default; its setting of the same name is apart from this one. `secret-reads = "allow"` lets every
//! tool read without confirmation.
//!
//! ## Settings
//!
//! The settings are `secret-reads` (`"ask"`, `"deny"` or `"allow"`: the answer to a tool that reads a secret) and the
//! lists `blocked`, `confirm`, `exempt`, and `reads`. An item of a list is a file or a folder, at any depth; the case of
//! letters is ignored. [PATTERNS.md](../PATTERNS.md) describes the patterns. A list adds to the default one, and `reads`
//! to `blocked`, for tools that read. `!x` takes `x` out of the list, and `!*` takes out everything before it.
//!
//! ```toml
//! [[policy]]
//! name = "protected-files"
//! settings = { blocked = ["infra/*.tf", "!.env.test"], confirm = ["!Dockerfile"] }
//! ```
//!
//! The lists `raise`, `lower` and `silence` contain ids of rules: `raise` turns ask into deny, `lower` turns deny into ask and
//! ask into warn, and `silence` switches a rule off.

mod rules;
mod settings;

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use rules::Hit;
pub use settings::Settings;

/// Hits of a rule that are looked at, at most; the others could only add names to a message that says "many more".
const HITS_OF_A_RULE: usize = 256;

/// The policy.
#[derive(Debug)]
pub struct ProtectedFiles {
    settings: Settings,
}

impl Policy for ProtectedFiles {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "protected-files",
        version: env!("CARGO_PKG_VERSION"),
        summary: "keeps secrets and sensitive files from being changed, and secrets from being read",
        tools: &["Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "Glob", "Grep", "Bash"],
        rules: rules::RULES,
        grants: &[],
        examples: &[
            Example { tool: "Write", input: r#"{"file_path": ".env"}"#, outcome: Outcome::Deny, rule: "secret-file" },
            Example {
                tool: "Edit",
                input: r#"{"file_path": "Dockerfile"}"#,
                outcome: Outcome::Ask,
                rule: "sensitive-file",
            },
            Example { tool: "Read", input: r#"{"file_path": ".env"}"#, outcome: Outcome::Ask, rule: "secret-read" },
            Example { tool: "Write", input: r#"{"file_path": "src/main.ts"}"#, outcome: Outcome::Abstain, rule: "" },
        ],
    };

    const ADJUSTABLE: bool = true;

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let is_reader = matches!(call.tool(), "Read" | "Glob" | "Grep");
        let (checks, is_meant): (_, fn(&Effect) -> bool) =
            if is_reader { (rules::OF_READS, is_read) } else { (rules::OF_CHANGES, is_change) };
        let mut findings: Vec<Finding> = Vec::new();
        for (check, message) in checks {
            let mut hits: Vec<Hit> = Vec::new();
            let effects = analysis.effects.iter().filter(|effect| is_meant(effect));
            for hit in effects.filter_map(|effect| check(effect, &self.settings)).take(HITS_OF_A_RULE) {
                if !hits.iter_mut().any(|known| known.join(&hit)) {
                    hits.push(hit);
                }
            }
            findings.extend(hits.into_iter().map(|hit| hit.into_finding(*message)));
        }
        findings.extend(rules::secret_read::unknown(analysis, &self.settings).filter(|_| is_reader));
        Ok(findings.into_iter().collect())
    }
}

/// Whether the effect leaves a file of this machine other than it was.
fn is_change(effect: &Effect) -> bool {
    matches!(effect.kind.as_str(), "write" | "delete") && effect.tag("where").is_none()
}

/// Whether the effect gives away what a file of this machine holds.
fn is_read(effect: &Effect) -> bool {
    effect.kind == "read" && effect.tag("where").is_none()
}
