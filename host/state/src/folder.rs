//! Folders and files that belong to this user alone.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use guard_platform::access::{self, Access};
use guard_platform::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, set_file_mode};

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the folder `{path}`: {kind}")]
pub struct FolderError {
    /// The folder.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub kind: FolderErrorKind,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderErrorKind {
    /// The machine refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It belongs to somebody else.
    #[error("it belongs to another user")]
    Foreign,
    /// Others can write to it.
    #[error("others can write to it; run `chmod 700` on it")]
    Open,
    /// It is something else.
    #[error("it is not a folder")]
    NotAFolder,
}

/// Makes the folder, with those above it, for this user alone; checks it if it is there.
///
/// # Errors
///
/// [`FolderErrorKind`] says why it cannot be used.
pub fn make_private(path: &Path) -> Result<(), FolderError> {
    match check_private(path) {
        Err(FolderError { kind: FolderErrorKind::Io(error), .. }) if error.kind() == io::ErrorKind::NotFound => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
            made.map_err(|error| FolderError { path: path.to_path_buf(), kind: error.into() })?;
            check_private(path)
        }
        checked => checked,
    }
}

/// Checks that the folder is there and belongs to this user alone.
///
/// # Errors
///
/// [`FolderErrorKind`] says why it cannot be used.
pub fn check_private(path: &Path) -> Result<(), FolderError> {
    let check = || -> Result<(), FolderErrorKind> {
        let data = fs::symlink_metadata(path)?;
        if !data.is_dir() {
            return Err(FolderErrorKind::NotAFolder);
        }
        match access::of_folder(path, &data)? {
            Access::Private => Ok(()),
            Access::Foreign => Err(FolderErrorKind::Foreign),
            Access::Open => Err(FolderErrorKind::Open),
        }
    };
    check().map_err(|kind| FolderError { path: path.to_path_buf(), kind })
}

/// The file is a regular one, belongs to this user, and nobody else can write to it.
pub fn is_private(data: &Metadata) -> bool {
    data.is_file() && access::is_own(data) && data.mode() & 0o022 == 0
}

/// Writes a file under another name and renames it, so that a reader sees the old one or the new one whole. It has just
/// this mode, whatever the process masks.
///
/// # Errors
///
/// Those of the file system; the old file is then untouched.
pub fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    write(path, bytes, mode, |_| Ok(()))
}

/// As [`write_new`], for what has to outlive a loss of power: the bytes are on the disk before they have the name.
///
/// # Errors
///
/// Those of the file system; the old file is then untouched.
pub fn write_lasting(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    write(path, bytes, mode, File::sync_all)?;
    // The name as well, where the folder can be synced. The file has its name by now, so a failure is no error.
    let folder = path.parent().and_then(|folder| File::open(folder).ok());
    let _ = folder.map(|folder| folder.sync_all());
    Ok(())
}

fn write(path: &Path, bytes: &[u8], mode: u32, finish: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let (temporary, mut file) = create_beside(path, mode)?;
    let write = set_file_mode(&file, mode).and_then(|()| file.write_all(bytes));
    let write = write.and_then(|()| finish(&file)).and_then(|()| fs::rename(&temporary, path));
    if write.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    write
}

/// A name that nobody else uses, for a file that will be renamed to this one.
pub(super) fn temporary_name(name: &str) -> io::Result<String> {
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
    Ok(format!(".{name}.{}", super::hex(&random)))
}

/// A new file in the folder of `path`, under a name of its own.
pub(super) fn create_beside(path: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temporary = path.with_file_name(temporary_name(&name)?);
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
    Ok((temporary, file))
}
