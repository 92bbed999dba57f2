//! Sessions: pending calls, who can confirm them, what a grant lifts, and the trust in projects.

mod confirm;
mod ended;
mod grants;
mod outcome;
mod pending;
mod trust;

use crate::support::terminal;
use serde_json::{Value, json};

use crate::support::reply::assert_ask;
use crate::support::world::{ProcessOutput, World};

/// Creates a world with the preset `guardrail` and these keys. Its policies are compiled in advance.
fn guardrail(keys: &str) -> World {
    let world = World::new();
    world.configure(&format!("preset = \"guardrail\"\n{keys}"));
    let ended = world.run(&["cache", "warm"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    world
}

/// Runs the hook for a `Bash` call in this session and mode.
fn bash_in(world: &World, session: &str, mode: &str, command: &str) -> ProcessOutput {
    let payload = json!({
        "session_id": session, "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": mode,
        "tool_name": "Bash", "tool_input": { "command": command },
    });
    world.hook(&payload.to_string())
}

/// Returns the file of the session `s1`, or null if it doesn't exist.
fn file(world: &World) -> Value {
    let text = std::fs::read_to_string(world.path(".local/state/guard-host/sessions/s1.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Returns the operations under a key of the file of `s1`.
fn operations(world: &World, key: &str) -> Vec<String> {
    let entries = file(world)[key].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| entry["operation"].as_str().unwrap().to_owned()).collect()
}

/// Creates a world in which `git push` was prompted and confirmed in `s1`.
fn pushed() -> World {
    let world = World::new();
    assert_ask(&world.bash("git push"), &[]);
    let ended = terminal::attended(&world, &["confirm", "git push"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    world
}

/// Asserts the reply to a call that a person approved.
#[track_caller]
fn assert_confirmed(ended: &ProcessOutput, reason: &str) {
    let text = serde_json::to_string(reason).unwrap();
    let expected = format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\
         \"permissionDecisionReason\":{text},\"additionalContext\":{text}}}}}\n"
    );
    assert_eq!((ended.exit, ended.stdout.as_str(), ended.stderr.as_str()), (0, expected.as_str(), ""));
}
