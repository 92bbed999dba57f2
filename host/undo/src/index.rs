//! [`Index`]: the files that git tracks in a work tree, with the stamps by which git knows that they are as in the index.
//!
//! Asking git takes a process, and reading each file more. The index has everything that is needed: versions 2 to 4, with
//! object ids of SHA-1. Of any other one nothing is known, and then nothing is taken for unchanged.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;

use guard_platform::Identity;
use guard_platform::fs::{MetadataExt, identity};

/// The largest index that is read.
const INDEX_BYTES: u64 = 256 << 20;

/// The bytes of an entry before its path: ten numbers, the object id, and the flags.
const FIXED: usize = 62;

/// A tracked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tracked {
    /// The object id, in hexadecimal digits.
    pub(crate) oid: String,
    mode: u32,
    size: u32,
    mtime: (u32, u32),
    ctime: (u32, u32),
    inode: u32,
    is_merged: bool,
}

/// The index of a work tree.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// By the path below the root.
    pub(crate) files: BTreeMap<Vec<u8>, Tracked>,
    written: (i64, i64),
}

impl Index {
    /// Reads an index. None if it cannot be read, or is of a kind that is not known.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok().filter(|data| data.len() <= INDEX_BYTES)?;
        let bytes = std::fs::read(path).ok()?;
        let files = parse(&bytes)?;
        Some(Index { files, written: (data.mtime(), data.mtime_nsec()) })
    }

    /// Whether the file with this metadata is as the index has it. Not if it may have been changed in the moment in which
    /// the index was written.
    pub(crate) fn is_unchanged(&self, tracked: &Tracked, path: &Path, data: &Metadata) -> bool {
        let Ok(Identity { ino, changed, .. }) = identity(path, data) else { return false };
        let cut = |number: i64| u32::try_from(number & 0xffff_ffff).unwrap_or_default();
        let is_executable = data.mode() & 0o100 != 0;
        let mode = match tracked.mode & 0o170_000 {
            0o100_000 => data.is_file() && is_executable == (tracked.mode & 0o100 != 0),
            0o120_000 => data.is_symlink(),
            _ => false,
        };
        // A file that is as new as the index may have been written afterwards.
        let is_settled = (data.mtime(), data.mtime_nsec()) < self.written;
        tracked.is_merged
            && mode
            && is_settled
            && tracked.mtime == (cut(data.mtime()), cut(data.mtime_nsec()))
            && tracked.ctime == (cut(changed.0), cut(changed.1))
            && u64::from(tracked.inode) == ino & 0xffff_ffff
            && u64::from(tracked.size) == data.len() & 0xffff_ffff
    }

    /// Git tracks something below this folder.
    pub(crate) fn tracks_below(&self, folder: &[u8]) -> bool {
        let start = [folder, b"/"].concat();
        self.files.range(start.clone()..).next().is_some_and(|(path, _)| path.starts_with(&start))
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<Vec<u8>, Tracked>> {
    let version = number(bytes, 4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let count = number(bytes, 8)?;
    let mut files = BTreeMap::new();
    let (mut at, mut before): (usize, Vec<u8>) = (12, Vec::new());
    for _ in 0..count {
        let fixed = bytes.get(at..at.checked_add(FIXED)?)?;
        let word = |index: usize| number(fixed, 4 * index);
        let flags = u16::from_be_bytes(fixed.get(60..62)?.try_into().ok()?);
        let extended = if flags & 0x4000 != 0 { 2 } else { 0 };
        let start = at + FIXED + extended;
        let path;
        if version == 4 {
            let (drop, used) = varint(bytes.get(start..)?)?;
            let rest = bytes.get(start + used..)?;
            let end = rest.iter().position(|byte| *byte == 0)?;
            let keep = before.len().checked_sub(drop)?;
            path = [before.get(..keep)?, rest.get(..end)?].concat();
            at = start + used + end + 1;
        } else {
            let rest = bytes.get(start..)?;
            let end = rest.iter().position(|byte| *byte == 0)?;
            path = rest.get(..end)?.to_vec();
            // Padded with one to eight zeros.
            let length = FIXED + extended + end;
            at += (length + 8) & !7;
        }
        let oid = guard_state::hex(fixed.get(40..60)?);
        let tracked = Tracked {
            oid,
            ctime: (word(0)?, word(1)?),
            mtime: (word(2)?, word(3)?),
            inode: word(5)?,
            mode: word(6)?,
            size: word(9)?,
            is_merged: flags & 0x3000 == 0,
        };
        before.clone_from(&path);
        files.insert(path, tracked);
    }
    // A part of a split index, or ids of another length: the entries are not all, or not these.
    let extension = bytes.get(at..at.checked_add(4)?)?;
    if extension == b"link" || bytes.len() < at + 20 {
        return None;
    }
    Some(files)
}

/// Git's numbers of any length: the value, and how many bytes it took.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().take(9).enumerate() {
        value = value.checked_shl(7)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
        value = value.checked_add(1)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let ran = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    #[test]
    fn every_version_gives_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q"]);
        for name in ["a", "ab/c", "ab/cd", "b"] {
            std::fs::create_dir_all(root.join("ab")).unwrap();
            std::fs::write(root.join(name), name).unwrap();
        }
        git(root, &["add", "."]);
        for version in ["2", "3", "4"] {
            git(root, &["update-index", "--index-version", version]);
            let index = Index::read(&root.join(".git/index")).unwrap();
            let names: Vec<&[u8]> = index.files.keys().map(Vec::as_slice).collect();
            assert_eq!(names, [&b"a"[..], b"ab/c", b"ab/cd", b"b"], "{version}");
            assert!(index.tracks_below(b"ab") && !index.tracks_below(b"a"));
        }
    }

    #[test]
    fn a_changed_file_is_told_from_an_unchanged_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q"]);
        std::fs::write(root.join("a"), "1").unwrap();
        std::fs::write(root.join("b"), "1").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(30));
        git(root, &["add", "."]);
        std::fs::write(root.join("b"), "2").unwrap();
        let index = Index::read(&root.join(".git/index")).unwrap();
        let is_unchanged = |name: &str| {
            let path = root.join(name);
            index.is_unchanged(&index.files[name.as_bytes()], &path, &path.symlink_metadata().unwrap())
        };
        assert_eq!((is_unchanged("a"), is_unchanged("b")), (true, false));
    }

    #[test]
    fn what_is_no_index_gives_nothing() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"DIRC\0\0\0\x09\0\0\0\0\0\0\0\0"] {
            assert_eq!(parse(bytes), None);
        }
    }
}
