//! The WIT packages of the contract as files, for component tools.
//!
//! No existing file is overwritten: either all files are written or none.

use std::io;
use std::path::{Path, PathBuf};

use guard_state::files::{self, WriteResult};

use crate::scaffold::{self, FILES};

/// The world that policies implement.
pub const WORLD: &str = "guest";

/// The part of the embedded files with the contract.
const PART: &str = "wit";

/// The error if the package can't be written.
#[derive(Debug, thiserror::Error)]
pub enum WitError {
    /// Something else exists at the path.
    #[error("`{0}` is there already, {1}")]
    Taken(PathBuf, &'static str),
    /// An error of the file system.
    #[error("cannot write `{0}`")]
    Io(PathBuf, #[source] io::Error),
}

/// Writes the package to `folder`, which is created if it is missing. Returns the names of its files.
///
/// # Errors
///
/// [`WitError::Taken`] if a file with the same name has other content. In that case, nothing is written.
pub fn write(folder: &Path) -> Result<Vec<&'static str>, WitError> {
    let failed = |error| WitError::Io(folder.to_path_buf(), error);
    if std::fs::metadata(folder).is_ok_and(|data| !data.is_dir()) {
        return Err(WitError::Taken(folder.to_path_buf(), "and isn't a folder"));
    }
    let all = scaffold::unpack().map_err(failed)?;
    let mut package = Vec::new();
    for file in FILES.iter().filter(|file| file.part == PART && file.path.ends_with(".wit")) {
        let name = file.path.strip_prefix("wit/").unwrap_or(file.path);
        let bytes = all.get(file.bytes.clone()).ok_or_else(|| failed(scaffold::damaged_error()))?;
        package.push((name, bytes));
    }
    for (name, bytes) in &package {
        is_free_or_same(&folder.join(name), bytes)?;
    }
    for (name, bytes) in &package {
        let path = folder.join(name);
        match files::write_in_folder(folder, Path::new(name), bytes, false) {
            Ok(WriteResult::New | WriteResult::Same) => {}
            // A link to a file with the same content is fine. Otherwise, the path was just created by another process.
            Ok(_) => is_free_or_same(&path, bytes)?,
            Err(error) => return Err(WitError::Io(path, error)),
        }
    }
    Ok(package.into_iter().map(|(name, _)| name).collect())
}

/// Fails unless the path doesn't exist or leads to a file with the same content.
fn is_free_or_same(path: &Path, bytes: &[u8]) -> Result<(), WitError> {
    let conflict = |why| Err(WitError::Taken(path.to_path_buf(), why));
    match files::read_text(path, bytes.len() as u64) {
        Ok(text) if text.as_bytes() == bytes => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match std::fs::symlink_metadata(path) {
            Ok(_) => conflict("a link that leads nowhere"),
            Err(_) => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(WitError::Io(path.to_path_buf(), error)),
        _ => conflict("with other content"),
    }
}
