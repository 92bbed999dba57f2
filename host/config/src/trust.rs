//! Trust in projects: the digests of files that a person took for their own.
//!
//! A trusted project's file is held to fewer limits, for as long as it and every file that it names are what they were.
//! The pins lie in the state folder under the seal of its key.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::folder;
use super::layers::TrustLevel;
use super::project::{self, Candidate};
use guard_contract::COMPONENT_BYTES;
use guard_contract::Problem;
use guard_state::Places;
use guard_state::{FileLock, Seal, hex, make_private};

/// Raised whenever the shape of the file changes.
const PURPOSE: &str = "trusted projects 1";

/// The most projects that are trusted at once.
const PROJECTS: usize = 1024;

/// How long to wait for another process that changes the pins.
const PATIENCE: Duration = Duration::from_secs(5);

/// The digest of each file that was pinned; none for one that was not there.
pub type Pins = BTreeMap<PathBuf, Option<String>>;

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
    // Only a file asks for the key, which would be made otherwise.
    if fs::symlink_metadata(file(state)).is_err() {
        return BTreeMap::new();
    }
    Seal::open(state).ok().and_then(|seal| seal.read(PURPOSE, &file(state))).unwrap_or_default()
}

/// The project's file as it would be trusted.
///
/// # Errors
///
/// [`TrustError`] says why it cannot be.
pub fn candidate(places: &Places, root: &str) -> Result<Candidate, TrustError> {
    let file = Places::project_file(root);
    let candidate = project::candidate(&file, &places.home).map_err(TrustError::Broken)?;
    candidate.ok_or(TrustError::NoFile(file))
}

/// Pins the project's file, and every file that it names, as the candidate has them: what has changed since is not trusted.
///
/// # Errors
///
/// [`TrustError`] says why nothing was pinned.
pub fn trust(places: &Places, root: &str, candidate: &Candidate) -> Result<(), TrustError> {
    change(&places.trust, |all| {
        all.insert(Places::project_file(root), candidate.pins.clone());
        if all.len() > PROJECTS { Err(TrustError::TooMany) } else { Ok(()) }
    })
}

/// Trusts the same projects in another folder as well, where nothing is trusted yet.
///
/// # Errors
///
/// [`TrustError::Io`].
pub fn copy(places: &Places, folder: &Path) -> Result<(), TrustError> {
    change(folder, |all| {
        *all = pins(&places.trust);
        Ok(())
    })
}

/// Takes the trust back. False if there was none.
///
/// # Errors
///
/// [`TrustError::Io`].
pub fn untrust(places: &Places, root: &str) -> Result<bool, TrustError> {
    let project = Places::project_file(root);
    if !pins(&places.trust).contains_key(&project) {
        return Ok(false);
    }
    change(&places.trust, |all| {
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

/// The digest of a file, or of what counts in a folder of settings; none if it is not there or cannot be read.
pub(super) fn digest(path: &Path) -> Option<String> {
    let data = fs::metadata(path).ok()?;
    if data.is_dir() {
        return folder::digest(path);
    }
    if !data.is_file() || data.len() > COMPONENT_BYTES as u64 {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(COMPONENT_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    Some(digest_of(&bytes))
}

/// The digest of bytes that were read.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl TrustLevel<'_> {
    /// The digest that a file was pinned with.
    ///
    /// # Errors
    ///
    /// The file is another one than was pinned, or was never pinned. The text says so.
    pub(super) fn check(&self, path: &Path, found: Option<&str>) -> Result<Option<String>, String> {
        let TrustLevel::Pinned(pins) = self else { return Ok(None) };
        match pins.get(path) {
            Some(pin) if pin.as_deref() == found => Ok(pin.clone()),
            Some(_) => Err(format!("`{}` has changed since it was trusted", path.display())),
            None => Err(format!("`{}` was not there to be trusted", path.display())),
        }
    }
}
