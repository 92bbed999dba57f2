//! [`Calls`]: decides calls on worker threads, and answers for threads that are late, stuck or panicked.
//!
//! ```text
//! body -> a free thread -> judge -> audit line, journal, pending call -> answer
//!    \____________ at the deadline: the worst so far, at least ask ____/
//!     \___ no thread in time, or not read in time: nothing is decided
//! ```

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::chains::{ChainCache, EpochTicker};
use crate::metrics::{Fault, Metrics, Tally, UNDECIDED, UNREADABLE};
use crate::{Options, ServeError, UNLOGGED};
use guard_chain::exchange::{AnsweredRequest, Request, Response};
use guard_config::{Overrides, Remote};
use guard_contract::Outcome;
use guard_contract::verdict::Verdict;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_harness::capabilities::ALL;
use guard_harness::{Harness, Reply};
use guard_hook::hook::{Judge, OpenCall, PayloadAnswer, Unlogged, parse};
use guard_hook::remote::RemoteDecider;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The interval at which a waiting call checks its deadline, which the configuration may have shortened. The minimum
/// deadline is as long.
const STEP: Duration = Duration::from_millis(100);

/// The maximum time that an answer waits for its records to be written, so that a hanging file system doesn't block it.
const RECORDS: Duration = Duration::from_secs(1);

/// The number of panics after which the process ends cleanly, so that a fresh one can replace it.
const PANICS: usize = 16;

/// The answer to a posted payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The output and the exit code of the hook.
    Reply(Reply, Tally),
    /// The response to a call from elsewhere, in JSON, and the harness there.
    Response(String, Tally, &'static str),
    /// The payload cannot be read, and nothing is decided.
    Report(String),
    /// The payload was not read in time.
    Busy,
    /// Nothing is decided, for this reason.
    Undecided(String),
}

/// Decides calls.
pub(crate) struct Calls {
    dirs: AppDirs,
    environment: Arc<Environment>,
    facts: Arc<dyn Facts>,
    chains: ChainCache,
    pulse: Arc<EpochTicker>,
    free: Arc<Semaphore>,
    asker: Arc<dyn RemoteDecider>,
    note: fn(&str),
    answered: AtomicU64,
    metrics: Metrics,
    panics: AtomicUsize,
    /// Notified when the process should end.
    worn_out: Notify,
}

/// A call, shared by the thread that decides it and the connection that waits for its answer.
struct PendingCall {
    call: OpenCall,
    /// The permit to be decided, until the call is decided or given up.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    /// The answer, while its records are being written.
    settled: Mutex<Option<Answer>>,
    done: Mutex<Option<oneshot::Sender<Answer>>>,
    calls: Arc<Calls>,
}

thread_local! {
    /// The call that this thread decides.
    static OWN: RefCell<Option<Arc<PendingCall>>> = const { RefCell::new(None) };
}

impl Calls {
    /// Creates the workers. The options limit the number of calls that are decided at once. Others wait.
    pub(crate) fn new(dirs: &AppDirs, environment: &Environment, options: &Options) -> Result<Arc<Self>, ServeError> {
        let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(environment.variables.clone()));
        let environment = Arc::new(without_agent(environment));
        let pulse = EpochTicker::start().map_err(ServeError::Threads)?;
        let chains = ChainCache::new(dirs, environment.clone(), pulse.clone())
            .map_err(|fault| ServeError::Sandbox(fault.to_string()))?;
        let free = Arc::new(Semaphore::new(options.at_once));
        Ok(Arc::new(Calls {
            dirs: dirs.clone(),
            environment,
            facts,
            chains,
            pulse,
            free,
            asker: options.asker.clone(),
            note: options.note,
            answered: AtomicU64::new(0),
            metrics: Metrics::new(),
            panics: AtomicUsize::new(0),
            worn_out: Notify::new(),
        }))
    }

    /// The number of answered calls.
    pub(crate) fn count(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// The server's counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The configuration of all projects. Prepares the chain if it has to.
    pub(crate) fn config(&self) -> guard_config::Config {
        self.chains.chain_for(&[], &self.environment.home).prepared.config.clone()
    }

    /// Waits until the process has had too many panics.
    pub(crate) async fn unhealthy(&self) {
        self.worn_out.notified().await;
    }

    /// Answers a payload. `named` is the harness if the payload doesn't identify it.
    pub(crate) async fn answer(self: &Arc<Self>, named: Option<&'static dyn Harness>, body: Vec<u8>) -> Answer {
        let named = named.unwrap_or_else(guard_harness::default);
        self.answer_with(named, move |turn| turn.decide(named, body)).await
    }

    /// Answers a request with a call from another machine and known facts about it.
    pub(crate) async fn exchange(self: &Arc<Self>, body: Vec<u8>) -> Answer {
        self.answer_with(guard_harness::default(), move |turn| turn.exchange(&body)).await
    }

    async fn answer_with(
        self: &Arc<Self>,
        named: &'static dyn Harness,
        work: impl FnOnce(&PendingCall) + Send + 'static,
    ) -> Answer {
        let (sender, mut receiver) = oneshot::channel();
        let turn = Arc::new(PendingCall {
            call: OpenCall::new(Instant::now(), named),
            place: Mutex::default(),
            settled: Mutex::default(),
            done: Mutex::new(Some(sender)),
            calls: self.clone(),
        });
        // The wait for a free thread counts toward the call's deadline.
        let Ok(Ok(place)) = timeout(turn.call.left(), self.free.clone().acquire_owned()).await else {
            return self.count_answer(&turn, Answer::Busy);
        };
        *lock(&turn.place) = Some(place);
        let own = turn.clone();
        spawn_blocking(move || own.run(work));
        while !turn.call.left().is_zero() {
            match timeout(turn.call.left().min(STEP), &mut receiver).await {
                Ok(Ok(answer)) => return self.count_answer(&turn, answer),
                Ok(Err(_)) => break,
                Err(_) => {}
            }
        }
        let answer = self.deadline_answer(&turn, receiver).await;
        // The thread may still be deciding the call, but another call can have its permit.
        *lock(&turn.place) = None;
        self.count_answer(&turn, answer)
    }

    /// Returns the answer of a call that has reached its deadline.
    async fn deadline_answer(&self, turn: &Arc<PendingCall>, mut receiver: oneshot::Receiver<Answer>) -> Answer {
        if !turn.call.take() {
            // The call is decided, and its records are being written.
            return match timeout(RECORDS, &mut receiver).await {
                Ok(Ok(answer)) => answer,
                _ => turn.answer().unwrap_or_else(|| turn.internal_error("its answer was lost")),
            };
        }
        if !turn.call.is_known() {
            return Answer::Busy;
        }
        let verdict =
            turn.call.early("there was no verdict in time", "try again; `guard-host explain` shows what takes long");
        self.metrics.count_fault(Fault::Deadline);
        (self.note)("a call reached its deadline, and was answered with the worst so far, at least ask");
        let answer = turn.reply(&verdict);
        let own = turn.clone();
        let settled = spawn_blocking(move || own.set_verdict(&verdict));
        if timeout(RECORDS, settled).await.is_err() {
            self.metrics.count_fault(Fault::AuditLog);
            (self.note)("the audit line of a call is late: the audit log cannot be written to");
        }
        turn.answer().unwrap_or(answer)
    }

    fn count_answer(&self, turn: &PendingCall, answer: Answer) -> Answer {
        let harness = turn.call.harness().name();
        let time = turn.call.elapsed();
        match &answer {
            Answer::Reply(_, tally) => self.metrics.count_answer(harness, tally, time),
            Answer::Response(_, tally, harness) => self.metrics.count_answer(harness, tally, time),
            Answer::Report(_) => self.metrics.count_answer(harness, &Tally::without_verdict(UNREADABLE), time),
            Answer::Busy | Answer::Undecided(_) => {
                self.metrics.count_answer(harness, &Tally::without_verdict(UNDECIDED), time);
            }
        }
        self.answered.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

impl PendingCall {
    /// Runs the work on this thread. If it panics, this doesn't return, and [`answer_panics`] answers the call.
    fn run(self: Arc<Self>, work: impl FnOnce(&PendingCall)) {
        self.calls.pulse.begin();
        OWN.set(Some(self.clone()));
        work(&self);
        OWN.set(None);
        *lock(&self.place) = None;
        self.calls.pulse.end();
    }

    fn decide(&self, named: &'static dyn Harness, body: Vec<u8>) {
        let calls = &self.calls;
        let judge = Judge {
            dirs: &calls.dirs,
            environment: &calls.environment,
            facts: &calls.facts,
            overrides: &Overrides::default(),
            // The agent's environment variables aren't known here, so prompts are treated as unavailable wherever a
            // variable could say so.
            variable: &|_| Some(String::new()),
            chains: &calls.chains,
            asker: &*calls.asker,
        };
        let object = parse(body);
        let mut judged = judge.judge(&self.call, named, object.as_ref());
        if !self.call.take() {
            return;
        }
        match &judged.answer {
            PayloadAnswer::Verdict(verdict) => self.set_verdict(verdict),
            PayloadAnswer::Report(text) => {
                self.set_answer(Answer::Report(text.clone()));
                self.report_log_error(self.call.log_report(text));
            }
        }
        judged.records.write(&self.call, &calls.dirs, &*calls.facts);
        if let Some(answer) = self.answer() {
            self.send(answer);
        }
    }

    /// Like [`PendingCall::decide`], for a call on another machine, whose projects and approvals aren't here.
    fn exchange(&self, body: &[u8]) {
        let calls = &self.calls;
        let chain = calls.chains.chain_for(&[], &calls.environment.home);
        let config = &chain.prepared.config;
        self.call.set_deadline(Duration::from_millis(config.deadline_ms.into()));
        let request: Result<Request, _> = serde_json::from_slice(body);
        let request = request.map_err(|error| error.to_string());
        let known = |name: &str| guard_harness::find_harness(name).unwrap_or_else(|| self.call.harness()).name();
        let answered = match (request, &config.remote) {
            (Ok(request), Some(remote)) => match self.pass_on(remote, &request) {
                // The client logs it.
                Ok(response) => {
                    let named = if request.harness.is_empty() { &request.at.harness } else { &request.harness };
                    Ok((response, known(named), None))
                }
                Err(why) => {
                    let why = format!("this server forwards calls, and `{}` gave no answer: {why}", remote.url);
                    (calls.note)(&why);
                    return self.answer_undecided(Answer::Undecided(why));
                }
            },
            (Ok(request), None) => match chain.answer(request, || self.call.left().is_zero()) {
                Ok(AnsweredRequest { response, decisive, at }) => {
                    Ok((response, known(&at.harness), decisive.map(|call| (call, at))))
                }
                Err(_) if self.call.left().is_zero() => return self.answer_undecided(Answer::Busy),
                Err(undecided) => Err(undecided.to_string()),
            },
            (Err(error), _) => Err(error),
        };
        let answered = answered.and_then(|(response, harness, logged)| {
            let text = response.text().map_err(|undecided| undecided.to_string())?;
            // Otherwise the client repeats the request with the missing facts. After a deny, many clients don't.
            let is_last = response.missing.is_empty() || response.verdict.outcome == Outcome::Deny;
            let tally =
                if is_last { Tally::from_verdict(&response.verdict) } else { Tally::incomplete(&response.verdict) };
            Ok((Answer::Response(text, tally, harness), response.verdict, logged.filter(|_| is_last)))
        });
        if let Ok((.., Some((call, at)))) = &answered {
            self.call.set_record(&config.audit, call, at);
        }
        if !self.call.take() {
            return;
        }
        match answered {
            Ok((answer, _, None)) => self.set_answer(answer),
            Ok((answer, verdict, Some(_))) => {
                if let Some(Unlogged { error, .. }) = self.call.log_first(&verdict) {
                    self.report_log_error(Err(error));
                    return self.send(Answer::Undecided(UNLOGGED.to_owned()));
                }
                self.set_answer(answer);
                self.log(&verdict);
            }
            Err(text) => self.set_answer(Answer::Report(text)),
        }
        if let Some(answer) = self.answer() {
            self.send(answer);
        }
    }

    /// Forwards a call from another machine to the server in the configuration. Missing facts aren't looked up on this
    /// machine.
    fn pass_on(&self, remote: &Remote, request: &Request) -> Result<Response, String> {
        let patience = Duration::from_millis(remote.timeout_ms.into()).min(self.call.left().saturating_sub(STEP));
        self.calls.asker.pass_on(remote, request, Instant::now() + patience)
    }

    /// Nothing is decided.
    fn answer_undecided(&self, answer: Answer) {
        if self.call.take() {
            self.send(answer);
        }
    }

    /// Formats the answer for this verdict.
    fn reply(&self, verdict: &Verdict) -> Answer {
        Answer::Reply(self.call.reply(verdict), Tally::from_verdict(verdict))
    }

    /// Settles on this verdict, and writes the audit line.
    fn set_verdict(&self, verdict: &Verdict) {
        match self.call.log_first(verdict) {
            None => {
                self.set_answer(self.reply(verdict));
                self.log(verdict);
            }
            Some(Unlogged { verdict, error }) => {
                self.set_answer(self.reply(&verdict));
                self.report_log_error(Err(error));
            }
        }
    }

    /// Writes the audit line.
    fn log(&self, verdict: &Verdict) {
        self.report_log_error(self.call.log(verdict));
    }

    fn report_log_error(&self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.calls.metrics.count_fault(Fault::AuditLog);
            (self.calls.note)(&format!("the audit line of a call could not be written: {error}"));
        }
    }

    fn set_answer(&self, answer: Answer) {
        *lock(&self.settled) = Some(answer);
    }

    fn answer(&self) -> Option<Answer> {
        lock(&self.settled).clone()
    }

    fn send(&self, answer: Answer) {
        if let Some(done) = lock(&self.done).take() {
            // The client may have disconnected.
            let _ = done.send(answer);
        }
    }

    /// Returns the answer for an internal error.
    fn internal_error(&self, text: &str) -> Answer {
        self.reply(&self.call.early(text, "report this call"))
    }

    /// Answers the call of a thread that panicked.
    fn answer_panic(&self) {
        self.calls.metrics.count_fault(Fault::Panic);
        if self.call.take() {
            let verdict = self.call.early("guard-host failed inside", "report this call");
            self.set_verdict(&verdict);
        }
        let answer = self.answer().unwrap_or_else(|| self.internal_error("guard-host failed inside"));
        self.send(answer);
        *lock(&self.place) = None;
        let calls = &self.calls;
        calls.pulse.end();
        calls.chains.renew();
        if calls.panics.fetch_add(1, Ordering::SeqCst) + 1 >= PANICS {
            (calls.note)("too much has gone wrong in this process: it ends, and wants to be started again");
            calls.worn_out.notify_one();
        }
    }
}

/// Installs a panic hook that answers the call of the thread that panics. In a program built with `panic = "abort"`,
/// that thread then sleeps forever, because otherwise the process would end.
pub(crate) fn answer_panics(note: fn(&str)) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        let Some(turn) = OWN.try_with(RefCell::take).ok().flatten() else { return usual(info) };
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        note(&format!(
            "guard-host failed inside, at {place}: the call was answered with the worst so far, at least ask"
        ));
        turn.answer_panic();
        while !cfg!(panic = "unwind") {
            thread::park();
        }
    }));
}

/// Returns the environment without an agent's session variables, because they would be another agent's.
fn without_agent(environment: &Environment) -> Environment {
    let of_agents: BTreeSet<&str> =
        ALL.iter().flat_map(|capabilities| capabilities.project_variables).copied().collect();
    let mut environment = environment.clone();
    Arc::make_mut(&mut environment.variables).retain(|name, _| !of_agents.contains(name.as_str()));
    environment
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(answer: Answer) -> Reply {
        match answer {
            Answer::Reply(reply, _) => reply,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_panic_is_refused_and_the_next_call_is_decided() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().to_str().unwrap().to_owned();
        let environment = Environment {
            started: Instant::now(),
            variables: Arc::new([("HOME".to_owned(), path.clone())].into()),
            cwd: path.clone(),
            program: "guard-host".into(),
            home: path.clone(),
            account_home: path.clone(),
        };
        let options = Options {
            address: crate::Address::Socket("serve.sock".into()),
            token_file: None,
            read_timeout: Duration::from_secs(1),
            connections: 1,
            // A thread that kept its permit would block all other calls.
            at_once: 1,
            asker: Arc::new(guard_hook::remote::Child { environment: Box::leak(Box::new(environment.clone())) }),
            ready: |_| {},
            note: |_| {},
        };
        let calls = Calls::new(&AppDirs::under_home(&path), &environment, &options).unwrap();
        answer_panics(|_| {});
        let runtime = crate::runtime(1).unwrap();
        let removal = "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -rf /\"}}";
        let decided = || reply(runtime.block_on(calls.answer(None, removal.as_bytes().to_vec())));
        for panics in 1..=PANICS {
            let broken = runtime.block_on(calls.answer_with(guard_harness::default(), |_| panic!("on purpose")));
            let broken = reply(broken);
            // Nothing is known about the call, so an ask might not be shown.
            assert!(broken.exit == 2 && broken.stdout.contains("\"permissionDecision\":\"deny\""), "{broken:?}");
            assert!(broken.stdout.contains("guard-host failed inside"), "{broken:?}");
            if panics < 3 {
                assert!(decided().stdout.contains("\"permissionDecision\":\"deny\""), "{panics}");
            }
        }
        // The process should be restarted, but still decides calls.
        runtime.block_on(calls.unhealthy());
        assert!(decided().stdout.contains("\"permissionDecision\":\"deny\""));
        assert_eq!(calls.count(), PANICS as u64 + 3);
        runtime.shutdown_background();
    }
}
