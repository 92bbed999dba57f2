//! [`Responder`]: gives a hook process's reply, exactly once.
//!
//! The watchdog and the panic hook can answer instead of the main thread, in the form known so far.

use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use super::open_call::{OpenCall, start};
use guard_contract::limits::TICK;
use guard_contract::verdict::Verdict;
use guard_contract::{Outcome, rank};
use guard_engine::Engine;
use guard_engine::clock::Ticks;
use guard_harness::response::BLOCK;
use guard_harness::{Harness, Reply, text};
use guard_state::environment::Environment;

/// The exit code of a report: the hook decides nothing.
const REPORT: u8 = 1;

/// The one call of this process and the output of its reply.
pub(super) struct Responder {
    /// The call.
    pub(super) call: OpenCall,
    exit: AtomicU8,
    engine: OnceLock<Engine>,
}

impl Responder {
    /// Installs the panic hook and starts the watchdog. If the watchdog can't start, nothing limits the call, so the
    /// reply is an immediate ask, or a denial with a managed file.
    pub(super) fn start(harness: &'static dyn Harness, environment: &Environment, is_managed: bool) -> Arc<Self> {
        let responder = Arc::new(Responder {
            call: OpenCall::new(environment.started, harness),
            exit: AtomicU8::new(REPORT),
            engine: OnceLock::new(),
        });
        // Until the managed file is read, it may have a lock.
        responder.call.set_fails_closed(is_managed);
        let watched = responder.clone();
        std::panic::set_hook(Box::new(move |_| {
            watched.answer("guard-host failed inside", "report this call");
            std::process::exit(watched.exit.load(Ordering::SeqCst).into());
        }));
        let watched = responder.clone();
        if start(Box::new(move || watched.watch())).is_err() {
            responder.answer("the machine has no room for a watchdog", "try again, or raise the limits of the process");
        }
        responder
    }

    /// Sets the engine on which the clock of the guests' time limits ticks.
    pub(super) fn set_engine(&self, engine: Engine) {
        let _ = self.engine.set(engine);
    }

    /// Prints the reply, unless another thread has, and writes the audit line. Returns the exit code.
    pub(super) fn reply(&self, verdict: &Verdict) -> u8 {
        if !self.call.take() {
            park();
        }
        self.deliver(verdict)
    }

    /// Reports an error and decides nothing.
    pub(super) fn report(&self, text: &str) -> u8 {
        if !self.call.take() {
            park();
        }
        print(&report(text));
        // The report was printed, and nothing may be printed after it.
        let _ = self.call.log_report(text);
        REPORT
    }

    fn deliver(&self, verdict: &Verdict) -> u8 {
        // From here on, an error must not look like consent.
        self.exit.store(BLOCK, Ordering::SeqCst);
        let unlogged = self.call.log_first(verdict);
        let verdict = unlogged.as_ref().map_or(verdict, |unlogged| &unlogged.verdict);
        let reply = self.call.reply(verdict);
        // Until the reply was printed, no exit code may look like consent.
        let unsaid = if rank(verdict.outcome) >= rank(Outcome::Ask) { BLOCK } else { reply.exit };
        self.exit.store(unsaid, Ordering::SeqCst);
        let exit = if print(&reply) {
            reply.exit
        } else {
            if reply.stderr.is_empty() && unsaid == BLOCK {
                print_error(&format!("{}\n", text::reason(verdict)));
            }
            unsaid
        };
        self.exit.store(exit, Ordering::SeqCst);
        // The reply was printed, and nothing may be printed after it.
        let _ = self.call.log(verdict);
        exit
    }

    fn watch(&self) {
        pin_to_processor();
        let mut ticks = Ticks::start();
        loop {
            thread::sleep(TICK);
            if let Some(engine) = self.engine.get() {
                ticks.catch_up(engine);
            }
            if self.call.left().is_zero() {
                self.answer("there was no verdict in time", "try again; `guard-host explain` shows what takes long");
                // Another thread has the reply and is writing the audit line, which must not hang either.
                thread::sleep(Duration::from_secs(1));
                std::process::exit(self.exit.load(Ordering::SeqCst).into());
            }
        }
    }

    /// Answers with the most severe opinion so far, at least an ask, and ends the process. Returns if a reply was
    /// already given.
    fn answer(&self, text: &str, remedy: &str) {
        if !self.call.take() {
            return;
        }
        let exit = self.deliver(&self.call.early(text, remedy));
        std::process::exit(exit.into());
    }
}

/// Pins this thread to its processor. If it moved to another one, the process's end would have to wait for that
/// processor to wake up, which takes some 5 % of a call.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(portable)))]
fn pin_to_processor() {
    let cpu = rustix::thread::sched_getcpu();
    if cpu < rustix::thread::CpuSet::MAX_CPU {
        let mut here = rustix::thread::CpuSet::new();
        here.set(cpu);
        // It also works if this fails.
        let _ = rustix::thread::sched_setaffinity(None, &here);
    }
}

#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(portable))))]
fn pin_to_processor() {}

/// Sleeps, because another thread has the reply and ends the process.
fn park() -> ! {
    loop {
        thread::park();
    }
}

/// Creates the reply that decides nothing, with the reason.
pub fn report(text: &str) -> Reply {
    Reply { stderr: format!("Hook error: {text}\n"), exit: REPORT, ..Reply::default() }
}

/// Prints a reply. Returns whether all of its standard output was written.
fn print(reply: &Reply) -> bool {
    let is_out = reply.stdout.is_empty() || write_out(&reply.stdout).is_ok();
    print_error(&reply.stderr);
    is_out
}

/// Writes to standard output directly, because the standard library ignores that it is closed.
fn write_out(text: &str) -> std::io::Result<()> {
    guard_platform::process::output()?.write_all(text.as_bytes())
}

/// Writes to standard error, and ignores errors.
fn print_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
