//! The protocols of the harnesses: each one's payload in, each one's reply out.
//!
//! This crate knows the JSON of vendors, and knows nothing of policies or configuration.
//!
//! # Invariants
//!
//! - What a reply says follows from the verdict and from [`capabilities`], the table of what each harness can be told. An
//!   adapter only writes it down.
//! - A deny and an ask always come with a message. Where nobody can be asked, an ask becomes a deny. No reply can be
//!   read as milder than its verdict.
//! - The payload tells the harness. Only what the harness itself writes counts, never a tool's arguments. If a payload
//!   is certainly one harness's, it outranks the command line; only `generic` is never left.
//! - A known tool gives at least one call, or the payload is unclear and is asked about. Claude Code's adapter alone
//!   passes over a missing field.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod capabilities;
pub mod payload;
pub mod response;
pub mod text;

mod events;
mod nested;
mod patch;
mod read;
mod tools;

mod antigravity;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod devin;
mod droid;
mod gemini;
mod generic;
mod grok;
mod hermes;
mod kimi;
mod kiro;
mod plugin;
mod qwen;
mod vibe;
mod vscode;
mod windsurf;

pub use claude::answer::Answer;
use serde_json::{Map, Value};

use capabilities::{Capabilities, Prompting, Rewrites, Surface};
use guard_contract::call::ToolCall;
use guard_contract::verdict::Verdict;
use response::Response;

/// The event in a harness's payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Tool calls to decide; none when a field that matters is missing.
    Calls(Vec<ToolCall>),
    /// The outcome of calls.
    CallsEnded(End, Vec<ToolCall>),
    /// A session begins, and the harness shows a message about it.
    SessionStart,
    /// A session is over.
    SessionEnd,
    /// This file of the harness's settings has changed, and the reply says whether the session takes the change.
    SettingsChange(String),
    /// Something that is not decided here.
    Other,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It has run, well or not.
    Ran,
    /// It was refused where the harness asks, by a person as far as is known.
    Refused,
    /// The harness's own classifier refused it, or gave no verdict. No person was asked.
    RefusedByClassifier,
}

impl End {
    /// The word in the audit log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            End::Ran => "ran",
            End::Refused | End::RefusedByClassifier => "refused",
        }
    }
}

/// Events that tell of a call that has run.
const RAN: [&str; 2] = ["PostToolUse", "PostToolUseFailure"];

/// A decoded payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// The event of the payload.
    pub event: Event,
    /// The working directory of the session; empty if it is not given.
    pub cwd: String,
    /// The directory that the call itself names, which may be relative; empty if it names none.
    pub directory: String,
    /// The session id; empty if it is not given.
    pub session: String,
    /// The permission mode; empty if it is not given.
    pub permission_mode: String,
    /// The kind of subagent that calls; empty if it is not given.
    pub agent: String,
    /// The call's id; empty if it is not given.
    pub call: String,
    /// The session that a subagent's session belongs to; empty if it is not given.
    pub parent: String,
    /// The call has run and failed.
    pub failed: bool,
    /// The adapter doesn't know the event, which has a call in it.
    pub unknown_event: bool,
}

impl Payload {
    /// A payload of which nothing is known.
    pub fn nowhere() -> Self {
        Payload {
            event: Event::Other,
            cwd: String::new(),
            directory: String::new(),
            session: String::new(),
            permission_mode: String::new(),
            agent: String::new(),
            call: String::new(),
            parent: String::new(),
            failed: false,
            unknown_event: false,
        }
    }
}

/// Why a payload tells nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no payload of this harness: a field that the harness itself writes is missing or of the wrong type.
    #[error("{0}")]
    Malformed(String),
    /// It asks about a call, and nobody can tell which.
    #[error("{0}")]
    Unclear(String),
}

/// How much a payload looks like one of a harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectionConfidence {
    /// Not at all.
    None,
    /// It may be one, if the command line says so.
    Possible,
    /// Certainly this harness, whatever the command line says.
    Certain,
}

impl DetectionConfidence {
    /// That of a harness whose payloads look like Claude Code's, and which has marks of its own.
    fn from_payload(payload: &Map<String, Value>, marked: bool) -> Self {
        const USUAL: [&str; 4] = ["tool_input", "hook_event_name", "tool_name", "event"];
        match DetectionConfidence::certain(marked) {
            DetectionConfidence::None if USUAL.iter().any(|key| payload.contains_key(*key)) => {
                DetectionConfidence::Possible
            }
            confidence_in => confidence_in,
        }
    }

    /// That of a harness whose payloads look like nobody else's.
    fn certain(marked: bool) -> Self {
        if marked { DetectionConfidence::Certain } else { DetectionConfidence::None }
    }
}

/// The output and exit code of the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl Reply {
    /// The body of an answer over HTTP, where the exit code stands in a header. A harness that is told by an exit code and
    /// standard error finds both in the body.
    #[must_use]
    pub fn body(&self) -> String {
        match (self.stdout.is_empty(), self.stderr.is_empty() && self.exit == 0) {
            (true, false) => serde_json::json!({ "exit": self.exit, "stderr": self.stderr }).to_string(),
            _ => self.stdout.clone(),
        }
    }
}

/// The value of a variable of the environment.
pub type Variable<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The circumstances in which an ask is put.
#[derive(Clone, Copy)]
pub struct AskScene<'a> {
    /// The permission mode, empty if the payload names none. `None`: the payload couldn't be read.
    pub mode: Option<&'a str>,
    /// The calls. Empty if they couldn't be read.
    pub calls: &'a [ToolCall],
    /// The environment.
    pub variable: &'a Variable<'a>,
    /// The absolute path that a word names. `None` if it can't be found out, or leads through a link below the working
    /// directory.
    pub resolve: &'a dyn Fn(&str) -> Option<String>,
}

impl AskScene<'_> {
    /// A payload that couldn't be read: of the mode nothing is known.
    pub const UNREAD: AskScene<'static> = AskScene { mode: None, calls: &[], variable: &|_| None, resolve: &|_| None };
}

impl std::fmt::Debug for AskScene<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AskScene").field("mode", &self.mode).finish_non_exhaustive()
    }
}

/// One vendor's hook protocol.
pub trait Harness: Sync {
    /// Returns the harness's capabilities.
    fn capabilities(&self) -> &'static Capabilities;

    /// How much the payload looks like one of this harness. Only what the harness itself writes counts, never a tool's
    /// arguments.
    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence;

    /// Reads a payload.
    ///
    /// # Errors
    ///
    /// A field that matters has the wrong type, or the call cannot be told.
    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable>;

    /// The JSON of the response, without a line feed; empty where the exit code says it.
    fn write(&self, response: &Response, surface: &'static Surface) -> String;

    /// Where the reply to this payload is taken. The payload may be any object.
    fn surface(&self, _payload: &Map<String, Value>) -> &'static Surface {
        self.capabilities().usual()
    }

    /// The same, where the environment tells it as well.
    fn surface_in(&self, payload: &Map<String, Value>, _variable: &Variable<'_>) -> &'static Surface {
        self.surface(payload)
    }

    /// The same once the calls are known. An ask about them may need another surface than `surface`, which
    /// [`Harness::surface_in`] gave: one that can't ask, where the harness is known to drop an ask about them.
    fn surface_of(&self, surface: &'static Surface, _scene: &AskScene<'_>) -> &'static Surface {
        surface
    }

    /// The words around the reason of a deny.
    fn frame(&self, reason: String) -> String {
        reason
    }

    /// A payload that is certainly another harness's is read and answered as that one's.
    fn defers(&self) -> bool {
        true
    }
}

impl dyn Harness + '_ {
    /// The name on the command line and in the audit log.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.capabilities().name
    }

    /// The reply: what the verdict says, as far as the surface can be told. A block replaces no input.
    #[must_use]
    pub fn encode(&self, verdict: &Verdict, surface: &'static Surface) -> Reply {
        let settled = match response::reduce(verdict, surface) {
            Response::Deny(reason) => Response::Deny(self.frame(reason)),
            settled => settled,
        };
        let input = verdict.input.as_ref().filter(|_| surface.rewrites != Rewrites::Never);
        match input.filter(|_| !matches!(settled, Response::Deny(_))) {
            Some(input) => response::emit(surface, &settled.spoken(), |_| nested::with_input(&settled, input, surface)),
            None => response::emit(surface, &settled, |response| self.write(response, surface)),
        }
    }

    /// The mode is one in which the harness shows no prompts of its own.
    #[must_use]
    pub fn skips_prompts(&self, permission_mode: &str) -> bool {
        self.capabilities().prompting(permission_mode) == Some(Prompting::Skips)
    }

    /// An ask is put to a person in this mode. A mode that is not known is none.
    #[must_use]
    pub fn prompts(&self, permission_mode: &str) -> bool {
        self.capabilities().prompting(permission_mode) == Some(Prompting::Person)
    }
}

/// All harnesses; of several that a payload may be of the first one is taken.
pub static ALL: &[&dyn Harness] = &[
    &claude::Claude,
    &antigravity::Antigravity,
    &windsurf::Windsurf,
    &cline::Cline,
    &cursor::Cursor,
    &grok::Grok,
    &codex::Codex,
    &gemini::Gemini,
    &plugin::OF_OPENCODE,
    &plugin::OF_KILO,
    &plugin::OF_AMP,
    &plugin::OF_PI,
    &plugin::OF_OPENCLAW,
    &vibe::Vibe,
    &hermes::Hermes,
    &kimi::Kimi,
    &droid::Droid,
    &copilot::Copilot,
    &crush::Crush,
    &vscode::VsCode,
    &kiro::Kiro,
    &qwen::Qwen,
    &devin::Devin,
    &generic::Generic,
];

/// The harness of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Harness> {
    ALL.iter().copied().find(|harness| harness.name() == name)
}

/// Returns the harness of the payload. A certain match comes first, because several harnesses run hooks that were
/// registered with another one; then `fallback`, then a possible match.
#[must_use]
pub fn detect(payload: &Map<String, Value>, fallback: &'static dyn Harness) -> &'static dyn Harness {
    let named = fallback.confidence_in(payload);
    if !fallback.defers() || named == DetectionConfidence::Certain {
        return fallback;
    }
    let like = |wanted| ALL.iter().copied().find(|harness| harness.confidence_in(payload) == wanted);
    like(DetectionConfidence::Certain).unwrap_or_else(|| match named {
        DetectionConfidence::None => like(DetectionConfidence::Possible).unwrap_or(fallback),
        _ => fallback,
    })
}

/// The harness that is taken when nothing tells which it is.
#[must_use]
pub fn default() -> &'static dyn Harness {
    &claude::Claude
}
