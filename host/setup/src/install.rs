//! Registration with harnesses: changes their files without losing other programs' entries.
//!
//! This module only knows files, and no vendor's settings: a harness defines the [`ManagedFile`]s of its registration.
//! All changes are planned before the first byte is written, so that an error leaves everything unchanged.

mod files;
pub mod json;
mod registration;
pub(crate) mod yaml;

use std::io;
use std::path::{Path, PathBuf};

pub use registration::{
    DisablingSetting, FailureBehavior, FoundHook, HookLocation, InstallOptions, Registration, Running, Scope, Server,
    Survey,
};
pub(crate) use registration::{next_steps_of_managed, serve_line};

use files::ExistingFile;
use guard_contract::exit::Exit;
use guard_state::io_hint;
use guard_state::registrations::Record;
use json::Malformed;

/// The wanted state of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Registered.
    Install,
    /// Not registered.
    Uninstall,
}

/// An error that prevents a change of the registration.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Invalid combination of arguments.
    #[error("{0}")]
    Arguments(String),
    /// A file can't be read or written.
    #[error("cannot use `{0}`: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A file isn't JSON, or not in the form that the harness reads.
    #[error("`{0}`:{1}")]
    Malformed(PathBuf, #[source] Malformed),
    /// A file that may not be written.
    #[error("`{0}` {1}")]
    Refused(PathBuf, &'static str),
}

impl InstallError {
    /// Returns how to fix the error.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            InstallError::Arguments(_) => "`guard-host install --help` shows examples",
            InstallError::Io(_, error) => io_hint(error),
            InstallError::Malformed(..) => "nothing was changed; correct the file by hand and run the command again",
            InstallError::Refused(..) => "nothing was changed; put a file of your own there, or name another target",
        }
    }

    /// Returns the exit code of a command that fails with it.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            InstallError::Arguments(_) => Exit::Usage,
            InstallError::Io(..) => Exit::Software,
            InstallError::Malformed(..) => Exit::Data,
            InstallError::Refused(..) => Exit::Unavailable,
        }
    }
}

/// Edits a text.
pub type Edit = Box<dyn Fn(&str) -> Result<String, Malformed>>;

/// Recognizes a file that a registration wrote.
pub type Recognise = Box<dyn Fn(&[u8]) -> bool>;

/// One file of a registration.
pub enum ManagedFile {
    /// A file with other programs' content.
    Shared {
        /// The path.
        path: PathBuf,
        /// The folder that links may not lead out of. `None` allows any file of this user.
        within: Option<PathBuf>,
        /// The mode of a new file.
        mode: u32,
        /// Whether a secret is added, so that other users may not read the file.
        is_secret: bool,
        /// The text for a file that doesn't exist or is empty.
        blank: &'static str,
        /// Adds the registration. Returns the same text if nothing changes.
        add: Edit,
        /// Removes the registration.
        strip: Edit,
    },
    /// A file with only this program's content.
    Own {
        /// The path.
        path: PathBuf,
        /// The folder that links may not lead out of. `None` allows any file of this user.
        within: Option<PathBuf>,
        /// The mode.
        mode: u32,
        /// The content.
        bytes: Vec<u8>,
        /// Recognizes an older version of the file.
        is_ours: Recognise,
        /// What to do with another author's file in its place.
        foreign: Foreign,
    },
}

/// What to do with another author's file in the place of a registration's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Keep it, and register without the file.
    Kept,
    /// Keep it, and fail, because the registration doesn't work without the file.
    Refused,
    /// Move it aside to a copy, and restore it when the registration is removed.
    SetAside,
}

/// The suffix of the copy of another author's file.
const ASIDE: &str = ".before-guard-host";

/// Returns the path of the copy of another author's file.
#[must_use]
pub fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ASIDE);
    PathBuf::from(name)
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path, as given.
    pub path: PathBuf,
    /// The content before. `None` if the file doesn't exist.
    pub before: Option<Vec<u8>>,
    /// The content afterwards. `None` if the file is removed.
    pub after: Option<Vec<u8>>,
    /// Whether it is another author's file, which is kept.
    pub kept: bool,
    target: PathBuf,
    mode: u32,
    record: Option<Record>,
}

impl Change {
    /// Returns whether the file doesn't change.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }
}

/// Plans the changes, in the order in which they are written. Files that a registration refers to are written before
/// it, and removed after it, like those that it no longer refers to (`retired`).
///
/// # Errors
///
/// One of the files can't be changed. In that case none may be.
pub fn plan(
    pieces: Vec<ManagedFile>,
    retired: Vec<ManagedFile>,
    aim: Action,
    state: &Path,
) -> Result<Vec<Change>, InstallError> {
    let mut changes =
        pieces.into_iter().map(|piece| managed_file_changes(piece, aim, state)).collect::<Result<Vec<_>, _>>()?;
    if aim == Action::Uninstall {
        changes.reverse();
    }
    let mut gone_too = Vec::new();
    for piece in retired {
        match managed_file_changes(piece, Action::Uninstall, state) {
            Ok(gone) => gone_too.push(gone),
            // In that case it isn't a file of a registration.
            Err(InstallError::Refused(..)) => {}
            Err(error) => return Err(error),
        }
    }
    // When several files are removed with their created folders, the one that was created first is removed last.
    let after = if aim == Action::Uninstall { changes.len().min(1) } else { changes.len() };
    changes.splice(after..after, gone_too);
    Ok(changes.into_iter().flatten().collect())
}

/// Returns the changes for one piece: of its file, and of the copy of another author's file.
fn managed_file_changes(piece: ManagedFile, aim: Action, state: &Path) -> Result<Vec<Change>, InstallError> {
    let ManagedFile::Own { path, within, bytes, is_ours, mode, foreign: Foreign::SetAside } = &piece else {
        return Ok(vec![change(piece, aim, state)?]);
    };
    let existing = files::find(path, within.as_deref(), *mode)?;
    let copy = files::find(&aside(path), within.as_deref(), existing.mode)?;
    let is_foreign = existing.bytes.as_deref().is_some_and(|there| there != bytes && !is_ours(there));
    match aim {
        Action::Install if is_foreign => {
            // Writing through a link would change a file elsewhere, such as a program.
            if !existing.is_at(path) {
                return Err(InstallError::Refused(path.clone(), "is a link to a file of yours; remove the link first"));
            }
            if copy.bytes.is_some() && copy.bytes != existing.bytes {
                let text = "is the copy of an earlier script; move it away first";
                return Err(InstallError::Refused(aside(path), text));
            }
            let own = ExistingFile { target: existing.target.clone(), bytes: existing.bytes.clone(), mode: *mode };
            let own = own.change(path.clone(), Some(bytes.clone()), Some(Record::new(path, None, "")));
            let kept = existing.bytes;
            let copy = ExistingFile { mode: existing.mode, ..copy }.change(aside(path), kept, None);
            Ok(vec![copy, own])
        }
        Action::Uninstall if !is_foreign && copy.bytes.is_some() && copy.is_at(&aside(path)) => {
            let back = ExistingFile { mode: copy.mode, ..existing }.change(path.clone(), copy.bytes.clone(), None);
            Ok(vec![back, copy.change(aside(path), None, None)])
        }
        _ => Ok(vec![change(piece, aim, state)?]),
    }
}

fn change(piece: ManagedFile, aim: Action, state: &Path) -> Result<Change, InstallError> {
    match piece {
        ManagedFile::Shared { path, within, mode, is_secret, blank, add, strip } => {
            let mut existing = files::find(&path, within.as_deref(), mode)?;
            if is_secret && aim == Action::Install {
                if !existing.is_at(&path) {
                    return Err(InstallError::Refused(path, "is a link, and a secret would get into what it leads to"));
                }
                existing.mode &= 0o700;
            }
            let before = existing.text(&path)?;
            let malformed = |error| InstallError::Malformed(path.clone(), error);
            let record = Record::read(state, &path);
            let origin = record.and_then(|record| record.undo(before.as_deref()?));
            match aim {
                Action::Install => {
                    let text = before.as_deref().filter(|text| !text.trim().is_empty()).unwrap_or(blank);
                    let after = add(text).map_err(malformed)?;
                    let has_no_entry = strip(text).map_err(malformed)? == text;
                    // If the file already has an entry, its original content is unknown.
                    let origin = origin.or_else(|| has_no_entry.then(|| before.clone()));
                    let record = origin.map(|origin| Record::new(&path, origin.as_deref(), &after));
                    Ok(existing.change(path, Some(after.into_bytes()), record))
                }
                Action::Uninstall => {
                    let after = match (origin, before) {
                        // The file itself is only removed if it isn't reached through a link.
                        (Some(None), Some(_)) if existing.is_at(&path) => None,
                        (Some(Some(origin)), _) => Some(origin),
                        (_, Some(before)) if before.trim().is_empty() => Some(before),
                        (_, Some(before)) => Some(strip(&before).map_err(malformed)?),
                        (_, None) => None,
                    };
                    Ok(existing.change(path, after.map(String::into_bytes), None))
                }
            }
        }
        ManagedFile::Own { path, within, mode, bytes, is_ours, foreign } => {
            let mut existing = files::find(&path, within.as_deref(), mode)?;
            let ours = existing.bytes.as_deref().is_none_or(|there| there == bytes || is_ours(there));
            if ours {
                existing.mode = mode;
            }
            let after = match aim {
                Action::Install if !ours && foreign != Foreign::Kept => {
                    return Err(InstallError::Refused(path, "is there already and was not written by guard-host"));
                }
                Action::Install if ours => Some(bytes),
                Action::Uninstall if ours => None,
                _ => existing.bytes.clone(),
            };
            // The record is only needed for the folders that are created.
            let record = (aim == Action::Install && ours).then(|| Record::new(&path, None, ""));
            let change = existing.change(path, after, record);
            Ok(Change { kept: !ours, ..change })
        }
    }
}

impl ExistingFile {
    fn change(self, path: PathBuf, after: Option<Vec<u8>>, record: Option<Record>) -> Change {
        let ExistingFile { target, bytes, mode } = self;
        Change { path, before: bytes, after, kept: false, target, mode, record }
    }
}

/// A file that people also edit, opened for one edit of its text.
pub struct EditedFile {
    path: PathBuf,
    existing: ExistingFile,
    text: Option<String>,
}

impl EditedFile {
    /// Opens the file. Links may not lead out of `within`. Without it, they may lead to any file of this user. `mode`
    /// is for a new file.
    ///
    /// # Errors
    ///
    /// The file may not be written, or isn't text.
    pub fn open(path: &Path, within: Option<&Path>, mode: u32) -> Result<Self, InstallError> {
        let existing = files::find(path, within, mode)?;
        let text = existing.text(path)?;
        Ok(EditedFile { path: path.to_path_buf(), existing, text })
    }

    /// Returns the content. `None` if the file doesn't exist.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the change to another text. `None` removes the file, or empties it if it is reached through a link.
    #[must_use]
    pub fn change(self, after: Option<String>) -> Change {
        let after = after.or_else(|| (!self.existing.is_at(&self.path)).then(String::new));
        self.existing.change(self.path, after.map(String::into_bytes), None)
    }
}

/// Writes the planned changes.
///
/// # Errors
///
/// A file can't be written, or has changed since the plan was made.
pub fn apply(changes: &[Change], state: &Path) -> Result<(), InstallError> {
    for change in changes {
        let fail = |error| InstallError::Io(change.path.clone(), error);
        if !change.is_none() {
            if files::read(&change.target).map_err(fail)? != change.before {
                return Err(InstallError::Refused(change.path.clone(), "was changed by another program just now"));
            }
            match &change.after {
                Some(bytes) => {
                    let made = files::write(&change.target, bytes, change.mode).map_err(fail)?;
                    if let Some(record) = &change.record {
                        record.clone().with_folders(made).write(state);
                    }
                }
                None => {
                    std::fs::remove_file(&change.target).map_err(fail)?;
                    let made = Record::read(state, &change.path).map(|record| record.folders()).unwrap_or_default();
                    files::remove_empty(&made);
                }
            }
        } else if change.after.is_some() {
            files::set_mode(&change.target, change.mode).map_err(fail)?;
        }
        if change.record.is_none() {
            Record::forget(state, &change.path);
        }
    }
    Ok(())
}
