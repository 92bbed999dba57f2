//! The backups of what calls destroyed, and the restores, from the log and the existing backups.

use std::collections::BTreeMap;

use guard_hook::audit::{Record, Selection, UNDO};
use guard_redact::{plain, redact, shorten};
use guard_state::AppDirs;
use guard_undo::{BackupCoverage, Store};

use super::{CALL_BYTES, CALLS, NAME_BYTES};

/// This program's name as a tool, because a restore that makes a backup isn't a call.
const OWN: &str = "guard-host";

/// A call with a backup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BackedUpCall {
    pub(super) time: String,
    pub(super) operation: String,
    /// Whether the backup is incomplete.
    pub(super) is_part: bool,
    /// Whether the backup was removed since.
    pub(super) is_gone: bool,
    /// The times of restores, and what was restored.
    pub(super) restores: Vec<(String, String)>,
}

/// The calls with a backup, by the backup's name.
#[derive(Debug, Default)]
pub(super) struct BackedUpCalls(BTreeMap<String, BackedUpCall>);

impl BackedUpCalls {
    /// Adds a line of the log.
    pub(super) fn add_record(&mut self, record: &Record) {
        if record.undo.is_empty() || (self.0.len() >= CALLS && !self.0.contains_key(&record.undo)) {
            return;
        }
        let text = |text: &str, bytes| shorten(&plain(text), bytes);
        let of = self
            .0
            .entry(record.undo.clone())
            .or_insert_with(|| BackedUpCall { is_gone: true, ..BackedUpCall::default() });
        if record.action == UNDO {
            of.restores.push((text(&record.ts, NAME_BYTES), text(&record.operation, CALL_BYTES)));
        } else {
            (of.time, of.operation) = (text(&record.ts, NAME_BYTES), text(&record.operation, CALL_BYTES));
        }
    }

    /// Adds the existing backups, including those of calls that aren't in the log. Does nothing without a key.
    pub(super) fn add_kept(&mut self, dirs: &AppDirs, selection: &Selection) {
        for manifest in Store::in_state(&dirs.state).list().unwrap_or_default() {
            let line = Record {
                ts: manifest.time.clone(),
                tool: manifest.tool.clone(),
                session: manifest.session.clone(),
                action: "allow".to_owned(),
                ..Record::default()
            };
            let is_known = self.0.contains_key(&manifest.id);
            let is_wanted = is_known || manifest.tool != OWN && selection.wants(&line) && self.0.len() < CALLS;
            if manifest.kept == BackupCoverage::Nothing || !is_wanted {
                continue;
            }
            let of = self.0.entry(manifest.id).or_default();
            (of.is_gone, of.is_part) = (false, manifest.kept == BackupCoverage::Partly);
            if of.operation.is_empty() {
                of.time = shorten(&plain(&manifest.time), NAME_BYTES);
                of.operation = shorten(&plain(&redact(&manifest.call)), CALL_BYTES);
            }
        }
    }

    /// Returns the number of calls with a backup, and of restored backups.
    pub(super) fn counts(&self) -> (u64, u64) {
        let restored = self.0.values().filter(|copied| !copied.restores.is_empty()).count();
        (self.0.len() as u64, restored as u64)
    }

    /// Returns the calls: restored ones first, then the newest.
    pub(super) fn newest_calls(&self) -> Vec<&BackedUpCall> {
        let mut all: Vec<&BackedUpCall> = self.0.values().collect();
        all.sort_by(|one, other| {
            let key = |of: &BackedUpCall| (!of.restores.is_empty(), of.time.clone());
            key(other).cmp(&key(one))
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(action: &str, undo: &str, operation: &str) -> Record {
        Record {
            ts: "2026-01-02T03:04:05.678Z".to_owned(),
            action: action.to_owned(),
            undo: undo.to_owned(),
            operation: operation.to_owned(),
            ..Record::default()
        }
    }

    #[test]
    fn a_copy_is_counted_once_and_so_is_its_restore() {
        let mut copies = BackedUpCalls::default();
        for line in [
            record("confirm_required", "a", "rm -r d"),
            record("confirm_required", "b", "rm -r e"),
            record("block", "", "rm -rf /"),
            record(UNDO, "a", "restored 1 path from a"),
            record(UNDO, "a", "restored 2 paths from a"),
        ] {
            copies.add_record(&line);
        }
        assert_eq!(copies.counts(), (2, 1));
        let first = copies.newest_calls()[0];
        assert_eq!((first.operation.as_str(), first.restores.len(), first.is_gone), ("rm -r d", 2, true));
    }
}
