//! Failing servers: there is no answer, and the configuration's fallback applies.

use serde_json::{Value, json};

use super::stub::{Reply, Stub, say, verdict, wants};
use super::{TOKEN, asking};
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::normalize;
use crate::support::world::World;
use crate::texts::assert_text;

/// A command that every chain denies.
const ROOT: &str = "rm -rf /";

/// A command that `self-protect` denies, regardless of the server.
const PROTECTED: &str = "rm ~/.config/guard-host/guard.toml";

/// Checks that the fallback applies if there is no answer. Returns the reply to a harmless call.
#[track_caller]
fn falls_back(world: &World, fallback: &str) -> String {
    let (root, harmless, protected) = (world.bash(ROOT), world.bash("ls -la"), world.bash(PROTECTED));
    match fallback {
        "ask" => {
            assert_ask(&root, &["[remote: no-answer]"]);
            assert_ask(&harmless, &["[remote: no-answer]"]);
            assert_deny(&protected, &["self-protect: guard-file"]);
        }
        "deny" => {
            assert_deny(&root, &["[remote: no-answer]"]);
            assert_deny(&harmless, &["[remote: no-answer]"]);
            assert_deny(&protected, &["self-protect: guard-file", "[remote: no-answer]"]);
        }
        "local" => {
            assert_deny(&root, &["command-guard: rm-root"]);
            assert_silent(&harmless);
            assert_deny(&protected, &["self-protect: guard-file"]);
        }
        other => panic!("{other}"),
    }
    harmless.reason().lines().next().map_or_else(String::new, |line| normalize(world, &format!("{line}\n")))
}

/// Checks each fallback. `more` is added to the configuration.
#[track_caller]
fn no_answer(url: &str, more: &str) -> String {
    let fallbacks = ["ask", "deny", "local"];
    fallbacks.map(|fallback| falls_back(&asking(url, &format!("fallback = \"{fallback}\"\n{more}")), fallback)).concat()
}

fn broken(change: impl Fn(&mut Value)) -> Reply {
    let mut response = verdict("Allow");
    change(&mut response);
    say(&response)
}

#[test]
fn a_status_but_200_is_no_answer() {
    let answer = |status| Stub::always(Reply::Say(status, String::new(), verdict("Allow").to_string()));
    assert_text!("remote_status", [500, 503, 201, 401].map(|status| no_answer(&answer(status).url, "")).concat());
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Stub::of("Allow");
    let told = [301, 302, 307, 308].map(|status| {
        let headers = format!("location: {}/decide\r\n", other.url);
        let stub = Stub::always(Reply::Say(status, headers, verdict("Allow").to_string()));
        let world = asking(&stub.url, "fallback = \"deny\"");
        falls_back(&world, "deny")
    });
    assert_text!("remote_redirect", told.concat());
    assert_eq!(other.requests(), [json!(null); 0]);
}

#[test]
fn an_answer_that_cannot_be_read_is_none() {
    let allow = || verdict("Allow").to_string();
    let told = [String::new(), "allow".to_owned(), "{}".to_owned(), "null".to_owned(), allow() + "x"]
        .map(|text| no_answer(&Stub::always(Reply::Say(200, String::new(), text)).url, ""));
    assert_text!("remote_unreadable", told.concat());
}

#[test]
fn an_answer_with_words_that_are_not_known_is_none() {
    let mut told = String::new();
    for place in ["", "/verdict", "/verdict/findings/0", "/verdict/findings/0/finding"] {
        let reply = broken(|response| response.pointer_mut(place).unwrap()["but"] = json!("deny"));
        let stub = Stub::always(reply);
        let world = asking(&stub.url, "fallback = \"deny\"");
        told += &falls_back(&world, "deny");
    }
    let missing = broken(|response| response["missing"]["more"] = json!([]));
    told += &no_answer(&Stub::always(missing).url, "");
    assert_text!("remote_unknown_words", told);
}

#[test]
fn an_answer_that_contradicts_itself_is_none() {
    let mut told = String::new();
    for (outcome, found) in [("Allow", "Deny"), ("Abstain", "Ask"), ("Deny", "Allow"), ("Ask", "Deny")] {
        let reply = broken(|response| {
            *response = verdict(found);
            response["verdict"]["outcome"] = json!(outcome.to_lowercase());
        });
        let stub = Stub::always(reply);
        let world = asking(&stub.url, "fallback = \"ask\"");
        told += &falls_back(&world, "ask");
    }
    let without = broken(|response| response["verdict"]["findings"] = json!([]));
    told += &no_answer(&Stub::always(without).url, "");
    assert_text!("remote_contradiction", told);
}

#[test]
fn a_server_does_not_speak_for_a_person() {
    let reply = broken(|response| {
        response["verdict"]["findings"][0]["of-host"] = json!(true);
        response["verdict"]["findings"][0]["finding"]["rule"] = json!("session_allowlist");
    });
    assert_text!("remote_for_a_person", no_answer(&Stub::always(reply).url, ""));
}

#[test]
fn a_server_that_never_knows_enough_gives_no_answer() {
    let stub = Stub::start(|_, number| say(&wants(&json!({ "entries": [format!("/{number}")] }))));
    let told = no_answer(&stub.url, "");
    let world = asking(&stub.url, "");
    let before = stub.requests().len();
    world.bash("ls");
    assert_eq!(stub.requests().len() - before, 8);
    let greedy: Vec<String> = (0..513).map(|number| format!("/{number}")).collect();
    let greedy = Stub::always(say(&wants(&json!({ "entries": greedy }))));
    assert_text!("remote_never_enough", told + &no_answer(&greedy.url, ""));
}

#[test]
fn an_answer_of_more_than_a_mebibyte_is_none() {
    let mut response = verdict("Allow");
    response["verdict"]["findings"][0]["finding"]["message"] = json!("x".repeat(1 << 20));
    assert_text!("remote_too_large", no_answer(&Stub::always(say(&response)).url, ""));
}

#[test]
fn a_server_that_breaks_off_or_is_not_there_gives_no_answer() {
    // The system's error depends on timing.
    no_answer(&Stub::always(Reply::Close).url, "");
    no_answer(&Stub::always(Reply::Half).url, "");
    let gone = Stub::of("Allow").url.clone();
    assert_text!("remote_not_there", no_answer(&gone, ""));
}

#[test]
fn a_slow_server_gives_no_answer_and_the_deadline_holds() {
    let late = || Stub::always(Reply::Late(1500, verdict("Allow").to_string()));
    let told = [late(), Stub::always(Reply::Silent)].map(|stub| no_answer(&stub.url, "timeout-ms = 200"));
    assert_text!("remote_slow", told.concat());
    // The whole call's deadline is before the server's.
    for (fallback, expected) in [("ask", "ask"), ("deny", "deny")] {
        let stub = Stub::always(Reply::Silent);
        let world = asking(&stub.url, &format!("fallback = \"{fallback}\"\ntimeout-ms = 390"));
        let text = std::fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap();
        world.configure(&format!("deadline-ms = 400\n{text}"));
        let started = std::time::Instant::now();
        let ended = world.bash(ROOT);
        assert_eq!(ended.decision(), expected, "{ended:?}");
        assert!(started.elapsed().as_millis() < 1500, "{:?}", started.elapsed());
    }
}

#[test]
fn without_a_token_nothing_is_asked() {
    let stub = Stub::of("Allow");
    let told = [None, Some(""), Some("a b")].map(|text| {
        let world = asking(&stub.url, "fallback = \"deny\"");
        match text {
            Some(text) => drop(world.write("remote.token", text)),
            None => std::fs::remove_file(world.path("remote.token")).unwrap(),
        }
        falls_back(&world, "deny")
    });
    assert_text!("remote_without_token", told.concat());
    assert_eq!(stub.requests(), [json!(null); 0]);
    asking(&stub.url, "").bash("ls");
    let head = stub.heads().concat().to_ascii_lowercase();
    assert!(head.starts_with("post /decide http/1.1") && head.contains(&format!("authorization: bearer {TOKEN}")));
}

#[test]
fn a_mode_that_skips_prompts_does_not_skip_the_question_of_a_dead_server() {
    let gone = Stub::of("Allow").url.clone();
    let world = asking(&gone, "");
    let text = std::fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap();
    world.configure(&format!("bypass-ask = \"skip\"\n{text}"));
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "permission_mode": "bypassPermissions", "tool_input": { "command": ROOT },
    });
    assert_ask(&world.hook(&payload.to_string()), &["[remote: no-answer]"]);
}
