//! [`Resolver`]: the paths of one call, each resolved once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use guard_contract::{Presence, ResolvedPath, unresolved};
use guard_sdk::resolve::Place;

use crate::git::WAIT;
use crate::{Facts, GitAsked};

/// The most paths that are resolved for one call; beyond it nothing is known of a path.
pub const PATHS: usize = 512;

/// Resolves paths of one call and remembers them.
#[derive(Debug)]
pub struct Resolver {
    cwd: String,
    home: String,
    project_root: String,
    known: Mutex<HashMap<String, ResolvedPath>>,
    /// How long the call may still wait for git.
    wait: Mutex<Duration>,
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
            wait: Mutex::new(WAIT),
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

    /// Has git answer, if the call may still wait for it.
    pub(crate) fn ask_git(&self, facts: &dyn Facts, asked: GitAsked<'_>) -> Option<String> {
        let mut wait = self.wait.lock().unwrap_or_else(PoisonError::into_inner);
        if wait.is_zero() {
            return None;
        }
        // In a component there is no clock and no git: answers that were recorded are not waited for.
        let started = (!cfg!(target_family = "wasm")).then(Instant::now);
        let answer = facts.git(asked, *wait);
        *wait = wait.saturating_sub(started.map_or(Duration::ZERO, |started| started.elapsed()));
        answer
    }

    /// How many more paths can be resolved.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len() < PATHS
    }

    fn look(&self, facts: &dyn Facts, raw: &str) -> ResolvedPath {
        let place = Place { cwd: &self.cwd, home: &self.home, project_root: &self.project_root };
        let found = place.resolve(facts, raw);
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
