//! [`Resolver`]: resolves the paths of one call, each once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use guard_contract::paths::is_below;
use guard_contract::{Presence, ResolvedPath, unresolved};
use guard_sdk::resolve::{Disk, Entry, Place};

use crate::git::WAIT;
use crate::{Facts, GitAsked};

/// The maximum number of paths that are resolved for one call. Nothing is known about further ones.
pub const PATHS: usize = 10_000;

/// Resolves paths of one call and remembers them.
#[derive(Debug)]
pub struct Resolver {
    cwd: String,
    home: String,
    project_root: String,
    known: Mutex<HashMap<String, ResolvedPath>>,
    entries: Mutex<HashMap<String, Entry>>,
    /// The time that the call may still wait for git.
    wait: Mutex<Duration>,
}

impl Resolver {
    /// Creates a resolver. All three paths are absolute, or empty if not known.
    #[must_use]
    pub fn new(cwd: &str, home: &str, project_root: &str) -> Self {
        Resolver {
            cwd: cwd.to_owned(),
            home: home.to_owned(),
            project_root: project_root.to_owned(),
            known: Mutex::default(),
            entries: Mutex::default(),
            wait: Mutex::new(WAIT),
        }
    }

    /// Resolves `raw`. Fields that can't be determined are empty.
    #[must_use]
    pub fn resolve(&self, facts: &dyn Facts, raw: &str) -> ResolvedPath {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = known.get(raw) {
            return resolved.clone();
        }
        if known.len() >= PATHS {
            return unresolved(raw);
        }
        let resolved = self.resolve_uncached(facts, raw);
        known.insert(raw.to_owned(), resolved.clone());
        resolved
    }

    /// Returns a resolver of the same call for another project, with the cached facts about the disk.
    pub(crate) fn with_project_root(&self, project_root: &str) -> Self {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let wait = *self.wait.lock().unwrap_or_else(PoisonError::into_inner);
        Resolver {
            entries: Mutex::new(entries),
            wait: Mutex::new(wait),
            ..Resolver::new(&self.cwd, &self.home, project_root)
        }
    }

    /// Returns whether the path contains the call's, the project's or the user's folder, or is in one of them.
    pub(crate) fn is_relevant(&self, path: &str) -> bool {
        [&self.cwd, &self.home, &self.project_root]
            .into_iter()
            .any(|folder| !folder.is_empty() && (is_below(folder, path) || is_below(path, folder)))
    }

    /// Asks git, if the call may still wait for it.
    pub(crate) fn ask_git(&self, facts: &dyn Facts, query: GitAsked<'_>) -> Option<String> {
        let mut wait = self.wait.lock().unwrap_or_else(PoisonError::into_inner);
        if wait.is_zero() {
            return None;
        }
        // A component has no clock, and recorded answers take no time.
        let started = (!cfg!(target_family = "wasm")).then(Instant::now);
        let answer = facts.git(query, *wait);
        *wait = wait.saturating_sub(started.map_or(Duration::ZERO, |started| started.elapsed()));
        answer
    }

    /// Returns whether more paths can be resolved.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len() < PATHS
    }

    fn resolve_uncached(&self, facts: &dyn Facts, raw: &str) -> ResolvedPath {
        let place = Place { cwd: &self.cwd, home: &self.home, project_root: &self.project_root };
        let found = place.resolve(&Remembered { facts, entries: &self.entries }, raw);
        ResolvedPath {
            raw: found.raw,
            lexical: found.lexical,
            canonical: found.canonical,
            project_relative: found.project_relative,
            git_root: found.git_root,
            exists: match found.exists {
                guard_sdk::Presence::Yes => Presence::Yes,
                guard_sdk::Presence::No => Presence::No,
                guard_sdk::Presence::Unknown => Presence::Unknown,
            },
            kind: found.kind,
        }
    }
}

/// A cache of the disk's entries, because a call's paths are often in the same folders.
struct Remembered<'a> {
    facts: &'a dyn Facts,
    entries: &'a Mutex<HashMap<String, Entry>>,
}

impl Disk for Remembered<'_> {
    fn entry(&self, path: &str) -> Entry {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(path) {
            return entry.clone();
        }
        let entry = self.facts.entry(path);
        entries.insert(path.to_owned(), entry.clone());
        entry
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        self.facts.read_head(path, cap)
    }

    fn judged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        self.facts.judged(path)
    }

    fn spelled(&self, path: String) -> String {
        self.facts.spelled(path)
    }

    fn runs_own_program(&self, command: &str) -> bool {
        self.facts.runs_own_program(command)
    }
}
