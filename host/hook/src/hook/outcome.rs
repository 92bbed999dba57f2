//! Outcomes of calls that needed confirmation: one line in the audit log for each, when the harness reports it.
//!
//! The harness doesn't wait and gets no answer, so an error only loses a line.

use std::time::Duration;

use jiff::Timestamp;

use crate::audit;
use guard_contract::call::ToolCall;
use guard_harness::{End, Payload};
use guard_state::AppDirs;
use guard_state::session::{Sessions, call_key};

/// The maximum wait for other processes.
const PATIENCE: Duration = Duration::from_millis(250);

/// Returns the key that identifies a call before and after it runs.
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

/// Logs the outcome of a call that needed confirmation.
pub(super) fn write(dirs: &AppDirs, harness: &str, payload: &Payload, calls: &[ToolCall], end: End) {
    // A project's configuration must not change where sessions are stored.
    let config = guard_config::load(dirs, &[]);
    let session = Sessions::name(&payload.session);
    let known = config.sessions.read_session(&session);
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
