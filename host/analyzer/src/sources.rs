//! The content of files on the machine that a text runs, as provided by the host.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::limits;

/// The result of reading a file that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Its text.
    Text(String),
    /// There is none, or it is a program or a part of an installed package: nothing is said of it.
    None,
    /// There is one, and it was not read; why, as a clause.
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

/// Where the system's own programs and settings lie.
const SYSTEM: &[&str] =
    &["/bin/", "/sbin/", "/usr/", "/lib/", "/lib64/", "/opt/", "/dev/", "/proc/", "/sys/", "/nix/", "/snap/"];

/// Whether a file is one of the system.
pub(crate) fn is_of_system(path: &str) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Folders that everybody may write to, so that what is in them is no part of the system or of the project.
pub(crate) const OPEN_TO_ALL: &[&str] = &["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"];

/// Whether a file is in a folder that everybody may write to. Anything below `start`, where the call begins, belongs to
/// the project.
pub(crate) fn is_open_to_all(path: &str, start: &str) -> bool {
    let is_open = |path: &str| OPEN_TO_ALL.iter().any(|folder| path.starts_with(folder));
    let below = path.strip_prefix(start).is_some_and(|rest| rest.starts_with('/') && !rest.contains("/.."));
    is_open(path) && !(is_open(start) && below)
}

/// Programs that run the file that is their first word.
const RUNNERS: &[&str] = &["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby", "exec", "env"];

/// The program of a command, if it is in a folder that everybody may write to and its text can't be read.
pub(crate) fn unread_program<'t>(command: &'t str, start: &str) -> Option<&'t str> {
    let mut words = command.trim_start_matches(['!', '|']).split_whitespace();
    let first = words.next()?;
    let runs_next = RUNNERS.contains(&first.rsplit('/').next().unwrap_or(first));
    let path = if runs_next { words.find(|word| !word.starts_with('-'))? } else { first };
    (is_open_to_all(path, start) && !matches!(read(path), Source::Text(_))).then_some(path)
}

/// Whether a bare word names a program of the user's own by its path.
pub(crate) fn is_own_program(word: &str) -> bool {
    word.contains('/') && !word.contains("://") && !is_of_system(word)
}

/// Forgets what it knows, and asks this reader from now on.
pub(crate) fn begin(reader: SourceReader) {
    SOURCES.set(Sources { reader, known: BTreeMap::new() });
}

/// Whether this file was read.
pub(crate) fn is_known(path: &str) -> bool {
    SOURCES.with_borrow(|sources| matches!(sources.known.get(path), Some(Source::Text(_))))
}

/// Returns the content of the file at this path.
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
