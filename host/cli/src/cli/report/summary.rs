//! The summary of a report: one sentence, the most severe blocked calls, and a comparison of the last two weeks.

use std::cmp::Reverse;

use guard_hook::audit::Stats;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::chart::kinds;
use super::{Call, Report};

/// The number of blocked calls that are shown first.
const WORST: usize = 5;

/// The number of days that are compared with the same number of days before.
const WEEK: i64 = 7;

/// Returns the counts of a report in one sentence.
pub(super) fn sentence(report: &Report<'_>) -> String {
    let action = |name: &str| report.stats.actions.get(name).copied().unwrap_or(0);
    let [asks, ran, refused] = report.questions;
    let blocked = match action("block") {
        0 => "blocked nothing".to_owned(),
        count => format!("blocked {}", calls(count)),
    };
    let outcomes = [
        (ran, "ran"),
        (refused, if refused == 1 { "was refused" } else { "were refused" }),
        (
            asks.saturating_sub(ran + refused),
            if ran + refused == 0 { "have no known answer" } else { "without a known answer" },
        ),
    ];
    let outcomes: Vec<String> =
        outcomes.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let asked = match asks {
        0 => "asked about nothing".to_owned(),
        count => format!("asked about {} ({})", calls(count), outcomes.join(", ")),
    };
    match period(&report.stats) {
        Some(period) => format!("{period}, guard-host {blocked} and {asked}."),
        None => "The log has no calls in this period.".to_owned(),
    }
}

fn calls(count: u64) -> String {
    format!("{count} {}", if count == 1 { "call" } else { "calls" })
}

/// Returns the blocked calls to show first: by their worst effect, then by frequency.
pub(super) fn worst(all: &[Call]) -> Vec<&Call> {
    let mut blocked: Vec<&Call> = all.iter().filter(|call| call.action == "deny").collect();
    let severity = |call: &Call| call.judged.as_ref().map_or(0, |judged| judged.severity);
    blocked.sort_by_key(|call| Reverse((severity(call), call.times)));
    blocked.truncate(WORST);
    blocked
}

/// Compares the last week with the one before. `None` if the log doesn't cover both.
pub(super) fn trend(stats: &Stats) -> Option<String> {
    let days = || stats.days.iter().filter_map(|(day, actions)| Some((day.parse::<Date>().ok()?, kinds(actions))));
    let (first, last) = (days().next()?.0, days().next_back()?.0);
    let ago = |day: Date| last.since(day).map_or(i64::MAX, |span| i64::from(span.get_days()));
    if ago(first) < 2 * WEEK - 1 {
        return None;
    }
    let sum = |weeks: i64, kind: usize| -> u64 {
        let of_week = days().filter(|(day, _)| ago(*day) / WEEK == weeks);
        of_week.filter_map(|(_, kinds)| kinds.get(kind).copied()).sum()
    };
    Some(format!(
        "In the last {WEEK} days: {} blocked and {} asked about. In the {WEEK} days before: {} and {}.",
        sum(0, 0),
        sum(0, 1),
        sum(1, 0),
        sum(1, 1)
    ))
}

/// Returns the days of the log as the start of a sentence. `None` if it is empty.
fn period(stats: &Stats) -> Option<String> {
    let day = |ts: &str| ts.get(..10)?.parse::<Date>().ok();
    let (from, to) = (day(&stats.from)?, day(&stats.to)?);
    let to_text = to.strftime("%-d %B %Y");
    Some(if from == to {
        format!("On {to_text}")
    } else if (from.year(), from.month()) == (to.year(), to.month()) {
        format!("From {} to {to_text}", from.day())
    } else if from.year() == to.year() {
        format!("From {} to {to_text}", from.strftime("%-d %B"))
    } else {
        format!("From {} to {to_text}", from.strftime("%-d %B %Y"))
    })
}

/// Formats a time of the log in the local time zone. An invalid time is unchanged.
pub(super) fn time(ts: &str) -> String {
    match ts.parse::<Timestamp>() {
        Ok(at) => at.to_zoned(TimeZone::system()).strftime("%-d %B %Y, %H:%M").to_string(),
        Err(_) => ts.to_owned(),
    }
}

/// Formats a day of the log in short.
pub(super) fn short_day(day: &str) -> String {
    day.parse::<Date>().map_or_else(|_| day.to_owned(), |day| day.strftime("%-d %b").to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::civil::date;

    use super::*;

    fn stats(from: &str, to: &str) -> Stats {
        Stats { from: format!("{from}T03:04:05.678Z"), to: format!("{to}T03:04:05.678Z"), ..Stats::default() }
    }

    #[test]
    fn a_period_names_what_differs() {
        let of = |from, to| period(&stats(from, to)).unwrap();
        assert_eq!(of("2026-11-29", "2026-11-29"), "On 29 November 2026");
        assert_eq!(of("2026-11-01", "2026-11-29"), "From 1 to 29 November 2026");
        assert_eq!(of("2026-10-30", "2026-11-02"), "From 30 October to 2 November 2026");
        assert_eq!(of("2025-12-30", "2026-01-02"), "From 30 December 2025 to 2 January 2026");
        assert_eq!(period(&Stats::default()), None);
    }

    #[test]
    fn two_weeks_are_compared() {
        let mut stats = stats("2026-11-01", "2026-11-14");
        for day in 1..=14 {
            let actions = BTreeMap::from([("block".to_owned(), if day > 7 { 1 } else { 2 })]);
            stats.days.insert(date(2026, 11, day).to_string(), actions);
        }
        let told = "In the last 7 days: 7 blocked and 0 asked about. In the 7 days before: 14 and 0.";
        assert_eq!(trend(&stats).unwrap(), told);
        stats.days.remove("2026-11-01");
        assert_eq!(trend(&stats), None, "13 days are no two weeks");
    }
}
