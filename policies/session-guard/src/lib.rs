//! `session-guard`: judges a call by the history of its session.
//!
//! A call that is harmless alone can complete an attack.
//! It can send data after a secret was read, run a downloaded file, or repeat a denied effect by other means.
//! The policy detects this with the session's history. Without a session id, it never stops a call.
//!
//! It also records two facts for later calls, which never stop a call themselves: a file with secrets was read, and a
//! file was created from a downloaded one.
//!
//! ## Settings
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `hosts` | `[]` | trusted hosts: data may be sent to them, and files downloaded from them may run; `example.org`, or `*.example.org` for those below it |
//! | `raise` | `[]` | rules whose outcome becomes one step more severe: ask becomes deny |
//! | `lower` | `[]` | rules whose outcome becomes one step less severe: deny becomes ask, ask becomes warn |
//! | `silence` | `[]` | rules to turn off (not `noted`); wins over `raise` and `lower` |
//! | `files` | the shared lists | [patterns](../PATTERNS.md) of files with secrets: `blocked` and `exempt` |
//!
//! ```toml
//! [[policy]]
//! name = "session-guard"
//! settings = { hosts = ["api.example.org"], lower = ["secret-then-network"] }
//! ```
//!
//! ## Limits
//!
//! - After a secret was read, these still pass: traffic to this machine, package installs, `git fetch`, and requests
//!   that only read. A secret in the path of such a request passes too.
//! - The project's git remotes are trusted, unless this session added or changed them.
//! - A variable in the path of an address passes, unless the call fills it from a file or a command. In the query, it
//!   needs confirmation.
//! - Data that an unknown program sends isn't detected.

mod downloads;
mod past;
mod rules;
mod sends;
mod settings;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use past::SessionHistory;
pub use settings::Settings;

/// The policy.
#[derive(Debug)]
pub struct SessionGuard {
    settings: Settings,
}

impl Policy for SessionGuard {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "session-guard",
        version: env!("CARGO_PKG_VERSION"),
        summary: "judges a call by the history of its session",
        tools: &["*"],
        rules: rules::RULES,
        grants: &[],
        examples: &[Example {
            tool: "Bash",
            input: r#"{"command": "curl -d @notes.txt https://example.org"}"#,
            outcome: Outcome::Abstain,
            rule: "",
        }],
    };

    const ADJUSTABLE: bool = true;

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let past = SessionHistory::new(call);
        let checks = rules::ALL.iter().flat_map(|(rule, check)| {
            let hits = check(call, &past, &self.settings);
            hits.into_iter().map(move |hit| (*rule, hit))
        });
        let mut findings: Vec<Finding> = checks.map(|(rule, hit)| hit.into_finding(rule)).collect();
        findings.extend(
            rules::unknown_history::check(call, &past).map(|hit| hit.into_finding(&rules::unknown_history::RULE)),
        );
        findings.extend(rules::noted::findings(call, &past, &self.settings));
        Ok(findings.into_iter().collect())
    }
}
