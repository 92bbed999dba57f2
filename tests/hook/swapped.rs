//! External policies in the chain: in place of a built-in, and after all of them.

use crate::support::guests::{entry, place};
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::world::{ProcessOutput, World};

fn write(world: &World, file: &str, content: &str) -> ProcessOutput {
    let payload = serde_json::json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_input": { "file_path": file, "content": content } });
    world.hook(&payload.to_string())
}

#[test]
fn a_component_of_another_name_takes_the_place_of_a_built_in() {
    let world = World::new();
    assert_deny(&write(&world, ".env", "x"), &["[protected-files: "]);
    world.configure(&entry("protected-files", &place(&world, "denies"), ""));
    // The built-in is gone, and the other policy answers under its name and in its place.
    assert_silent(&write(&world, ".env", "x"));
    assert_deny(&write(&world, "a.txt", "rm -rf"), &["[protected-files: "]);
    let listed = world.run(&["policy", "list"], "").stdout;
    let at = |text: &str| listed.find(text).unwrap_or_else(|| panic!("{text}: {listed}"));
    assert!(at("command-guard") < at("protected-files"), "{listed}");
    assert_eq!(world.bash("rm -rf /").exit, 2);
}

#[test]
fn two_policies_of_others_stand_after_the_built_ins() {
    let world = World::new();
    let denies = place(&world, "denies");
    let (first, second) = (entry("first", &denies, ""), entry("second", &place(&world, "shell"), ""));
    world.configure(&format!("{first}{second}{}", entry("third", &denies, "tools = [\"Write\"]")));
    assert_deny(&world.bash("rm -rf /"), &["[command-guard: rm-root]", "[first: "]);
    assert!(!world.bash("rm -rf /").reason().contains("[third: "));
    assert_deny(&write(&world, "a.txt", "rm -rf"), &["[first, third: known]"]);
    assert_ask(&world.bash("ls"), &["[second: "]);
}
