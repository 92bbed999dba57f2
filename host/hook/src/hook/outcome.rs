//! Outcomes of calls that were asked: one line in the audit log each, written when the harness reports it.
//!
//! Nothing waits for it, and no answer is given: whatever fails here only loses a line.

use std::time::Duration;

use jiff::Timestamp;

use crate::audit;
use guard_contract::call::ToolCall;
use guard_harness::{End, Payload};
use guard_state::AppDirs;
use guard_state::session::{Sessions, call_key};

/// How long a note waits for other processes.
const PATIENCE: Duration = Duration::from_millis(250);

/// The key that identifies a call before and after it runs.
pub(super) fn key(payload: &Payload, calls: &[ToolCall]) -> String {
    if !payload.call.is_empty() {
        return call_key(&[&payload.call]);
    }
    let texts: Vec<String> = calls
        .iter()
        .map(|call| format!("{} {}", call.original_tool, serde_json::to_string(&call.input).unwrap_or_default()))
        .collect();
    call_key(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Logs the end of a call that was asked about.
pub(super) fn write(dirs: &AppDirs, harness: &str, payload: &Payload, calls: &[ToolCall], end: End) {
    // What a project says has no part in where sessions are kept.
    let config = guard_config::load(dirs, &[]);
    let session = Sessions::name(&payload.session);
    let known = config.sessions.of(&session);
    let key = key(payload, calls);
    if known.pending.iter().all(|entry| entry.call != key) {
        return;
    }
    let found =
        config.sessions.change(&session, PATIENCE, |contents, _| contents.take_call(&key, matches!(end, End::Ran)));
    if let Ok(Some(entry)) = found {
        let _ = audit::append_end(&config.audit, end, &entry, harness, Timestamp::now());
    }
}
