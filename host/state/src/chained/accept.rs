//! Accepted breaks: a person looked at a break of a log's chain, and the log is verified from there on.
//!
//! A line of the log names the break, and a sealed file records that line's number and the digests of everything before
//! it, so that a later change of those lines is a new break.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ChainBreak, ChainedLog, LINE, Link};
use crate::seal::SealError;
use crate::{Seal, hex};

/// Incremented whenever the file's format changes.
const PURPOSE: &str = "accepted break 1";

/// The action of the line that names an accepted break.
pub const ACCEPT: &str = "accept";

/// The last accepted break.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AcceptedBreak {
    /// The number of the line that names it.
    pub(super) n: u64,
    /// The place and the description of the break.
    pub(super) text: String,
    /// The digest of everything before that line in its file.
    before: String,
    /// The digest of the rotated file when the break was accepted. Empty without a rotated file.
    rotated: String,
}

impl ChainedLog<'_> {
    /// Accepts a break. The log's last line with the action [`ACCEPT`] names it.
    ///
    /// # Errors
    ///
    /// Any error of the file system or the key, or the log has no such line.
    pub fn accept(&self, found: &ChainBreak) -> io::Result<()> {
        let seal = Seal::open(self.state).map_err(|error: SealError| io::Error::other(error.to_string()))?;
        let log = fs::read(self.path)?;
        let mark = format!("\"action\":\"{ACCEPT}\"");
        let is_marked = |line: &[u8]| line.windows(mark.len()).any(|part| part == mark.as_bytes());
        let place =
            lines(&log).filter(|(_, line)| is_marked(line)).filter_map(|(at, line)| Some((at, number(line, &seal)?)));
        let Some((at, n)) = place.last() else {
            return Err(io::Error::new(ErrorKind::NotFound, "the line that names the break has no place in the chain"));
        };
        let accepted = AcceptedBreak {
            n,
            text: found.to_string(),
            before: digest(log.get(..at).unwrap_or_default()),
            rotated: file_digest(self.rotated)?,
        };
        seal.write(PURPOSE, &file(self.state), &accepted)
    }

    /// Returns the last accepted break. `None` if a line before it was changed since.
    pub(super) fn accepted(&self, seal: &Seal) -> io::Result<Option<AcceptedBreak>> {
        let Some(accepted) = seal.read::<AcceptedBreak>(PURPOSE, &file(self.state)) else { return Ok(None) };
        for (path, is_log) in [(self.path, true), (self.rotated, false)] {
            let text = read(path)?;
            let Some((at, _)) = lines(&text).find(|(_, line)| number(line, seal) == Some(accepted.n)) else { continue };
            let is_unchanged = digest(text.get(..at).unwrap_or_default()) == accepted.before
                && (!is_log || file_digest(self.rotated)? == accepted.rotated);
            return Ok(is_unchanged.then_some(accepted));
        }
        Ok(None)
    }
}

/// Returns the number of a line whose seal is valid.
pub(super) fn number(line: &[u8], seal: &Seal) -> Option<u64> {
    let link = Link::parse(line)?;
    seal.is_valid(LINE, &link.prev, link.sealed, &link.seal).then_some(link.n)
}

/// Returns the lines of a text with their positions.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split(|byte| *byte == b'\n').scan(0, |next, line| {
        let at = *next;
        *next += line.len() + 1;
        Some((at, line))
    })
}

fn file(state: &Path) -> PathBuf {
    state.join("audit-accepted")
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        text => text,
    }
}

fn file_digest(path: &Path) -> io::Result<String> {
    let text = read(path)?;
    Ok(if text.is_empty() { String::new() } else { digest(&text) })
}

fn digest(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_break_is_left_out_until_a_line_before_it_changes_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (rotated, last) = (folder.path().join("log.1"), folder.path().join("log.last"));
        let log = ChainedLog { path: &path, rotated: &rotated, last: &last, state: folder.path() };
        let append = |text: &str| log.append(text, true).unwrap();
        let replace = |file: &Path, old: &str, new: &str| {
            fs::write(file, fs::read_to_string(file).unwrap().replace(old, new)).unwrap();
        };
        (1..4).for_each(|number| append(&format!("{{\"x\":{number}}}")));
        replace(&path, "\"x\":2", "\"x\":9");
        let found = log.verify().unwrap().unwrap_err();
        assert_eq!(found.place.line, 2);
        // Without a line that names it, nothing is accepted.
        assert!(log.accept(&found).is_err());
        append("{\"action\":\"accept\"}");
        log.accept(&found).unwrap();
        append("{\"x\":5}");
        let checked = log.verify().unwrap().unwrap();
        assert_eq!((checked.numbers, checked.accepted), ((4, 5), Some(found.to_string())));
        // A line after it is checked, and so is one before it.
        for (old, new, line) in [("\"x\":5", "\"x\":6", 5), ("\"x\":3", "\"x\":8", 2), ("\"x\":1", "\"x\":0", 1)] {
            replace(&path, old, new);
            assert_eq!(log.verify().unwrap().unwrap_err().place.line, line, "{old}");
            replace(&path, new, old);
        }
        assert!(log.verify().unwrap().is_ok());
        // A rotation takes it along.
        fs::rename(&path, &rotated).unwrap();
        append("{\"x\":6}");
        assert_eq!(log.verify().unwrap().unwrap().numbers, (4, 6));
        replace(&rotated, "\"x\":3", "\"x\":8");
        assert!(log.verify().unwrap().is_err());
        replace(&rotated, "\"x\":8", "\"x\":3");
        fs::rename(&path, &rotated).unwrap();
        append("{\"x\":7}");
        let checked = log.verify().unwrap().unwrap();
        assert_eq!((checked.numbers, checked.accepted), ((6, 7), None));
    }

    #[test]
    fn lines_that_are_gone_can_be_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (rotated, last) = (folder.path().join("log.1"), folder.path().join("log.last"));
        let log = ChainedLog { path: &path, rotated: &rotated, last: &last, state: folder.path() };
        let append = |text: &str| log.append(text, true).unwrap();
        (1..4).for_each(|number| append(&format!("{{\"x\":{number}}}")));
        fs::rename(&path, &rotated).unwrap();
        (4..7).for_each(|number| append(&format!("{{\"x\":{number}}}")));
        for damage in [&rotated, &path, &last] {
            fs::remove_file(damage).unwrap();
            let found = log.verify().unwrap();
            let found = match found {
                Err(found) => found,
                // Without the log, its last lines are missing as soon as there is another one.
                Ok(_) => {
                    append("{\"x\":0}");
                    log.verify().unwrap().unwrap_err()
                }
            };
            append("{\"action\":\"accept\"}");
            log.accept(&found).unwrap();
            append("{\"x\":9}");
            assert_eq!(log.verify().unwrap().map(|checked| checked.lines), Ok(2), "{damage:?}");
        }
    }
}
