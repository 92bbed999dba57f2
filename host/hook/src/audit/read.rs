//! Reads an audit log line by line: the rotated file, then the current one.
//!
//! Lines that aren't records are counted and skipped. Changes no files.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::rotated;
use guard_platform::fs::file_identity;
use guard_state::files::{Line, read_line};

/// The maximum length of a line in bytes. The writer's lines are much shorter, so a longer line is damaged.
pub const LINE_BYTES: usize = 1 << 20;

/// One line of a log by any program. Missing fields are empty.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "each field is the key of its name")]
pub struct Record {
    pub ts: String,
    pub id: String,
    pub cwd: String,
    pub tool: String,
    pub operation: String,
    pub action: String,
    pub rule: String,
    pub session: String,
    pub harness: String,
    pub agent: String,
    pub policy: String,
    pub rules: Vec<String>,
    pub by: String,
    pub undo: String,
}

impl Record {
    /// Parses a line. `None` if it is damaged.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        // A record without a time or an action, such as a truncated one, counts as damaged.
        serde_json::from_slice::<Record>(line).ok().filter(|record| !record.ts.is_empty() && !record.action.is_empty())
    }
}

/// A reader that starts at a log's oldest line.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    /// The current file and its inode. `None` before the first file, or if there is no file.
    open: Option<(BufReader<File>, u64)>,
    /// The start of a line whose end hasn't been written yet.
    begun: Vec<u8>,
    /// Whether the current line is too long and is being skipped.
    overlong: bool,
    /// The number of lines that weren't records.
    pub damaged: u64,
}

/// The result of reading from a log.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// A record and its line.
    Record(Box<Record>, String),
    /// The current end of the log.
    End,
}

impl Reader {
    /// Opens the log at `path` and the file to which it was rotated.
    ///
    /// # Errors
    ///
    /// One of the files exists and can't be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut reader =
            Reader { path: path.to_path_buf(), open: None, begun: Vec::new(), overlong: false, damaged: 0 };
        reader.open = match open(&rotated(path))? {
            Some(rotated) => Some(rotated),
            None => open(path)?,
        };
        Ok(reader)
    }

    /// Reads the next record.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn read(&mut self) -> io::Result<Next> {
        loop {
            let Some((file, inode)) = &mut self.open else {
                self.open = open(&self.path)?;
                if self.open.is_none() {
                    return Ok(Next::End);
                }
                continue;
            };
            match read_line(file, &mut self.begun, &mut self.overlong, LINE_BYTES)? {
                Line::Whole => {
                    let line = std::mem::take(&mut self.begun);
                    if std::mem::take(&mut self.overlong) {
                        self.damaged += 1;
                    } else if !line.trim_ascii().is_empty() {
                        match (Record::parse(&line), String::from_utf8(line)) {
                            (Some(record), Ok(line)) => return Ok(Next::Record(Box::new(record), line)),
                            _ => self.damaged += 1,
                        }
                    }
                }
                Line::Unfinished => {
                    let inode = *inode;
                    match open(&self.path)? {
                        Some((present, other)) if other != inode => {
                            self.drop_unfinished();
                            self.open = Some((present, other));
                        }
                        Some((mut present, _)) => {
                            // A file that was truncated is read from its start.
                            let size = present.get_ref().metadata()?.len();
                            if file.stream_position()? > size {
                                self.drop_unfinished();
                                present.seek(SeekFrom::Start(0))?;
                                self.open = Some((present, inode));
                                continue;
                            }
                            return Ok(Next::End);
                        }
                        None => return Ok(Next::End),
                    }
                }
            }
        }
    }

    /// Counts a line that was never finished.
    pub fn drop_unfinished(&mut self) {
        if !self.begun.is_empty() || self.overlong {
            self.damaged += 1;
        }
        self.begun.clear();
        self.overlong = false;
    }
}

/// Opens a log file, and returns it with its inode. `None` if there is no file.
fn open(path: &Path) -> io::Result<Option<(BufReader<File>, u64)>> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        // Opening a pipe would block.
        Ok(data) if !data.is_file() => return Err(io::Error::other("the audit log is not a file")),
        Ok(_) => {}
    }
    match File::open(path) {
        Ok(file) => {
            let inode = file_identity(&file, &file.metadata()?)?.ino;
            Ok(Some((BufReader::new(file), inode)))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n: u32) -> String {
        format!("{{\"ts\":\"2026-01-02T03:04:05.678Z\",\"action\":\"block\",\"operation\":\"{n}\"}}\n")
    }

    fn append(path: &Path, line: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, line.as_bytes()).unwrap();
    }

    fn operations(reader: &mut Reader) -> Vec<String> {
        let mut found = Vec::new();
        while let Next::Record(record, _) = reader.read().unwrap() {
            found.push(record.operation);
        }
        found
    }

    #[test]
    fn the_rotated_file_comes_first_and_damage_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::fs::write(rotated(&path), line(1) + "{oops\n" + &line(2)).unwrap();
        let long = "x".repeat(LINE_BYTES + 1);
        let damaged = format!("\n[]\n{{}}\n\u{fffd}\n{long}\n");
        std::fs::write(
            &path,
            [line(3).as_bytes(), b"\xff\xfe\n", damaged.as_bytes(), line(4).as_bytes(), b"{\"ts\""].concat(),
        )
        .unwrap();
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!(operations(&mut reader), ["1", "2", "3", "4"]);
        assert_eq!(reader.damaged, 6);
        reader.drop_unfinished();
        assert_eq!(reader.damaged, 7);
    }

    #[test]
    fn a_log_that_is_not_there_has_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = Reader::open(&folder.path().join("audit.jsonl")).unwrap();
        assert_eq!(operations(&mut reader), [""; 0]);
        assert!(Reader::open(folder.path()).is_err());
    }

    #[test]
    fn a_reader_follows_through_growth_rotation_and_a_new_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!(operations(&mut reader), [""; 0]);
        let whole = line(1) + &line(2);
        let (start, _) = whole.split_at(line(1).len() + 9);
        std::fs::write(&path, start).unwrap();
        assert_eq!(operations(&mut reader), ["1"]);
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(operations(&mut reader), ["2"]);
        append(&path, &line(3));
        std::fs::rename(&path, rotated(&path)).unwrap();
        std::fs::write(&path, line(4)).unwrap();
        assert_eq!(operations(&mut reader), ["3", "4"]);
        std::fs::write(&path, "").unwrap();
        assert_eq!(operations(&mut reader), [""; 0]);
        append(&path, &line(5));
        assert_eq!(operations(&mut reader), ["5"]);
        assert_eq!(reader.damaged, 0);
    }
}
