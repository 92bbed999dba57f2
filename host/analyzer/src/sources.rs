//! The content of files on the machine that a text runs, as provided by the host.

use std::cell::RefCell;
use std::collections::BTreeMap;

use guard_sdk::resolve::{LIST, MORE};

use crate::limits;

/// The result of reading a file that the text runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The file's text.
    Text(String),
    /// There is no file, or it is a program or a part of an installed package. No reason is added.
    None,
    /// The file exists and wasn't read. The text is the reason, as a clause.
    Unread(String),
}

/// Reads a file that runs, by its absolute path.
pub type SourceReader = fn(&str) -> Source;

struct Sources {
    reader: SourceReader,
    known: BTreeMap<String, Source>,
}

thread_local! {
    static SOURCES: RefCell<Sources> = const { RefCell::new(Sources { reader: |_| Source::None, known: BTreeMap::new() }) };
}

/// Folders of the system's own programs and settings.
const SYSTEM: &[&str] =
    &["/bin/", "/sbin/", "/usr/", "/lib/", "/lib64/", "/opt/", "/dev/", "/proc/", "/sys/", "/nix/", "/snap/"];

/// Returns whether a file belongs to the system.
pub(crate) fn is_of_system(path: &str) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// World-writable folders, whose files don't belong to the system or the project.
pub(crate) const OPEN_TO_ALL: &[&str] = &["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"];

/// Returns whether a file is in a world-writable folder. Files below `start`, the call's working directory, belong to
/// the project.
pub(crate) fn is_open_to_all(path: &str, start: &str) -> bool {
    let is_open = |path: &str| OPEN_TO_ALL.iter().any(|folder| path.starts_with(folder));
    let below = path.strip_prefix(start).is_some_and(|rest| rest.starts_with('/') && !rest.contains("/.."));
    is_open(path) && !(is_open(start) && below)
}

/// Programs that run the file in their first argument.
const RUNNERS: &[&str] = &["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby", "exec", "env"];

/// Returns the program of a command, if it is in a world-writable folder and its text can't be read.
pub(crate) fn unread_program<'t>(command: &'t str, start: &str) -> Option<&'t str> {
    let mut words = command.trim_start_matches(['!', '|']).split_whitespace();
    let first = words.next()?;
    let runs_next = RUNNERS.contains(&first.rsplit('/').next().unwrap_or(first));
    let path = if runs_next { words.find(|word| !word.starts_with('-'))? } else { first };
    (is_open_to_all(path, start) && !matches!(read(path), Source::Text(_))).then_some(path)
}

/// Returns whether a bare word is the path of the user's own program.
pub(crate) fn is_own_program(word: &str) -> bool {
    word.contains('/') && !word.contains("://") && !is_of_system(word)
}

/// Clears the known files, and uses this reader from now on.
pub(crate) fn begin(reader: SourceReader) {
    SOURCES.set(Sources { reader, known: BTreeMap::new() });
}

/// Returns whether this file was read.
pub(crate) fn is_known(path: &str) -> bool {
    SOURCES.with_borrow(|sources| matches!(sources.known.get(path), Some(Source::Text(_))))
}

/// Returns the existing paths that match an absolute pattern such as `/repo/packages/*`. Folders end with a slash.
pub(crate) fn list(pattern: &str) -> Vec<String> {
    let Source::Text(text) = read(&format!("{LIST}{pattern}")) else { return Vec::new() };
    if text.lines().any(|path| path == MORE) {
        limits::reached("a folder has too many files to list");
    }
    text.lines().filter(|path| *path != MORE).map(str::to_owned).collect()
}

/// Returns the content of the file at this path, which the reader provides once.
pub(crate) fn read(path: &str) -> Source {
    SOURCES.with_borrow_mut(|sources| {
        if let Some(known) = sources.known.get(path) {
            return known.clone();
        }
        if sources.known.len() >= limits::SOURCES {
            limits::reached("too many files run to read all of them");
            return Source::None;
        }
        let source = (sources.reader)(path);
        sources.known.insert(path.to_owned(), source.clone());
        source
    })
}
