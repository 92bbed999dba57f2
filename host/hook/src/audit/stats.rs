//! [`Stats`]: counts of actions by policy, rule and day.

use std::collections::BTreeMap;

use serde::Serialize;

use super::OVERRIDE;
use super::read::Record;
use guard_contract::verdict::CONFIRMED;

/// The maximum length of a name that is counted separately, in bytes.
const NAME_BYTES: usize = 256;

/// The maximum number of names that are counted separately. A damaged log could contain any number.
const NAMES: usize = 10_000;

/// The name under which further names are counted.
const OTHERS: &str = "(others)";

/// The action of a call that no policy decided.
const UNDECIDED: &str = "allow";

/// The number of lines with each action.
pub type Actions = BTreeMap<String, u64>;

/// The counts of a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stats {
    /// The number of lines that were counted.
    pub lines: u64,
    /// The number of lines that couldn't be read.
    pub damaged: u64,
    /// The first time in the log.
    pub from: String,
    /// The last time in the log.
    pub to: String,
    /// By action.
    pub actions: Actions,
    /// By the policy that decided, then by action.
    pub policies: BTreeMap<String, Actions>,
    /// By `policy:rule` that decided, then by action.
    pub rules: BTreeMap<String, Actions>,
    /// By day, in UTC, then by action.
    pub days: BTreeMap<String, Actions>,
    /// The calls that a person approved, by `policy:rule`.
    pub overrides: Actions,
    /// The findings of calls that ran without a decision, by `policy:rule`. Only logs with the level `all` have them.
    pub noted: Actions,
}

impl Stats {
    /// Counts one line.
    pub fn add(&mut self, record: &Record) {
        self.lines += 1;
        if self.from.is_empty() || record.ts < self.from {
            self.from.clone_from(&record.ts);
        }
        if record.ts > self.to {
            self.to.clone_from(&record.ts);
        }
        let action = record.action.as_str();
        count(&mut self.actions, action);
        let day = record.ts.get(..10).unwrap_or(&record.ts);
        count(within(&mut self.days, day), action);
        if action == UNDECIDED {
            record.rules.iter().for_each(|rule| count(&mut self.noted, rule));
        }
        if record.rule.is_empty() {
            return;
        }
        let rule =
            if record.policy.is_empty() { record.rule.clone() } else { format!("{}:{}", record.policy, record.rule) };
        count(within(&mut self.policies, &record.policy), action);
        count(within(&mut self.rules, &rule), action);
        if action == OVERRIDE {
            // Counts the rules that the approval lifted. Lines by other programs only have `rule`.
            let is_ours = record.rule == CONFIRMED && !record.rules.is_empty();
            let overruled = if is_ours { record.rules.as_slice() } else { std::slice::from_ref(&rule) };
            overruled.iter().for_each(|rule| count(&mut self.overrides, rule));
        }
    }
}

fn count(counts: &mut Actions, name: &str) {
    let room = counts.len() < NAMES || counts.contains_key(name);
    *counts.entry(if room { short(name) } else { OTHERS.to_owned() }).or_default() += 1;
}

fn within<'a>(groups: &'a mut BTreeMap<String, Actions>, name: &str) -> &'a mut Actions {
    let room = groups.len() < NAMES || groups.contains_key(name);
    groups.entry(if room { short(name) } else { OTHERS.to_owned() }).or_default()
}

fn short(name: &str) -> String {
    guard_redact::shorten(&guard_redact::plain(name), NAME_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(day: u8, action: &str, rule: &str) -> Record {
        Record {
            ts: format!("2026-01-{day:02}T03:04:05.678Z"),
            action: action.to_owned(),
            rule: rule.to_owned(),
            policy: "p".to_owned(),
            ..Record::default()
        }
    }

    #[test]
    fn what_decided_nothing_is_counted_apart() {
        let mut stats = Stats::default();
        for action in ["allow", "allow", "block"] {
            stats.add(&Record { rules: vec!["p:note".to_owned()], ..record(1, action, "") });
        }
        assert_eq!(stats.noted, Actions::from([("p:note".to_owned(), 2)]));
    }

    #[test]
    fn lines_are_counted_by_policy_rule_and_day() {
        let mut stats = Stats::default();
        let lines = [
            record(2, "block", "a"),
            record(2, "block", "b"),
            record(1, "confirmed_allow", "b"),
            record(3, "allow", ""),
        ];
        lines.iter().for_each(|record| stats.add(record));
        assert_eq!(
            (stats.lines, stats.from.get(..10), stats.to.get(..10)),
            (4, Some("2026-01-01"), Some("2026-01-03"))
        );
        assert_eq!(stats.actions["block"], 2);
        assert_eq!(stats.policies["p"]["block"], 2);
        assert_eq!(stats.rules["p:b"], Actions::from([("block".to_owned(), 1), ("confirmed_allow".to_owned(), 1)]));
        assert_eq!(stats.days["2026-01-02"]["block"], 2);
        assert_eq!(stats.overrides, Actions::from([("p:b".to_owned(), 1)]));
    }

    #[test]
    fn s2_63_a_confirmed_call_counts_for_each_rule_that_it_overruled() {
        let mut stats = Stats::default();
        let rules = vec!["p:a".to_owned(), "q:b".to_owned()];
        stats.add(&Record { rules, policy: "session".to_owned(), ..record(1, "confirmed_allow", "session_allowlist") });
        assert_eq!(stats.overrides, Actions::from([("p:a".to_owned(), 1), ("q:b".to_owned(), 1)]));
    }

    #[test]
    fn a_log_of_many_names_is_counted_in_bounds() {
        let mut stats = Stats::default();
        (0..NAMES + 50).for_each(|n| stats.add(&record(1, "block", &format!("rule-{n}"))));
        assert_eq!(stats.rules[OTHERS]["block"], 50);
        assert_eq!(stats.rules.len(), NAMES + 1);
    }
}
