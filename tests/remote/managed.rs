//! The effect of the managed file if the user's file names a server.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::stub::Stub;
use super::{TOKEN, asking};
use crate::support::reply::{assert_deny, assert_silent};
use crate::support::world::{ProcessOutput, World, end};

/// A command that `command-guard` denies, but not `self-protect`.
const FORCED: &str = "git push --force origin main";

/// Runs the hook for a `Bash` call on a machine whose `/etc` has this managed file.
fn on_managed(world: &World, managed: &str, command: &str) -> ProcessOutput {
    world.write("etc/guard-host/guard.toml", managed);
    world.write("etc/guard-host/token", format!("{TOKEN}\n"));
    fs::copy("/etc/passwd", world.path("etc/passwd")).unwrap();
    let mut hook = Command::new("unshare");
    hook.args(["--mount", "sh", "-c", "mount --bind \"$HOME/etc\" /etc && exec \"$0\" hook claude"]);
    hook.arg(env!("CARGO_BIN_EXE_guard-host"));
    hook.env_clear().env("HOME", world.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
    let payload = json!({ "cwd": world.repo(), "tool_name": "Bash", "tool_input": { "command": command } });
    end(hook, &payload.to_string())
}

#[test]
#[ignore = "needs mounts"]
fn what_the_managed_file_asks_for_is_asked_here_as_well() {
    let stub = Stub::of("Abstain");
    let world = asking(&stub.url, "");
    assert_silent(&world.bash(FORCED));
    for managed in ["preset = \"standard\"\n", "lock = [\"command-guard\"]\n"] {
        let ended = on_managed(&world, managed, FORCED);
        assert_deny(&ended, &["command-guard: force-push-protected"]);
    }
    // A managed file without locked policies leaves the decision to the server.
    let ended = on_managed(&world, "bypass-ask = \"deny\"\n", FORCED);
    assert_silent(&ended);
}

#[test]
#[ignore = "needs mounts"]
fn the_server_of_the_managed_file_is_the_one_that_is_asked() {
    let (managed, own) = (Stub::of("Deny"), Stub::of("Abstain"));
    let world = asking(&own.url, "");
    let toml = format!("[remote]\nurl = \"{}\"\ntoken-file = \"/etc/guard-host/token\"\n", managed.url);
    let ended = on_managed(&world, &toml, "ls -la");
    assert_deny(&ended, &["[central: told]"]);
    assert_eq!((managed.requests().len(), own.requests().len()), (1, 0));
}

#[test]
#[ignore = "needs mounts"]
fn a_broken_managed_file_is_not_mended_by_a_server() {
    let stub = Stub::of("Abstain");
    let world = asking(&stub.url, "");
    let ended = on_managed(&world, "presett = \"standard\"\n", "ls -la");
    assert_deny(&ended, &["presett"]);
}
