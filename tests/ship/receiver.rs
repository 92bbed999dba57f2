//! A receiver of OpenTelemetry logs on its own port, with faults from a test.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::Known;
use crate::support::http::{self, Life, Server};

/// The response to a request.
#[derive(Debug, Clone)]
pub(crate) enum Mode {
    /// Sends a status, headers and a text. With 200, the batch is accepted.
    Answer(u16, &'static str, String),
    /// Reads the request, and closes the connection.
    Close,
    /// Accepts the batch, and closes the connection in the middle of the answer.
    Half,
    /// Accepts the batch, and kills the client before it gets the answer.
    Kill,
    /// Reads the request, and doesn't answer until the receiver ends.
    Silent,
}

/// A received request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) head: String,
    pub(super) body: Value,
}

/// A receiver, which is stopped when this value is dropped.
pub(crate) struct Receiver {
    pub(crate) url: String,
    state: Arc<State>,
    _server: Server,
}

#[derive(Default)]
struct State {
    modes: Mutex<VecDeque<Mode>>,
    /// Heads and bodies as texts, which take less memory than values.
    requests: Mutex<Vec<(String, String)>>,
    /// The records of each batch, with their ids, as texts.
    taken: Mutex<Vec<Vec<(String, String)>>>,
    /// The process to kill.
    client: Mutex<Option<u32>>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let state = Arc::new(State::default());
        let shared = state.clone();
        let server = Server::start(move |request, stream, life| shared.answer(request, stream, life));
        Receiver { url: server.url(), state, _server: server }
    }

    /// Sets the responses to the next requests. Later ones are accepted.
    pub(crate) fn then(&self, modes: impl IntoIterator<Item = Mode>) {
        self.state.modes.lock().unwrap().extend(modes);
    }

    /// Accepts all requests from now on.
    pub(crate) fn recover(&self) {
        self.state.modes.lock().unwrap().clear();
    }

    /// Sets the process that [`Mode::Kill`] kills.
    pub(super) fn set_client(&self, client: u32) {
        *self.state.client.lock().unwrap() = Some(client);
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        let parsed =
            |(head, body): &(String, String)| Request { head: head.clone(), body: serde_json::from_str(body).unwrap() };
        self.state.requests.lock().unwrap().iter().map(parsed).collect()
    }

    /// Returns the accepted records in the order of their arrival.
    pub(super) fn records(&self) -> Vec<Known> {
        let parsed = |(id, record): (String, String)| (id, serde_json::from_str(&record).unwrap());
        self.state.taken.lock().unwrap().concat().into_iter().map(parsed).collect()
    }

    /// Returns the number of records in each batch.
    pub(super) fn batches(&self) -> Vec<usize> {
        self.state.taken.lock().unwrap().iter().map(Vec::len).collect()
    }

    pub(crate) fn ids(&self) -> BTreeSet<String> {
        self.state.taken.lock().unwrap().iter().flatten().map(|(id, _)| id.clone()).collect()
    }

    /// Returns the number of repeated records.
    pub(crate) fn twice(&self) -> usize {
        self.batches().iter().sum::<usize>() - self.ids().len()
    }

    /// Returns the number of records that were repeated with other content.
    pub(crate) fn differing(&self) -> usize {
        let taken = self.state.taken.lock().unwrap();
        let mut known = BTreeMap::new();
        let is_other = |(id, record): &&(String, String)| match known.insert(id.clone(), record.clone()) {
            Some(before) => before != *record,
            None => false,
        };
        taken.iter().flatten().filter(is_other).count()
    }
}

impl State {
    /// Answers one request. `None` closes the connection.
    fn answer(&self, request: http::Request, mut stream: &TcpStream, life: &Life) -> Option<()> {
        let (head, body) = (request.head, String::from_utf8(request.body).unwrap());
        serde_json::from_str::<serde::de::IgnoredAny>(&body).unwrap();
        self.requests.lock().unwrap().push((head, body.clone()));
        let mode = self.modes.lock().unwrap().pop_front().unwrap_or(Mode::Answer(200, "", "{}".to_owned()));
        if matches!(mode, Mode::Answer(200, ..) | Mode::Half | Mode::Kill) {
            self.taken.lock().unwrap().push(records(&body));
        }
        match mode {
            Mode::Answer(status, headers, text) => http::reply(stream, status, headers, &text),
            Mode::Close => None,
            Mode::Half => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"partial");
                None
            }
            Mode::Kill => {
                let client = loop {
                    if let Some(client) = self.client.lock().unwrap().take() {
                        break i32::try_from(client).unwrap();
                    }
                    thread::sleep(Duration::from_millis(5));
                };
                kill_process(Pid::from_raw(client).unwrap(), Signal::KILL).unwrap();
                None
            }
            Mode::Silent => {
                life.wait();
                None
            }
        }
    }
}

/// Returns the records of a request, with their ids.
fn records(body: &str) -> Vec<(String, String)> {
    let body: Value = serde_json::from_str(body).unwrap();
    // OCSF events are a list.
    if let Some(events) = body.as_array() {
        let id = |event: &Value| event["metadata"]["uid"].as_str().unwrap().to_owned();
        return events.iter().map(|event| (id(event), event.to_string())).collect();
    }
    let records = body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
    let id = |record: &Value| {
        let attributes = record["attributes"].as_array().unwrap();
        let own = attributes.iter().find(|attribute| attribute["key"] == "log.record.uid").unwrap();
        own["value"]["stringValue"].as_str().unwrap().to_owned()
    };
    records.iter().map(|record| (id(record), record.to_string())).collect()
}
