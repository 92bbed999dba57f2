//! Processes that are killed while they copy or restore.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use guard_undo::backup::{COMMAND, Task};
use guard_undo::{Content, How, Loss, Losses, PathLoss, Store};

use super::Repo;

/// The number of kills.
const KILLS: u64 = 60;

const FILES: usize = 200;

fn fill(repo: &Repo) {
    for number in 0..FILES {
        repo.write(&format!("d/{}/{number}", number % 7), &format!("{number}").repeat(3000));
    }
}

/// Returns a time between nothing and a whole run, which differs for each number.
fn moment(number: u64) -> Duration {
    Duration::from_micros(number * 7919 % 60_000)
}

#[test]
fn a_killed_copy_is_in_no_list() {
    let repo = Repo::new();
    fill(&repo);
    let state = repo.world.path(".local/state/guard-host");
    let path = repo.path("d").canonicalize().unwrap().display().to_string();
    let loss = Loss::Path(PathLoss { path, how: How::Delete, is_pattern: false, name: String::new() });
    let task = Task {
        state: state.clone(),
        losses: Losses { list: vec![loss], may_be_more: false },
        left_ms: 20_000,
        max_bytes: 1 << 30,
        exclude: Vec::new(),
        tool: "Bash".to_owned(),
        call: "rm -r d".to_owned(),
        session: "s1".to_owned(),
        project: repo.world.repo().display().to_string(),
    };
    let task = postcard::to_stdvec(&task).unwrap();
    for number in 0..KILLS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_guard-host-tools"));
        command.arg(COMMAND).env_clear().env("HOME", repo.world.home.path()).env("PATH", "/usr/bin:/bin");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&task).unwrap();
        thread::sleep(moment(number));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let store = Store::in_state(&state);
    for manifest in store.list().unwrap() {
        for entry in &manifest.entries {
            let Content::Copy(number) = entry.content else { continue };
            let copy = fs::read(store.copy(&manifest, number)).unwrap();
            assert_eq!(copy, fs::read(&entry.path).unwrap(), "{}", entry.path);
        }
        assert_eq!(manifest.entries.iter().filter(|entry| entry.content != Content::Folder).count(), FILES);
    }
    // Remains are removed when they are old enough.
    let old = SystemTime::now() - Duration::from_secs(120);
    for folder in fs::read_dir(store.folder()).unwrap().flatten() {
        fs::File::open(folder.path()).unwrap().set_modified(old).unwrap();
    }
    store.prune(&Default::default(), 0);
    let folders = fs::read_dir(store.folder()).unwrap().flatten();
    let unlisted = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with(".making")).count();
    assert_eq!(unlisted, 0);
}

#[test]
fn a_killed_restore_leaves_no_half_of_a_file_and_is_finished_by_the_next() {
    let repo = Repo::new();
    fill(&repo);
    repo.write("single", &"s".repeat(1 << 20));
    let before = repo.state();
    repo.bash("rm -r d single");
    for number in 0..KILLS {
        let _ = fs::remove_dir_all(repo.path("d"));
        let _ = fs::remove_file(repo.path("single"));
        let mut child = repo.world.command(&["undo", "--yes"]).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(moment(number));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = repo.state();
        // The folder is restored completely or not at all.
        let restored = now.files.keys().filter(|name| name.starts_with("d/")).count();
        let whole = before.files.keys().filter(|name| name.starts_with("d/")).count();
        assert!(restored == 0 || restored == whole, "{restored} of {whole}");
        for (name, file) in now.files.iter().filter(|(name, _)| !name.contains(".guard-undo-")) {
            assert_eq!(before.files.get(name).map(|(_, content)| content), Some(&file.1), "{name}");
        }
    }
    let _ = fs::remove_dir_all(repo.path("d"));
    assert_eq!(repo.world.run(&["undo", "--yes"], "").exit, 0);
    assert_eq!(repo.state(), before, "a part is left, or a temporary file");
}
