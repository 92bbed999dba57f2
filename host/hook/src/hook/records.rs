//! [`Records`]: what is written about a call after its reply.

use std::sync::Arc;

use super::consent::{self, PATIENCE, Question};
use super::open_call::OpenCall;
use super::{journal, outcome};
use crate::audit::{self, AuditDetails};
use crate::chain::{Chain, Trace};
use crate::history;
use guard_chain::exchange::JournalEntry;
use guard_contract::Outcome;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::syntax::{Analysis, Effect};
use guard_contract::verdict::Verdict;
use guard_facts::Facts;
use guard_harness::{End, Payload};
use guard_state::AppDirs;
use guard_state::history::History;
use guard_state::session::Sessions;

/// Records to write besides a call's audit line: its journals and pending call, a call's outcome, or the end of a
/// session.
#[derive(Debug, Default)]
pub struct Records(pub(super) RecordKind);

#[derive(Debug, Default)]
pub(super) enum RecordKind {
    #[default]
    Nothing,
    Decision(Box<DecisionRecord>),
    CallsEnded(Box<EndRecord>),
    SessionEnded {
        session: String,
    },
    RefusedSettings(Box<RefusedSettings>),
}

/// The record of calls that were decided.
#[derive(Debug)]
pub(super) struct DecisionRecord {
    pub(super) chain: Arc<Chain>,
    pub(super) at: CallContext,
    pub(super) calls: Vec<ToolCall>,
    pub(super) traces: Vec<Trace>,
    /// Journal entries of the server's policies.
    pub(super) journal: Vec<JournalEntry>,
    pub(super) outcome: Outcome,
    pub(super) question: Option<Question>,
    /// Whether a person must have approved the call if it runs.
    pub(super) by_person: bool,
    /// Whether the harness prompts a person in this mode.
    pub(super) prompted: bool,
    /// The key that identifies the call.
    pub(super) key: String,
    /// The keys of the one-time notes in this reply.
    pub(super) notes: Vec<String>,
    /// The history to which denials are added.
    pub(super) history: Option<History>,
}

/// The record of calls that ran or were refused.
#[derive(Debug)]
pub(super) struct EndRecord {
    pub(super) end: End,
    pub(super) harness: &'static str,
    pub(super) payload: Payload,
    pub(super) calls: Vec<ToolCall>,
    pub(super) analyses: Vec<Option<Analysis>>,
}

/// The record of settings that a session must not apply: the change as a call, and the reason.
#[derive(Debug)]
pub(super) struct RefusedSettings {
    pub(super) chain: Arc<Chain>,
    pub(super) at: CallContext,
    pub(super) call: ToolCall,
    pub(super) verdict: Verdict,
}

impl Records {
    /// Writes the records, once. A call that lacks a required audit line doesn't become a pending call.
    pub fn write(&mut self, call: &OpenCall, dirs: &AppDirs, facts: &dyn Facts) {
        match &mut self.0 {
            RecordKind::Nothing => {}
            RecordKind::Decision(decision) => decision.write(call.is_unlogged(), facts),
            RecordKind::CallsEnded(end) => end.write(dirs),
            RecordKind::RefusedSettings(refused) => refused.write(),
            RecordKind::SessionEnded { session } => {
                consent::end(dirs, session);
                // A history that can't be removed expires.
                let _ = History::open(&dirs.state, session).map(|history| history.end());
            }
        }
    }
}

impl DecisionRecord {
    fn write(&mut self, is_unlogged: bool, facts: &dyn Facts) {
        let DecisionRecord { chain, at, calls, traces, journal, .. } = &*self;
        if let Some(history) = self.history.as_ref().filter(|_| self.outcome == Outcome::Deny) {
            let is_denied =
                |call: &ToolCall, trace: &Trace, effect: &Effect| chain.denies_for((call, at), trace, effect);
            history::note_denials(history, calls, traces, is_denied);
        }
        journal::write(&chain.prepared, at, facts, calls, traces);
        journal::write_remote(&chain.prepared, at, facts, calls, traces, journal);
        if let Some(question) = self.question.take().filter(|_| !is_unlogged) {
            question.note(self.outcome, self.by_person, self.prompted, std::mem::take(&mut self.key));
        }
        if !self.notes.is_empty() {
            let sessions = &self.chain.prepared.config.sessions;
            // The reply is out, so an error can't be reported.
            let _ = sessions.change(&Sessions::name(&self.at.session), PATIENCE, |contents, now| {
                self.notes.iter().for_each(|key| contents.record_note(key, now));
            });
        }
    }
}

impl EndRecord {
    fn write(&self, dirs: &AppDirs) {
        if let Some(history) = history_of(dirs, &self.payload) {
            let kind = match self.end {
                End::Ran if self.payload.failed => "failed",
                End::Ran => "ran",
                End::Refused | End::RefusedByClassifier => "refused",
            };
            history::note_end(&history, kind, &self.calls, &self.analyses);
        }
        outcome::write(dirs, self.harness, &self.payload, &self.calls, self.end);
    }
}

impl RefusedSettings {
    fn write(&self) {
        let audit = &self.chain.prepared.config.audit;
        // The reply is out, so an error can't be reported.
        if let Ok(Some(line)) = audit::line(audit, &self.call, &self.at, &self.verdict, AuditDetails::default()) {
            let _ = audit::write(audit, &line);
        }
    }
}

/// Returns the history of the payload's session, or of its parent session.
pub(super) fn history_of(dirs: &AppDirs, payload: &Payload) -> Option<History> {
    let session = if payload.parent.is_empty() { &payload.session } else { &payload.parent };
    History::open(&dirs.state, session)
}
