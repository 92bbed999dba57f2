//! [`Response`]: the content of a reply, limited to what the harness supports.
//!
//! The only place where verdicts and capabilities are combined. Knows no vendor's JSON.

use super::capabilities::{Abstain, Ask, Deny, OnAllow, Surface};
use super::{Reply, text};
use guard_contract::Outcome;
use guard_contract::verdict::Verdict;

/// The content of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// Nothing: no finding, or no recipient for it.
    Nothing,
    /// A message without a decision.
    Note(String),
    /// Skip the harness's own prompt.
    Allow(String),
    /// Prompt a person.
    Ask(String),
    /// Block the call.
    Deny(String),
}

impl Response {
    /// Returns the same response, or an empty note instead of nothing.
    pub(super) fn or_empty_note(&self) -> Self {
        match self {
            Response::Nothing => Response::Note(String::new()),
            response => response.clone(),
        }
    }
}

/// The exit code that blocks a call.
pub const BLOCK: u8 = 2;

/// The closing text of an ask without a session.
const CONSENT: &str = "Ask the user to run it: this call can't be approved from the agent's session.";

/// The text for a policy without a reason. Some harnesses ignore a block without one.
const WORDLESS: &str = "A policy stopped this call and gave no reason.";

/// Reduces the verdict to a response that the surface supports. If no person can answer, an ask becomes a block that
/// explains how a person can let the call run.
pub(super) fn reduce(verdict: &Verdict, surface: &Surface) -> Response {
    let or_default_reason = |reason: String| if reason.trim().is_empty() { WORDLESS.to_owned() } else { reason };
    match verdict.outcome {
        Outcome::Deny => Response::Deny(or_default_reason(text::reason(verdict))),
        Outcome::Ask if surface.ask == Ask::Person => Response::Ask(or_default_reason(text::reason(verdict))),
        Outcome::Ask => Response::Deny(or_default_reason(text::reason(&as_refusal(verdict)))),
        Outcome::Allow if verdict.skips_prompt && surface.on_allow != OnAllow::None => {
            Response::Allow(text::reason(verdict))
        }
        Outcome::Allow | Outcome::Warn if surface.tells_model || surface.tells_user => {
            let reason = text::reason(verdict);
            if reason.is_empty() { Response::Nothing } else { Response::Note(reason) }
        }
        Outcome::Allow | Outcome::Warn | Outcome::Abstain => Response::Nothing,
    }
}

/// Creates the reply. `write` formats the response as JSON.
pub(super) fn emit(surface: &Surface, response: &Response, write: impl Fn(&Response) -> String) -> Reply {
    let line = |response: &Response| write(response) + "\n";
    match response {
        Response::Nothing => match surface.abstain {
            Abstain::Silence => Reply::default(),
            Abstain::Token(token) => Reply { stdout: format!("{token}\n"), ..Reply::default() },
        },
        Response::Note(_) | Response::Allow(_) | Response::Ask(_) => {
            Reply { stdout: line(response), ..Reply::default() }
        }
        Response::Deny(reason) => {
            let stderr = format!("{reason}\n");
            match surface.deny {
                Deny::Reply => Reply { stdout: line(response), ..Reply::default() },
                Deny::Exit => Reply { stdout: String::new(), stderr, exit: BLOCK },
                Deny::Both => Reply { stdout: line(response), stderr, exit: BLOCK },
            }
        }
    }
}

/// Rewords an ask as a refusal.
fn as_refusal(verdict: &Verdict) -> Verdict {
    let mut refused = verdict.clone();
    for attributed in &mut refused.findings {
        attributed.finding.message = text::refusal_text(&attributed.finding.message);
    }
    if refused.closing.is_empty() {
        CONSENT.clone_into(&mut refused.closing);
    }
    refused
}
