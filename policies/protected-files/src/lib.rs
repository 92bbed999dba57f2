//! `protected-files`: denies changes to secrets with a file tool.
//! It asks before changes to a file that controls a build, a tool, or the machine, and before a tool reads a secret.
//!
//! The policy judges the paths of a call, not the text that is written.
//! A path is judged as written without surrounding spaces, by its text, and by where its links lead. The most severe
//! answer applies.
//! Reading any other file passes.
//!
//! In a preset, the policy judges only file tools, because `command-guard` has the same default lists for shell
//! commands.
//! An entry of your own also judges files that shell commands read, write and delete, with your lists.
//! Deleting or moving a folder with listed files in it is a change to them.
//! Reading a folder (`cp -r data /tmp`) or a pattern (`cat *.csv`) with files in it that your lists name needs
//! confirmation. Searches of the whole project, such as `grep -r TODO .`, pass.
//! Only the first 1,000 files of a folder are considered.
//! If both policies find the same file, the user gets one message.
//! Shell commands that read a file on the default list are judged only by `command-guard`, which denies them by default.
//!
//! ## Settings
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `secret-reads` | `"ask"` | the outcome of a tool that reads a secret: `ask`, `deny` or `allow`; separate from the setting of `command-guard` |
//! | `blocked` | the shared list | files with secrets |
//! | `confirm` | the shared list | files whose changes need confirmation |
//! | `exempt` | the shared list | files that are never protected, such as templates |
//! | `reads` | `[]` | adds to `blocked`, only for calls that read |
//! | `raise` | `[]` | rules whose outcome becomes one step more severe: ask becomes deny |
//! | `lower` | `[]` | rules whose outcome becomes one step less severe: deny becomes ask, ask becomes warn |
//! | `silence` | `[]` | rules to turn off |
//!
//! The lists contain [patterns](../PATTERNS.md) of files or folders at any depth, and ignore case.
//! They add to the default lists. `!x` removes `x` from a list, and `!*` removes everything before it.
//!
//! ```toml
//! [[policy]]
//! name = "protected-files"
//! settings = { blocked = ["infra/*.tf", "!.env.test"], confirm = ["!Dockerfile"] }
//! ```

mod rules;
mod settings;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use rules::Hit;
pub use settings::Settings;

/// The maximum number of hits of a rule. More could only add names to a message that says "many more".
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
        let checks = if is_reader { rules::OF_READS } else { rules::OF_CHANGES };
        let mut findings: Vec<Finding> = Vec::new();
        for (check, message) in checks {
            let mut hits: Vec<Hit> = Vec::new();
            let found = analysis.effects.iter().filter_map(|effect| check(effect, call, &self.settings));
            for hit in found.take(HITS_OF_A_RULE) {
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
