//! Decides calls by a server: its verdict merged with the local policies', or the fallback without an answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judge::{CallBatch, Judge};
use crate::cache::{Member, Prepared, Readiness};
use crate::chain::{AskOptions, Trace, speaks_for_itself};
use crate::history::SessionFacts;
use guard_chain::exchange::{JournalEntry, Request};
use guard_config::{Config, Fallback, Remote};
use guard_contract::call::CallContext;
use guard_contract::verdict::{Attributed, Opinion, Verdict, merge};
use guard_contract::{Decision, FactFault, Layer, Outcome, rank};
use guard_facts::Facts;
use guard_facts::recorded::{Record, Recorded, Recording};

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
    /// that have settings on the hook's command line, and all of them about files that the server may not read.
    pub(super) fn decide_remotely(&self, batch: CallBatch<'_>, remote: &Remote) -> RemoteDecision {
        let Prepared { config, members, .. } = &batch.chain.prepared;
        let overrides = self.overrides.only.iter().flatten().filter(|_| self.overrides.settings.is_some());
        let own = members.iter().filter(|member| is_asked_locally(config, member)).map(|member| &member.entry.name);
        let own: Vec<String> = own.chain(overrides).cloned().collect();
        let recording = Arc::new(Recording::new(self.facts.clone()));
        let facts: Arc<dyn Facts> = recording.clone();
        let traces = self.ask_locally(batch, Some(&own), Some(&facts));
        let record = recording.record();
        let unseen = self.opinions_on_files(batch, &own, &unseen_files(&record, remote, batch.at, self.facts));
        unseen.iter().for_each(|opinion| batch.call.record_opinion(opinion));
        if remote.fallback != Fallback::Local {
            // In case the deadline passes first.
            batch.call.record_opinion(&no_answer(remote, "it has not answered yet"));
        }
        let request = Request {
            calls: batch.calls.to_vec(),
            at: batch.at.clone(),
            // The facts about paths save requests by the server. Contents of files are only sent on request, after
            // checking them.
            facts: Record { entries: record.entries, ..Record::default() },
            only: self.overrides.only.clone(),
            ..Request::default()
        };
        let patience = Duration::from_millis(remote.timeout_ms.into()).min(batch.call.left().saturating_sub(RESERVE));
        match self.asker.ask(remote, request, Instant::now() + patience) {
            Ok(response) => {
                for found in &response.verdict.findings {
                    batch.call.record_opinion(&opinion_with(found));
                }
                let verdict = Verdict::all([response.verdict, merge(unseen)]);
                RemoteDecision { traces, verdict, journal: response.journal }
            }
            Err(why) => {
                let none = no_answer(remote, &why);
                let (traces, verdict) = match remote.fallback {
                    Fallback::Local => (self.ask_locally(batch, self.overrides.only.as_deref(), None), merge([none])),
                    Fallback::Ask | Fallback::Deny => (traces, merge(unseen.into_iter().chain([none]))),
                };
                RemoteDecision { traces, verdict, journal: Vec::new() }
            }
        }
    }

    /// Returns the asks and denials that this machine's other policies base on these files, given as the keys of a
    /// record. A server that may not read them can't judge them.
    fn opinions_on_files(&self, batch: CallBatch<'_>, own: &[String], files: &[String]) -> Vec<Opinion> {
        let CallBatch { chain, calls, at, pause, history, .. } = batch;
        let mut opinions = Vec::new();
        if files.is_empty() {
            return opinions;
        }
        let ask = AskOptions { only: self.overrides.only.as_deref(), pause, ..AskOptions::default() };
        for call in calls {
            let facts: Arc<dyn Facts> = match history {
                Some(history) => Arc::new(SessionFacts::new(self.facts.clone(), history.clone(), call)),
                None => self.facts.clone(),
            };
            let recording = Arc::new(Recording::new(facts));
            let facts: Arc<dyn Facts> = recording.clone();
            let whole = chain.decide(call, at, &facts, ask).verdict;
            let mut record = recording.record();
            record.files.extend(files.iter().map(|key| (key.clone(), Err(FactFault::Denied))));
            let facts: Arc<dyn Facts> = Arc::new(Recorded::new(record));
            let rest = chain.decide(call, at, &facts, ask).verdict;
            // The server judges a rule that the call breaks without these files, too.
            let is_in_rest = |found: &Attributed| {
                let of_rule =
                    |other: &&Attributed| other.policy == found.policy && other.finding.rule == found.finding.rule;
                let worst = rest.findings.iter().filter(of_rule).map(|other| rank(other.finding.outcome)).max();
                worst.is_some_and(|worst| worst >= rank(found.finding.outcome))
            };
            let is_stop = |found: &&Attributed| rank(found.finding.outcome) >= rank(Outcome::Ask);
            let stops = whole.findings.iter().filter(is_stop);
            opinions.extend(stops.filter(|found| !own.contains(&found.policy) && !is_in_rest(found)).map(opinion_with));
        }
        opinions
    }
}

/// Returns the files that the call runs and the server may not read, as the keys of the record.
fn unseen_files(record: &Record, remote: &Remote, at: &CallContext, facts: &Arc<dyn Facts>) -> Vec<String> {
    let granted = remote.grants.resolve(&at.home, &at.project_root, false, &|name| facts.env(name));
    let is_unseen = |key: &str| key.split_once(':').is_some_and(|(_, path)| granted.read_root(path).is_none());
    let files = record.files.iter().filter(|(_, text)| **text != Err(FactFault::Absent));
    files.map(|(key, _)| key.clone()).filter(|key| is_unseen(key)).collect()
}

/// Returns a finding as an opinion of its own.
fn opinion_with(found: &Attributed) -> Opinion {
    let finding = found.finding.clone();
    let decision = Decision { outcome: finding.outcome, findings: vec![finding] };
    Opinion { policy: found.policy.clone(), decision, may_allow: false, of_host: found.of_host }
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
