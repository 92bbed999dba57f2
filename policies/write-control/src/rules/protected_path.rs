//! `protected-path`: a write to a protected path, which only tools should write.
//!
//! ## Why
//! Changes by hand break git's own files, installed packages and lockfiles, and leak or destroy keys.
//!
//! ## Examples
//! - denied: `Write .git/config`
//! - denied: `Edit package-lock.json`
//! - denied: `Write server.key`
//! - passes: `Write .gitignore`
//! - passes: `Write .env.example`
//!
//! ## Instead
//! Tell the user which change is needed, or work on a copy in `agent_sandbox/`.
//!
//! ## Settings
//! - `protected`: the patterns.
//! - `exempt`: paths that aren't protected although a pattern matches.
//! - `fold-case`: ignore the case of protected paths. Default: only on macOS.

use guard_sdk::globs::{Glob, spelled_folder};
use guard_sdk::{Finding, Outcome, Rule};

use crate::Settings;
use crate::paths::{ProjectRoot, Target, shown};

pub(crate) const RULE: Rule = Rule {
    id: "protected-path",
    summary: "a write to a protected path",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(target: &Target, settings: &Settings, _: &ProjectRoot<'_>) -> Option<Finding> {
    let pattern_of = |path: &str| {
        let is_exempt = settings.exempt.iter().any(|glob| glob.matches(path));
        let mut patterns = settings.protected.iter();
        patterns.find(|glob| glob.matches(path) || target.fold && glob.folded(path)).filter(|_| !is_exempt)
    };
    let (path, pattern) = match target.find(|path| pattern_of(path).is_some()) {
        Some(path) => (path, pattern_of(path).map_or("", Glob::text)),
        None => settings.protected.iter().find_map(|glob| {
            let path = target.holding(spelled_folder(glob.text()))?;
            Some((path, glob.text()))
        })?,
    };
    Some(
        Finding::new(&RULE, format!("Protected path: {} cannot be modified", shown(path)))
            .remedy(
                "tell the user which change is needed, so that they can make it, or work on a copy in `agent_sandbox/`",
            )
            .tag("path", shown(path))
            .tag("pattern", shown(pattern)),
    )
}
