//! [`Resolver`]: from the text of a path to a [`ResolvedPath`].

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Entry, Facts};
use guard_contract::paths::{PATH_BYTES, absolute, below, lexical, parent};
use guard_contract::{Presence, ResolvedPath, unresolved};

/// The most links that are followed in one path; Linux's own limit.
const LINKS: usize = 40;

/// The most paths that are resolved for one call; beyond it nothing is known of a path.
pub const PATHS: usize = 512;

/// The longest `.git` file that is read.
const GIT_FILE_BYTES: usize = 4096;

/// Resolves paths of one call and remembers them.
#[derive(Debug)]
pub struct Resolver {
    cwd: String,
    home: String,
    project_root: String,
    known: Mutex<HashMap<String, ResolvedPath>>,
}

struct Canonical {
    path: String,
    exists: Presence,
    kind: &'static str,
}

impl Resolver {
    /// All three are absolute; an empty one is not known.
    #[must_use]
    pub fn new(cwd: &str, home: &str, project_root: &str) -> Self {
        Resolver {
            cwd: cwd.to_owned(),
            home: home.to_owned(),
            project_root: project_root.to_owned(),
            known: Mutex::default(),
        }
    }

    /// Resolves `raw`. Of one that cannot be resolved the texts that could not be found are empty.
    #[must_use]
    pub fn resolve(&self, facts: &dyn Facts, raw: &str) -> ResolvedPath {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = known.get(raw) {
            return resolved.clone();
        }
        if known.len() >= PATHS {
            return unresolved(raw);
        }
        let resolved = self.look(facts, raw);
        known.insert(raw.to_owned(), resolved.clone());
        resolved
    }

    /// How many more paths can be resolved.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len() < PATHS
    }

    fn look(&self, facts: &dyn Facts, raw: &str) -> ResolvedPath {
        if raw.is_empty() || raw.len() > PATH_BYTES || raw.contains('\0') {
            return unresolved(raw);
        }
        let lexical = lexical(raw, &self.cwd, &self.home);
        let Some(canonical) = canonical(facts, &absolute(raw, &self.cwd, &self.home)) else {
            return ResolvedPath { lexical, kind: "link".to_owned(), ..unresolved(raw) };
        };
        let relative = if self.project_root.is_empty() { None } else { below(&canonical.path, &self.project_root) };
        ResolvedPath {
            raw: raw.to_owned(),
            lexical,
            project_relative: relative.unwrap_or_default().to_owned(),
            git_root: git_root(facts, &canonical.path, &self.home).unwrap_or_default(),
            exists: canonical.exists,
            kind: canonical.kind.to_owned(),
            canonical: canonical.path,
        }
    }
}

/// Walks `path` from the root and follows links. None if there are too many of them.
fn canonical(facts: &dyn Facts, path: &str) -> Option<Canonical> {
    let mut pending: Vec<String> = segments(path);
    let mut done = String::new();
    let mut links = 0;
    let (mut exists, mut kind) = (Presence::Yes, "dir");
    while let Some(segment) = pending.pop() {
        if segment == ".." {
            done.truncate(done.rfind('/').unwrap_or(0));
            continue;
        }
        let next = format!("{done}/{segment}");
        if exists != Presence::Yes {
            done = next;
            continue;
        }
        match facts.entry(&next) {
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
            Entry::Absent => (exists, kind) = (Presence::No, "none"),
            Entry::Unknown => (exists, kind) = (Presence::Unknown, ""),
        }
        done = next;
    }
    let path = if done.is_empty() { "/".to_owned() } else { done };
    Some(Canonical { path, exists, kind })
}

/// The segments of a path, last one first.
fn segments(path: &str) -> Vec<String> {
    path.rsplit('/').filter(|segment| !matches!(*segment, "" | ".")).map(str::to_owned).collect()
}

/// The root of the work tree that holds a canonical path.
///
/// A root that equals `home` or `/` does not count: a repository of dotfiles would make all of home a project.
pub fn git_root(facts: &dyn Facts, path: &str, home: &str) -> Option<String> {
    if path.len() > PATH_BYTES {
        return None;
    }
    let mut folder = Some(path);
    while let Some(dir) = folder {
        if dir == "/" || dir == home {
            return None;
        }
        let git = format!("{dir}/.git");
        match facts.entry(&git) {
            Entry::Dir => return Some(dir.to_owned()),
            Entry::File if is_linked(facts, &git) => return Some(dir.to_owned()),
            _ => folder = parent(dir),
        }
    }
    None
}

/// The `.git` file names a folder that names it in turn: a linked work tree, or a submodule's folder that exists.
fn is_linked(facts: &dyn Facts, git: &str) -> bool {
    let Some(text) = facts.read_head(git, GIT_FILE_BYTES) else { return false };
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim) else { return false };
    let dir = parent(git).unwrap_or("/");
    let target = lexical(target, dir, "");
    if let Some(back) = facts.read_head(&format!("{target}/gitdir"), GIT_FILE_BYTES) {
        return lexical(back.trim(), &target, "") == git;
    }
    target.contains("/.git/modules/") && facts.entry(&format!("{target}/HEAD")) == Entry::File
}
