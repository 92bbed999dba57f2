//! [`Index`]: the files that git tracks in a work tree, with the stamps by which it detects changes.
//!
//! Starting git takes a process, and reading every file takes longer. The index has everything that is needed. Supports
//! versions 2 to 4 with SHA-1 object ids. With any other index, no file is considered unchanged.
//!
//! A repository can have 100,000 files and a call waits, so an entry is only a position in the bytes of the index.

use std::cmp::Ordering;
use std::fs::Metadata;
use std::path::Path;

use guard_platform::Identity;
use guard_platform::fs::{MetadataExt, identity};
#[cfg(unix)]
use rustix::fs::Stat;

/// The maximum size of an index, and of all its paths, in bytes.
const INDEX_BYTES: u64 = 256 << 20;

/// The size of an entry before its path, in bytes: ten numbers, the object id, and the flags.
const FIXED: usize = 62;

/// The size of an object id, and of the checksum at the end, in bytes.
const OID: usize = 20;

/// The length in the flags if a path is longer than they can express.
const LONG: usize = 0xfff;

/// A file's metadata, in the detail that the index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    mode: u32,
    size: u32,
    inode: u32,
    /// Seconds and nanoseconds.
    mtime: (i64, i64),
    ctime: (u32, u32),
}

/// Returns the lowest 32 bits, because the index has no more.
fn low(number: impl Into<i128>) -> u32 {
    u32::try_from(number.into() & 0xffff_ffff).unwrap_or_default()
}

#[cfg(unix)]
fn to_i64(number: impl Into<i128>) -> i64 {
    i64::try_from(number.into()).unwrap_or_default()
}

impl Stamp {
    /// Creates the stamp of a path with this metadata.
    pub(crate) fn read(path: &Path, data: &Metadata) -> Option<Self> {
        let Identity { ino, changed, .. } = identity(path, data).ok()?;
        Some(Stamp {
            mode: data.mode(),
            size: low(data.len()),
            inode: low(ino),
            mtime: (data.mtime(), data.mtime_nsec()),
            ctime: (low(changed.0), low(changed.1)),
        })
    }
}

// The fields have other types on other systems.
#[cfg(unix)]
impl From<&Stat> for Stamp {
    fn from(data: &Stat) -> Self {
        Stamp {
            mode: low(data.st_mode),
            size: low(data.st_size),
            inode: low(data.st_ino),
            mtime: (to_i64(data.st_mtime), to_i64(data.st_mtime_nsec)),
            ctime: (low(data.st_ctime), low(data.st_ctime_nsec)),
        }
    }
}

/// The position of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryLocation {
    /// The offset of its numbers.
    at: usize,
    /// The offset and length of its path.
    path: (usize, usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackedFile<'a> {
    fixed: &'a [u8],
    /// The path below the root.
    pub(crate) path: &'a [u8],
}

impl<'a> TrackedFile<'a> {
    fn fixed_word(&self, index: usize) -> u32 {
        number(self.fixed, 4 * index).unwrap_or_default()
    }

    fn id(&self) -> &'a [u8] {
        self.fixed.get(40..40 + OID).unwrap_or_default()
    }

    /// Returns the object id in hexadecimal.
    pub(crate) fn oid(&self) -> String {
        guard_state::hex(self.id())
    }

    /// Returns whether it is a submodule, or a folder outside of a sparse work tree.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.fixed_word(6) & 0o170_000, 0o160_000 | 0o040_000)
    }

    /// Returns whether it isn't one side of a conflict.
    pub(crate) fn is_merged(&self) -> bool {
        self.fixed.get(60).is_some_and(|flags| flags & 0x30 == 0)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    bytes: Vec<u8>,
    /// The paths of version 4, in which each path only has the difference from the previous one. In other versions,
    /// paths are in `bytes`.
    paths: Option<Vec<u8>>,
    /// The positions, in the order of their paths.
    slots: Vec<EntryLocation>,
    /// The tree of all entries, if the index has it.
    tree: Option<String>,
    written: (i64, i64),
}

impl Index {
    /// Reads an index. `None` if it can't be read or its format isn't supported.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok().filter(|data| data.len() <= INDEX_BYTES)?;
        let index = parse(std::fs::read(path).ok()?)?;
        Some(Index { written: (data.mtime(), data.mtime_nsec()), ..index })
    }

    fn tracked_file(&self, slot: EntryLocation) -> TrackedFile<'_> {
        let (start, length) = slot.path;
        let paths = self.paths.as_deref().unwrap_or(&self.bytes);
        TrackedFile {
            fixed: self.bytes.get(slot.at..).unwrap_or_default(),
            path: paths.get(start..).and_then(|rest| rest.get(..length)).unwrap_or_default(),
        }
    }

    /// Returns the entries at these positions.
    pub(crate) fn entries<'a>(&'a self, slots: &'a [EntryLocation]) -> impl Iterator<Item = TrackedFile<'a>> {
        slots.iter().map(|slot| self.tracked_file(*slot))
    }

    /// Returns the positions of all entries.
    pub(crate) fn slots(&self) -> &[EntryLocation] {
        &self.slots
    }

    /// Returns the positions of a path's entries, and of everything below it.
    pub(crate) fn entries_below(&self, path: &[u8]) -> [&[EntryLocation]; 2] {
        let folder = [path, b"/"].concat();
        [
            self.range(|other| other.cmp(path)),
            self.range(|other| match other.starts_with(&folder) {
                true => Ordering::Equal,
                false => other.cmp(&folder),
            }),
        ]
    }

    fn range(&self, order: impl Fn(&[u8]) -> Ordering) -> &[EntryLocation] {
        let start = self.slots.partition_point(|slot| order(self.tracked_file(*slot).path).is_lt());
        let rest = self.slots.get(start..).unwrap_or_default();
        let length = rest.partition_point(|slot| order(self.tracked_file(*slot).path).is_eq());
        rest.get(..length).unwrap_or_default()
    }

    /// Returns whether both have the same files with the same contents.
    pub(crate) fn has_same_files(&self, other: &Index) -> bool {
        let (own, others) = (self.entries(&self.slots), other.entries(&other.slots));
        own.map(|tracked| (tracked.path, tracked.id())).eq(others.map(|tracked| (tracked.path, tracked.id())))
    }

    /// Returns the entry of a path. In a conflict, the first one.
    pub(crate) fn get(&self, path: &[u8]) -> Option<TrackedFile<'_>> {
        let [own, _] = self.entries_below(path);
        self.entries(own).next()
    }

    /// Returns whether git tracks something below this folder.
    pub(crate) fn tracks_below(&self, folder: &[u8]) -> bool {
        let [_, below] = self.entries_below(folder);
        !below.is_empty()
    }

    /// Returns whether the index is the same as this tree.
    pub(crate) fn is_tree(&self, tree: &str) -> bool {
        self.tree.as_deref() == Some(tree)
    }

    /// Returns whether the file with this stamp is as in the index. False if it may have been changed at the time when
    /// the index was written.
    pub(crate) fn is_unchanged(&self, tracked: &TrackedFile<'_>, stamp: &Stamp) -> bool {
        let (mode, kind) = (tracked.fixed_word(6), stamp.mode & 0o170_000);
        let is_mode = match mode & 0o170_000 {
            0o100_000 => kind == 0o100_000 && stamp.mode & 0o100 == mode & 0o100,
            0o120_000 => kind == 0o120_000,
            _ => false,
        };
        let (seconds, nanos) = stamp.mtime;
        // A file that is as new as the index may have been written after it.
        let is_settled = stamp.mtime < self.written;
        tracked.is_merged()
            && is_mode
            && is_settled
            && (tracked.fixed_word(2), tracked.fixed_word(3)) == (low(seconds), low(nanos))
            && (tracked.fixed_word(0), tracked.fixed_word(1)) == stamp.ctime
            && tracked.fixed_word(5) == stamp.inode
            && tracked.fixed_word(9) == stamp.size
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn parse(bytes: Vec<u8>) -> Option<Index> {
    let version = number(&bytes, 4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let count = usize::try_from(number(&bytes, 8)?).ok().filter(|count| *count <= bytes.len() / FIXED)?;
    let mut index = Index { slots: Vec::with_capacity(count), ..Index::default() };
    let mut paths: Option<Vec<u8>> = (version == 4).then(Vec::new);
    let (mut at, mut before) = (12, (0, 0));
    for _ in 0..count {
        let flags = usize::from(u16::from_be_bytes(bytes.get(at..)?.get(60..FIXED)?.try_into().ok()?));
        let start = at + if flags & 0x4000 != 0 { FIXED + 2 } else { FIXED };
        let slot_at = at;
        let path = match &mut paths {
            Some(paths) => {
                let (drop, used) = varint(bytes.get(start..)?)?;
                let rest = bytes.get(start + used..)?;
                let end = rest.iter().position(|byte| *byte == 0)?;
                let keep = usize::checked_sub(before.1, drop)?;
                let own = paths.len();
                if (own + keep + end) as u64 > INDEX_BYTES {
                    return None;
                }
                paths.extend_from_within(before.0..before.0 + keep);
                paths.extend_from_slice(rest.get(..end)?);
                at = start + used + end + 1;
                (own, keep + end)
            }
            None => {
                let rest = bytes.get(start..)?;
                let length = match flags & LONG {
                    LONG => rest.iter().position(|byte| *byte == 0)?,
                    length => length,
                };
                rest.get(length).filter(|byte| **byte == 0)?;
                // An entry is padded with one to eight zeros.
                at += (start - at + length + 8) & !7;
                (start, length)
            }
        };
        let text = paths.as_deref().unwrap_or(&bytes);
        let is_next = text.get(before.0..before.0 + before.1)? <= text.get(path.0..path.0 + path.1)?;
        if path.1 == 0 || !is_next {
            return None;
        }
        before = path;
        index.slots.push(EntryLocation { at: slot_at, path });
    }
    let end = bytes.len().checked_sub(OID).filter(|end| at <= *end)?;
    while at < end {
        let (name, length) = (bytes.get(at..at + 4)?, usize::try_from(number(&bytes, at + 4)?).ok()?);
        let content = bytes.get(at + 8..end)?.get(..length)?;
        match name {
            // A split index, which doesn't have all entries.
            b"link" => return None,
            b"TREE" => index.tree = root_tree(content),
            _ => {}
        }
        at += 8 + length;
    }
    Some(Index { bytes, paths, ..index })
}

/// Reads the root tree from the index's extension: an empty path, the number of entries, the number of subtrees, and
/// the object id. If the index was changed since, the number of entries is negative and there is no id.
fn root_tree(content: &[u8]) -> Option<String> {
    let content = content.strip_prefix(b"\0")?;
    let line = content.iter().position(|byte| *byte == b'\n')?;
    let entries = content.get(..line)?.split(|byte| *byte == b' ').next()?;
    let is_valid = !entries.is_empty() && entries.iter().all(u8::is_ascii_digit);
    let oid = content.get(line + 1..)?.get(..OID)?;
    is_valid.then(|| guard_state::hex(oid))
}

/// Reads git's variable-length integer. Returns the value and its number of bytes.
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

    fn git(folder: &Path, arguments: &[&str]) -> String {
        let ran = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn every_version_gives_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q"]);
        for name in ["a", "ab/c", "ab/cd", "ab-c", "b"] {
            std::fs::create_dir_all(root.join("ab")).unwrap();
            std::fs::write(root.join(name), name).unwrap();
        }
        git(root, &["add", "."]);
        for version in ["2", "3", "4"] {
            git(root, &["update-index", "--index-version", version]);
            let index = Index::read(&root.join(".git/index")).unwrap();
            let names: Vec<&[u8]> = index.entries(index.slots()).map(|tracked| tracked.path).collect();
            assert_eq!(names, [&b"a"[..], b"ab-c", b"ab/c", b"ab/cd", b"b"], "{version}");
            assert!(index.tracks_below(b"ab") && !index.tracks_below(b"a") && !index.tracks_below(b"b"));
            assert!(
                ["ab/c", "b"].iter().all(|name| index.get(name.as_bytes()).is_some()) && index.get(b"ab").is_none()
            );
            let [own, below] = index.entries_below(b"ab");
            assert_eq!((own.len(), below.len()), (0, 2));
        }
    }

    #[test]
    fn the_tree_of_the_index_is_known_until_a_file_is_added() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q"]);
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::write(root.join("d/a"), "1").unwrap();
        git(root, &["add", "."]);
        let tree = git(root, &["write-tree"]);
        let read = || Index::read(&root.join(".git/index")).unwrap();
        assert!(read().is_tree(&tree));
        std::fs::write(root.join("d/b"), "1").unwrap();
        git(root, &["add", "."]);
        assert!(!read().is_tree(&tree) && !read().is_tree(""));
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
            let stamp = Stamp::read(&path, &path.symlink_metadata().unwrap()).unwrap();
            index.is_unchanged(&index.get(name.as_bytes()).unwrap(), &stamp)
        };
        assert_eq!((is_unchanged("a"), is_unchanged("b")), (true, false));
    }

    #[test]
    fn what_is_no_index_gives_nothing() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"DIRC\0\0\0\x09\0\0\0\0\0\0\0\0"] {
            assert!(parse(bytes.to_vec()).is_none());
        }
    }
}
