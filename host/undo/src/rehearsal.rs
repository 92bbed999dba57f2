//! [`Rehearsal`]: a backup and a restore in a throwaway folder, to test whether undo works on this machine.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use guard_platform::fs::{DirBuilderExt, MetadataExt, identity, symlink};
use guard_state::{check_private, hex};

use crate::backup::{ChildAnswer, Task};
use crate::copy::{copy, modification_time, restore_attributes};
use crate::manifest::BackupCoverage;
use crate::restore::{Options, Restorer};
use crate::store::{Store, StoreError};
use guard_facts::losses::{How, Loss, Losses, PathLoss};

/// The modification time of the copied file. It is in the past, so that a restore without times is detected.
const OLD: (i64, i64) = (1_000_000_000, 5000);

const TEXT: &[u8] = b"a file of `guard-host doctor`\n";

/// A throwaway folder in the state folder, with its own files and store. Removed on drop.
#[derive(Debug)]
pub struct Rehearsal {
    folder: PathBuf,
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Rehearsal {
    /// Creates the folder and the files. The state folder must exist.
    ///
    /// # Errors
    ///
    /// The state folder can't be written to.
    pub fn begin(state: &Path) -> Result<Self, StoreError> {
        check_private(state)?;
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
        let folder = state.canonicalize()?.join(format!(".undo-rehearsal-{}", hex(&random)));
        // The folder must be new, because it is removed with everything in it.
        DirBuilder::new().mode(0o700).create(&folder)?;
        let rehearsal = Rehearsal { folder };
        rehearsal.write()?;
        Ok(rehearsal)
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    fn lost_folder(&self) -> PathBuf {
        self.project().join("lost")
    }

    fn write(&self) -> io::Result<()> {
        let lost = self.lost_folder();
        DirBuilder::new().recursive(true).mode(0o700).create(lost.join("empty"))?;
        File::create_new(lost.join("file"))?.write_all(TEXT)?;
        match symlink("file", lost.join("link")) {
            // By default, users of Windows can't create links.
            Err(_) if cfg!(windows) => {}
            made => made?,
        }
        restore_attributes(&lost.join("file"), 0o640, OLD)
    }

    /// Returns the task of a child process.
    #[must_use]
    pub fn task(&self, left_ms: u64, max_bytes: u64) -> Task {
        let path = self.lost_folder().to_string_lossy().into_owned();
        let loss = Loss::Path(PathLoss { path, how: How::Delete, is_pattern: false, name: String::new() });
        Task {
            state: self.state(),
            losses: Losses { list: vec![loss], may_be_more: false },
            left_ms,
            max_bytes,
            exclude: Vec::new(),
            tool: "guard-host".to_owned(),
            call: "guard-host doctor".to_owned(),
            session: String::new(),
            project: self.project().to_string_lossy().into_owned(),
        }
    }

    /// Removes the files, and restores them from the backup in this reply.
    ///
    /// # Errors
    ///
    /// Describes how they differ.
    pub fn restore(&self, answer: &ChildAnswer, env: &BTreeMap<String, String>) -> Result<(), String> {
        if answer.kept != BackupCoverage::Whole || answer.id.is_empty() {
            let why = if answer.why.is_empty() { "no copy was made" } else { &answer.why };
            return Err(why.to_owned());
        }
        let (state, store) = (self.state(), Store::in_state(&self.state()));
        let manifests = store.list().map_err(|error| error.to_string())?;
        let manifest = manifests.iter().find(|manifest| manifest.id == answer.id).ok_or("the copy is in no list")?;
        fs::remove_dir_all(self.lost_folder()).map_err(|error| error.to_string())?;
        let restorer = Restorer { store: &store, state: &state, env };
        let items = restorer.plan(manifest, &Options::default());
        restorer.apply(manifest, &items, &Options::default()).map_err(|error| error.to_string())?;
        self.check().map_err(|error| error.to_string())
    }

    /// Verifies that everything is as [`Rehearsal::begin`] created it.
    fn check(&self) -> io::Result<()> {
        let lost = self.lost_folder();
        let file = lost.join("file");
        let data = file.symlink_metadata()?;
        let is_same = fs::read(&file)? == TEXT
            && (cfg!(not(unix)) || data.mode() & 0o7777 == 0o640)
            && modification_time(&data) == OLD
            && self.check_link()?
            && lost.join("empty").symlink_metadata()?.is_dir();
        is_same.then_some(()).ok_or_else(|| io::Error::other("a restored file differs from the one that was copied"))
    }

    /// Returns whether the link is unchanged. A link that couldn't be created on Windows can't differ.
    fn check_link(&self) -> io::Result<bool> {
        match fs::read_link(self.lost_folder().join("link")) {
            Err(_) if cfg!(windows) => Ok(true),
            target => Ok(target? == Path::new("file")),
        }
    }

    /// Returns whether copies of files on this folder's file system share their extents.
    #[must_use]
    pub fn shares_extents(&self, of: &Path) -> bool {
        let (from, to) = (self.lost_folder().join("file"), self.folder.join("clone"));
        let device = |path: &Path| path.metadata().and_then(|data| identity(path, &data)).map(|identity| identity.dev);
        let is_near = device(of).is_ok_and(|of| device(&self.folder).is_ok_and(|own| own == of));
        is_near && copy(&from, &to, None).is_ok_and(|how| how.is_cloned())
    }
}
