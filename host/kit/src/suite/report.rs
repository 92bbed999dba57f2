//! [`Report`]: what became of a case.

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
    /// Differences from the case's expectation; empty if it passes.
    pub differences: Vec<Difference>,
    /// The chain's verdict.
    pub verdict: Verdict,
    /// The analysis of each of the case's calls, if a policy wanted it.
    pub analyses: Vec<Arc<Analysis>>,
    /// The whole time of the case.
    pub time: Duration,
    /// The policy that used most of its time; `None` if none was asked.
    pub spent: Option<LimitUsage>,
    /// It is yet to be written, and was not run.
    pub is_skipped: bool,
    /// The policies' log.
    pub log: Vec<Logged>,
    /// The lines of Rego that were evaluated, and those that were not.
    pub(super) lines: Vec<LineCoverage>,
    /// `policy:rule` of the rules that a text of the settings has.
    pub(super) rules: Vec<String>,
}

impl Report {
    /// That of a case of which nothing is known yet.
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

    /// The case holds, or was not run.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Something that is not as the case expects it.
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

/// The use that a policy made of its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitUsage {
    /// Its name in the chain.
    pub policy: String,
    /// The resources it used.
    pub used: Used,
    /// The limits.
    pub limits: Limits,
}

/// A line that a policy logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// Its name in the chain.
    pub policy: String,
    /// How grave it is.
    pub level: Level,
    /// The message.
    pub message: String,
}

/// The policies' log, without the lines that are meant for `guard-host test`.
pub(super) fn logged(traces: &[Trace]) -> Vec<Logged> {
    let steps = traces.iter().flat_map(|trace| &trace.steps);
    let lines = steps.flat_map(|step| step.answer.log.iter().map(move |line| (step, line)));
    let own = |line: &LogLine| line.level == Level::Info && log_value(line).is_some();
    lines
        .filter(|(_, line)| !own(line))
        .map(|(step, line)| Logged { policy: step.policy.clone(), level: line.level, message: line.message.clone() })
        .collect()
}

/// The content of a line about the policy's text: `{"lines": ...}` or `{"rules": ...}`.
pub(super) fn log_value(line: &LogLine) -> Option<Value> {
    let value: Value = serde_json::from_str(&line.message).ok()?;
    value
        .as_object()
        .is_some_and(|object| object.contains_key("lines") || object.contains_key("rules"))
        .then_some(value)
}

/// A file, and ranges of its lines that were evaluated and that were not.
pub(super) type LineCoverage = (String, String, String);

/// The limits of a policy of the chain.
pub(super) fn limits(chain: &Chain, policy: &str) -> Limits {
    let mut members = chain.prepared.members.iter();
    members.find(|member| member.entry.name == policy).map_or(Limits::DEFAULT, |member| member.entry.limits)
}

/// The policy that came nearest to its limit of time.
pub(super) fn spent(chain: &Chain, traces: &[Trace]) -> Option<LimitUsage> {
    let steps = traces.iter().flat_map(|trace| &trace.steps);
    let spent = steps.map(|step| LimitUsage {
        policy: step.policy.clone(),
        used: step.answer.used,
        limits: limits(chain, &step.policy),
    });
    spent.max_by_key(|spent| spent.used.processor.as_nanos() / u128::from(spent.limits.time_ms.max(1)))
}
