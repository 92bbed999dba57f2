//! [`Clock`]: ticks for guests' time limits, in processes without a watchdog. [`Ticks`]: the number of ticks that are
//! due.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use crate::Engine;
use guard_contract::limits::TICK;

/// A thread that ticks until this is dropped.
#[derive(Debug)]
pub struct Clock {
    _stop: Sender<()>,
}

impl Clock {
    /// Starts a thread that ticks.
    #[must_use]
    pub fn start(engine: Engine) -> Self {
        let (stop, stopped) = channel();
        // If no thread can be started, a guest's memory and stack are still limited.
        let _ = thread::Builder::new().spawn(move || {
            let mut ticks = Ticks::start();
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                ticks.catch_up(&engine);
            }
        });
        Clock { _stop: stop }
    }
}

/// Counts ticks by elapsed time rather than by wake-ups, because a thread wakes up late on a busy machine.
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

    /// Ticks once for each [`TICK`] since the last call.
    pub fn catch_up(&mut self, engine: &Engine) {
        while self.last.elapsed() >= TICK {
            self.last += TICK;
            engine.tick();
        }
    }
}
