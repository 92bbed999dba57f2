//! Helpers for native tests of policies: the analyzer with its readers, as a call has them, and [verdict
//! tables](tables).

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

pub mod tables;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::resolve::{self, Disk, Entry, LIST, listed_paths};
use guard_sdk::syntax::Analysis;
use guard_shell::Source;

thread_local! {
    static FILES: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Analyses one text, as `guard_shell::analyze` does with the reader of scripts. There are no files.
#[must_use]
pub fn analyze(source: &str, dialect: &str, cwd: &str, home: &str) -> Analysis {
    guard_shell::analyze(source, dialect, cwd, home, guard_script_effects::read, file)
}

/// The same for text of bash, where these files are on the machine: texts by absolute path.
#[must_use]
pub fn analyze_among(files: &BTreeMap<String, String>, source: &str, cwd: &str, home: &str) -> Analysis {
    analyze_in(files, source, "bash", cwd, home)
}

/// The same for text of any dialect.
#[must_use]
pub fn analyze_in(files: &BTreeMap<String, String>, source: &str, dialect: &str, cwd: &str, home: &str) -> Analysis {
    FILES.set(files.clone());
    let analysis = analyze(source, dialect, cwd, home);
    FILES.take();
    analysis
}

/// The files as a disk.
struct Files<'a>(&'a BTreeMap<String, String>);

impl Disk for Files<'_> {
    fn entry(&self, path: &str) -> Entry {
        resolve::entry(path, self.0, &BTreeMap::new(), &BTreeSet::new())
    }

    fn read_head(&self, path: &str, _: usize) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn names(&self, folder: &str, _: usize) -> Option<Vec<String>> {
        resolve::names(folder, self.0, &BTreeMap::new(), [])
    }
}

fn file(path: &str) -> Source {
    let is_program = |text: &&String| text.starts_with("\u{7f}ELF");
    FILES.with_borrow(|files| match path.strip_prefix(LIST) {
        Some(pattern) => list(pattern, &Files(files)),
        None => {
            files.get(path).filter(|text| !is_program(text)).map_or(Source::None, |text| Source::Text(text.clone()))
        }
    })
}

fn list(pattern: &str, files: &Files<'_>) -> Source {
    Source::Text(listed_paths(pattern, &resolve::held(files, pattern).unwrap_or_default()))
}
