//! [`Clock`]: ticks for the time limits of guests, where no watchdog does it.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;

use crate::engine::{Engine, limits::TICK};

/// Ticks until it is dropped.
#[derive(Debug)]
pub struct Clock {
    _stop: Sender<()>,
}

impl Clock {
    /// Starts a thread that ticks.
    #[must_use]
    pub fn start(engine: Engine) -> Self {
        let (stop, stopped) = channel();
        thread::spawn(move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                engine.tick();
            }
        });
        Clock { _stop: stop }
    }
}
