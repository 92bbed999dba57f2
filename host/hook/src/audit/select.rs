//! [`Selection`]: selects lines of a log.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::read::Record;

/// The conditions for a line. An empty selection matches every line.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The earliest time.
    pub since: Option<Timestamp>,
    /// The latest time.
    pub until: Option<Timestamp>,
    /// The policy that decided, or has a finding.
    pub policy: Option<String>,
    /// The rule that decided, or has a finding.
    pub rule: Option<String>,
    /// The action.
    pub action: Option<String>,
    /// The start of the session's id.
    pub session: Option<String>,
    /// The tool, case-insensitive.
    pub tool: Option<String>,
}

/// The session of `doctor`'s test calls, which are excluded by default.
const DOCTOR: &str = "guard-host-doctor";

impl Selection {
    /// Returns whether a line is selected. `doctor`'s calls only are if their session is named.
    #[must_use]
    pub fn wants(&self, record: &Record) -> bool {
        let spoke = |part: fn(&str) -> &str, wanted: &str| record.rules.iter().any(|rule| part(rule) == wanted);
        self.is_in_time(record)
            && self.policy.as_ref().is_none_or(|policy| record.policy == *policy || spoke(policy_of, policy))
            && self.rule.as_ref().is_none_or(|rule| record.rule == *rule || spoke(rule_of, rule))
            && self.action.as_ref().is_none_or(|action| record.action == *action)
            && match &self.session {
                Some(session) => record.session.starts_with(session.as_str()),
                None => record.session != DOCTOR,
            }
            && self.tool.as_ref().is_none_or(|tool| record.tool.eq_ignore_ascii_case(tool))
    }

    fn is_in_time(&self, record: &Record) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        // A line with an unreadable time is in no time span.
        time(&record.ts, &TimeZone::UTC)
            .is_some_and(|ts| self.since.is_none_or(|since| ts >= since) && self.until.is_none_or(|until| ts <= until))
    }
}

fn policy_of(rule: &str) -> &str {
    rule.split_once(':').map_or("", |(policy, _)| policy)
}

fn rule_of(rule: &str) -> &str {
    rule.split_once(':').map_or(rule, |(_, rule)| rule)
}

/// Parses a time: `2h` (ago), a date, or a date and time, in `zone` unless it has its own.
#[must_use]
pub fn moment(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    ago(text).and_then(|span| now.checked_sub(span).ok()).or_else(|| time(text, zone))
}

/// Parses a number with a unit: seconds, minutes, hours, days or weeks.
fn ago(text: &str) -> Option<SignedDuration> {
    let split = text.char_indices().next_back().map(|(at, _)| at)?;
    let (number, unit) = text.split_at_checked(split)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let count = Some(number).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<i64>().ok()?;
    Some(SignedDuration::from_secs(count.checked_mul(seconds)?))
}

fn time(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let civil = || text.parse::<DateTime>().or_else(|_| text.parse::<Date>().map(DateTime::from)).ok();
    text.parse::<Timestamp>().ok().or_else(|| Some(zone.to_zoned(civil()?).ok()?.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            ts: "2026-01-02T03:04:05.678Z".to_owned(),
            tool: "Bash".to_owned(),
            action: "block".to_owned(),
            rule: "rm-root".to_owned(),
            policy: "a".to_owned(),
            session: "s-12".to_owned(),
            rules: vec!["a:rm-root".to_owned(), "b:git-push".to_owned()],
            ..Record::default()
        }
    }

    #[test]
    fn each_filter_narrows() {
        let text = |text: &str| Some(text.to_owned());
        let yes = [
            Selection::default(),
            Selection { policy: text("a"), ..Selection::default() },
            Selection { policy: text("b"), ..Selection::default() },
            Selection { rule: text("git-push"), ..Selection::default() },
            Selection { action: text("block"), ..Selection::default() },
            Selection { session: text("s-1"), ..Selection::default() },
            Selection { tool: text("bash"), ..Selection::default() },
            Selection {
                since: time("2026-01-02", &TimeZone::UTC),
                until: time("2026-01-03", &TimeZone::UTC),
                ..Selection::default()
            },
        ];
        assert!(yes.iter().all(|selection| selection.wants(&record())), "{yes:?}");
        let no = [
            Selection { policy: text("c"), ..Selection::default() },
            Selection { rule: text("rm"), ..Selection::default() },
            Selection { action: text("warn"), ..Selection::default() },
            Selection { session: text("12"), ..Selection::default() },
            Selection { tool: text("Write"), ..Selection::default() },
            Selection { since: time("2026-01-03", &TimeZone::UTC), ..Selection::default() },
            Selection { until: time("2026-01-02", &TimeZone::UTC), ..Selection::default() },
        ];
        assert!(!no.iter().any(|selection| selection.wants(&record())), "{no:?}");
    }

    #[test]
    fn a_moment_is_a_span_a_day_or_a_time() {
        let now: Timestamp = "2026-01-10T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("30s", Some("2026-01-10T11:59:30Z")),
            ("2h", Some("2026-01-10T10:00:00Z")),
            ("1d", Some("2026-01-09T12:00:00Z")),
            ("1w", Some("2026-01-03T12:00:00Z")),
            ("2026-01-02", Some("2026-01-02T00:00:00Z")),
            ("2026-01-02T03:04", Some("2026-01-02T03:04:00Z")),
            ("2026-01-02T03:04:05.678Z", Some("2026-01-02T03:04:05.678Z")),
            ("2026-01-02T03:04:05+01:00", Some("2026-01-02T02:04:05Z")),
            ("", None),
            ("h", None),
            ("-2h", None),
            ("2 h", None),
            ("99999999999999999999d", None),
            ("9223372036854775807w", None),
            ("tomorrow", None),
            ("é", None),
        ] {
            let found = moment(text, now, &TimeZone::UTC);
            let expected = expected.and_then(|text| text.parse::<Timestamp>().ok());
            assert_eq!(found, expected, "{text}");
        }
    }
}
