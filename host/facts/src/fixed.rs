//! [`FixedFacts`]: facts for tests, independent of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;

use guard_contract::{Event, FactFault};

use guard_sdk::resolve::runs_program;
use guard_sdk::testing::cases::{GitFacts, PastEvent};

use crate::{Disk, Entry, Facts, GitAsked, GitQuestion};

/// The files, folders, links and variables of a test. Everything else is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct FixedFacts {
    /// Variables.
    pub env: BTreeMap<String, String>,
    /// File contents by absolute path. Their parent folders exist too.
    pub files: BTreeMap<String, String>,
    /// Folders by absolute path. Their parents exist too.
    pub dirs: BTreeSet<String>,
    /// The targets of symbolic links by absolute path.
    pub links: BTreeMap<String, String>,
    /// The path of guard-host's program. Files with the same content are copies.
    pub program: Option<String>,
    /// The git facts. Without them, git gives no answers.
    pub git: Option<GitFacts>,
    /// The session's events before the call, in order.
    pub history: Vec<PastEvent>,
    /// Whether the history is damaged.
    pub history_is_damaged: bool,
}

impl Disk for FixedFacts {
    fn entry(&self, path: &str) -> Entry {
        guard_sdk::resolve::entry(path, &self.files, &self.links, &self.dirs)
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        let text = self.files.get(path)?;
        text.get(..text.floor_char_boundary(cap.min(text.len()))).map(str::to_owned)
    }

    fn names(&self, folder: &str, _: usize) -> Option<Vec<String>> {
        guard_sdk::resolve::names(folder, &self.files, &self.links, &self.dirs)
    }

    fn runs_own_program(&self, command: &str) -> bool {
        let search = self.env.get("PATH").map(String::as_str).unwrap_or_default();
        self.program.as_deref().is_some_and(|program| runs_program(self, command, search, program))
    }
}

impl Facts for FixedFacts {
    fn read_granted(&self, _: &str, path: &str, cap: usize) -> Result<String, FactFault> {
        match self.files.get(path) {
            Some(text) if text.len() > cap => Err(FactFault::TooLarge),
            Some(text) => Ok(text.clone()),
            None => Err(FactFault::Absent),
        }
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn history(&self, kind: &str) -> Result<Vec<Event>, FactFault> {
        if self.history_is_damaged {
            return Err(FactFault::Failed);
        }
        let event = |(past, number): (&PastEvent, u32)| {
            let PastEvent { kind, target, tool, time, certain, tags } = past.clone();
            let tags = tags.into_iter().collect();
            Event { number, time, kind, tool, target, certain, tags }
        };
        let is_meant = |event: &Event| kind.is_empty() || event.kind == kind;
        Ok(self.history.iter().zip(1..).map(event).filter(is_meant).collect())
    }

    fn git(&self, GitAsked { path, question, .. }: GitAsked<'_>, _: Duration) -> Option<String> {
        let git = self.git.as_ref()?;
        let is_so = match question {
            GitQuestion::Branch => return Some(git.branch.clone()),
            // A file that is tracked and not staged matches the last commit.
            GitQuestion::Head if git.is_tracked(path) && !git.is_staged(path) => return self.files.get(path).cloned(),
            GitQuestion::Head => return None,
            GitQuestion::Tracked => git.is_tracked(path),
            GitQuestion::Staged => git.is_staged(path),
            GitQuestion::Ignored => git.is_ignored(path),
        };
        Some(if is_so { "yes" } else { "no" }.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resolver;
    use guard_contract::{Presence, ResolvedPath};

    fn resolve(world: &str, raw: &str) -> ResolvedPath {
        let facts: FixedFacts = toml::from_str(world).unwrap();
        Resolver::new("/repo/a", "/home/u", "/repo").resolve(&facts, raw)
    }

    #[test]
    fn a_link_is_followed_and_the_rest_appended() {
        let path = resolve("dirs = ['/repo/.git', '/etc']\n[links]\n'/repo/l' = '/etc'", "/repo/l/hosts");
        assert_eq!((path.lexical.as_str(), path.canonical.as_str()), ("/repo/l/hosts", "/etc/hosts"));
        assert_eq!((path.project_relative.as_str(), path.git_root.as_str()), ("", ""));
        assert_eq!(path.exists, Presence::No);
    }

    #[test]
    fn dots_after_a_link_are_taken_where_the_link_leads() {
        let path = resolve("dirs = ['/etc/ssh']\n[links]\n'/repo/l' = '/etc/ssh'", "/repo/l/../passwd");
        assert_eq!((path.lexical.as_str(), path.canonical.as_str()), ("/repo/passwd", "/etc/passwd"));
    }

    #[test]
    fn a_loop_of_links_has_no_canonical_path() {
        let path = resolve("[links]\n'/repo/x' = '/repo/y'\n'/repo/y' = 'x'", "/repo/x");
        assert_eq!((path.lexical.as_str(), path.canonical.as_str(), path.kind.as_str()), ("/repo/x", "", "link"));
    }

    #[test]
    fn a_relative_path_stands_below_the_working_directory() {
        let path = resolve("dirs = ['/repo/.git', '/repo/a']", "b.txt");
        assert_eq!((path.canonical.as_str(), path.project_relative.as_str()), ("/repo/a/b.txt", "a/b.txt"));
        assert_eq!(path.git_root, "/repo");
    }

    #[test]
    fn home_and_root_are_no_projects() {
        assert_eq!(resolve("dirs = ['/home/u/.git']", "~/x").git_root, "");
        assert_eq!(resolve("dirs = ['/.git']", "/x").git_root, "");
    }

    #[test]
    fn a_work_tree_counts_when_its_repository_knows_it() {
        let linked =
            "[files]\n'/w/.git' = 'gitdir: /repo/.git/worktrees/w'\n'/repo/.git/worktrees/w/gitdir' = '/w/.git'";
        assert_eq!(resolve(linked, "/w/x").git_root, "/w");
        let forged = "dirs = ['/repo/.git/worktrees/w']\n[files]\n'/w/.git' = 'gitdir: /repo/.git/worktrees/w'";
        assert_eq!(resolve(forged, "/w/x").git_root, "");
    }

    #[test]
    fn a_path_that_is_no_path_keeps_its_text() {
        let long = format!("/{}", "a".repeat(5000));
        for raw in ["a\0b", long.as_str()] {
            let path = resolve("", raw);
            assert_eq!((path.raw.as_str(), path.lexical.as_str(), path.canonical.as_str()), (raw, "", ""));
        }
    }
}
