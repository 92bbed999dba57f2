//! Where things lie in a cache folder.

use std::path::{Path, PathBuf};

/// The folder of artifacts.
pub(crate) fn artifacts(cache: &Path) -> PathBuf {
    cache.join("artifacts")
}

/// The folder of prepared chains.
pub(super) fn chains(cache: &Path) -> PathBuf {
    cache.join("chains")
}
