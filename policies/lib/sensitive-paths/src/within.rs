//! Listed files below a folder that is affected as a whole. The path doesn't name them, so the file system shows
//! whether they exist.

use guard_sdk::globs::{Glob, expand};
use guard_sdk::syntax::Effect;
use guard_sdk::{Presence, ResolvedPath};

use crate::Lists;
use crate::entry::{Entries, Entry};
use crate::pattern::{Path, Root};

/// The maximum number of entries that are searched for below a folder.
const ENTRIES: usize = 64;

/// Characters of a component that isn't a plain name.
const SPECIAL: [char; 5] = ['*', '?', '[', '{', '\\'];

/// An entry with files below an affected folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken<'a> {
    /// The entry as written.
    pub entry: &'a str,
    /// Whether such a file exists. Otherwise the entry's pattern may or may not match a file in the folder.
    pub is_certain: bool,
}

impl Lists {
    /// Returns the entry that settings add to `blocked` and that has files below the effect's target. `resolve`
    /// resolves paths on the machine.
    #[must_use]
    pub fn secret_within(&self, effect: &Effect, resolve: &dyn Fn(&str) -> ResolvedPath) -> Option<Taken<'_>> {
        self.within(&self.blocked, effect, resolve)
    }

    /// Returns the entry that settings add to `blocked` and that certainly has a file in the folder, or of the pattern,
    /// that the effect reads.
    #[must_use]
    pub fn secret_read_within(&self, effect: &Effect, resolve: &dyn Fn(&str) -> ResolvedPath) -> Option<&str> {
        effect.held_files().filter(|_| effect.kind == "read")?;
        self.secret_within(effect, resolve).filter(|taken| taken.is_certain).map(|taken| taken.entry)
    }

    /// Returns the entry that settings add to `confirm`, as in [`Lists::secret_within`].
    #[must_use]
    pub fn sensitive_within(&self, effect: &Effect, resolve: &dyn Fn(&str) -> ResolvedPath) -> Option<Taken<'_>> {
        self.within(&self.confirm, effect, resolve)
    }

    /// Returns the entry that covers a file if settings add one that does.
    fn own_entry<'a>(&self, list: &'a Entries, file: &str) -> Option<&'a str> {
        let path = listed_path(file);
        let is_listed = list.added_entries().take(ENTRIES).any(|entry| entry.covers(&path));
        is_listed.then(|| self.covering_entry(list, &path, true)).flatten()
    }

    fn within<'a>(
        &self,
        list: &'a Entries,
        effect: &Effect,
        resolve: &dyn Fn(&str) -> ResolvedPath,
    ) -> Option<Taken<'a>> {
        list.added_entries().next()?;
        let mut held = effect.held_files().into_iter().flat_map(|files| files.paths());
        if let Some(entry) = held.find_map(|file| self.own_entry(list, &file)) {
            return Some(Taken { entry, is_certain: true });
        }
        if effect.held_files().is_some_and(|files| files.is_whole() && files.names().next().is_none()) {
            return None;
        }
        let path = &effect.path;
        let spellings = [&path.lexical, &path.canonical].map(|text| text.strip_suffix("/*").unwrap_or(text));
        let is_folder = |text: &&str| text.starts_with('/') && resolve(text).kind == "dir";
        let folders: Vec<&str> = spellings.into_iter().filter(is_folder).collect();
        let folder = Folder { lists: self, list, resolve };
        let found = |entry: &'a Entry| folders.iter().find_map(|text| folder.find_match(text, entry));
        list.added_entries().take(ENTRIES).filter_map(found).max_by_key(|taken| taken.is_certain)
    }
}

/// Returns the path of a listed file or folder. A folder goes with its files.
fn listed_path(text: &str) -> Path<'_> {
    match text.strip_suffix('/') {
        Some(folder) => Path::new(folder).into_folder(),
        None => Path::new(text),
    }
}

/// A search in a folder.
struct Folder<'s, 'a> {
    lists: &'s Lists,
    list: &'a Entries,
    resolve: &'s dyn Fn(&str) -> ResolvedPath,
}

impl<'a> Folder<'_, 'a> {
    fn find_match(&self, folder: &str, entry: &'a Entry) -> Option<Taken<'a>> {
        let (root, pattern) = entry.pattern();
        let path = Path::new(folder);
        let patterns = expand(pattern).unwrap_or_default();
        let is_certain =
            patterns.iter().filter_map(|pattern| self.match_certainty(folder, &path, root, pattern)).max()?;
        Some(Taken { entry: entry.text(), is_certain })
    }

    /// Returns whether a matching file certainly exists below the folder. `None` if no file can match.
    fn match_certainty(&self, folder: &str, path: &Path<'_>, root: Root, pattern: &str) -> Option<bool> {
        let components: Vec<&str> = pattern.split('/').collect();
        let least = usize::from(root != Root::Anywhere);
        let takes = |above: usize| {
            let (before, rest) = components.split_at_checked(above)?;
            let anywhere = if root == Root::Anywhere { "**/" } else { "" };
            let is_folder = || {
                Glob::new(&format!("{anywhere}{}", before.join("/"))).is_ok_and(|glob| path.matches_glob(root, &glob))
            };
            if above > 0 && !is_folder() {
                return None;
            }
            let plain: Vec<&str> = rest.iter().copied().take_while(|name| !name.contains(SPECIAL)).collect();
            let is_whole = plain.len() == rest.len();
            let lead = [&[folder], plain.as_slice()].concat().join("/");
            if (self.resolve)(&lead).exists != Presence::Yes {
                return None;
            }
            let is_listed = || self.lists.covering_entry(self.list, &Path::new(&lead).into_folder(), true).is_some();
            match is_whole {
                true => is_listed().then_some(true),
                // A pattern without a folder matches somewhere in most folders.
                false => (above > 0 || !plain.is_empty()).then_some(false),
            }
        };
        (least..components.len()).rev().filter_map(takes).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entries;

    /// Returns the entries of a list that affect a folder, on a disk with these folders and files.
    fn taken(list: &[&str], folder: &str) -> Option<(String, bool)> {
        const FOLDERS: [&str; 6] =
            ["/repo/db", "/repo/db/migrations", "/repo/svc", "/repo/svc/db", "/srv", "/home/u/a"];
        const FILES: [&str; 4] = ["/repo/db/migrations/1.sql", "/repo/svc/customers.csv", "/srv/keys", "/home/u/a/b"];
        let list = Entries::try_from(list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()).unwrap();
        let lists = Lists::new(Some(list), None, None);
        let resolve = |path: &str| {
            let kind = [("dir", FOLDERS.contains(&path)), ("file", FILES.contains(&path))];
            let kind = kind.into_iter().find(|(_, is_so)| *is_so).map_or("", |(kind, _)| kind);
            let exists = if kind.is_empty() { Presence::No } else { Presence::Yes };
            ResolvedPath { lexical: path.to_owned(), kind: kind.to_owned(), exists, ..ResolvedPath::unresolved(path) }
        };
        let effect = Effect { path: resolve(folder), ..Effect::new("delete", "fs.delete.recursive") };
        lists.secret_within(&effect, &resolve).map(|taken| (taken.entry.to_owned(), taken.is_certain))
    }

    #[test]
    fn a_listed_file_that_exists_goes_with_the_folder() {
        for (entry, folder) in [
            ("db/migrations", "/repo/db"),
            ("db/migrations/", "/repo/db/*"),
            ("./DB/migrations/**", "/repo/db"),
            ("migrations", "/repo/db"),
            ("**/migrations", "/repo/db"),
            ("d?/migrations", "/repo/db"),
            ("{db,sql}/{migrations,schema}", "/repo/db"),
            ("customers.csv", "/repo/svc"),
            ("/srv/keys", "/srv"),
            ("~/a/b", "/home/u/a"),
        ] {
            assert_eq!(taken(&[entry], folder), Some((entry.to_owned(), true)), "{entry} {folder}");
        }
    }

    #[test]
    fn a_pattern_below_the_folder_may_match_a_file() {
        for (entry, folder) in
            [("db/*.sql", "/repo/db"), ("db/mig*", "/repo/svc"), ("db/**/x", "/repo/db"), ("/srv/k*", "/srv")]
        {
            assert_eq!(taken(&[entry], folder), Some((entry.to_owned(), false)), "{entry} {folder}");
        }
    }

    #[test]
    fn other_folders_take_nothing_along() {
        for (list, folder) in [
            (&["db/migrations"][..], "/repo/svc/db"),
            (&["db/migrations"], "/repo/nowhere"),
            (&["customers.csv"], "/repo/db"),
            (&["*.csv"], "/repo/svc"),
            (&["db/schema"], "/repo/db"),
            (&["/db/migrations"], "/repo/db"),
            (&["~/db/migrations"], "/repo/db"),
            (&["db/migrations", "!migrations"], "/repo/db"),
            (&["!db/migrations"], "/repo/db"),
            (&[], "/repo/db"),
        ] {
            assert_eq!(taken(list, folder), None, "{list:?} {folder}");
        }
    }
}
