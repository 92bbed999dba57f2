//! The names of harnesses that people type, and `self uninstall`: what is left on a machine, and what is removed after
//! a yes.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{SETTINGS, done, read};
use crate::support::terminal::attended_by;
use crate::support::texts::Transcript;
use crate::support::world::{World, end};
use crate::texts::assert_text;

const PROGRAM: &str = env!("CARGO_BIN_EXE_guard-host");

#[test]
fn a_harness_is_known_by_the_name_of_its_vendor() {
    for (typed, meant) in [
        ("claude-code", "claude"),
        ("Claude Code", "claude"),
        ("claude_code", "claude"),
        ("ClaudeCode", "claude"),
        ("gemini-cli", "gemini"),
        ("qwen-code", "qwen"),
        ("copilot-cli", "copilot"),
        ("factory-droid", "droid"),
    ] {
        let world = World::new();
        let [typed, meant] = [typed, meant].map(|name| done(&world, &["install", name, "--dry-run"]).stdout);
        assert_eq!(typed, meant);
    }
}

#[test]
fn a_name_that_is_nearly_one_is_named_and_another_is_not_guessed() {
    let world = World::new();
    for (typed, hint) in [
        ("cluade", "did you mean `claude`?"),
        ("cladue", "did you mean `claude`?"),
        ("codx", "did you mean `codex`?"),
        ("opncode", "did you mean `opencode`?"),
        ("ClaudCode", "did you mean `claude`?"),
        ("claude-cod", "did you mean `claude`?"),
        ("foo", "known harnesses: "),
        ("aider", "known harnesses: "),
    ] {
        for command in ["install", "uninstall", "doctor"] {
            let ended = world.run(&[command, typed], "");
            assert!(ended.exit == 64 && ended.stderr.contains(hint), "{command} {typed}: {ended:?}");
        }
    }
    assert!(!world.path(SETTINGS).exists());
}

/// Creates a world with a registration, whose configuration folder is only accessible to the user, as with `config
/// init`.
fn installed() -> World {
    let world = World::new();
    world.write(SETTINGS, "{ \"model\": \"x\" }\n");
    done(&world, &["install", "claude"]);
    world.configure("preset = \"standard\"\n");
    fs::set_permissions(world.path(".config/guard-host"), fs::Permissions::from_mode(0o700)).unwrap();
    world
}

const FOLDERS: [&str; 3] = [".config/guard-host", ".local/state/guard-host", ".cache/guard-host"];

#[test]
fn what_is_left_is_listed_and_nothing_is_removed() {
    let world = installed();
    let before = read(&world, SETTINGS);
    let mut told = Transcript::default();
    told.add(&world, 0, &world.run(&["self", "uninstall"], ""));
    assert!(FOLDERS.iter().all(|folder| world.path(folder).exists()) && read(&world, SETTINGS) == before);
    // Without a person, nothing is removed.
    told.add(&world, 77, &world.run(&["self", "uninstall", "--purge"], "y\n"));
    assert_text!("self_uninstall", told.0);
    assert!(FOLDERS.iter().all(|folder| world.path(folder).exists()) && read(&world, SETTINGS) == before);
}

#[test]
fn a_yes_removes_registrations_and_folders_and_a_no_nothing() {
    let world = installed();
    let no = attended_by(&world, PROGRAM, &["self", "uninstall", "--purge"], "n\n");
    let mut told = Transcript::default();
    told.add(&world, 0, &no);
    assert!(FOLDERS.iter().all(|folder| world.path(folder).exists()));
    let yes = attended_by(&world, PROGRAM, &["self", "uninstall", "--purge"], "y\n");
    told.add(&world, 0, &yes);
    assert_text!("self_uninstall_answers", told.0);
    assert!(FOLDERS.iter().all(|folder| !world.path(folder).exists()), "{yes:?}");
    assert_eq!(read(&world, SETTINGS), "{ \"model\": \"x\" }\n");
}

#[test]
fn a_folder_of_another_name_stays() {
    let world = installed();
    let state = world.path("mine");
    fs::create_dir(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    world.write("mine/thesis.txt", "text");
    let arguments = ["--state", state.to_str().unwrap(), "self", "uninstall", "--purge"];
    let ended = attended_by(&world, PROGRAM, &arguments, "y\n");
    assert_text!("self_uninstall_other_folder", &world, 69, ended);
    assert_eq!(read(&world, "mine/thesis.txt"), "text");
}

#[test]
fn a_registration_of_another_project_is_named_with_the_command_that_removes_it() {
    let world = installed();
    let other = world.path("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.current_dir(&other);
        end(command, "")
    };
    assert_eq!(run(&["install", "claude", "--shared"]).exit, 0);
    let uninstall = ["uninstall", "claude", "--scope", "project", "--shared"];
    let command = format!("cd {} && guard-host {}", other.display(), uninstall.join(" "));
    let listed = world.run(&["self", "uninstall"], "").stdout;
    assert!(listed.contains(&format!("(remove: {command})")), "{listed}");
    let yes = attended_by(&world, PROGRAM, &["self", "uninstall", "--purge"], "y\n");
    let left = format!("a registration of a project is left; remove it with `{command}`");
    assert!(yes.exit == 69 && yes.stdout.contains(&left), "{yes:?}");
    assert_eq!(run(&uninstall).exit, 0);
    let settings = fs::read_to_string(other.join(".claude/settings.json")).unwrap_or_default();
    assert!(!settings.contains("guard-host"), "{settings}");
    // A second run has nothing to remove, and says so.
    let again = run(&uninstall);
    assert!(again.exit == 0 && again.stderr.contains("has no registration in this place"), "{again:?}");
}
