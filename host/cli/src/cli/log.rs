//! Reads the audit log for commands.

use std::io::ErrorKind;
use std::path::Path;

use super::args::Filters;
use super::print;
use super::subject::exit_error;
use guard_contract::exit::Exit;
use guard_contract::shell_word::word;
use guard_hook::audit::{Next, Reader, Record, Selection, moment, rotated};
use guard_platform::access::is_administrator;
use guard_platform::account::other_owner;
use guard_state::io_hint;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Fails if there is no log.
pub(super) fn require(path: &Path) -> anyhow::Result<()> {
    if exists(path) {
        return Ok(());
    }
    if let Some(error) = path.symlink_metadata().err().filter(|error| error.kind() == ErrorKind::PermissionDenied) {
        let text = format!("can't read the audit log `{}`: {error}", path.display());
        return Err(exit_error(Exit::NoInput, text, io_hint(&error)));
    }
    let text = format!("there is no audit log `{}`", path.display());
    Err(exit_error(Exit::NoInput, text, "see `guard-host config show` for its place"))
}

/// Prints a note if there is no log.
pub(super) fn note_missing(path: &Path) {
    if !exists(path) {
        print::note(&format!("there is no audit log `{}` yet", path.display()));
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok() || rotated(path).symlink_metadata().is_ok()
}

/// Fails if another user owns the log, because only that user's key fits it, and only their state folder is used.
pub(super) fn require_own(path: &Path, command: &str) -> anyhow::Result<()> {
    let Some(user) = other_owner(path).filter(|_| is_administrator()) else { return Ok(()) };
    let text = format!("the audit log `{}` belongs to `{user}`", path.display());
    Err(exit_error(Exit::NoInput, text, format!("run: sudo -u {} -H guard-host audit {command}", word(&user))))
}

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
