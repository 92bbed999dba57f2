//! An HTTP server on its own port, with answers from a test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A request.
pub struct Request {
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<String> {
        let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
        self.head.to_ascii_lowercase().lines().find_map(value)
    }

    fn read(mut stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut request = Request { head: String::new(), body: Vec::new() };
        while !request.head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut request.head).ok()? == 0 {
                return None;
            }
        }
        if request.header("expect").is_some_and(|value| value == "100-continue") {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
        }
        request.body = vec![0; request.header("content-length").map_or(Some(0), |length| length.parse().ok())?];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }
}

/// A server, which is stopped when this value is dropped.
pub struct Server {
    pub port: u16,
    life: Arc<Life>,
}

/// The state of a server.
#[derive(Default)]
pub struct Life {
    ended: AtomicBool,
    connections: AtomicUsize,
}

impl Life {
    /// Waits for the end of the server.
    pub fn wait(&self) {
        while !self.ended.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Server {
    /// Starts a server whose `answer` writes the response to each request. If it returns `None`, the connection is
    /// closed.
    pub fn start(answer: impl Fn(Request, &TcpStream, &Life) -> Option<()> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (life, answer) = (Arc::new(Life::default()), Arc::new(answer));
        let shared = life.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::Relaxed) {
                    return;
                }
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let (life, answer) = (shared.clone(), answer.clone());
                let next = move |stream: &TcpStream| answer(Request::read(stream)?, stream, &life);
                thread::spawn(move || stream.map(|stream| while next(&stream).is_some() {}));
            }
        });
        Server { port, life }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.life.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.life.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Writes an answer with more headers, each with its line end. `None` if the client is gone.
pub fn reply(mut stream: &TcpStream, status: u16, headers: &str, text: &str) -> Option<()> {
    let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", text.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes())).ok()
}
