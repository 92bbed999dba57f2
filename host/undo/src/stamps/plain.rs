//! [`StampReader`]: reads files' metadata by path, on systems without access relative to open folders.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use guard_platform::paths::from_git;

use crate::gather::SkipReason;
use crate::index::{Index, Stamp, TrackedFile};

/// Examines files one by one.
pub(super) struct StampReader<'a> {
    index: &'a Index,
    root: &'a Path,
    pub(super) found: BTreeSet<PathBuf>,
}

impl<'a> StampReader<'a> {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere a folder is opened first")]
    pub(super) fn new(index: &'a Index, root: &'a Path) -> Result<Self, SkipReason> {
        Ok(StampReader { index, root, found: BTreeSet::new() })
    }

    #[expect(clippy::unnecessary_wraps, reason = "elsewhere a folder may refuse")]
    pub(super) fn check_file(&mut self, tracked: &TrackedFile<'_>) -> Result<(), SkipReason> {
        let Some(path) = from_git(tracked.path).map(|path| self.root.join(path)) else { return Ok(()) };
        let data = match path.symlink_metadata() {
            Ok(data) => data,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            // The code that copies it will report the error.
            Err(_) => {
                self.found.insert(path);
                return Ok(());
            }
        };
        let stamp = Stamp::read(&path, &data);
        let is_unchanged = stamp.is_some_and(|stamp| self.index.is_unchanged(tracked, &stamp));
        if !(is_unchanged || data.is_dir() && tracked.is_folder()) {
            self.found.insert(path);
        }
        Ok(())
    }
}
