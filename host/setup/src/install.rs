//! Registration with harnesses: which files change, and how they change without losing what others wrote there.
//!
//! Knows files and nothing of a vendor's settings: a harness says which [`ManagedFile`]s its registration is made of. Every
//! change is worked out before the first byte is written, so that a refusal leaves everything as it was.

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
    /// That it is there.
    Install,
    /// That it is gone.
    Uninstall,
}

/// Why a registration is not changed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The arguments do not go together.
    #[error("{0}")]
    Arguments(String),
    /// A file cannot be read or written.
    #[error("cannot use `{0}`: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A file is no JSON, or has another shape than the harness reads.
    #[error("`{0}`:{1}")]
    Malformed(PathBuf, #[source] Malformed),
    /// A file is not one that may be written here.
    #[error("`{0}` {1}")]
    Refused(PathBuf, &'static str),
}

impl InstallError {
    /// The fix.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            InstallError::Arguments(_) => "`guard-host install --help` shows examples",
            InstallError::Io(_, error) => io_hint(error),
            InstallError::Malformed(..) => "nothing was changed; correct the file by hand and run the command again",
            InstallError::Refused(..) => "nothing was changed; put a file of your own there, or name another target",
        }
    }

    /// How a command ends that meets it.
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

/// Makes another text of one.
pub type Edit = Box<dyn Fn(&str) -> Result<String, Malformed>>;

/// Whether the bytes of a file were written by a registration.
pub type Recognise = Box<dyn Fn(&[u8]) -> bool>;

/// One file of a registration.
pub enum ManagedFile {
    /// A file that holds what others wrote too.
    Shared {
        /// The file.
        path: PathBuf,
        /// Links may lead no further than to below this folder; `None`: to any file of this user.
        within: Option<PathBuf>,
        /// The mode of a new file.
        mode: u32,
        /// It gets a secret, so others may not read it.
        is_secret: bool,
        /// The text in place of a file that doesn't exist or is empty.
        blank: &'static str,
        /// Puts the registration in. Returns the same text if it is there already.
        add: Edit,
        /// Takes it out.
        strip: Edit,
    },
    /// A file that holds nothing else.
    Own {
        /// The file.
        path: PathBuf,
        /// Links may lead no further than to below this folder; `None`: to any file of this user.
        within: Option<PathBuf>,
        /// Its mode.
        mode: u32,
        /// Its contents.
        bytes: Vec<u8>,
        /// Whether a file that is there already is an older one of these.
        is_ours: Recognise,
        /// The treatment of somebody else's file in its place.
        foreign: Foreign,
    },
}

/// The treatment of somebody else's file in the place of one of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// It stays, and the registration does without the file.
    Kept,
    /// It stays, and nothing is registered: the registration is worth nothing without the file.
    Refused,
    /// A copy of it is kept beside it, and is put back when the registration goes.
    SetAside,
}

/// How the name of a copy of another's file ends.
const ASIDE: &str = ".before-guard-host";

/// Where the copy of another's file is kept.
#[must_use]
pub fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ASIDE);
    PathBuf::from(name)
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file, as it was named.
    pub path: PathBuf,
    /// Its contents before; `None` if it doesn't exist.
    pub before: Option<Vec<u8>>,
    /// Its contents afterwards; `None` if it is removed.
    pub after: Option<Vec<u8>>,
    /// It is a file of others, and stays as it is.
    pub kept: bool,
    target: PathBuf,
    mode: u32,
    record: Option<Record>,
}

impl Change {
    /// The file stays as it is.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }
}

/// Works out what has to change, in the order in which it is to be written: what a registration points to comes before
/// the registration, and goes after it, as does what it points to no longer (`retired`).
///
/// # Errors
///
/// One of the files cannot be changed; then none may be.
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
            // Then it is not where a registration puts a file.
            Err(InstallError::Refused(..)) => {}
            Err(error) => return Err(error),
        }
    }
    // Of several files in folders that were made for them, the first to be made is the last to go.
    let after = if aim == Action::Uninstall { changes.len().min(1) } else { changes.len() };
    changes.splice(after..after, gone_too);
    Ok(changes.into_iter().flatten().collect())
}

/// The changes for one piece: that of its file, and that of the copy of another's file in its place.
fn managed_file_changes(piece: ManagedFile, aim: Action, state: &Path) -> Result<Vec<Change>, InstallError> {
    let ManagedFile::Own { path, within, bytes, is_ours, mode, foreign: Foreign::SetAside } = &piece else {
        return Ok(vec![change(piece, aim, state)?]);
    };
    let existing = files::find(path, within.as_deref(), *mode)?;
    let copy = files::find(&aside(path), within.as_deref(), existing.mode)?;
    let is_foreign = existing.bytes.as_deref().is_some_and(|there| there != bytes && !is_ours(there));
    match aim {
        Action::Install if is_foreign => {
            // Writing through a link would change a file that lies elsewhere, such as a program.
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
                    // If the file already has an entry, its content without it is unknown.
                    let origin = origin.or_else(|| has_no_entry.then(|| before.clone()));
                    let record = origin.map(|origin| Record::new(&path, origin.as_deref(), &after));
                    Ok(existing.change(path, Some(after.into_bytes()), record))
                }
                Action::Uninstall => {
                    let after = match (origin, before) {
                        // The file itself is removed only if no link leads to it by now.
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
            // Only the folders that are made for it are worth a record.
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

/// A file that people edit too, opened for one edit of its text.
pub struct EditedFile {
    path: PathBuf,
    existing: ExistingFile,
    text: Option<String>,
}

impl EditedFile {
    /// Opens the file. Links may lead no further than to below `within`; without it to any file of this user. A new file
    /// gets the mode.
    ///
    /// # Errors
    ///
    /// It is not a file that may be written here, or no text.
    pub fn open(path: &Path, within: Option<&Path>, mode: u32) -> Result<Self, InstallError> {
        let existing = files::find(path, within, mode)?;
        let text = existing.text(path)?;
        Ok(EditedFile { path: path.to_path_buf(), existing, text })
    }

    /// Its contents; `None` if it doesn't exist.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The change to another text; without one the file goes, unless a link leads to it.
    #[must_use]
    pub fn change(self, after: Option<String>) -> Change {
        let after = after.or_else(|| (!self.existing.is_at(&self.path)).then(String::new));
        self.existing.change(self.path, after.map(String::into_bytes), None)
    }
}

/// Writes what was worked out.
///
/// # Errors
///
/// A file cannot be written, or is no longer what it was when the change was worked out.
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
