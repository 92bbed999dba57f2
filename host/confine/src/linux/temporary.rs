//! A private temporary folder for the command, deleted when the command exits.

use std::fs::{DirBuilder, remove_dir_all};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::CommandDirs;

/// The maximum number of names that are tried.
const TRIES: u32 = 100;

pub(super) struct Temporary(PathBuf);

impl Temporary {
    pub(super) fn create(places: &CommandDirs<'_>) -> Result<Self, Error> {
        let above = (places.variable)("TMPDIR").filter(|path| path.starts_with('/')).unwrap_or_else(|| "/tmp".into());
        let above = Path::new(&above).canonicalize()?;
        for attempt in 0..TRIES {
            let path = above.join(format!("guard-host-run-{}-{attempt}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                result => return result.map(|()| Temporary(path)),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Best effort: a process that the command left running may still write to the folder.
        let _ = remove_dir_all(&self.0);
    }
}
