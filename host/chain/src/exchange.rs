//! Calls from another machine with the known facts about it: a [`Request`] and its [`Response`], both in JSON.
//!
//! The response lists the facts that it lacked. A client that can look them up repeats the request with the answers,
//! until nothing is missing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{AskOptions, Chain, Sandbox, bypass};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::paths::lexical;
use guard_contract::rank;
use guard_contract::verdict::{BypassAsk, Verdict};
use guard_facts::recorded::{Missing, Record, Recorded};
use guard_facts::{Facts, git_root};
use guard_harness::capabilities::Surface;
use guard_harness::{AskScene, Event, Harness, Payload, Reply, Variable};

/// The maximum number of calls in a request.
pub const CALLS: usize = 256;

/// The maximum size of a response in bytes: what engines accept in one piece. Some send nothing before the component
/// ends, and then block forever if there are more pieces than they can buffer.
pub const ANSWER_BYTES: usize = 1 << 20;

/// The home directory if it isn't known. It doesn't exist, so paths below it are outside every project.
const UNKNOWN_HOME: &str = "/~";

/// A call and the known facts about its machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Request {
    /// The harness, for payloads that don't identify it. If empty, it is detected as by the hook.
    pub harness: String,
    /// The payload from the harness. With it, `calls` is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// Calls in the host's own vocabulary. Together they are one event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The context of the calls. Values in a payload take precedence.
    pub at: CallContext,
    /// Known facts about the machine.
    pub facts: Record,
    /// The names of the policies to ask, or `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
}

/// The response to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Response {
    /// The verdict of the policies. A person's approvals aren't part of it.
    pub verdict: Verdict,
    /// The output and exit code that the hook would give the harness, or `None` without a payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<HookReply>,
    /// The journal lines that policies want to write on the call's machine.
    pub journal: Vec<JournalEntry>,
    /// Facts that were requested from the machine and aren't known. The verdict treats them as unknown.
    pub missing: Missing,
}

impl Response {
    /// Serializes the response to JSON.
    ///
    /// # Errors
    ///
    /// It is larger than [`ANSWER_BYTES`], for example because thousands of facts are missing. Nothing is decided then.
    pub fn text(&self) -> Result<String, Undecided> {
        let text = serde_json::to_string(self).map_err(|error| Undecided(error.to_string()))?;
        match text.len() {
            0..=ANSWER_BYTES => Ok(text),
            _ => Err(Undecided(format!("the answer would be larger than {} MiB", ANSWER_BYTES >> 20))),
        }
    }
}

/// A request that was answered.
#[derive(Debug)]
pub struct AnsweredRequest {
    /// The response to the request.
    pub response: Response,
    /// The first call with the most severe outcome, or `None` if there is no call.
    pub decisive: Option<ToolCall>,
    /// The context of the calls.
    pub at: CallContext,
}

/// The reply of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HookReply {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl From<Reply> for HookReply {
    fn from(Reply { stdout, stderr, exit }: Reply) -> Self {
        HookReply { stdout, stderr, exit }
    }
}

/// A line of a policy's journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct JournalEntry {
    /// The policy's name in the chain.
    pub policy: String,
    /// The stream.
    pub stream: String,
    /// The line: a JSON object.
    pub object: String,
}

/// The reason why nothing was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided(pub String);

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Undecided {}

impl<S: Sandbox> Chain<'_, S> {
    /// Answers a request. Once `is_over` returns true, no further call is judged. `learn`, called last, returns the
    /// missing facts that the sandbox itself requested.
    ///
    /// # Errors
    ///
    /// The payload can't be read, there are no calls, or the time is over. Nothing is decided, so the call must not
    /// run.
    pub fn answer(
        &self,
        mut request: Request,
        bypass_ask: BypassAsk,
        is_over: impl Fn() -> bool,
        learn: impl FnOnce() -> Missing,
    ) -> Result<AnsweredRequest, Undecided> {
        let recorded = Arc::new(Recorded::from_record(request.facts));
        let facts: Arc<dyn Facts> = recorded.clone();
        if request.at.home.is_empty() {
            UNKNOWN_HOME.clone_into(&mut request.at.home);
        }
        let (calls, at, surface) = match request.payload {
            None => (request.calls, request.at, None),
            Some(_) if !request.calls.is_empty() => {
                return Err(Undecided("a request has a payload or calls, not both".to_owned()));
            }
            Some(payload) => from_payload(&payload, &request.harness, request.at, &*facts)?,
        };
        // Without a dialect, the command wouldn't be analyzed.
        let is_unread = |call: &ToolCall| call.dialect.is_none() && matches!(call.tool.as_str(), "Bash" | "PowerShell");
        if calls.iter().any(is_unread) {
            return Err(Undecided("a call of a shell needs a `dialect`".to_owned()));
        }
        if calls.len() > CALLS || calls.is_empty() && surface.is_none() {
            return Err(Undecided(format!("a request is about 1 to {CALLS} calls")));
        }
        let ask = AskOptions { only: request.only.as_deref(), ..AskOptions::default() };
        let decide = |call| match is_over() {
            true => Err(Undecided("the time of the request is over".to_owned())),
            false => Ok(self.decide(call, &at, &facts, ask)),
        };
        let traces = calls.iter().map(decide).collect::<Result<Vec<_>, _>>()?;
        let severity = |place: &usize| traces.get(*place).map(|trace| rank(trace.verdict.outcome));
        // `max_by_key` returns the last of several maxima, so reversed order gives the first.
        let decisive = (0..calls.len()).rev().max_by_key(severity);
        let journal = traces.iter().flat_map(crate::Trace::journal).map(|(policy, line)| JournalEntry {
            policy: policy.to_owned(),
            stream: line.stream.clone(),
            object: line.object.clone(),
        });
        let journal = journal.collect();
        let verdict = Verdict::all(traces.into_iter().map(|trace| trace.verdict));
        let reply = surface.map(|(harness, surface)| {
            let skips = harness.skips_prompts(&at.permission_mode);
            let effective = if skips { bypass(verdict.clone(), bypass_ask) } else { verdict.clone() };
            harness.encode(&effective, surface).into()
        });
        let mut missing = recorded.missing();
        missing.add(learn());
        let decisive = decisive.and_then(|place| calls.into_iter().nth(place));
        Ok(AnsweredRequest { response: Response { verdict, reply, journal, missing }, decisive, at })
    }
}

/// The harness that reads a reply, and the surface for which the reply is formatted.
type ReplyForm = (&'static dyn Harness, &'static Surface);

/// Returns the calls of a payload, their context, and the form of the reply.
fn from_payload(
    payload: &Map<String, Value>,
    harness: &str,
    at: CallContext,
    facts: &dyn Facts,
) -> Result<(Vec<ToolCall>, CallContext, Option<ReplyForm>), Undecided> {
    let named = match harness {
        "" => guard_harness::default(),
        name => guard_harness::find_harness(name).ok_or_else(|| Undecided(format!("there is no harness `{name}`")))?,
    };
    let harness = guard_harness::detect(payload, named);
    // The agent's environment variables aren't known here, so prompts are treated as unavailable wherever a variable
    // could say so.
    let variable: &Variable<'_> = &|_| Some(String::new());
    let declared_surface = harness.surface_in(payload, variable);
    let decoded = harness.decode(payload).map_err(|error| Undecided(error.to_string()))?;
    let at = call_context(harness, &decoded, at, facts);
    // A payload without a call gets an empty reply, as from the hook.
    let calls = match decoded.event {
        Event::Calls(calls) => calls,
        Event::CallsEnded(..) | Event::SessionStart | Event::SessionEnd | Event::SettingsChange(_) | Event::Other => {
            Vec::new()
        }
    };
    // The call's disk isn't available, so links can't be resolved.
    let mode = Some(at.permission_mode.as_str());
    let scene = AskScene { mode, calls: &calls, variable, ..AskScene::UNREAD };
    let surface = harness.surface_of(declared_surface, &scene);
    Ok((calls, at, Some((harness, surface))))
}

/// Determines the context of a payload's calls: from the payload first, then from the request, then from the facts.
fn call_context(harness: &dyn Harness, payload: &Payload, request: CallContext, facts: &dyn Facts) -> CallContext {
    let session = if payload.cwd.starts_with('/') { payload.cwd.clone() } else { request.cwd.clone() };
    let cwd = match payload.directory.as_str() {
        "" => session.clone(),
        directory => lexical(directory, &session, &request.home),
    };
    let root = |cwd: &str| git_root(facts, cwd, &request.home).unwrap_or_else(|| cwd.to_owned());
    let named = match request.project_root.as_str() {
        "" => (!payload.directory.is_empty()).then(|| root(&session)),
        named => Some(named.to_owned()),
    };
    let own = root(&cwd);
    let repository = if named.as_ref().is_some_and(|named| *named != own) { own.clone() } else { String::new() };
    let or = |own: &String, fallback: String| if own.is_empty() { fallback } else { own.clone() };
    CallContext {
        cwd,
        project_root: named.unwrap_or(own),
        repository,
        home: request.home.clone(),
        account_home: request.account_home,
        session: or(&payload.session, request.session),
        harness: harness.name().to_owned(),
        permission_mode: or(&payload.permission_mode, request.permission_mode),
        agent: or(&payload.agent, request.agent),
    }
}
