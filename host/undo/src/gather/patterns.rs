//! Shell patterns in losses, and losses of the backups themselves.

use std::fs;
use std::path::{Component, PathBuf};

use guard_facts::losses::PathLoss;
use guard_platform::paths::native;
use guard_sdk::globs::Glob;

use super::{Gatherer, SkipReason, add_step};

/// The maximum number of files that a pattern may match.
const MATCHES: usize = 5_000;

/// The special characters of patterns.
const SIGNS: [char; 4] = ['*', '?', '[', '{'];

impl Gatherer {
    /// Returns whether the loss includes the folder of the backups, or something in it.
    pub(super) fn includes_backups(&self, loss: &PathLoss) -> bool {
        let start = match loss.is_pattern {
            true => {
                loss.path.split(SIGNS).next().and_then(|start| start.rsplit_once('/')).map_or("/", |(start, _)| start)
            }
            false => loss.path.as_str(),
        };
        let start = native(if start.is_empty() { "/" } else { start });
        let physical = start.canonicalize().unwrap_or_else(|_| start.to_path_buf());
        let state = &self.bounds.state;
        let is_above = state.starts_with(&physical) && (!loss.is_pattern || loss.name.is_empty());
        physical.starts_with(state) || is_above && self.may_reach(loss)
    }

    /// Returns whether a loss can reach the folder of the backups. Only the folder before a pattern is known, and most
    /// patterns match no folder on the way to the backups.
    fn may_reach(&self, loss: &PathLoss) -> bool {
        if !loss.is_pattern {
            return true;
        }
        let parts: Vec<&str> = loss.path.split('/').filter(|part| !part.is_empty()).collect();
        let state: Vec<_> = self.bounds.state.components().skip(1).collect();
        let fits = |(part, name): (&&str, &Component<'_>)| {
            let name = name.as_os_str().to_string_lossy();
            !part.contains(SIGNS) && **part == name
                || part.contains(SIGNS) && pattern(part).is_none_or(|it| it.matches(&name))
        };
        parts.iter().zip(&state).all(fits)
    }

    /// Returns the paths that a shell pattern matches.
    pub(super) fn matches(&mut self, text: &str) -> Result<Vec<PathBuf>, SkipReason> {
        let mut found = vec![PathBuf::from("/")];
        for part in text.split('/').filter(|part| !part.is_empty()) {
            self.check_time()?;
            if !part.contains(SIGNS) {
                found.iter_mut().for_each(|path| add_step(path, part.as_ref()));
                continue;
            }
            let glob = pattern(part);
            if glob.is_none() {
                self.report_excluded(format!("{text}: unsupported pattern"));
            }
            let fits = |name: &str| glob.as_ref().is_none_or(|glob| glob.matches(name));
            let mut next = Vec::new();
            for folder in &found {
                let entries = match fs::read_dir(folder) {
                    Ok(entries) => entries,
                    Err(error) => {
                        self.record_unreadable(folder, &error)?;
                        continue;
                    }
                };
                for entry in entries.flatten() {
                    if entry.file_name().to_str().is_none_or(fits) {
                        next.push(entry.path());
                    }
                    if next.len() > MATCHES {
                        return Err(SkipReason::TooMany);
                    }
                }
            }
            next.sort();
            found = next;
        }
        // The shell uses a pattern without matches as a literal name.
        Ok(if found.is_empty() { vec![native(text).into_owned()] } else { found })
    }
}

/// Parses a pattern for one name. `None` if it has syntax that other shells, or their options, interpret differently.
pub(super) fn pattern(text: &str) -> Option<Glob> {
    let has_class = text.contains("[:") || text.contains("[.") || text.contains("[=") || text.contains("[^");
    let is_other = has_class || text.contains("**") || text.contains('\\') || text.contains("..") || text.contains('{');
    Glob::new(text).ok().filter(|_| !is_other)
}
