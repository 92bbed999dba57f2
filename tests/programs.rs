//! The two programs: a hook without dependencies, and the commands next to it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::process::{Pid, Signal, kill_process};

use crate::support::guests;
use crate::support::reply::{assert_ask, assert_deny};
use crate::support::texts::normalize;
use crate::support::world::{PATIENCE, ProcessOutput, World, end};
use crate::texts::assert_text;

const HOOK: &str = env!("CARGO_BIN_EXE_guard-host");
const TOOLS: &str = env!("CARGO_BIN_EXE_guard-host-tools");
const REMOVAL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#;

/// Copies the hook without the program next to it.
fn alone(world: &World) -> PathBuf {
    let program = world.path("bin/guard-host");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    // Copied by another process: a file that this process has open for writing can't be started.
    assert!(Command::new("cp").arg(HOOK).arg(&program).status().unwrap().success());
    program
}

fn run(program: &Path, world: &World, arguments: &[&str], input: &str) -> ProcessOutput {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    end(command, input)
}

#[test]
fn the_first_calls_of_a_fresh_home_are_denied_one_after_the_other() {
    let world = World::new();
    for _ in 0..20 {
        assert_deny(&world.run(&["hook", "claude"], REMOVAL), &["[command-guard: rm-root]"]);
    }
    let artifacts = fs::read_dir(world.path(".cache/guard-host/artifacts")).unwrap().flatten();
    let mut kinds: Vec<_> = artifacts.filter_map(|entry| entry.path().extension().map(ToOwned::to_owned)).collect();
    kinds.sort();
    assert_eq!(kinds, ["bundle", "json"], "nothing but the bundle is unpacked, and nothing is compiled");
}

#[test]
#[ignore = "needs landlock"]
fn a_confined_run_needs_no_second_program() {
    let world = World::new();
    let program = alone(&world);
    assert_deny(&run(&program, &world, &["hook", "claude"], REMOVAL), &["[command-guard: rm-root]"]);
    let ended = run(&program, &world, &["run", "--", "/bin/sh", "-c", "exit 7"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (7, ""), "{ended:?}");
    let ended = run(&program, &world, &["run", "--", "git", "stash", "drop"], "");
    assert!(
        ended.exit == 69 && ended.stderr.contains("guard-host-tools"),
        "messages are the second program's: {ended:?}"
    );
}

#[test]
#[ignore = "needs root"]
fn in_a_home_that_nobody_can_write_to_every_call_is_judged() {
    const NOBODY: u32 = 65534;
    let world = World::new();
    let program = alone(&world);
    for folder in ["", "bin", "repo"] {
        fs::set_permissions(world.path(folder), Permissions::from_mode(0o755)).unwrap();
    }
    for (input, denied) in [(REMOVAL, true), (r#"{"tool_name":"Bash","tool_input":{"command":"ls -la"}}"#, false)] {
        let mut command = Command::new(&program);
        command.args(["hook", "claude"]).current_dir(world.repo()).env_clear().env("HOME", world.home.path());
        command.uid(NOBODY).gid(NOBODY);
        let ended = end(command, input);
        assert_eq!(ended.exit, if denied { 2 } else { 0 }, "{ended:?}");
        assert!(denied || ended.is_silent(), "{ended:?}");
    }
    assert!(!world.path(".cache").exists() && !world.path(".local").exists());
}

/// Returns the result of a hook that gets this signal while it waits for its payload.
#[cfg(target_os = "linux")]
fn struck(signal: Signal) -> Output {
    let world = World::new();
    let mut command = Command::new(HOOK);
    command.args(["hook", "claude"]).current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    // A second thread means that it has started.
    let has_started = || fs::read_dir(format!("/proc/{}/task", child.id())).is_ok_and(|threads| threads.count() > 1);
    let until = Instant::now() + PATIENCE;
    while !has_started() {
        assert!(Instant::now() < until, "it has no watchdog");
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(input);
    output
}

#[cfg(target_os = "linux")]
#[test]
fn a_hook_that_crashes_blocks_the_call() {
    let signals = [Signal::SEGV, Signal::BUS, Signal::ILL, Signal::FPE, Signal::ABORT, Signal::TRAP, Signal::SYS];
    for signal in signals {
        let output = struck(signal);
        assert_eq!(output.status.code(), Some(2), "{signal:?}: {output:?}");
        assert_text!("crashed", String::from_utf8(output.stderr).unwrap());
    }
}

#[test]
fn however_its_path_is_spelled_the_hook_is_the_same_program() {
    let world = World::new();
    let folder = Path::new(HOOK).parent().unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let spelled = folder.join("..").join(name).join(".").join("guard-host");
    let link = world.path("link");
    std::os::unix::fs::symlink(HOOK, &link).unwrap();
    for program in [Path::new(HOOK), &spelled, &link] {
        assert_deny(&run(program, &world, &["hook", "claude"], REMOVAL), &["[command-guard: rm-root]"]);
        let version = run(program, &world, &["--version"], "");
        assert_eq!(version.exit, 0, "the second program is found: {version:?}");
    }
    let chains = fs::read_dir(world.path(".cache/guard-host/chains")).unwrap();
    assert_eq!(chains.count(), 1, "each of them has used what the first one has prepared");
}

#[test]
fn no_command_compiles_what_the_program_carries() {
    let world = World::new();
    // Creates the key.
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    // If no file can grow, not even one in memory, the compiler can't be unpacked.
    let without_files = |arguments: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("trap '' XFSZ; ulimit -f 0; exec \"$0\" {arguments}"), HOOK]);
        shell.current_dir(world.repo()).env_clear().env("HOME", world.home.path()).env("PATH", "/usr/bin:/bin");
        end(shell, "")
    };
    for name in ["command-guard", "rego", "cel"] {
        let ended = without_files(&format!("policy inspect {name}"));
        assert_eq!(ended.exit, 0, "{name}: {ended:?}");
    }
    let ours = guests::place(&world, "shell");
    let ended = without_files(&format!("policy inspect {}", ours.display()));
    assert!(ended.exit != 0, "a policy of others is compiled: {ended:?}");
    assert_text!("compiler_missing", normalize(&world, &ended.stderr));
}

#[test]
fn a_policy_that_is_not_compiled_yet_asks_to_wait_and_answers_soon() {
    let world = World::new();
    guests::configure(&world, &["shell"], "");
    let payload = r#"{"tool_name":"Bash","tool_input":{"command":"ls -la"}}"#;
    let first = world.run(&["hook", "claude"], payload);
    assert_ask(&first, &["[shell: policy-fault]"]);
    assert_text!("not_compiled_yet", normalize(&world, &first.reason()));
    let until = Instant::now() + PATIENCE;
    loop {
        let ended = world.run(&["hook", "claude"], payload);
        if ended.reason().contains("[shell: known]") {
            break;
        }
        assert!(ended.reason().contains("[shell: policy-fault]") && Instant::now() < until, "{ended:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_on_error_says_holds_for_a_policy_that_is_not_compiled_yet() {
    let world = World::new();
    guests::configure(&world, &["shell"], "on-error = \"deny\"\n");
    let ended = world.run(&["hook", "claude"], r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#);
    assert_deny(&ended, &["[shell: policy-fault]"]);
}

#[test]
fn without_the_second_program_the_hook_decides_and_commands_say_what_is_missing() {
    let world = World::new();
    let program = alone(&world);
    assert_deny(&run(&program, &world, &["hook", "claude"], REMOVAL), &["[command-guard: rm-root]"]);
    for arguments in [&["check", "ls"][..], &["--help"], &[], &["doctor"]] {
        assert_text!("without_tools", &world, 69, run(&program, &world, arguments, ""));
    }
    // A hook whose command line only the commands' parser can read results in an ask.
    assert_ask(&run(&program, &world, &["hook", "--only=command-guard"], REMOVAL), &["guard-host-tools"]);
}

/// `execvp`, and so the standard library, runs an empty file as a shell script: silence, and exit code 0.
#[test]
fn an_empty_second_program_is_reported_as_damaged() {
    let world = World::new();
    let program = alone(&world);
    for contents in ["", "not a program"] {
        let tools = program.with_file_name("guard-host-tools");
        fs::write(&tools, contents).unwrap();
        fs::set_permissions(&tools, Permissions::from_mode(0o755)).unwrap();
        for arguments in [&["check", "ls"][..], &["--version"], &["doctor"]] {
            let ended = run(&program, &world, arguments, "");
            assert_eq!((ended.exit, ended.stdout.as_str()), (69, ""), "{ended:?}");
            for part in ["guard-host-tools` is damaged", "install both programs again"] {
                assert!(ended.stderr.contains(part), "{ended:?}");
            }
        }
        assert_ask(&run(&program, &world, &["hook", "--only=command-guard"], REMOVAL), &["is damaged"]);
    }
}

#[test]
fn both_programs_say_the_same_of_a_hook_and_its_version() {
    let world = World::new();
    for arguments in [&["hook", "claude"][..], &["hook", "--only=command-guard"], &["--version"], &["nonsense"]] {
        let (one, other) = (world.run(arguments, REMOVAL), run(TOOLS.as_ref(), &world, arguments, REMOVAL));
        assert_eq!(one, other, "{arguments:?}");
    }
}
