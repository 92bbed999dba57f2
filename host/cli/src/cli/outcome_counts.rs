//! The guard's activity, from existing files: the audit log, session histories, and a pause.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use guard_hook::audit::{Record, WOULD_ASK, WOULD_DENY, is_of_call};
use guard_state::history::History;
use guard_state::session::Sessions;

/// The maximum number of bytes that are read at the end of the log. It is small because a status line is drawn often.
const TAIL_BYTES: u64 = 1 << 20;

/// The session of `doctor`'s test calls.
const DOCTOR: &str = "guard-host-doctor";

/// The outcomes of calls.
#[derive(Debug, Default)]
pub(super) struct OutcomeCounts {
    /// Calls that ran, as far as the harness reported them.
    pub(super) ran: usize,
    /// Calls that required approval.
    pub(super) asked: usize,
    /// Calls that were denied.
    pub(super) denied: usize,
    /// Calls that a watched or paused policy would have stopped.
    pub(super) watched: usize,
    /// Calls for which a policy failed.
    pub(super) faults: usize,
}

impl OutcomeCounts {
    /// Returns the counts of one session. Files that can't be read are ignored.
    pub(super) fn for_session(session: &str, log: &Path, state: &Path) -> Self {
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

/// Returns the last call in the log, except `doctor`'s test calls.
pub(super) fn last_call(log: &Path) -> Option<Record> {
    let rotated = guard_hook::audit::rotated(log);
    let is_call = |record: &Record| is_of_call(&record.action) && record.session != DOCTOR;
    [log, &rotated].iter().find_map(|path| records(path).into_iter().rev().find(is_call))
}

/// Returns when a call was last recorded in a session's history, and the session.
pub(super) fn last_recorded_call(state: &Path) -> Option<(String, String)> {
    let noted = History::all(state).into_iter().filter(|(name, _)| *name != Sessions::name(DOCTOR));
    let last = noted.filter_map(|(name, history)| {
        let events = history.read().ok()?.events("").ok()?;
        Some((events.last()?.time.clone(), name))
    });
    last.max()
}

/// Returns the records at the end of a log, oldest first.
fn records(log: &Path) -> Vec<Record> {
    let read = || -> std::io::Result<Vec<u8>> {
        // Opening a pipe would block.
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
    // A line that starts before the part that was read isn't a valid record.
    read().unwrap_or_default().split(|byte| *byte == b'\n').filter_map(Record::parse).collect()
}
