//! The network between a machine and its service, with simulated faults.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

/// The interval at which a connection checks the network's state.
const STEP: Duration = Duration::from_millis(10);

/// The behavior of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Passes on all data.
    Whole,
    /// Closes all connections.
    Cut,
    /// Holds back all data.
    Slow,
    /// Passes on the first half of an answer and closes the connection.
    Half,
}

/// A network, which is stopped when this value is dropped.
pub(super) struct Network {
    pub(super) address: String,
    state: Arc<State>,
}

struct State {
    service: String,
    wire: Mutex<Wire>,
    ended: AtomicBool,
}

impl Network {
    /// Creates a network in front of the service at this address.
    pub(super) fn to(service: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let service = service.to_owned();
        let state = Arc::new(State { service, wire: Mutex::new(Wire::Whole), ended: AtomicBool::new(false) });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = shared.clone();
                thread::spawn(move || shared.join(&stream));
            }
        });
        Network { address, state }
    }

    /// Sets the behavior from now on.
    pub(super) fn set(&self, wire: Wire) {
        *self.state.wire.lock().unwrap() = wire;
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(&self.address);
    }
}

impl State {
    fn wire(&self) -> Wire {
        if self.ended.load(Ordering::Relaxed) { Wire::Cut } else { *self.wire.lock().unwrap() }
    }

    fn join(&self, client: &TcpStream) {
        let service = TcpStream::connect(&self.service);
        if let (Wire::Whole | Wire::Slow | Wire::Half, Ok(service)) = (self.wire(), &service) {
            thread::scope(|scope| {
                scope.spawn(|| self.pass(client, service, false));
                self.pass(service, client, true);
            });
        }
        let _ = client.shutdown(Shutdown::Both);
    }

    /// Passes on data from one side until the connection ends.
    fn pass(&self, mut from: &TcpStream, mut to: &TcpStream, is_answer: bool) {
        let mut bytes = vec![0; 64 << 10];
        from.set_read_timeout(Some(STEP)).unwrap();
        while self.wire() != Wire::Cut {
            let count = match from.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
                Err(_) => break,
            };
            while self.wire() == Wire::Slow {
                sleep(STEP);
            }
            let is_half = is_answer && self.wire() == Wire::Half;
            let passed = if is_half { count / 2 } else { count };
            if to.write_all(&bytes[..passed]).is_err() || is_half {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }
}
