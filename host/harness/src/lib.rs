//! The harnesses' protocols: decodes their payloads and encodes their replies.
//!
//! This crate knows the vendors' JSON, but neither policies nor configuration.
//!
//! # Invariants
//!
//! - A reply follows from the verdict and from [`capabilities`], the table of what each harness supports. An adapter
//!   only formats it.
//! - A deny and an ask always have a message. If no person can be prompted, an ask becomes a deny. No reply can be
//!   interpreted as milder than its verdict.
//! - The harness is detected from the payload. Only the harness's own fields are used, never a tool's arguments. A
//!   certain match takes precedence over the command line, unless it selects `generic`.
//! - A known tool results in at least one call, or the payload is unclear, which leads to an ask. Only Claude Code's
//!   adapter ignores a missing field.

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
    /// Tool calls to decide. Empty if a required field is missing.
    Calls(Vec<ToolCall>),
    /// The outcome of calls.
    CallsEnded(End, Vec<ToolCall>),
    /// The start of a session, for which the harness shows a message.
    SessionStart,
    /// The end of a session.
    SessionEnd,
    /// A change of this settings file. The reply decides whether the session applies it.
    SettingsChange(String),
    /// Any event without a decision.
    Other,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The call ran, successfully or not.
    Ran,
    /// The call was refused at the harness's prompt, as far as is known by a person.
    Refused,
    /// The harness's own classifier refused it, or gave no verdict. No person was prompted.
    RefusedByClassifier,
}

impl End {
    /// Returns the word in the audit log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            End::Ran => "ran",
            End::Refused | End::RefusedByClassifier => "refused",
        }
    }
}

/// The events after a call ran.
const RAN: [&str; 2] = ["PostToolUse", "PostToolUseFailure"];

/// A decoded payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// The event.
    pub event: Event,
    /// The working directory of the session. Empty if missing.
    pub cwd: String,
    /// The directory in the call itself, which may be relative. Empty if missing.
    pub directory: String,
    /// The session id. Empty if missing.
    pub session: String,
    /// The permission mode. Empty if missing.
    pub permission_mode: String,
    /// The kind of the calling subagent. Empty if missing.
    pub agent: String,
    /// The call's id. Empty if missing.
    pub call: String,
    /// The parent session of a subagent's session. Empty if missing.
    pub parent: String,
    /// Whether the call ran and failed.
    pub failed: bool,
    /// Whether the adapter doesn't know the event, which contains a call.
    pub unknown_event: bool,
}

impl Payload {
    /// Creates a payload without any information.
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

/// The error if a payload can't be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Not a payload of this harness: one of the harness's own fields is missing or has the wrong type.
    #[error("{0}")]
    Malformed(String),
    /// A payload about a call that can't be determined.
    #[error("{0}")]
    Unclear(String),
}

/// How certainly a payload belongs to a harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectionConfidence {
    /// Not this harness.
    None,
    /// Possibly this harness, if the command line selects it.
    Possible,
    /// Certainly this harness, regardless of the command line.
    Certain,
}

impl DetectionConfidence {
    /// Returns the confidence for a harness with payloads like Claude Code's and distinguishing marks.
    fn from_payload(payload: &Map<String, Value>, marked: bool) -> Self {
        const USUAL: [&str; 4] = ["tool_input", "hook_event_name", "tool_name", "event"];
        match DetectionConfidence::certain(marked) {
            DetectionConfidence::None if USUAL.iter().any(|key| payload.contains_key(*key)) => {
                DetectionConfidence::Possible
            }
            confidence_in => confidence_in,
        }
    }

    /// Returns the confidence for a harness with unique payloads.
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
    /// Returns the body of a reply over HTTP, where a header contains the exit code. For a harness that uses an exit
    /// code and standard error, the body contains both.
    #[must_use]
    pub fn body(&self) -> String {
        match (self.stdout.is_empty(), self.stderr.is_empty() && self.exit == 0) {
            (true, false) => serde_json::json!({ "exit": self.exit, "stderr": self.stderr }).to_string(),
            _ => self.stdout.clone(),
        }
    }
}

/// Returns the value of an environment variable.
pub type Variable<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The circumstances of an ask.
#[derive(Clone, Copy)]
pub struct AskScene<'a> {
    /// The permission mode. Empty if the payload has none. `None` if the payload couldn't be read.
    pub mode: Option<&'a str>,
    /// The calls. Empty if they couldn't be read.
    pub calls: &'a [ToolCall],
    /// The environment.
    pub variable: &'a Variable<'a>,
    /// Resolves a word to an absolute path. `None` if that isn't possible, or if the path leads through a link below
    /// the working directory.
    pub resolve: &'a dyn Fn(&str) -> Option<String>,
}

impl AskScene<'_> {
    /// A payload that couldn't be read, so that the mode is unknown.
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

    /// Returns how certainly the payload belongs to this harness. Only the harness's own fields are used, never a
    /// tool's arguments.
    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence;

    /// Decodes a payload.
    ///
    /// # Errors
    ///
    /// A required field has the wrong type, or the call can't be determined.
    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable>;

    /// Formats the response as JSON without a line feed. Empty if the exit code is the reply.
    fn write(&self, response: &Response, surface: &'static Surface) -> String;

    /// Returns the surface for the reply to this payload, which may be any object.
    fn surface(&self, _payload: &Map<String, Value>) -> &'static Surface {
        self.capabilities().usual_surface()
    }

    /// Same as [`Harness::surface`], with the environment.
    fn surface_in(&self, payload: &Map<String, Value>, _variable: &Variable<'_>) -> &'static Surface {
        self.surface(payload)
    }

    /// Returns the surface once the calls are known. `surface` is the result of [`Harness::surface_in`]. The result may
    /// be one without asks, if the harness is known to drop an ask for these calls.
    fn surface_of(&self, surface: &'static Surface, _scene: &AskScene<'_>) -> &'static Surface {
        surface
    }

    /// Adds the harness's words to the reason of a deny.
    fn frame(&self, reason: String) -> String {
        reason
    }

    /// Returns whether a payload that certainly belongs to another harness is handled as that harness's.
    fn defers(&self) -> bool {
        true
    }
}

impl dyn Harness + '_ {
    /// Returns the name on the command line and in the audit log.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.capabilities().name
    }

    /// Encodes the verdict as a reply that the surface supports. A block replaces no input.
    #[must_use]
    pub fn encode(&self, verdict: &Verdict, surface: &'static Surface) -> Reply {
        let settled = match response::reduce(verdict, surface) {
            Response::Deny(reason) => Response::Deny(self.frame(reason)),
            settled => settled,
        };
        let input = verdict.input.as_ref().filter(|_| surface.rewrites != Rewrites::Never);
        match input.filter(|_| !matches!(settled, Response::Deny(_))) {
            Some(input) => {
                response::emit(surface, &settled.or_empty_note(), |_| nested::with_input(&settled, input, surface))
            }
            None => response::emit(surface, &settled, |response| self.write(response, surface)),
        }
    }

    /// Returns whether the harness shows no prompts of its own in this mode.
    #[must_use]
    pub fn skips_prompts(&self, permission_mode: &str) -> bool {
        self.capabilities().prompting(permission_mode) == Some(Prompting::Skips)
    }

    /// Returns whether a person answers an ask in this mode. False for an unknown mode.
    #[must_use]
    pub fn prompts(&self, permission_mode: &str) -> bool {
        self.capabilities().prompting(permission_mode) == Some(Prompting::Person)
    }
}

/// All harnesses. If a payload matches several, the first one is used.
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

/// Returns the harness with that name.
#[must_use]
pub fn find_harness(name: &str) -> Option<&'static dyn Harness> {
    ALL.iter().copied().find(|harness| harness.name() == name)
}

/// Returns the harness of the payload. A certain match takes precedence, because several harnesses run hooks that were
/// registered with another one. The next choices are `fallback` and a possible match.
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

/// Returns the default harness.
#[must_use]
pub fn default() -> &'static dyn Harness {
    &claude::Claude
}
