//! Folders and files that belong to this user alone.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use guard_platform::access::{self, Access};
use guard_platform::account;
use guard_platform::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, set_file_mode};

/// The reason why a folder can't be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the folder `{path}`: {kind}")]
pub struct FolderError {
    /// The folder.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub kind: FolderErrorKind,
}

/// The reason why a folder can't be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderErrorKind {
    /// An error of the file system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another user owns it.
    #[error("it belongs to another user")]
    Foreign,
    /// Other users can write to it.
    #[error("others can write to it; run `chmod 700` on it")]
    Open,
    /// The administrator would create it in this user's home.
    #[error("it is in the home of `{0}`, where root creates nothing")]
    Home(String),
    /// It isn't a folder.
    #[error("it is not a folder")]
    NotAFolder,
}

/// Creates the folder and its parents with access for this user only, or checks it if it exists.
///
/// # Errors
///
/// [`FolderErrorKind`] has the reasons.
pub fn make_private(path: &Path) -> Result<(), FolderError> {
    match check_private(path) {
        Err(FolderError { kind: FolderErrorKind::Io(error), .. }) if error.kind() == io::ErrorKind::NotFound => {
            // The user could no longer write there.
            if let Some(user) = account::user_of_home(path) {
                return Err(FolderError { path: path.to_path_buf(), kind: FolderErrorKind::Home(user) });
            }
            let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
            made.map_err(|error| FolderError { path: path.to_path_buf(), kind: error.into() })?;
            check_private(path)
        }
        checked => checked,
    }
}

/// Checks that the folder exists and that only this user can write to it.
///
/// # Errors
///
/// [`FolderErrorKind`] has the reasons.
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

/// Returns whether it is a regular file that this user owns and no other user can write to.
pub fn is_private(data: &Metadata) -> bool {
    data.is_file() && access::is_own(data) && data.mode() & 0o022 == 0
}

/// Writes a temporary file and renames it, so that readers see either the old file or the whole new one. The file gets
/// exactly this mode, regardless of the umask.
///
/// # Errors
///
/// Any error of the file system. The old file is then unchanged.
pub fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    write(path, bytes, mode, |_| Ok(()))
}

/// Like [`write_new`], but syncs the bytes to disk before the rename, so that the file survives a power loss.
///
/// # Errors
///
/// Any error of the file system. The old file is then unchanged.
pub fn write_lasting(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    write(path, bytes, mode, File::sync_all)?;
    // Also syncs the folder, where possible. The rename is done by now, so a failure isn't an error.
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

/// Returns a unique name for a temporary file that will be renamed to `name`.
pub(super) fn temporary_name(name: &str) -> io::Result<String> {
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
    Ok(format!(".{name}.{}", super::hex(&random)))
}

/// Creates a uniquely named file in the folder of `path`.
pub(super) fn create_beside(path: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temporary = path.with_file_name(temporary_name(&name)?);
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
    Ok((temporary, file))
}
