//! Makes backups, in the child process of the hook.

mod git_folders;
mod git_state;
mod references;

pub use references::may_lose;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use guard_redact::{plain, redact, shorten};
use guard_sdk::globs::Glob;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::copy::{copy, digest};
use crate::gather::{BackupLimits, Gatherer, SkipReason};
use crate::git::{Git, Repository};
use crate::index::Stamp;
use crate::manifest::{BackupCoverage, Content, Entry, GitState, LostPath, Manifest};
use crate::store::{PendingBackup, Store, StoreError};
use guard_facts::losses::{Loss, Losses};
use guard_platform::paths::{native, slashed};

/// The hidden command of `guard-host-tools` that makes a backup.
pub const COMMAND: &str = "keep-undo";

/// The bytes and files up to which copying is faster than asking git which contents it already has.
const SMALL: (u64, usize) = (1 << 20, 64);

/// The maximum number of copied bytes that are read again for their digests, because the call waits.
const DIGESTED_BYTES: u64 = 8 << 20;

/// The maximum length of a call's text in a manifest.
const CALL_TEXT: usize = 2000;

/// The input of a child process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The state folder.
    pub state: PathBuf,
    /// The losses of the call.
    pub losses: Losses,
    /// The time limit, in milliseconds.
    pub left_ms: u64,
    /// The maximum size of all copies, in bytes.
    pub max_bytes: u64,
    /// Patterns of files to exclude.
    pub exclude: Vec<String>,
    /// The tool that is called.
    pub tool: String,
    /// The call.
    pub call: String,
    /// The session's id.
    pub session: String,
    /// The project's root.
    pub project: String,
}

/// The reply of a child process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildAnswer {
    /// How much of what the call destroys is in the backup.
    pub kept: BackupCoverage,
    /// The name of the backup. May be empty.
    pub id: String,
    /// Why the backup isn't complete.
    pub why: String,
    /// Whether nothing is lost after all.
    pub is_needless: bool,
}

impl ChildAnswer {
    /// Creates the answer without a backup, for this reason.
    #[must_use]
    pub fn without_backup(why: String) -> Self {
        ChildAnswer { kept: BackupCoverage::Nothing, id: String::new(), why, is_needless: false }
    }
}

/// Makes the backup of a task that started at this time.
#[must_use]
pub fn make(task: &Task, started: Instant, env: &BTreeMap<String, String>) -> ChildAnswer {
    let store = Store::in_state(&task.state);
    let made = begin_and_fill(&store, task, started, env);
    match made {
        Ok(answer) => {
            if !answer.is_needless {
                store.prune_some(env);
            }
            answer
        }
        Err(error) => ChildAnswer::without_backup(error.to_string()),
    }
}

fn begin_and_fill(
    store: &Store,
    task: &Task,
    started: Instant,
    env: &BTreeMap<String, String>,
) -> Result<ChildAnswer, StoreError> {
    let mut gathering = Gathering::begin(task, started, env);
    if let Some(answer) = gathering.answer_without_copies(task) {
        return Ok(answer);
    }
    let making = store.begin()?;
    let mut manifest = manifest(&making, task);
    let tops = gathering.gatherer.tops();
    let filled = fill(&making, &mut manifest, &mut gathering, task, env);
    manifest.left_out = missing_items(&filled, &mut gathering.gatherer, task);
    manifest.lost.append(&mut gathering.gatherer.lost);
    let is_empty = manifest.entries.is_empty() && manifest.git.is_empty();
    manifest.kept = coverage(&filled, &manifest.left_out, is_empty);
    if filled.is_err() {
        making.empty()?;
        manifest.lost.extend(tops);
        manifest.entries.clear();
        manifest.git.clear();
        manifest.bytes = 0;
    }
    let why = manifest.left_out.first().cloned().unwrap_or_default();
    store.publish(making, &manifest)?;
    Ok(ChildAnswer { kept: manifest.kept, id: manifest.id, why, is_needless: false })
}

/// Returns the reply that [`make`] would give, without making a backup.
#[must_use]
pub fn plan(task: &Task, started: Instant, env: &BTreeMap<String, String>) -> ChildAnswer {
    let mut gathering = Gathering::begin(task, started, env);
    if let Some(answer) = gathering.answer_without_copies(task) {
        return answer;
    }
    let filled = match &gathering.gathered {
        Ok(_) => gathering.exclude_files_in_git(task, env).map(drop),
        Err(stop) => Err(stop.clone()),
    };
    let left_out = missing_items(&filled, &mut gathering.gatherer, task);
    let is_empty = gathering.gatherer.entries.is_empty() && gathering.gathered.as_ref().is_ok_and(Vec::is_empty);
    let kept = coverage(&filled, &left_out, is_empty);
    let why = left_out.into_iter().next().unwrap_or_default();
    ChildAnswer { kept, id: PLANNED.to_owned(), why, is_needless: false }
}

/// Records that nothing of a task is backed up, because no process could do it.
pub fn record_unkept(task: &Task, why: &str) {
    let path = |loss: &Loss| match loss {
        Loss::Path(loss) if !loss.is_pattern => LostPath::read(Path::new(loss.path.trim_end_matches('/'))),
        Loss::Path(_) | Loss::Git(_) | Loss::Unkept(_) => None,
    };
    let lost: Vec<LostPath> = task.losses.list.iter().filter_map(path).collect();
    if lost.is_empty() {
        return;
    }
    let record = || {
        let store = Store::in_state(&task.state);
        let making = store.begin()?;
        let unkept =
            Manifest { kept: BackupCoverage::Nothing, left_out: vec![why.to_owned()], lost, ..manifest(&making, task) };
        store.publish(making, &unkept)
    };
    // The call gets its reply without the record.
    let _: Result<(), StoreError> = record();
}

/// The name of a backup that is only planned.
const PLANNED: &str = "planned";

/// Everything that a task loses.
struct Gathering {
    gatherer: Gatherer,
    gathered: Result<Vec<GitState>, SkipReason>,
    until: Instant,
}

impl Gathering {
    fn begin(task: &Task, started: Instant, env: &BTreeMap<String, String>) -> Self {
        let until = started + Duration::from_millis(task.left_ms);
        let exclude = task.exclude.iter().filter_map(|pattern| Glob::new(pattern).ok()).collect();
        let project = native(&task.project);
        let project = project.canonicalize().unwrap_or_else(|_| project.into_owned());
        let state = task.state.canonicalize().unwrap_or_else(|_| task.state.clone());
        let mut gatherer = Gatherer::new(BackupLimits { until, exclude, project, state });
        let gathered = gather(&mut gatherer, &task.losses, env);
        Gathering { gatherer, gathered, until }
    }

    /// Returns the reply if there is nothing to copy and nothing to record.
    fn answer_without_copies(&mut self, task: &Task) -> Option<ChildAnswer> {
        let is_silent = |loss: &Loss| matches!(loss, Loss::Git(loss) if git_state::is_silent(loss));
        let git = match &self.gathered {
            Ok(git) => git,
            Err(stop) if task.losses.list.iter().all(is_silent) => {
                return Some(ChildAnswer::without_backup(stop.to_string()));
            }
            Err(_) => return None,
        };
        if !self.gatherer.entries.is_empty() || !git.is_empty() || !self.gatherer.lost.is_empty() {
            return None;
        }
        // The losses are unknown, and there is nothing to copy.
        if let Some(why) = self.gatherer.left_out.first() {
            return Some(ChildAnswer::without_backup(why.clone()));
        }
        let kept = if task.losses.may_be_more { BackupCoverage::Partly } else { BackupCoverage::Whole };
        Some(ChildAnswer { kept, id: String::new(), why: String::new(), is_needless: true })
    }

    /// Excludes copies of files that git already has, if there are many files. Returns the tree of each index that was
    /// read.
    fn exclude_files_in_git(
        &mut self,
        task: &Task,
        env: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, SkipReason> {
        let (bytes, files) = size(&self.gatherer);
        let is_small = bytes <= SMALL.0 && files <= SMALL.1;
        let trees = if is_small { BTreeMap::new() } else { find_held(&mut self.gatherer, env) };
        let (bytes, _) = size(&self.gatherer);
        if bytes > task.max_bytes { Err(SkipReason::TooLarge(task.max_bytes)) } else { Ok(trees) }
    }
}

/// Returns how much of a task a backup contains.
fn coverage(filled: &Result<(), SkipReason>, left_out: &[String], is_empty: bool) -> BackupCoverage {
    match filled {
        Ok(()) if left_out.is_empty() => BackupCoverage::Whole,
        Ok(()) if !is_empty => BackupCoverage::Partly,
        _ => BackupCoverage::Nothing,
    }
}

/// Returns the total size and number of the files to copy.
fn size(gatherer: &Gatherer) -> (u64, usize) {
    let copies = gatherer.entries.iter().filter(|entry| matches!(entry.content, Content::Copy(_)));
    copies.fold((0, 0), |(bytes, count), entry| (bytes + entry.size, count + 1))
}

/// Returns the manifest of an empty backup.
fn manifest(making: &PendingBackup, task: &Task) -> Manifest {
    Manifest {
        id: making.id.clone(),
        time: Timestamp::now().to_string(),
        tool: shorten(&plain(&task.tool), 100),
        call: shorten(&plain(&redact(&task.call)), CALL_TEXT),
        session: task.session.clone(),
        project: task.project.clone(),
        kept: BackupCoverage::Whole,
        left_out: Vec::new(),
        lost: Vec::new(),
        bytes: 0,
        entries: Vec::new(),
        git: Vec::new(),
    }
}

/// Returns everything that isn't in the backup, with reasons.
fn missing_items(filled: &Result<(), SkipReason>, gatherer: &mut Gatherer, task: &Task) -> Vec<String> {
    let stop = filled.as_ref().err().map(ToString::to_string);
    let more = task.losses.may_be_more.then(|| "the call may destroy more than its text tells".to_owned());
    stop.into_iter().chain(std::mem::take(&mut gatherer.left_out)).chain(more).collect()
}

/// Lists everything that is lost.
fn gather(
    gatherer: &mut Gatherer,
    losses: &Losses,
    env: &BTreeMap<String, String>,
) -> Result<Vec<GitState>, SkipReason> {
    let mut states: Vec<GitState> = Vec::new();
    for loss in &losses.list {
        match loss {
            Loss::Path(path) => {
                gatherer.add(path)?;
                add_worktree(gatherer, &native(&path.path))?;
            }
            Loss::Git(git) => states.extend(git_state::gather(gatherer, git, env)?),
            Loss::Unkept(what) => gatherer.report_excluded(format!("{what}: no copy restores it")),
        }
    }
    Ok(states)
}

/// A deleted linked work tree also loses its repository's records of it.
fn add_worktree(gatherer: &mut Gatherer, path: &Path) -> Result<(), SkipReason> {
    let is_linked = path.join(".git").symlink_metadata().is_ok_and(|data| data.is_file());
    let repository = if is_linked { Repository::find(path) } else { None };
    let admin = repository
        .map(|repository| repository.git_dir)
        .filter(|admin| admin.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees"));
    add_tree(gatherer, admin.as_deref())
}

fn add_tree(gatherer: &mut Gatherer, path: Option<&Path>) -> Result<(), SkipReason> {
    let Some(path) = path.and_then(Path::to_str) else { return Ok(()) };
    let (path, name) = (path.to_owned(), String::new());
    gatherer.add(&crate::PathLoss { path, how: crate::How::Delete, is_pattern: false, name })
}

/// Adds a file whose content the call replaces.
fn add_replaced(gatherer: &mut Gatherer, path: &Path) -> Result<(), SkipReason> {
    gatherer.add(&crate::PathLoss { how: crate::How::Overwrite, ..path_loss(path) })
}

fn path_loss(path: &Path) -> crate::PathLoss {
    let path = path.to_string_lossy().into_owned();
    crate::PathLoss { path, how: crate::How::Delete, is_pattern: false, name: String::new() }
}

/// Copies everything in the list, and protects the git objects that are needed.
fn fill(
    making: &PendingBackup,
    manifest: &mut Manifest,
    gathering: &mut Gathering,
    task: &Task,
    env: &BTreeMap<String, String>,
) -> Result<(), SkipReason> {
    manifest.git = gathering.gathered.clone()?;
    let mut trees = gathering.exclude_files_in_git(task, env)?;
    let Gathering { gatherer, until, .. } = gathering;
    let until = *until;
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::TimedOut => SkipReason::TooLong,
        _ => SkipReason::Failed(error.to_string()),
    };
    let mut number = 0;
    let mut unread = Vec::new();
    let mut entries = std::mem::take(&mut gatherer.entries);
    for entry in &mut entries {
        if !matches!(entry.content, Content::Copy(_)) {
            continue;
        }
        gatherer.check_time()?;
        let to = making.copy(number);
        match copy(Path::new(&entry.path), &to, Some(until)) {
            Ok(_) => {
                // The file may have grown since it was listed.
                entry.size = to.metadata().map_err(failed)?.len();
                manifest.bytes += entry.size;
                if manifest.bytes <= DIGESTED_BYTES {
                    entry.digest = digest(&to, Some(until)).map_err(failed)?;
                }
                entry.content = Content::Copy(number);
                number += 1;
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound) => {
                let _ = std::fs::remove_file(&to);
                unread.push(entry.path.clone());
            }
            Err(error) => return Err(failed(error)),
        }
        if manifest.bytes > task.max_bytes {
            return Err(SkipReason::TooLarge(task.max_bytes));
        }
    }
    entries.retain(|entry| !matches!(entry.content, Content::Copy(u32::MAX)));
    unread.into_iter().for_each(|path| gatherer.report_excluded(format!("{path}: can't be read")));
    manifest.entries = entries;
    for state in &mut manifest.git {
        if !state.has_index() {
            continue;
        }
        let Some(repository) = Repository::find(Path::new(&state.root)) else { continue };
        let index = repository.index();
        if index.exists() {
            copy(&index, &making.copy(number), Some(until)).map_err(failed)?;
            manifest.bytes += making.copy(number).metadata().map_err(failed)?.len();
            state.index = Some(number);
            number += 1;
            if gatherer.staged.contains_key(&state.root) {
                continue;
            }
            if let Ok(tree) = (Git { root: &repository.root, env }).text(&["write-tree"]) {
                trees.insert(state.root.clone(), tree);
            }
        }
    }
    references::pin(manifest, &trees, &gatherer.staged, env)
}

/// Finds files whose content git already has, by the index and the sizes of its objects. Returns the tree of each
/// index.
fn find_held(gatherer: &mut Gatherer, env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut trees = BTreeMap::new();
    let mut repositories: BTreeMap<PathBuf, Option<Repository>> = BTreeMap::new();
    let mut held: BTreeMap<PathBuf, Vec<(usize, String)>> = BTreeMap::new();
    let tops: BTreeSet<PathBuf> = gatherer.entries.iter().map(|entry| PathBuf::from(&entry.top)).collect();
    for at in 0..gatherer.entries.len() {
        let Some(entry) = gatherer.entries.get(at).filter(|entry| matches!(entry.content, Content::Copy(_))) else {
            continue;
        };
        let path = PathBuf::from(&entry.path);
        let Some(folder) = path.parent().map(Path::to_path_buf) else { continue };
        let repository = repositories.entry(folder).or_insert_with_key(|folder| Repository::find(folder)).clone();
        let Some(repository) = repository else { continue };
        // The objects are deleted with the repository.
        if tops.iter().any(|top| repository.common_dir.starts_with(top)) {
            continue;
        }
        let Ok(below) = path.strip_prefix(&repository.root).map(slashed) else { continue };
        let Some(index) = gatherer.index(&repository) else { continue };
        let Some(tracked) = index.get(&below) else { continue };
        let stamp = path.symlink_metadata().ok().and_then(|data| Stamp::read(&path, &data));
        if stamp.is_some_and(|stamp| index.is_unchanged(&tracked, &stamp)) {
            held.entry(repository.root.clone()).or_default().push((at, tracked.oid()));
        }
    }
    for (root, files) in held {
        let git = Git { root: &root, env };
        let (Some(text), Ok(tree)) = (root.to_str(), git.text(&["write-tree"])) else { continue };
        // Staged files that are excluded would be protected with the tree.
        if gatherer.excludes() && git.text(&["rev-parse", "HEAD^{tree}"]).ok().as_ref() != Some(&tree) {
            continue;
        }
        let Ok(filtered) = filtered_paths(&git, files.iter().filter_map(|(at, _)| gatherer.entries.get(*at))) else {
            continue;
        };
        let input: String = files.iter().map(|(_, oid)| format!("{oid}\n")).collect();
        let format = "--batch-check=%(objectname) %(objectsize)";
        let Ok(sizes) = git.output_with_input(&["cat-file", format], input.into_bytes()) else { continue };
        let sizes = String::from_utf8_lossy(&sizes).into_owned();
        for ((at, oid), line) in files.iter().zip(sizes.lines()) {
            let Some(entry) = gatherer.entries.get_mut(*at) else { continue };
            // A file whose line endings git converts has another size than its object.
            if line == format!("{oid} {}", entry.size) && !filtered.contains(&entry.path) {
                entry.content = Content::Git { oid: oid.clone(), root: text.to_owned() };
            }
        }
        trees.insert(text.to_owned(), tree);
    }
    trees
}

/// Returns the files whose content a filter or an encoding may change, even if the size stays the same.
fn filtered_paths<'a>(git: &Git<'_>, entries: impl Iterator<Item = &'a Entry>) -> io::Result<BTreeSet<String>> {
    let paths: Vec<u8> = entries.flat_map(|entry| entry.path.bytes().chain([0])).collect();
    let listed = git.output_with_input(&["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"], paths)?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut fields = listed.split('\0');
    let mut found = BTreeSet::new();
    while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        if !matches!(value, "unset" | "unspecified") {
            found.insert(path.to_owned());
        }
    }
    Ok(found)
}
