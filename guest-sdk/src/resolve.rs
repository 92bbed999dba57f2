//! Resolves the text of a path to a [`ResolvedPath`], on a machine or in the world of a test.
//!
//! The host uses it for the paths of a call, and [`crate::testing`] for those of a test. It only accesses a [`Disk`].

mod held;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::paths::{PATH_BYTES, absolute, below, lexical, parent};
use crate::{Presence, ResolvedPath};
pub(crate) use held::is_pattern;
pub use held::{HOLDS, LIST, MORE, Taken, held, listed_paths};

/// The maximum number of links in one path, which is Linux's limit.
const LINKS: usize = 40;

/// The maximum size of a `.git` file in bytes.
const GIT_FILE_BYTES: usize = 4096;

/// The maximum number of folders in `PATH` that are searched.
const SEARCHED: usize = 64;

/// The object at a path, without following a link at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link and its text.
    Link(String),
    /// A device, a socket, or a pipe.
    Other,
    /// Nothing.
    Absent,
    /// The object is unknown.
    Unknown,
}

/// The files of a machine, or of the world of a test.
pub trait Disk {
    /// Returns the object at an absolute path.
    fn entry(&self, path: &str) -> Entry;

    /// Returns the start of a file, at most `cap` bytes of text.
    fn read_head(&self, path: &str, cap: usize) -> Option<String>;

    /// Returns the sorted names in a folder, at most `most`. Folders end with a slash. `None` if they are unknown.
    fn names(&self, folder: &str, most: usize) -> Option<Vec<String>> {
        let _ = (folder, most);
        None
    }

    /// Converts this disk's spelling of a path to the form that is judged.
    fn judged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(path)
    }

    /// Returns the disk's own spelling of the path, if it knows a file by several names, such as in any case.
    fn spelled(&self, path: String) -> String {
        path
    }

    /// Returns whether a command runs guard-host's program: it is a link to the program, or has the same content.
    /// `command` is an absolute path, or a name that is looked up in `PATH`.
    fn runs_own_program(&self, command: &str) -> bool {
        let _ = command;
        false
    }
}

/// The context of a call. All three paths are absolute. Empty ones are unknown.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The working directory.
    pub cwd: &'a str,
    /// The user's home.
    pub home: &'a str,
    /// The project's root.
    pub project_root: &'a str,
}

struct Canonical {
    path: String,
    exists: Presence,
    kind: &'static str,
}

impl Place<'_> {
    /// Resolves `raw`. If it can't be resolved, the unknown texts are empty.
    #[must_use]
    pub fn resolve(&self, disk: &dyn Disk, raw: &str) -> ResolvedPath {
        let mut resolved = ResolvedPath::unresolved(raw);
        if raw.is_empty() || raw.len() > PATH_BYTES || raw.contains('\0') {
            return resolved;
        }
        let path = disk.judged(raw);
        resolved.lexical = lexical(&path, self.cwd, self.home);
        let Some(canonical) = canonical(disk, &absolute(&path, self.cwd, self.home)) else {
            "link".clone_into(&mut resolved.kind);
            return resolved;
        };
        let relative = if self.project_root.is_empty() { None } else { below(&canonical.path, self.project_root) };
        relative.unwrap_or_default().clone_into(&mut resolved.project_relative);
        resolved.git_root = git_root(disk, &canonical.path, self.home).unwrap_or_default();
        resolved.exists = canonical.exists;
        canonical.kind.clone_into(&mut resolved.kind);
        resolved.canonical = canonical.path;
        resolved
    }
}

/// Walks `path` from the root and follows links. `None` if there are too many links.
fn canonical(disk: &dyn Disk, path: &str) -> Option<Canonical> {
    let mut pending: Vec<String> = segments(path);
    let mut done = String::new();
    let mut links = 0;
    let (mut exists, mut kind) = (Presence::Yes, "dir");
    // The length of the part that exists.
    let mut existing = 0;
    while let Some(segment) = pending.pop() {
        if segment == ".." {
            done.truncate(done.rfind('/').unwrap_or(0));
            // The call may create the absent folder first, so what follows `..` can exist.
            if exists == Presence::No && done.len() <= existing {
                (exists, kind) = (Presence::Yes, "dir");
            }
            continue;
        }
        let next = format!("{done}/{segment}");
        if exists != Presence::Yes {
            done = next;
            continue;
        }
        match disk.entry(&next) {
            Entry::Link(target) => {
                links += 1;
                if links > LINKS || target.len() > PATH_BYTES {
                    return None;
                }
                if target.starts_with('/') {
                    done.clear();
                }
                pending.extend(segments(&target));
                continue;
            }
            Entry::Dir => kind = "dir",
            Entry::File => kind = "file",
            Entry::Other => kind = "other",
            Entry::Absent => (exists, kind, existing) = (Presence::No, "none", done.len()),
            Entry::Unknown => (exists, kind) = (Presence::Unknown, ""),
        }
        done = next;
    }
    let path = if done.is_empty() { "/".to_owned() } else { disk.spelled(done) };
    Some(Canonical { path, exists, kind })
}

/// Returns the segments of a path, last one first.
fn segments(path: &str) -> Vec<String> {
    path.rsplit('/').filter(|segment| !matches!(*segment, "" | ".")).map(str::to_owned).collect()
}

/// Returns the root of the work tree that contains a canonical path.
///
/// A root that equals `home` or `/` is ignored: a repository of dotfiles would make the whole home a project.
#[must_use]
pub fn git_root(disk: &dyn Disk, path: &str, home: &str) -> Option<String> {
    if path.len() > PATH_BYTES {
        return None;
    }
    let mut folder = Some(path);
    while let Some(dir) = folder {
        if dir == "/" || dir == home {
            return None;
        }
        let git = format!("{dir}/.git");
        match disk.entry(&git) {
            Entry::Dir => return Some(dir.to_owned()),
            Entry::File if is_linked(disk, &git) => return Some(dir.to_owned()),
            _ => folder = parent(dir),
        }
    }
    None
}

/// Returns whether the `.git` file names a folder that refers back to it: that of a linked work tree, or a submodule's
/// existing folder.
fn is_linked(disk: &dyn Disk, git: &str) -> bool {
    let Some(text) = disk.read_head(git, GIT_FILE_BYTES) else { return false };
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim) else { return false };
    let dir = parent(git).unwrap_or("/");
    let target = lexical(target, dir, "");
    if let Some(back) = disk.read_head(&format!("{target}/gitdir"), GIT_FILE_BYTES) {
        return lexical(back.trim(), &target, "") == git;
    }
    target.contains("/.git/modules/") && disk.entry(&format!("{target}/HEAD")) == Entry::File
}

/// Returns the absolute path, or the name, of the file that a command's first word runs. `None` if it is only known at
/// run time.
#[must_use]
pub fn command_path(word: &str, cwd: &str, home: &str) -> Option<String> {
    let below_home = ["$HOME/", "${HOME}/"].iter().find_map(|start| word.strip_prefix(start));
    let path = below_home.map_or_else(|| word.to_owned(), |rest| format!("{home}/{rest}"));
    if path.is_empty() || path.contains(['$', '`', '*', '?', '[', '\0']) {
        return None;
    }
    Some(if path.contains('/') { absolute(&path, cwd, home) } else { path })
}

/// Returns the files that a command may run: the path itself, or one in each folder of `search`, the text of `PATH`.
pub fn command_files<'a>(command: &'a str, search: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let is_path = command.contains('/');
    let folders = search.split(':').filter(move |folder| !is_path && folder.starts_with('/')).take(SEARCHED);
    is_path.then(|| command.to_owned()).into_iter().chain(folders.map(move |folder| format!("{folder}/{command}")))
}

/// Returns whether a command runs `program`, by its path or by its content, in a world that lists its files and links.
pub fn runs_program(disk: &dyn Disk, command: &str, search: &str, program: &str) -> bool {
    let content = |path: &str| disk.read_head(path, PATH_BYTES).filter(|text| !text.is_empty());
    let file =
        command_files(command, search).filter_map(|file| canonical(disk, &file)).find(|file| file.kind == "file");
    file.is_some_and(|file| {
        file.path == program || content(&file.path).is_some_and(|text| Some(text) == content(program))
    })
}

/// Returns the object at a path in a world that lists its files, links and folders. The folders above these exist, too.
pub fn entry<'a>(
    path: &str,
    files: &'a BTreeMap<String, String>,
    links: &'a BTreeMap<String, String>,
    dirs: impl IntoIterator<Item = &'a String>,
) -> Entry {
    let mut named = files.keys().chain(links.keys()).chain(dirs);
    if let Some(target) = links.get(path) {
        Entry::Link(target.clone())
    } else if files.contains_key(path) {
        Entry::File
    } else if path == "/" || named.any(|name| below(name, path).is_some()) {
        Entry::Dir
    } else {
        Entry::Absent
    }
}

/// Returns the names in a folder of such a world, as in [`Disk::names`].
pub fn names<'a>(
    folder: &str,
    files: &'a BTreeMap<String, String>,
    links: &'a BTreeMap<String, String>,
    dirs: impl IntoIterator<Item = &'a String>,
) -> Option<Vec<String>> {
    let folder = folder.trim_end_matches('/');
    let in_folder = |path: &'a String| below(path, folder).filter(|rest| !matches!(*rest, "" | "."));
    let is_file = |path: &&'a String| files.contains_key(*path) || links.contains_key(*path);
    let first = |path: &'a String| match in_folder(path)?.split_once('/') {
        Some((name, _)) => Some(format!("{name}/")),
        None if is_file(&path) => in_folder(path).map(str::to_owned),
        None => in_folder(path).map(|name| format!("{name}/")),
    };
    let names: BTreeSet<String> = files.keys().chain(links.keys()).chain(dirs).filter_map(first).collect();
    Some(names.into_iter().collect())
}
