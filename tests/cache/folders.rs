//! Folders that others can write to, and folders that this user can't read or write.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{NOBODY, answers, change_mode, is_answer, is_root, prepared};
use crate::support::guests::chain;
use crate::support::texts::normalize;
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// The folders that the hook depends on.
const FOLDERS: [&str; 3] = [".cache/guard-host", ".cache/guard-host/artifacts", ".local/state/guard-host"];

/// Asserts that the folder is rejected, and the reply names it.
fn is_refused(world: &World, folder: &Path) {
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    let text = format!("cannot use the folder `{}`", folder.display());
    assert!(ended.reason().contains(&text), "not in the reason: {text}\n{}", ended.reason());
}

#[test]
fn a_folder_that_others_can_write_to_is_not_used_for_a_new_chain() {
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = World::new();
        chain(&world, &["shell"], "");
        change_mode(&world.path(folder), 0o770);
        is_refused(&world, &world.path(folder));
        change_mode(&world.path(folder), 0o700);
        answers(&world);
    }
}

#[test]
fn a_folder_that_others_can_write_to_is_not_used_for_a_prepared_chain() {
    // Anyone with write access to the folder can swap the file between the check of its stamp and the mapping.
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = prepared();
        change_mode(&world.path(folder), 0o770);
        is_refused(&world, &world.path(folder));
    }
}

#[test]
#[ignore = "needs root"]
fn a_folder_of_another_user_is_not_used() {
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = World::new();
        chain(&world, &["shell"], "");
        std::os::unix::fs::chown(world.path(folder), Some(NOBODY), None).unwrap();
        is_refused(&world, &world.path(folder));
    }
}

#[test]
fn a_folder_behind_a_link_is_not_used() {
    for folder in [".cache/guard-host", ".cache/guard-host/artifacts"] {
        let world = World::new();
        chain(&world, &["shell"], "");
        let (path, moved) = (world.path(folder), world.path("moved"));
        fs::rename(&path, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &path).unwrap();
        is_refused(&world, &path);
    }
}

/// A world whose file modes apply to the user that runs the program. They don't apply to root, so it switches to
/// another user.
struct UserBoundWorld {
    world: World,
    program: Option<PathBuf>,
}

impl UserBoundWorld {
    fn new(world: World) -> Self {
        if !is_root() {
            return UserBoundWorld { world, program: None };
        }
        let program = world.path("guard-host");
        fs::copy(env!("CARGO_BIN_EXE_guard-host"), &program).unwrap();
        let given = Command::new("chown").args(["-R", &NOBODY.to_string()]).arg(world.home.path()).status();
        let bound = UserBoundWorld { world, program: Some(program) };
        assert!(given.unwrap().success(), "root can't give files away here");
        let tried = bound.command(&["hook", "--help"]).output().unwrap();
        assert!(tried.status.success(), "root can't become another user here: {tried:?}");
        bound
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let Some(program) = &self.program else { return self.world.command(arguments) };
        let mut command = Command::new("setpriv");
        let user = NOBODY.to_string();
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"]).arg(program).args(arguments);
        command.current_dir(self.world.repo()).env_clear().env("HOME", self.world.home.path());
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    fn bash(&self, command: &str) -> ProcessOutput {
        let payload = serde_json::json!({
            "session_id": "s1", "cwd": self.world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command },
        });
        end(self.command(&["hook", "claude"]), &payload.to_string())
    }

    /// Sets the mode during `body`, and then restores it, so that the world can be removed.
    fn with_mode(&self, below_home: &str, mode: u32, body: impl FnOnce()) {
        let path = self.world.path(below_home);
        let old = fs::metadata(&path).unwrap().mode();
        change_mode(&path, mode);
        body();
        change_mode(&path, old);
    }
}

#[test]
fn a_state_folder_that_cannot_be_read_is_a_fault_of_every_policy() {
    let world = World::new();
    chain(&world, &["shell", "denies"], "on-error = \"deny\"");
    let bound = UserBoundWorld::new(world);
    is_answer(&bound.bash("ls -la"));
    for mode in [0o000, 0o600] {
        bound.with_mode(".local/state/guard-host", mode, || {
            let ended = bound.bash("ls -la");
            assert_eq!(ended.decision(), "deny", "{mode:o}: {ended:?}");
            assert_text!("cache_no_state", normalize(&bound.world, &ended.reason()));
        });
    }
    is_answer(&bound.bash("ls -la"));
}

#[test]
fn a_key_that_cannot_be_read_never_ends_in_silence() {
    let world = World::new();
    chain(&world, &["shell"], "");
    let bound = UserBoundWorld::new(world);
    is_answer(&bound.bash("ls -la"));
    bound.with_mode(".local/state/guard-host/mac.key", 0o000, || {
        let ended = bound.bash("ls -la");
        assert_eq!(ended.decision(), "ask", "{ended:?}");
    });
}

#[test]
fn a_cache_that_cannot_be_read_never_ends_in_silence() {
    for folder in FOLDERS {
        let world = World::new();
        chain(&world, &["shell"], "");
        let bound = UserBoundWorld::new(world);
        bound.with_mode(folder, 0o000, || {
            let ended = bound.bash("ls -la");
            assert_eq!(ended.decision(), "ask", "{folder}: {ended:?}");
        });
    }
}

#[test]
fn a_home_that_cannot_be_written_gives_a_question_when_nothing_is_prepared() {
    let world = World::new();
    chain(&world, &["shell"], "");
    for made in [".cache", ".local"] {
        let _ = fs::remove_dir_all(world.path(made));
    }
    let bound = UserBoundWorld::new(world);
    bound.with_mode("", 0o555, || {
        let ended = bound.bash("ls -la");
        assert_eq!(ended.decision(), "ask", "{ended:?}");
        assert_text!("cache_no_folder", normalize(&bound.world, &ended.reason()));
    });
}

#[test]
fn a_home_that_cannot_be_written_is_enough_for_a_prepared_chain() {
    let world = World::new();
    chain(&world, &["shell", "denies"], "");
    let bound = UserBoundWorld::new(world);
    is_answer(&bound.bash("ls -la"));
    let folders = [
        "",
        ".local",
        ".local/state",
        ".local/state/guard-host",
        ".cache",
        ".cache/guard-host",
        ".cache/guard-host/chains",
        ".cache/guard-host/artifacts",
    ];
    for folder in folders {
        change_mode(&bound.world.path(folder), 0o500);
    }
    is_answer(&bound.bash("ls -la"));
    assert_eq!(bound.bash("rm -rf /").decision(), "deny");
    for folder in folders {
        change_mode(&bound.world.path(folder), 0o700);
    }
}

#[test]
fn a_pipe_in_place_of_a_file_holds_no_command_up() {
    let chain = |world: &World| super::chain_file(world);
    let key = |world: &World| world.path(".local/state/guard-host/mac.key");
    let record = |world: &World| super::cached(world, "shell", "json");
    let lock = |world: &World| super::cached(world, "shell", "lock");
    let places: [&dyn Fn(&World) -> PathBuf; 4] = [&chain, &key, &record, &lock];
    for place in places {
        let world = prepared();
        let path = place(&world);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        // It ends, with an answer or an error.
        let _ = world.run(&["check", "ls -la"], "");
    }
}
