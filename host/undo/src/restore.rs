//! Restores a backup.
//!
//! Each file is written under a temporary name and then renamed, as is each folder that no longer exists. A new backup
//! is made of everything that is replaced.

mod git_state;
mod outcome;
mod writing;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::backup::{Task, make};
use crate::copy::restore_attributes;
use crate::git::Git;
use crate::manifest::{BackupCoverage, Content, Entry, Manifest};
use crate::store::Store;
use guard_facts::losses::{GitLoss, How, Loss, Losses, PathLoss};
use guard_platform::fs::DirBuilderExt;
use outcome::{is_folder, is_link_or_file};
use writing::{EntryWriter, prepare_parent, remove, remove_obstacle, temporary};

/// The time limit for the backup of what is replaced.
const PATIENCE: Duration = Duration::from_secs(120);

/// The maximum number of bytes that are requested from git at once.
const BATCH_BYTES: u64 = 16 << 20;

/// The error if nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The state that would be replaced can't be backed up.
    #[error("can't keep a copy of what would be replaced: {0}")]
    Unkept(String),
    /// An error of the file system.
    #[error("can't restore `{path}`")]
    Io {
        /// The path.
        path: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl RestoreError {
    /// Returns the error with its cause.
    fn full_message(&self) -> String {
        match self {
            RestoreError::Io { path, source } => format!("{path}: {source}"),
            RestoreError::Unkept(_) => self.to_string(),
        }
    }
}

/// What to restore, and where.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The absolute paths to restore, with everything below them. Empty for all.
    pub paths: Vec<PathBuf>,
    /// The target folder. `None` for the original locations.
    pub to: Option<PathBuf>,
    /// Whether to replace paths that were changed after the call.
    pub is_forced: bool,
    /// The times when paths and roots of repositories were changed again after the call, in Unix
    /// milliseconds.
    pub changed_again: BTreeMap<String, i64>,
}

/// What happens to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreOutcome {
    /// The path is unchanged.
    Same,
    /// The path no longer exists, and is created.
    Made,
    /// The path is as the call left it, and is replaced.
    Replaced,
    /// The path was changed after the call, and is kept.
    ChangedSince,
    /// Something else is in its place, and is kept.
    Blocked(&'static str),
}

/// An entry and its outcome.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The target path.
    pub target: PathBuf,
    /// The outcome.
    pub fate: RestoreOutcome,
}

impl Item<'_> {
    fn is_written(&self, options: &Options) -> bool {
        match self.fate {
            RestoreOutcome::Made | RestoreOutcome::Replaced => true,
            RestoreOutcome::ChangedSince => options.is_forced,
            RestoreOutcome::Same | RestoreOutcome::Blocked(_) => false,
        }
    }
}

/// The result of a restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The restored paths.
    pub restored: Vec<String>,
    /// The actions in repositories.
    pub git: Vec<String>,
    /// The paths that couldn't be restored, with the reasons.
    pub problems: Vec<String>,
    /// Files that had several hard links and are restored as separate files, with the number of links.
    pub unlinked: Vec<(String, u64)>,
    /// The backup of what was replaced. Empty if nothing was.
    pub replaced: String,
}

/// Restores backups of a state folder.
#[derive(Debug, Clone, Copy)]
pub struct Restorer<'a> {
    /// The backups.
    pub store: &'a Store,
    /// The state folder.
    pub state: &'a Path,
    /// The environment of this process.
    pub env: &'a BTreeMap<String, String>,
}

/// Returns the mode to restore. Setuid and setgid bits are removed, because a file would run as the user who restores
/// it.
fn restored_mode(entry: &Entry) -> u32 {
    if entry.content == Content::Folder { entry.mode } else { entry.mode & 0o1777 }
}

fn target_path(entry: &Entry, manifest: &Manifest, options: &Options) -> PathBuf {
    let path = Path::new(&entry.path);
    let Some(to) = &options.to else { return path.to_path_buf() };
    let below = path.strip_prefix(&manifest.project).or_else(|_| path.strip_prefix("/")).unwrap_or(path);
    to.join(below)
}

impl Restorer<'_> {
    /// Returns the outcome of each selected entry.
    #[must_use]
    pub fn plan<'a>(&self, manifest: &'a Manifest, options: &Options) -> Vec<Item<'a>> {
        let is_meant = |entry: &&Entry| {
            let path = Path::new(&entry.path);
            options.paths.is_empty() || options.paths.iter().any(|selected| path.starts_with(selected))
        };
        let entries: Vec<&Entry> = manifest.entries.iter().filter(is_meant).collect();
        let hashes = self.hashes(&entries, manifest, options);
        let outcome = |entry: &Entry, target: &Path| self.restore_outcome(manifest, entry, target, options, &hashes);
        let obstacle = |entry: &&Entry| {
            let target = target_path(entry, manifest, options);
            let fate = outcome(entry, &target);
            (!matches!(fate, RestoreOutcome::Made | RestoreOutcome::Same)).then_some((target, fate))
        };
        let folders = entries.iter().filter(|entry| entry.content == Content::Folder);
        let obstacles: BTreeMap<PathBuf, RestoreOutcome> = folders.filter_map(obstacle).collect();
        let item = |entry: &'a Entry| {
            let target = target_path(entry, manifest, options);
            let above = target.ancestors().skip(1).filter_map(|above| obstacles.get(above)).last();
            let fate = match above {
                Some(RestoreOutcome::Replaced) => RestoreOutcome::Made,
                Some(fate) => *fate,
                None => outcome(entry, &target),
            };
            Item { entry, target, fate }
        };
        entries.into_iter().map(item).collect()
    }

    /// Returns the object ids of the files that are now in the place of those that git has.
    fn hashes(&self, entries: &[&Entry], manifest: &Manifest, options: &Options) -> BTreeMap<PathBuf, String> {
        let mut by_root: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
        for entry in entries {
            let Content::Git { root, .. } = &entry.content else { continue };
            let target = target_path(entry, manifest, options);
            let is_plain = target.to_str().is_some_and(|text| !text.contains('\n'));
            if is_plain && target.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() == entry.size) {
                by_root.entry(root).or_default().push(target);
            }
        }
        let mut found = BTreeMap::new();
        for (root, paths) in by_root {
            let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
            let git = Git { root: Path::new(root), env: self.env };
            let output = git.output_with_input(&["hash-object", "--no-filters", "--stdin-paths"], names.into_bytes());
            let output = output.map(|output| String::from_utf8_lossy(&output).into_owned()).unwrap_or_default();
            found.extend(paths.into_iter().zip(output.lines().map(str::to_owned)));
        }
        found
    }

    /// Applies the plan.
    ///
    /// # Errors
    ///
    /// What would be replaced can't be backed up, or the file system fails.
    pub fn apply(&self, manifest: &Manifest, items: &[Item<'_>], options: &Options) -> Result<Report, RestoreError> {
        let mut report = Report::default();
        let with_git = options.paths.is_empty() && options.to.is_none();
        let unkept = self.back_up_replaced(manifest, items, options, with_git, &mut report)?;
        let is_written = |item: &&Item<'_>| item.is_written(options) && !unkept.contains(&item.target);
        let moved = with_git && self.move_heads(manifest, options, &mut report);
        let again = if moved { self.plan(manifest, options) } else { Vec::new() };
        // What git has just restored is what the call replaced.
        let is_meant = |item: &&Item<'_>| {
            let before = items.iter().find(|other| other.entry.path == item.entry.path);
            before.is_some_and(|before| before.fate == RestoreOutcome::Same || is_written(&before))
        };
        let mut wanted: Vec<&Item<'_>> = items.iter().filter(is_written).collect();
        if moved {
            let is_open = |item: &&Item<'_>| !matches!(item.fate, RestoreOutcome::Same | RestoreOutcome::Blocked(_));
            wanted = again.iter().filter(is_open).filter(is_meant).collect();
        }
        self.write(manifest, &wanted, options, &mut report)?;
        if with_git {
            self.finish_git(manifest, options, &mut report);
        }
        Ok(report)
    }

    /// Makes a backup of what is replaced. Returns the paths that it doesn't contain, which stay as they are.
    fn back_up_replaced(
        &self,
        manifest: &Manifest,
        items: &[Item<'_>],
        options: &Options,
        with_git: bool,
        report: &mut Report,
    ) -> Result<BTreeSet<PathBuf>, RestoreError> {
        let replaced = items.iter().filter(|item| item.is_written(options) && item.fate != RestoreOutcome::Made);
        let folders: BTreeSet<&Path> = items
            .iter()
            .filter(|item| item.entry.content == Content::Folder)
            .map(|item| item.target.as_path())
            .collect();
        let is_inside = |item: &Item<'_>| {
            item.target.ancestors().skip(1).any(|above| is_link_or_file(above) && folders.contains(above))
        };
        let replaced = replaced.filter(|item| !is_inside(item));
        let loss = |item: &Item<'_>| {
            let how = if is_folder(&item.target) { How::Delete } else { How::Replace };
            let path = item.target.to_string_lossy().into_owned();
            Loss::Path(PathLoss { path, how, is_pattern: false, name: String::new() })
        };
        let mut list: Vec<Loss> = replaced.map(loss).collect();
        if with_git {
            list.extend(manifest.git.iter().filter(|state| state.index.is_some()).map(|state| {
                let (folder, operation) = (state.root.clone(), "git.reset".to_owned());
                Loss::Git(GitLoss { folder, operation, ..GitLoss::default() })
            }));
        }
        if list.is_empty() {
            return Ok(BTreeSet::new());
        }
        let task = Task {
            state: self.state.to_path_buf(),
            losses: Losses { list, may_be_more: false },
            left_ms: u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX),
            max_bytes: u64::MAX,
            exclude: Vec::new(),
            tool: "guard-host".to_owned(),
            call: format!("guard-host undo restore {}", manifest.id),
            session: manifest.session.clone(),
            project: manifest.project.clone(),
        };
        let answer = make(&task, Instant::now(), self.env);
        if answer.kept == BackupCoverage::Whole || answer.is_needless {
            report.replaced = answer.id;
            return Ok(BTreeSet::new());
        }
        let made = self.store.list().unwrap_or_default().into_iter().find(|made| made.id == answer.id);
        let Some(made) = made.filter(|made| made.kept == BackupCoverage::Partly) else {
            return Err(RestoreError::Unkept(answer.why));
        };
        let mut unkept = BTreeSet::new();
        for why in &made.left_out {
            let is_meant = |item: &&Item<'_>| why.starts_with(&format!("{}: ", item.target.display()));
            let item = items.iter().find(is_meant).ok_or_else(|| RestoreError::Unkept(why.clone()))?;
            let is_copied = made.entries.iter().any(|entry| Path::new(&entry.path) == item.target);
            if !(options.is_forced && is_copied && !is_folder(&item.target)) {
                report.problems.push(RestoreError::Unkept(why.clone()).to_string());
                unkept.insert(item.target.clone());
            }
        }
        report.replaced = answer.id;
        Ok(unkept)
    }

    /// Writes entries. Those of a folder that no longer exists are written in one step.
    fn write(
        &self,
        manifest: &Manifest,
        wanted: &[&Item<'_>],
        options: &Options,
        report: &mut Report,
    ) -> Result<(), RestoreError> {
        let blobs = self.blobs(wanted)?;
        let writing = EntryWriter { restorer: self, manifest, blobs, without_attributes: RefCell::default() };
        let mut done: BTreeSet<&Path> = BTreeSet::new();
        let mut failed = Vec::new();
        // A call may lose a file first, and its folder later.
        let mut wanted = wanted.to_vec();
        wanted.sort_by_key(|item| item.target.as_path());
        for item in &wanted {
            let is_top = item.entry.path == item.entry.top && item.entry.content == Content::Folder;
            if !is_top || done.contains(item.target.as_path()) {
                continue;
            }
            let own: Vec<&Item<'_>> =
                wanted.iter().copied().filter(|other| other.target.starts_with(&item.target)).collect();
            done.extend(own.iter().map(|other| other.target.as_path()));
            if let Err(error) = writing.make_folder(item, &own, options) {
                failed.push(error);
                continue;
            }
            report.restored.push(item.entry.path.clone());
        }
        let others: Vec<&&Item<'_>> = wanted.iter().filter(|item| !done.contains(item.target.as_path())).collect();
        for item in &others {
            let create = || -> io::Result<()> {
                prepare_parent(&item.target, options)?;
                if item.entry.content == Content::Folder {
                    remove_obstacle(&item.target, true)?;
                    DirBuilder::new().recursive(true).mode(0o700).create(&item.target)?;
                    writing.set_attributes(item.entry, &item.target);
                    return Ok(());
                }
                let staged = temporary(&item.target, &manifest.id);
                remove(&staged)?;
                let made = writing.make(item.entry, &staged).and_then(|()| remove_obstacle(&item.target, false));
                let made = made.and_then(|()| fs::rename(&staged, &item.target));
                made.inspect_err(|_| drop(remove(&staged)))
            };
            if let Err(source) = create() {
                failed.push(entry_error(item.entry, source));
                continue;
            }
            report.restored.push(item.entry.path.clone());
        }
        for item in others.iter().rev().filter(|item| item.entry.content == Content::Folder) {
            let _ = restore_attributes(&item.target, restored_mode(item.entry), item.entry.time);
        }
        // A blocked path doesn't keep the others from being restored.
        if report.restored.is_empty() && !failed.is_empty() {
            return Err(failed.swap_remove(0));
        }
        report.problems.extend(failed.iter().map(RestoreError::full_message));
        let lacking = writing.without_attributes.into_inner();
        report.problems.extend(lacking.into_iter().map(|path| format!("{path}: its extended attributes")));
        let linked = wanted.iter().filter(|item| item.entry.names > 1);
        report.unlinked.extend(linked.map(|item| (item.entry.path.clone(), item.entry.names)));
        Ok(())
    }

    /// Returns the content of the files that git has.
    fn blobs(&self, wanted: &[&Item<'_>]) -> Result<BTreeMap<String, Vec<u8>>, RestoreError> {
        let mut by_root: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
        for item in wanted {
            if let Content::Git { oid, root } = &item.entry.content {
                by_root.entry(root).or_default().push((oid, item.entry.size));
            }
        }
        let mut found = BTreeMap::new();
        for (root, objects) in by_root {
            let fail = |source| RestoreError::Io { path: root.to_owned(), source };
            let git = Git { root: Path::new(root), env: self.env };
            let mut rest = objects.as_slice();
            while !rest.is_empty() {
                let mut bytes = 0;
                let fits = |(_, size): &&(&str, u64)| {
                    bytes += size;
                    bytes <= BATCH_BYTES
                };
                let count = rest.iter().take_while(fits).count().max(1);
                let (part, others) = rest.split_at_checked(count).unwrap_or((rest, &[]));
                let orders: String = part.iter().map(|(oid, _)| format!("{oid}\n")).collect();
                let output = git.output_with_input(&["cat-file", "--batch"], orders.into_bytes()).map_err(fail)?;
                read_batch(&output, &mut found).ok_or_else(|| fail(io::Error::other("git lacks an object")))?;
                rest = others;
            }
        }
        Ok(found)
    }
}

fn read_batch(mut output: &[u8], found: &mut BTreeMap<String, Vec<u8>>) -> Option<()> {
    while !output.is_empty() {
        let end = output.iter().position(|byte| *byte == b'\n')?;
        let header = std::str::from_utf8(output.get(..end)?).ok()?;
        let mut words = header.split(' ');
        let oid = words.next()?.to_owned();
        let size: usize = words.nth(1)?.parse().ok()?;
        let content = output.get(end + 1..)?.get(..size)?;
        found.insert(oid, content.to_vec());
        output = output.get(end + 1 + size + 1..)?;
    }
    Some(())
}

fn entry_error(entry: &Entry, source: io::Error) -> RestoreError {
    RestoreError::Io { path: entry.path.clone(), source }
}

/// Removes a partially written entry, and returns its error.
fn remove_partial(staged: &Path, entry: &Entry, source: io::Error) -> RestoreError {
    let _ = remove(staged);
    entry_error(entry, source)
}
