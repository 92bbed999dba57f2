//! The folders to which the patterns of a project's file are relative.

use guard_contract::paths::{is_below, parent};
use guard_sdk::resolve::{Disk, Entry, git_root};

/// Returns the roots for the patterns of the configuration in `folder`, the root of its own repository first. `call_root`
/// is the root of the call's project.
///
/// A repository inside another one has several roots, because anybody can create a `.git` folder below the rules of the
/// outer one. Submodules and linked work trees, whose `.git` is a file, only have their own.
#[must_use]
pub fn pattern_roots(disk: &dyn Disk, folder: &str, call_root: &str, home: &str) -> Vec<String> {
    let own = match git_root(disk, folder, home) {
        Some(root) if folder != call_root => root,
        None if is_below(folder, call_root) => call_root.to_owned(),
        _ => folder.to_owned(),
    };
    let has_folder = |root: &String| disk.entry(&format!("{root}/.git")) == Entry::Dir;
    let around = |root: &String| if has_folder(root) { git_root(disk, parent(root)?, home) } else { None };
    let mut roots: Vec<String> = std::iter::successors(Some(own), around).collect();
    // The project of the call needn't be a repository.
    let is_new = is_below(folder, call_root) && !roots.iter().any(|root| root == call_root);
    if is_new && roots.last().is_some_and(has_folder) {
        roots.push(call_root.to_owned());
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::FixedFacts;

    #[test]
    fn a_new_repository_keeps_the_roots_around_it() {
        let facts = |world: &str| toml::from_str::<FixedFacts>(world).unwrap();
        let roots = |world: &str, call_root: &str| pattern_roots(&facts(world), "/w/repo/svc", call_root, "/home/u");
        let repository = "dirs = ['/w/repo/.git', '/w/repo/svc']";
        assert_eq!(roots(repository, "/w/repo"), ["/w/repo"]);
        assert_eq!(roots(repository, "/w"), ["/w/repo", "/w"]);
        let two = "dirs = ['/w/repo/.git', '/w/repo/svc/.git']";
        assert_eq!(roots(two, "/w/repo"), ["/w/repo/svc", "/w/repo"]);
        assert_eq!(roots(two, "/w/repo/svc"), ["/w/repo/svc", "/w/repo"]);
        // The project needn't be a repository.
        assert_eq!(roots("dirs = ['/w/repo/svc']", "/w/repo"), ["/w/repo"]);
        assert_eq!(roots("dirs = ['/w/repo/svc/.git']", "/w/repo"), ["/w/repo/svc", "/w/repo"]);
        assert_eq!(roots("dirs = ['/w/repo/svc']", "/other"), ["/w/repo/svc"]);
    }

    #[test]
    fn a_submodule_has_one_root() {
        let world = "dirs = ['/repo/.git']\n[files]\n'/repo/lib/.git' = 'gitdir: ../.git/modules/lib'\n\
                     '/repo/.git/modules/lib/HEAD' = ''";
        let facts: FixedFacts = toml::from_str(world).unwrap();
        assert_eq!(pattern_roots(&facts, "/repo/lib", "/repo", ""), ["/repo/lib"]);
    }
}
