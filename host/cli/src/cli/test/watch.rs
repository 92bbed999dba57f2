//! `guard-host test --watch`: runs the cases again each time one of their files changes.
//!
//! The files are checked several times a second. Ends with the process, or with a broken pipe.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::{CHAIN, run_once};
use crate::cli::args::TestArgs;
use crate::cli::print;
use crate::cli::subject::call_context;
use guard_contract::exit::Exit;
use guard_kit::suite;
use guard_platform::fs::identity;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The interval between two checks.
const PAUSE: Duration = Duration::from_millis(200);

/// The minimum ratio of an interval to the duration of a check, so that many files don't keep a processor busy.
const PAUSE_PER_LOOK: u32 = 10;

/// The maximum number of files that are checked.
const FILES: usize = 4096;

/// The maximum number of checks for whether a change is complete, before a run starts anyway.
const LOOKS: usize = 10;

/// The state of a file, for comparison. `None` if it doesn't exist. A folder has only one state.
type Stamp = Option<(SystemTime, u64, u64)>;

pub(super) fn run(args: &TestArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let watched = Watched { args, dirs, environment };
    loop {
        // Changes during the run are detected after it.
        let files = watched.input_files();
        let before = watched.stat_files(&files);
        match run_once(args, dirs, environment) {
            Err(error) if print::is_broken_pipe(&error) => return Err(error),
            Err(error) => print::error(&error),
            Ok(_) => {}
        }
        if before.len() == FILES {
            print::note(&format!("warning: only {FILES} files are watched"));
        }
        // Also printed with `--quiet`, because it shows that the run is over.
        print::problem("waiting for changes");
        watched.wait(&files, before);
        print::clear()?;
    }
}

struct Watched<'a> {
    args: &'a TestArgs,
    dirs: &'a AppDirs,
    environment: &'a Environment,
}

impl Watched<'_> {
    /// Returns the files that a run reads, except the cases and settings.
    fn input_files(&self) -> BTreeSet<PathBuf> {
        let cwd = &*native(&self.environment.cwd);
        match self.args.policy.as_str() {
            CHAIN => {
                let projects = call_context(self.environment, None).projects();
                guard_config::load(self.dirs, &projects).inputs.into_iter().collect()
            }
            // The name of a built-in policy is a file that doesn't exist.
            name => BTreeSet::from([cwd.join(name)]),
        }
    }

    /// Returns the state of these files, of the settings and of the cases.
    fn stat_files(&self, named: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, Stamp> {
        let cwd = &*native(&self.environment.cwd);
        let settings = self.args.settings_file.iter().flat_map(|file| guard_config::files_of(&cwd.join(file)));
        let fixtures = self.args.fixtures.iter().map(|fixture| cwd.join(fixture));
        // A run reports a folder that can't be read. Here, it is watched until it can.
        let cases = fixtures.flat_map(|path| {
            let tests = suite::find_tests(&path).unwrap_or_default();
            suite::find(&path).unwrap_or_default().into_iter().chain(tests).chain([path])
        });
        named
            .iter()
            .cloned()
            .chain(settings)
            .chain(cases)
            .take(FILES)
            .map(|path| {
                let stamp = stamp(&path);
                (path, stamp)
            })
            .collect()
    }

    /// Waits until something changes, and then until it no longer does.
    fn wait(&self, named: &BTreeSet<PathBuf>, before: BTreeMap<PathBuf, Stamp>) {
        let mut last = before.clone();
        let mut changes = 0;
        loop {
            let started = Instant::now();
            let now = self.stat_files(named);
            let is_still = now == last;
            if now != before {
                changes += 1;
                if is_still || changes > LOOKS {
                    return;
                }
            }
            last = now;
            thread::sleep(PAUSE.max(started.elapsed() * PAUSE_PER_LOOK));
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let data = fs::metadata(path).ok()?;
    if data.is_dir() {
        return Some((SystemTime::UNIX_EPOCH, 0, 0));
    }
    Some((data.modified().ok()?, data.len(), identity(path, &data).ok()?.ino))
}
