//! [`changed_paths`] finds the tracked files that differ from the index.
//!
//! Nearly all of the time is spent in the kernel, in one `fstatat` for each file. A path relative to an open folder
//! takes two thirds of the time of an absolute one, and the files are divided among the processors.

#[cfg(unix)]
#[path = "stamps/open.rs"]
mod looker;
#[cfg(not(unix))]
#[path = "stamps/plain.rs"]
mod looker;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::gather::SkipReason;
use crate::index::{EntryLocation, Index};
use looker::StampReader;

/// The number of files between two checks of the deadline.
const BLOCK: usize = 1000;

/// The maximum number of threads.
const THREADS: usize = 4;

/// Returns the paths of these entries whose files differ from the index, or that are replaced by something else, also
/// in a parent folder.
pub(crate) fn changed_paths(
    index: &Index,
    root: &Path,
    slots: &[EntryLocation],
    until: Instant,
) -> Result<BTreeSet<PathBuf>, SkipReason> {
    let next = AtomicUsize::new(0);
    let look = || -> Result<BTreeSet<PathBuf>, SkipReason> {
        let mut looker = StampReader::new(index, root)?;
        loop {
            if Instant::now() >= until {
                return Err(SkipReason::TooLong);
            }
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            let Some(rest) = slots.get(start..).filter(|rest| !rest.is_empty()) else { return Ok(looker.found) };
            for tracked in index.entries(rest.get(..BLOCK).unwrap_or(rest)) {
                looker.check_file(&tracked)?;
            }
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let others = processors.min(THREADS).min(slots.len() / BLOCK).saturating_sub(1);
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, look).ok();
        let others: Vec<_> = (0..others).map_while(start).collect();
        // If no thread can be started, this one does all the work.
        let mut found = look()?;
        for other in others {
            found.append(&mut other.join().unwrap_or_else(|_| Err(skip_reason("a thread ended without an answer")))?);
        }
        Ok(found)
    })
}

fn skip_reason(why: impl ToString) -> SkipReason {
    SkipReason::Failed(why.to_string())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    struct World {
        folder: tempfile::TempDir,
    }

    impl World {
        /// Creates a repository with these files, all as in the index.
        fn new(names: &[String]) -> Self {
            let world = World { folder: tempfile::tempdir().unwrap() };
            for name in names {
                let path = world.root().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, name).unwrap();
            }
            thread::sleep(Duration::from_millis(30));
            for arguments in [&["init", "-q"][..], &["add", "."]] {
                let ran = Command::new("git").arg("-C").arg(world.root()).args(arguments).output().unwrap();
                assert!(ran.status.success(), "{ran:?}");
            }
            world
        }

        fn root(&self) -> &Path {
            self.folder.path()
        }

        /// Returns the paths that differ from the index.
        fn changed(&self) -> Vec<String> {
            let index = Index::read(&self.root().join(".git/index")).unwrap();
            let until = Instant::now() + Duration::from_secs(60);
            let found = changed_paths(&index, self.root(), index.slots(), until).unwrap();
            found.iter().map(|path| path.strip_prefix(self.root()).unwrap().display().to_string()).collect()
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn changed_files_are_found_in_every_block_and_folder() {
        let all: Vec<String> = (0..4500).map(|number| format!("d{}/e{}/{number}", number % 7, number % 90)).collect();
        let world = World::new(&all);
        assert!(world.changed().is_empty());
        let mut wanted = names(&[&all[0], &all[999], &all[1000], &all[2718], &all[4499]]);
        for name in &wanted {
            fs::write(world.root().join(name), "another text").unwrap();
        }
        wanted.sort();
        assert_eq!(world.changed(), wanted);
    }

    #[test]
    fn folders_that_are_gone_or_replaced_hide_no_others() {
        let world = World::new(&names(&["a/x/1", "a/x/2", "a-b/1", "b/1", "b/c/2", "c/d/3", "d/1", "e"]));
        let at = |name: &str| world.root().join(name);
        fs::remove_dir_all(at("a/x")).unwrap();
        fs::rename(at("b"), at("elsewhere")).unwrap();
        fs::write(at("elsewhere/1"), "changed behind a link").unwrap();
        symlink("elsewhere", at("b")).unwrap();
        fs::remove_dir_all(at("c")).unwrap();
        fs::write(at("c"), "a file").unwrap();
        for name in ["a-b/1", "d/1"] {
            fs::write(at(name), "changed").unwrap();
        }
        fs::remove_file(at("e")).unwrap();
        fs::create_dir(at("e")).unwrap();
        // The target of a link isn't a file of the repository.
        assert_eq!(world.changed(), ["a-b/1", "b", "c", "d/1", "e"]);
    }

    #[test]
    fn a_path_that_leads_out_of_the_work_tree_is_not_followed() {
        let world = World::new(&names(&["aa/file"]));
        let file = world.root().join(".git/index");
        let mut bytes = fs::read(&file).unwrap();
        let place = bytes.windows(7).position(|part| part == b"aa/file").unwrap();
        bytes[place..place + 2].copy_from_slice(b"..");
        fs::write(&file, bytes).unwrap();
        let index = Index::read(&file).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        assert!(matches!(changed_paths(&index, world.root(), index.slots(), until), Err(SkipReason::Failed(_))));
    }

    #[test]
    fn no_time_is_an_error() {
        let world = World::new(&names(&["a"]));
        let index = Index::read(&world.root().join(".git/index")).unwrap();
        assert_eq!(changed_paths(&index, world.root(), index.slots(), Instant::now()), Err(SkipReason::TooLong));
    }
}
