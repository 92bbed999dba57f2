//! The guard's activity, from files that exist anyway: the audit log, histories, and a pause.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use guard_hook::audit::{Record, WOULD_ASK, WOULD_DENY, is_of_call};
use guard_state::history::History;
use guard_state::session::Sessions;

/// How much is read of the end of the log. A status line is drawn often.
const TAIL_BYTES: u64 = 1 << 20;

/// The session of the calls that `doctor` tries.
const DOCTOR: &str = "guard-host-doctor";

/// The outcome of calls.
#[derive(Debug, Default)]
pub(super) struct OutcomeCounts {
    /// Calls that ran, as far as the harness told.
    pub(super) ran: usize,
    /// Calls that were asked about.
    pub(super) asked: usize,
    /// Calls that were denied.
    pub(super) denied: usize,
    /// Calls that a watched or paused policy would have stopped.
    pub(super) watched: usize,
    /// Calls of which a policy gave no answer.
    pub(super) faults: usize,
}

impl OutcomeCounts {
    /// That of one session. An unreadable file tells nothing.
    pub(super) fn of_session(session: &str, log: &Path, state: &Path) -> Self {
        let past = History::open(state, session).and_then(|history| history.read().ok());
        let mut seen = OutcomeCounts { ran: past.map_or(0, |past| past.calls()), ..OutcomeCounts::default() };
        for record in records(log).iter().filter(|record| record.session == session) {
            match record.action.as_str() {
                "confirm_required" => seen.asked += 1,
                "block" => seen.denied += 1,
                "error" => seen.faults += 1,
                WOULD_ASK | WOULD_DENY => seen.watched += 1,
                _ => {}
            }
        }
        seen
    }
}

/// The last call in the log, but for those that `doctor` tries.
pub(super) fn last(log: &Path) -> Option<Record> {
    let rotated = guard_hook::audit::rotated(log);
    let is_call = |record: &Record| is_of_call(&record.action) && record.session != DOCTOR;
    [log, &rotated].iter().find_map(|path| records(path).into_iter().rev().find(is_call))
}

/// When a call last left something in the history of a session, and in which one.
pub(super) fn last_noted(state: &Path) -> Option<(String, String)> {
    let noted = History::all(state).into_iter().filter(|(name, _)| *name != Sessions::name(DOCTOR));
    let last = noted.filter_map(|(name, history)| {
        let events = history.read().ok()?.events("").ok()?;
        Some((events.last()?.time.clone(), name))
    });
    last.max()
}

/// The records at the end of a log, oldest first.
fn records(log: &Path) -> Vec<Record> {
    let read = || -> std::io::Result<Vec<u8>> {
        // A pipe would be waited for.
        if !std::fs::metadata(log)?.is_file() {
            return Ok(Vec::new());
        }
        let mut file = File::open(log)?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    // A line that begins before the part that was read is no record.
    read().unwrap_or_default().split(|byte| *byte == b'\n').filter_map(Record::parse).collect()
}
