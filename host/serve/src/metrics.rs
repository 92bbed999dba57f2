//! [`Metrics`]: a server's counters since its start, for Prometheus.
//!
//! # Invariants
//!
//! - Every answered call is counted once, so that the sum of all series is the `calls` of `/health`.
//! - Names only occur as label values, which the library escapes.
//! - The number of series is limited, regardless of the names in policies and configurations.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::prometheus_text::{CONTENT_TYPE, encode};
use prometheus_client::encoding::{EncodeLabel, EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use guard_contract::verdict::{Attributed, FAULT, Verdict};
use guard_contract::{Outcome, outcome_name};
use guard_redact::{plain, shorten};

/// The content type of the text.
pub(crate) const METRICS: &str = CONTENT_TYPE;

/// The maximum number of series of findings. Further findings are counted together.
const SERIES: usize = 1000;

/// The policy and the rule under which findings beyond [`SERIES`] are counted.
const OTHERS: &str = "(others)";

/// The maximum length of a name in a label.
const NAME_BYTES: usize = 128;

/// The upper bounds of the histogram's buckets, in seconds. A typical call takes less than a millisecond, and the last
/// bound is the longest deadline.
const BUCKETS: [f64; 13] = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0];

/// The verdict label of a call whose payload can't be read.
pub(crate) const UNREADABLE: &str = "unreadable";

/// The verdict label of a call that the server had no time for.
pub(crate) const UNDECIDED: &str = "undecided";

/// The verdict label of a call from another machine that is repeated because facts are missing.
const INCOMPLETE: &str = "incomplete";

/// The kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A policy didn't answer.
    Policy,
    /// A call reached its deadline without a verdict.
    Deadline,
    /// The server panicked.
    Panic,
    /// An audit line was not written.
    AuditLog,
}

impl Fault {
    const ALL: [Fault; 4] = [Fault::Policy, Fault::Deadline, Fault::Panic, Fault::AuditLog];

    fn name(self) -> &'static str {
        match self {
            Fault::Policy => "policy",
            Fault::Deadline => "deadline",
            Fault::Panic => "panic",
            Fault::AuditLog => "audit-log",
        }
    }
}

/// The verdict and findings to count for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    verdict: &'static str,
    findings: Vec<(String, String, &'static str)>,
    faults: u64,
}

impl Tally {
    /// Creates the tally of a verdict.
    pub(crate) fn from_verdict(verdict: &Verdict) -> Self {
        let finding = |found: &Attributed| {
            let outcome = match found.watched() {
                Some(Outcome::Deny) => "would-deny",
                Some(_) => "would-ask",
                None => outcome_name(found.finding.outcome),
            };
            (name(&found.policy), name(found.name()), outcome)
        };
        let faults = verdict.findings.iter().filter(|found| found.of_host && found.finding.rule == FAULT);
        Tally {
            verdict: outcome_name(verdict.outcome),
            faults: faults.count() as u64,
            findings: verdict.findings.iter().map(finding).collect(),
        }
    }

    /// Creates the tally of a call that is repeated. Its findings are counted then.
    pub(crate) fn incomplete(verdict: &Verdict) -> Self {
        Tally { verdict: INCOMPLETE, findings: Vec::new(), ..Tally::from_verdict(verdict) }
    }

    /// Creates the tally of a call without a verdict.
    pub(crate) fn without_verdict(reason: &'static str) -> Self {
        Tally { verdict: reason, findings: Vec::new(), faults: 0 }
    }
}

/// The labels of a series.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Labels<const N: usize>([(&'static str, String); N]);

impl<const N: usize> EncodeLabelSet for Labels<N> {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|label| label.encode(encoder.encode_label()))
    }
}

/// A server's counters since its start.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<Labels<2>, Counter>,
    findings: Family<Labels<3>, Counter>,
    /// The existing series of findings.
    known: Mutex<HashSet<Labels<3>>>,
    duration: Histogram,
    faults: Family<Labels<1>, Counter>,
    refusals: Family<Labels<1>, Counter>,
    uptime: Gauge<f64, AtomicU64>,
    problems: Gauge,
}

impl Metrics {
    /// Creates counters at zero.
    pub(crate) fn new() -> Self {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("guard_host"),
            calls: Family::default(),
            findings: Family::default(),
            known: Mutex::default(),
            duration: Histogram::new(BUCKETS),
            faults: Family::default(),
            refusals: Family::default(),
            uptime: Gauge::default(),
            problems: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        let version: Family<Labels<1>, Gauge> = Family::default();
        version.get_or_create(&Labels([("version", env!("CARGO_PKG_VERSION").to_owned())])).set(1);
        registry.register("build_info", "The version of the server", version);
        registry.register("calls", "Answered calls, by verdict and harness", metrics.calls.clone());
        let help = "Findings, by policy, rule and outcome; at most 1000 series";
        registry.register("findings", help, metrics.findings.clone());
        let help = "The time from a payload to its answer";
        registry.register_with_unit("call_duration", help, Unit::Seconds, metrics.duration.clone());
        registry.register("faults", "What went wrong in the server, by kind", metrics.faults.clone());
        registry.register("refused_requests", "Requests without a verdict, by status", metrics.refusals.clone());
        let help = "The time since the start of the server";
        registry.register_with_unit("uptime", help, Unit::Seconds, metrics.uptime.clone());
        registry.register("config_problems", "Mistakes in the configuration of all projects", metrics.problems.clone());
        // Prometheus's `rate` misses the first event of a counter that doesn't start at zero.
        Fault::ALL.iter().for_each(|fault| drop(metrics.faults.get_or_create(&kind(*fault))));
        [401, 503].iter().for_each(|status| drop(metrics.refusals.get_or_create(&status_labels(*status))));
        metrics
    }

    /// Counts an answered call.
    pub(crate) fn count_answer(&self, harness: &str, tally: &Tally, time: Duration) {
        self.duration.observe(time.as_secs_f64());
        let labels = Labels([("verdict", tally.verdict.to_owned()), ("harness", harness.to_owned())]);
        self.calls.get_or_create(&labels).inc();
        for (policy, rule, outcome) in &tally.findings {
            let labels = self.bounded_labels([policy, rule, outcome]);
            self.findings.get_or_create(&labels).inc();
        }
        self.faults.get_or_create(&kind(Fault::Policy)).inc_by(tally.faults);
    }

    /// Counts a fault.
    pub(crate) fn count_fault(&self, fault: Fault) {
        self.faults.get_or_create(&kind(fault)).inc();
    }

    /// Counts a request that was refused.
    pub(crate) fn count_refusal(&self, status: u16) {
        self.refusals.get_or_create(&status_labels(status)).inc();
    }

    /// Returns all counters as text.
    pub(crate) fn text(&self, uptime: Duration, problems: usize) -> String {
        self.uptime.set(uptime.as_secs_f64());
        self.problems.set(i64::try_from(problems).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to memory doesn't fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// Returns the labels of a finding, or those of [`OTHERS`] if there are too many series.
    fn bounded_labels(&self, [policy, rule, outcome]: [&str; 3]) -> Labels<3> {
        let labels = |policy: &str, rule: &str| {
            let [policy, rule] = [policy, rule].map(str::to_owned);
            Labels([("policy", policy), ("rule", rule), ("outcome", outcome.to_owned())])
        };
        let own = labels(policy, rule);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&own) {
            if known.len() >= SERIES {
                return labels(OTHERS, OTHERS);
            }
            known.insert(own.clone());
        }
        own
    }
}

fn kind(fault: Fault) -> Labels<1> {
    Labels([("kind", fault.name().to_owned())])
}

fn status_labels(status: u16) -> Labels<1> {
    Labels([("status", status.to_string())])
}

/// Returns a name for a label: shortened, because others choose it.
fn name(text: &str) -> String {
    shorten(&plain(text), NAME_BYTES)
}

#[cfg(test)]
mod tests {
    use guard_contract::verdict::{Opinion, merge};

    use super::*;

    fn tally(policy: &str) -> Tally {
        let opinion = Opinion::from_host(policy, "r", Outcome::Warn, "text".to_owned(), String::new());
        Tally::from_verdict(&merge([opinion]))
    }

    #[test]
    fn series_beyond_the_bound_are_counted_together() {
        let metrics = Metrics::new();
        (0..SERIES + 50).for_each(|n| metrics.count_answer("claude", &tally(&format!("p{n}")), Duration::ZERO));
        let text = metrics.text(Duration::ZERO, 0);
        let series = text.lines().filter(|line| line.starts_with("guard_host_findings_total{"));
        assert_eq!(series.count(), SERIES + 1);
        let others = "guard_host_findings_total{policy=\"(others)\",rule=\"(others)\",outcome=\"warn\"} 50\n";
        assert!(text.contains(others), "{text}");
        // A known series still counts under its name.
        metrics.count_answer("claude", &tally("p0"), Duration::ZERO);
        let text = metrics.text(Duration::ZERO, 0);
        assert!(text.contains("{policy=\"p0\",rule=\"r\",outcome=\"warn\"} 2\n"), "{text}");
    }

    #[test]
    fn no_name_breaks_the_format() {
        let metrics = Metrics::new();
        metrics.count_answer("claude", &tally("a\"} 1\nb{c=\"\\\r\u{0}\u{202e}é"), Duration::ZERO);
        let text = metrics.text(Duration::ZERO, 0);
        let expected = "{policy=\"a\\\"} 1\\nb{c=\\\"\\\\\u{fffd}\u{fffd}\u{fffd}é\",rule=\"r\",outcome=\"warn\"} 1\n";
        assert!(text.contains(expected), "{text}");
    }
}
