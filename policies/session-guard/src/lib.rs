//! `session-guard`: judges a call by what the session did before it.
//!
//! A call that is harmless alone can be the second half of something that is not: a secret was read, and now data leaves
//! the machine; a file was downloaded, and now it runs; a call was denied, and now it comes in other words. The policy
//! reads the history that guard-host keeps of the session. Without a session's name nothing is known, and nothing is said.
//!
//! It also has two things noted for later calls: that a file with secrets was read, and that a file was made of a
//! downloaded one. Each is a finding that stops nothing.
//!
//! ## Settings
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `hosts` | `[]` | hosts that data may be sent to, and that files may be downloaded from: `example.org`, or `*.example.org` for those below it |
//! | `raise` | `[]` | rules whose outcome becomes one step more severe: ask becomes deny |
//! | `lower` | `[]` | rules whose outcome becomes one step less severe: deny becomes ask, ask becomes warn |
//! | `silence` | `[]` | rules that get no answer; it wins over `raise` and `lower` |
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
//! - This machine, package installs, `git fetch`, and requests that only read pass after a secret was read.
//! - A remote of the project counts as its own, unless this session added it or changed its address.
//! - A variable that is part of a path in an address passes; one in the query asks.
//! - What a program sends that nobody has described is not seen.

mod downloads;
mod past;
mod rules;
mod sends;
mod settings;

use guard_sdk::{Call, Decision, Error, Example, Finding, Manifest, Outcome, Policy};

use past::Past;
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
        summary: "judges a call by what the session did before it",
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

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(Self { settings: settings.checked()? })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let past = Past::of(call);
        let checks = rules::ALL.iter().flat_map(|(rule, check)| {
            let hits = check(call, &past, &self.settings);
            hits.into_iter().map(move |hit| (*rule, hit))
        });
        let mut findings: Vec<Finding> = checks
            .filter_map(|(rule, hit)| {
                let outcome = self.settings.adjust(rule.id, rule.default)?;
                Some(hit.into_finding(rule).at(outcome))
            })
            .collect();
        findings.extend(rules::unknown_history::check(&past).and_then(|hit| {
            let rule = &rules::unknown_history::RULE;
            Some(hit.into_finding(rule).at(self.settings.adjust(rule.id, rule.default)?))
        }));
        findings.extend(rules::noted::findings(call, &past, &self.settings));
        Ok(findings.into_iter().collect())
    }
}

#[cfg(feature = "component")]
guard_sdk::export!(SessionGuard);
