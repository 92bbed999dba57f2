//! [`Store`]: the backups in the state folder.
//!
//! Each backup is a folder `undo/ID.BYTES` with the numbered copies and the sealed manifest. It is created under a
//! temporary name and renamed when it is complete.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use guard_state::{FileLock, FolderError, Seal, hex, make_private};
use jiff::{SignedDuration, Timestamp};

use crate::git::{Git, PINS};
use crate::manifest::Manifest;

/// The total size of backups, in bytes, above which the oldest are removed.
pub const STORE_BYTES: u64 = 2 << 30;

/// The age at which a backup is removed, in days.
pub const LIFE_DAYS: i64 = 7;

/// The maximum number of backups.
const BACKUPS: usize = 1000;

/// The maximum number of backups that one call removes, because its reply waits.
const REMOVED_AT_ONCE: usize = 8;

/// The prefix of folders whose backup is being made or removed.
const UNFINISHED: &str = ".making-";

/// The error if a backup can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state folder can't be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The key can't be used.
    #[error("{0}")]
    Seal(String),
    /// An error of the file system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The backups of a state folder.
#[derive(Debug, Clone)]
pub struct Store {
    state: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BackupFolder {
    id: String,
    bytes: u64,
    path: PathBuf,
}

/// The folder of an unfinished backup. Removed on drop unless it was published.
#[derive(Debug)]
pub(crate) struct PendingBackup {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    is_published: bool,
    _lock: FileLock,
}

impl PendingBackup {
    /// Returns the path of the copy with this number.
    pub(crate) fn copy(&self, number: u32) -> PathBuf {
        self.path.join(number.to_string())
    }

    /// Removes all copies, because the backup exceeds its limits.
    pub(crate) fn empty(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() != LOCK {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for PendingBackup {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// The minimum age of an unfinished backup's folder before it is removed: without a lock file, and with one.
const NEW: Duration = Duration::from_secs(60);
const NEW_WITH_LOCK: Duration = Duration::from_secs(2);

/// The lock file of an unfinished backup.
const LOCK: &str = ".lock";

const MANIFEST: &str = "manifest";

impl Store {
    /// Returns the store of a state folder.
    #[must_use]
    pub fn in_state(state: &Path) -> Self {
        Store { state: state.to_path_buf() }
    }

    /// Returns the folder of all backups.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.state.join("undo")
    }

    fn seal(&self) -> Result<Seal, StoreError> {
        Seal::open(&self.state).map_err(|error| StoreError::Seal(error.to_string()))
    }

    /// Returns the backups, newest first.
    fn list_backups(&self) -> Vec<BackupFolder> {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let place = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
            let (id, bytes) = name.split_once('.')?;
            Some(BackupFolder { id: id.to_owned(), bytes: bytes.parse().ok()?, path: entry.path() })
        };
        let mut places: Vec<BackupFolder> = entries.filter_map(place).collect();
        places.sort_by(|one, other| other.cmp(one));
        places
    }

    /// Reads the backups with manifests that this user sealed, newest first.
    ///
    /// # Errors
    ///
    /// The key can't be used.
    pub fn list(&self) -> Result<Vec<Manifest>, StoreError> {
        let places = self.list_backups();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let seal = self.seal()?;
        Ok(places.iter().filter_map(|place| read(&seal, place)).collect())
    }

    /// Returns the number of backups and their total size, from their names.
    #[must_use]
    pub fn usage(&self) -> (usize, u64) {
        let places = self.list_backups();
        (places.len(), places.iter().map(|place| place.bytes).sum())
    }

    /// Returns the path of a copy.
    #[must_use]
    pub fn copy(&self, manifest: &Manifest, number: u32) -> PathBuf {
        self.folder().join(folder_name(&manifest.id, manifest.bytes)).join(number.to_string())
    }

    /// Starts a backup.
    pub(crate) fn begin(&self) -> Result<PendingBackup, StoreError> {
        make_private(&self.folder())?;
        let mut random = [0_u8; 2];
        getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
        let time = Timestamp::now().strftime("%Y%m%d-%H%M%S-%3f").to_string();
        let id = format!("{time}-{}", hex(&random));
        let path = self.folder().join(format!("{UNFINISHED}{id}"));
        make_private(&path)?;
        let lock = FileLock::acquire(&path.join(LOCK), Instant::now())?;
        Ok(PendingBackup { id, path, is_published: false, _lock: lock })
    }

    /// Writes the manifest, and renames the backup to its final name.
    pub(crate) fn publish(&self, mut making: PendingBackup, manifest: &Manifest) -> Result<(), StoreError> {
        self.seal()?.write(&purpose(&manifest.id), &making.path.join(MANIFEST), manifest)?;
        let path = self.folder().join(folder_name(&manifest.id, manifest.bytes));
        fs::rename(&making.path, &path)?;
        making.is_published = true;
        Ok(())
    }

    /// Removes backups beyond the limits of age, size and number, and what an ended process left. At most `most`
    /// backups are removed.
    pub fn prune(&self, env: &BTreeMap<String, String>, most: usize) -> usize {
        self.remove_unfinished();
        let oldest = Timestamp::now().checked_sub(SignedDuration::from_hours(24 * LIFE_DAYS));
        let oldest = oldest.map(|time| time.strftime("%Y%m%d-%H%M%S").to_string()).unwrap_or_default();
        let mut bytes = 0_u64;
        let mut surplus: Vec<BackupFolder> = Vec::new();
        for (index, place) in self.list_backups().into_iter().enumerate() {
            bytes = bytes.saturating_add(place.bytes);
            if index >= BACKUPS || bytes > STORE_BYTES || place.id < oldest {
                surplus.push(place);
            }
        }
        let removed: Vec<BackupFolder> = surplus.into_iter().rev().take(most).collect();
        removed.iter().filter(|place| self.remove_place(place, env).is_ok()).count()
    }

    /// Same as [`Store::prune`], limited to what a reply may wait for.
    pub(crate) fn prune_some(&self, env: &BTreeMap<String, String>) {
        self.prune(env, REMOVED_AT_ONCE);
    }

    /// Removes all backups.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn clear(&self, env: &BTreeMap<String, String>) -> Result<usize, StoreError> {
        let places = self.list_backups();
        places.iter().try_for_each(|place| self.remove_place(place, env))?;
        self.remove_unfinished();
        Ok(places.len())
    }

    fn remove_place(&self, place: &BackupFolder, env: &BTreeMap<String, String>) -> Result<(), StoreError> {
        if let Some(manifest) = self.seal().ok().and_then(|seal| read(&seal, place)) {
            for state in &manifest.git {
                // The repository may no longer exist, and its references with it.
                let _ = unpin(&state.root, &place.id, env);
            }
        }
        // A partially removed backup must not be listed.
        let renamed = self.folder().join(format!("{UNFINISHED}{}", place.id));
        fs::rename(&place.path, &renamed)?;
        Ok(fs::remove_dir_all(&renamed)?)
    }

    /// Removes folders of ended processes.
    fn remove_unfinished(&self) {
        for entry in fs::read_dir(self.folder()).into_iter().flatten().flatten() {
            if !entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                continue;
            }
            let path = entry.path();
            // A new folder may not have its lock yet, or not be locked yet.
            let changed = entry.metadata().and_then(|data| data.modified()).ok();
            let least = if path.join(LOCK).exists() { NEW_WITH_LOCK } else { NEW };
            if changed.and_then(|time| time.elapsed().ok()).is_none_or(|age| age < least) {
                continue;
            }
            let lock = FileLock::acquire(&path.join(LOCK), Instant::now());
            if !matches!(&lock, Err(error) if error.kind() == ErrorKind::TimedOut) {
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

fn folder_name(id: &str, bytes: u64) -> String {
    format!("{id}.{bytes}")
}

fn purpose(id: &str) -> String {
    format!("undo {id}")
}

fn read(seal: &Seal, place: &BackupFolder) -> Option<Manifest> {
    let manifest: Manifest = seal.read(&purpose(&place.id), &place.path.join(MANIFEST))?;
    (manifest.id == place.id && manifest.bytes == place.bytes).then_some(manifest)
}

/// Removes the references that protect a backup's objects from being pruned.
fn unpin(root: &str, id: &str, env: &BTreeMap<String, String>) -> io::Result<()> {
    let git = Git { root: Path::new(root), env };
    let prefix = format!("{PINS}/{id}/");
    let names = git.text(&["for-each-ref", "--format=%(refname)", &prefix])?;
    let orders: String = names.lines().map(|name| format!("delete {name}\n")).collect();
    if !orders.is_empty() {
        git.output_with_input(&["update-ref", "--stdin"], orders.into_bytes())?;
    }
    Ok(())
}
