//! The other calls that a choice of `guard-host allow` affects.

use serde_json::json;

use crate::support::reply::assert_ask;
use crate::support::terminal::attended_by;
use crate::support::world::{ProcessOutput, World};

/// Returns the text of the first choice that has this part in its title.
#[track_caller]
fn choice(ended: &ProcessOutput, part: &str) -> String {
    let is_title = |block: &&str| block.lines().next().is_some_and(|title| title.contains(part));
    let found = ended.stdout.split("\n\n").find(is_title);
    found.unwrap_or_else(|| panic!("{part}: {ended:?}")).to_owned()
}

fn choices(world: &World) -> ProcessOutput {
    attended_by(world, env!("CARGO_BIN_EXE_guard-host"), &["allow", "--last"], "n\n")
}

#[test]
fn a_choice_by_an_effect_shows_the_calls_with_the_same_effect() {
    let world = World::new();
    world.write("repo/package.json", r#"{"scripts": {"deploy": "vercel --prod"}}"#);
    for command in ["fly deploy", "terraform apply", "npm run deploy"] {
        assert_ask(&world.bash(command), &[]);
    }
    let shown = choice(&choices(&world), "warns about cloud.deploy");
    assert!(shown.contains("would also allow ") && shown.contains("fly deploy in "), "{shown}");
    assert!(!shown.contains("terraform apply"), "{shown}");
}

#[test]
fn a_choice_by_a_file_shows_the_calls_about_files_of_the_same_name() {
    let world = World::new();
    let edit = |path: &str| {
        let payload = json!({
            "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Edit",
            "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" },
        });
        assert_ask(&world.hook(&payload.to_string()), &[]);
    };
    for path in ["web/Dockerfile", "Makefile", "Dockerfile"] {
        world.write(&format!("repo/{path}"), "");
        edit(path);
    }
    let shown = choice(&choices(&world), "stops asking about files named `Dockerfile`");
    assert!(shown.contains("would also allow 1 of ") && shown.contains("web/Dockerfile"), "{shown}");
    assert!(shown.contains("covers every file that matches `Dockerfile`"), "{shown}");
}

#[test]
fn a_part_that_can_be_allowed_alone_is_named() {
    let world = World::new();
    let ask = |command| {
        let program = env!("CARGO_BIN_EXE_guard-host");
        attended_by(&world, program, &["allow", command], "n\n").stdout
    };
    let told = ask("for i in 1 2; do ls; done; git push origin topic");
    assert!(told.contains("no allow covers it: the text has more than plain commands"), "{told}");
    assert!(told.contains("for calls of its own: guard-host allow 'git push origin topic'"), "{told}");
    // Alone, the command is offered itself.
    let told = ask("git push origin topic");
    assert!(told.contains("1  this exact command") && !told.contains("for calls of its own"), "{told}");
}
