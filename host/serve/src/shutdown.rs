//! [`ShutdownSignals`]: the signals with which a person or the system ends the server.

use std::io;

use tokio::select;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlShutdown, ctrl_break, ctrl_c, ctrl_shutdown};

/// The signals that end the server.
#[cfg(unix)]
pub(crate) struct ShutdownSignals {
    terminate: Signal,
    interrupt: Signal,
}

#[cfg(unix)]
impl ShutdownSignals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(ShutdownSignals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for a signal.
    pub(crate) async fn wait(&mut self) {
        select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// The signals that end the server.
#[cfg(windows)]
pub(crate) struct ShutdownSignals {
    interrupt: CtrlC,
    stop: CtrlBreak,
    shutdown: CtrlShutdown,
}

#[cfg(windows)]
impl ShutdownSignals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(ShutdownSignals { interrupt: ctrl_c()?, stop: ctrl_break()?, shutdown: ctrl_shutdown()? })
    }

    /// Waits for a signal.
    pub(crate) async fn wait(&mut self) {
        select! {
            _ = self.interrupt.recv() => {}
            _ = self.stop.recv() => {}
            _ = self.shutdown.recv() => {}
        }
    }
}
