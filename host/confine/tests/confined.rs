//! Commands under a profile, tested by exit codes and files.
#![cfg(all(target_os = "linux", not(portable)))]
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

#[path = "confined/attacks.rs"]
mod attacks;
#[path = "confined/ordinary.rs"]
mod ordinary;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use guard_confine::{CommandDirs, Ended, Job, Lists, Profile, run, secrets};
use tempfile::TempDir;

/// A home with a project, a folder next to it, and secrets in both.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let world = World { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("home/p/.env", "KEY=secret"),
            ("home/p/src/main.txt", "source"),
            ("home/p/other.txt", "other"),
            ("home/p/named.txt", "named"),
            ("home/p/tree/old.txt", "old"),
            ("home/p/sub/empty.txt", ""),
            ("home/.ssh/id_ed25519", "secret"),
            ("home/notes.txt", "notes"),
            ("out/keep.txt", "keep"),
            ("out/folder/x", ""),
            ("tmp/x", ""),
        ] {
            let path = world.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    /// Runs the words in the project.
    fn run(&self, profile: &Profile, words: &[&str], learn: bool) -> Ended {
        let variable = |name: &str| (name == "TMPDIR").then(|| self.path("tmp").display().to_string());
        let project = self.path("home/p");
        let places = CommandDirs { cwd: project.clone(), project, home: self.path("home"), variable: &variable };
        let hidden = secrets::find(&places, &Lists::default());
        let command: Vec<OsString> = words.iter().map(OsString::from).collect();
        run(&Job { command: &command, places: &places, profile, hidden: &hidden, learn }).unwrap()
    }

    /// Runs a shell script that may write these paths.
    fn shell(&self, write: &[&str], script: &str) -> u8 {
        self.run(&writes(write), &["sh", "-c", script], false).code
    }

    /// Runs a Python script that may write these paths.
    fn python(&self, write: &[&str], script: &str) -> u8 {
        self.run(&writes(write), &["python3", "-c", script], false).code
    }

    /// Returns all files with their content, and links with their targets.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let top = self.folder.path().canonicalize().unwrap();
        let mut waiting = vec![top.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let name = path.strip_prefix(&top).unwrap().display().to_string();
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    files.insert(format!("{name}/"), String::new());
                    waiting.push(path);
                } else if kind.is_symlink() {
                    files.insert(name, format!("-> {}", fs::read_link(path).unwrap().display()));
                } else {
                    files.insert(name, fs::read_to_string(path).unwrap_or_default());
                }
            }
        }
        files
    }

    /// Returns the paths that differ from before, and that no listed path covers.
    fn changed(&self, before: &BTreeMap<String, String>, allowed: &[&str]) -> Vec<String> {
        let after = self.files();
        let names = before.keys().chain(after.keys());
        let differs = |name: &&String| before.get(*name) != after.get(*name);
        let is_allowed = |name: &&String| {
            let path = Path::new(name.as_str()).strip_prefix("home/p").unwrap_or(Path::new(name.as_str()));
            allowed.iter().any(|allowed| path.starts_with(allowed.trim_end_matches('/')))
        };
        names.filter(differs).filter(|name| !is_allowed(name)).cloned().collect()
    }
}

fn writes(paths: &[&str]) -> Profile {
    Profile { write: paths.iter().map(|path| (*path).to_owned()).collect(), ..Profile::default() }
}
