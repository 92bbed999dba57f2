//! [`History`]: the events of a session's calls, in an append-only file.
//!
//! Format: one line for each call, with 64 hexadecimal digits of HMAC-SHA-256 over the purpose, a zero byte, the
//! previous line's digits and the body; a space; and the body, a JSON list of events.
//!
//! Each seal covers the previous one. This detects lines that are missing in the middle, come from another session, or
//! were written by hand, but not lines that were cut off at the end.

mod past;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use guard_contract::Event;
use guard_platform::fs::{OpenOptionsExt, open_at_once};
use guard_platform::process;

use crate::seal::{SealError, Tag};
use crate::session::Sessions;
use crate::{FileLock, Seal, is_private, make_private, write_new};

pub use past::PastEvents;

/// The maximum size of a file. Beyond it, the oldest events are dropped until half of it is left.
pub const HISTORY_BYTES: usize = 1 << 20;

/// The maximum length of a line, the events of one call.
const LINE_BYTES: usize = 64 << 10;

/// The maximum number of files. The most recently written ones are kept.
const FILES: usize = 256;

/// The age of the last event after which a session is considered ended.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Maximum wait for a line that another process is writing.
const PATIENCE: Duration = Duration::from_millis(100);

/// Kinds that are dropped last when the file is full, in this order. They are rare and decide verdicts.
const LASTING: [&str; 4] = ["download", "denied", "remote", SECRET];

const SECRET: &str = "secret-read";

/// The kind of an event that records from which kind events were dropped.
const FORGOTTEN: &str = "forgotten";

/// The reason why a history can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// An error of the file system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no key.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The file isn't as this program wrote it.
    #[error("`{0}` is damaged")]
    Damaged(PathBuf),
}

/// The events of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    state: PathBuf,
    name: String,
}

impl History {
    /// Returns the history of a session, or `None` for an empty id, because calls without one can't be grouped.
    #[must_use]
    pub fn open(state: &Path, session: &str) -> Option<Self> {
        let history = || History { state: state.to_path_buf(), name: Sessions::name(session) };
        (!session.is_empty()).then(history)
    }

    /// Lists the histories in a state folder, with the names of their sessions.
    #[must_use]
    pub fn all(state: &Path) -> Vec<(String, Self)> {
        let entries = fs::read_dir(folder(state)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let names: BTreeSet<String> = names.filter_map(|name| Some(name.strip_suffix(END)?.to_owned())).collect();
        names.into_iter().map(|name| (name.clone(), History { state: state.to_path_buf(), name })).collect()
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        folder(&self.state).join(format!("{}{END}", self.name))
    }

    /// Reads the session's events and checks each line's seal. Empty if none were recorded.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Damaged`] if a line is incomplete or its seal is wrong, and errors of the file system and the
    /// key.
    pub fn read(&self) -> Result<PastEvents, HistoryError> {
        let Some(mut bytes) = self.bytes()? else { return Ok(PastEvents::default()) };
        if bytes.last() != Some(&b'\n') {
            // Another process may be writing a line. A line that is incomplete under the lock was left by a killed
            // process.
            let _lock = self.lock(PATIENCE)?;
            bytes = self.bytes()?.unwrap_or_default();
        }
        // A file is never created without a line.
        if bytes.is_empty() { Err(self.damaged_error()) } else { self.verify(bytes) }
    }

    /// Appends the events of one call in order, and numbers them.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Damaged`] if the file is damaged, [`ErrorKind::TimedOut`] if another process holds its lock for
    /// longer than `patience`, and errors of the file system and the key. Nothing is appended then.
    pub fn append(&self, mut events: Vec<Event>, patience: Duration) -> Result<(), HistoryError> {
        if events.is_empty() {
            return Ok(());
        }
        make_private(&folder(&self.state)).map_err(io::Error::other)?;
        let seal = Seal::open(&self.state)?;
        let _lock = self.lock(patience)?;
        let path = self.file();
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        let mut file = open_at_once(options.read(true).append(true).create(true).mode(0o600), &path)?;
        let data = file.metadata()?;
        // A file is never created without a line.
        if !is_private(&data) || !is_new && data.len() == 0 {
            return Err(self.damaged_error());
        }
        let (tag, last) = self.tail(&mut file, data.len())?;
        for (event, number) in events.iter_mut().zip(last.saturating_add(1)..) {
            event.number = number;
        }
        let line = self.line(&seal, &tag, &events)?;
        if line.len() > LINE_BYTES {
            return Err(io::Error::from(ErrorKind::FileTooLarge).into());
        }
        let size = data.len().saturating_add(line.len() as u64);
        if size > HISTORY_BYTES as u64 {
            return self.shrink(&seal, events);
        }
        // A write beyond the process's file size limit raises a signal.
        if process::file_limit().is_some_and(|limit| size >= limit) {
            return Err(io::Error::from(ErrorKind::FileTooLarge).into());
        }
        if let Err(error) = file.write_all(&line) {
            // A partial line would make the whole history unreadable.
            let _ = file.set_len(data.len());
            return Err(error.into());
        }
        if is_new {
            self.prune();
        }
        Ok(())
    }

    /// Deletes the history.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn end(&self) -> io::Result<()> {
        match fs::remove_file(self.file()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn damaged_error(&self) -> HistoryError {
        HistoryError::Damaged(self.file())
    }

    fn lock(&self, patience: Duration) -> io::Result<FileLock> {
        FileLock::acquire(&folder(&self.state).join(".lock"), Instant::now() + patience)
    }

    /// The file's contents; `None` if there is no file.
    fn bytes(&self) -> Result<Option<Vec<u8>>, HistoryError> {
        let file = match open_at_once(OpenOptions::new().read(true), &self.file()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        if !is_private(&file.metadata()?) {
            return Err(self.damaged_error());
        }
        let mut bytes = Vec::new();
        file.take(HISTORY_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > HISTORY_BYTES { Err(self.damaged_error()) } else { Ok(Some(bytes)) }
    }

    /// Returns the events if each line's seal is right.
    fn verify(&self, bytes: Vec<u8>) -> Result<PastEvents, HistoryError> {
        let seal = Seal::open(&self.state)?;
        let mut tag = Tag::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").and_then(Line::parse).ok_or_else(|| self.damaged_error())?;
            if !seal.is_valid(&self.purpose(), &tag, line.body, &line.tag) {
                return Err(self.damaged_error());
            }
            tag = line.tag;
        }
        Ok(PastEvents { lines: bytes })
    }

    /// Returns the seal of the last line and the number of its last event.
    fn tail(&self, file: &mut File, size: u64) -> Result<(Tag, u32), HistoryError> {
        if size == 0 {
            return Ok((Tag::default(), 0));
        }
        // Includes the line feed before the line.
        file.seek(SeekFrom::Start(size.saturating_sub(LINE_BYTES as u64 + 1)))?;
        let mut bytes = Vec::new();
        file.take(LINE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        let whole = bytes.strip_suffix(b"\n").ok_or_else(|| self.damaged_error())?;
        let line =
            whole.rsplit(|byte| *byte == b'\n').next().and_then(Line::parse).ok_or_else(|| self.damaged_error())?;
        let events: Vec<Event> = serde_json::from_slice(line.body).map_err(|_| self.damaged_error())?;
        Ok((line.tag, events.last().map_or(0, |event| event.number)))
    }

    fn line(&self, seal: &Seal, before: &Tag, events: &[Event]) -> Result<Vec<u8>, HistoryError> {
        let body = serde_json::to_vec(events).map_err(io::Error::from)?;
        let mut line = seal.tag(&self.purpose(), before, &body).0.to_vec();
        line.push(b' ');
        line.extend(body);
        line.push(b'\n');
        Ok(line)
    }

    /// Rewrites the file with these events and the newest of the others, up to half of the maximum size.
    fn shrink(&self, seal: &Seal, new: Vec<Event>) -> Result<(), HistoryError> {
        let mut events = self.verify(self.bytes()?.unwrap_or_default())?.events("")?;
        events.extend(new);
        let events = drop_oldest_events(events);
        let mut bytes = Vec::new();
        let mut tag = Tag::default();
        // Eight events always fit in a line.
        for events in events.chunks(8) {
            let line = self.line(seal, &tag, events)?;
            tag = Line::parse(&line).map(|line| line.tag).unwrap_or_default();
            bytes.extend(line);
        }
        Ok(write_new(&self.file(), &bytes, 0o600)?)
    }

    fn purpose(&self) -> String {
        format!("history {}", self.name)
    }

    /// Removes the files of ended sessions, and the oldest beyond [`FILES`].
    fn prune(&self) {
        let written = |entry: fs::DirEntry| {
            let path = entry.path();
            let is_one = path.to_string_lossy().ends_with(END);
            Some((entry.metadata().ok()?.modified().ok()?, path)).filter(|_| is_one)
        };
        let entries = fs::read_dir(folder(&self.state)).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries.filter_map(written).collect();
        files.sort();
        let surplus = files.len().saturating_sub(FILES);
        let now = SystemTime::now();
        for (at, (time, path)) in files.iter().enumerate() {
            if at < surplus || now.duration_since(*time).is_ok_and(|age| age >= LIFE) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Drops the oldest events until the rest fits in half of a file. The [`LASTING`] kinds are dropped last, and an event
/// records that.
fn drop_oldest_events(mut events: Vec<Event>) -> Vec<Event> {
    let size = |event: &Event| serde_json::to_vec(event).map_or(0, |bytes| bytes.len());
    let mut surplus = events.iter().map(size).sum::<usize>().saturating_sub(HISTORY_BYTES / 2);
    let mut lost: BTreeSet<String> = BTreeSet::new();
    let newest_secret = events.iter().filter(|event| event.kind == SECRET).map(|event| event.number).max();
    for kind in [None].into_iter().chain(LASTING.map(Some)) {
        events.retain(|event| {
            let is_meant = match kind {
                None => !LASTING.contains(&event.kind.as_str()) && event.kind != FORGOTTEN,
                Some(kind) => event.kind == kind && Some(event.number) != newest_secret,
            };
            let goes = surplus > 0 && is_meant;
            if goes {
                surplus = surplus.saturating_sub(size(event));
                lost.extend(kind.map(str::to_owned));
            }
            !goes
        });
    }
    let number = events.first().map_or(1, |event| event.number);
    let summary = |kind: &str, target: &str| Event {
        number,
        time: events.first().map(|event| event.time.clone()).unwrap_or_default(),
        kind: kind.to_owned(),
        tool: String::new(),
        target: target.to_owned(),
        certain: false,
        tags: Vec::new(),
    };
    // One event is enough to know that a secret was read. After a lost download, any file may be a download.
    let tell = |kind: &String| match kind.as_str() {
        SECRET => None,
        "download" => Some(summary("download", "/")),
        kind => Some(summary(FORGOTTEN, kind)),
    };
    let is_new = |one: &Event| !events.iter().any(|event| (&event.kind, &event.target) == (&one.kind, &one.target));
    let summary: Vec<Event> = lost.iter().filter_map(tell).filter(is_new).collect();
    events.splice(0..0, summary);
    events
}

/// The file name extension.
const END: &str = ".log";

fn folder(state: &Path) -> PathBuf {
    state.join("history")
}

/// A line without the line feed.
struct Line<'a> {
    tag: Tag,
    body: &'a [u8],
}

impl<'a> Line<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let (tag, body) = line.split_first_chunk()?;
        Some(Line { tag: Tag(*tag), body: body.strip_prefix(b" ")? })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn event(kind: &str, target: &str) -> Event {
        let (time, tool) = ("2026-01-02T03:04:05.678Z".to_owned(), "Bash".to_owned());
        Event {
            number: 0,
            time,
            kind: kind.to_owned(),
            tool,
            target: target.to_owned(),
            certain: true,
            tags: Vec::new(),
        }
    }

    fn history(state: &Path, session: &str) -> History {
        History::open(state, session).unwrap()
    }

    fn targets(history: &History) -> Vec<String> {
        history.read().unwrap().events("").unwrap().into_iter().map(|event| event.target).collect()
    }

    #[test]
    fn events_are_numbered_and_told_in_order() {
        let state = tempfile::tempdir().unwrap();
        let one = history(state.path(), "s1");
        assert_eq!(one.read().unwrap().events("").unwrap(), []);
        one.append(vec![event("write", "/a"), event("write", "/b")], PATIENCE).unwrap();
        one.append(vec![event("denied", "p:r")], PATIENCE).unwrap();
        let denied: Vec<String> =
            one.read().unwrap().events("denied").unwrap().into_iter().map(|event| event.target).collect();
        assert_eq!(denied, ["p:r"]);
        let known = one.read().unwrap().events("").unwrap();
        let numbers: Vec<(u32, &str)> = known.iter().map(|event| (event.number, event.target.as_str())).collect();
        assert_eq!(numbers, [(1, "/a"), (2, "/b"), (3, "p:r")]);
        assert_eq!(history(state.path(), "s2").read().unwrap().events("").unwrap(), []);
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(one.file()), mode(state.path().join("history"))), (0o600, 0o700));
        one.end().unwrap();
        one.end().unwrap();
        assert_eq!(one.read().unwrap().events("").unwrap(), []);
    }

    #[test]
    fn two_hundred_processes_at_once_lose_nothing() {
        let state = tempfile::tempdir().unwrap();
        let one = &history(state.path(), "s1");
        std::thread::scope(|scope| {
            for number in 0..200 {
                scope.spawn(move || one.append(vec![event("write", &format!("/{number}"))], PATIENCE).unwrap());
            }
        });
        let mut known = targets(one);
        known.sort();
        known.dedup();
        assert_eq!(known.len(), 200);
    }

    /// Any byte that is changed, taken away or added makes a file that says nothing.
    #[test]
    fn a_damaged_file_is_never_believed() {
        let state = tempfile::tempdir().unwrap();
        let one = history(state.path(), "s1");
        for target in ["/a", "/b", "/c"] {
            one.append(vec![event("write", target)], PATIENCE).unwrap();
        }
        let sound = fs::read(one.file()).unwrap();
        let lines: Vec<&[u8]> = sound.split_inclusive(|byte| *byte == b'\n').collect();
        let mut damaged: Vec<Vec<u8>> = Vec::new();
        for at in (0..sound.len()).step_by(7) {
            let mut flipped = sound.clone();
            flipped[at] ^= 1;
            damaged.push(flipped);
        }
        damaged.extend((1..lines[2].len()).map(|cut| sound[..sound.len() - cut].to_vec()));
        damaged.push([lines[0], lines[2]].concat());
        damaged.push([lines[1], lines[2]].concat());
        damaged.push([lines[0], lines[1], lines[2], lines[2]].concat());
        damaged.push([&sound, &b"x\n"[..]].concat());
        damaged.push(vec![b'\n']);
        damaged.push(Vec::new());
        damaged.push(vec![b'a'; HISTORY_BYTES + 1]);
        for bytes in damaged {
            fs::write(one.file(), &bytes).unwrap();
            assert!(matches!(one.read(), Err(HistoryError::Damaged(_))), "{}", String::from_utf8_lossy(&bytes));
        }
        fs::write(one.file(), &sound).unwrap();
        assert_eq!(targets(&one), ["/a", "/b", "/c"]);
        fs::copy(one.file(), history(state.path(), "s2").file()).unwrap();
        assert!(history(state.path(), "s2").read().is_err(), "the list of another session");
        fs::set_permissions(one.file(), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(one.read().is_err(), "others can write to it");
    }

    #[test]
    fn nothing_is_added_to_half_a_line() {
        let state = tempfile::tempdir().unwrap();
        let one = history(state.path(), "s1");
        one.append(vec![event("write", "/a")], PATIENCE).unwrap();
        let sound = fs::read(one.file()).unwrap();
        fs::write(one.file(), &sound[..sound.len() - 5]).unwrap();
        assert!(matches!(one.append(vec![event("write", "/b")], PATIENCE), Err(HistoryError::Damaged(_))));
        assert!(one.read().is_err());
    }

    #[test]
    fn a_full_file_loses_its_oldest_events_but_the_decisive_ones() {
        let state = tempfile::tempdir().unwrap();
        let one = history(state.path(), "s1");
        one.append(vec![event("secret-read", "/repo/.env")], PATIENCE).unwrap();
        let long = "x".repeat(1000);
        for number in 0..1200 {
            one.append(vec![event("write", &format!("/{number}/{long}"))], PATIENCE).unwrap();
        }
        assert!(fs::metadata(one.file()).unwrap().len() <= HISTORY_BYTES as u64);
        let known = one.read().unwrap().events("").unwrap();
        assert_eq!(known.first().map(|event| event.target.as_str()), Some("/repo/.env"));
        assert_eq!(known.last().map(|event| event.number), Some(1201));
        assert!(known.len() > 300, "{}", known.len());
        assert!(known.is_sorted_by_key(|event| event.number));
        for number in 0..1200 {
            one.append(vec![event("download", &format!("/{number}/{long}")), event("denied", &long)], PATIENCE)
                .unwrap();
        }
        let past = one.read().unwrap();
        let targets =
            |kind: &str| -> Vec<String> { past.events(kind).unwrap().into_iter().map(|event| event.target).collect() };
        assert_eq!(targets("secret-read"), ["/repo/.env"]);
        assert_eq!(targets("download").first().map(String::as_str), Some("/"));
        assert_eq!(targets("forgotten"), ["denied"]);
        let known = past.events("").unwrap();
        let huge = event("write", &"x".repeat(LINE_BYTES));
        assert!(one.append(vec![huge], PATIENCE).is_err());
        assert_eq!(one.read().unwrap().events("").unwrap().len(), known.len());
    }
}
