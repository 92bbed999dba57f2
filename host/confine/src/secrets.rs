//! The guarded files on a machine: a limited search of the project and the home for the patterns of `protected-files`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use guard_sensitive_paths::{ByteSet, Lists, is_public, matches};

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

/// The ends of the patterns, grouped by the last byte of the name, or `None` for a wildcard. Most files match none of
/// them, and need no further check.
struct Names(BTreeMap<Option<u8>, Vec<NamePattern>>);

/// The end of a pattern. Only `*` and `?` are supported here.
#[derive(PartialEq)]
struct NamePattern {
    first: ByteSet,
    name: String,
    /// The folder's name, or `None` for any folder.
    folder: Option<String>,
}

impl Names {
    fn from_lists(lists: &Lists) -> Self {
        let mut names = Names(BTreeMap::new());
        for entry in lists.blocked() {
            let pattern = NamePattern::from_entry(entry);
            let group = names.0.entry(last_byte(&pattern.name)).or_default();
            if !group.contains(&pattern) {
                group.push(pattern);
            }
        }
        names
    }

    fn fit(&self, folder: &str, name: &str) -> bool {
        let groups = [last_byte(name), None].into_iter().filter_map(|last| self.0.get(&last));
        groups.flatten().any(|pattern| pattern.fits(folder, name))
    }
}

impl NamePattern {
    fn from_entry(entry: &str) -> Self {
        let entry = entry.trim_end_matches('/');
        let is_simple = |text: &str| !text.contains(['{', '[', '\\']);
        let (above, name) = entry.rsplit_once('/').unwrap_or(("", entry));
        let name = if is_simple(name) { name } else { "*" };
        let folder = above.rsplit('/').next().filter(|folder| is_simple(folder) && !matches!(*folder, "" | "~" | "**"));
        NamePattern { first: ByteSet::from_first_byte(name), name: name.to_owned(), folder: folder.map(str::to_owned) }
    }

    fn fits(&self, folder: &str, name: &str) -> bool {
        self.first.may_fit(name)
            && matches(&self.name, name)
            && self.folder.as_ref().is_none_or(|wanted| matches(wanted, folder))
    }
}

/// Returns the last byte of a name, or `None` if it is a wildcard.
fn last_byte(name: &str) -> Option<u8> {
    let last = name.bytes().next_back().filter(|byte| !matches!(byte, b'*' | b'?'));
    last.map(|byte| byte.to_ascii_lowercase())
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
            let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for entry in entries.flatten() {
                if left == 0 {
                    return;
                }
                left -= 1;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let fits = self.names.fit(&folder_name, &name);
                if !fits && !is_folder && name != ".git" {
                    continue;
                }
                let path = entry.path();
                if fits && self.is_guarded(&path, is_folder) {
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
            let mut parts = path.trim_end_matches('/').rsplit('/');
            let (name, folder) = (parts.next().unwrap(), parts.next().unwrap_or("src"));
            assert!(names.fit(folder, name), "{entry}");
            assert!(names.fit(&folder.to_ascii_uppercase(), &name.to_ascii_uppercase()), "{entry}");
        }
        for name in ["main.rs", "environment.ts", "package.json"] {
            assert!(!names.fit("src", name), "{name}");
        }
        assert!(names.fit(".cloudflared", "0a1b.json"));
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
