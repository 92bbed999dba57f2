//! The plugins for OpenCode, Kilo, Amp, Pi and OpenClaw, loaded by node as their harnesses load them, with the real program.
//!
//! These tests need node.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{done, read};
use crate::support::texts::normalize;
use crate::support::world::{PATIENCE, World};
use crate::texts::assert_text;

/// Loads a plugin for OpenCode and runs it for one command. Prints the thrown error, or `null`.
const OPENCODE: &str = r#"
const { GuardHost } = await import(process.argv[2])
const plugin = await GuardHost({ directory: process.argv[3] })
const input = { tool: "bash", sessionID: "s1", callID: "c1" }
const output = { args: { command: process.argv[4] } }
let thrown = null
try { await plugin["tool.execute.before"](input, output) } catch (error) { thrown = error.message }
console.log(JSON.stringify({ thrown, args: output.args }))
"#;

/// Loads a plugin for Amp with an `amp` that stores the handler, and runs it for one command.
const AMP: &str = r#"
const { default: register } = await import(process.argv[2])
let handler
register({ on: (event, given) => { if (event === "tool.call") handler = given },
  system: { workspaceRoot: "file://" + process.argv[3] } })
const asked = []
const confirm = async (text) => { asked.push(text); return JSON.parse(process.argv[5]) }
const event = { tool: "shell_command", input: { command: process.argv[4] }, thread: { id: "t1" } }
const result = await handler(event, { ui: { confirm } })
console.log(JSON.stringify({ result, asked }))
"#;

/// Loads an extension for Pi with a `pi` that stores the handler, and runs it for one command.
const PI: &str = r#"
const { default: register } = await import(process.argv[2])
let handler
register({ on: (event, given) => { if (event === "tool_call") handler = given } })
const asked = []
const answer = JSON.parse(process.argv[5])
const confirm = async (title, text) => { asked.push(text); return answer }
const event = { toolName: "bash", toolCallId: "c1", input: { command: process.argv[4] } }
const ctx = { cwd: process.argv[3], hasUI: answer !== null, ui: { confirm },
  sessionManager: { getSessionId: () => "s1" } }
const result = await handler(event, ctx)
console.log(JSON.stringify({ result: result ?? null, asked }))
"#;

/// Loads a plugin for OpenClaw with an `api` that stores the handlers, runs it for one command, and answers its prompt
/// for a person.
const OPENCLAW: &str = r#"
const { default: entry } = await import(process.argv[2])
const handlers = {}
const runtime = { config: { current: () => ({}) }, agent: { resolveAgentWorkspaceDir: () => process.argv[3] } }
let policy
const on = (event, given) => { handlers[event] = given }
entry.register({ runtime, on, registerTrustedToolPolicy: (given) => { policy = given } })
const [text] = process.argv.slice(4)
const params = text.startsWith("{") ? JSON.parse(text) : { command: text }
const event = { toolName: params.command ? "exec" : "plugins", toolCallId: "c1", params }
const result = (await policy.evaluate(event, { agentId: "main", sessionId: "s1" })) ?? null
result?.requireApproval?.onResolution(process.argv[5])
console.log(JSON.stringify({ id: entry.id, events: Object.keys(handlers), policy: policy.id, result }))
"#;

/// Runs a script with the plugin, the project and more arguments.
#[track_caller]
fn node(world: &World, script: &str, plugin: &Path, arguments: &[&str]) -> Value {
    let script = world.write("run.mjs", script);
    let mut node = Command::new("node");
    node.arg(script).arg(plugin).arg(world.repo()).args(arguments).current_dir(world.repo());
    node.env_clear().env("HOME", world.path("elsewhere"));
    node.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ended = crate::support::world::end(node, "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

/// Returns the plugin as a module for this node, with the registered program, and with a missing one.
fn modules(world: &World, file: &str) -> [std::path::PathBuf; 2] {
    let text = read(world, file);
    let gone = text.replace(env!("CARGO_BIN_EXE_guard-host"), "/gone/guard-host");
    assert_ne!(text, gone);
    [world.write("there.mjs", text), world.write("gone.mjs", gone)]
}

/// Asserts the number of recorded answers, and the last one with its author.
#[track_caller]
fn assert_answers(world: &World, (harness, by): (&str, &str), count: usize, last: &str) {
    let until = Instant::now() + PATIENCE;
    let is_answer = |line: &Value| line["action"] == "ran" || line["action"] == "refused";
    let answers = || world.audit().into_iter().filter(is_answer).collect::<Vec<_>>();
    while answers().len() < count && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    let answers = answers();
    assert_eq!(answers.len(), count, "{answers:?}");
    let line = &answers[count - 1];
    assert_eq!((&line["action"], &line["harness"]), (&json!(last), &json!(harness)), "{line}");
    assert_eq!((&line["by"], &line["operation"]), (&json!(by), &json!("git push origin topic")), "{line}");
}

#[test]
#[ignore = "needs node"]
fn the_plugin_for_opencode_throws_what_is_not_allowed() {
    let world = World::new();
    done(&world, &["install", "opencode"]);
    let [there, gone] = modules(&world, ".config/opencode/plugins/guard-host.js");
    let allowed = node(&world, OPENCODE, &there, &["ls -la"]);
    assert_eq!(allowed, json!({ "thrown": null, "args": { "command": "ls -la" } }));
    let denied = node(&world, OPENCODE, &there, &["rm -rf /"]);
    let thrown = denied["thrown"].as_str().unwrap();
    assert!(thrown.contains("rm -rf /") && thrown.contains("rm-root"), "{thrown}");
    // Nobody can be prompted there.
    let asked = node(&world, OPENCODE, &there, &["git push origin topic"]);
    assert!(asked["thrown"].as_str().unwrap().contains("git-push"), "{asked}");
    let held = node(&world, OPENCODE, &gone, &["ls"]);
    assert!(held["thrown"].as_str().unwrap().contains("ENOENT"), "{held}");
    let lines = world.audit();
    assert!(lines.iter().any(|line| line["harness"] == "opencode"), "{lines:?}");
}

#[test]
#[ignore = "needs node"]
fn the_plugin_for_opencode_holds_what_cannot_be_read_unless_it_is_told_otherwise() {
    let world = World::new();
    done(&world, &["install", "opencode"]);
    let text = read(&world, ".config/opencode/plugins/guard-host.js");
    for reply in ["", "{}", "oops", "{\"decision\":\"yes\"}", "null"] {
        let program = world.write("fake.sh", format!("#!/bin/sh\ncat > /dev/null\nprintf '%s' '{reply}'\n"));
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let module = world.write("fake.mjs", text.replace(env!("CARGO_BIN_EXE_guard-host"), super::text(&program)));
        let held = node(&world, OPENCODE, &module, &["ls"]);
        assert!(held["thrown"].is_string(), "{reply}: {held}");
    }
    done(&world, &["install", "opencode", "--fail-open"]);
    let [_, gone] = modules(&world, ".config/opencode/plugins/guard-host.js");
    assert_eq!(node(&world, OPENCODE, &gone, &["ls"])["thrown"], Value::Null);
}

#[test]
#[ignore = "needs node"]
fn the_plugin_for_amp_answers_in_its_actions() {
    let world = World::new();
    done(&world, &["install", "amp"]);
    let [there, gone] = modules(&world, ".config/amp/plugins/guard-host.ts");
    let allowed = node(&world, AMP, &there, &["ls", "false"]);
    assert_eq!(allowed, json!({ "result": { "action": "allow" }, "asked": [] }));
    let denied = node(&world, AMP, &there, &["rm -rf /", "true"]);
    assert_eq!((&denied["result"]["action"], &denied["asked"]), (&json!("reject-and-continue"), &json!([])));
    assert!(denied["result"]["message"].as_str().unwrap().contains("rm-root"), "{denied}");
    let answers = [
        ("true", "allow", 1, "ran"),
        ("false", "reject-and-continue", 2, "refused"),
        ("\"yes\"", "reject-and-continue", 2, "refused"),
        ("true", "allow", 3, "ran"),
    ];
    for (answer, action, told, last) in answers {
        let asked = node(&world, AMP, &there, &["git push origin topic", answer]);
        assert_eq!(asked["result"]["action"], action, "{answer}: {asked}");
        assert!(asked["asked"][0].as_str().unwrap().contains("git push"), "{asked}");
        assert_answers(&world, ("amp", "person"), told, last);
    }
    let held = node(&world, AMP, &gone, &["ls", "true"]);
    assert!(held["result"]["message"].as_str().unwrap().contains("ENOENT"), "{held}");
}

#[test]
#[ignore = "needs node"]
fn the_plugin_for_kilo_is_known_by_its_event() {
    let world = World::new();
    done(&world, &["install", "kilo"]);
    let [there, gone] = modules(&world, ".config/kilo/plugins/guard-host.js");
    assert_eq!(node(&world, OPENCODE, &there, &["ls -la"])["thrown"], Value::Null);
    let denied = node(&world, OPENCODE, &there, &["rm -rf /"]);
    assert!(denied["thrown"].as_str().unwrap().contains("rm-root"), "{denied}");
    let held = node(&world, OPENCODE, &gone, &["ls"]);
    assert!(held["thrown"].as_str().unwrap().contains("ENOENT"), "{held}");
    assert!(world.audit().iter().any(|line| line["harness"] == "kilo"));
}

#[test]
#[ignore = "needs node"]
fn the_extension_for_pi_asks_a_person_where_there_is_a_screen() {
    let world = World::new();
    done(&world, &["install", "pi"]);
    let [there, gone] = modules(&world, ".pi/agent/extensions/guard-host.ts");
    let nothing = json!({ "result": null, "asked": [] });
    assert_eq!(node(&world, PI, &there, &["ls", "false"]), nothing);
    assert_eq!(node(&world, PI, &there, &["ls", "null"]), nothing);
    let denied = node(&world, PI, &there, &["rm -rf /", "true"]);
    assert_eq!((&denied["result"]["block"], &denied["asked"]), (&json!(true), &json!([])));
    assert!(denied["result"]["reason"].as_str().unwrap().contains("rm-root"), "{denied}");
    let answers = [
        ("true", Value::Null, 1, "ran"),
        ("false", json!(true), 2, "refused"),
        ("\"yes\"", json!(true), 2, "refused"),
        ("true", Value::Null, 3, "ran"),
    ];
    for (answer, blocked, told, last) in answers {
        let asked = node(&world, PI, &there, &["git push origin topic", answer]);
        assert_eq!(asked["result"]["block"], blocked, "{answer}: {asked}");
        let question = asked["asked"][0].as_str().unwrap();
        assert!(question.contains("git push") && !question.contains("guard-host confirm"), "{asked}");
        assert_answers(&world, ("pi", "person"), told, last);
    }
    // Nobody is present: the model is told how a person can approve it.
    let held = node(&world, PI, &there, &["git push origin topic", "null"]);
    assert_eq!(held["asked"], json!([]));
    assert_text!("plugin_unattended", normalize(&world, held["result"]["reason"].as_str().unwrap()));
    let held = node(&world, PI, &gone, &["ls", "true"]);
    assert!(held["result"]["reason"].as_str().unwrap().contains("ENOENT"), "{held}");
    assert!(world.audit().iter().any(|line| line["harness"] == "pi" && line["session"] == "s1"));
}

#[test]
#[ignore = "needs node"]
fn the_plugin_for_openclaw_requests_an_approval_for_an_ask() {
    let world = World::new();
    done(&world, &["install", "openclaw"]);
    let manifest: Value =
        serde_json::from_str(&read(&world, ".openclaw/extensions/guard-host/openclaw.plugin.json")).unwrap();
    let [there, gone] = modules(&world, ".openclaw/extensions/guard-host/index.mjs");
    let passed = node(&world, OPENCLAW, &there, &["ls", "deny"]);
    assert_eq!((&passed["id"], &passed["result"]), (&manifest["id"], &Value::Null), "{passed}");
    assert_eq!(passed["events"], json!(["session_end"]));
    // OpenClaw rejects a policy that the manifest doesn't list.
    assert_eq!(json!([passed["policy"]]), manifest["contracts"]["trustedToolPolicies"]);
    let denied = node(&world, OPENCLAW, &there, &["rm -rf /", "allow-once"]);
    assert_eq!(denied["result"]["block"], true, "{denied}");
    assert!(denied["result"]["blockReason"].as_str().unwrap().contains("rm-root"), "{denied}");
    let disabling = json!({ "action": "disable", "pluginId": "guard-host" }).to_string();
    let denied = node(&world, OPENCLAW, &there, &[&disabling, "deny"]);
    assert!(denied["result"]["blockReason"].as_str().unwrap().contains("removes guard-host"), "{denied}");
    for (answer, told, last) in [("allow-once", 1, "ran"), ("deny", 2, "refused"), ("timeout", 2, "refused")] {
        let asked = node(&world, OPENCLAW, &there, &["git push origin topic", answer]);
        let request = &asked["result"]["requireApproval"];
        assert!(request["description"].as_str().unwrap().contains("git push"), "{asked}");
        assert_eq!(request["allowedDecisions"], json!(["allow-once", "deny"]));
        // A program with permission to approve may have answered.
        assert_answers(&world, ("openclaw", "unknown"), told, last);
    }
    let held = node(&world, OPENCLAW, &gone, &["ls", "deny"]);
    assert!(held["result"]["blockReason"].as_str().unwrap().contains("ENOENT"), "{held}");
    assert!(world.audit().iter().any(|line| line["harness"] == "openclaw" && line["session"] == "s1"));
    done(&world, &["uninstall", "openclaw"]);
    assert!(!world.path(".openclaw").exists());
}
