//! Notes on policies that are only watched, or paused.

use guard_contract::Outcome;
use guard_contract::verdict::{Attributed, Opinion, Verdict};
use guard_state::Pause;
use jiff::{SignedDuration, Timestamp};

/// The note in a reply where policies would have stopped the call; `None` if none would have.
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
    let parts =
        [("deny this call", denied), ("ask about this call", asked)].into_iter().filter(|(_, rules)| !rules.is_empty());
    let parts: Vec<String> = parts.map(|(what, rules)| format!("{} would {what}", rules.join(", "))).collect();
    if parts.is_empty() {
        return None;
    }
    let (rule, why, end) = match pause.and_then(|pause| pause.left(Timestamp::now())) {
        Some(left) => {
            ("paused", format!("guard-host is paused for {}", span(left)), "`guard-host pause --end` ends the pause")
        }
        None => (
            "watched",
            "guard-host only watches here".to_owned(),
            "`guard-host audit show` lists such calls; `mode` in guard.toml ends it",
        ),
    };
    let text = format!("{why}: {}; {end}", parts.join(", and "));
    Some(Opinion::from_host("hook", rule, Outcome::Warn, text, String::new()))
}

/// A time span as people write it, in minutes that have begun, or in seconds below one minute.
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
