//! Notes in replies: that policies are only watched or paused, and that a project's trusted rules are missing.

use super::greeting;
use super::judge::CallBatch;
use crate::chain::Trace;
use crate::watch;
use guard_contract::verdict::{Verdict, merge};
use guard_state::AppDirs;
use guard_state::session::Sessions;

/// The verdict with its notes. A session gets each of them once, except for a pause; the keys are of those that it gets now.
pub(super) fn with_notes(
    verdict: Verdict,
    asked: CallBatch<'_>,
    traces: &[Trace],
    dirs: &AppDirs,
) -> (Verdict, Vec<String>) {
    // A pause here is none of what a server watches.
    let is_watched = |trace: &Trace| trace.verdict.findings.iter().any(|found| found.watched().is_some());
    let pause = asked.pause.filter(|_| traces.iter().any(is_watched));
    let session = Sessions::name(&asked.at.session);
    let watched: Vec<_> = watch::note(&verdict, pause).into_iter().collect();
    let missing = greeting::missing_rules(dirs, &asked.at.projects());
    let is_told = |key: &str| asked.chain.prepared.config.sessions.of(&session).was_told(key);
    let (mut verdict, mut told) = (verdict, Vec::new());
    for (notes, key) in [(watched, session.clone()), (missing, format!("{session} missing-rules"))] {
        // A configuration that watches would say it for weeks.
        let is_once = pause.is_none() || key != session;
        if notes.is_empty() || is_once && is_told(&key) {
            continue;
        }
        verdict = Verdict::all([verdict, merge(notes)]);
        told.extend(is_once.then_some(key));
    }
    (verdict, told)
}
