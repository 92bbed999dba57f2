//! [`Record`]: the earlier text of a file to which a registration was added, so that removing it restores the file
//! exactly.
//!
//! Only the difference is recorded, sealed, in the state folder. If the file has changed since, the registration is
//! removed by an edit instead.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Seal, hex, make_private};

/// Incremented whenever the format of [`Record`] changes.
const PURPOSE: &str = "registration 1";

/// The maximum number of records that are listed.
const RECORDS: usize = 256;

/// The earlier text of a file, as a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    file: PathBuf,
    /// The file didn't exist.
    absent: bool,
    /// The number of unchanged bytes at the start. `end` has those at the end.
    start: usize,
    end: usize,
    /// The earlier text between the unchanged parts.
    removed: String,
    /// The digest of the text that this record can undo.
    after: String,
    folders: Vec<PathBuf>,
}

impl Record {
    /// Creates the record for a file whose text was `before` and is now `after`.
    pub fn new(file: &Path, before: Option<&str>, after: &str) -> Self {
        let old = before.unwrap_or_default();
        let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
            a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
        };
        let start = same(&mut old.chars(), &mut after.chars());
        let rest = |text: &str| text.get(start..).unwrap_or_default().to_owned();
        let end = same(&mut rest(old).chars().rev(), &mut rest(after).chars().rev());
        let removed = old.get(start..old.len() - end).unwrap_or_default().to_owned();
        let file = file.to_path_buf();
        Record { file, absent: before.is_none(), start, end, removed, after: digest(after), folders: Vec::new() }
    }

    /// Returns the file's earlier text: `Some(None)` if the file didn't exist, `None` if `text` isn't the one that was
    /// recorded.
    pub fn undo(&self, text: &str) -> Option<Option<String>> {
        if digest(text) != self.after {
            return None;
        }
        if self.absent {
            return Some(None);
        }
        let (start, end) = (text.get(..self.start)?, text.get(text.len().checked_sub(self.end)?..)?);
        Some(Some([start, &self.removed, end].concat()))
    }

    /// Adds the folders that were created for the file.
    pub fn with_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.folders.extend(folders);
        self
    }

    /// The folders that were created for the file, outermost first.
    pub fn folders(self) -> Vec<PathBuf> {
        self.folders
    }

    /// Reads the record of a file. `None` without a record with a valid seal.
    pub fn read(state: &Path, file: &Path) -> Option<Self> {
        let path = registration_path(state, file);
        // Opening the seal would create a key, so it is only opened if there is a record.
        if !path.exists() {
            return None;
        }
        Seal::open(state).ok()?.read::<Record>(PURPOSE, &path).filter(|record| record.file == file)
    }

    /// Lists the files of all records with a valid seal.
    pub fn files(state: &Path) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(folder(state)) else { return Vec::new() };
        let Ok(seal) = Seal::open(state) else { return Vec::new() };
        let records = entries.flatten().take(RECORDS).filter_map(|entry| seal.read::<Record>(PURPOSE, &entry.path()));
        let mut files: Vec<PathBuf> = records.map(|record| record.file).collect();
        files.sort();
        files
    }

    /// Writes the record. Errors are ignored: without a record, removing the registration may only leave different
    /// white space.
    pub fn write(mut self, state: &Path) {
        if let Some(older) = Record::read(state, &self.file) {
            let newer = std::mem::take(&mut self.folders);
            self.folders = older.folders.into_iter().chain(newer).collect();
        }
        let path = registration_path(state, &self.file);
        let Ok(seal) = Seal::open(state) else { return };
        if path.parent().is_some_and(|folder| make_private(folder).is_ok()) {
            let _ = seal.write(PURPOSE, &path, &self);
        }
    }

    /// Deletes the record of a file.
    pub fn forget(state: &Path, file: &Path) {
        let _ = std::fs::remove_file(registration_path(state, file));
    }
}

/// Lists the files with registrations, and the folder whose change means that the list may be out of date.
#[must_use]
pub fn list_registered(state: &Path) -> (Vec<PathBuf>, PathBuf) {
    (Record::files(state), folder(state))
}

/// The folder of the records.
pub fn folder(state: &Path) -> PathBuf {
    state.join("registrations")
}

fn registration_path(state: &Path, file: &Path) -> PathBuf {
    folder(state).join(format!("{}.json", digest(&file.to_string_lossy())))
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_that_was_changed_since_is_not_undone() {
        let record = Record::new(Path::new("/f"), Some("{}"), "{ x }");
        assert_eq!(record.undo("{ x }"), Some(Some("{}".to_owned())));
        assert_eq!(record.undo("{ y }"), None);
        assert_eq!(Record::new(Path::new("/f"), None, "{ x }").undo("{ x }"), Some(None));
    }

    proptest! {
        #[test]
        fn undo_gives_back_every_byte(before in "[aé{}\\n]{0,12}", after in "[aé{}\\n]{0,12}") {
            let record = Record::new(Path::new("/f"), Some(&before), &after);
            prop_assert_eq!(record.undo(&after), Some(Some(before)));
        }
    }
}
