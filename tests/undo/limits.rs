//! Obstacles to a copy: full and read-only disks, many concurrent calls, and its own death. The verdict is always the
//! same.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use guard_state::FileLock;
use guard_undo::Store;

use super::Repo;
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{ProcessOutput, end};
use crate::texts::assert_text;

fn payload(repo: &Repo, command: &str) -> String {
    let cwd = repo.world.repo();
    serde_json::json!({
        "session_id": "s1", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command },
    })
    .to_string()
}

fn state(repo: &Repo) -> PathBuf {
    repo.world.path(".local/state/guard-host")
}

/// Returns the files of folders that aren't backups. A new one may be empty before it is locked.
fn unlisted(repo: &Repo) -> Vec<PathBuf> {
    let folders = fs::read_dir(Store::in_state(&state(repo)).folder()).unwrap().flatten();
    let unlisted = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    unlisted.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten()).map(|file| file.path()).collect()
}

/// Asserts that the unfinished files of a dead process are removed, once no process can have them open.
fn assert_nothing_unlisted_stays(repo: &Repo) {
    thread::sleep(Duration::from_millis(2200));
    assert_eq!(repo.world.run(&["undo", "prune"], "").exit, 0);
    assert_eq!(unlisted(repo), [""; 0].map(PathBuf::from));
}

/// Runs the hook next to a test's second program, which gets the path of the real one as `$TOOLS`.
fn hook_beside(repo: &Repo, script: &str, command: &str) -> ProcessOutput {
    let folder = tempfile::tempdir().unwrap();
    let (hook, tools) = (folder.path().join("guard-host"), folder.path().join("guard-host-tools"));
    fs::copy(env!("CARGO_BIN_EXE_guard-host"), &hook).unwrap();
    let script = format!("#!/bin/sh\nTOOLS='{}'\n{script}\n", env!("CARGO_BIN_EXE_guard-host-tools"));
    fs::write(&tools, script).unwrap();
    fs::set_permissions(&tools, fs::Permissions::from_mode(0o755)).unwrap();
    let mut started = Command::new(&hook);
    started.args(["hook", "claude"]).current_dir(repo.world.repo()).env_clear();
    started.env("HOME", repo.world.home.path()).env("PATH", "/usr/bin:/bin");
    end(started, &payload(repo, command))
}

#[test]
fn the_death_of_the_process_that_copies_changes_no_verdict_and_lists_nothing() {
    let repo = Repo::new();
    for number in 0..200 {
        repo.write(&format!("d/{number}"), &format!("{number}").repeat(4000));
    }
    // The script's shell kills its own child, at another time in each run.
    let mut lost = 0;
    for moment in 0..20 {
        let seconds = format!("0.{:03}", moment * 7 % 140);
        let script = format!(
            "exec 3<&0\n\"$TOOLS\" \"$@\" <&3 &\nchild=$!\nsleep {seconds}\nkill -KILL $child 2>/dev/null\nwait $child 2>/dev/null"
        );
        let ended = hook_beside(&repo, &script, "rm -rf d");
        assert_eq!(ended.decision(), "ask", "{ended:?}");
        let is_kept = ended.reason().contains("guard-host undo");
        lost += usize::from(!is_kept);
    }
    assert!(lost > 0, "no child was killed in time");
    for manifest in Store::in_state(&state(&repo)).list().unwrap() {
        let files = manifest.entries.iter().filter(|entry| entry.size > 0).count();
        assert!(files == 0 || files == 200, "{files} files of 200");
    }
    assert_nothing_unlisted_stays(&repo);
}

/// Runs the hook with the copies' folder on a small separate file system, after `prepare`.
fn hook_on_own_disk(repo: &Repo, prepare: &str, command: &str) -> ProcessOutput {
    let undo = state(repo).join("undo");
    fs::create_dir_all(&undo).unwrap();
    fs::set_permissions(&undo, fs::Permissions::from_mode(0o700)).unwrap();
    let script =
        format!("mount -t tmpfs -o size=64k,mode=700 none \"$UNDO\" && {prepare} && exec \"$HOOK\" hook claude");
    let mut started = Command::new("unshare");
    started.args(["--mount", "sh", "-c", &script]).current_dir(repo.world.repo());
    started.env_clear().env("HOME", repo.world.home.path()).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    started.env("UNDO", &undo).env("HOOK", Path::new(env!("CARGO_BIN_EXE_guard-host")));
    end(started, &payload(repo, command))
}

#[test]
#[ignore = "needs mounts"]
fn on_a_full_and_on_a_read_only_disk_the_verdict_is_the_same() {
    let repo = Repo::new();
    repo.write("build/x", &"x".repeat(1 << 20));
    let mut told = Transcript::default();
    for prepare in ["true", "{ cat /dev/zero > \"$UNDO/filler\" 2>/dev/null; true; }", "mount -o remount,ro \"$UNDO\""]
    {
        told.ask(&repo.world, &hook_on_own_disk(&repo, prepare, "rm -rf build"), &[]);
        assert_eq!(hook_on_own_disk(&repo, prepare, "rm -rf /").decision(), "deny", "{prepare}");
    }
    assert_text!("undo_no_room", told.0);
    // With `instead-of-ask`, the prompt remains if no copy could be made.
    repo.world.configure("[undo]\nmax-ms = 1500\ninstead-of-ask = true\n");
    assert_eq!(hook_on_own_disk(&repo, "true", "rm -rf build").decision(), "ask");
}

/// Returns the replies of 200 concurrent hooks to a call. Each reads its payload from a file, so that none waits for
/// another.
fn ask_200(repo: &Repo, command: &str) -> Vec<ProcessOutput> {
    let file = repo.world.path("payload.json");
    fs::write(&file, payload(repo, command)).unwrap();
    thread::scope(|scope| {
        let call = || {
            let mut hook = Command::new(env!("CARGO_BIN_EXE_guard-host"));
            hook.args(["hook", "claude"]).current_dir(repo.world.repo()).env_clear();
            hook.env("HOME", repo.world.home.path()).env("PATH", "/usr/bin:/bin");
            let output = hook.stdin(fs::File::open(&file).unwrap()).output().unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            ProcessOutput {
                exit: output.status.code().unwrap(),
                stdout: text(output.stdout),
                stderr: text(output.stderr),
            }
        };
        let calls: Vec<_> = (0..200).map(|_| scope.spawn(call)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

#[test]
fn many_calls_at_once_have_the_verdict_that_they_have_without_undo_and_no_copy_is_half() {
    let repo = Repo::new();
    repo.write("build/x", "x");
    repo.write("build/y", "y");
    // Once before, so that everything is compiled.
    assert_eq!(repo.bash("rm -rf build").decision(), "ask");
    for (command, expected) in [("rm -rf build", "ask"), ("echo z > build/x", "")] {
        // On a machine that is busy with other tests, a hook can be late with or without a copy, and never lets a call
        // run.
        let is_late = |reply: &ProcessOutput| reply.stdout.contains("no verdict in time");
        let replies = ask_200(&repo, command);
        let in_time: Vec<&ProcessOutput> = replies.iter().filter(|reply| !is_late(reply)).collect();
        for reply in &in_time {
            assert_eq!(reply.decision(), expected, "{reply:?}");
        }
        eprintln!("{command}: {} of 200 verdicts in time", in_time.len());
    }
    let listed = Store::in_state(&state(&repo)).list().unwrap();
    for manifest in &listed {
        let files = manifest.entries.iter().filter(|entry| entry.size > 0).count();
        assert!(files <= 2 && (files != 1 || manifest.call.starts_with("echo")), "{manifest:?}");
    }
    eprintln!("{} of 401 calls have a copy in time", listed.iter().filter(|manifest| manifest.bytes > 0).count());
    assert_nothing_unlisted_stays(&repo);
}

#[test]
fn a_process_that_hangs_while_it_copies_changes_no_verdict() {
    let repo = Repo::new();
    repo.write("notes.txt", "notes");
    repo.write("build/x", "x");
    repo.world.configure("[undo]\nmax-ms = 100\n");
    let started = Instant::now();
    let ended = hook_beside(&repo, "exec sleep 20", "echo x > notes.txt");
    assert!(ended.is_silent(), "{ended:?}");
    let ended = hook_beside(&repo, "exec sleep 20", "rm -rf build");
    assert_text!("undo_too_slow", normalize(&repo.world, &ended.reason()));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_few_copies_are_made_at_a_time_and_others_say_so() {
    let repo = Repo::new();
    repo.write("build/x", "x");
    repo.bash("rm -rf build");
    repo.world.configure("[undo]\nmax-ms = 20\n");
    let folder = Store::in_state(&state(&repo)).folder();
    let until = Instant::now() + Duration::from_secs(5);
    let slots: Vec<FileLock> =
        (0..4).map(|slot| FileLock::acquire(&folder.join(format!("slot-{slot}")), until).unwrap()).collect();
    let ended = repo.world.hook(&payload(&repo, "rm -rf build"));
    assert_text!("undo_at_once", normalize(&repo.world, &ended.reason()));
    drop(slots);
    repo.world.configure("[undo]\nmax-ms = 1500\n");
    assert!(repo.bash("rm -rf build").reason().contains("guard-host undo"));
}
