//! [`Queue`]: the audit log and its rotated file as a queue, and the cursor with the position up to which they were
//! sent.
//!
//! # Invariants
//!
//! - The cursor only moves after everything before it was delivered. It is written atomically, so after a crash, lines
//!   may be sent again but are never skipped.
//! - The log's files are identified by their bytes instead of their names, so rotation, copies and restarts have no
//!   effect.
//! - Lines that were removed before they were sent are counted, using the log writer's own count.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use guard_hook::audit::{Discarded, LINE_BYTES, Record, rotated};
use guard_platform::fs::{file_identity, identity};
use guard_state::files::{Line, read_line, read_text};
use guard_state::{hex, is_private, write_new};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The maximum size of a cursor's file, in bytes.
const CURSOR_BYTES: u64 = 64 << 10;

/// The number of bytes at the start, and before an offset, that identify a file.
const SEEN_BYTES: u64 = 4 << 10;

/// The maximum number of attempts to open a log that is rotated at the same time.
const OPENINGS: usize = 10;

/// The version of the cursor's format.
const VERSION: u32 = 1;

/// The position up to which a log was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    version: u32,
    /// The number of processed lines, since the log began.
    lines: u64,
    /// The position in each file of the log, the rotated one first.
    marks: Vec<SentMark>,
}

/// The position up to which a file was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SentMark {
    offset: u64,
    /// The digest of the file's start.
    head: String,
    /// The digest of the bytes before the offset.
    tail: String,
}

/// A log to send.
#[derive(Debug)]
pub(super) struct Queue {
    log: PathBuf,
    place: PathBuf,
    cursor: Option<Cursor>,
}

/// Lines that were lost before they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// The number of lost lines.
    Lines(u64),
    /// An unknown number, because the log doesn't contain what was sent last.
    Unknown,
}

/// A line to send.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sent {
    pub(super) keys: Map<String, Value>,
    /// The line's unique id: its `id`, or a digest of its text and offset if it has none.
    pub(super) id: String,
}

/// The lines to send in one request.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) lines: Vec<Sent>,
    /// The number of lines between them that aren't valid records.
    pub(super) damaged: u64,
    /// The loss before these lines, if any.
    pub(super) loss: Option<Loss>,
    next: Cursor,
}

/// The maximum size of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchLimits {
    /// The number of lines.
    pub(super) lines: usize,
    /// The size of the lines in bytes. A longer line is sent alone.
    pub(super) bytes: usize,
}

impl Queue {
    /// Opens the queue of a log, with the cursor in the file `place`. Also returns why an existing cursor is ignored.
    pub(super) fn open(log: &Path, place: &Path) -> (Self, Option<String>) {
        let (cursor, why) = match read_cursor(place) {
            Ok(cursor) => (cursor, None),
            Err(why) => (None, Some(why)),
        };
        (Queue { log: log.to_path_buf(), place: place.to_path_buf(), cursor }, why)
    }

    /// Returns the next lines. The cursor doesn't move until [done](Queue::done).
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub(super) fn next(&self, most: BatchLimits) -> io::Result<Batch> {
        let (mut files, before) = open(&self.log)?;
        let known = self.cursor.clone().unwrap_or_default();
        let next = Cursor { version: VERSION, lines: known.lines, marks: Vec::new() };
        let mut batch = Batch { next, ..Batch::default() };
        for file in files.iter_mut().flatten() {
            file.mark = file.find(&known.marks)?;
        }
        if files.iter().flatten().all(|file| file.mark.is_none()) {
            batch.loss = match before.checked_sub(known.lines) {
                _ if self.cursor.is_none() => None,
                Some(0) => None,
                Some(lines) => Some(Loss::Lines(lines)),
                None => Some(Loss::Unknown),
            };
            batch.next.lines = before;
        }
        let mut bytes = 0;
        let mut is_full = false;
        for file in files.iter_mut().flatten() {
            if !is_full {
                is_full = file.read(most, &mut bytes, &mut batch)?;
            }
            batch.next.marks.extend(file.mark.clone());
        }
        Ok(batch)
    }

    /// Moves the cursor behind a batch.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub(super) fn advance(&mut self, batch: Batch) -> io::Result<()> {
        if self.cursor.as_ref() != Some(&batch.next) {
            write_new(&self.place, &serde_json::to_vec(&batch.next)?, 0o600)?;
            self.cursor = Some(batch.next);
        }
        Ok(())
    }
}

/// Reads the cursor in this file. `None` if there is no file.
fn read_cursor(place: &Path) -> Result<Option<Cursor>, String> {
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(data) if !is_private(&data) => return Err("it is not a private file".to_owned()),
        Ok(_) => {}
    }
    let text = read_text(place, CURSOR_BYTES).map_err(|error| error.to_string())?;
    let cursor: Cursor = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if cursor.version == VERSION { Ok(Some(cursor)) } else { Err("it is of another version".to_owned()) }
}

/// A file of the log.
struct Part {
    file: BufReader<File>,
    size: u64,
    is_rotated: bool,
    /// The position up to which it was sent. `None` if it wasn't.
    mark: Option<SentMark>,
}

/// Opens the files of a log, the rotated one first, and returns the number of lines before them.
fn open(log: &Path) -> io::Result<([Option<Part>; 2], u64)> {
    let old = rotated(log);
    for _ in 0..OPENINGS {
        let parts = [part(&old, true)?, part(log, false)?];
        let discarded = Discarded::load(log);
        let first = parts.first().and_then(Option::as_ref).map(|part| part.file.get_ref());
        let opened = first.map(|file| file_identity(file, &file.metadata()?)).transpose()?;
        // A rotation in between would hide a file.
        let now = fs::metadata(&old).and_then(|data| identity(&old, &data)).ok();
        if now.map(|now| now.ino) == opened.map(|opened| opened.ino) {
            let before = discarded.before(first)?;
            return Ok((parts, before));
        }
    }
    Err(io::Error::other("the log is rotated again and again"))
}

/// Opens a file. `None` if it doesn't exist.
fn part(path: &Path, is_rotated: bool) -> io::Result<Option<Part>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        // Opening a pipe would block.
        Ok(data) if !data.is_file() => return Err(io::Error::other("the audit log is not a file")),
        Ok(_) => {}
    }
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let size = file.metadata()?.len();
    Ok(Some(Part { file: BufReader::new(file), size, is_rotated, mark: None }))
}

impl Part {
    /// Returns the mark that matches this file.
    fn find(&mut self, marks: &[SentMark]) -> io::Result<Option<SentMark>> {
        for mark in marks {
            if mark.offset <= self.size && self.mark_at(mark.offset)?.as_ref() == Some(mark) {
                return Ok(Some(mark.clone()));
            }
        }
        Ok(None)
    }

    /// Returns the mark of an offset. `None` for the start.
    fn mark_at(&mut self, offset: u64) -> io::Result<Option<SentMark>> {
        if offset == 0 {
            return Ok(None);
        }
        let length = offset.min(SEEN_BYTES);
        let head = self.digest(0, length)?;
        let tail = self.digest(offset - length, length)?;
        Ok(Some(SentMark { offset, head, tail }))
    }

    fn digest(&mut self, from: u64, length: u64) -> io::Result<String> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&mut self.file).take(length).read_to_end(&mut bytes)?;
        Ok(hex(&Sha256::digest(&bytes)))
    }

    /// Adds the lines after the mark to a batch. Returns whether it is full.
    fn read(&mut self, most: BatchLimits, bytes: &mut usize, batch: &mut Batch) -> io::Result<bool> {
        let start = self.mark.as_ref().map_or(0, |mark| mark.offset);
        let mut offset = start;
        self.file.seek(SeekFrom::Start(start))?;
        let is_full = loop {
            if batch.lines.len() >= most.lines {
                break true;
            }
            let (mut line, mut overlong) = (Vec::new(), false);
            let read = read_line(&mut self.file, &mut line, &mut overlong, LINE_BYTES)?;
            let end = self.file.stream_position()?;
            if read == Line::Unfinished {
                // An unfinished line in a rotated file will never be completed.
                if self.is_rotated && end > offset {
                    batch.damaged += 1;
                    offset = end;
                }
                break false;
            }
            if !batch.lines.is_empty() && *bytes + line.len() > most.bytes {
                break true;
            }
            if let Some(sent) = encode_line(&line, offset) {
                *bytes += line.len();
                batch.lines.push(sent);
            } else if overlong || !line.trim_ascii().is_empty() {
                batch.damaged += 1;
            }
            batch.next.lines += 1;
            offset = end;
        };
        if offset != start {
            self.mark = self.mark_at(offset)?;
        }
        Ok(is_full)
    }
}

/// Returns the form in which a line at this offset is sent, or `None` if the line is damaged.
fn encode_line(line: &[u8], offset: u64) -> Option<Sent> {
    let record = Record::parse(line)?;
    let mut keys: Map<String, Value> = serde_json::from_slice(line).ok()?;
    // Equals the next line's `prev`, so that a receiver can detect missing lines.
    keys.insert("digest".to_owned(), hex(&Sha256::digest(line)).into());
    let id = match record.id.is_empty() {
        false => record.id,
        true => {
            let digest = Sha256::new().chain_update(offset.to_be_bytes()).chain_update(line).finalize();
            format!("line-{}", hex(digest.get(..8).unwrap_or_default()))
        }
    };
    Some(Sent { keys, id })
}
