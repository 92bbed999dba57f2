//! Lists and removes the contents of the cache folder.
//!
//! Only affects regular files in the two folders, follows no links, and doesn't touch locks.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::artifact;
use super::folders;
use super::snapshot;
use guard_state::Seal;

/// One file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedFile {
    /// `artifact`, `snapshot`, `record`, `chain`, or `leftover`.
    pub kind: &'static str,
    /// The policy of an artifact or a record, if it is known.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its creation time.
    pub made: SystemTime,
}

/// The files that were removed.
#[derive(Debug, Default)]
pub struct RemovedFiles {
    /// The number of files.
    pub files: usize,
    /// Their total size.
    pub bytes: u64,
    /// The files that could not be removed, with their errors.
    pub failed: Vec<(PathBuf, io::Error)>,
}

/// Lists every file of a cache folder, sorted by path. Without the key, policies' names aren't known.
#[must_use]
pub fn stored(cache: &Path, seal: Option<&Seal>) -> Vec<CachedFile> {
    let mut found = Vec::new();
    for folder in [folders::artifacts(cache), folders::chains(cache)] {
        // A link instead of the folder leads to files that don't belong to the cache.
        if !fs::symlink_metadata(&folder).is_ok_and(|data| data.is_dir()) {
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Some(data) = entry.metadata().ok().filter(fs::Metadata::is_file) else { continue };
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let of_snapshot = path.file_stem().is_some_and(|stem| snapshot::is_snapshot(&stem.to_string_lossy()));
            let kind = match extension {
                "lock" => continue,
                _ if entry.file_name().as_encoded_bytes().starts_with(b".") => "leftover",
                "cwasm" if of_snapshot => "snapshot",
                "cwasm" | "scripts" => "artifact",
                "chain" => "chain",
                "json" => "record",
                _ => "leftover",
            };
            let named = if of_snapshot { snapshot::named } else { artifact::named };
            let record = || named(seal?, &path.with_extension("json"));
            let name = if matches!(kind, "artifact" | "snapshot" | "record") { record() } else { None };
            let made = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(CachedFile { kind, name: name.unwrap_or_default(), path, bytes: data.len(), made });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Removes the files of a cache folder, or only those created before a time.
#[must_use]
pub fn clear(cache: &Path, before: Option<SystemTime>) -> RemovedFiles {
    let mut cleared = RemovedFiles::default();
    for one in stored(cache, None).into_iter().filter(|one| before.is_none_or(|before| one.made < before)) {
        match fs::remove_file(&one.path) {
            Ok(()) => {
                cleared.files += 1;
                cleared.bytes += one.bytes;
            }
            // Another process has removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => cleared.failed.push((one.path, error)),
        }
    }
    cleared
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn cache() -> tempfile::TempDir {
        let cache = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("artifacts/a-1.cwasm", "12345"),
            ("artifacts/a-1.json", "{}"),
            ("artifacts/a-1.lock", ""),
            ("artifacts/.a.tmp", "x"),
            ("chains/c.chain", "{}"),
            ("mine.txt", "x"),
        ] {
            let path = cache.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        cache
    }

    #[test]
    fn what_is_there_is_listed_with_its_size() {
        let cache = cache();
        let kinds: Vec<_> = stored(cache.path(), None).into_iter().map(|one| (one.kind, one.bytes)).collect();
        assert_eq!(kinds, [("leftover", 1), ("artifact", 5), ("record", 2), ("chain", 2)]);
        assert!(stored(&cache.path().join("none"), None).is_empty());
    }

    #[test]
    fn what_is_removed_is_that_and_nothing_else() {
        let cache = cache();
        assert_eq!(clear(cache.path(), Some(SystemTime::now() - Duration::from_secs(3600))).files, 0);
        let cleared = clear(cache.path(), None);
        assert_eq!((cleared.files, cleared.bytes, cleared.failed.len()), (4, 10, 0));
        assert!(cache.path().join("mine.txt").exists() && cache.path().join("artifacts/a-1.lock").exists());
        assert!(stored(cache.path(), None).is_empty());
    }

    #[test]
    fn a_link_is_not_followed() {
        let (cache, other) = (tempfile::tempdir().unwrap(), cache());
        std::os::unix::fs::symlink(other.path().join("artifacts"), cache.path().join("artifacts")).unwrap();
        assert_eq!(clear(cache.path(), None).files, 0);
        assert!(other.path().join("artifacts/a-1.cwasm").exists());
    }
}
