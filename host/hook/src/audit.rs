//! The audit log: one JSON object a line, read back by people. It is appended after the reply is out, unless no call may
//! run without its line.

mod decision;
mod discarded;
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
use guard_state::{ChainBreak, ChainedLog, FileLock, Verified, hex};

pub use decision::{Decision, RepeatedDecision};
pub use discarded::Discarded;
pub use read::{LINE_BYTES, Next, Reader, Record};
pub use select::{Selection, moment};
pub use stats::{Actions, Stats};

/// How long a line waits for the lock, which its holders keep for some microseconds. Without it the line is written
/// anyway, and nothing is rotated: one write of one line stays whole.
const LOCK: Duration = Duration::from_millis(250);

/// How long a check of the log waits for the lock.
const VERIFY: Duration = Duration::from_secs(10);

/// The most bytes that a line gets for its place in the chain, and for its ends.
const LINK_BYTES: u64 = 192;

/// The action of a call that a person's approval let pass.
pub const OVERRIDE: &str = "confirmed_allow";

/// The action of a call that ran, and that a policy would have asked about if it were not only watched, or paused.
pub const WOULD_ASK: &str = "would-ask";

/// The same, of one that would have been denied.
pub const WOULD_DENY: &str = "would-deny";

/// The action of a restore of what a call destroyed.
pub const UNDO: &str = "undo";

/// The longest operation that is logged, in bytes.
pub const OPERATION_BYTES: usize = 8 << 10;

/// The longest name that is logged.
const NAME_BYTES: usize = 256;

/// One line. The first six keys are those of the earliest logs of this kind; readers of them may ignore the rest.
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

/// The contents of a line other than the call and the verdict.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditDetails<'a> {
    /// How long the verdict took.
    pub elapsed: Duration,
    /// All that the verdict rests on, if the level asks for it.
    pub decision: Option<&'a Decision>,
    /// The copy of what the call destroys. Empty: none.
    pub copy: &'a str,
}

/// Appends the line about what became of a call that was asked about. Its `asked` is when it was asked about, its `ms` the
/// time since then. It says `by` whom: `person` only where nothing else can have let the call run, `classifier` where the
/// harness's own one refused it, and `unknown` otherwise.
///
/// # Errors
///
/// Those of the file system. Nobody waits for the line.
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

/// Whether a line with this action is of a call. Others tell what became of one, or what was done to guard-host itself.
#[must_use]
pub fn is_of_call(action: &str) -> bool {
    !matches!(action, "ran" | "refused" | "pause" | "resume" | "sync" | UNDO)
}

/// Appends the line about what a person did to guard-host itself, such as a pause of it.
///
/// # Errors
///
/// Those of the file system.
pub fn append_deed(audit: &Audit, action: &'static str, operation: &str, cwd: &str) -> io::Result<()> {
    append_own(audit, action, operation, cwd, "")
}

/// Appends the line about a copy that was restored.
///
/// # Errors
///
/// Those of the file system.
pub fn append_undo(audit: &Audit, copy: &str, operation: &str, cwd: &str) -> io::Result<()> {
    append_own(audit, UNDO, operation, cwd, copy)
}

fn append_own(audit: &Audit, action: &'static str, operation: &str, cwd: &str, undo: &str) -> io::Result<()> {
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
        by: Some("person"),
        asked: None,
        undo,
        decision: None,
        policies: &audit.policies,
    };
    write(audit, &serde_json::to_string(&line)?)
}

/// A line's id: 64 bits of a hash whose key is 128 random bits of this process. Among a hundred million lines of all
/// machines two have the same with a probability of 0.03 %, so who keeps lines for long takes the time as well. Beside the C
/// library as an archive `getrandom` would read a device file.
fn identity(seed: impl Hash) -> String {
    hex(&RandomState::new().hash_one(seed).to_be_bytes())
}

/// The line of one call; `None` if the level asks for none.
///
/// # Errors
///
/// A value that has no form in JSON.
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
    // Where every call is logged, also what decides nothing, such as a policy's note that it was waved through.
    let least = if audit.level == AuditLevel::Interventions { Outcome::Warn } else { Outcome::Abstain };
    let is_told = |found: &&Attributed| {
        rank(found.finding.outcome) >= rank(least) || found.of_host && found.finding.rule == FAULT
    };
    let found = verdict.findings.iter().filter(is_told);
    let confirmed = verdict.is_confirmed();
    // Where a person let the call run, those that count are the ones that were overruled.
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
        // The earliest readers know no such key where a person let the call run.
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

/// A name that somebody else chose, as a line may hold it.
fn name(text: &str) -> String {
    shorten(&plain(&redact(text)), NAME_BYTES)
}

/// The finding that a line names: the deciding one, or one as severe that says where the call's paths lie. The earliest
/// logs of this kind come from such a policy, and their readers look for its rules.
fn recorded(verdict: &Verdict) -> Option<&Attributed> {
    let mut found = verdict.reasons().take_while(|found| found.finding.outcome == verdict.outcome);
    found.find(|found| found.finding.tags.iter().any(|(name, _)| name == "path-context")).or_else(|| verdict.deciding())
}

/// Returns the context of the call's paths, from the deciding finding or else from the first one that gives it.
fn path_context(verdict: &Verdict) -> &str {
    let findings = recorded(verdict).into_iter().chain(&verdict.findings);
    let mut tags = findings.flat_map(|attributed| &attributed.finding.tags);
    tags.find(|(name, _)| name == "path-context").map_or("n/a", |(_, value)| value)
}

/// A policy gave no answer, whatever its `on-error` said in its place.
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

/// Appends a line to the log, and begins a new log if it is full.
///
/// # Errors
///
/// Those of the file system.
pub fn write(audit: &Audit, line: &str) -> io::Result<()> {
    // A pipe without a reader would hold the process, and a line in a device is lost.
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
        // What cannot be counted is lost all the same: the log goes on.
        let _ = Discarded::count(&audit.path);
        std::fs::rename(&audit.path, rotated(&audit.path))?;
    }
    // Beyond the process's limit a write is answered with a signal, and the exit code would be lost with it.
    let size = std::fs::metadata(&audit.path).map_or(0, |data| data.len());
    let with_ends = line.len() as u64 + LINK_BYTES;
    if process::file_limit().is_some_and(|limit| size + with_ends > limit) {
        return Err(io::Error::other("the file would be larger than the process may write"));
    }
    with_chain(&audit.path, &audit.state, |log| log.append(line, lock.is_ok()))
}

/// Checks the chain of the log, while nobody writes to it.
///
/// # Errors
///
/// Those of the file system, of the key, and of the lock.
pub fn verify(path: &Path, state: &Path) -> io::Result<Result<Verified, ChainBreak>> {
    use io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};

    let _lock = match FileLock::acquire(&sibling(path, ".lock"), Instant::now() + VERIFY) {
        // Without a folder there is no log either.
        Err(error) if error.kind() == NotFound => return Ok(Ok(Verified::default())),
        // Where the lock can't be written, the log can't grow either.
        Err(error) if matches!(error.kind(), ReadOnlyFilesystem | PermissionDenied) => None,
        lock => Some(lock?),
    };
    with_chain(path, state, |log| log.verify())
}

fn with_chain<T>(path: &Path, state: &Path, work: impl FnOnce(&ChainedLog<'_>) -> T) -> T {
    let (rotated, last) = (rotated(path), sibling(path, ".last"));
    work(&ChainedLog { path, rotated: &rotated, last: &last, state })
}

/// The file that a log is rotated to.
#[must_use]
pub fn rotated(path: &Path) -> PathBuf {
    sibling(path, ".1")
}

/// The log's path with something at its end.
fn sibling(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
