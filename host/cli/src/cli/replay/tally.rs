//! The results of the calls: counts by verdict, and the differences between two sides.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use guard_contract::call::ToolCall;
use guard_contract::verdict::{Attributed, Verdict};
use guard_contract::{Outcome, outcome_name};
use guard_redact::{plain, redact, shorten};

/// The maximum number of calls that are shown for a group. The first ones are used.
pub(super) const EXAMPLES: usize = 10;

/// The maximum length of a shown call, in bytes.
const SHOWN: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub(super) struct SideDecision {
    pub(super) outcome: &'static str,
    /// The deciding policy and rule, as `policy:rule`. Empty if none decided.
    pub(super) rule: String,
    /// The strictness of the outcome.
    #[serde(skip)]
    rank: u8,
}

impl SideDecision {
    /// Summarizes a verdict. `None` means that there was nothing to decide.
    pub(super) fn from_verdict(verdict: Option<&Verdict>) -> Self {
        let outcome = verdict.map_or(Outcome::Abstain, |verdict| verdict.outcome);
        let skips = verdict.is_some_and(|verdict| verdict.skips_prompt);
        let rank = match outcome {
            // The harness skips a prompt that it could have shown.
            Outcome::Allow if skips => 0,
            Outcome::Allow | Outcome::Abstain => 1,
            Outcome::Warn => 2,
            Outcome::Ask => 3,
            Outcome::Deny => 4,
        };
        let rule = verdict.and_then(Verdict::deciding).map(Attributed::rule).unwrap_or_default();
        SideDecision { outcome: outcome_name(outcome), rule, rank }
    }

    /// Returns whether it equals a decision in the log.
    pub(super) fn is(&self, outcome: &str, rule: &str) -> bool {
        self.outcome == outcome && self.rule == rule
    }
}

impl std::fmt::Display for SideDecision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.rule.as_str() {
            "" => f.write_str(self.outcome),
            rule => write!(f, "{} {rule}", self.outcome),
        }
    }
}

/// How the second side differs from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Change {
    /// It is milder.
    Loosened,
    /// It is stricter.
    Tightened,
    /// It is as strict, but by another rule.
    OtherRule,
}

impl Change {
    fn between(first: &SideDecision, second: &SideDecision) -> Option<Self> {
        match second.rank.cmp(&first.rank) {
            std::cmp::Ordering::Less => Some(Change::Loosened),
            std::cmp::Ordering::Greater => Some(Change::Tightened),
            std::cmp::Ordering::Equal => (first != second).then_some(Change::OtherRule),
        }
    }

    /// Returns its name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Change::Loosened => "loosened",
            Change::Tightened => "tightened",
            Change::OtherRule => "other rule",
        }
    }
}

/// The result of one call.
#[derive(Debug, Clone)]
pub(super) struct ReplayedCall {
    pub(super) id: u32,
    pub(super) first: SideDecision,
    pub(super) second: Option<SideDecision>,
    /// Whether requested files or variables are missing.
    pub(super) rests: bool,
    /// Whether the log has another decision.
    pub(super) differs: bool,
    /// Whether `instead-of-ask` in `[undo]` would avoid its prompt. `None` if there is no prompt.
    pub(super) spared: Option<bool>,
    /// The call, and its directory.
    pub(super) call: Option<ToolCall>,
    pub(super) cwd: String,
}

/// A call that is shown.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Example {
    #[serde(skip)]
    pub(super) id: u32,
    pub(super) call: String,
    pub(super) cwd: String,
    pub(super) times: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) rests_on_missing: bool,
}

/// Calls with the same verdicts.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<Change>,
    pub(super) first: SideDecision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) second: Option<SideDecision>,
    /// The number of calls, counted with their frequency.
    pub(super) calls: u64,
    /// The number of distinct calls.
    pub(super) distinct: u64,
    /// The number of distinct calls that requested missing files or variables.
    pub(super) rest_on_missing: u64,
    pub(super) examples: Vec<Example>,
}

impl Group {
    /// Describes the decision of each side.
    pub(super) fn describe(&self) -> String {
        match &self.second {
            Some(second) => format!("{} -> {second}", self.first),
            None => self.first.to_string(),
        }
    }

    /// Returns the number of its calls that aren't among the examples.
    pub(super) fn omitted_count(&self) -> u64 {
        self.distinct.saturating_sub(self.examples.len() as u64)
    }
}

/// The result of one call. It is small because there may be a million of them.
#[derive(Debug, Clone, Copy)]
struct Entry {
    group: u32,
    rests: bool,
    differs: bool,
    spared: Option<bool>,
}

/// All results so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    groups: Vec<(SideDecision, Option<SideDecision>)>,
    known: HashMap<(SideDecision, Option<SideDecision>), u32>,
    entries: Vec<Option<Entry>>,
    examples: Vec<BTreeMap<u32, (String, String)>>,
    /// The first calls for which the log has another decision.
    pub(super) differing: BTreeMap<u32, (String, SideDecision)>,
    pub(super) done: u64,
}

/// The final counts.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) calls: u64,
    pub(super) distinct: u64,
    pub(super) rest_on_missing: u64,
    pub(super) differing: u64,
    /// Calls with a prompt.
    pub(super) asks: u64,
    /// The calls whose prompt `instead-of-ask` in `[undo]` would avoid: all, and distinct ones.
    pub(super) spared: (u64, u64),
    pub(super) groups: Vec<Group>,
}

impl Tally {
    pub(super) fn add(&mut self, decided: ReplayedCall) {
        let ReplayedCall { id, first, second, rests, differs, spared, call, cwd } = decided;
        self.done += 1;
        if differs {
            add_example(&mut self.differing, id, || (format_call(call.as_ref()), first.clone()));
        }
        let key = (first, second);
        let group = match self.known.get(&key) {
            Some(group) => *group,
            None => {
                let group = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
                self.groups.push(key.clone());
                self.examples.push(BTreeMap::new());
                self.known.insert(key, group);
                group
            }
        };
        if let Some(examples) = self.examples.get_mut(group as usize) {
            add_example(examples, id, || (format_call(call.as_ref()), plain(&redact(&cwd))));
        }
        let at = id as usize;
        if self.entries.len() <= at {
            self.entries.resize(at + 1, None);
        }
        if let Some(entry) = self.entries.get_mut(at) {
            *entry = Some(Entry { group, rests, differs, spared });
        }
    }

    /// Returns the totals, given the frequency of each call. Groups with differences are first, then stricter ones.
    pub(super) fn sum(&self, times: &[u32]) -> Totals {
        let of = |(first, second): &(SideDecision, Option<SideDecision>)| Group {
            change: second.as_ref().and_then(|second| Change::between(first, second)),
            first: first.clone(),
            second: second.clone(),
            calls: 0,
            distinct: 0,
            rest_on_missing: 0,
            examples: Vec::new(),
        };
        let mut sum = Totals { groups: self.groups.iter().map(of).collect(), ..Totals::default() };
        let often = |id: usize| times.get(id).copied().unwrap_or(1);
        for (id, entry) in self.entries.iter().enumerate() {
            let Some(entry) = entry else { continue };
            let calls = u64::from(often(id));
            sum.calls += calls;
            sum.distinct += 1;
            sum.rest_on_missing += u64::from(entry.rests);
            sum.differing += u64::from(entry.differs);
            sum.asks += entry.spared.map_or(0, |_| calls);
            if entry.spared == Some(true) {
                sum.spared = (sum.spared.0 + calls, sum.spared.1 + 1);
            }
            if let Some(group) = sum.groups.get_mut(entry.group as usize) {
                group.calls += calls;
                group.distinct += 1;
                group.rest_on_missing += u64::from(entry.rests);
            }
        }
        for (group, examples) in sum.groups.iter_mut().zip(&self.examples) {
            let example = |(id, (call, cwd)): (&u32, &(String, String))| Example {
                id: *id,
                call: call.clone(),
                cwd: cwd.clone(),
                times: u64::from(often(*id as usize)),
                rests_on_missing: self.entries.get(*id as usize).copied().flatten().is_some_and(|entry| entry.rests),
            };
            group.examples = examples.iter().map(example).collect();
        }
        sum.groups.sort_by(|a, b| {
            let key = |group: &Group| (group.change.is_none(), group.change, std::cmp::Reverse(group.first.rank));
            key(a)
                .cmp(&key(b))
                .then(b.calls.cmp(&a.calls))
                .then_with(|| (&a.first, &a.second).cmp(&(&b.first, &b.second)))
        });
        sum
    }
}

/// Keeps the first examples, independent of the threads' order.
fn add_example<T>(examples: &mut BTreeMap<u32, T>, id: u32, made: impl FnOnce() -> T) {
    let is_early = examples.len() < EXAMPLES || examples.last_key_value().is_some_and(|(last, _)| id < *last);
    if is_early {
        examples.insert(id, made());
        if examples.len() > EXAMPLES {
            examples.pop_last();
        }
    }
}

/// Formats a call on one line, without secrets.
fn format_call(call: Option<&ToolCall>) -> String {
    let Some(call) = call else { return String::new() };
    let text = redact(&call.operation());
    let text = plain(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = shorten(&text, SHOWN);
    if call.dialect.is_some() { text } else { format!("{}: {text}", plain(&call.tool)) }
}
