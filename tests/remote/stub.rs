//! A server on its own port, with replies from a test.

use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::{Life, Request, Server, reply};

/// The response to a request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// Sends a status, more headers, and a body.
    Say(u16, String, String),
    /// Sends this body after this many milliseconds.
    Late(u64, String),
    /// Closes the connection.
    Close,
    /// Closes the connection in the middle of the answer.
    Half,
    /// Never answers.
    Silent,
}

/// A server, which is stopped when this value is dropped.
pub(super) struct Stub {
    pub(super) url: String,
    server: Server,
    /// The heads and bodies of all requests so far.
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Stub {
    /// Starts a server whose reply depends on the request's body and the number of earlier requests.
    pub(super) fn start(decide: impl Fn(&Value, usize) -> Reply + Send + Sync + 'static) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let shared = requests.clone();
        let server = Server::start(move |Request { head, body }, stream, life| {
            let body: Value = serde_json::from_slice(&body).unwrap();
            let number = {
                let mut requests = shared.lock().unwrap();
                requests.push((head, body.clone()));
                requests.len() - 1
            };
            decide(&body, number).write(stream, life)
        });
        Stub { url: server.url(), server, requests }
    }

    /// Starts a server with the same reply to all requests.
    pub(super) fn always(reply: Reply) -> Self {
        Stub::start(move |_, _| reply.clone())
    }

    /// Starts a server whose verdict always has this outcome.
    pub(super) fn of(outcome: &str) -> Self {
        Stub::always(say(&verdict(outcome)))
    }

    /// Returns the bodies of all requests so far.
    pub(super) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// Returns the heads of all requests so far.
    pub(super) fn heads(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|(head, _)| head.clone()).collect()
    }

    /// Returns the number of connections.
    pub(super) fn connections(&self) -> usize {
        self.server.connections()
    }
}

impl Reply {
    /// Writes the answer. `None` closes the connection.
    fn write(self, mut stream: &TcpStream, life: &Life) -> Option<()> {
        match self {
            Reply::Say(status, headers, text) => reply(stream, status, &headers, &text),
            Reply::Late(milliseconds, text) => {
                thread::sleep(Duration::from_millis(milliseconds));
                reply(stream, 200, "", &text)
            }
            Reply::Close => None,
            Reply::Half => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"verdict\":{\"outcome\":");
                None
            }
            Reply::Silent => {
                life.wait();
                None
            }
        }
    }
}

/// Returns a response with status 200 and this body.
pub(super) fn say(body: &Value) -> Reply {
    Reply::Say(200, String::new(), body.to_string())
}

/// Returns a whole response with one finding of this outcome, or with none if it is `Abstain`.
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

/// Returns the facts that a server requests, with all other kinds empty.
pub(super) fn missing(some: &Value) -> Value {
    let mut all = json!({ "entries": [], "heads": [], "files": [], "env": [], "git": {} });
    for (key, value) in some.as_object().unwrap() {
        all[key] = value.clone();
    }
    all
}

/// Returns a response that lets the call run so far, and requests more facts.
pub(super) fn wants(some: &Value) -> Value {
    let mut response = verdict("Abstain");
    response["missing"] = missing(some);
    response
}
