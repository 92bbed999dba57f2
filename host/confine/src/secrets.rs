//! The guarded files on a machine: a limited search of the project and the home for the patterns of `protected-files`.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use guard_sensitive_paths::{Lists, is_public, matches};

use crate::CommandDirs;

/// The maximum number of entries that are examined in the project, and in the home.
const ENTRIES: usize = 2_500;

/// The maximum depth of the search.
const DEPTH: usize = 8;

/// The maximum size of a `.git/config`, in bytes.
const CONFIG_BYTES: u64 = 64 << 10;

/// Folders with a large number of files that no person wrote.
const SKIPPED: &[&str] = &[".cache", ".rustup", "__pycache__", "node_modules", "registry", "site-packages", "target"];

/// Returns the guarded files and folders, with their symbolic links resolved.
///
/// The search is breadth-first, so that the limits exclude the deepest entries.
#[must_use]
pub fn find(places: &CommandDirs<'_>, lists: &Lists) -> Vec<PathBuf> {
    let mut search =
        Search { places, lists, names: Names::from_lists(lists), searched: BTreeSet::new(), found: BTreeSet::new() };
    for start in [&places.project, &places.cwd, &places.home] {
        search.add_below(start);
    }
    let mut found = search.found;
    // The content of a hidden folder is hidden with it.
    let all = found.clone();
    found.retain(|path| !path.ancestors().skip(1).any(|folder| all.contains(folder)));
    found.into_iter().collect()
}

/// The last names of the patterns. Most files match none of them, and need no further check.
struct Names {
    plain: HashSet<String>,
    patterns: Vec<String>,
}

impl Names {
    fn from_lists(lists: &Lists) -> Self {
        let mut names = Names { plain: HashSet::new(), patterns: Vec::new() };
        for entry in lists.blocked() {
            let name = entry.trim_end_matches('/').rsplit('/').next().unwrap_or(entry).to_ascii_lowercase();
            // Only `*` and `?` are supported here.
            let is_set = name.contains(['{', '[', '\\']);
            match name {
                _ if is_set => names.patterns.push("*".to_owned()),
                name if name.contains(['*', '?']) => names.patterns.push(name),
                name => {
                    names.plain.insert(name);
                }
            }
        }
        names
    }

    fn fit(&self, name: &str) -> bool {
        self.plain.contains(&name.to_ascii_lowercase()) || self.patterns.iter().any(|pattern| matches(pattern, name))
    }
}

struct Search<'a> {
    places: &'a CommandDirs<'a>,
    lists: &'a Lists,
    names: Names,
    /// The folders that were already searched.
    searched: BTreeSet<PathBuf>,
    found: BTreeSet<PathBuf>,
}

impl Search<'_> {
    fn add_below(&mut self, start: &Path) {
        if !self.searched.insert(start.to_owned()) {
            return;
        }
        let mut left = ENTRIES;
        let mut waiting = VecDeque::from([(start.to_owned(), 0)]);
        while let Some((folder, depth)) = waiting.pop_front() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                if left == 0 {
                    return;
                }
                left -= 1;
                let path = entry.path();
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if self.names.fit(&name) && self.is_guarded(&path, is_folder) {
                    self.found.insert(path.canonicalize().unwrap_or(path));
                } else if name == ".git" {
                    let config = path.join("config");
                    if self.is_guarded(&config, false) {
                        self.found.insert(config);
                    }
                } else if is_folder && depth < DEPTH && !SKIPPED.contains(&&*name) && !self.searched.contains(&path) {
                    waiting.push_back((path, depth + 1));
                }
            }
        }
    }

    /// Returns whether the patterns cover the path. A `.git/config` is only guarded if it contains a password, because
    /// tools that call git read it.
    fn is_guarded(&self, path: &Path, is_folder: bool) -> bool {
        // Relative to the home, as in its patterns.
        let text = match path.strip_prefix(&self.places.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        };
        let text = if is_folder { format!("{text}/") } else { text };
        self.lists.secret(&text).is_some()
            && !is_public(&text)
            && (!path.ends_with(".git/config") || contains_password(path))
    }
}

/// Returns whether a git configuration contains a password or token.
fn contains_password(path: &Path) -> bool {
    let small = fs::metadata(path).is_ok_and(|data| data.len() <= CONFIG_BYTES);
    let Some(text) = fs::read_to_string(path).ok().filter(|_| small) else { return path.exists() };
    text.to_ascii_lowercase().lines().any(|line| {
        let has_user = line.split_once("://").is_some_and(|(_, rest)| {
            rest.split('/').next().is_some_and(|host| host.contains('@') && host.contains(':'))
        });
        has_user || ["extraheader", "password", "token"].into_iter().any(|word| line.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for file in files {
            let (file, text) = file.split_once('=').unwrap_or((file, ""));
            let path = top.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let none = |_: &str| None;
        let home = top.join("home");
        let project = home.join("p");
        let places = CommandDirs { cwd: project.clone(), project, home, variable: &none };
        let relative = |path: &PathBuf| path.strip_prefix(&top).unwrap().display().to_string();
        find(&places, &Lists::default()).iter().map(relative).collect()
    }

    #[test]
    fn secrets_of_the_project_and_the_home_are_found() {
        let files =
            ["home/p/.env", "home/p/a/b/server.key", "home/.ssh/id_ed25519", "home/.npmrc", "home/p/src/main.rs"];
        assert_eq!(found(&files), ["home/.npmrc", "home/.ssh", "home/p/.env", "home/p/a/b/server.key"]);
    }

    #[test]
    fn the_quick_look_misses_no_secret() {
        let (lists, names) = (Lists::default(), Names::from_lists(&Lists::default()));
        for entry in lists.blocked() {
            let path = entry.replace('*', "x");
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap();
            assert!(names.fit(name) && names.fit(&name.to_ascii_uppercase()), "{entry}");
        }
        assert!(!names.fit("main.rs") && !names.fit("environment.ts"));
    }

    #[test]
    fn public_files_and_templates_are_not_hidden() {
        let files = ["home/p/.env.example", "home/p/ca.pem", "home/p/.npmrc", "home/p/id_rsa.pub", "other/.env"];
        assert!(found(&files).is_empty(), "{:?}", found(&files));
    }

    #[test]
    fn a_git_config_is_hidden_with_a_password_in_it() {
        assert!(found(&["home/p/.git/config=[core]\n\turl = https://example.org/x.git\n"]).is_empty());
        let with = ["home/p/.git/config=[remote]\n\turl = https://u:secret@example.org/x.git\n"];
        assert_eq!(found(&with), ["home/p/.git/config"]);
    }

    #[test]
    fn a_link_to_a_secret_hides_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::write(top.join("real.txt"), "").unwrap();
        fs::create_dir(top.join("p")).unwrap();
        std::os::unix::fs::symlink("../real.txt", top.join("p/.env")).unwrap();
        let none = |_: &str| None;
        let places = CommandDirs { cwd: top.join("p"), project: top.join("p"), home: top.join("h"), variable: &none };
        assert_eq!(find(&places, &Lists::default()), [top.join("real.txt")]);
    }
}
