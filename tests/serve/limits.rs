//! A server's clients, and its limits.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::client::{Server, bash, read_answer};
use crate::support::guests;
use crate::support::reply::assert_ask;
use crate::support::world::{PATIENCE, World};

#[test]
fn only_who_shows_the_token_is_answered() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let payload = bash(&world, "rm -rf /");
    let right = format!("Bearer {}", server.token);
    for (authorization, status) in [
        (None, 401),
        (Some("Bearer nonsense"), 401),
        (Some("Bearer "), 401),
        (Some(server.token.as_str()), 401),
        (Some(right.as_str()), 200),
    ] {
        let answered = server.ask("POST", "/hook/claude", authorization, payload.as_bytes());
        assert_eq!(answered.status, status, "{authorization:?}: {answered:?}");
        assert_eq!(answered.header("www-authenticate").is_some(), status == 401);
        assert_eq!(answered.body.contains("token"), status == 401, "{answered:?}");
    }
    assert_eq!(world.audit().len(), 1, "what was refused is no call");
    for (method, path, status) in [
        ("GET", "/hook", 405),
        ("POST", "/hook/nonsense", 404),
        ("POST", "/hooks", 404),
        ("POST", "/", 404),
        ("POST", "/hook/claude/x", 404),
    ] {
        assert_eq!(server.ask(method, path, Some(&right), b"").status, status, "{method} {path}");
    }
    let (exit, noted) = server.end();
    assert_eq!((exit, noted.lines().count()), (Some(0), 9), "each refusal is told once: {noted}");
}

#[test]
fn health_is_for_all_and_tells_nothing_private() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    server.bash(&world, "ls");
    let answered = server.ask("GET", "/health", None, b"");
    assert_eq!((answered.status, answered.header("content-type")), (200, Some("application/json")));
    let mut body: Value = serde_json::from_str(&answered.body).unwrap();
    assert!(body["uptime_seconds"].take().is_u64());
    let version = env!("CARGO_PKG_VERSION");
    let expected = serde_json::json!({
        "status": "ok", "version": version, "uptime_seconds": null, "calls": 1, "config_problems": 0,
    });
    assert_eq!(body, expected);
    assert_eq!(server.ask("POST", "/health", None, b"").status, 405);
}

#[test]
fn a_body_that_is_too_large_is_refused_and_the_next_call_is_answered() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let answered = server.post("/hook/claude", &" ".repeat(64 << 20));
    assert_eq!(answered.status, 413);
    assert_eq!(answered.body, "{\"error\":\"the payload is larger than 16 MiB\"}");
    // The size of a chunked body isn't known in advance.
    let mut stream = server.connect();
    let head = format!(
        "POST /hook HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
    for _ in 0..17 {
        let _ = stream.write_all(&chunk);
    }
    let _ = stream.write_all(b"0\r\n\r\n");
    assert_eq!(read_answer(&mut *stream).status, 413);
    let longest = format!("{}{}", bash(&world, "rm -rf /"), " ".repeat(15 << 20));
    assert_eq!(server.post("/hook/claude", &longest).decision(), "deny");
    let noted = server.end().1;
    assert_eq!(noted.matches("status 413").count(), 2);
    for line in noted.lines() {
        let time = line.split_once(" guard-host serve: ").unwrap_or_else(|| panic!("{line}")).0;
        assert!(time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(), "{line}");
    }
}

#[test]
fn a_slow_client_is_let_go() {
    let world = World::new();
    let server = Server::start(&world, &["--read-timeout", "1"]);
    let head = format!("POST /hook HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n", server.token);
    for (sent, status) in
        [("", 0), ("POST /hook HT", 0), (head.as_str(), 0), (&format!("{head}content-length: 9\r\n\r\n{{"), 408)]
    {
        let started = Instant::now();
        let mut stream = server.connect();
        stream.write_all(sent.as_bytes()).unwrap();
        assert_eq!(read_answer(&mut *stream).status, status, "{sent}");
        assert!(started.elapsed() < Duration::from_secs(60), "{sent}");
    }
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
}

#[test]
fn what_is_no_http_is_refused() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    for text in [
        "nonsense\r\n\r\n",
        "POST /hook HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        "\u{0}\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream.end();
        assert!(matches!(read_answer(&mut *stream).status, 0 | 400 | 404 | 405), "{text}");
    }
    let long = format!("GET /health HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(1 << 20));
    let mut stream = server.connect();
    let _ = stream.write_all(long.as_bytes());
    assert!(matches!(read_answer(&mut *stream).status, 0 | 431));
    assert_eq!(server.bash(&world, "rm -rf /").decision(), "deny");
}

#[test]
fn more_connections_than_there_is_room_for_are_told_so() {
    let world = World::new();
    let server = Server::start(&world, &["--max-connections", "2"]);
    let held = [server.connect(), server.connect()];
    let mut third = server.connect();
    let answered = read_answer(&mut *third);
    assert_eq!((answered.status, answered.body.as_str()), (503, "{\"error\":\"there are too many connections\"}"));
    drop(held);
    let until = Instant::now() + Duration::from_secs(60);
    while server.ask("GET", "/health", None, b"").status != 200 {
        assert!(Instant::now() < until, "there is never room again");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_call_that_takes_too_long_is_asked_about_and_holds_no_other() {
    let world = World::new();
    guests::chain(&world, &["endless-loop"], "tools = [\"Bash\"]\nlimits = { time-ms = 1500 }\n");
    let config = world.path(".config/guard-host/guard.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    world.configure(&format!("deadline-ms = 200\n{text}"));
    let server = Server::start(&world, &["--max-calls", "1"]);
    // The chain is prepared, so that the deadline is shorter.
    server.post("/hook/claude", &bash(&world, "ls").replace("Bash", "Glob"));
    let started = Instant::now();
    for _ in 0..3 {
        assert_ask(&server.bash(&world, "ls").ended(), &["[hook: no-verdict]"]);
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(world.audit().len(), 3);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_client_that_reads_no_answers_is_let_go() {
    let world = World::new();
    let server = Server::start(&world, &["--read-timeout", "1", "--max-connections", "4"]);
    let request = server.request("GET", "/health", None, b"").repeat(1000);
    let held: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
            // Until unread answers keep the server from reading.
            while stream.write_all(&request).is_ok() {}
            stream
        })
        .collect();
    let until = Instant::now() + PATIENCE;
    let is_answered = || {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let asked = stream.write_all(&server.request("GET", "/health", None, b""));
        asked.is_ok() && read_answer(&mut stream).status == 200
    };
    while !is_answered() {
        assert!(Instant::now() < until, "the connections are held");
        thread::sleep(Duration::from_millis(100));
    }
    drop(held);
}

#[test]
fn notes_that_nobody_reads_hold_nothing() {
    let world = World::new();
    let mut command = world.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.trim().strip_prefix("listening at http://").unwrap();
    // More than a pipe's capacity.
    for _ in 0..1500 {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n").unwrap();
        assert_eq!(read_answer(&mut stream).status, 401);
    }
    rustix::process::kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_call_that_finds_no_thread_is_not_decided() {
    let world = World::new();
    guests::chain(&world, &["endless-loop"], "limits = { time-ms = 900 }\n");
    let server = Server::start(&world, &["--max-calls", "1"]);
    let payload = bash(&world, "ls");
    let statuses: Vec<u16> = thread::scope(|scope| {
        let ask = || server.post("/hook", &payload).status;
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    let decided = statuses.iter().filter(|status| **status == 200).count();
    assert!(statuses.iter().all(|status| matches!(status, 200 | 503)) && statuses.contains(&503), "{statuses:?}");
    // Exactly the decided calls are logged.
    assert_eq!(world.audit().len(), decided, "{statuses:?}");
}
