//! The more severe verdict of this machine and the server applies. Also other parts of an answer.

use std::fs;

use serde_json::json;

use super::stub::{Reply, Stub, missing, say, verdict};
use super::{ask, asking};
use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::terminal::attended;
use crate::support::texts::normalized_output;
use crate::support::world::{ProcessOutput, end};
use crate::texts::assert_text;

/// The expected reply.
#[derive(Debug, Clone, Copy)]
enum Expected {
    Silence,
    /// The message is shown without a decision.
    Note,
    Warning,
    Question,
    Refusal,
}
use Expected::{Note, Question, Refusal, Silence, Warning};

#[track_caller]
fn assert_is(ended: &ProcessOutput, expected: Expected) {
    match expected {
        Silence => assert_silent(ended),
        Note => assert_warn(ended, &["the server says Allow"]),
        Warning => assert_warn(ended, &["[central: told]"]),
        Question => assert_ask(ended, &[]),
        Refusal => assert_deny(ended, &[]),
    }
}

#[test]
fn the_more_severe_of_both_counts() {
    // The verdicts of `self-protect` on this machine: none, ask, deny.
    let calls = ["ls -la", "guard-host confirm x", "rm ~/.config/guard-host/guard.toml"];
    let table = [
        ("Abstain", [Silence, Question, Refusal]),
        ("Allow", [Note, Question, Refusal]),
        ("Warn", [Warning, Question, Refusal]),
        ("Ask", [Question, Question, Refusal]),
        ("Deny", [Refusal, Refusal, Refusal]),
    ];
    for (outcome, expected) in table {
        let stub = Stub::of(outcome);
        let world = asking(&stub.url, "");
        for (call, expected) in calls.into_iter().zip(expected) {
            assert_is(&world.bash(call), expected);
        }
    }
}

#[test]
fn the_chain_here_is_not_asked_where_a_server_answers() {
    let stub = Stub::of("Abstain");
    let world = asking(&stub.url, "");
    assert_silent(&world.bash("git push --force origin main"));
    let gone = Stub::of("Abstain").url.clone();
    ask(&world, &gone, "fallback = \"local\"");
    assert_deny(&world.bash("git push --force origin main"), &["command-guard: force-push-protected"]);
}

#[test]
fn a_server_never_skips_the_prompt_of_a_harness() {
    let stub = Stub::of("Allow");
    let world = asking(&stub.url, "");
    let ended = world.bash("ls");
    assert!(ended.decision().is_empty() && ended.exit == 0, "{ended:?}");
    assert_eq!(verdict("Allow")["verdict"]["skips-prompt"], true);
}

#[test]
fn several_calls_are_asked_about_at_once() {
    let stub = Stub::of("Deny");
    let world = asking(&stub.url, "");
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Add File: b.txt\n+x\n*** End Patch\n";
    let payload = json!({ "tool_name": "apply_patch", "tool_input": { "command": patch }, "cwd": world.repo() });
    let ended = world.run(&["hook", "codex"], &payload.to_string());
    assert!(ended.stdout.contains("[central: told]") || ended.stderr.contains("[central: told]"), "{ended:?}");
    let requests = stub.requests();
    assert_eq!((requests.len(), requests[0]["calls"].as_array().unwrap().len()), (1, 2), "{requests:?}");
    assert!(requests[0].get("payload").is_none());
}

#[test]
fn the_server_is_told_which_policies_a_hook_asks() {
    let stub = Stub::of("Abstain");
    let world = asking(&stub.url, "");
    let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "cwd": world.repo() }).to_string();
    world.run(&["hook", "claude", "--only", "command-guard"], &payload);
    world.run(&["hook", "claude"], &payload);
    let requests = stub.requests();
    assert_eq!((&requests[0]["only"], requests[1].get("only")), (&json!(["command-guard"]), None));
}

#[test]
fn no_allow_of_this_machine_lifts_what_a_server_asks() {
    let stub = Stub::of("Ask");
    let world = asking(&stub.url, "[[allow]]\ncommand = [\"git\", \"push\"]");
    let ended = world.bash("git push");
    assert_ask(&ended, &["[central: told]"]);
    assert!(!ended.reason().contains("guard-host allow"), "{ended:?}");
}

#[test]
fn a_person_can_confirm_what_a_server_asks() {
    let stub = Stub::of("Ask");
    let world = asking(&stub.url, "");
    assert_ask(&world.bash("git push"), &["[central: told]"]);
    let ended = attended(&world, &["confirm", "git push"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_eq!(world.bash("git push").decision(), "allow");
    assert_eq!(stub.requests().len(), 2);
    // A person can't approve a deny.
    let refusing = Stub::of("Deny");
    ask(&world, &refusing.url, "");
    assert_deny(&world.bash("git push"), &["[central: told]"]);
}

#[test]
fn a_pause_is_of_the_policies_here() {
    let stub = Stub::of("Deny");
    let world = asking(&stub.url, "");
    let paused = attended(&world, &["pause", "10m", "--all"]);
    assert_eq!(paused.exit, 0, "{paused:?}");
    assert_deny(&world.bash("ls"), &["[central: told]"]);
    // It doesn't replace the reason why the server only watches.
    let mut response = verdict("Abstain");
    response["verdict"]["findings"] = verdict("Deny")["verdict"]["findings"].clone();
    response["verdict"]["findings"][0]["finding"]["outcome"] = json!("abstain");
    response["verdict"]["findings"][0]["finding"]["tags"] = json!([["watched", "deny"]]);
    let watching = Stub::always(say(&response));
    ask(&world, &watching.url, "");
    let ended = world.bash("ls");
    assert_text!("remote_watching", normalized_output(&world, &ended));
}

#[test]
fn a_deny_counts_even_if_the_rest_is_never_learned() {
    for (outcome, expected) in [("Deny", "[central: told]"), ("Allow", "[remote: no-answer]")] {
        let mut first = verdict(outcome);
        first["missing"] = missing(&json!({ "entries": ["/x"] }));
        let stub = Stub::start(move |_, number| if number == 0 { say(&first) } else { Reply::Close });
        let ended = asking(&stub.url, "").bash("ls");
        assert_eq!(ended.decision(), if outcome == "Deny" { "deny" } else { "ask" }, "{ended:?}");
        assert!(ended.reason().contains(expected), "{ended:?}");
    }
}

#[test]
fn a_hook_that_brings_settings_has_its_policy_asked_here() {
    let stub = Stub::of("Abstain");
    let world = asking(&stub.url, "");
    let payload = json!({
        "tool_name": "Write", "tool_input": { "file_path": world.repo().join("a.odd"), "content": "x" }, "cwd": world.repo(),
    });
    let settings = world.write("own/write-policies.json", "{ \"protected\": [\"*.odd\"] }");
    let folder = settings.parent().unwrap().to_str().unwrap();
    let arguments = ["hook", "claude", "--only", "write-control", "--settings-dir", folder];
    assert_silent(&world.run(&arguments[..4], &payload.to_string()));
    assert_deny(&world.run(&arguments, &payload.to_string()), &["[write-control: protected-path]"]);
}

#[test]
fn the_audit_log_has_the_verdict_and_who_gave_it() {
    let stub = Stub::of("Deny");
    let world = asking(&stub.url, "");
    world.bash("ls");
    let gone = Stub::of("Deny").url.clone();
    ask(&world, &gone, "");
    world.bash("pwd");
    let lines = world.audit();
    let told: Vec<_> = lines.iter().map(|line| (&line["action"], &line["rules"], &line["operation"])).collect();
    assert_eq!(told[0], (&json!("block"), &json!(["central:told"]), &json!("ls")), "{lines:?}");
    assert_eq!(told[1], (&json!("confirm_required"), &json!(["remote:no-answer"]), &json!("pwd")), "{lines:?}");
}

#[test]
fn a_journal_is_written_where_its_policy_has_the_stream() {
    let mut response = verdict("Abstain");
    let line = |policy: &str, stream: &str| json!({ "policy": policy, "stream": stream, "object": "{\"who\":\"it\"}" });
    response["journal"] =
        json!([line("command-guard", "seen"), line("command-guard", "other"), line("central", "seen")]);
    let granted = "[[policy]]\nname = \"command-guard\"\n[policy.grants]\njournal = { seen = \"~/seen.jsonl\" }";
    let stub = Stub::always(say(&response));
    let world = asking(&stub.url, granted);
    assert_silent(&world.bash("ls"));
    let text = fs::read_to_string(world.path("seen.jsonl")).unwrap();
    assert!(text.lines().count() == 1 && text.contains("\"who\":\"it\""), "{text}");
    // A journal line that isn't an object makes the answer invalid.
    response["journal"][0]["object"] = json!("[]");
    let odd = Stub::always(say(&response));
    ask(&world, &odd.url, "");
    assert_ask(&world.bash("ls"), &["[remote: no-answer]"]);
}

#[test]
fn a_payload_that_cannot_be_read_is_asked_of_nobody() {
    let stub = Stub::of("Allow");
    let world = asking(&stub.url, "on-malformed = \"ask\"");
    let text = fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap();
    world.configure(&format!("on-malformed = \"ask\"\n{}", text.replace("on-malformed = \"ask\"\n", "")));
    assert_ask(&end(world.command(&["hook", "claude"]), "{"), &["malformed-payload"]);
    assert_eq!(stub.requests().len(), 0);
}
