//! [`Records`]: what is written of a call once its reply is out.

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

/// Records to write besides the audit line of a call: its journals and open question, a call's outcome, or the end of a
/// session.
#[derive(Debug, Default)]
pub struct Records(pub(super) RecordKind);

#[derive(Debug, Default)]
pub(super) enum RecordKind {
    #[default]
    Nothing,
    Decided(Box<DecisionRecord>),
    Told {
        end: End,
        harness: &'static str,
        payload: Box<Payload>,
        calls: Vec<ToolCall>,
        analyses: Vec<Option<Analysis>>,
    },
    Ended {
        session: String,
    },
    /// Settings that a session doesn't take.
    Settings(Box<RefusedSettings>),
}

/// Settings that a session doesn't take: the change as a call, and why.
#[derive(Debug)]
pub(super) struct RefusedSettings {
    pub(super) chain: Arc<Chain>,
    pub(super) at: CallContext,
    pub(super) call: ToolCall,
    pub(super) verdict: Verdict,
}

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
    /// If the call runs, a person is known to have let it run.
    pub(super) by_person: bool,
    /// The harness is known to put an ask to a person in this mode.
    pub(super) prompted: bool,
    /// The key that identifies the call.
    pub(super) key: String,
    /// The keys of the notes that the session gets once, and gets now.
    pub(super) told: Vec<String>,
    /// The history to which a denial is added.
    pub(super) history: Option<History>,
}

impl Records {
    /// Writes them, once. A call that had to have an audit line and has none leaves no question open.
    pub fn write(&mut self, call: &OpenCall, dirs: &AppDirs, facts: &dyn Facts) {
        match &mut self.0 {
            RecordKind::Nothing => {}
            RecordKind::Decided(decided) => {
                let DecisionRecord { chain, at, calls, traces, journal, history, .. } = &**decided;
                if let Some(history) = history.as_ref().filter(|_| decided.outcome == Outcome::Deny) {
                    let is_denied =
                        |call: &ToolCall, trace: &Trace, effect: &Effect| chain.denies_for((call, at), trace, effect);
                    history::note_denials(history, calls, traces, is_denied);
                }
                journal::write(&chain.prepared, at, facts, calls, traces);
                journal::write_remote(&chain.prepared, at, facts, calls, traces, journal);
                if let Some(question) = decided.question.take().filter(|_| !call.is_unlogged()) {
                    let call = std::mem::take(&mut decided.key);
                    question.note(decided.outcome, decided.by_person, decided.prompted, call);
                }
                if !decided.told.is_empty() {
                    let (session, sessions) =
                        (Sessions::name(&decided.at.session), &decided.chain.prepared.config.sessions);
                    // The reply is out, and there is nobody to tell that nothing could be written.
                    let _ = sessions.change(&session, PATIENCE, |contents, now| {
                        decided.told.iter().for_each(|key| contents.tell(key, now));
                    });
                }
            }
            RecordKind::Told { end, harness, payload, calls, analyses } => {
                if let Some(history) = history_of(dirs, payload) {
                    let kind = match end {
                        End::Ran if payload.failed => "failed",
                        End::Ran => "ran",
                        End::Refused | End::RefusedByClassifier => "refused",
                    };
                    history::note_end(&history, kind, calls, analyses);
                }
                outcome::tell(dirs, harness, payload, calls, *end);
            }
            RecordKind::Settings(held) => {
                let RefusedSettings { chain, at, call, verdict } = &**held;
                // The reply is out, and nobody waits for the line.
                let audit = &chain.prepared.config.audit;
                if let Ok(Some(line)) = audit::line(audit, call, at, verdict, AuditDetails::default()) {
                    let _ = audit::write(audit, &line);
                }
            }
            RecordKind::Ended { session } => {
                consent::end(dirs, session);
                // What cannot be removed grows old.
                let _ = History::open(&dirs.state, session).map(|history| history.end());
            }
        }
    }
}

/// The history of the session that a payload comes from, or of the one that this belongs to.
pub(super) fn history_of(dirs: &AppDirs, payload: &Payload) -> Option<History> {
    let session = if payload.parent.is_empty() { &payload.session } else { &payload.parent };
    History::open(&dirs.state, session)
}
