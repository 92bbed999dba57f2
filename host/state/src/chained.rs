//! [`ChainedLog`]: a log of JSON lines, each of which authenticates the line before it.
//!
//! Each line ends with three fields: `n`, its number; `prev`, the SHA-256 digest of the previous line's bytes; and
//! `seal`, an HMAC over `prev` and the line up to this field, with the state folder's key. A sealed file beside the log
//! records the last line. This detects lines that were changed, moved, inserted or removed, including at the end and
//! across rotation. `n` and `prev` can be checked without the key.
//!
//! Only a log that no other user can write to has a chain, because each user has their own key.
//!
//! Seals don't protect against processes of the same user, which can read the key.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use guard_platform::fs::{OpenOptionsExt, open_at_once, write_all_at};
use sha2::{Digest, Sha256};

use crate::files::append_line;
use crate::seal::Tag;
use crate::{Seal, hex, is_private};

mod accept;
mod verify;

pub use accept::ACCEPT;
pub use verify::{ChainBreak, Verified};

/// The purposes of the seals: lines, lines written without the lock, and the file that records the last line.
const LINE: &str = "audit line";
const APART: &str = "audit line apart";
const LAST: &str = "audit log end";

/// Bytes to read from the end of a log whose last line isn't known. No line is longer.
const TAIL_BYTES: u64 = 1 << 20;

/// Start of the trailing fields of a line outside the chain.
const APART_MARK: &str = ",\"apart\":true,\"seal\":\"";

/// A log with a chain, and the paths of its companion files.
#[derive(Debug)]
pub struct ChainedLog<'a> {
    /// The log.
    pub path: &'a Path,
    /// The file that the log is rotated to.
    pub rotated: &'a Path,
    /// The file that records the last line.
    pub last: &'a Path,
    /// The folder with the key.
    pub state: &'a Path,
}

/// The last line of a log, as recorded in the companion file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LastLine {
    /// The line's number.
    n: u64,
    /// The log's size after the line, in bytes.
    size: u64,
    /// The line's digest.
    digest: Tag,
    /// The number of the log's first line, or 0 if it isn't known.
    first: u64,
    /// The number of the rotated file's first line, or 0 if it isn't known.
    first_rotated: u64,
}

impl LastLine {
    fn text(&self, seal: &Seal) -> String {
        let LastLine { n, size, digest, first, first_rotated } = self;
        // Fixed length, because it overwrites the previous record in place.
        let body = format!("{n:020} {size:020} {first:020} {first_rotated:020} {}", text(digest));
        let tag = seal.tag(LAST, &Tag::default(), body.as_bytes());
        format!("{body} {}\n", text(&tag))
    }

    fn parse(line: &str, seal: &Seal) -> Option<Self> {
        let (body, tag) = line.strip_suffix('\n')?.rsplit_once(' ')?;
        if !seal.is_valid(LAST, &Tag::default(), body.as_bytes(), &parse_tag(tag)?) {
            return None;
        }
        let mut words = body.split(' ');
        let mut number = || words.next()?.parse().ok();
        let (n, size, first, first_rotated) = (number()?, number()?, number()?, number()?);
        Some(LastLine { n, size, first, first_rotated, digest: parse_tag(words.next()?)? })
    }
}

impl ChainedLog<'_> {
    /// Appends a line, a JSON object. If the caller holds the log's lock (`is_locked`), the line becomes part of the
    /// chain. Otherwise it only gets a seal. In a log that other users can write to, the line is appended unchanged.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn append(&self, line: &str, is_locked: bool) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        // A log shared by several users may be writable for all of them and readable for one.
        let mut file = options.clone().read(true).open(self.path).or_else(|_| options.open(self.path))?;
        let data = file.metadata()?;
        let Some(open) = line.strip_suffix('}').filter(|open| open.len() > 1) else {
            return append_line(&mut file, line);
        };
        let seal = if is_private(&data) { Seal::open(self.state).ok() } else { None };
        let Some(seal) = seal else { return append_line(&mut file, line) };
        if !is_locked {
            let tag = seal.tag(APART, &Tag::default(), open.as_bytes());
            return append_line(&mut file, &format!("{open}{APART_MARK}{}\"}}", text(&tag)));
        }
        let (mut last, is_new) = self.last_line(&mut file, data.len(), &seal)?;
        let before = last.digest.clone();
        let mut whole = open.to_owned();
        last.n = last.n.saturating_add(1);
        let _ = write!(whole, ",\"n\":{},\"prev\":\"{}\"", last.n, text(&before));
        let tag = seal.tag(LINE, &before, whole.as_bytes());
        let _ = write!(whole, ",\"seal\":\"{}\"}}", text(&tag));
        if last.first == 0 && (data.len() == 0 || is_new && last.n == 1) {
            last.first = last.n;
        }
        let mut options = OpenOptions::new();
        let end = open_at_once(options.write(true).create(true).truncate(false).mode(0o600), self.last)?;
        if is_new {
            // Written before the chain begins, so that its removal is always detected.
            write_all_at(&end, LastLine { n: last.n - 1, ..last.clone() }.text(&seal).as_bytes(), 0)?;
        }
        append_line(&mut file, &whole)?;
        last.digest = digest(whole.as_bytes());
        last.size = file.metadata()?.len();
        // Not synced to disk, so a power loss can lose the last lines.
        write_all_at(&end, last.text(&seal).as_bytes(), 0)
    }

    /// Returns the record of the last line, completed from the log itself, and whether the log has no chain yet.
    fn last_line(&self, file: &mut File, size: u64, seal: &Seal) -> io::Result<(LastLine, bool)> {
        let known = self.known_last_line(seal);
        if let Some(last) = known.as_ref().filter(|last| last.size == size && size > 0) {
            return Ok((last.clone(), false));
        }
        if size == 0 {
            let rotated = open_at_once(OpenOptions::new().read(true), self.rotated);
            let end = rotated.ok().map(|mut file| tail(&mut file)).transpose()?.flatten();
            let Some(last) = known.filter(|last| last.n > 0) else {
                // The record is gone. The chain continues with a gap, which `verify` reports.
                let n = end.as_ref().map_or(0, |end| end.n);
                let digest = end.map(|end| end.digest).unwrap_or_default();
                return Ok((LastLine { n: if n == 0 { 0 } else { n + 1 }, digest, ..LastLine::default() }, true));
            };
            return Ok(match end.filter(|end| end.n >= last.n) {
                Some(end) => (
                    LastLine { n: end.n, digest: end.digest, first: 0, first_rotated: last.first, size: last.size },
                    false,
                ),
                // The log was removed. Its first line's number stays recorded, so `verify` reports the gap.
                None => (last, false),
            });
        }
        let end = tail(file)?.unwrap_or_default();
        Ok(match known {
            // A process was killed between writing the line and its record, or lines were removed.
            Some(last) => (LastLine { n: last.n.max(end.n), digest: end.digest, ..last }, false),
            None if end.n > 0 => (LastLine { n: end.n + 1, digest: end.digest, ..LastLine::default() }, true),
            None => (LastLine { digest: end.digest, ..LastLine::default() }, true),
        })
    }

    fn known_last_line(&self, seal: &Seal) -> Option<LastLine> {
        let mut file = open_at_once(OpenOptions::new().read(true), self.last).ok()?;
        if !is_private(&file.metadata().ok()?) {
            return None;
        }
        let mut text = String::new();
        (&mut file).take(1 << 10).read_to_string(&mut text).ok()?;
        LastLine::parse(&text, seal)
    }
}

/// Returns the digest of a file's last line and the number of its last numbered line, or `None` for an empty file.
fn tail(file: &mut File) -> io::Result<Option<LastLine>> {
    let size = file.metadata()?.len();
    if size == 0 {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL_BYTES + 2)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES + 2).read_to_end(&mut bytes)?;
    let whole = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let mut lines = whole.rsplit(|byte| *byte == b'\n');
    let end = lines.next().unwrap_or_default();
    let n = std::iter::once(end).chain(lines).find_map(|line| Link::parse(line).map(|link| link.n));
    Ok(Some(LastLine { n: n.unwrap_or_default(), digest: digest(end), size, ..LastLine::default() }))
}

/// The trailing fields of a line in the chain.
struct Link<'a> {
    n: u64,
    prev: Tag,
    seal: Tag,
    /// The line up to the seal.
    sealed: &'a [u8],
}

impl<'a> Link<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let (sealed, seal) = split_seal(line)?;
        let (rest, prev) = sealed.strip_suffix(b"\"")?.split_last_chunk()?;
        let digits = rest.strip_suffix(b",\"prev\":\"")?;
        let at = digits.iter().rposition(|byte| !byte.is_ascii_digit())?;
        let (before, digits) = digits.split_at_checked(at + 1)?;
        let n = std::str::from_utf8(digits).ok()?.parse().ok()?;
        before.strip_suffix(b",\"n\":")?;
        Some(Link { n, prev: Tag(*prev), seal, sealed })
    }
}

/// Splits a line into the sealed part and its seal.
fn split_seal(line: &[u8]) -> Option<(&[u8], Tag)> {
    let (rest, tag) = line.strip_suffix(b"\"}")?.split_last_chunk()?;
    Some((rest.strip_suffix(b",\"seal\":\"")?, Tag(*tag)))
}

fn digest(line: &[u8]) -> Tag {
    let digits = hex(&Sha256::digest(line));
    digits.as_bytes().try_into().map(Tag).unwrap_or_default()
}

fn text(tag: &Tag) -> &str {
    std::str::from_utf8(&tag.0).unwrap_or_default()
}

fn parse_tag(text: &str) -> Option<Tag> {
    text.as_bytes().try_into().ok().map(Tag)
}

/// Opens a log for reading. Returns `None` if there is no file.
fn open_log(path: &Path) -> io::Result<Option<BufReader<File>>> {
    match open_at_once(OpenOptions::new().read(true), path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        // Reading a device or a pipe might never end.
        Ok(file) if !file.metadata()?.is_file() => Err(io::Error::other(format!("`{}` is not a file", path.display()))),
        Ok(file) => Ok(Some(BufReader::new(file))),
    }
}

/// A position in a log for messages: a file and a line number in it, starting at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition {
    /// The file.
    pub file: PathBuf,
    /// The line.
    pub line: u64,
}
