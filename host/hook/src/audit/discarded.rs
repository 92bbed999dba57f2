//! [`Discarded`]: the number of lines in files that rotation replaced, so that `audit ship` can report lost lines.

use std::fs::{File, read_to_string};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{rotated, sibling};
use guard_platform::fs::file_identity;

/// The number of lines that rotation has discarded since the log began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Discarded {
    /// The lines of all replaced files, including the one counted last.
    lines: u64,
    /// The file that was counted last. It is gone, unless the process died before it replaced the file.
    last: Option<CountedFile>,
}

/// A file that was counted before it was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CountedFile {
    inode: u64,
    size: u64,
    lines: u64,
}

impl Discarded {
    /// Reads the numbers for the log at `path`.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let text = read_to_string(place(path)).unwrap_or_default();
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[lines, inode, size, counted]) => {
                Discarded { lines, last: Some(CountedFile { inode, size, lines: counted }) }
            }
            _ => Discarded::default(),
        }
    }

    /// Returns the number of lines before the rotated file's first one. `rotated` is `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn before(&self, rotated: Option<&File>) -> io::Result<u64> {
        Ok(match (self.last, rotated) {
            (Some(last), Some(file)) if last.is(inode_and_size(file)?) => self.lines.saturating_sub(last.lines),
            _ => self.lines,
        })
    }

    /// Counts the rotated file before it is replaced. The caller holds the log's lock.
    pub(super) fn count(path: &Path) -> io::Result<()> {
        let Ok(file) = File::open(rotated(path)) else { return Ok(()) };
        let (inode, size) = inode_and_size(&file)?;
        let known = Discarded::load(path);
        // An earlier process counted the file and died before it replaced it.
        if known.last.is_some_and(|last| last.is((inode, size))) {
            return Ok(());
        }
        let lines = ends(BufReader::with_capacity(64 << 10, file))?;
        let all = known.lines.saturating_add(lines);
        guard_state::write_new(&place(path), format!("{all} {inode} {size} {lines}\n").as_bytes(), 0o600)
    }
}

impl CountedFile {
    fn is(&self, inode_and_size: (u64, u64)) -> bool {
        (self.inode, self.size) == inode_and_size
    }
}

fn inode_and_size(file: &File) -> io::Result<(u64, u64)> {
    let data = file.metadata()?;
    Ok((file_identity(file, &data)?.ino, data.len()))
}

/// Returns the path of the file beside the log. It contains the total number of lines, and the inode, size and lines of
/// the file that was counted last.
fn place(path: &Path) -> PathBuf {
    sibling(path, ".discarded")
}

/// Counts line feeds.
fn ends(mut from: impl Read) -> io::Result<u64> {
    let mut bytes = vec![0; 64 << 10];
    let mut lines = 0;
    loop {
        match from.read(&mut bytes) {
            Ok(0) => return Ok(lines),
            Ok(count) => {
                let part = bytes.get(..count).unwrap_or_default();
                lines += part.iter().filter(|byte| **byte == b'\n').count() as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_file_is_counted_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let file = || File::open(rotated(&path)).ok();
        let before = || Discarded::load(&path).before(file().as_ref()).unwrap();
        Discarded::count(&path).unwrap();
        assert_eq!(before(), 0);
        fs::write(rotated(&path), "a\nb\nc\n").unwrap();
        // A process that dies before it replaces the file has lost nothing.
        Discarded::count(&path).unwrap();
        assert_eq!(before(), 0);
        Discarded::count(&path).unwrap();
        fs::write(&path, "d\ne\n").unwrap();
        fs::rename(&path, rotated(&path)).unwrap();
        assert_eq!(before(), 3);
        Discarded::count(&path).unwrap();
        fs::write(&path, "f\n").unwrap();
        fs::rename(&path, rotated(&path)).unwrap();
        assert_eq!(before(), 5);
        fs::write(place(&path), "garbage").unwrap();
        assert_eq!(before(), 0);
    }
}
