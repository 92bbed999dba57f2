//! Notes in replies: policies that aren't enforced or are paused, and missing trusted rules of a project.

use super::greeting;
use super::judge::CallBatch;
use crate::chain::Trace;
use crate::watch;
use guard_contract::verdict::{Verdict, merge};
use guard_state::AppDirs;
use guard_state::session::Sessions;

/// Adds the notes to the verdict. A session gets each note once, except for a pause. The returned keys identify the
/// notes that it gets now.
pub(super) fn with_notes(
    mut verdict: Verdict,
    batch: CallBatch<'_>,
    traces: &[Trace],
    dirs: &AppDirs,
) -> (Verdict, Vec<String>) {
    // A pause here doesn't apply to policies on a server.
    let is_watched = |trace: &Trace| trace.verdict.findings.iter().any(|found| found.watched().is_some());
    let pause = batch.pause.filter(|_| traces.iter().any(is_watched));
    let session = Sessions::name(&batch.at.session);
    let watched: Vec<_> = watch::note(&verdict, pause).into_iter().collect();
    let missing = greeting::missing_rules(dirs, &batch.at.projects());
    let has_note = |key: &str| batch.chain.prepared.config.sessions.read_session(&session).has_note(key);
    let mut keys = Vec::new();
    for (notes, key) in [(watched, session.clone()), (missing, format!("{session} missing-rules"))] {
        // Without this, a policy that isn't enforced would cause the note for weeks.
        let is_once = pause.is_none() || key != session;
        if notes.is_empty() || is_once && has_note(&key) {
            continue;
        }
        verdict = Verdict::all([verdict, merge(notes)]);
        keys.extend(is_once.then_some(key));
    }
    (verdict, keys)
}
