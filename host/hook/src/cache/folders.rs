//! The layout of a cache folder.

use std::path::{Path, PathBuf};

use guard_state::{FolderError, make_private};

/// The folder of artifacts.
pub(crate) fn artifacts(cache: &Path) -> PathBuf {
    cache.join("artifacts")
}

/// Returns the private folder of artifacts, created if it is missing. It and the cache folder must not be writable for
/// others, who could otherwise replace a file after it was checked.
///
/// # Errors
///
/// One of the folders can't be used.
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
