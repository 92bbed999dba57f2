//! Trust in projects: the digests of files that a person took for their own.
//!
//! A trusted project's file is held to fewer limits, for as long as it and every file that it names are what they were.
//! The pins lie in the state folder under the seal of its key.

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

/// Raised whenever the shape of the file changes.
const PURPOSE: &str = "trusted projects 1";

/// The most projects that are trusted at once.
const PROJECTS: usize = 1024;

/// How long to wait for another process that changes the pins.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a project's file stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// It was never trusted, and can only tighten.
    None,
    /// It is trusted.
    Held,
    /// It was trusted and has changed since. The text says what has changed.
    Lapsed(String),
}

/// Why a project cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It has no file.
    #[error("there is no `{0}`")]
    NoFile(PathBuf),
    /// Its file cannot be used.
    #[error("{0}")]
    Broken(Problem),
    /// More are trusted than anybody looks after.
    #[error("more than {PROJECTS} projects are trusted")]
    TooMany,
    /// The machine refuses.
    #[error("the pins cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// The file of the pins.
#[must_use]
pub fn file(state: &Path) -> PathBuf {
    state.join("trust.json")
}

/// The pins of all projects. Without a file, or with one that nobody here sealed, nothing is trusted.
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
    // Only a file asks for the key, which would be made otherwise.
    fs::symlink_metadata(file(state)).ok()?;
    Some(Seal::open(state).ok().and_then(|seal| seal.read(PURPOSE, &file(state))))
}

/// The files of these projects that a person trusted and that are missing now, for example on a branch without them. Their
/// rules don't apply.
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

/// A sentence about a missing file, and the remedy.
#[must_use]
pub fn missing_file_problem(file: &Path) -> (String, String) {
    let text = format!("the project's rules don't apply: `{}`, which you trusted, is missing", file.display());
    let remedy =
        "restore the file, for example from another branch; `guard-host trust --remove` if its rules are gone \
                  for good"
            .to_owned();
    (text, remedy)
}

/// Pins the project's file, and every file that it names, as a candidate has them: what has changed since is not trusted.
///
/// # Errors
///
/// [`TrustError`] says why nothing was pinned.
pub fn trust(dirs: &AppDirs, root: &str, pins: &Pins) -> Result<(), TrustError> {
    change(&dirs.trust, |all| {
        all.insert(AppDirs::project_file(root), pins.clone());
        if all.len() > PROJECTS { Err(TrustError::TooMany) } else { Ok(()) }
    })
}

/// Trusts the same projects in another folder as well, where nothing is trusted yet.
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

/// Takes the trust back. False if there was none.
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
