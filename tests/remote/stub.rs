//! A server on a port of its own, which answers as a test tells it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What becomes of a request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// It is answered with a status, more headers, and a body.
    Say(u16, String, String),
    /// It is answered so, after this many milliseconds.
    Late(u64, String),
    /// The connection is closed.
    Close,
    /// The connection is closed in the middle of the answer.
    Half,
    /// It is never answered.
    Silent,
}

/// Gives a request's reply, from its body and the number of those before it.
type Decide = dyn Fn(&Value, usize) -> Reply + Send + Sync;

/// A server, which ends with this value.
pub(super) struct Stub {
    pub(super) url: String,
    state: Arc<State>,
}

struct State {
    decide: Box<Decide>,
    ended: AtomicBool,
    connections: AtomicUsize,
    requests: Mutex<Vec<(String, Value)>>,
}

impl Stub {
    pub(super) fn start(decide: impl Fn(&Value, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            decide: Box::new(decide),
            ended: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            requests: Mutex::default(),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::Relaxed) {
                    return;
                }
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let shared = shared.clone();
                thread::spawn(move || stream.map(|stream| while shared.answer(&stream).is_some() {}));
            }
        });
        Stub { url, state }
    }

    /// One that answers all requests alike.
    pub(super) fn always(reply: Reply) -> Self {
        Stub::start(move |_, _| reply.clone())
    }

    /// One whose verdict is always of this outcome.
    pub(super) fn of(outcome: &str) -> Self {
        Stub::always(say(&verdict(outcome)))
    }

    /// The bodies of all requests so far.
    pub(super) fn requests(&self) -> Vec<Value> {
        self.state.requests.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// The heads of all requests so far.
    pub(super) fn heads(&self) -> Vec<String> {
        self.state.requests.lock().unwrap().iter().map(|(head, _)| head.clone()).collect()
    }

    /// How many connections were made.
    pub(super) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
    }
}

impl State {
    /// Answers one request; none: the connection is closed.
    fn answer(&self, mut stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let lower = head.to_ascii_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "))?.trim().parse().ok()?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push((head, body.clone()));
            requests.len() - 1
        };
        let write = |status: u16, headers: &str, text: &str| {
            let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", text.len());
            (&*stream).write_all(head.as_bytes()).and_then(|()| (&*stream).write_all(text.as_bytes())).ok()
        };
        match (self.decide)(&body, number) {
            Reply::Say(status, headers, text) => write(status, &headers, &text),
            Reply::Late(milliseconds, text) => {
                thread::sleep(Duration::from_millis(milliseconds));
                write(200, "", &text)
            }
            Reply::Close => None,
            Reply::Half => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"verdict\":{\"outcome\":");
                None
            }
            Reply::Silent => {
                while !self.ended.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(20));
                }
                None
            }
        }
    }
}

/// Status 200 with this body.
pub(super) fn say(body: &Value) -> Reply {
    Reply::Say(200, String::new(), body.to_string())
}

/// A whole response with one finding of this outcome, or with none if it is `Abstain`.
pub(super) fn verdict(outcome: &str) -> Value {
    let finding = json!({
        "policy": "central", "of-host": false,
        "finding": {
            "rule": "told", "outcome": outcome.to_lowercase(), "message": format!("the server says {outcome}"), "remedy": "",
            "tags": [],
        },
    });
    let findings = if outcome == "Abstain" { json!([]) } else { json!([finding]) };
    json!({
        "verdict": {
            "outcome": outcome.to_lowercase(), "findings": findings, "skips-prompt": outcome == "Allow", "lifted": [], "closing": "",
        },
        "journal": [],
        "missing": missing(&json!({})),
    })
}

/// What a server asks for: these, and nothing else.
pub(super) fn missing(some: &Value) -> Value {
    let mut all = json!({ "entries": [], "heads": [], "files": [], "env": [], "git": {} });
    for (key, value) in some.as_object().unwrap() {
        all[key] = value.clone();
    }
    all
}

/// A response that lets the call run as far as it is known, and asks for more of the machine.
pub(super) fn wants(some: &Value) -> Value {
    let mut response = verdict("Abstain");
    response["missing"] = missing(some);
    response
}
