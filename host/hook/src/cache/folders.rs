//! Where things lie in a cache folder.

use std::path::{Path, PathBuf};

use guard_state::{FolderError, make_private};

/// The folder of artifacts.
pub(crate) fn artifacts(cache: &Path) -> PathBuf {
    cache.join("artifacts")
}

/// The folder of artifacts, which is made if it is missing and belongs to this user alone, as does the cache folder: in one
/// that others can write to, a file could be swapped after it was checked.
///
/// # Errors
///
/// One of them cannot be used.
pub(crate) fn private_artifacts(cache: &Path) -> Result<PathBuf, FolderError> {
    let folder = artifacts(cache);
    make_private(cache)?;
    make_private(&folder)?;
    Ok(folder)
}

/// The folder of prepared chains.
pub(super) fn chains(cache: &Path) -> PathBuf {
    cache.join("chains")
}
