//! The plain protocol: Claude Code's payload on stdin, `{"decision":"allow"}` or `{"decision":"block","reason":...}` on
//! stdout, exit code 0.
//!
//! For programs that know two answers. Nobody can be asked, so an ask blocks and says how a person can let the call
//! pass. A payload never tells this protocol: it has to be named.

use serde::Serialize;
use serde_json::{Map, Value};

use super::claude::Claude;
use super::{Harness, Malformed, Payload, Reply, text};
use crate::contract::Outcome;
use crate::verdict::Verdict;

pub(super) struct Generic;

/// How an ask ends that belongs to no session.
const CONSENT: &str =
    "This needs a person's consent, and no session is known in which it could be given: let the user run it.";

#[derive(Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
enum Wire {
    Allow,
    Block { reason: String },
}

impl Harness for Generic {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn detects(&self, payload: &Map<String, Value>) -> bool {
        Claude.detects(payload)
    }

    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Malformed> {
        Claude.decode(payload)
    }

    fn encode(&self, verdict: &Verdict) -> Reply {
        let wire = match verdict.outcome {
            Outcome::Deny => Wire::Block { reason: text::reason(verdict) },
            Outcome::Ask => Wire::Block { reason: text::reason(&refused(verdict)) },
            Outcome::Abstain | Outcome::Allow | Outcome::Warn => Wire::Allow,
        };
        // Text and fixed keys only: this cannot fail, and what is no JSON is no consent.
        let stdout = serde_json::to_string(&wire).map(|json| json + "\n").unwrap_or_default();
        Reply { stdout, ..Reply::default() }
    }

    fn skips_prompts(&self, _: &str) -> bool {
        false
    }
}

/// The question in the words of a refusal.
fn refused(verdict: &Verdict) -> Verdict {
    let mut refused = verdict.clone();
    for attributed in &mut refused.findings {
        attributed.finding.message = text::refused(&attributed.finding.message);
    }
    if refused.closing.is_empty() {
        CONSENT.clone_into(&mut refused.closing);
    }
    refused
}
