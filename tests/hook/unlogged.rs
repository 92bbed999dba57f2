//! `on-error` of `[audit]`: the outcome of calls whose line can't be written.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::serve::client::Server;
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::normalize;
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// Creates a world with this log, in which every call has a line.
fn logging(level: &str, path: &str, on_error: &str, more: &str) -> World {
    let world = World::new();
    let audit = format!("[audit]\nlevel = \"{level}\"\npath = \"{path}\"\non-error = \"{on_error}\"\n");
    world.configure(&format!("{more}\n{audit}"));
    world
}

#[test]
fn a_call_without_a_line_runs_only_if_the_configuration_says_so() {
    for (level, on_error, harmless, asked) in [
        ("all", "allow", "", "ask"),
        ("all", "ask", "ask", "ask"),
        ("all", "deny", "deny", "deny"),
        // A call without a line isn't held.
        ("interventions", "ask", "", "ask"),
        ("interventions", "deny", "", "deny"),
    ] {
        let world = logging(level, "/dev/full", on_error, "");
        let server = Server::start(&world, &[]);
        for (command, expected) in [("ls", harmless), ("git push", asked), ("rm -rf /", "deny")] {
            let (ended, answered) = (world.bash(command), server.bash(&world, command));
            for (decision, reason) in [(ended.decision(), ended.reason()), (answered.decision(), answered.reason())] {
                assert_eq!(decision, expected, "{on_error} {command}: {reason}");
                let is_told = command == "ls" && !expected.is_empty();
                assert!(!is_told || reason.contains("[hook: no-audit-line]"), "{reason}");
            }
        }
    }
}

#[test]
fn the_line_is_there_before_the_reply() {
    let world = logging("all", "~/audit.jsonl", "ask", "");
    let mut command = world.command(&["hook", "claude"]);
    let payload = json!({ "cwd": world.repo(), "tool_name": "Bash", "tool_input": { "command": "git push" } });
    let file = world.write("payload.json", payload.to_string());
    let input = std::fs::File::open(file).unwrap();
    // Nobody reads the reply, whose pipe is full.
    let (reader, mut writer) = std::io::pipe().unwrap();
    let filler = vec![b'x'; 65536];
    std::io::Write::write_all(&mut writer, &filler).unwrap();
    let mut child = command.stdin(input).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    let log = world.path("audit.jsonl");
    while std::fs::read_to_string(&log).unwrap_or_default().lines().count() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a line");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(reader);
    child.wait().unwrap();
}

#[test]
fn what_is_denied_for_want_of_a_line_is_no_question_that_an_agent_can_answer() {
    let world = logging("all", "/dev/full", "deny", "");
    let push = world.bash("git push origin topic");
    assert_deny(&push, &["[hook: no-audit-line]"]);
    assert!(!push.reason().contains("confirm") && !push.reason().contains("guard-host allow"), "{push:?}");
    assert_deny(&world.bash("guard-host confirm 'git push origin topic'"), &[]);
    let confirmed = world.run(&["confirm", "git push origin topic"], "");
    assert_ne!(confirmed.exit, 0, "{confirmed:?}");
    world.configure("");
    assert_ask(&world.bash("git push origin topic"), &[]);
}

#[test]
fn a_mode_that_skips_prompts_has_what_the_configuration_says_of_it() {
    for (bypass, expected) in [("ask", "ask"), ("deny", "deny"), ("skip", "ask")] {
        let world = logging("all", "/dev/full", "ask", &format!("bypass-ask = \"{bypass}\""));
        let payload = json!({
            "cwd": world.repo(), "tool_name": "Bash", "tool_input": { "command": "ls" },
            "permission_mode": "bypassPermissions",
        });
        assert_eq!(world.hook(&payload.to_string()).decision(), expected, "{bypass}");
    }
}

#[test]
fn a_server_that_cannot_log_decides_nothing_for_others() {
    let call = json!({ "tool": "Bash", "original-tool": "Bash", "input": { "command": "ls" }, "dialect": "bash" });
    let at = json!({
        "cwd": "/r", "project-root": "/r", "repository": "", "home": "/h", "account-home": "/h", "session": "s",
        "harness": "claude", "permission-mode": "", "agent": "",
    });
    for (on_error, status) in [("allow", 200), ("ask", 503), ("deny", 503)] {
        let world = logging("all", "/dev/full", on_error, "");
        let server = Server::start(&world, &[]);
        let answered = server.post("/decide", &json!({ "calls": [call], "at": at }).to_string());
        assert_eq!(answered.status, status, "{on_error}: {answered:?}");
    }
}

/// Locks the first file in its arguments, so that others wait for it, until its standard input ends.
const HOLD: &str = "
import fcntl, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = open(sys.argv[1], 'r+')
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('held', flush=True)
sys.stdin.read()
";

#[test]
#[ignore = "needs python3"]
fn a_log_that_hangs_is_asked_about() {
    let mut told = String::new();
    for (on_error, expected) in [("ask", "ask"), ("deny", "deny")] {
        let world = logging("all", "~/audit.jsonl", on_error, "");
        let log = world.write("audit.jsonl", "");
        let mut command = Command::new("python3");
        command.args(["-c", HOLD]).arg(&log).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut holder = command.spawn().unwrap();
        let mut held = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut held).unwrap();
        assert_eq!(held, "held\n", "no lease is given for a file");
        let (ended, server) = (world.bash("ls"), Server::start(&world, &[]));
        let answered = server.bash(&world, "ls");
        holder.kill().unwrap();
        holder.wait().unwrap();
        for (decision, reason) in [(ended.decision(), ended.reason()), (answered.decision(), answered.reason())] {
            assert_eq!(decision, expected, "{reason}");
            told += &normalize(&world, &format!("{}\n", reason.lines().next().unwrap_or_default()));
        }
    }
    assert_text!("hook_log_hangs", told);
}

#[test]
#[ignore = "needs root"]
fn a_log_may_be_written_by_all_and_read_by_one() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let world = World::new();
    let (home, log) = (world.path("other"), world.write("shared/audit.jsonl", ""));
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    world.write(
        "other/.config/guard-host/guard.toml",
        format!("[audit]\nlevel = \"all\"\npath = \"{}\"\non-error = \"deny\"\n", log.display()),
    );
    let status = Command::new("chown").args(["-R", "65534"]).arg(&home).status().unwrap();
    assert!(status.success());
    mode(world.home.path(), 0o755);
    mode(&world.path("shared"), 0o777);
    mode(&log, 0o622);
    // A path where the other user can start it.
    let program = world.path("guard-host");
    std::fs::copy(env!("CARGO_BIN_EXE_guard-host"), &program).unwrap();
    let mut command = Command::new(program);
    command.args(["hook", "claude"]).env_clear().env("HOME", &home).current_dir("/").uid(65534).gid(65534);
    let payload: Value = json!({ "cwd": "/", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    assert_silent(&end(command, &payload.to_string()));
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 1);
}
