//! [`Responder`]: owns the reply of one hook call, so that exactly one is given.
//!
//! The watchdog and the panic hook answer in the main thread's place, in the dialect seen so far.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Map;

use crate::audit;
use guard_config::{Audit, AuditLevel};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::limits::TICK;
use guard_contract::verdict::{FAULT, Opinion, Verdict, merge};
use guard_contract::{Outcome, rank};
use guard_engine::Engine;
use guard_engine::clock::Ticks;
use guard_harness::capabilities::Surface;
use guard_harness::response::BLOCK;
use guard_harness::{Harness, Reply, text};
use guard_state::environment::Environment;

/// The whole time of a call, from the start of the process, until the configuration says less.
const DEADLINE: Duration = Duration::from_secs(2);

/// The exit code of a report, which the seeds' harness takes for "no decision".
const REPORT: u8 = 1;

/// The stack of the watchdog, in bytes: it writes a reply and a line of the log.
const WATCHDOG_STACK: usize = 1 << 20;

/// The one reply of a hook call, and what it is made of if it comes early.
pub(super) struct Responder {
    started: Instant,
    deadline_ms: AtomicU64,
    replied: AtomicBool,
    exit: AtomicU8,
    dialect: Mutex<(&'static dyn Harness, &'static Surface)>,
    heard: Mutex<Vec<Opinion>>,
    engine: OnceLock<Engine>,
    record: Mutex<Option<(Audit, ToolCall, CallContext)>>,
}

impl Responder {
    /// Takes over panics and starts the watchdog. Without one nothing bounds a call, so it is asked about at once.
    pub(super) fn start(harness: &'static dyn Harness, environment: &Environment) -> Arc<Self> {
        let responder = Arc::new(Responder {
            started: environment.started,
            deadline_ms: AtomicU64::new(millis(DEADLINE)),
            replied: AtomicBool::new(false),
            exit: AtomicU8::new(REPORT),
            dialect: Mutex::new((harness, harness.capabilities().usual())),
            heard: Mutex::default(),
            engine: OnceLock::new(),
            record: Mutex::default(),
        });
        let watched = responder.clone();
        std::panic::set_hook(Box::new(move |_| watched.answer("guard-host failed inside", "report this call")));
        let watched = responder.clone();
        // Of a size that no variable of the environment changes.
        if thread::Builder::new().stack_size(WATCHDOG_STACK).spawn(move || watched.watch()).is_err() {
            responder.answer("the machine has no room for a watchdog", "try again, or raise the limits of the process");
        }
        responder
    }

    /// The reply goes out in this harness's dialect, as this surface of it takes it.
    pub(super) fn speak(&self, harness: &'static dyn Harness, surface: &'static Surface) {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = (harness, surface);
    }

    /// The clock of guests' time limits ticks on this engine.
    pub(super) fn set_engine(&self, engine: Engine) {
        let _ = self.engine.set(engine);
    }

    /// The deadline of the configuration.
    pub(super) fn set_deadline(&self, deadline: Duration) {
        self.deadline_ms.store(millis(deadline), Ordering::Relaxed);
    }

    /// What an audit line says besides the verdict.
    pub(super) fn set_record(&self, audit: &Audit, call: &ToolCall, at: &CallContext) {
        let record = (audit.clone(), call.clone(), at.clone());
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = Some(record);
    }

    /// Notes an opinion for the case that the deadline comes before the verdict.
    pub(super) fn record_opinion(&self, opinion: &Opinion) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(opinion.clone());
    }

    /// Gives the reply, if nobody has, then writes the audit line. Gives the exit code.
    pub(super) fn reply(&self, verdict: &Verdict) -> u8 {
        if !self.take() {
            park();
        }
        self.deliver(verdict)
    }

    /// Reports an error and decides nothing.
    pub(super) fn report(&self, text: &str) -> u8 {
        if !self.take() {
            park();
        }
        print(&report(text));
        // A call of which nothing is known is logged where every call is.
        if let Some(record) = attempt(&self.record)
            && let Some((audit, _, at)) = &*record
            && audit.level == AuditLevel::All
        {
            let call = ToolCall::new("", Map::from_iter([("error".to_owned(), text.into())]));
            let error = Opinion::of_host("hook", FAULT, Outcome::Abstain, text.to_owned(), String::new());
            let _ = audit::append(audit, &call, at, &merge([error]), self.started.elapsed());
        }
        REPORT
    }

    fn take(&self) -> bool {
        !self.replied.swap(true, Ordering::SeqCst)
    }

    fn deliver(&self, verdict: &Verdict) -> u8 {
        let unknown = || (guard_harness::default(), guard_harness::default().capabilities().usual());
        let (harness, surface) = attempt(&self.dialect).map_or_else(unknown, |dialect| *dialect);
        let reply = harness.encode(verdict, surface);
        // Until the reply is out, and if it never is, no exit code may pass for consent.
        let unsaid = if rank(verdict.outcome) >= rank(Outcome::Ask) { BLOCK } else { reply.exit };
        self.exit.store(unsaid, Ordering::SeqCst);
        let exit = if print(&reply) {
            reply.exit
        } else {
            if reply.stderr.is_empty() && unsaid == BLOCK {
                complain(&format!("{}\n", text::reason(verdict)));
            }
            unsaid
        };
        self.exit.store(exit, Ordering::SeqCst);
        if let Some(record) = attempt(&self.record)
            && let Some((audit, call, at)) = &*record
        {
            // The reply is out, and nothing may be printed after it.
            let _ = audit::append(audit, call, at, verdict, self.started.elapsed());
        }
        exit
    }

    fn watch(&self) {
        stay_here();
        let mut ticks = Ticks::start();
        loop {
            thread::sleep(TICK);
            if let Some(engine) = self.engine.get() {
                ticks.catch_up(engine);
            }
            if self.started.elapsed() >= Duration::from_millis(self.deadline_ms.load(Ordering::Relaxed)) {
                self.answer("there was no verdict in time", "try again; `guard-host explain` shows what takes long");
                // Somebody else has the reply and is writing the audit line: that must not hang either.
                thread::sleep(Duration::from_secs(1));
                std::process::exit(self.exit.load(Ordering::SeqCst).into());
            }
        }
    }

    /// Answers with the worst so far, at least ask, and ends the process. Returns if a reply was given already.
    fn answer(&self, text: &str, remedy: &str) {
        if !self.take() {
            return;
        }
        let heard = attempt(&self.heard).map(|heard| heard.clone()).unwrap_or_default();
        let own = Opinion::of_host("hook", "no-verdict", Outcome::Ask, text.to_owned(), remedy.to_owned());
        let exit = self.deliver(&merge(heard.into_iter().chain([own])));
        std::process::exit(exit.into());
    }
}

/// Keeps this thread on the processor that it was started on. The process can only end when another processor, if it was
/// moved there, has woken up to end it: some 5 % of a call.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn stay_here() {
    let cpu = rustix::thread::sched_getcpu();
    if cpu < rustix::thread::CpuSet::MAX_CPU {
        let mut here = rustix::thread::CpuSet::new();
        here.set(cpu);
        // Refused or not, it watches.
        let _ = rustix::thread::sched_setaffinity(None, &here);
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn stay_here() {}

/// The lock, unless its holder keeps it: the thread that panicked may be the holder.
fn attempt<T>(lock: &Mutex<T>) -> Option<std::sync::MutexGuard<'_, T>> {
    for _ in 0..20 {
        match lock.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

/// The other thread has the reply and ends the process.
fn park() -> ! {
    loop {
        thread::park();
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The reply that decides nothing and says why.
pub fn report(text: &str) -> Reply {
    Reply { stderr: format!("Hook error: {text}\n"), exit: REPORT, ..Reply::default() }
}

/// Prints a reply. Gives whether all that it says on standard output was taken.
fn print(reply: &Reply) -> bool {
    let is_out = reply.stdout.is_empty() || write_out(&reply.stdout).is_ok();
    complain(&reply.stderr);
    is_out
}

/// Writes to standard output itself: the standard library hides that it is closed, and opens the null device for it.
fn write_out(text: &str) -> std::io::Result<()> {
    let mut out = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let device = out.metadata()?;
    let null = std::fs::metadata("/dev/null");
    if device.file_type().is_char_device() && null.is_ok_and(|null| null.rdev() == device.rdev()) {
        return Err(ErrorKind::BrokenPipe.into());
    }
    out.write_all(text.as_bytes())
}

/// Writes to standard error. A reader that is gone is nobody to tell about it.
fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
