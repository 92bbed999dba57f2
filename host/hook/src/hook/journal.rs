//! Writes policies' journals, after the reply.

use std::slice::from_ref;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::cache::Prepared;
use crate::chain::Trace;
use crate::redaction;
use guard_chain::exchange::JournalEntry;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::paths;
use guard_facts::Facts;
use guard_redact::Secrets;
use guard_state::files::append_line;
use guard_state::session::stamp;

/// Appends every line to the file granted for its stream. An error in one file doesn't affect the others.
pub(super) fn write(prepared: &Prepared, at: &CallContext, facts: &dyn Facts, calls: &[ToolCall], traces: &[Trace]) {
    for (call, trace) in calls.iter().zip(traces) {
        if trace.journal().next().is_some() {
            let secrets = redaction::secrets(call, at, trace.analysis.as_deref());
            for (policy, line) in trace.journal() {
                write_line(prepared, at, facts, (policy, &line.stream, &line.object), from_ref(&secrets));
            }
        }
    }
}

/// Appends the lines of a server's policies, if policies of the same names have the streams here.
pub(super) fn write_remote(
    prepared: &Prepared,
    at: &CallContext,
    facts: &dyn Facts,
    calls: &[ToolCall],
    traces: &[Trace],
    told: &[JournalEntry],
) {
    if told.is_empty() {
        return;
    }
    let secrets = calls.iter().zip(traces).map(|(call, trace)| redaction::secrets(call, at, trace.analysis.as_deref()));
    let secrets: Vec<Secrets> = secrets.collect();
    for JournalEntry { policy, stream, object } in told {
        write_line(prepared, at, facts, (policy, stream, object), &secrets);
    }
}

fn write_line(
    prepared: &Prepared,
    at: &CallContext,
    facts: &dyn Facts,
    (policy, stream, object): (&str, &str, &str),
    secrets: &[Secrets],
) {
    let Some(member) = prepared.members.iter().find(|member| member.entry.name == policy) else { return };
    let project = if member.entry.project.is_empty() { &at.project_root } else { &member.entry.project };
    let grants = member.entry.grants.resolve(&at.home, project, false, &|name| facts.env(name));
    if let Some(path) = grants.journal.get(stream) {
        let _ = append(path, &stamped(object, secrets));
    }
}

/// Returns the object with `ts` and with secrets redacted.
fn stamped(object: &str, secrets: &[Secrets]) -> String {
    let mut map: Map<String, Value> = serde_json::from_str(object).unwrap_or_default();
    for secrets in secrets {
        map.iter_mut().for_each(|(key, value)| hide(key, value, secrets));
    }
    map.insert("ts".to_owned(), stamp(Timestamp::now()).into());
    Value::Object(map).to_string()
}

/// Redacts the secrets in every text of the value. The depth is limited by the JSON parser, to 128.
fn hide(key: &str, value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => *text = secrets.hide_under(key, text),
        Value::Array(values) => values.iter_mut().for_each(|value| hide(key, value, secrets)),
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| hide(key, value, secrets)),
        _ => {}
    }
}

/// Opened relative to the folder, so that the file can't be outside the granted folder.
fn append(path: &str, line: &str) -> std::io::Result<()> {
    let folder = paths::parent(path).unwrap_or("/");
    let name = paths::below(path, folder).ok_or(std::io::ErrorKind::InvalidInput)?;
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    // A pipe without a reader would block.
    if dir.metadata(name).is_ok_and(|data| !data.is_file()) {
        return Err(std::io::Error::other("the journal is not a file"));
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    let file = dir.open_with(name, options.clone().read(true)).or_else(|_| dir.open_with(name, &options))?;
    append_line(&mut file.into_std(), line)
}
