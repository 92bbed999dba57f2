//! Trust in projects: the digests of files that a person has reviewed.
//!
//! A trusted project's file has fewer limits, as long as it and every file that it names are unchanged. The pins are
//! sealed in the state folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::pins::Pins;
use guard_contract::Problem;
use guard_state::AppDirs;
use guard_state::{FileLock, Seal, make_private};

/// Incremented whenever the file's format changes.
const PURPOSE: &str = "trusted projects 1";

/// The maximum number of trusted projects.
const PROJECTS: usize = 1024;

/// The maximum wait for another process that changes the pins.
const PATIENCE: Duration = Duration::from_secs(5);

/// The trust in a project's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// The file was never trusted, and can only tighten.
    None,
    /// The file is trusted.
    Held,
    /// The file was trusted, but has changed since, as described.
    Lapsed(String),
}

/// The reason why a project can't be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The project has no file.
    #[error("there is no `{0}`")]
    NoFile(PathBuf),
    /// The project's file is invalid.
    #[error("{0}")]
    Broken(Problem),
    /// Too many projects are trusted.
    #[error("more than {PROJECTS} projects are trusted")]
    TooMany,
    /// An error of the file system.
    #[error("the pins cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// Returns the file with the pins.
#[must_use]
pub fn file(state: &Path) -> PathBuf {
    state.join("trust.json")
}

/// Reads the pins of all projects. Without a file with a valid seal, nothing is trusted.
pub(super) fn pins(state: &Path) -> BTreeMap<PathBuf, Pins> {
    sealed(state).flatten().unwrap_or_default()
}

/// The file of the pins is there, and nothing in it counts: it is damaged, or was sealed with another key.
#[must_use]
pub fn is_damaged(state: &Path) -> bool {
    sealed(state) == Some(None)
}

/// The pins as they are in the file: `None` without a file, `Some(None)` if nothing in it counts.
fn sealed(state: &Path) -> Option<Option<BTreeMap<PathBuf, Pins>>> {
    // Opening the seal would create a key, so it is only opened if there is a file.
    fs::symlink_metadata(file(state)).ok()?;
    Some(Seal::open(state).ok().and_then(|seal| seal.read(PURPOSE, &file(state))))
}

/// Returns the trusted files of these projects that are missing now, for example on another branch. Their rules don't
/// apply.
#[must_use]
pub fn missing(dirs: &AppDirs, projects: &[String]) -> Vec<PathBuf> {
    let roots = projects.iter().filter(|root| !root.is_empty());
    let mut files: Vec<PathBuf> = roots.map(|root| AppDirs::project_file(root)).collect();
    files.retain(|file| fs::symlink_metadata(file).is_err());
    if files.is_empty() {
        return files;
    }
    let pins = pins(&dirs.trust);
    files.retain(|file| pins.contains_key(file));
    files
}

/// Returns a message about a missing file, and the hint.
#[must_use]
pub fn missing_file_problem(file: &Path) -> (String, String) {
    let text = format!("the project's rules don't apply: `{}`, which you trusted, is missing", file.display());
    let remedy =
        "restore the file, for example from another branch; `guard-host trust --remove` if its rules are gone \
                  for good"
            .to_owned();
    (text, remedy)
}

/// Pins the project's file and every file that it names, with a candidate's digests, so that later changes aren't
/// trusted.
///
/// # Errors
///
/// [`TrustError`] has the reasons.
pub fn trust(dirs: &AppDirs, root: &str, pins: &Pins) -> Result<(), TrustError> {
    change(&dirs.trust, |all| {
        all.insert(AppDirs::project_file(root), pins.clone());
        if all.len() > PROJECTS { Err(TrustError::TooMany) } else { Ok(()) }
    })
}

/// Copies the trust to another state folder, where nothing is trusted yet.
///
/// # Errors
///
/// [`TrustError::Io`].
pub fn copy(dirs: &AppDirs, folder: &Path) -> Result<(), TrustError> {
    change(folder, |all| {
        *all = pins(&dirs.trust);
        Ok(())
    })
}

/// Revokes trust. Returns false if there was none.
///
/// # Errors
///
/// [`TrustError::Io`].
pub fn untrust(dirs: &AppDirs, root: &str) -> Result<bool, TrustError> {
    let project = AppDirs::project_file(root);
    if !pins(&dirs.trust).contains_key(&project) {
        return Ok(false);
    }
    change(&dirs.trust, |all| {
        all.remove(&project);
        Ok(())
    })?;
    Ok(true)
}

fn change(
    state: &Path,
    edit: impl FnOnce(&mut BTreeMap<PathBuf, Pins>) -> Result<(), TrustError>,
) -> Result<(), TrustError> {
    make_private(state).map_err(io::Error::other)?;
    let _lock = FileLock::acquire(&state.join("trust.lock"), Instant::now() + PATIENCE)?;
    let seal = Seal::open(state).map_err(io::Error::other)?;
    let mut all = pins(state);
    edit(&mut all)?;
    Ok(seal.write(PURPOSE, &file(state), &all)?)
}
