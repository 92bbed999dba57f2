//! [`Gatherer`]: converts the losses of a call to the files, links and folders of a backup.

mod patterns;
mod work_tree;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use guard_facts::Rules;
use guard_facts::ignored::{KEPT, REMADE, Room, is_remade};
use guard_facts::real::{RealFacts, remaining_room};
use guard_sdk::globs::Glob;

use crate::attributes;
use crate::copy::modification_time;
use crate::git::Repository;
use crate::index::Index;
use crate::manifest::{Content, Entry, LossKind, LostPath};
use guard_facts::losses::{How, PathLoss};
use guard_platform::fs::{MetadataExt, identity};
use guard_platform::paths::{native, slashed};
use patterns::pattern;

/// The maximum number of entries in a backup.
pub(crate) const ENTRIES: usize = 20_000;

/// The maximum depth of folders.
const DEPTH: usize = 128;

/// The maximum number of omissions that are reported.
const LEFT_OUT: usize = 32;

/// The characters at which `xargs` splits paths, or which it removes from them.
const SPLITS: [char; 6] = [' ', '\t', '\n', '\'', '"', '\\'];

/// The reason why nothing is backed up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SkipReason {
    /// The time limit was exceeded.
    #[error("copying takes too long")]
    TooLong,
    /// The copies would be larger than allowed.
    #[error("larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// There are more files than allowed.
    #[error("more than {ENTRIES} files")]
    TooMany,
    /// The state folder or a file can't be accessed.
    #[error("{0}")]
    Failed(String),
}

/// The limits of gathering.
#[derive(Debug)]
pub(crate) struct BackupLimits {
    pub(crate) until: Instant,
    pub(crate) exclude: Vec<Glob>,
    pub(crate) project: PathBuf,
    /// The folder of the backups. Empty if unknown.
    pub(crate) state: PathBuf,
}

/// Gathers the lost files.
pub(crate) struct Gatherer {
    bounds: BackupLimits,
    pub(crate) entries: Vec<Entry>,
    seen: BTreeSet<PathBuf>,
    pub(crate) left_out: Vec<String>,
    /// Existing files and folders that aren't copied.
    pub(crate) lost: Vec<LostPath>,
    /// By root: the objects that the index has and the last commit doesn't, where they were requested.
    pub(crate) staged: BTreeMap<String, Vec<String>>,
    indexes: BTreeMap<PathBuf, Option<Arc<Index>>>,
    facts: RealFacts,
}

/// The context of a path while its tree is walked.
struct Walk<'a> {
    top: &'a str,
    why: LossKind,
    /// Whether files are written in place, so that their other names lose their content as well.
    is_in_place: bool,
    /// Whether files may be written through links in the tree.
    follows_links: bool,
    name: Option<&'a Glob>,
    rules: Rules,
    repository: Option<Repository>,
}

impl Gatherer {
    pub(crate) fn new(bounds: BackupLimits) -> Self {
        let (entries, seen, left_out, lost, staged, indexes) = Default::default();
        Gatherer { bounds, entries, seen, left_out, lost, staged, indexes, facts: RealFacts::new(BTreeMap::new()) }
    }

    pub(crate) fn report_excluded(&mut self, what: String) {
        if self.left_out.len() < LEFT_OUT && !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    /// Records an existing path that isn't copied.
    pub(crate) fn report_uncopied(&mut self, path: &Path, why: &str) {
        self.report_excluded(format!("{}: {why}", path.display()));
        if self.lost.len() < LEFT_OUT {
            self.lost.extend(LostPath::read(path));
        }
    }

    /// Returns the paths that the call names.
    pub(crate) fn tops(&self) -> Vec<LostPath> {
        let tops: BTreeSet<&str> = self.entries.iter().map(|entry| entry.top.as_str()).collect();
        tops.into_iter().take(LEFT_OUT).filter_map(|top| LostPath::read(Path::new(top))).collect()
    }

    pub(crate) fn check_time(&self) -> Result<(), SkipReason> {
        if Instant::now() >= self.bounds.until { Err(SkipReason::TooLong) } else { Ok(()) }
    }

    /// Returns the index of a repository. `None` if it can't be read.
    pub(crate) fn index(&mut self, repository: &Repository) -> Option<Arc<Index>> {
        let read = || Index::read(&repository.index()).map(Arc::new);
        self.indexes.entry(repository.root.clone()).or_insert_with(read).clone()
    }

    /// Adds the loss of a path.
    pub(crate) fn add(&mut self, loss: &PathLoss) -> Result<(), SkipReason> {
        let name = match loss.name.as_str() {
            "" => None,
            // Text that isn't a valid pattern may match any name.
            name => pattern(name),
        };
        if !self.bounds.state.as_os_str().is_empty() && self.includes_backups(loss) {
            self.report_excluded(format!("{}: contains undo copies", loss.path));
        }
        let text = Some(loss.path.trim_end_matches('/')).filter(|text| !text.is_empty()).unwrap_or("/");
        let paths = if loss.is_pattern { self.matches(&loss.path)? } else { vec![without_absent_steps(&native(text))] };
        let first = self.entries.len();
        for path in paths {
            self.add_path(&path, loss.how, name.as_ref())?;
            if loss.path.ends_with('/') && path.is_symlink() {
                self.add_behind(&path, loss.how, name.as_ref())?;
            }
        }
        if loss.how == How::DeleteWords {
            let is_split = |entry: &&Entry| entry.path.strip_prefix(&loss.path).unwrap_or(&entry.path).contains(SPLITS);
            let split = self.entries.iter().skip(first).find(is_split).map(|entry| entry.path.clone());
            split
                .into_iter()
                .for_each(|path| self.report_excluded(format!("{path}: its name is taken apart, and names others")));
        }
        Ok(())
    }

    fn add_path(&mut self, path: &Path, how: How, name: Option<&Glob>) -> Result<(), SkipReason> {
        // The parent's links are resolved. The last component isn't, because a link itself is lost.
        let Some((parent, last)) = path.parent().zip(path.file_name()) else {
            self.report_uncopied(path, "a whole file system");
            return Ok(());
        };
        let parent = match parent.canonicalize() {
            Ok(parent) => parent,
            Err(error) => return self.record_unreadable(path, &error),
        };
        let mut path = parent.join(last);
        let mut data = match path.symlink_metadata() {
            Ok(data) => data,
            Err(error) => return self.record_unreadable(&path, &error),
        };
        if data.is_symlink() && name.is_some() {
            self.report_excluded(format!("{}: a link that the search may follow", path.display()));
        }
        let why = if how.deletes() { LossKind::Deleted } else { LossKind::Replaced };
        if data.is_symlink() && !how.deletes() {
            // Some programs replace the link, and others write to its target.
            self.push(&path, &data, &path.to_string_lossy(), why)?;
            if how == How::Replace {
                return Ok(());
            }
            let target = match path.canonicalize() {
                Ok(target) => target,
                Err(error) => return self.record_unreadable(&path, &error),
            };
            if !target.starts_with(&self.bounds.project) {
                self.report_uncopied(&target, "a link that leads out of the project");
                return Ok(());
            }
            match target.symlink_metadata() {
                Ok(of_target) => (path, data) = (target, of_target),
                Err(error) => return self.record_unreadable(&target, &error),
            }
        }
        let Some(top) = path.to_str().map(str::to_owned) else {
            self.report_uncopied(&path, "its name is not UTF-8");
            return Ok(());
        };
        let repository = path.parent().and_then(Repository::find);
        let rules = self.rules(repository.as_ref(), path.parent().unwrap_or(Path::new("/")));
        let is_inside = repository.as_ref().is_some_and(|repository| {
            let between = path.ancestors().skip(1).take_while(|above| *above != repository.root);
            let ignored: Vec<bool> = between.map(|above| rules.ignores(&above.to_string_lossy(), true)).collect();
            ignored.contains(&true)
        });
        if how == How::Replace && data.is_dir() {
            return Ok(());
        }
        let (is_in_place, follows_links) = (matches!(how, How::Merge | How::Overwrite), how == How::Merge);
        let mut walk = Walk { top: &top, why, is_in_place, follows_links, name, rules, repository };
        if is_inside { self.walk_ignored(&path, &data, &mut walk) } else { self.walk(&path, &data, &mut walk, 0) }
    }

    /// Adds the target of a link.
    fn add_behind(&mut self, link: &Path, how: How, name: Option<&Glob>) -> Result<(), SkipReason> {
        match link.canonicalize() {
            Ok(target) => self.add_path(&target, how, name),
            Err(error) => self.record_unreadable(link, &error),
        }
    }

    /// Handles a path that can't be read. A path that certainly doesn't exist loses nothing. Otherwise the loss is
    /// unknown.
    fn record_unreadable(&mut self, path: &Path, error: &io::Error) -> Result<(), SkipReason> {
        let is_absent = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        // Another spelling of the name may be equivalent, and the call's text may not represent the name exactly.
        let is_plain = path.to_str().is_some_and(str::is_ascii);
        if !is_absent || !is_plain {
            self.report_excluded(format!("{}: can't be read", path.display()));
        }
        Ok(())
    }

    /// Returns the ignore rules from a repository's root to this folder.
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

    fn walk(&mut self, path: &Path, data: &Metadata, walk: &mut Walk<'_>, depth: usize) -> Result<(), SkipReason> {
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
            walk.repository = Repository::find(path);
        }
        walk.rules.read(&shown, &self.facts);
        for (child, data) in self.children(path, depth)? {
            self.walk(&child, &data, walk, depth + 1)?;
            walk.rules.retain_ancestors_of(&child.to_string_lossy());
        }
        walk.repository = outer;
        Ok(())
    }

    /// Adds an ignored file or folder if it is small, or if git tracks something in it.
    fn walk_ignored(&mut self, path: &Path, data: &Metadata, walk: &mut Walk<'_>) -> Result<(), SkipReason> {
        let (mut is_tracked, mut room) = (false, KEPT);
        if let Some(repository) = walk.repository.clone()
            && let Ok(below) = path.strip_prefix(&repository.root)
        {
            let index = self.index(&repository);
            let name = slashed(below);
            is_tracked = index.is_some_and(|index| index.get(&name).is_some() || index.tracks_below(&name));
            room = size_limits(&below.to_string_lossy());
        }
        if !is_tracked && remaining_room(path, data, room).is_none() {
            // Tools rebuild the others, so they don't matter.
            match room {
                KEPT => self.report_uncopied(path, "ignored by git, and large"),
                _ => self.report_excluded(format!("{}: ignored by git, and large", path.display())),
            }
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
    ) -> Result<(), SkipReason> {
        let name = name.filter(|_| !is_named(path, data, name));
        self.add_one(path, data, walk, name)?;
        if data.is_dir() {
            for (child, data) in self.children(path, depth)? {
                self.walk_all(&child, &data, (walk, name), depth + 1)?;
            }
        }
        Ok(())
    }

    fn children(&mut self, folder: &Path, depth: usize) -> Result<Vec<(PathBuf, Metadata)>, SkipReason> {
        self.check_time()?;
        if depth >= DEPTH {
            self.report_excluded(format!("{}: too deep", folder.display()));
            return Ok(Vec::new());
        }
        let Ok(entries) = fs::read_dir(folder) else {
            self.report_excluded(format!("{}: can't be read", folder.display()));
            return Ok(Vec::new());
        };
        let mut children = Vec::new();
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) {
                Ok(child) => children.push(child),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => self.report_excluded(format!("{}: something in it can't be read", folder.display())),
            }
            if children.len() + self.entries.len() > ENTRIES {
                return Err(SkipReason::TooMany);
            }
        }
        children.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(children)
    }

    /// Adds one path without its children, unless another name is wanted.
    fn add_one(
        &mut self,
        path: &Path,
        data: &Metadata,
        walk: &Walk<'_>,
        wanted: Option<&Glob>,
    ) -> Result<(), SkipReason> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if wanted.is_some_and(|glob| data.is_dir() || !glob.matches(&name)) {
            return Ok(());
        }
        if walk.is_in_place && data.is_file() && identity(path, data).is_ok_and(|identity| identity.names > 1) {
            self.report_excluded(format!("{}: other hard links of the file", path.display()));
        }
        let leads_out = |target: PathBuf| !target.starts_with(walk.top);
        if walk.follows_links && data.is_symlink() && path.canonicalize().is_ok_and(leads_out) {
            self.report_excluded(format!("{}: a link that leads out of the folder", path.display()));
        }
        self.push(path, data, walk.top, walk.why)
    }

    /// Adds one path that a call names, or that is below `top`.
    pub(crate) fn push(&mut self, path: &Path, data: &Metadata, top: &str, why: LossKind) -> Result<(), SkipReason> {
        if self.seen.contains(path) {
            return Ok(());
        }
        let Some(text) = path.to_str().map(str::to_owned) else {
            self.report_uncopied(path, "its name is not UTF-8");
            return Ok(());
        };
        if self.is_excluded(&text) {
            self.report_uncopied(path, "excluded by the configuration");
            return Ok(());
        }
        let content = if data.is_dir() {
            Content::Folder
        } else if data.is_symlink() {
            let target = fs::read_link(path).ok().and_then(|target| target.to_str().map(str::to_owned));
            let Some(target) = target else {
                self.report_excluded(format!("{text}: a link that cannot be read"));
                return Ok(());
            };
            Content::Link(target)
        } else if data.is_file() {
            // The number is assigned when the file is copied.
            Content::Copy(u32::MAX)
        } else {
            self.report_excluded(format!("{text}: a device, socket or pipe"));
            return Ok(());
        };
        if self.entries.len() >= ENTRIES {
            return Err(SkipReason::TooMany);
        }
        self.seen.insert(path.to_path_buf());
        // Users can't set attributes of links.
        let attributes = if data.is_symlink() { Ok(Vec::new()) } else { attributes::read(path) };
        let attributes = attributes.unwrap_or_else(|_| {
            self.report_excluded(format!("{text}: its extended attributes can't be read"));
            Vec::new()
        });
        if data.is_file() && data.mode() & 0o6000 != 0 {
            self.report_excluded(format!("{text}: its setuid and setgid bits"));
        }
        let names = if data.is_file() { identity(path, data).map_or(0, |identity| identity.names) } else { 0 };
        let names = if names > 1 { names } else { 0 };
        let size = if data.is_file() { data.len() } else { 0 };
        let (mode, time, top) = (data.mode() & 0o7777, modification_time(data), top.to_owned());
        let digest = String::new();
        self.entries.push(Entry { path: text, content, size, mode, time, why, top, attributes, digest, names });
        Ok(())
    }

    /// Returns whether the configuration excludes the path, or a folder above it.
    pub(crate) fn is_excluded(&self, path: &str) -> bool {
        !self.bounds.exclude.is_empty() && Path::new(path).ancestors().any(|above| self.is_named_in_exclude(above))
    }

    /// Returns whether the configuration excludes any paths.
    pub(crate) fn excludes(&self) -> bool {
        !self.bounds.exclude.is_empty()
    }

    fn is_named_in_exclude(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let below =
            path.strip_prefix(&self.bounds.project).ok().and_then(Path::to_str).filter(|below| !below.is_empty());
        let path = path.to_string_lossy();
        let fits =
            |glob: &Glob| glob.matches(&name) || glob.matches(&path) || below.is_some_and(|below| glob.matches(below));
        self.bounds.exclude.iter().any(fits)
    }
}

/// Returns an absolute path without the folders that don't exist yet before a `..`: the call creates them first.
fn without_absent_steps(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    path.components().for_each(|part| add_step(&mut found, part.as_os_str()));
    found
}

/// Appends one component of a path.
fn add_step(path: &mut PathBuf, part: &OsStr) {
    if part == ".." && path.symlink_metadata().is_err() {
        path.pop();
    } else {
        path.push(part);
    }
}

/// Returns the size limits for an ignored path, which is relative to its repository.
fn size_limits(relative: &str) -> Room {
    if is_remade(relative) { REMADE } else { KEPT }
}

/// Returns whether this is a folder with the wanted name, which is lost with everything in it.
fn is_named(path: &Path, data: &Metadata, wanted: Option<&Glob>) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    data.is_dir() && wanted.is_some_and(|glob| glob.matches(&name))
}
