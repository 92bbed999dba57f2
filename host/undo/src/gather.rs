//! [`Gatherer`]: from the losses of a call to the files, links and folders that a backup has to hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use guard_facts::Rules;
use guard_facts::real::RealFacts;
use guard_sdk::globs::Glob;

use crate::attributes;
use crate::copy::changed;
use crate::git::Repository;
use crate::index::Index;
use crate::manifest::{Content, Entry, Why};
use crate::stamps::changed as changed_files;
use guard_facts::losses::{How, PathLoss};
use guard_platform::fs::{MetadataExt, identity};
use guard_platform::paths::{native, slashed};

/// The most entries of a backup.
pub(crate) const ENTRIES: usize = 20_000;

/// How deep folders are followed.
const DEPTH: usize = 128;

/// The most files that a pattern stands for.
const MATCHES: usize = 5_000;

/// The most entries of an ignored folder that is kept.
const IGNORED_ENTRIES: usize = 500;

/// The most things of which it is said that they are left out.
const LEFT_OUT: usize = 32;

/// Where `xargs` takes paths apart, and what it leaves out of them.
const SPLITS: [char; 6] = [' ', '\t', '\n', '\'', '"', '\\'];

/// Why nothing is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    /// It takes longer than a call may wait.
    #[error("copying takes too long")]
    TooLong,
    /// The copies would be larger than allowed.
    #[error("larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// There are more files than allowed.
    #[error("more than {ENTRIES} files")]
    TooMany,
    /// The state folder or a file refuses.
    #[error("{0}")]
    Failed(String),
}

/// The bounds of gathering.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) until: Instant,
    pub(crate) ignored_bytes: u64,
    pub(crate) exclude: Vec<Glob>,
    pub(crate) project: PathBuf,
}

/// Gathers what is lost.
pub(crate) struct Gatherer {
    bounds: Bounds,
    pub(crate) entries: Vec<Entry>,
    seen: BTreeSet<PathBuf>,
    pub(crate) left_out: Vec<String>,
    /// By root: the objects that the index has and the last commit doesn't, where that was asked.
    pub(crate) staged: BTreeMap<String, Vec<String>>,
    indexes: BTreeMap<PathBuf, Option<Arc<Index>>>,
    facts: RealFacts,
}

/// The owner of a path while its tree is walked.
struct Walk<'a> {
    top: &'a str,
    why: Why,
    name: Option<&'a Glob>,
    rules: Rules,
    repository: Option<Repository>,
}

impl Gatherer {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let (entries, seen, left_out, staged, indexes) = Default::default();
        Gatherer { bounds, entries, seen, left_out, staged, indexes, facts: RealFacts::new(BTreeMap::new()) }
    }

    pub(crate) fn leave_out(&mut self, what: String) {
        if self.left_out.len() < LEFT_OUT && !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    pub(crate) fn check_time(&self) -> Result<(), Stop> {
        if Instant::now() >= self.bounds.until { Err(Stop::TooLong) } else { Ok(()) }
    }

    /// The index of a repository. None: it is not known.
    pub(crate) fn index(&mut self, repository: &Repository) -> Option<Arc<Index>> {
        let read = || Index::read(&repository.index()).map(Arc::new);
        self.indexes.entry(repository.root.clone()).or_insert_with(read).clone()
    }

    /// Adds what is lost of a path.
    pub(crate) fn add(&mut self, loss: &PathLoss) -> Result<(), Stop> {
        let name = match loss.name.as_str() {
            "" => None,
            // What cannot be read as a pattern may fit any name.
            name => Glob::new(name).ok(),
        };
        let paths = if loss.is_pattern { self.matches(&loss.path)? } else { vec![native(&loss.path).into_owned()] };
        let first = self.entries.len();
        for path in paths {
            self.add_path(&path, loss.how, name.as_ref())?;
        }
        if loss.how == How::DeleteWords {
            let is_split = |entry: &&Entry| entry.path.strip_prefix(&loss.path).unwrap_or(&entry.path).contains(SPLITS);
            let split = self.entries.iter().skip(first).find(is_split).map(|entry| entry.path.clone());
            split
                .into_iter()
                .for_each(|path| self.leave_out(format!("{path}: its name is taken apart, and names others")));
        }
        Ok(())
    }

    fn add_path(&mut self, path: &Path, how: How, name: Option<&Glob>) -> Result<(), Stop> {
        // The folder as the machine knows it; of the last component the link itself is meant.
        let Some((parent, last)) = path.parent().zip(path.file_name()) else {
            self.leave_out(format!("{}: a whole file system", path.display()));
            return Ok(());
        };
        let Ok(parent) = parent.canonicalize() else { return Ok(()) };
        let mut path = parent.join(last);
        let Ok(mut data) = path.symlink_metadata() else { return Ok(()) };
        let why = if how.deletes() { Why::Deleted } else { Why::Replaced };
        if data.is_symlink() && !how.deletes() {
            // What is written goes through the link.
            let Ok(target) = path.canonicalize() else { return Ok(()) };
            if !target.starts_with(&self.bounds.project) {
                self.leave_out(format!("{}: a link that leads out of the project", path.display()));
                return Ok(());
            }
            let Ok(of_target) = target.symlink_metadata() else { return Ok(()) };
            (path, data) = (target, of_target);
        }
        let Some(top) = path.to_str().map(str::to_owned) else {
            self.leave_out(format!("{}: its name is not UTF-8", path.display()));
            return Ok(());
        };
        let repository = path.parent().and_then(Repository::of);
        let rules = self.rules(repository.as_ref(), path.parent().unwrap_or(Path::new("/")));
        let is_inside = repository.as_ref().is_some_and(|repository| {
            let between = path.ancestors().skip(1).take_while(|above| *above != repository.root);
            let ignored: Vec<bool> = between.map(|above| rules.ignores(&above.to_string_lossy(), true)).collect();
            ignored.contains(&true)
        });
        let mut walk = Walk { top: &top, why, name, rules, repository };
        if is_inside { self.walk_ignored(&path, &data, &mut walk) } else { self.walk(&path, &data, &mut walk, 0) }
    }

    /// The rules of a repository from its root to this folder.
    fn rules(&self, repository: Option<&Repository>, folder: &Path) -> Rules {
        let mut rules = Rules::default();
        let Some(repository) = repository else { return rules };
        let mut folders: Vec<&Path> =
            folder.ancestors().take_while(|above| above.starts_with(&repository.root)).collect();
        folders.reverse();
        for folder in folders {
            rules.read(&folder.to_string_lossy(), &self.facts);
        }
        rules
    }

    fn walk(&mut self, path: &Path, data: &Metadata, walk: &mut Walk<'_>, depth: usize) -> Result<(), Stop> {
        let shown = path.to_string_lossy();
        if is_named(path, data, walk.name) {
            let name = walk.name.take();
            let walked = self.walk(path, data, walk, depth);
            walk.name = name;
            return walked;
        }
        if walk.repository.is_some() && walk.rules.ignores(&shown, data.is_dir()) {
            return self.walk_ignored(path, data, walk);
        }
        self.add_one(path, data, walk, walk.name)?;
        if !data.is_dir() {
            return Ok(());
        }
        let outer = walk.repository.clone();
        if path.join(".git").symlink_metadata().is_ok() {
            walk.repository = Repository::of(path);
        }
        walk.rules.read(&shown, &self.facts);
        for (child, data) in self.children(path, depth)? {
            self.walk(&child, &data, walk, depth + 1)?;
            walk.rules.leave_all_but(&child.to_string_lossy());
        }
        walk.repository = outer;
        Ok(())
    }

    /// An ignored file or folder: kept if it is small, or if git tracks something in it all the same.
    fn walk_ignored(&mut self, path: &Path, data: &Metadata, walk: &mut Walk<'_>) -> Result<(), Stop> {
        let tracked = walk.repository.clone().and_then(|repository| {
            let below = path.strip_prefix(&repository.root).ok()?;
            let below = slashed(below).into_owned();
            let index = self.index(&repository)?;
            Some(index.get(&below).is_some() || index.tracks_below(&below))
        });
        let mut room = (self.bounds.ignored_bytes, IGNORED_ENTRIES);
        if tracked != Some(true) && !fits(path, data, &mut room, 0) {
            self.leave_out(format!("{}: ignored by git, and large", path.display()));
            return Ok(());
        }
        self.walk_all(path, data, (walk, walk.name), 0)
    }

    fn walk_all(
        &mut self,
        path: &Path,
        data: &Metadata,
        (walk, name): (&Walk<'_>, Option<&Glob>),
        depth: usize,
    ) -> Result<(), Stop> {
        let name = name.filter(|_| !is_named(path, data, name));
        self.add_one(path, data, walk, name)?;
        if data.is_dir() {
            for (child, data) in self.children(path, depth)? {
                self.walk_all(&child, &data, (walk, name), depth + 1)?;
            }
        }
        Ok(())
    }

    fn children(&mut self, folder: &Path, depth: usize) -> Result<Vec<(PathBuf, Metadata)>, Stop> {
        self.check_time()?;
        if depth >= DEPTH {
            self.leave_out(format!("{}: too deep", folder.display()));
            return Ok(Vec::new());
        }
        let Ok(entries) = fs::read_dir(folder) else {
            self.leave_out(format!("{}: it cannot be read", folder.display()));
            return Ok(Vec::new());
        };
        let mut children = Vec::new();
        for entry in entries.flatten() {
            if let Ok(data) = entry.metadata() {
                children.push((entry.path(), data));
            }
            if children.len() + self.entries.len() > ENTRIES {
                return Err(Stop::TooMany);
            }
        }
        children.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(children)
    }

    /// Adds one path, without what is in it, unless another name is wanted.
    fn add_one(&mut self, path: &Path, data: &Metadata, walk: &Walk<'_>, wanted: Option<&Glob>) -> Result<(), Stop> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if wanted.is_some_and(|glob| data.is_dir() || !glob.matches(&name)) {
            return Ok(());
        }
        self.push(path, data, walk.top, walk.why)
    }

    /// Adds one path that a call names itself, or has below `top`.
    pub(crate) fn push(&mut self, path: &Path, data: &Metadata, top: &str, why: Why) -> Result<(), Stop> {
        if self.seen.contains(path) {
            return Ok(());
        }
        let Some(text) = path.to_str().map(str::to_owned) else {
            self.leave_out(format!("{}: its name is not UTF-8", path.display()));
            return Ok(());
        };
        if self.is_excluded(&text) {
            self.leave_out(format!("{text}: excluded by the configuration"));
            return Ok(());
        }
        let content = if data.is_dir() {
            Content::Folder
        } else if data.is_symlink() {
            let target = fs::read_link(path).ok().and_then(|target| target.to_str().map(str::to_owned));
            let Some(target) = target else {
                self.leave_out(format!("{text}: a link that cannot be read"));
                return Ok(());
            };
            Content::Link(target)
        } else if data.is_file() {
            // The number is given when it is copied.
            Content::Copy(u32::MAX)
        } else {
            self.leave_out(format!("{text}: a device, socket or pipe"));
            return Ok(());
        };
        if self.entries.len() >= ENTRIES {
            return Err(Stop::TooMany);
        }
        self.seen.insert(path.to_path_buf());
        // A link has none, as far as users may set them.
        let attributes = if data.is_symlink() { Ok(Vec::new()) } else { attributes::read(path) };
        let attributes = attributes.unwrap_or_else(|_| {
            self.leave_out(format!("{text}: its extended attributes can't be read"));
            Vec::new()
        });
        let names = if data.is_file() { identity(path, data).map_or(0, |identity| identity.names) } else { 0 };
        let names = if names > 1 { names } else { 0 };
        let size = if data.is_file() { data.len() } else { 0 };
        let (mode, time, top) = (data.mode() & 0o7777, changed(data), top.to_owned());
        self.entries.push(Entry { path: text, content, size, mode, time, why, top, attributes, names });
        Ok(())
    }

    fn is_excluded(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let below = Path::new(path).strip_prefix(&self.bounds.project).ok().and_then(Path::to_str);
        let fits =
            |glob: &Glob| glob.matches(name) || glob.matches(path) || below.is_some_and(|below| glob.matches(below));
        self.bounds.exclude.iter().any(fits)
    }

    /// The paths that a pattern of the shell stands for.
    fn matches(&self, pattern: &str) -> Result<Vec<PathBuf>, Stop> {
        let mut found = vec![PathBuf::from("/")];
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            self.check_time()?;
            if !part.contains(['*', '?', '[', '{']) {
                found.iter_mut().for_each(|path| path.push(part));
                continue;
            }
            let glob = Glob::new(part).ok();
            let fits = |name: &str| glob.as_ref().is_none_or(|glob| glob.matches(name));
            let mut next = Vec::new();
            for folder in &found {
                for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                    if entry.file_name().to_str().is_none_or(fits) {
                        next.push(entry.path());
                    }
                    if next.len() > MATCHES {
                        return Err(Stop::TooMany);
                    }
                }
            }
            next.sort();
            found = next;
        }
        Ok(found)
    }

    /// Adds the tracked files that are not as in the index: those below `start`, or all.
    pub(crate) fn add_changed(&mut self, repository: &Repository, start: Option<&Path>) -> Result<(), Stop> {
        let Some(index) = self.index(repository) else {
            self.leave_out(format!("{}: its index cannot be read", repository.root.display()));
            return Ok(());
        };
        let (root, until) = (&repository.root, self.bounds.until);
        let below = start.filter(|start| start != root).map(|start| start.strip_prefix(root));
        let slots = match below {
            None => [index.slots(), &[]],
            Some(Ok(below)) => index.below(&slashed(below)),
            Some(Err(_)) => return Ok(()),
        };
        for slots in slots {
            for path in changed_files(&index, root, slots, until)? {
                self.check_time()?;
                let Ok(data) = path.symlink_metadata() else { continue };
                let top = path.to_string_lossy().into_owned();
                self.push(&path, &data, &top, Why::Replaced)?;
            }
        }
        Ok(())
    }

    /// Adds the files below `start` that git does not track, as `git clean` finds them.
    pub(crate) fn add_untracked(
        &mut self,
        repository: &Repository,
        start: &Path,
        with_ignored: bool,
    ) -> Result<(), Stop> {
        let Some(index) = self.index(repository) else {
            self.leave_out(format!("{}: its index cannot be read", repository.root.display()));
            return Ok(());
        };
        let rules = self.rules(Some(repository), start.parent().unwrap_or(start));
        let mut open = vec![(start.to_path_buf(), 0)];
        let mut rules_of = Walk { top: "", why: Why::Deleted, name: None, rules, repository: Some(repository.clone()) };
        while let Some((folder, depth)) = open.pop() {
            rules_of.rules = self.rules(Some(repository), &folder);
            for (path, data) in self.children(&folder, depth)? {
                let Ok(below) = path.strip_prefix(&repository.root).map(slashed) else {
                    continue;
                };
                let is_git = path.file_name().is_some_and(|name| name == ".git");
                if is_git || index.get(&below).is_some() {
                    continue;
                }
                let is_ignored = rules_of.rules.ignores(&path.to_string_lossy(), data.is_dir());
                if is_ignored && !with_ignored {
                    continue;
                }
                if data.is_dir() && index.tracks_below(&below) {
                    open.push((path, depth + 1));
                    continue;
                }
                if data.is_dir() && path.join(".git").symlink_metadata().is_ok() {
                    // A repository of its own, which git leaves alone.
                    continue;
                }
                let top = path.to_string_lossy().into_owned();
                let rules = std::mem::take(&mut rules_of.rules);
                let mut walk = Walk { top: &top, rules, repository: Some(repository.clone()), ..rules_of };
                self.walk(&path, &data, &mut walk, depth)?;
                rules_of.rules = walk.rules;
                rules_of.rules.leave_all_but(&path.to_string_lossy());
            }
        }
        Ok(())
    }
}

/// A folder of the wanted name, which is lost with everything in it.
fn is_named(path: &Path, data: &Metadata, wanted: Option<&Glob>) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    data.is_dir() && wanted.is_some_and(|glob| glob.matches(&name))
}

/// Whether a tree is at most so large.
fn fits(path: &Path, data: &Metadata, room: &mut (u64, usize), depth: usize) -> bool {
    let size = if data.is_file() { data.len() } else { 0 };
    let (Some(bytes), Some(entries)) = (room.0.checked_sub(size), room.1.checked_sub(1)) else { return false };
    *room = (bytes, entries);
    if !data.is_dir() {
        return true;
    }
    let mut children = fs::read_dir(path).into_iter().flatten().flatten();
    depth < DEPTH
        && children.all(|child| child.metadata().is_ok_and(|data| fits(&child.path(), &data, room, depth + 1)))
}
