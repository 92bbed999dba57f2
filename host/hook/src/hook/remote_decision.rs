//! Decides calls by a server: its verdict merged with the local policies', or the fallback without an answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judge::{CallBatch, Judge};
use crate::cache::{Member, Prepared, Readiness};
use crate::chain::{Trace, speaks_for_itself};
use guard_chain::exchange::{JournalEntry, Request};
use guard_config::{Config, Fallback, Remote};
use guard_contract::Layer;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_contract::{Decision, Outcome};
use guard_facts::Facts;
use guard_facts::recorded::{Record, Recording};

/// The time before the deadline at which the server is given up, so that there is enough time for the local chain and
/// the reply.
const RESERVE: Duration = Duration::from_millis(100);

/// The verdict on calls that a server decides.
pub(super) struct RemoteDecision {
    /// The traces of the local chain, one for each call.
    pub(super) traces: Vec<Trace>,
    /// The merged verdict.
    pub(super) verdict: Verdict,
    /// Journal entries of the server's policies.
    pub(super) journal: Vec<JournalEntry>,
}

impl Judge<'_> {
    /// Asks the server. Locally, asks the policies that the user may not loosen, that need the session's history, or
    /// that have settings on the hook's command line.
    pub(super) fn decide_remotely(&self, batch: CallBatch<'_>, remote: &Remote) -> RemoteDecision {
        let Prepared { config, members, .. } = &batch.chain.prepared;
        let overrides = self.overrides.only.iter().flatten().filter(|_| self.overrides.settings.is_some());
        let own = members.iter().filter(|member| is_asked_locally(config, member)).map(|member| &member.entry.name);
        let own: Vec<String> = own.chain(overrides).cloned().collect();
        let recording = Arc::new(Recording::new(self.facts.clone()));
        let facts: Arc<dyn Facts> = recording.clone();
        let traces = self.ask_locally(batch, Some(&own), Some(&facts));
        if remote.fallback != Fallback::Local {
            // In case the deadline passes first.
            batch.call.record_opinion(&no_answer(remote, "it has not answered yet"));
        }
        let request = Request {
            calls: batch.calls.to_vec(),
            at: batch.at.clone(),
            // The facts about paths save requests by the server. Contents of files are only sent on request, after
            // checking them.
            facts: Record { entries: recording.record().entries, ..Record::default() },
            only: self.overrides.only.clone(),
            ..Request::default()
        };
        let patience = Duration::from_millis(remote.timeout_ms.into()).min(batch.call.left().saturating_sub(RESERVE));
        match self.asker.ask(remote, request, Instant::now() + patience) {
            Ok(response) => {
                for found in &response.verdict.findings {
                    let finding = found.finding.clone();
                    let decision = Decision { outcome: finding.outcome, findings: vec![finding] };
                    let (policy, of_host) = (found.policy.clone(), found.of_host);
                    batch.call.record_opinion(&Opinion { policy, decision, may_allow: false, of_host });
                }
                RemoteDecision { traces, verdict: response.verdict, journal: response.journal }
            }
            Err(why) => {
                let verdict = merge([no_answer(remote, &why)]);
                let traces = match remote.fallback {
                    Fallback::Local => self.ask_locally(batch, self.overrides.only.as_deref(), None),
                    Fallback::Ask | Fallback::Deny => traces,
                };
                RemoteDecision { traces, verdict, journal: Vec::new() }
            }
        }
    }
}

/// Returns whether this machine asks a policy although a server decides.
#[must_use]
pub fn is_asked_locally(config: &Config, member: &Member) -> bool {
    !config.may_loosen(Layer::User, &member.entry) || wants_history(member)
}

/// Returns whether this is a preset's policy that needs the history.
fn wants_history(member: &Member) -> bool {
    let asks = matches!(&member.readiness, Readiness::Ready { artifact, .. } if artifact.interface.wants_history());
    asks && speaks_for_itself(&member.entry)
}

/// Returns the opinion for a server that doesn't answer.
fn no_answer(remote: &Remote, why: &str) -> Opinion {
    let outcome = match remote.fallback {
        Fallback::Local => Outcome::Abstain,
        Fallback::Ask => Outcome::Ask,
        Fallback::Deny => Outcome::Deny,
    };
    let text = format!("the server `{}` decides here, and gave no answer: {why}", remote.url);
    let remedy = "try again, or run it yourself; `[remote]` in guard.toml names the server".to_owned();
    Opinion::from_host("remote", "no-answer", outcome, text, remedy)
}
