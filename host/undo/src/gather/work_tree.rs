//! The files of a work tree that a git command replaces or deletes.

use std::fs::Metadata;
use std::path::Path;

use guard_facts::losses::{How, PathLoss};
use guard_platform::paths::slashed;

use super::{Gatherer, SkipReason, Walk};
use crate::git::Repository;
use crate::index::Index;
use crate::manifest::LossKind;
use crate::stamps::changed_paths;

impl Gatherer {
    /// Adds the tracked files that differ from the index: those below `start`, or all.
    pub(crate) fn add_changed(&mut self, repository: &Repository, start: Option<&Path>) -> Result<(), SkipReason> {
        let Some(index) = self.index(repository) else {
            self.report_excluded(format!("{}: can't read its git index", repository.root.display()));
            return Ok(());
        };
        let (root, until) = (&repository.root, self.bounds.until);
        let below = start.filter(|start| start != root).map(|start| start.strip_prefix(root));
        let slots = match below {
            None => [index.slots(), &[]],
            Some(Ok(below)) => index.entries_below(&slashed(below)),
            Some(Err(_)) => return Ok(()),
        };
        for slots in slots {
            for path in changed_paths(&index, root, slots, until)? {
                self.check_time()?;
                let data = match path.symlink_metadata() {
                    Ok(data) => data,
                    Err(error) => {
                        self.record_unreadable(&path, &error)?;
                        continue;
                    }
                };
                self.add_in_place(&path, &data, &index, repository)?;
            }
        }
        Ok(())
    }

    /// Adds a file of a work tree that git replaces.
    fn add_in_place(&mut self, path: &Path, data: &Metadata, index: &Index, of: &Repository) -> Result<(), SkipReason> {
        let below = path.strip_prefix(&of.root).map(slashed).unwrap_or_default();
        if data.is_dir() {
            self.report_excluded(format!("{}: a folder where git has a file", path.display()));
            let text = path.to_string_lossy().into_owned();
            return self.add(&PathLoss { path: text, how: How::Delete, is_pattern: false, name: String::new() });
        }
        if index.get(&below).is_none() && index.tracks_below(&below) {
            self.report_excluded(format!("{}: a file where git has a folder", path.display()));
        }
        self.push(path, data, &path.to_string_lossy(), LossKind::Replaced)
    }

    /// Adds an untracked file that git overwrites with one from another commit.
    pub(crate) fn add_in_the_way(&mut self, path: &Path, repository: &Repository) -> Result<(), SkipReason> {
        let Some(index) = self.index(repository) else { return Ok(()) };
        for above in path.ancestors().take_while(|above| *above != repository.root) {
            let data = match above.symlink_metadata() {
                Ok(data) => data,
                Err(error) => {
                    self.record_unreadable(above, &error)?;
                    continue;
                }
            };
            let is_wanted = if above == path { true } else { !data.is_dir() };
            return if is_wanted { self.add_in_place(above, &data, &index, repository) } else { Ok(()) };
        }
        Ok(())
    }

    /// Adds the untracked files below `start`, as `git clean` finds them.
    pub(crate) fn add_untracked(
        &mut self,
        repository: &Repository,
        start: &Path,
        (with_ignored, with_repositories): (bool, bool),
    ) -> Result<(), SkipReason> {
        let Some(index) = self.index(repository) else {
            self.report_excluded(format!("{}: can't read its git index", repository.root.display()));
            return Ok(());
        };
        let rules = self.rules(Some(repository), start.parent().unwrap_or(start));
        let mut open = vec![(start.to_path_buf(), 0)];
        let mut rules_of = Walk {
            top: "",
            why: LossKind::Deleted,
            is_in_place: false,
            follows_links: false,
            name: None,
            rules,
            repository: Some(repository.clone()),
        };
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
                let is_repository = || Repository::find(&path).is_some_and(|nested| nested.root == path);
                if data.is_dir() && !with_repositories && is_repository() {
                    // Git doesn't delete it.
                    continue;
                }
                if data.is_dir() && path.join(".git").is_file() {
                    self.report_excluded(format!(
                        "{}: a repository whose commits are stored elsewhere",
                        path.display()
                    ));
                }
                let top = path.to_string_lossy().into_owned();
                let rules = std::mem::take(&mut rules_of.rules);
                let mut walk = Walk { top: &top, rules, repository: Some(repository.clone()), ..rules_of };
                self.walk(&path, &data, &mut walk, depth)?;
                rules_of.rules = walk.rules;
                rules_of.rules.retain_ancestors_of(&path.to_string_lossy());
            }
        }
        Ok(())
    }
}
