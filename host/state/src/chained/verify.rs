//! Verifies a log with a chain, and reports the first line that isn't as it was written.

use std::fmt;
use std::fs;
use std::io;

use serde::de::IgnoredAny;

use super::accept::number;
use super::{APART, ChainedLog, LINE, LastLine, Link, LogPosition, digest, open_log, split_seal};
use crate::Seal;
use crate::files::{Line, read_line};
use crate::seal::Tag;

/// The maximum length of a line that is read.
const LINE_BYTES: usize = 1 << 20;

/// The numbers of a log that was verified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of lines in the chain.
    pub lines: u64,
    /// The numbers of the first and last line in the chain.
    pub numbers: (u64, u64),
    /// The number of lines written before the chain began. They aren't authenticated.
    pub older: u64,
    /// The number of lines written without the lock. They are sealed, but their position isn't authenticated.
    pub apart: u64,
    /// The number of unfinished lines left by processes that ended.
    pub unfinished: u64,
    /// The break that a person accepted. The lines before the one that names it aren't counted.
    pub accepted: Option<String>,
}

/// The first line that isn't as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainBreak {
    /// The position. After the last line, if lines are missing at the end.
    pub place: LogPosition,
    /// The description of the error.
    pub text: String,
}

impl fmt::Display for ChainBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.file.display(), self.place.line, self.text)
    }
}

/// The state of a verification after the lines so far.
struct Walk {
    found: Verified,
    /// The digests that the next line's `prev` may have: of the last line in the chain, and of the lines written apart
    /// since then. Another process can write one after a writer has read the end of the log.
    before: Vec<Tag>,
    /// The position of a line that isn't a record, until the next line's `prev` shows that it was there before.
    pending: Option<LogPosition>,
}

impl ChainedLog<'_> {
    /// Verifies the rotated file and the log, from the last accepted break on if there is one. The caller holds the lock,
    /// so that no process writes to them.
    ///
    /// # Errors
    ///
    /// Any error of the file system or the key.
    pub fn verify(&self) -> io::Result<Result<Verified, ChainBreak>> {
        let seal = Seal::open_existing(self.state)?;
        let checked = self.check(&seal, None)?;
        let accepted = if checked.is_err() { self.accepted(&seal)? } else { None };
        let Some(accepted) = accepted else { return Ok(checked) };
        let checked = self.check(&seal, Some(accepted.n))?;
        Ok(checked.map(|found| Verified { accepted: Some(accepted.text), ..found }))
    }

    /// Verifies the lines, or those from this number on.
    fn check(&self, seal: &Seal, from: Option<u64>) -> io::Result<Result<Verified, ChainBreak>> {
        let last = self.known_last_line(seal);
        let mut walk = Walk { found: Verified::default(), before: vec![Tag::default()], pending: None };
        let mut place = LogPosition { file: self.path.to_path_buf(), line: 0 };
        let is_lost = !fs::metadata(self.rotated).is_ok_and(|data| data.len() > 0);
        let recorded = last.as_ref().map_or(0, |last| last.first_rotated);
        let mut has_reached = from.is_none();
        if is_lost && recorded != 0 && has_reached {
            let place = LogPosition { file: self.rotated.to_path_buf(), line: 1 };
            let text = format!("this file was deleted or emptied: its lines from number {recorded} on are missing");
            return Ok(Err(ChainBreak { place, text }));
        }
        for (path, first) in [
            (self.rotated, last.as_ref().map(|last| last.first_rotated)),
            (self.path, last.as_ref().map(|last| last.first)),
        ] {
            let Some(mut log) = open_log(path)? else { continue };
            place = LogPosition { file: path.to_path_buf(), line: 0 };
            loop {
                let (mut line, mut overlong) = (Vec::new(), false);
                let end = read_line(&mut log, &mut line, &mut overlong, LINE_BYTES)?;
                if end == Line::Unfinished && line.is_empty() && !overlong {
                    break;
                }
                place.line += 1;
                has_reached = has_reached || number(&line, seal) == from;
                if !has_reached {
                    continue;
                }
                let is_open = end == Line::Unfinished;
                let checked = match overlong {
                    true => Err("this line was inserted or changed: it's longer than any line that guard-host writes"
                        .to_owned()),
                    false => {
                        walk.line(&line, &place, seal, first.filter(|_| from.is_none()).unwrap_or_default(), is_open)
                    }
                };
                if let Err(text) = checked {
                    let at = walk.pending.take().unwrap_or_else(|| place.clone());
                    return Ok(Err(ChainBreak { place: at, text }));
                }
            }
        }
        Ok(walk.end(place, last.as_ref()))
    }
}

impl Walk {
    fn line(&mut self, line: &[u8], place: &LogPosition, seal: &Seal, first: u64, is_open: bool) -> Result<(), String> {
        let has_begun = self.found.lines > 0;
        let Some(link) = Link::parse(line) else {
            let is_apart = split_seal(line).is_some_and(|(open, tag)| {
                let open = open.strip_suffix(b",\"apart\":true");
                open.is_some_and(|open| seal.is_valid(APART, &Tag::default(), open, &tag))
            });
            if is_apart {
                self.found.apart += 1;
                self.before.push(digest(line));
                return Ok(());
            }
            if has_begun && let Some(text) = unchained(line) {
                return Err(text.to_owned());
            }
            self.check_unparsed()?;
            if has_begun {
                self.found.unfinished += 1;
                self.pending = (!is_open).then(|| place.clone());
            } else {
                self.found.older += 1;
            }
            self.before = vec![digest(line)];
            return Ok(());
        };
        let is_next = self.before.contains(&link.prev);
        if self.pending.is_some() && !is_next {
            return Err(
                "this line was changed: it is no record, and the next one knows another line before it".to_owned()
            );
        }
        self.pending = None;
        if !seal.is_valid(LINE, &link.prev, link.sealed, &link.seal) {
            return Err(format!("this line was changed or put in: its seal doesn't fit (number {})", link.n));
        }
        let expected = if has_begun { self.found.numbers.1 + 1 } else { first };
        if expected != 0 && link.n > expected {
            let missing = if expected + 1 == link.n {
                format!("line {expected} is")
            } else {
                format!("lines {expected} to {} are", link.n - 1)
            };
            return Err(format!("{missing} missing before this line, which is number {}", link.n));
        }
        if expected != 0 && link.n < expected {
            return Err(format!("this line was moved or put in again: it is number {}, not {expected}", link.n));
        }
        if !is_next && (has_begun || link.n == 1) {
            return Err(format!("a line before this one was put in, taken out or changed (number {})", link.n));
        }
        if !has_begun {
            self.found.numbers.0 = link.n;
        }
        self.found.lines += 1;
        self.found.numbers.1 = link.n;
        self.before = vec![digest(line)];
        Ok(())
    }

    /// Fails if a line that isn't a record is followed by another one: nothing authenticates the first.
    fn check_unparsed(&self) -> Result<(), String> {
        match self.pending {
            Some(_) => Err("this line was inserted or changed: it is no record".to_owned()),
            None => Ok(()),
        }
    }

    fn end(mut self, end: LogPosition, last: Option<&LastLine>) -> Result<Verified, ChainBreak> {
        let after = LogPosition { line: end.line + 1, ..end };
        if let Some(place) = self.pending.take() {
            return Err(ChainBreak { place, text: "this line was inserted or changed: it is no record".to_owned() });
        }
        let found = self.found;
        let missing = |text: String| Err(ChainBreak { place: after, text });
        match last {
            None if found.lines > 0 => {
                missing("the file beside the log that names its last line is missing or was changed".to_owned())
            }
            Some(last) if last.n > found.numbers.1 => {
                missing(format!("lines {} to {} are missing at the end", found.numbers.1 + 1, last.n))
            }
            Some(last)
                if last.n == found.numbers.1
                    && last.n > 0
                    && found.apart + found.unfinished == 0
                    && !self.before.contains(&last.digest) =>
            {
                missing("the last line isn't the one that was written last".to_owned())
            }
            _ => Ok(found),
        }
    }
}

/// Describes a line between chained ones that isn't the unfinished line of a process that ended. `None` if it may be.
fn unchained(line: &[u8]) -> Option<&'static str> {
    // A power loss can leave zeros.
    let end = line.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
    match serde_json::from_slice::<IgnoredAny>(line.get(..end).unwrap_or_default()) {
        Ok(_) if split_seal(line).is_some() => Some("this line was inserted or changed: it has no place in the chain"),
        Ok(_) => Some(
            "this line has no seal: another program wrote it, or guard-host did while other users could write to the \
             log or its key couldn't be read",
        ),
        Err(error) if error.is_eof() => None,
        Err(_) => Some("this line was inserted or changed: it is no record"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_deleted_or_emptied_rotated_file_is_reported_until_the_next_rotation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (rotated, last) = (folder.path().join("log.1"), folder.path().join("log.last"));
        let log = ChainedLog { path: &path, rotated: &rotated, last: &last, state: folder.path() };
        let append = || log.append("{\"x\":1}", true).unwrap();
        append();
        append();
        fs::rename(&path, &rotated).unwrap();
        append();
        assert_eq!(log.verify().unwrap().map(|found| found.lines), Ok(3));
        for damage in [fs::remove_file, |path: &PathBuf| fs::write(path, "")] {
            damage(&rotated).unwrap();
            let wrong = log.verify().unwrap().unwrap_err();
            assert_eq!((wrong.place.file.as_path(), wrong.place.line), (rotated.as_path(), 1));
            assert_eq!(wrong.text, "this file was deleted or emptied: its lines from number 1 on are missing");
        }
        append();
        assert!(log.verify().unwrap().is_err());
        fs::rename(&path, &rotated).unwrap();
        append();
        assert_eq!(log.verify().unwrap().map(|found| found.numbers), Ok((3, 5)));
    }

    #[test]
    fn lines_of_other_programs_are_told_from_unfinished_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (rotated, last) = (folder.path().join("log.1"), folder.path().join("log.last"));
        let log = ChainedLog { path: &path, rotated: &rotated, last: &last, state: folder.path() };
        log.append("{\"x\":1}", true).unwrap();
        let (start, end) = (fs::read_to_string(&path).unwrap(), fs::read(&last).unwrap());
        let after = |between: &str| {
            fs::write(&path, format!("{start}{between}")).unwrap();
            fs::write(&last, &end).unwrap();
            log.append("{\"x\":2}", true).unwrap();
            log.verify().unwrap()
        };
        for unfinished in ["{\"x\":", "{\"x\":\"a", "{\"x\":1,\"n\":2,\"prev\":\"0", "{", "\0\0\0\n"] {
            let found = after(unfinished).map(|found| (found.lines, found.unfinished));
            assert_eq!(found, Ok((2, 1)), "{unfinished}");
        }
        for (line, word) in [
            ("garbage{", "it is no record"),
            ("garbage{\n", "it is no record"),
            ("# note\n", "it is no record"),
            ("{\"x\":1}}\n", "it is no record"),
            ("{\"x\":1}\n", "has no seal"),
            ("7\n", "has no seal"),
        ] {
            let wrong = after(line).unwrap_err();
            assert!(wrong.place.line == 2 && wrong.text.contains(word), "{line}: {wrong:?}");
        }
    }

    #[test]
    fn a_line_may_name_any_line_written_apart_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (rotated, last) = (folder.path().join("log.1"), folder.path().join("log.last"));
        let log = ChainedLog { path: &path, rotated: &rotated, last: &last, state: folder.path() };
        for number in 0..4 {
            log.append(&format!("{{\"x\":{number}}}"), number % 2 == 0).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let put = |order: &[usize]| {
            fs::write(&path, order.iter().map(|at| format!("{}\n", lines[*at])).collect::<String>()).unwrap();
            log.verify().unwrap()
        };
        // The last one was written while the third one's writer had seen the second one.
        for order in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 3, 1, 2]] {
            assert_eq!(put(&order).map(|found| (found.lines, found.apart)), Ok((2, 2)), "{order:?}");
        }
        for order in [&[0, 3, 2][..], &[0, 2, 1, 3], &[1, 2, 3]] {
            assert!(put(order).is_err(), "{order:?}");
        }
    }
}
