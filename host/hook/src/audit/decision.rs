//! [`Decision`]: a call with everything that its verdict depends on, so that it can be repeated anywhere.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::{AskOptions, Chain, Trace};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::outcome_name;
use guard_contract::verdict::{Attributed, Verdict};
use guard_facts::recorded::{Record, Recorded};
use guard_redact::{Secrets, redact};

/// The maximum size of a decision in a log, in bytes. A larger one is omitted.
const DECISION_BYTES: usize = 512 << 10;

/// A call, its context, the facts about the machine, and the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Decision {
    /// The call.
    pub call: ToolCall,
    /// Its context.
    pub at: CallContext,
    /// The requested facts about the machine.
    pub facts: Record,
    /// The verdict of the chain, before approvals and modes.
    pub outcome: String,
    /// The deciding policy and rule, as `policy:rule`, or empty.
    pub rule: String,
    /// Whether a secret was redacted, so that a replay may give another verdict.
    #[serde(default)]
    pub redacted: bool,
}

/// The result of repeating a decision.
#[derive(Debug)]
pub struct RepeatedDecision {
    /// The verdict and its trace.
    pub trace: Trace,
    /// Whether a fact was requested that isn't in the record.
    pub lacks: bool,
}

impl Decision {
    /// Records a decision without the secrets in the call, files and variables.
    #[must_use]
    pub fn new(call: &ToolCall, at: &CallContext, facts: Record, verdict: &Verdict, secrets: &Secrets) -> Self {
        let (outcome, rule) = Self::summary(verdict);
        let mut decision = Decision { call: call.clone(), at: at.clone(), facts, outcome, rule, redacted: false };
        let mut redacted = false;
        let mut hide = |key: &str, text: &mut String| {
            let hidden = redact(&secrets.hide_under(key, text));
            if hidden != *text {
                *text = hidden;
                redacted = true;
            }
        };
        decision.call.input.iter_mut().for_each(|(key, value)| texts(key, value, &mut hide));
        let at = &mut decision.at;
        for text in [&mut at.cwd, &mut at.project_root, &mut at.repository, &mut at.session] {
            hide("", text);
        }
        decision.facts.texts().for_each(|(key, text)| hide(key, text));
        decision.redacted = redacted;
        decision
    }

    /// Returns a verdict's outcome and deciding rule, in the form of a decision.
    #[must_use]
    pub fn summary(verdict: &Verdict) -> (String, String) {
        let rule = verdict.deciding().map(Attributed::rule).unwrap_or_default();
        (outcome_name(verdict.outcome).to_owned(), rule)
    }

    /// Parses the decision in a line of the log. `None` if the log's level doesn't include it.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Line {
            decision: Decision,
        }
        serde_json::from_str::<Line>(line).ok().map(|line| line.decision)
    }

    /// Converts the decision for a log. `None` if it is too large.
    pub(super) fn loggable(&self) -> Option<Value> {
        let value = serde_json::to_value(self).ok()?;
        (value.to_string().len() <= DECISION_BYTES).then_some(value)
    }

    /// Decides the call again, with only the recorded facts.
    #[must_use]
    pub fn repeat(&self, chain: &Chain, ask: AskOptions<'_>) -> RepeatedDecision {
        let recorded = Arc::new(Recorded::new(self.facts.clone()));
        let trace = chain.decide(&self.call, &self.at, &(recorded.clone() as Arc<_>), ask);
        RepeatedDecision { trace, lacks: recorded.lacks() }
    }
}

/// Visits every text in a value with its key. Numbers are visited as texts, and replaced if they change. The depth is
/// limited by the JSON parser, to 128.
fn texts(key: &str, value: &mut Value, each: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => each(key, text),
        Value::Array(values) => values.iter_mut().for_each(|value| texts(key, value, each)),
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| texts(key, value, each)),
        Value::Number(number) => {
            let (before, mut text) = (number.to_string(), number.to_string());
            each(key, &mut text);
            if text != before {
                *value = Value::String(text);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}
