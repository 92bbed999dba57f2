//! Resolves paths in the world of a test, as the host does on the machine.

use super::World;
use crate::ResolvedPath;
use crate::resolve::{Disk, Entry, Place, entry, names, runs_program};

impl World {
    pub(super) fn resolve(&self, path: &str) -> ResolvedPath {
        if let Some(known) = self.paths.get(path) {
            return known.clone();
        }
        let at = &self.facts;
        Place { cwd: &at.cwd, home: &at.home, project_root: &at.project_root }.resolve(self, path)
    }
}

impl Disk for World {
    fn entry(&self, path: &str) -> Entry {
        let git = format!("{}/.git", self.facts.project_root);
        let is_told = self.files.contains_key(&git) || self.links.contains_key(&git);
        let implied = Some(&git).filter(|_| self.project_is_repository && !is_told);
        entry(path, &self.files, &self.links, self.dirs.iter().chain(implied))
    }

    fn names(&self, folder: &str, _: usize) -> Option<Vec<String>> {
        names(folder, &self.files, &self.links, &self.dirs)
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        self.files.get(path).map(|text| text.get(..text.floor_char_boundary(cap)).unwrap_or(text).to_owned())
    }

    fn runs_own_program(&self, command: &str) -> bool {
        let search = self.env.get("PATH").map(String::as_str).unwrap_or_default();
        self.program.as_deref().is_some_and(|program| runs_program(self, command, search, program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> World {
        let text = |text: &str| text.to_owned();
        World {
            dirs: vec![text("/repo/.git"), text("/home/u/.git"), text("/etc")],
            links: [(text("/repo/l"), text("/etc")), (text("/repo/d/up"), text("../.git")), (text("/x"), text("/x"))]
                .into(),
            ..World::default()
        }
    }

    #[test]
    fn links_are_followed_and_the_rest_appended() {
        let resolve = |path: &str| world().resolve(path).canonical;
        assert_eq!(resolve("l/hosts"), "/etc/hosts");
        assert_eq!(resolve("d/up/config"), "/repo/.git/config");
        assert_eq!(resolve("l/../a"), "/a");
        assert_eq!(resolve("/x/y"), "");
    }

    #[test]
    fn a_repository_is_found_above_and_home_is_none() {
        let root = |path: &str| world().resolve(path).git_root;
        assert_eq!(root("src/a"), "/repo");
        assert_eq!(root("~/a"), "");
        assert_eq!(root("l/hosts"), "");
    }

    #[test]
    fn a_git_file_counts_if_what_it_names_is_there() {
        let root = |files: &[(&str, &str)], path: &str| {
            let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
            World { files, ..World::default() }.resolve(path).git_root
        };
        let of_module = ("/repo/m/.git", "gitdir: ../.git/modules/m\n");
        assert_eq!(root(&[of_module, ("/repo/.git/modules/m/HEAD", "x")], "m/a"), "/repo/m");
        assert_eq!(root(&[of_module, ("/repo/.git/HEAD", "x")], "m/a"), "/repo");
        let of_tree = ("/w/.git", "gitdir: ../repo/.git/worktrees/w\n");
        assert_eq!(root(&[of_tree, ("/repo/.git/worktrees/w/gitdir", "/w/.git\n")], "/w/a"), "/w");
        assert_eq!(root(&[of_tree, ("/repo/.git/worktrees/w/gitdir", "/x/.git\n")], "/w/a"), "");
    }

    #[test]
    fn text_alone_gives_the_lexical_path() {
        let lexical = |path: &str| world().resolve(path).lexical;
        assert_eq!(lexical("./a//b/.."), "/repo/a");
        assert_eq!(lexical("~/.ssh"), "/home/u/.ssh");
        assert_eq!(lexical("a\0b"), "");
    }
}
