//! Policies that are off, only watched, or paused, and the notes on calls that they would have stopped.

use guard_config::Config;
use guard_contract::Layer;
use guard_contract::Outcome;
use guard_contract::policy::{Entry, Source, may_loosen};
use guard_contract::verdict::{Attributed, Opinion, Verdict};
use guard_state::Pause;
use jiff::{SignedDuration, Timestamp};

/// The preset whose policies count as off where a chain lacks them.
const USUAL_PRESET: &str = "standard";

/// Policies that stop nothing by a person's choice, and that no other file enforces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdlePolicies {
    /// Policies of the standard preset that the chain lacks.
    pub off: Vec<String>,
    /// Policies that are only watched.
    pub watched: Vec<String>,
    /// Policies that the pause is about; empty without a pause.
    pub paused: Vec<String>,
}

impl IdlePolicies {
    /// Those of a chain.
    #[must_use]
    pub fn new(config: &Config, entries: &[&Entry], pause: Option<&Pause>) -> Self {
        let named = |is_idle: &dyn Fn(&Entry) -> bool| {
            let mut names: Vec<String> = Vec::new();
            for entry in entries.iter().filter(|entry| is_idle(entry)) {
                let is_enforced = entries.iter().any(|other| other.source == entry.source && !is_idle(other));
                if !is_enforced && !names.contains(&entry.name) {
                    names.push(entry.name.clone());
                }
            }
            names
        };
        let may_pause = |entry: &Entry| may_loosen(&config.locked, Layer::User, entry);
        let is_paused = |entry: &Entry| pause.is_some_and(|pause| pause.pauses(&entry.name)) && may_pause(entry);
        let usual = guard_builtins::all().iter().filter(|builtin| builtin.presets.contains(&USUAL_PRESET));
        let is_off = |name: &str| !entries.iter().any(|entry| entry.source == Source::Builtin(name.to_owned()));
        // A server has a chain of its own.
        let off = usual.filter(|builtin| config.remote.is_none() && is_off(builtin.name));
        IdlePolicies {
            off: off.map(|builtin| builtin.name.to_owned()).collect(),
            watched: named(&|entry| entry.watched),
            paused: named(&is_paused),
        }
    }
}

/// Returns the note for a reply if such policies would have stopped the call.
#[must_use]
pub fn note(verdict: &Verdict, pause: Option<&Pause>) -> Option<Opinion> {
    let (mut denied, mut asked) = (Vec::new(), Vec::new());
    for found in &verdict.findings {
        match found.watched() {
            Some(Outcome::Deny) => denied.push(rule(found)),
            Some(_) => asked.push(rule(found)),
            None => {}
        }
    }
    denied.dedup();
    asked.dedup();
    let parts = [("deny this call", denied), ("prompt for this call", asked)]
        .into_iter()
        .filter(|(_, rules)| !rules.is_empty());
    let parts: Vec<String> = parts.map(|(what, rules)| format!("{} would {what}", rules.join(", "))).collect();
    if parts.is_empty() {
        return None;
    }
    let (rule, why, end) = match pause.and_then(|pause| pause.remaining(Timestamp::now())) {
        Some(left) => {
            ("paused", format!("guard-host is paused for {}", span(left)), "`guard-host pause --end` ends the pause")
        }
        None => (
            "watched",
            "not enforced (`mode` is `watch`)".to_owned(),
            "to enforce it, change `mode` in guard.toml; `guard-host audit show` lists such calls",
        ),
    };
    let text = format!("{why}: {}; {end}", parts.join(", and "));
    Some(Opinion::from_host("hook", rule, Outcome::Warn, text, String::new()))
}

/// Formats a time span in started minutes, or in seconds below one minute.
#[must_use]
pub fn span(left: SignedDuration) -> String {
    let seconds = left.as_secs().max(1);
    let minutes = if seconds < 60 { 0 } else { (seconds + 59) / 60 };
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

fn rule(found: &Attributed) -> String {
    if found.finding.rule.is_empty() { found.policy.clone() } else { found.rule() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_hours_and_minutes() {
        for (seconds, expected) in [
            (0, "1 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "2 min"),
            (3540, "59 min"),
            (3541, "1 h"),
            (5400, "1 h 30 min"),
        ] {
            assert_eq!(span(SignedDuration::from_secs(seconds)), expected);
        }
    }
}
