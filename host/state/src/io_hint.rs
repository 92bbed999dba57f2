//! The remedy for an error of the file system. Each cause has one of its own.

use std::io::{Error, ErrorKind};

/// The remedy for a file that can't be read or written.
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
    use super::*;

    #[test]
    fn each_cause_has_its_own_remedy() {
        for (number, word) in [
            (rustix::io::Errno::NOSPC, "free some space"),
            (rustix::io::Errno::DQUOT, "quota"),
            (rustix::io::Errno::ROFS, "read-only"),
            (rustix::io::Errno::ACCESS, "who owns"),
            (rustix::io::Errno::PERM, "who owns"),
            (rustix::io::Errno::NOENT, "doesn't exist"),
            (rustix::io::Errno::NOTDIR, "in the place of a folder"),
            (rustix::io::Errno::IO, "check the file"),
        ] {
            let hint = io_hint(&Error::from(number));
            assert!(hint.contains(word), "{number}: {hint}");
            assert_eq!(hint.contains("who owns"), word == "who owns", "{number}: {hint}");
        }
    }
}
