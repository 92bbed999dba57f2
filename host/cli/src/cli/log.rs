//! Reads the audit log for commands.

use std::path::Path;

use super::args::Filters;
use super::subject::exit_error;
use guard_contract::exit::Exit;
use guard_hook::audit::{Next, Reader, Record, Selection, moment};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Opens the log at its oldest line.
pub(super) fn open(path: &Path) -> anyhow::Result<Reader> {
    Reader::open(path).map_err(|error| {
        let text = format!("the audit log `{}` cannot be read: {error}", path.display());
        exit_error(Exit::NoInput, text, "see `guard-host config show` for its place")
    })
}

/// Converts the flags to a selection of lines.
pub(super) fn selection(filters: &Filters) -> anyhow::Result<Selection> {
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let time = |name: &str, text: &Option<String>| {
        let Some(text) = text else { return Ok(None) };
        moment(text, now, &zone).map(Some).ok_or_else(|| {
            let hint = "give a span such as `2h` or `7d`, a day such as `2026-01-31`, or a time";
            exit_error(Exit::Usage, format!("invalid time `--{name} {text}`"), hint)
        })
    };
    Ok(Selection {
        since: time("since", &filters.since)?,
        until: time("until", &filters.until)?,
        policy: filters.policy.clone(),
        rule: filters.rule.clone(),
        action: filters.action.map(|action| action.word().to_owned()),
        session: filters.session.clone(),
        tool: filters.tool.clone(),
    })
}

/// Calls `take` with the selected records of a log and their lines, oldest first. Returns the number of damaged lines.
pub(super) fn for_each_record(
    path: &Path,
    selection: &Selection,
    mut take: impl FnMut(&Record, &str) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut reader = open(path)?;
    while let Next::Record(record, line) = reader.read()? {
        if selection.wants(&record) {
            take(&record, &line)?;
        }
    }
    reader.drop_unfinished();
    Ok(reader.damaged)
}
