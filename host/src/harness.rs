//! The harnesses: each one's JSON in, each one's reply out.
//!
//! Knows shapes of vendors; knows nothing of policies or configuration.

mod claude;
mod command;
mod entries;
pub mod facets;
mod forms;
mod generic;
mod matcher;
mod patch;
pub mod text;

use serde_json::{Map, Value};

use crate::call::ToolCall;
use crate::install::Registration;
use crate::verdict::Verdict;

/// What a harness's payload tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Tool calls to decide; none when a field that matters is missing.
    Calls(Vec<ToolCall>),
    /// A session is over.
    SessionEnd,
    /// Something that is not decided here.
    Other,
}

/// A decoded payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// What it tells.
    pub event: Event,
    /// The working directory; empty if it is not given.
    pub cwd: String,
    /// The session id; empty if it is not given.
    pub session: String,
    /// The permission mode; empty if it is not given.
    pub permission_mode: String,
}

/// A payload that is no payload: not JSON, not an object, or a field of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// What the process prints and how it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

/// One vendor's hook protocol.
pub trait Harness: Sync {
    /// The name on the command line and in the audit log.
    fn name(&self) -> &'static str;

    /// The payload is one of this harness.
    fn detects(&self, payload: &Map<String, Value>) -> bool;

    /// The variable that names the project's root.
    fn project_variable(&self) -> Option<&'static str>;

    /// Reads a payload.
    ///
    /// # Errors
    ///
    /// A field that matters has the wrong type.
    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Malformed>;

    /// Writes the reply.
    fn encode(&self, verdict: &Verdict) -> Reply;

    /// The mode is one in which the harness shows no prompts of its own.
    fn skips_prompts(&self, permission_mode: &str) -> bool;

    /// An ask is put to a person in this mode. A mode that is not known is none.
    fn prompts(&self, _permission_mode: &str) -> bool {
        false
    }

    /// How its hooks are registered; none if that is done by hand.
    fn registration(&self) -> Option<&'static dyn Registration> {
        forms::named(self.name()).map(|form| form as &dyn Registration)
    }
}

/// All harnesses; of several that a payload looks like the first one is taken.
pub static ALL: &[&dyn Harness] = &[&claude::Claude, &generic::Generic];

/// The harness of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Harness> {
    ALL.iter().copied().find(|harness| harness.name() == name)
}

/// The harness that the payload looks like; `fallback` if it looks like none.
#[must_use]
pub fn detect(payload: &Map<String, Value>, fallback: &'static dyn Harness) -> &'static dyn Harness {
    if fallback.detects(payload) {
        return fallback;
    }
    ALL.iter().copied().find(|harness| harness.detects(payload)).unwrap_or(fallback)
}

/// The harness that is taken when nothing tells which it is.
#[must_use]
pub fn default() -> &'static dyn Harness {
    &claude::Claude
}
