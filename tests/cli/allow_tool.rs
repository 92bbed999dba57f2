//! `guard-host allow` for one tool of a server, and for one script.

use serde_json::json;

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::terminal::attended;
use crate::support::world::{ProcessOutput, World};

fn file(world: &World) -> String {
    std::fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap_or_default()
}

/// Runs the hook for a call of a server's tool.
fn call_tool(world: &World, tool: &str, input: &serde_json::Value) -> ProcessOutput {
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
    });
    world.hook(&payload.to_string())
}

#[test]
fn one_tool_of_a_server_can_be_allowed_alone() {
    let world = World::new();
    let issue = |repo: &str, title: &str| json!({ "repo": repo, "title": title, "body": "b" });
    let tool = "mcp__github__create_issue";
    assert_ask(&call_tool(&world, tool, &issue("acme/shop", "one")), &[]);
    let ended = attended(&world, &["allow", "--last", "--yes"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    for part in ["tool = \"mcp__github__create_issue\"", "acme/shop", "rules = [\"command-guard:shared-state\"]"] {
        assert!(file(&world).contains(part), "{part}: {}", file(&world));
    }
    assert_silent(&call_tool(&world, tool, &issue("acme/shop", "two")));
    // The last prompt is allowed by now, so a second allow has nothing to lift.
    let (before, again) = (file(&world), attended(&world, &["allow", "--last", "--yes"]));
    assert!(again.exit != 0 && file(&world) == before, "{again:?}: {}", file(&world));
    assert_ask(&call_tool(&world, tool, &issue("acme/other", "two")), &[]);
    assert_ask(
        &call_tool(&world, "mcp__github__merge_pull_request", &json!({ "repo": "acme/shop", "number": 3 })),
        &[],
    );
    assert_eq!(world.run(&["allow", "--remove", "1"], "").exit, 0);
    // Without arguments, the allow covers every call of the tool.
    world.configure("[[allow]]\ntool = \"mcp__github__create_issue\"\n");
    assert_silent(&call_tool(&world, tool, &issue("acme/other", "three")));
    // Denials stay, and so do another rule's prompts.
    world.configure("[[allow]]\ntool = \"mcp__ops__exec\"\nrules = [\"command-guard:publish-package\"]\n[[tool]]\nmatch = \"mcp__ops__exec\"\nshell = \"line\"\n");
    assert_silent(&call_tool(&world, "mcp__ops__exec", &json!({ "line": "npm publish" })));
    assert_ask(&call_tool(&world, "mcp__ops__exec", &json!({ "line": "rm -rf src" })), &[]);
    assert_deny(&call_tool(&world, "mcp__ops__exec", &json!({ "line": "rm -rf /" })), &[]);
}

#[test]
fn a_package_script_and_inline_scripts_can_be_allowed_alone() {
    let world = World::new();
    let script = |deploy: &str| {
        world.write("repo/package.json", json!({ "scripts": { "deploy": deploy } }).to_string());
    };
    script("vercel --prod");
    world.write("repo/Dockerfile", "FROM node");
    for (command, other) in [
        ("psql -c 'delete from a'", "psql -c 'delete from b'"),
        ("sed -i s/a/b/ Dockerfile", "sed -i s/a/c/ Dockerfile"),
        ("npm run deploy", "vercel --prod"),
    ] {
        assert_ask(&world.bash(command), &[]);
        let ended = attended(&world, &["allow", "--last", "--yes"]);
        assert_eq!(ended.exit, 0, "{command}: {ended:?}");
        assert_silent(&world.bash(command));
        assert_ask(&world.bash(other), &[]);
    }
    script("vercel --prod && npm publish");
    assert_ask(&world.bash("npm run deploy"), &[]);
}

#[test]
fn an_entry_for_a_tool_that_says_too_much_or_too_little_is_refused() {
    let world = World::new();
    for (entry, expected) in [
        ("tool = \"Bash\"", "a tool of every harness"),
        ("tool = \"mcp__*\"", "pattern"),
        ("tool = \"mcp__a__b\"\ncommand = [\"x\"]", "can't be combined"),
        ("arguments = { a = \"b\" }\ncommand = [\"x\"]", "`arguments` without a `tool`"),
    ] {
        world.configure(&format!("[[allow]]\n{entry}\n"));
        let ended = world.run(&["config", "check"], "");
        assert!(ended.exit != 0 && ended.stderr.contains(expected), "{entry}: {ended:?}");
    }
}
