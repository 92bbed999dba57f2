//! What the policy says of a command, natively and with its default settings.

use guard_sdk::Decision;
use guard_sdk::testing::World;
use policy_command_guard::CommandGuard;

pub(crate) fn decide(command: &str) -> Decision {
    let analysis = guard_shell::analyze(command, "bash", "/repo", "/home/u");
    let mut world = World { analysis, ..World::default() };
    world.fill_paths();
    let input = serde_json::json!({ "command": command }).to_string();
    world.decide::<CommandGuard>("{}", "Bash", &input).unwrap()
}
