//! The audit log, as commands read it.

use std::path::Path;

use super::args::Filters;
use super::subject::refused;
use guard_contract::exit::Exit;
use guard_hook::audit::{Next, Reader, Record, Selection, moment};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The log from its oldest line on.
pub(super) fn open(path: &Path) -> anyhow::Result<Reader> {
    Reader::open(path).map_err(|error| {
        let text = format!("the audit log `{}` cannot be read: {error}", path.display());
        refused(Exit::NoInput, text, "see `guard-host config show` for its place")
    })
}

/// Which lines the flags want.
pub(super) fn selection(filters: &Filters) -> anyhow::Result<Selection> {
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let time = |name: &str, text: &Option<String>| {
        let Some(text) = text else { return Ok(None) };
        moment(text, now, &zone).map(Some).ok_or_else(|| {
            let hint = "give a span such as `2h` or `7d`, a day such as `2026-01-31`, or a time";
            refused(Exit::Usage, format!("invalid time `--{name} {text}`"), hint)
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

/// The wanted records of a log with their lines, from the oldest on. Returns how many lines are damaged.
pub(super) fn each(
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
