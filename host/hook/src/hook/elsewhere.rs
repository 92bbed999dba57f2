//! What is said of calls that a server decides: its answer and `self-protect`, or what counts without an answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judge::{Asked, Judge};
use crate::chain::Trace;
use guard_chain::exchange::{JournalEntry, Request};
use guard_config::{Fallback, Remote};
use guard_contract::allow::SELF_PROTECT;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_contract::{Decision, Outcome};
use guard_facts::Facts;
use guard_facts::recorded::{Record, Recording};

/// What is left of the deadline when a server is given up: time for the chain of this machine, and for the reply.
const RESERVE: Duration = Duration::from_millis(100);

/// What is said of calls that a server decides.
pub(super) struct Elsewhere {
    /// What the chain of this machine said of each.
    pub(super) traces: Vec<Trace>,
    /// What comes to that.
    pub(super) verdict: Verdict,
    /// What the server's policies want written.
    pub(super) journal: Vec<JournalEntry>,
}

impl Judge<'_> {
    /// Asks `self-protect` here, and the server for everything else.
    pub(super) fn ask_elsewhere(&self, of: Asked<'_>, remote: &Remote) -> Elsewhere {
        let own = of.chain.prepared.members.iter().map(|member| &member.entry.name);
        let own: Vec<String> = own.filter(|name| *name == SELF_PROTECT).cloned().collect();
        let recording = Arc::new(Recording::of(self.facts.clone()));
        let facts: Arc<dyn Facts> = recording.clone();
        let traces = self.ask_here(of, Some(&own), Some(&facts));
        if remote.fallback != Fallback::Local {
            // For the deadline, should it come first.
            of.call.record_opinion(&no_answer(remote, "it has not answered yet"));
        }
        let request = Request {
            calls: of.calls.to_vec(),
            at: of.at.clone(),
            // What was learned for the policies here spares questions of the server; their files and variables are not its.
            facts: Record { files: Default::default(), env: Default::default(), ..recording.record() },
            only: self.brought.only.clone(),
            ..Request::default()
        };
        let patience = Duration::from_millis(remote.timeout_ms.into()).min(of.call.left().saturating_sub(RESERVE));
        match self.asker.ask(remote, request, Instant::now() + patience) {
            Ok(response) => {
                for found in &response.verdict.findings {
                    let finding = found.finding.clone();
                    let decision = Decision { outcome: finding.outcome, findings: vec![finding] };
                    let (policy, of_host) = (found.policy.clone(), found.of_host);
                    of.call.record_opinion(&Opinion { policy, decision, may_allow: false, of_host });
                }
                Elsewhere { traces, verdict: response.verdict, journal: response.journal }
            }
            Err(why) => {
                let verdict = merge([no_answer(remote, &why)]);
                let traces = match remote.fallback {
                    Fallback::Local => self.ask_here(of, self.brought.only.as_deref(), None),
                    Fallback::Ask | Fallback::Deny => traces,
                };
                Elsewhere { traces, verdict, journal: Vec::new() }
            }
        }
    }
}

/// What the host says where there is no answer.
fn no_answer(remote: &Remote, why: &str) -> Opinion {
    let outcome = match remote.fallback {
        Fallback::Local => Outcome::Abstain,
        Fallback::Ask => Outcome::Ask,
        Fallback::Deny => Outcome::Deny,
    };
    let text = format!("the server `{}` decides here, and gave no answer: {why}", remote.url);
    let remedy = "try again, or run it yourself; `[remote]` in guard.toml names the server".to_owned();
    Opinion::of_host("remote", "no-answer", outcome, text, remedy)
}
