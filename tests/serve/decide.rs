//! `POST /decide`: calls from other machines, with their facts.

use serde_json::{Value, json};

use super::client::{Server, ServerAnswer};
use super::metrics::{calls, numbers};
use crate::support::world::World;
use crate::texts::assert_text;

fn decide(server: &Server, request: &Value) -> ServerAnswer {
    server.post("/decide", &request.to_string())
}

fn said(answered: &ServerAnswer) -> Value {
    assert_eq!(answered.status, 200, "{answered:?}");
    serde_json::from_str(&answered.body).unwrap()
}

/// Returns a request for a command in `/srv/app` of another machine.
fn of_command(command: &str, facts: &Value) -> Value {
    json!({
        "harness": "claude",
        "payload": {
            "session_id": "s1", "cwd": "/srv/app", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command },
        },
        "at": { "home": "/home/them", "project-root": "/srv/app" },
        "facts": facts,
    })
}

/// Returns a command in the host's own format.
fn bash(command: &str) -> Value {
    json!({ "tool": "Bash", "original-tool": "Bash", "input": { "command": command }, "dialect": "bash" })
}

/// Returns the verdict once no facts are missing. Each answer can lead to new requests, as with a link.
fn learned(server: &Server, mut request: Value, entry: impl Fn(&str) -> &'static str) -> Value {
    request["facts"] = json!({ "entries": {}, "env": {} });
    for _ in 0..9 {
        let response = said(&decide(server, &request));
        let missing = |kind: &str| serde_json::from_value::<Vec<String>>(response["missing"][kind].clone()).unwrap();
        let (entries, env) = (missing("entries"), missing("env"));
        if entries.is_empty() && env.is_empty() {
            return response;
        }
        for path in entries {
            request["facts"]["entries"][&path] = json!(entry(&path));
        }
        for name in env {
            request["facts"]["env"][&name] = Value::Null;
        }
    }
    panic!("{request}");
}

#[test]
fn a_call_of_another_machine_gets_what_the_hook_says_of_one_here() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    for (command, outcome) in [
        ("ls -la", "abstain"),
        ("rm -rf /", "deny"),
        ("git push --force origin main", "deny"),
        ("git status", "abstain"),
    ] {
        let response = said(&decide(&server, &of_command(command, &json!({}))));
        assert_eq!(response["verdict"]["outcome"], outcome, "{command}: {response}");
        let here = server.bash(&world, command);
        assert_eq!(response["reply"]["stdout"], here.body, "{command}");
        assert_eq!(response["reply"]["exit"].to_string(), here.header("x-guard-host-exit").unwrap(), "{command}");
    }
    // A call from another machine is logged like any other.
    assert_eq!(world.audit().iter().filter(|line| line["cwd"] == "/srv/app").count(), 2, "{:?}", world.audit());
}

#[test]
fn what_would_have_to_be_known_is_named_and_counts_once_it_is_known() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let command = "cat notes";
    let first = said(&decide(&server, &of_command(command, &json!({}))));
    let missing = &first["missing"]["entries"];
    assert!(missing.as_array().unwrap().contains(&json!("/srv")), "{first}");
    let last = learned(&server, of_command(command, &json!({})), |path| match path {
        "/srv" | "/srv/app" | "/home" | "/home/them" | "/home/them/.ssh" => "dir",
        "/home/them/.ssh/id_rsa" => "file",
        "/srv/app/notes" => "link:/home/them/.ssh/id_rsa",
        _ => "absent",
    });
    assert_eq!(last["verdict"]["outcome"], "deny", "{last}");
    assert!(last["reply"]["stdout"].as_str().unwrap().contains("id_rsa"), "{last}");
}

#[test]
fn rounds_without_a_deny_are_logged_and_counted_once() {
    let world = World::new();
    world.configure("[audit]\nlevel = \"all\"\n");
    let server = Server::start(&world, &[]);
    let call = |command: &str| {
        let at = json!({ "cwd": "/srv/app", "project-root": "/srv/app", "home": "/home/them", "harness": "codex" });
        json!({ "calls": [bash(command)], "at": at, "facts": {} })
    };
    let nothing_there = |path: &str| if matches!(path, "/srv" | "/srv/app") { "dir" } else { "absent" };
    assert_eq!(learned(&server, call("cat notes"), nothing_there)["verdict"]["outcome"], "abstain");
    let operations = || world.audit().iter().map(|line| line["operation"].clone()).collect::<Vec<_>>();
    assert_eq!(operations(), ["cat notes"]);
    // After a deny, no more facts are requested.
    let denied = said(&decide(&server, &call("rm -rf / && cat notes")));
    assert!(!denied["missing"]["entries"].as_array().unwrap().is_empty(), "{denied}");
    assert_eq!(operations(), ["cat notes", "rm -rf / && cat notes"]);
    let found = numbers(&server);
    let calls = |verdict: &str, harness: &str| calls(&found, verdict, harness);
    assert_eq!((calls("abstain", "codex"), calls("deny", "codex")), (Some(1.0), Some(1.0)), "{found:?}");
    assert!(calls("incomplete", "codex").is_some_and(|rounds| rounds >= 1.0), "{found:?}");
    assert_eq!(server.post("/decide", "{}x").status, 400);
    assert_eq!(numbers(&server).iter().filter(|(name, _)| name.contains("\"codex\"")).count(), 3);
}

#[test]
fn calls_in_the_hosts_own_words_are_one_event() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let request = json!({
        "calls": [bash("ls"), bash("git push --force origin main")],
        "at": { "cwd": "/srv/app", "project-root": "/srv/app", "home": "/home/them", "harness": "generic" },
    });
    let response = said(&decide(&server, &request));
    assert_eq!(response["verdict"]["outcome"], "deny", "{response}");
    assert_eq!(response["reply"], Value::Null, "{response}");
    // The log names the call that decided.
    let lines = world.audit();
    let named: Vec<_> = lines.iter().map(|line| (&line["operation"], &line["action"])).collect();
    assert_eq!(named, [(&json!("git push --force origin main"), &json!("block"))]);
    let mut one = request;
    one["only"] = json!(["protected-files"]);
    assert_eq!(said(&decide(&server, &one))["verdict"]["outcome"], "abstain");
}

#[test]
fn a_home_that_nobody_names_lies_outside_of_the_project() {
    let world = World::new();
    world.configure("preset = \"full\"");
    let server = Server::start(&world, &[]);
    for (command, home, outcome) in [
        ("touch ~/notes", "/home/them", "ask"),
        ("touch ~/notes", "", "ask"),
        ("touch notes", "/home/them", "abstain"),
        ("touch notes", "", "abstain"),
    ] {
        let mut request = of_command(command, &json!({}));
        request["at"] = json!({ "project-root": "/srv/app", "home": home });
        let response = learned(&server, request, |path| {
            if matches!(path, "/srv" | "/srv/app" | "/srv/app/.git") { "dir" } else { "absent" }
        });
        assert_eq!(response["verdict"]["outcome"], outcome, "{command} {home}: {response}");
    }
}

#[test]
fn what_cannot_be_decided_is_no_verdict() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let ls = of_command("ls", &json!({}));
    let with = |key: &str, value: Value| {
        let mut request = ls.clone();
        request[key] = value;
        request
    };
    let call = json!({ "tool": "Bash", "original-tool": "Bash", "input": {}, "dialect": "bash" });
    let unread = json!({ "tool": "Bash", "original-tool": "Bash", "input": { "command": "rm -rf /" } });
    let mut said = String::new();
    for request in [
        json!(7),
        json!({}),
        with("fact", json!({})),
        with("facts", json!({ "paths": {} })),
        with("harness", json!("nobody")),
        with("calls", json!([call])),
        json!({ "calls": [unread] }),
        json!({ "calls": vec![call; 257] }),
        json!({ "payload": { "tool_name": 7, "tool_input": {} } }),
    ] {
        let answered = decide(&server, &request);
        assert_eq!(answered.status, 400, "{request}: {answered:?}");
        said += &format!("{}\n", answered.body);
    }
    // Thousands of facts are missing for it.
    let mut deep = of_command("ls", &json!({}));
    deep["at"] = json!({ "home": "/home/them" });
    deep["payload"]["cwd"] = json!("/a".repeat(2047));
    let answered = decide(&server, &deep);
    assert_eq!(answered.status, 400);
    assert_text!("decide_refused", said + &answered.body);
    assert_eq!(server.ask("POST", "/decide", None, ls.to_string().as_bytes()).status, 401);
    assert_eq!(server.ask("GET", "/decide", Some(&format!("Bearer {}", server.token)), b"").status, 405);
}
