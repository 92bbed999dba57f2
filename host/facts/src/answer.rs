//! [`Question`] and [`Answer`]: the input and output of a policy.

use std::sync::Arc;
use std::time::Duration;

use crate::{Scene, View};
use guard_contract::grants::Grants;
use guard_contract::limits::Limits;
use guard_contract::{Decision, FaultKind, JournalLine, LogLine, Manifest};

/// A question to a policy.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The facts about the call that the policy can learn.
    pub scene: Scene,
    /// The grants of the policy.
    pub grants: Arc<Grants>,
    /// The manifest that the answer is checked against.
    pub manifest: &'a Manifest,
    /// The tool's name.
    pub tool: &'a str,
    /// The tool's input: JSON.
    pub input: &'a str,
}

/// A policy's answer, and its other output.
#[derive(Debug)]
pub struct Answer {
    /// The decision, or the fault.
    pub decision: Result<Decision, FaultKind>,
    /// The journal lines that the policy wants to write. Also present if the decision is a fault.
    pub journal: Vec<JournalLine>,
    /// The policy's log.
    pub log: Vec<LogLine>,
    /// The imports that the policy called, in order.
    pub asked: Vec<String>,
    /// The resources used. For a policy that shares its instance, the memory is that of the instance.
    pub used: Used,
}

impl Answer {
    /// Creates the answer of a policy that couldn't be asked.
    #[must_use]
    pub fn fault(fault: FaultKind) -> Self {
        Answer { decision: Err(fault), journal: Vec::new(), log: Vec::new(), asked: Vec::new(), used: Used::default() }
    }

    /// Combines a decision with the output in its view.
    #[must_use]
    pub fn new(decision: Result<Decision, FaultKind>, view: View, used: Used) -> Self {
        Answer { decision, journal: view.journal, log: view.log, asked: view.asked, used }
    }
}

/// The resources that a guest used in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// The processor time, including the instance's start.
    pub processor: Duration,
    /// The size of its largest memory, in bytes.
    pub memory: usize,
}

impl Used {
    /// Formats the used resources relative to these limits, for people.
    #[must_use]
    pub fn describe(self, limits: Limits) -> String {
        let milliseconds = self.processor.as_secs_f64() * 1000.0;
        let kibibytes = self.memory >> 10;
        format!("{milliseconds:.2} of {} ms, {kibibytes} KiB of {} MiB", limits.time_ms, limits.memory_mib)
    }
}
