//! A server in a world, and a minimal HTTP client.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::json;

use crate::support::world::{PATIENCE, ProcessOutput, World};

/// A running server. It is killed at the end of its test.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// The part after `http://`, or the path of a socket.
    pub(crate) address: String,
    pub(crate) token: String,
    noted: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

/// A connection of either kind.
pub(super) trait Stream: Read + Write + Send {
    fn end(&self);
}

impl Stream for TcpStream {
    fn end(&self) {
        let _ = self.shutdown(std::net::Shutdown::Write);
    }
}

impl Stream for UnixStream {
    fn end(&self) {
        let _ = self.shutdown(std::net::Shutdown::Write);
    }
}

/// A server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerAnswer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl ServerAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the output and exit code that the hook would have had.
    pub(crate) fn ended(&self) -> ProcessOutput {
        let exit = self.header("x-guard-host-exit").and_then(|exit| exit.parse().ok()).unwrap_or(-1);
        ProcessOutput { exit, stdout: self.body.clone(), stderr: String::new() }
    }

    pub(crate) fn decision(&self) -> String {
        self.ended().decision()
    }

    pub(crate) fn reason(&self) -> String {
        self.ended().reason()
    }
}

impl Server {
    /// Starts a server at a port that the system chooses.
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Server {
        let at = if arguments.contains(&"--socket") { &[][..] } else { &["--listen", "127.0.0.1:0"] };
        Server::of(world.command(&[&["serve"], at, arguments].concat()), world)
    }

    pub(crate) fn of(mut command: Command, world: &World) -> Server {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let stderr = child.stderr.take().unwrap();
        let noted = Arc::new(Mutex::new(String::new()));
        let kept = noted.clone();
        let reader = thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = writeln!(kept.lock().unwrap(), "{line}");
            }
        });
        let address = first.trim().strip_prefix("listening at ").unwrap_or_else(|| {
            let _ = child.wait();
            panic!("it does not listen: {first}{}", noted.lock().unwrap())
        });
        let address = address.trim_start_matches("http://").to_owned();
        let token = std::fs::read_to_string(world.path(".local/state/guard-host/serve.token")).unwrap_or_default();
        Server { child, address, token: token.trim().to_owned(), noted, reader: Some(reader) }
    }

    pub(super) fn connect(&self) -> Box<dyn Stream> {
        if self.address.starts_with('/') {
            let stream = UnixStream::connect(&self.address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            return Box::new(stream);
        }
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Box::new(stream)
    }

    /// Returns the text of a request.
    pub(super) fn request(&self, method: &str, path: &str, authorization: Option<&str>, body: &[u8]) -> Vec<u8> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n", body.len());
        if let Some(value) = authorization {
            let _ = write!(head, "authorization: {value}\r\n");
        }
        [head.as_bytes(), b"\r\n", body].concat()
    }

    pub(super) fn ask(&self, method: &str, path: &str, authorization: Option<&str>, body: &[u8]) -> ServerAnswer {
        let mut stream = self.connect();
        let text = self.request(method, path, authorization, body);
        // A server that rejects a request needn't read all of it.
        let _ = stream.write_all(&text);
        read_answer(&mut *stream)
    }

    /// Posts a payload with the right token.
    pub(crate) fn post(&self, path: &str, body: &str) -> ServerAnswer {
        self.ask("POST", path, Some(&format!("Bearer {}", self.token)), body.as_bytes())
    }

    /// Posts a `Bash` call of the session `s1` in the project.
    pub(crate) fn bash(&self, world: &World, command: &str) -> ServerAnswer {
        self.post("/hook/claude", &bash(world, command))
    }

    pub(super) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Stops the server gracefully. Returns its exit code and output.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        self.signal("-TERM");
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        (status.code(), self.noted())
    }

    /// Kills the server. Returns its output.
    pub(crate) fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        self.noted()
    }

    pub(super) fn noted(&self) -> String {
        self.noted.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the payload of a `Bash` call of the session `s1` in the project.
pub(crate) fn bash(world: &World, command: &str) -> String {
    json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command },
    })
    .to_string()
}

pub(super) fn read_answer(stream: &mut dyn Read) -> ServerAnswer {
    let mut reader = BufReader::new(stream);
    let mut headers = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        headers += &line.replace("\r\n", "\n");
    }
    let mut answered = ServerAnswer { status: 0, headers, body: String::new() };
    answered.status = answered.headers.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let length = answered.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    answered.body = String::from_utf8(body).unwrap();
    answered
}

/// Returns a socket in the world's home, whose path is short.
pub(super) fn socket(world: &World) -> PathBuf {
    world.path("serve.sock")
}
