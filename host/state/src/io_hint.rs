//! Hints for errors of the file system.

use std::io::{Error, ErrorKind};

/// Returns the hint for a file that can't be read or written.
#[must_use]
pub fn io_hint(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull => "free some space: `df -h` shows which disk is full",
        ErrorKind::QuotaExceeded => "free some space: your disk quota is used up",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only: remount it, or use a path on another one",
        ErrorKind::PermissionDenied => {
            "check who owns the file and its folder; files for the whole machine need `sudo`"
        }
        ErrorKind::NotFound => "check the path: a folder on the way to the file doesn't exist",
        ErrorKind::NotADirectory => "check the path: a file is in the place of a folder on the way",
        _ => "check the file and its folder",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn each_cause_has_its_own_remedy() {
        let hint = |number: Errno| io_hint(&Error::from(number));
        let errors = [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::ACCESS, Errno::NOENT, Errno::NOTDIR, Errno::IO];
        let hints: BTreeSet<_> = errors.map(hint).into_iter().collect();
        assert_eq!(hints.len(), errors.len(), "{hints:#?}");
        assert_eq!(hint(Errno::PERM), hint(Errno::ACCESS));
    }
}
