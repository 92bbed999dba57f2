//! [`Clock`]: ticks for the time limits of guests, where no watchdog does it; [`Ticks`]: how many are due.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use crate::Engine;
use guard_contract::limits::TICK;

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
        // Without room for a thread the memory and stack of a guest are bounded all the same.
        let _ = thread::Builder::new().spawn(move || {
            let mut ticks = Ticks::start();
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                ticks.catch_up(&engine);
            }
        });
        Clock { _stop: stop }
    }
}

/// Counts ticks by the time that has passed, not by how often a thread woke up: on a busy machine it wakes up late.
#[derive(Debug)]
pub struct Ticks {
    last: Instant,
}

impl Ticks {
    /// The first tick is due one [`TICK`] from now.
    #[must_use]
    pub fn start() -> Self {
        Ticks { last: Instant::now() }
    }

    /// Ticks once for each [`TICK`] since the last time.
    pub fn catch_up(&mut self, engine: &Engine) {
        while self.last.elapsed() >= TICK {
            self.last += TICK;
            engine.tick();
        }
    }
}
