//! [`RemoteDecider`]: a client for the server of a `[remote]`. [`Child`]: a client in another process, so that the
//! hook's program contains neither HTTP nor TLS.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::programs;
use guard_chain::exchange::{JournalEntry, Request, Response};
use guard_config::Remote;
use guard_contract::verdict::{Attributed, Verdict};
use guard_contract::{Finding, Outcome, outcome_named};
use guard_facts::recorded::Missing;
use guard_state::environment::Environment;

/// The header of a request that a server forwards. A server never forwards it again, so that servers whose `[remote]`
/// leads back to them don't forward it forever.
pub const FORWARDED: &str = "guard-host-forwarded";

/// The hidden command of `guard-host-tools` that contacts a server.
pub const COMMAND: &str = "ask-remote";

/// The maximum size of a response in bytes.
pub const ANSWER_BYTES: u64 = guard_chain::exchange::ANSWER_BYTES as u64;

/// A client for the server of a `[remote]`.
pub trait RemoteDecider: std::fmt::Debug + Send + Sync {
    /// Sends the request, repeats it until no facts are missing, and returns the checked response.
    ///
    /// # Errors
    ///
    /// There is no response in time, for this reason.
    fn ask(&self, remote: &Remote, request: Request, until: Instant) -> Result<Response, String>;

    /// Sends the request once, for a call on another machine. Only that machine can add missing facts.
    ///
    /// # Errors
    ///
    /// There is no response in time, for this reason.
    fn pass_on(&self, remote: &Remote, request: &Request, until: Instant) -> Result<Response, String>;
}

/// The input of a child process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The server.
    pub remote: Remote,
    /// The time limit in milliseconds.
    pub left_ms: u64,
    /// The request: a [`Request`] in JSON.
    pub request: String,
}

impl Task {
    /// Parses the bytes that a hook wrote.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

/// Formats the child's output: the response, or the reason why it is missing.
#[must_use]
pub fn printed(answer: Result<Response, String>) -> String {
    let value = match answer {
        Ok(response) => serde_json::to_value(response).unwrap_or_default(),
        Err(why) => json!({ "error": why }),
    };
    value.to_string()
}

/// Serializes the request to JSON. Its parts have the same form as in the audit log, so that the hook contains their
/// code only once.
fn written(request: &Request) -> Option<String> {
    let calls: Option<Vec<Value>> = request.calls.iter().map(|call| serde_json::to_value(call).ok()).collect();
    let mut all = Map::new();
    all.insert("calls".to_owned(), Value::Array(calls?));
    all.insert("at".to_owned(), serde_json::to_value(&request.at).ok()?);
    all.insert("facts".to_owned(), serde_json::to_value(&request.facts).ok()?);
    if let Some(only) = &request.only {
        all.insert("only".to_owned(), Value::Array(only.iter().cloned().map(Value::String).collect()));
    }
    Some(Value::Object(all).to_string())
}

/// Parses a child's output: the response, which the child has checked, or the reason why it is missing. `None` if it is
/// neither.
fn understood(text: &str) -> Option<Result<Response, String>> {
    let all = Value::Object(serde_json::from_str::<Map<String, Value>>(text).ok()?);
    if let Some(why) = word(&all, "error") {
        return Some(Err(why));
    }
    let verdict = all.get("verdict")?;
    let verdict = Verdict {
        outcome: outcome(verdict)?,
        findings: list(verdict, "findings", attributed)?,
        skips_prompt: false,
        lifted: list(verdict, "lifted", attributed)?,
        closing: String::new(),
        input: None,
    };
    let line = |entry: &Value| {
        let [policy, stream, object] = ["policy", "stream", "object"].map(|key| word(entry, key));
        Some(JournalEntry { policy: policy?, stream: stream?, object: object? })
    };
    let journal = list(&all, "journal", line)?;
    Some(Ok(Response { verdict, reply: None, journal, missing: Missing::default() }))
}

fn attributed(value: &Value) -> Option<Attributed> {
    let finding = value.get("finding")?;
    let tag = |tag: &Value| Some((tag.get(0)?.as_str()?.to_owned(), tag.get(1)?.as_str()?.to_owned()));
    let finding = Finding {
        rule: word(finding, "rule")?,
        outcome: outcome(finding)?,
        message: word(finding, "message")?,
        remedy: word(finding, "remedy")?,
        tags: list(finding, "tags", tag)?,
    };
    Some(Attributed { policy: word(value, "policy")?, finding, of_host: value.get("of-host")?.as_bool()? })
}

fn outcome(value: &Value) -> Option<Outcome> {
    outcome_named(&word(value, "outcome")?.to_ascii_lowercase())
}

fn word(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn list<T>(value: &Value, key: &str, each: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.get(key)?.as_array()?.iter().map(each).collect()
}

/// A client that starts `guard-host-tools`.
#[derive(Debug, Clone, Copy)]
pub struct Child<'a> {
    /// The environment of this process.
    pub environment: &'a Environment,
}

impl RemoteDecider for Child<'_> {
    fn ask(&self, remote: &Remote, request: Request, until: Instant) -> Result<Response, String> {
        let left = || until.saturating_duration_since(Instant::now());
        let left_ms = u64::try_from(left().as_millis()).unwrap_or_default();
        let unwritten = || "the call cannot be written".to_owned();
        let request = written(&request).ok_or_else(unwritten)?;
        let task = postcard::to_stdvec(&Task { remote: remote.clone(), left_ms, request }).map_err(|_| unwritten())?;
        let printed = programs::ask_tools(self.environment, COMMAND, task, ANSWER_BYTES, left)?;
        if printed.len() as u64 > ANSWER_BYTES {
            return Err(format!("its answer is larger than {} MiB", ANSWER_BYTES >> 20));
        }
        let answer = std::str::from_utf8(&printed).ok().and_then(understood);
        answer.unwrap_or_else(|| Err("the process that asks it ended without an answer".to_owned()))
    }

    fn pass_on(&self, _: &Remote, _: &Request, _: Instant) -> Result<Response, String> {
        Err("a hook passes nothing on".to_owned())
    }
}
