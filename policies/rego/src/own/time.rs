//! The functions for times that need no clock. Times are nanoseconds since 1970 in UTC. Other zones are unknown.

use regorus::Value;

use super::{Function, argument, text};

pub(super) const FUNCTIONS: [(&str, u8, Function); 8] = [
    ("time.add_date", 4, add_date),
    ("time.clock", 1, clock),
    ("time.date", 1, date),
    ("time.diff", 2, diff),
    ("time.format", 1, format),
    ("time.parse_duration_ns", 1, parse_duration),
    ("time.parse_rfc3339_ns", 1, parse_rfc3339),
    ("time.weekday", 1, weekday),
];

const SECOND: i128 = 1_000_000_000;

const DAY: i128 = 86_400 * SECOND;

/// The units of a duration in nanoseconds.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
];

/// A date and the time of day.
struct DateTime {
    year: i128,
    month: i128,
    day: i128,
    /// Nanoseconds since midnight.
    rest: i128,
}

impl DateTime {
    fn from_nanoseconds(ns: i128) -> Self {
        // Counted from the first of March of the year 0, so that a leap day is the last day of its year.
        let days = ns.div_euclid(DAY) + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, turn) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Self { year: year + 400 * era + turn, month, day, rest: ns.rem_euclid(DAY) }
    }

    /// Months and days beyond their range overflow into the next.
    fn ns(&self) -> i128 {
        let (months, turn) = ((self.month - 1).rem_euclid(12), (self.month - 1).div_euclid(12));
        let month = (months + 10) % 12;
        let year = self.year + turn - i128::from(months < 2);
        let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        (days + (153 * month + 2) / 5 + self.day - 1 - 719_468) * DAY + self.rest
    }

    /// Returns hours, minutes and seconds.
    fn clock(&self) -> [i128; 3] {
        let seconds = self.rest / SECOND;
        [seconds / 3_600, seconds / 60 % 60, seconds % 60]
    }
}

fn to_integer(value: &Value) -> Result<i128, String> {
    value.as_i64().map(i128::from).map_err(|_| "its argument is no whole number of 64 bits".to_owned())
}

/// Parses a time argument: nanoseconds, or a list of nanoseconds and a zone.
fn moment(arguments: &[Value], at: usize) -> Result<DateTime, String> {
    let value = argument(arguments, at)?;
    let Ok(list) = value.as_array() else { return Ok(DateTime::from_nanoseconds(to_integer(value)?)) };
    let mut list = list.iter();
    let (Some(ns), zone, None) = (list.next(), list.next(), list.next()) else {
        return Err("a time is nanoseconds, or a list of them and a zone".to_owned());
    };
    match zone.map(|zone| zone.as_string().map(AsRef::as_ref)) {
        None | Some(Ok("" | "UTC")) => Ok(DateTime::from_nanoseconds(to_integer(ns)?)),
        _ => Err("no zone is known but `UTC`".to_owned()),
    }
}

/// Returns nanoseconds in the range of other engines.
fn ns(ns: i128) -> Result<Value, String> {
    i64::try_from(ns).map(Value::from).map_err(|_| "the time is beyond 64 bits of nanoseconds".to_owned())
}

fn list(numbers: impl IntoIterator<Item = i128>) -> Value {
    Value::from(numbers.into_iter().map(Value::from).collect::<Vec<_>>())
}

fn add_date(arguments: &[Value]) -> Result<Value, String> {
    let mut moment = moment(arguments, 0)?;
    let number = |at: usize| {
        let number = argument(arguments, at)?.as_i32();
        number.map(i128::from).map_err(|_| "years, months and days are whole numbers of 32 bits".to_owned())
    };
    moment.year += number(1)?;
    moment.month += number(2)?;
    moment.day += number(3)?;
    ns(moment.ns())
}

fn clock(arguments: &[Value]) -> Result<Value, String> {
    Ok(list(moment(arguments, 0)?.clock()))
}

fn date(arguments: &[Value]) -> Result<Value, String> {
    let DateTime { year, month, day, .. } = moment(arguments, 0)?;
    Ok(list([year, month, day]))
}

fn weekday(arguments: &[Value]) -> Result<Value, String> {
    let days = moment(arguments, 0)?.ns().div_euclid(DAY);
    let name = match days.rem_euclid(7) {
        0 => "Thursday",
        1 => "Friday",
        2 => "Saturday",
        3 => "Sunday",
        4 => "Monday",
        5 => "Tuesday",
        _ => "Wednesday",
    };
    Ok(Value::from(name))
}

/// Returns the years, months, days, hours, minutes and seconds between two times.
fn diff(arguments: &[Value]) -> Result<Value, String> {
    let (one, other) = (moment(arguments, 0)?, moment(arguments, 1)?);
    let (from, to) = if one.ns() <= other.ns() { (one, other) } else { (other, one) };
    let [[from_hour, from_minute, from_second], [hour, minute, second]] = [from.clock(), to.clock()];
    let (mut year, mut month, mut day) = (to.year - from.year, to.month - from.month, to.day - from.day);
    let seconds = (hour - from_hour) * 3_600 + (minute - from_minute) * 60 + second - from_second;
    day += seconds.div_euclid(86_400);
    let seconds = seconds.rem_euclid(86_400);
    if day < 0 {
        // The number of days in the month in which it begins.
        let next = DateTime { month: from.month + 1, day: 1, rest: 0, ..from };
        day += (next.ns() - DateTime { month: from.month, ..next }.ns()) / DAY;
        month -= 1;
    }
    year += month.div_euclid(12);
    month = month.rem_euclid(12);
    Ok(list([year, month, day, seconds / 3_600, seconds / 60 % 60, seconds % 60]))
}

/// Formats a time as in RFC 3339.
fn format(arguments: &[Value]) -> Result<Value, String> {
    let moment = moment(arguments, 0)?;
    let DateTime { year, month, day, rest } = &moment;
    let [hour, minute, second] = moment.clock();
    let part = format!("{:09}", rest % SECOND);
    let part = part.trim_end_matches('0');
    let dot = if part.is_empty() { "" } else { "." };
    Ok(Value::from(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{dot}{part}Z")))
}

/// Parses a number with exactly this many digits, and returns the rest.
fn digits(text: &str, many: usize) -> Option<(i128, &str)> {
    let (number, rest) = text.split_at_checked(many)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some((number.parse().ok()?, rest)))?
}

fn parse_rfc3339(arguments: &[Value]) -> Result<Value, String> {
    let text = text(arguments, 0)?;
    let parsed = rfc3339_nanoseconds(text).ok_or_else(|| format!("`{text}` is no time as RFC 3339 writes it"))?;
    ns(parsed)
}

fn rfc3339_nanoseconds(text: &str) -> Option<i128> {
    let (year, text) = digits(text, 4)?;
    let (month, text) = digits(text.strip_prefix('-')?, 2)?;
    let (day, text) = digits(text.strip_prefix('-')?, 2)?;
    let (hour, text) = digits(text.strip_prefix('T')?, 2)?;
    let (minute, text) = digits(text.strip_prefix(':')?, 2)?;
    let (second, text) = digits(text.strip_prefix(':')?, 2)?;
    let (part, text) = match text.strip_prefix('.') {
        None => (0, text),
        Some(text) => {
            let end = text.find(|c: char| !c.is_ascii_digit())?;
            let (part, text) = text.split_at_checked(end).filter(|(part, _)| !part.is_empty())?;
            (format!("{part:0<9}").get(..9)?.parse().ok()?, text)
        }
    };
    let offset = if text == "Z" {
        0
    } else {
        let (sign, text) =
            text.strip_prefix('+').map(|text| (1, text)).or(text.strip_prefix('-').map(|text| (-1, text)))?;
        let (hours, text) = digits(text, 2)?;
        let (minutes, text) = digits(text.strip_prefix(':')?, 2)?;
        (text.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))?
    };
    let seconds = (hour * 60 + minute - offset) * 60 + second;
    let moment = DateTime { year, month, day, rest: 0 };
    // A day beyond its month would overflow.
    let is_there = hour < 24
        && minute < 60
        && second < 60
        && DateTime::from_nanoseconds(moment.ns()).day == day
        && (1..=12).contains(&month);
    is_there.then(|| moment.ns() + seconds * SECOND + part)
}

fn parse_duration(arguments: &[Value]) -> Result<Value, String> {
    let text = text(arguments, 0)?;
    let parsed = duration_nanoseconds(text).ok_or_else(|| format!("`{text}` is no duration such as `1h30m`"))?;
    ns(parsed)
}

fn duration_nanoseconds(text: &str) -> Option<i128> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut sum: i128 = 0;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let (before, part) = number.split_once('.').unwrap_or((number, ""));
        // A duration can't have more digits.
        if before.len() + part.len() == 0 || before.len() > 19 || part.len() > 12 || part.contains('.') {
            return None;
        }
        let value = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<i128>().ok() };
        let scale = 10_i128.pow(u32::try_from(part.len()).ok()?);
        sum += value(before)? * unit + value(part)? * unit / scale;
        if after.is_empty() {
            return Some(sign * sum);
        }
        rest = after;
    }
}
