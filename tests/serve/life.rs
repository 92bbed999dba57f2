//! The start, end and restart of a server, and that no call is lost.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::client::{Server, bash, read_answer, socket};
use crate::support::guests;
use crate::support::reply::assert_ask;
use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn of_a_thousand_calls_at_once_none_is_lost() {
    const THREADS: usize = 20;
    const EACH: usize = 50;
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let world = World::new();
    let server = Server::start(&world, &[]);
    let ask = |thread: usize| {
        let mut streams: Vec<_> = (0..EACH).map(|_| server.connect()).collect();
        for (number, stream) in streams.iter_mut().enumerate() {
            let payload = bash(&world, &format!("rm -rf / # {thread}-{number}-"));
            let authorization = format!("Bearer {}", server.token);
            let request = server.request("POST", "/hook/claude", Some(&authorization), payload.as_bytes());
            stream.write_all(&request).unwrap();
        }
        for stream in &mut streams {
            let answered = read_answer(&mut **stream);
            // A machine that is too slow for the deadline asks.
            assert!(answered.status == 200 && matches!(answered.decision().as_str(), "deny" | "ask"), "{answered:?}");
        }
    };
    let ask = &ask;
    thread::scope(|scope| (0..THREADS).for_each(|thread| drop(scope.spawn(move || ask(thread)))));
    let lines = world.audit();
    let calls: BTreeSet<&str> = lines.iter().map(|line| line["operation"].as_str().unwrap()).collect();
    assert_eq!((lines.len(), calls.len()), (THREADS * EACH, THREADS * EACH));
    assert!(server.ask("GET", "/health", None, b"").body.contains("\"calls\":1000,"));
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_server_that_is_told_to_end_answers_the_calls_that_run() {
    let world = World::new();
    guests::chain(&world, &["endless-loop"], "limits = { time-ms = 400 }\n");
    let server = Server::start(&world, &[]);
    let mut streams: Vec<_> = (0..2).map(|_| server.connect()).collect();
    let idle = server.connect();
    for stream in &mut streams {
        let authorization = format!("Bearer {}", server.token);
        let request = server.request("POST", "/hook/claude", Some(&authorization), bash(&world, "ls").as_bytes());
        stream.write_all(&request).unwrap();
    }
    thread::sleep(Duration::from_millis(200));
    let ending = thread::spawn(move || server.end());
    for stream in &mut streams {
        assert_ask(&read_answer(&mut **stream).ended(), &["[endless-loop: policy-fault]"]);
    }
    assert_eq!(ending.join().unwrap().0, Some(0));
    assert_eq!(world.audit().len(), 2);
    drop(idle);
}

#[test]
fn a_server_that_its_own_configuration_names_does_not_start() {
    let world = World::new();
    let address = crate::support::world::free_address();
    let port = address.rsplit_once(':').unwrap().1;
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let token = world.path("token");
        world.configure(&format!("[remote]\nurl = 'http://{host}:{port}/'\ntoken-file = '{}'\n", token.display()));
        let ended = world.run(&["serve", "--listen", &address], "");
        assert!(ended.exit == 78 && ended.stderr.contains("`[remote]` names this server itself"), "{ended:?}");
        assert!(ended.stderr.contains("hint: remove `[remote]`"), "{ended:?}");
    }
}

#[test]
fn a_second_server_is_refused_and_the_first_one_goes_on() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let other = world.path("other-state");
    let other = other.to_str().unwrap();
    let mut transcript = Transcript::default();
    for (arguments, exit) in [
        (&["serve", "--listen", "127.0.0.1:0"][..], 69),
        (&["serve", "--listen", &server.address, "--state", other], 69),
        (&["serve", "--listen", "0.0.0.0:0", "--state", other], 64),
        (&["serve", "--listen", "192.0.2.1:80", "--state", other], 64),
        (&["serve", "--listen", "localhost"], 64),
    ] {
        transcript.add(&world, exit, &world.run(arguments, ""));
    }
    assert_text!("serve_second", transcript.0);
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
}

#[test]
fn a_server_at_a_socket_that_was_killed_leaves_room_for_the_next() {
    let world = World::new();
    let path = socket(&world);
    let arguments = ["--socket", path.to_str().unwrap()];
    let mut server = Server::start(&world, &arguments);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
    let other = world.path("other-state");
    let second = world.run(&["serve", "--socket", arguments[1], "--state", other.to_str().unwrap()], "");
    assert_eq!(second.exit, 69, "{second:?}");
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
    server.signal("-KILL");
    server.child.wait().unwrap();
    assert!(path.exists(), "a server that is killed cannot remove its socket");
    let token = server.token.clone();
    drop(server);
    let server = Server::start(&world, &arguments);
    assert_eq!(server.token, token);
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
    assert_eq!(world.audit().len(), 3, "what was answered before is on record");
    assert_eq!(server.end().0, Some(0));
    assert!(!path.exists());
}

#[test]
fn what_lies_in_the_place_of_a_socket_stays() {
    let world = World::new();
    let path = world.write("serve.sock", "mine");
    let ended = world.run(&["serve", "--socket", path.to_str().unwrap()], "");
    assert_text!("serve_socket", &world, 69, ended);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_token_that_others_can_read_is_none() {
    let world = World::new();
    let path = world.write("token", "0123456789abcdef0123456789abcdef\n");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--token-file", path.to_str().unwrap()];
    let told = [0o644, 0o620].map(|mode| {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let ended = world.run(&arguments, "");
        assert_eq!(ended.exit, 78, "{ended:?}");
        normalized_output(&world, &ended)
    });
    assert_text!("serve_token", told.concat());
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let mut server = Server::start(&world, &arguments[3..]);
    server.token = "0123456789abcdef0123456789abcdef".to_owned();
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
}
