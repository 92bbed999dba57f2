//! [`OpenCall`]: a call without a reply yet, with what is known about it, and the flag for who gives the reply.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Map;

use crate::audit::{self, AuditDetails, Decision};
use guard_chain::bypass;
use guard_config::{Audit, AuditLevel};
use guard_contract::Outcome;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::verdict::{BypassAsk, FAULT, Opinion, Verdict, merge};
use guard_harness::capabilities::Surface;
use guard_harness::{AskScene, Harness, Reply};

/// The time limit of a call from its start, until the configuration sets its own.
const DEADLINE: Duration = Duration::from_secs(2);

/// The maximum time that a reply waits for its audit line.
const LOG: Duration = Duration::from_millis(500);

/// The stack size of a thread that writes a reply or a line of the log, in bytes. Set explicitly, so that no
/// environment variable changes it.
const STACK: usize = 1 << 20;

/// A call without a reply yet. The first thread to [`OpenCall::take`] it gives the reply.
pub struct OpenCall {
    started: Instant,
    deadline_ms: AtomicU64,
    taken: AtomicBool,
    dialect: Mutex<(&'static dyn Harness, &'static Surface)>,
    heard: Mutex<Vec<Opinion>>,
    /// The verdict, while a copy is being made.
    decided: Mutex<Option<Verdict>>,
    record: Mutex<Option<(Audit, ToolCall, CallContext)>>,
    decision: Mutex<Option<Decision>>,
    /// The copy of what the call destroys.
    copy: Mutex<String>,
    is_log_tried: AtomicBool,
    is_unlogged: AtomicBool,
    denies_asks: AtomicBool,
    /// Whether a call without a verdict is denied.
    fails_closed: AtomicBool,
}

/// The verdict on a call whose audit line couldn't be written.
#[derive(Debug)]
pub struct Unlogged {
    /// The verdict that applies.
    pub verdict: Verdict,
    /// The reason why the line couldn't be written.
    pub error: io::Error,
}

impl std::fmt::Debug for OpenCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenCall").field("started", &self.started).finish_non_exhaustive()
    }
}

impl OpenCall {
    /// Creates a call that began at this time. Until its payload is read, its reply has the form for this harness.
    #[must_use]
    pub fn new(started: Instant, harness: &'static dyn Harness) -> Self {
        OpenCall {
            started,
            deadline_ms: AtomicU64::new(millis(DEADLINE)),
            taken: AtomicBool::new(false),
            dialect: Mutex::new((
                harness,
                harness.surface_of(harness.capabilities().usual_surface(), &AskScene::UNREAD),
            )),
            heard: Mutex::default(),
            decided: Mutex::default(),
            record: Mutex::default(),
            decision: Mutex::default(),
            copy: Mutex::default(),
            is_log_tried: AtomicBool::new(false),
            is_unlogged: AtomicBool::new(false),
            denies_asks: AtomicBool::new(false),
            fails_closed: AtomicBool::new(false),
        }
    }

    /// Returns the time since the call's start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the time left until the deadline.
    #[must_use]
    pub fn left(&self) -> Duration {
        Duration::from_millis(self.deadline_ms.load(Ordering::Relaxed)).saturating_sub(self.elapsed())
    }

    /// Takes the call. Returns true for the first caller, who then gives the reply, and false for all others.
    #[must_use]
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::SeqCst)
    }

    /// Formats the reply to this verdict, in the form that is known so far.
    #[must_use]
    pub fn reply(&self, verdict: &Verdict) -> Reply {
        let unknown = || (guard_harness::default(), guard_harness::default().capabilities().usual_surface());
        let (harness, surface) = attempt(&self.dialect).map_or_else(unknown, |dialect| *dialect);
        harness.encode(verdict, surface)
    }

    /// Returns the harness that the call comes from, as far as it is known.
    #[must_use]
    pub fn harness(&self) -> &'static dyn Harness {
        attempt(&self.dialect).map_or_else(guard_harness::default, |dialect| dialect.0)
    }

    /// Returns the verdict if no reply was given, for this reason: the chain's verdict if there is one, or else the
    /// most severe opinion so far, and at least an ask, or a denial if the managed file locks a policy.
    #[must_use]
    pub fn early(&self, text: &str, remedy: &str) -> Verdict {
        if let Some(decided) = attempt(&self.decided).and_then(|decided| decided.clone()) {
            return self.apply_bypass(decided);
        }
        let heard = attempt(&self.heard).map(|heard| heard.clone()).unwrap_or_default();
        let outcome = if self.fails_closed.load(Ordering::Relaxed) { Outcome::Deny } else { Outcome::Ask };
        let own = Opinion::from_host("hook", "no-verdict", outcome, text.to_owned(), remedy.to_owned());
        self.apply_bypass(merge(heard.into_iter().chain([own])))
    }

    /// Sets whether the call is denied if it gets no verdict, because a user could confirm an ask in place of a locked
    /// policy's denial.
    pub(super) fn set_fails_closed(&self, fails_closed: bool) {
        self.fails_closed.store(fails_closed, Ordering::Relaxed);
    }

    /// Turns asks into denies from now on, because the mode skips prompts and the configuration says so.
    pub(super) fn deny_asks(&self) {
        self.denies_asks.store(true, Ordering::Relaxed);
    }

    fn apply_bypass(&self, verdict: Verdict) -> Verdict {
        if self.denies_asks.load(Ordering::Relaxed) { bypass(verdict, BypassAsk::Deny) } else { verdict }
    }

    /// Returns whether the payload was read, so that the form of the reply and the call are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        attempt(&self.record).is_some_and(|record| record.is_some())
    }

    /// Writes the audit line before the reply, if no call may run without one. If that fails, returns the verdict that
    /// applies instead. Such a call can't be approved.
    #[must_use]
    pub fn log_first(&self, verdict: &Verdict) -> Option<Unlogged> {
        let audit = match attempt(&self.record).as_deref() {
            Some(Some((audit, ..))) if audit.on_error != Outcome::Abstain => audit.clone(),
            _ => return None,
        };
        let on_error = audit.on_error;
        let written = self.line(verdict).and_then(|line| match line {
            Some(line) => within(LOG, move || audit::write(&audit, &line)),
            None => Ok(()),
        });
        self.is_log_tried.store(true, Ordering::Relaxed);
        let error = written.err()?;
        self.is_unlogged.store(true, Ordering::Relaxed);
        let text = format!("no call may run without its line in the audit log, which cannot be written: {error}");
        let remedy = "look at the log's folder; `[audit]` in guard.toml names the file".to_owned();
        let own = Opinion::from_host("hook", "no-audit-line", on_error, text, remedy);
        let own = self.apply_bypass(merge([own]));
        let mut verdict = Verdict::all([verdict.clone(), own]);
        verdict.closing.clear();
        Some(Unlogged { verdict, error })
    }

    /// Writes the audit line of this verdict, if the log's level includes it and it wasn't attempted before.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn log(&self, verdict: &Verdict) -> io::Result<()> {
        if self.is_log_tried.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let line = self.line(verdict)?;
        match (line, attempt(&self.record).as_deref()) {
            (Some(line), Some(Some((audit, ..)))) => audit::write(audit, &line),
            _ => Ok(()),
        }
    }

    /// Returns whether the call lacks the audit line that it needed before its reply.
    #[must_use]
    pub fn is_unlogged(&self) -> bool {
        self.is_unlogged.load(Ordering::Relaxed)
    }

    fn line(&self, verdict: &Verdict) -> io::Result<Option<String>> {
        match attempt(&self.record).as_deref() {
            Some(Some((audit, call, at))) => {
                let decision = attempt(&self.decision);
                let decision = decision.as_deref().and_then(Option::as_ref);
                let copy = attempt(&self.copy);
                let copy = copy.as_deref().map(String::as_str).unwrap_or_default();
                audit::line(audit, call, at, verdict, AuditDetails { elapsed: self.elapsed(), decision, copy })
            }
            _ => Ok(None),
        }
    }

    /// Writes the audit line of a report. A call about which nothing is known is only logged if all calls are.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn log_report(&self, text: &str) -> io::Result<()> {
        match attempt(&self.record).as_deref() {
            Some(Some((audit, _, at))) if audit.level != AuditLevel::Interventions => {
                let call = ToolCall::new("", Map::from_iter([("error".to_owned(), text.into())]));
                let error = Opinion::from_host("hook", FAULT, Outcome::Abstain, text.to_owned(), String::new());
                let account = AuditDetails { elapsed: self.elapsed(), ..AuditDetails::default() };
                let line = audit::line(audit, &call, at, &merge([error]), account)?;
                line.map_or(Ok(()), |line| audit::write(audit, &line))
            }
            _ => Ok(()),
        }
    }

    /// Sets the harness and the surface for which the reply is formatted.
    pub(super) fn set_reply_form(&self, harness: &'static dyn Harness, surface: &'static Surface) {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = (harness, surface);
    }

    /// Sets the configured deadline.
    pub fn set_deadline(&self, deadline: Duration) {
        self.deadline_ms.store(millis(deadline), Ordering::Relaxed);
    }

    /// Sets the parts of the audit line besides the verdict.
    pub fn set_record(&self, audit: &Audit, call: &ToolCall, at: &CallContext) {
        let record = (audit.clone(), call.clone(), at.clone());
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = Some(record);
    }

    /// Sets the part of the audit line on how the call was decided.
    pub(super) fn set_decision(&self, decision: Decision) {
        *self.decision.lock().unwrap_or_else(PoisonError::into_inner) = Some(decision);
    }

    /// Sets the id of the copy in the audit line.
    pub(super) fn set_copy(&self, id: &str) {
        id.clone_into(&mut self.copy.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Records the verdict, in case the deadline passes before the copy is made.
    pub(crate) fn set_decided(&self, verdict: &Verdict) {
        *self.decided.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict.clone());
    }

    /// Records an opinion, in case the deadline passes before the verdict.
    pub(super) fn record_opinion(&self, opinion: &Opinion) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(opinion.clone());
    }
}

/// Runs the work on a new thread.
pub(super) fn start(work: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    thread::Builder::new().stack_size(STACK).spawn(work).map(drop)
}

/// Runs the work on a new thread for at most this time. If a file system hangs, the thread is left behind.
fn within(time: Duration, work: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    let done = Arc::new(Mutex::new(None));
    let (given, caller) = (done.clone(), thread::current());
    let run = move || {
        let result = work();
        *given.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        caller.unpark();
    };
    start(Box::new(run))?;
    let until = Instant::now() + time;
    loop {
        if let Some(result) = done.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return result;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::other("it does not answer"));
        }
        thread::park_timeout(left);
    }
}

/// Tries to lock for a short time, because the holder may be the thread that panicked.
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

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decided_call_has_its_verdict_as_the_early_reply() {
        let call = OpenCall::new(Instant::now(), guard_harness::default());
        let early = || call.early("there was no verdict in time", "").outcome;
        assert_eq!(early(), Outcome::Ask);
        let opinion = |outcome| Opinion::from_host("p", "r", outcome, "a text".to_owned(), String::new());
        for outcome in [Outcome::Abstain, Outcome::Warn, Outcome::Ask] {
            call.set_decided(&merge([opinion(outcome)]));
            assert_eq!(early(), outcome);
        }
        call.deny_asks();
        assert_eq!(early(), Outcome::Deny);
    }

    #[test]
    fn a_call_that_fails_closed_is_denied_without_a_verdict() {
        let call = OpenCall::new(Instant::now(), guard_harness::default());
        let early = || call.early("there was no verdict in time", "").outcome;
        call.set_fails_closed(true);
        assert_eq!(early(), Outcome::Deny);
        call.set_fails_closed(false);
        assert_eq!(early(), Outcome::Ask);
    }
}
