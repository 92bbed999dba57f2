//! `guard-host serve` with a `[remote]`: it forwards to that server, over persistent connections.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stub::{Stub, say, verdict, wants};
use super::{ask, asking};
use crate::serve::client::Server;
use crate::support::world::World;

/// Returns the body of a request for one command.
fn request(command: &str) -> String {
    let at = json!({
        "cwd": "/r", "project-root": "/r", "repository": "", "home": "/h", "account-home": "/h", "session": "s",
        "harness": "claude", "permission-mode": "", "agent": "",
    });
    let call = json!({
        "tool": "Bash", "original-tool": "Bash", "input": { "command": command }, "dialect": "bash",
    });
    json!({ "calls": [call], "at": at }).to_string()
}

#[test]
fn a_relay_asks_its_server_over_one_connection() {
    let stub = Stub::of("Deny");
    let world = asking(&stub.url, "");
    let server = Server::start(&world, &[]);
    for _ in 0..10 {
        let answered = server.bash(&world, "ls");
        assert_eq!((answered.status, answered.decision().as_str()), (200, "deny"), "{answered:?}");
        assert!(answered.reason().contains("[central: told]"), "{answered:?}");
    }
    assert_eq!((stub.requests().len(), stub.connections()), (10, 1));
    // A changed configuration applies to the next call.
    let other = Stub::of("Ask");
    ask(&world, &other.url, "");
    assert_eq!(server.bash(&world, "ls").decision(), "ask");
}

#[test]
fn a_relay_tells_of_its_own_machine() {
    let world = asking("http://127.0.0.1:1", "");
    let path = world.repo().display().to_string();
    let some = json!({ "entries": [path] });
    let stub = Stub::start(move |_, number| say(&if number == 0 { wants(&some) } else { verdict("Deny") }));
    ask(&world, &stub.url, "");
    let server = Server::start(&world, &[]);
    assert_eq!(server.bash(&world, "ls").decision(), "deny");
    assert_eq!(stub.requests()[1]["facts"]["entries"][&path], "dir");
}

#[test]
fn a_relay_without_its_server_says_what_the_fallback_says() {
    let gone = Stub::of("Allow").url.clone();
    for (fallback, root, harmless) in [("ask", "ask", "ask"), ("deny", "deny", "deny"), ("local", "deny", "")] {
        let world = asking(&gone, &format!("fallback = \"{fallback}\""));
        let server = Server::start(&world, &[]);
        assert_eq!(server.bash(&world, "rm -rf /").decision(), root, "{fallback}");
        assert_eq!(server.bash(&world, "ls").decision(), harmless, "{fallback}");
        let protected = server.bash(&world, "rm ~/.config/guard-host/guard.toml");
        assert_eq!(protected.decision(), "deny", "{fallback}");
        // Requests for another machine have their own fallback.
        assert_eq!(server.post("/decide", &request("rm -rf /")).status, 503, "{fallback}");
    }
}

#[test]
fn a_relay_passes_on_what_is_asked_about_another_machine() {
    let stub = Stub::always(say(&wants(&json!({ "entries": ["/r/x"] }))));
    let world = asking(&stub.url, "");
    let server = Server::start(&world, &[]);
    let answered = server.post("/decide", &request("rm -rf /r/x"));
    assert_eq!(answered.status, 200, "{answered:?}");
    let body: Value = serde_json::from_str(&answered.body).unwrap();
    assert_eq!(body["missing"]["entries"], json!(["/r/x"]));
    let requests = stub.requests();
    assert_eq!((requests.len(), &requests[0]["calls"][0]["input"]["command"]), (1, &json!("rm -rf /r/x")));
    // The requester's log contains it.
    let refusing = Stub::of("Deny");
    ask(&world, &refusing.url, "");
    let refused: Value = serde_json::from_str(&server.post("/decide", &request("rm -rf /r/x")).body).unwrap();
    assert_eq!(refused["verdict"]["outcome"], "deny", "{refused}");
    assert_eq!(world.audit().len(), 0);
}

/// Two servers forward to each other, as one whose `url` is a proxy in front of it does.
#[test]
fn a_forwarded_call_is_not_forwarded_again() {
    let (one, other) = (World::new(), World::new());
    let (first, second) = (Server::start(&one, &[]), Server::start(&other, &[]));
    let forward = |world: &World, to: &Server| {
        world.write("remote.token", &to.token);
        ask(world, &format!("http://{}", to.address), "");
    };
    forward(&one, &second);
    assert_eq!(first.post("/decide", &request("rm -rf /")).status, 200, "the second one decides");
    forward(&other, &first);
    let began = Instant::now();
    let refused = first.post("/decide", &request("rm -rf /"));
    assert!(refused.status == 503 && refused.body.contains("has a `[remote]` too"), "{refused:?}");
    assert!(refused.body.contains(&second.address), "{refused:?}");
    assert_eq!(first.bash(&one, "ls").decision(), "ask", "the fallback");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let (_, noted) = first.end();
    assert!(noted.contains("it answers with 508") && noted.contains("a server forwarded this call"), "{noted}");
}
