//! The audit log: one JSON object on each line. A line is appended after the reply, unless no call may run without its
//! line.

mod decision;
mod discarded;
mod journal;
mod read;
mod select;
mod stats;

use std::hash::{BuildHasher, Hash, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use guard_platform::process;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use guard_config::{Audit, AuditLevel};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::verdict::{Attributed, FAULT, Verdict};
use guard_contract::{Outcome, rank};
use guard_harness::End;
use guard_redact::{plain, redact, shorten};
use guard_state::session::{Entry, stamp};
use guard_state::{ACCEPT, ChainBreak, ChainedLog, FileLock, Seal, Verified, hex};

pub use decision::{Decision, RepeatedDecision};
pub use discarded::Discarded;
pub use read::{LINE_BYTES, Next, Reader, Record};
pub use select::{Selection, moment};
pub use stats::{Actions, Stats};

/// The maximum wait for the lock, which is usually held for microseconds. Without the lock, the line is written anyway,
/// in one write, and the log isn't rotated.
const LOCK: Duration = Duration::from_millis(250);

/// The maximum wait for the lock when the log is verified.
const VERIFY: Duration = Duration::from_secs(10);

/// The maximum number of bytes that the chain's fields add to a line.
const LINK_BYTES: u64 = 192;

/// The action of a call that a person approved.
pub const OVERRIDE: &str = "confirmed_allow";

/// The action of a call that ran, but would have been an ask if the policy were enforced.
pub const WOULD_ASK: &str = "would-ask";

/// The action of a call that ran, but would have been denied if the policy were enforced.
pub const WOULD_DENY: &str = "would-deny";

/// The action of restoring what a call destroyed.
pub const UNDO: &str = "undo";

/// The maximum length of a logged operation in bytes.
pub const OPERATION_BYTES: usize = 8 << 10;

/// The maximum length of a logged name in bytes.
const NAME_BYTES: usize = 256;

/// One line. The first six keys are those of the log format that this one extends. Its readers can ignore the rest.
#[derive(Debug, Serialize)]
struct Line<'a> {
    ts: String,
    tool: String,
    operation: String,
    action: &'static str,
    rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_context: Option<&'a str>,
    id: String,
    session: String,
    cwd: String,
    policy: &'a str,
    rules: Vec<String>,
    harness: &'a str,
    ms: f64,
    original_tool: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    undo: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Value>,
    #[serde(skip_serializing_if = "str::is_empty")]
    policies: &'a str,
}

/// The details of a line besides the call and the verdict.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditDetails<'a> {
    /// The time until the verdict.
    pub elapsed: Duration,
    /// The recorded decision, if the log's level includes it.
    pub decision: Option<&'a Decision>,
    /// The id of the copy of what the call destroys, or empty.
    pub copy: &'a str,
}

/// Appends a line about the outcome of a call that needed confirmation. `asked` is the time of the prompt, and `ms` the
/// time since then. `by` is `person` only if nothing else can have approved the call, `classifier` if the harness's
/// classifier refused it, and otherwise `unknown`.
///
/// # Errors
///
/// Any error of the file system.
pub fn append_end(audit: &Audit, end: End, entry: &Entry, harness: &str, now: Timestamp) -> io::Result<()> {
    let since = entry.ts.parse::<Timestamp>().map_or(0.0, |asked| now.duration_since(asked).as_secs_f64());
    let (policy, rule) = entry.rules.first().and_then(|rule| rule.split_once(':')).unwrap_or_default();
    let line = Line {
        ts: stamp(now),
        tool: name(&entry.tool),
        operation: shorten(&plain(&redact(&entry.operation)), OPERATION_BYTES),
        action: end.word(),
        rule,
        path_context: None,
        id: identity(now.as_nanosecond()),
        session: name(&entry.session),
        cwd: shorten(&plain(&redact(&entry.cwd)), OPERATION_BYTES),
        policy,
        rules: entry.rules.clone(),
        harness,
        ms: (since * 1000.0).round(),
        original_tool: String::new(),
        agent: String::new(),
        by: Some(match end {
            End::RefusedByClassifier => "classifier",
            End::Ran | End::Refused if entry.prompted => "person",
            End::Ran | End::Refused => "unknown",
        }),
        asked: Some(&entry.ts),
        undo: "",
        decision: None,
        policies: &audit.policies,
    };
    write(audit, &serde_json::to_string(&line)?)
}

/// Returns whether lines with this action are about a call. Others are about a call's outcome, or about guard-host
/// itself.
#[must_use]
pub fn is_of_call(action: &str) -> bool {
    !matches!(action, "ran" | "refused" | "pause" | "resume" | "sync" | UNDO | ACCEPT)
}

/// Appends a line about an action on guard-host itself, such as a pause. A timer can start a `sync`.
///
/// # Errors
///
/// Any error of the file system.
pub fn append_deed(audit: &Audit, action: &'static str, operation: &str, cwd: &str) -> io::Result<()> {
    let by = if action == "sync" { "unknown" } else { "person" };
    append_own(audit, action, by, operation, cwd, "")
}

/// Appends a line about a copy that was restored.
///
/// # Errors
///
/// Any error of the file system.
pub fn append_undo(audit: &Audit, copy: &str, operation: &str, cwd: &str) -> io::Result<()> {
    append_own(audit, UNDO, "unknown", operation, cwd, copy)
}

fn append_own(
    audit: &Audit,
    action: &'static str,
    by: &'static str,
    operation: &str,
    cwd: &str,
    undo: &str,
) -> io::Result<()> {
    let now = Timestamp::now();
    let line = Line {
        ts: stamp(now),
        tool: "guard-host".to_owned(),
        operation: shorten(&plain(operation), OPERATION_BYTES),
        action,
        rule: "",
        path_context: None,
        id: identity(now.as_nanosecond()),
        session: String::new(),
        cwd: shorten(&plain(&redact(cwd)), OPERATION_BYTES),
        policy: "",
        rules: Vec::new(),
        harness: "command-line",
        ms: 0.0,
        original_tool: String::new(),
        agent: String::new(),
        by: Some(by),
        asked: None,
        undo,
        decision: None,
        policies: &audit.policies,
    };
    write(audit, &serde_json::to_string(&line)?)
}

/// Returns a line's id: 64 bits of a hash with 128 random bits of this process as its key. Among a hundred million
/// lines, the probability that two have the same id is 0.03 %, so archives should also use the time. `getrandom` isn't
/// used because with a statically linked C library it reads a device file.
fn identity(seed: impl Hash) -> String {
    hex(&RandomState::new().hash_one(seed).to_be_bytes())
}

/// Formats the line of one call. `None` if the log's level excludes it.
///
/// # Errors
///
/// A value can't be serialized to JSON.
pub fn line(
    audit: &Audit,
    call: &ToolCall,
    at: &CallContext,
    verdict: &Verdict,
    account: AuditDetails<'_>,
) -> io::Result<Option<String>> {
    let is_mild = rank(verdict.outcome) < rank(Outcome::Ask) && !verdict.is_confirmed();
    let unwatched = verdict.unwatched().filter(|_| is_mild);
    if let Some(unwatched) = &unwatched {
        let action = if unwatched.outcome == Outcome::Deny { WOULD_DENY } else { WOULD_ASK };
        return verdict_line(audit, call, at, unwatched, action, account).map(Some);
    }
    if audit.level == AuditLevel::Interventions && is_mild && !has_fault(verdict) && !verdict.is_allowed() {
        return Ok(None);
    }
    verdict_line(audit, call, at, verdict, action(verdict), account).map(Some)
}

fn verdict_line(
    audit: &Audit,
    call: &ToolCall,
    at: &CallContext,
    verdict: &Verdict,
    action: &'static str,
    AuditDetails { elapsed, decision, copy }: AuditDetails<'_>,
) -> io::Result<String> {
    let deciding = recorded(verdict);
    // If every call is logged, findings without effect are included.
    let least = if audit.level == AuditLevel::Interventions { Outcome::Warn } else { Outcome::Abstain };
    let is_told = |found: &&Attributed| {
        rank(found.finding.outcome) >= rank(least) || found.of_host && found.finding.rule == FAULT
    };
    let found = verdict.findings.iter().filter(is_told);
    let confirmed = verdict.is_confirmed();
    // If a person approved the call, the rules are those that the approval lifted.
    let rules: Vec<String> = match confirmed || verdict.is_allowed() {
        true => verdict.lifted.iter().map(Attributed::rule).collect(),
        false => found.map(Attributed::rule).collect(),
    };
    let rule = deciding.map(|deciding| name(deciding.name())).unwrap_or_default();
    let line = Line {
        ts: stamp(Timestamp::now()),
        tool: name(&call.tool),
        operation: shorten(&plain(&redact(&call.operation())), OPERATION_BYTES),
        action,
        rule: &rule,
        // The original format doesn't have this key if a person approved the call.
        path_context: (!confirmed).then(|| path_context(verdict)),
        id: identity(elapsed),
        session: name(&at.session),
        cwd: shorten(&plain(&redact(&at.cwd)), OPERATION_BYTES),
        policy: deciding.map_or("", |deciding| &deciding.policy),
        rules,
        harness: &at.harness,
        ms: (elapsed.as_secs_f64() * 100_000.0).round() / 100.0,
        original_tool: name(&call.original_tool),
        agent: name(&at.agent),
        by: None,
        asked: None,
        undo: copy,
        decision: decision.and_then(Decision::loggable),
        policies: &audit.policies,
    };
    Ok(serde_json::to_string(&line)?)
}

/// Returns a name for a line: shortened, because others choose it.
fn name(text: &str) -> String {
    shorten(&plain(&redact(text)), NAME_BYTES)
}

/// Returns the finding for a line: the deciding one, or an equally severe one with the context of the call's paths. The
/// original log came from a policy with such findings, and its readers look for its rules.
fn recorded(verdict: &Verdict) -> Option<&Attributed> {
    let mut found = verdict.reasons().take_while(|found| found.finding.outcome == verdict.outcome);
    found.find(|found| found.finding.tags.iter().any(|(name, _)| name == "path-context")).or_else(|| verdict.deciding())
}

/// Returns the context of the call's paths, from the deciding finding or else from the first finding that has it.
fn path_context(verdict: &Verdict) -> &str {
    let findings = recorded(verdict).into_iter().chain(&verdict.findings);
    let mut tags = findings.flat_map(|attributed| &attributed.finding.tags);
    tags.find(|(name, _)| name == "path-context").map_or("n/a", |(_, value)| value)
}

/// Returns whether a policy gave no answer, regardless of its `on-error`.
fn has_fault(verdict: &Verdict) -> bool {
    verdict.findings.iter().any(|found| found.of_host && found.finding.rule == FAULT)
}

fn action(verdict: &Verdict) -> &'static str {
    if verdict.is_confirmed() {
        return OVERRIDE;
    }
    let fault = has_fault(verdict);
    match verdict.outcome {
        Outcome::Deny => "block",
        Outcome::Ask => "confirm_required",
        _ if fault => "error",
        Outcome::Warn => "warn",
        Outcome::Allow | Outcome::Abstain => "allow",
    }
}

/// Appends a line to the log, and rotates the log first if it is full. Also sends it to the journal, if the configuration
/// has one.
///
/// # Errors
///
/// Any error of the file system. The journal never causes one.
pub fn write(audit: &Audit, line: &str) -> io::Result<()> {
    if let Some(socket) = &audit.journal {
        let _ = journal::send(socket, line);
    }
    // A pipe without a reader would block, and a line in a device is lost.
    if std::fs::metadata(&audit.path).is_ok_and(|data| !data.is_file()) {
        return Err(io::Error::other("the audit log is not a file"));
    }
    if let Some(folder) = audit.path.parent()
        && !folder.exists()
    {
        guard_state::make_private(folder).map_err(io::Error::other)?;
    }
    let lock = FileLock::acquire(&sibling(&audit.path, ".lock"), Instant::now() + LOCK);
    let size = std::fs::metadata(&audit.path).map_or(0, |data| data.len());
    if lock.is_ok() && size + line.len() as u64 + LINK_BYTES > audit.max_bytes {
        // If the lines can't be counted, they are discarded anyway.
        let _ = Discarded::count(&audit.path);
        std::fs::rename(&audit.path, rotated(&audit.path))?;
    }
    // A write beyond the process's file size limit raises a signal, which would replace the exit code.
    let size = std::fs::metadata(&audit.path).map_or(0, |data| data.len());
    let with_ends = line.len() as u64 + LINK_BYTES;
    if process::file_limit().is_some_and(|limit| size + with_ends > limit) {
        return Err(io::Error::other("the file would be larger than the process may write"));
    }
    with_chain(&audit.path, &audit.state, |log| log.append(line, lock.is_ok()))
}

/// Verifies the log's chain under the lock.
///
/// # Errors
///
/// Errors of the file system, the key and the lock.
pub fn verify(path: &Path, state: &Path) -> io::Result<Result<Verified, ChainBreak>> {
    use io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};

    // Without the key, not even a lock is written.
    Seal::open_existing(state)?;
    let _lock = match FileLock::acquire(&sibling(path, ".lock"), Instant::now() + VERIFY) {
        // Without the folder, there is no log.
        Err(error) if error.kind() == NotFound => return Ok(Ok(Verified::default())),
        // If the lock can't be written, the log can't grow either.
        Err(error) if matches!(error.kind(), ReadOnlyFilesystem | PermissionDenied) => None,
        lock => Some(lock?),
    };
    with_chain(path, state, |log| log.verify())
}

/// Accepts a break of a log's chain, which the last line with the action [`ACCEPT`] names.
///
/// # Errors
///
/// Any error of the file system or the key.
pub fn accept(path: &Path, state: &Path, found: &ChainBreak) -> io::Result<()> {
    let _lock = FileLock::acquire(&sibling(path, ".lock"), Instant::now() + VERIFY)?;
    with_chain(path, state, |log| log.accept(found))
}

fn with_chain<T>(path: &Path, state: &Path, work: impl FnOnce(&ChainedLog<'_>) -> T) -> T {
    let (rotated, last) = (rotated(path), last_line(path));
    work(&ChainedLog { path, rotated: &rotated, last: &last, state })
}

/// Returns the file to which a log is rotated.
#[must_use]
pub fn rotated(path: &Path) -> PathBuf {
    sibling(path, ".1")
}

/// Returns the file that records the last line of a log, also after the log is deleted.
#[must_use]
pub fn last_line(path: &Path) -> PathBuf {
    sibling(path, ".last")
}

/// Returns the log's path with a suffix.
fn sibling(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
