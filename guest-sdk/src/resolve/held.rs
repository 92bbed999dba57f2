//! [`held`]: the existing files in a folder, or of a pattern, that a command takes although its text doesn't name them.
//!
//! The host lists them in an effect's tag [`HOLDS`], because a policy can't list folders itself.

use std::collections::VecDeque;

use super::{Disk, Entry};
use crate::globs::{Glob, spelled_folder};
use crate::paths::below;

/// The tag with the files, one a line, relative to the folder. Folders end with a slash.
pub const HOLDS: &str = "holds";

/// The last line of the tag if there are more files.
pub const MORE: &str = "..";

/// The prefix of a pattern in place of a path, when a reader of files lists the paths that match.
pub const LIST: &str = "list:";

/// The maximum number of files and folders that are looked at, and of bytes of their names.
const NAMES: usize = 1000;
const BYTES: usize = 64 << 10;

/// Folders that aren't searched, because they contain no files of the project itself.
const UNLIKELY: [&str; 3] = [".git", ".venv", "node_modules"];

/// Characters of a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// An effect as far as its files depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    /// The effect's kind.
    pub kind: &'a str,
    /// The effect's operation.
    pub operation: &'a str,
    /// The absolute path as written.
    pub lexical: &'a str,
    /// The path that it leads to.
    pub canonical: &'a str,
    /// Whether the path leads to an existing folder.
    pub is_folder: bool,
    /// The project's root and the home, which many commands read as a whole.
    pub roots: [&'a str; 2],
}

impl Taken<'_> {
    /// Returns the value of the tag [`HOLDS`] for an effect with these tags. `list` is [`held`], or remembers its
    /// answers.
    pub fn holds<'t>(
        self,
        disk: &dyn Disk,
        tag: impl Fn(&str) -> Option<&'t str>,
        list: impl Fn(&str) -> Option<Vec<String>>,
    ) -> Option<String> {
        // A link is deleted or moved alone, and some programs refuse folders with files.
        let is_link = || disk.entry(self.lexical) != Entry::Dir;
        if self.kind == "delete" && self.is_folder && (self.refuses_folders(&tag) || is_link()) {
            return Some(String::new());
        }
        list(&self.pattern(tag)?).map(|names| names.join("\n"))
    }

    /// Returns whether the program deletes no folder that contains files, as `rmdir`, and `rm` without `-r`.
    fn refuses_folders<'t>(self, tag: impl Fn(&str) -> Option<&'t str>) -> bool {
        let by = tag("by");
        by == Some("rmdir") || self.operation == "fs.delete" && matches!(by, Some("rm" | "grm" | "unlink"))
    }

    /// Returns the pattern of the files that the effect may take: `/repo/db/**`, `/repo/*.csv`. `None` if its text
    /// already names them, or if it takes none.
    ///
    /// Searches of the whole project are so common that their files aren't listed.
    fn pattern<'t>(self, tag: impl Fn(&str) -> Option<&'t str>) -> Option<String> {
        let has_tag = |name: &str| tag(name).is_some();
        let is_pattern = is_pattern(self.lexical);
        let path = if is_pattern { self.lexical } else { self.canonical };
        let is_apart = ["where", "disposable", "filtered"].into_iter().any(has_tag);
        if is_apart || !path.starts_with('/') || !is_pattern && spelled_folder(path) != path {
            return None;
        }
        let refuses_folders = self.kind == "delete" && self.refuses_folders(&tag);
        let contains_root = |root: &&str| below(root, path).is_some();
        // Other rules judge the loss of a folder above the project or the home.
        let is_above_root = |root: &&str| below(root, path).is_some_and(|rest| rest != ".");
        let is_taken = match self.kind {
            "delete" => is_pattern || self.is_folder && !self.roots.iter().any(is_above_root),
            "read" => is_pattern || self.is_folder && !has_tag("kept") && !self.roots.iter().any(contains_root),
            "write" => self.is_folder && ["tree", "archive", "pathspec", "output"].into_iter().any(&has_tag),
            _ => false,
        };
        // Of a pattern, most commands read only the files.
        let takes_files = refuses_folders || self.kind == "read" && !has_tag("recursive");
        let ends = if is_pattern && takes_files { "" } else { "/**" };
        let is_likely = !path.split('/').any(|name| UNLIKELY.contains(&name));
        (is_taken && is_likely).then(|| format!("{path}{ends}"))
    }
}

/// Returns whether a path has wildcards, as one that the shell expands.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(WILDCARDS)
}

/// Returns the names that match a pattern of [`Taken`], relative to its folder. `None` if they are unknown.
pub fn held<D: Disk + ?Sized>(disk: &D, pattern: &str) -> Option<Vec<String>> {
    let (pattern, is_deep) = pattern.strip_suffix("/**").map_or((pattern, false), |pattern| (pattern, true));
    let base = spelled_folder(pattern);
    let rest = pattern.strip_prefix(base)?.trim_start_matches('/');
    let mut search = Search { disk, base, is_whole: true, looked_at: 0, bytes: 0 };
    let (mut folders, mut names) = (vec![String::new()], Vec::new());
    disk.names(&format!("{base}/"), 1)?;
    for component in rest.split('/').filter(|name| !name.is_empty()) {
        let glob = Glob::new(component).ok()?;
        let fits = |name: &str| glob.matches(name) && (component.starts_with('.') || !name.starts_with('.'));
        names = folders.iter().flat_map(|folder| search.list(folder, &fits)).collect();
        folders = names.iter().filter(|name| name.ends_with('/')).cloned().collect();
    }
    let mut left: VecDeque<String> = if is_deep { folders.into() } else { VecDeque::new() };
    while let Some(folder) = left.pop_front() {
        let found = search.list(&folder, &|_| true);
        let is_likely = |name: &&String| !UNLIKELY.iter().any(|folder| last(name) == *folder);
        left.extend(found.iter().filter(|name| name.ends_with('/')).filter(is_likely).cloned());
        names.extend(found);
    }
    if !search.is_whole {
        names.push(MORE.to_owned());
    }
    Some(names)
}

/// Returns the absolute paths of the names that [`held`] found for a pattern, one a line, with [`MORE`] as it is.
#[must_use]
pub fn listed_paths(pattern: &str, names: &[String]) -> String {
    let base = spelled_folder(pattern.strip_suffix("/**").unwrap_or(pattern));
    let lines = names.iter().map(|name| if name == MORE { format!("{name}\n") } else { format!("{base}/{name}\n") });
    lines.collect()
}

fn last(name: &str) -> &str {
    name.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// A search with a limit.
struct Search<'a, D: ?Sized> {
    disk: &'a D,
    base: &'a str,
    is_whole: bool,
    looked_at: usize,
    bytes: usize,
}

impl<D: Disk + ?Sized> Search<'_, D> {
    /// Returns the fitting names in a folder.
    fn list(&mut self, folder: &str, fits: &dyn Fn(&str) -> bool) -> Vec<String> {
        let room = NAMES.saturating_sub(self.looked_at);
        let listed = if room == 0 { None } else { self.disk.names(&format!("{}/{folder}", self.base), room + 1) };
        let Some(listed) = listed else {
            self.is_whole = false;
            return Vec::new();
        };
        self.is_whole &= listed.len() <= room;
        let mut found = Vec::new();
        for name in listed.iter().take(room) {
            self.looked_at += 1;
            self.bytes += folder.len() + name.len();
            if self.bytes > BYTES || name.contains('\n') {
                self.is_whole = false;
            } else if fits(name.trim_end_matches('/')) {
                found.push(format!("{folder}{name}"));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::World;

    fn world() -> World {
        let files = ["/repo/db/1.sql", "/repo/db/a/b/2.sql", "/repo/lib/x.js", "/repo/.env", "/repo/db/.git/config"];
        let files = files.map(|path| (path.to_owned(), String::new())).into();
        World { files, dirs: vec!["/repo/empty".to_owned()], ..World::default() }
    }

    #[test]
    fn the_files_below_a_folder_are_listed_from_the_top_down() {
        let held = |pattern: &str| held(&world(), pattern).unwrap();
        assert_eq!(held("/repo/db/**"), [".git/", "1.sql", "a/", "a/b/", "a/b/2.sql"]);
        assert_eq!(held("/repo/empty/**"), [""; 0]);
        assert_eq!(held("/repo/*"), ["db/", "empty/", "lib/"]);
        assert_eq!(held("/repo/.e*"), [".env"]);
        assert_eq!(held("/repo/l*/**"), ["lib/", "lib/x.js"]);
        assert_eq!(held("/repo/*/*.sql"), ["db/1.sql"]);
    }

    #[test]
    fn a_large_folder_is_listed_in_part() {
        let files = (0..NAMES + 5).map(|number| (format!("/repo/a/{number}"), String::new())).collect();
        let held = held(&World { files, ..World::default() }, "/repo/a/**").unwrap();
        assert_eq!((held.len(), held.last().map(String::as_str)), (NAMES + 1, Some(MORE)));
    }

    fn pattern(kind: &str, path: &str, is_folder: bool, tags: &[(&str, &'static str)]) -> Option<String> {
        let operation = if kind == "delete" { "fs.delete" } else { "fs.read" };
        let taken = Taken { kind, operation, lexical: path, canonical: path, is_folder, roots: ["/repo", "/home/u"] };
        taken.pattern(|name| tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| *value))
    }

    #[test]
    fn whole_folders_and_patterns_are_taken() {
        for (kind, path, is_folder, tags, taken) in [
            ("delete", "/repo/db", true, &[][..], "/repo/db/**"),
            ("delete", "/repo/l*", false, &[], "/repo/l*/**"),
            ("delete", "/repo/l*", false, &[("by", "rm")], "/repo/l*"),
            ("read", "/repo/l*", false, &[], "/repo/l*"),
            ("read", "/repo/l*", false, &[("recursive", "yes")], "/repo/l*/**"),
            ("read", "/repo/db", true, &[], "/repo/db/**"),
            ("write", "/repo/db", true, &[("archive", "yes")], "/repo/db/**"),
        ] {
            assert_eq!(pattern(kind, path, is_folder, tags).as_deref(), Some(taken), "{kind} {path}");
        }
    }

    #[test]
    fn named_files_and_whole_projects_are_not_taken() {
        for (kind, path, is_folder, tags) in [
            ("read", "/repo", true, &[][..]),
            ("read", "/", true, &[]),
            ("read", "/repo/db", true, &[("kept", "yes")]),
            ("read", "/repo/{a}", true, &[]),
            ("delete", "/repo/x", false, &[]),
            ("delete", "/repo/db", true, &[("disposable", "ignored")]),
            ("delete", "/repo/node_modules/x", true, &[]),
            ("write", "/repo/db", true, &[]),
        ] {
            assert_eq!(pattern(kind, path, is_folder, tags), None, "{kind} {path}");
        }
    }
}
