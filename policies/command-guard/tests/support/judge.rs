//! Decides on a command natively, with the policy.

use guard_sdk::Decision;
use guard_sdk::testing::World;
use policy_command_guard::CommandGuard;

/// Decides with the default settings.
pub(crate) fn decide(command: &str) -> Decision {
    decide_with("{}", command)
}

/// Decides with these settings, in JSON.
pub(crate) fn decide_with(settings: &str, command: &str) -> Decision {
    let analysis = guard_testing::analyze(command, "bash", "/repo", "/home/u");
    let mut world = World { analysis, ..World::default() };
    world.fill_paths();
    let input = serde_json::json!({ "command": command }).to_string();
    world.decide::<CommandGuard>(settings, "Bash", &input).unwrap()
}
