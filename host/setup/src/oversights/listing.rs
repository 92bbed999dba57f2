//! [`Listing`]: the files and folders of a project, for patterns that match none of them.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use super::FILES;

/// The maximum number of files and folders in a listing.
const FILES_BELOW: usize = 5000;

/// Folders that usually contain no files of the project itself.
pub(super) const UNLIKELY: [&str; 6] = [".git", "node_modules", "target", "vendor", ".venv", "dist"];

/// The paths below a folder, those nearest to it first.
pub(super) struct Listing {
    paths: Vec<String>,
    is_complete: bool,
}

/// The result of a search through a listing.
pub(super) enum Search<'a> {
    Found(&'a str),
    Nothing,
    /// There are more files than are listed.
    Unfinished,
}

impl Listing {
    pub(super) fn new(root: &Path) -> Self {
        let mut left = VecDeque::from([(root.to_path_buf(), String::new())]);
        let mut paths = Vec::new();
        while let Some((folder, above)) = left.pop_front() {
            let mut names: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES).collect();
            names.sort_by_key(fs::DirEntry::file_name);
            for entry in names {
                let Ok(own) = entry.file_name().into_string() else { continue };
                if paths.len() == FILES_BELOW {
                    return Listing { paths, is_complete: false };
                }
                let path = format!("{above}{own}");
                if !UNLIKELY.contains(&own.as_str()) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    left.push_back((entry.path(), format!("{path}/")));
                }
                paths.push(path);
            }
        }
        Listing { paths, is_complete: true }
    }

    /// Returns the first matching path.
    pub(super) fn find(&self, fits: impl Fn(&str) -> bool) -> Search<'_> {
        match self.paths.iter().find(|path| fits(path)) {
            Some(path) => Search::Found(path),
            None if self.is_complete => Search::Nothing,
            None => Search::Unfinished,
        }
    }

    /// Returns the last components of the paths.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.rsplit('/').next().unwrap_or_default())
    }
}
