//! [`Report`]: the result of a case.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use guard_contract::syntax::Analysis;
use guard_contract::verdict::{Verdict, merge};
use guard_contract::{Level, Limits, LogLine};
use guard_facts::Used;
use guard_hook::chain::{Chain, Trace};

/// The result of a case.
#[derive(Debug)]
pub struct Report {
    /// The differences from the expectation. Empty if the case passes.
    pub differences: Vec<Difference>,
    /// The chain's verdict.
    pub verdict: Verdict,
    /// The analysis of each of the case's calls, if a policy wanted it.
    pub analyses: Vec<Arc<Analysis>>,
    /// The total time of the case.
    pub time: Duration,
    /// The policy that came closest to its time limit. `None` if no policy was run.
    pub spent: Option<LimitUsage>,
    /// Whether the test is still to be written, and wasn't run.
    pub is_skipped: bool,
    /// The policies' log.
    pub log: Vec<Logged>,
    /// The evaluated and unevaluated lines of Rego.
    pub(super) lines: Vec<LineCoverage>,
    /// The rules of a text in the settings, as `policy:rule`.
    pub(super) rules: Vec<String>,
}

impl Report {
    /// Creates the report of a case without results.
    pub(super) fn empty() -> Self {
        Report {
            differences: Vec::new(),
            verdict: merge([]),
            analyses: Vec::new(),
            time: Duration::ZERO,
            spent: None,
            is_skipped: false,
            log: Vec::new(),
            lines: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Returns whether the case passed or was skipped.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.differences.is_empty()
    }
}

/// A difference from the case's expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The part that differs: `outcome`, `rule`, `message`, `fault`, ...
    pub what: &'static str,
    /// The expected value.
    pub expected: String,
    /// The actual value.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.what, self.expected, self.got)
    }
}

/// A policy's use of its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitUsage {
    /// The policy's name in the chain.
    pub policy: String,
    /// The resources it used.
    pub used: Used,
    /// The limits.
    pub limits: Limits,
}

/// A line that a policy logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// The policy's name in the chain.
    pub policy: String,
    /// The level.
    pub level: Level,
    /// The message.
    pub message: String,
}

/// Returns the policies' log, without the lines that are meant for `guard-host test`.
pub(super) fn policy_log(traces: &[Trace]) -> Vec<Logged> {
    let steps = traces.iter().flat_map(|trace| &trace.steps);
    let lines = steps.flat_map(|step| step.answer.log.iter().map(move |line| (step, line)));
    let own = |line: &LogLine| line.level == Level::Info && log_value(line).is_some();
    lines
        .filter(|(_, line)| !own(line))
        .map(|(step, line)| Logged { policy: step.policy.clone(), level: line.level, message: line.message.clone() })
        .collect()
}

/// Parses a log line about the policy's text: `{"lines": ...}` or `{"rules": ...}`.
pub(super) fn log_value(line: &LogLine) -> Option<Value> {
    let value: Value = serde_json::from_str(&line.message).ok()?;
    value
        .as_object()
        .is_some_and(|object| object.contains_key("lines") || object.contains_key("rules"))
        .then_some(value)
}

/// A file, and the ranges of its evaluated and unevaluated lines.
pub(super) type LineCoverage = (String, String, String);

/// Returns the limits of a policy in the chain.
pub(super) fn limits(chain: &Chain, policy: &str) -> Limits {
    let mut members = chain.prepared.members.iter();
    members.find(|member| member.entry.name == policy).map_or(Limits::DEFAULT, |member| member.entry.limits)
}

/// Returns the policy that came closest to its time limit.
pub(super) fn highest_usage(chain: &Chain, traces: &[Trace]) -> Option<LimitUsage> {
    let steps = traces.iter().flat_map(|trace| &trace.steps);
    let spent = steps.map(|step| LimitUsage {
        policy: step.policy.clone(),
        used: step.answer.used,
        limits: limits(chain, &step.policy),
    });
    spent.max_by_key(|spent| spent.used.processor.as_nanos() / u128::from(spent.limits.time_ms.max(1)))
}
