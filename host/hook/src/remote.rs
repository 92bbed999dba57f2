//! [`Asker`]: whoever asks the server of a `[remote]`; [`Child`]: asks it by another process, so that the hook holds
//! neither HTTP nor TLS.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::programs::{STARTED_AS, tools};
use guard_chain::exchange::{JournalEntry, Request, Response};
use guard_config::Remote;
use guard_contract::verdict::Verdict;
use guard_facts::recorded::Missing;
use guard_state::environment::Environment;

/// The hidden command of `guard-host-tools` that asks a server.
pub const COMMAND: &str = "ask-remote";

/// The most bytes of an answer.
pub const ANSWER_BYTES: u64 = 1 << 20;

/// The stack of the thread that talks to the child: it copies bytes.
const STACK_BYTES: usize = 128 << 10;

/// Variables by which a repository's settings could choose whom the child believes, or how its threads are made.
const NOT_GIVEN: [&str; 3] = ["SSL_CERT_FILE", "SSL_CERT_DIR", "RUST_MIN_STACK"];

/// Asks the server of a `[remote]`.
pub trait Asker: std::fmt::Debug + Send + Sync {
    /// Asks until nothing is missing, and gives the answer, which has been checked.
    ///
    /// # Errors
    ///
    /// There is no answer by then, for this reason.
    fn ask(&self, remote: &Remote, request: Request, until: Instant) -> Result<Response, String>;

    /// Asks once, about a call of another machine. What is missing is for whoever knows that one.
    ///
    /// # Errors
    ///
    /// There is no answer by then, for this reason.
    fn pass_on(&self, remote: &Remote, request: &Request, until: Instant) -> Result<Response, String>;
}

/// What a child is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Whom it asks.
    pub remote: Remote,
    /// What it asks.
    pub request: Request,
    /// How long it may take, in milliseconds.
    pub left_ms: u64,
}

/// What a child says: the verdict and the lines of journals, or why there is no answer.
type Said = Result<(Verdict, Vec<JournalEntry>), String>;

/// What a child prints.
#[must_use]
pub fn printed(answer: Result<Response, String>) -> Vec<u8> {
    let said: Said = answer.map(|response| (response.verdict, response.journal));
    // What cannot be written is no answer either.
    postcard::to_stdvec(&said).unwrap_or_default()
}

/// Asks by a process of `guard-host-tools`.
#[derive(Debug, Clone, Copy)]
pub struct Child<'a> {
    /// What this process was started with.
    pub environment: &'a Environment,
}

impl Asker for Child<'_> {
    fn ask(&self, remote: &Remote, request: Request, until: Instant) -> Result<Response, String> {
        let left = || until.saturating_duration_since(Instant::now());
        let left_ms = u64::try_from(left().as_millis()).unwrap_or_default();
        let task = serde_json::to_vec(&Task { remote: remote.clone(), request, left_ms });
        let task = task.map_err(|error| error.to_string())?;
        let printed = talk(&tools(self.environment), &self.environment.program, task, left)?;
        if printed.len() as u64 > ANSWER_BYTES {
            return Err(format!("its answer is larger than {} MiB", ANSWER_BYTES >> 20));
        }
        let said: Result<Said, _> = postcard::from_bytes(&printed);
        let (verdict, journal) = said.map_err(|_| "the process that asks it ended without an answer".to_owned())??;
        Ok(Response { verdict, reply: None, journal, missing: Missing::default() })
    }

    fn pass_on(&self, _: &Remote, _: &Request, _: Instant) -> Result<Response, String> {
        Err("a hook passes nothing on".to_owned())
    }
}

/// Gives a child its task, and what it prints while there is time. It never outlives this.
fn talk(program: &PathBuf, own: &PathBuf, task: Vec<u8>, left: impl Fn() -> Duration) -> Result<Vec<u8>, String> {
    let no_child = |error: std::io::Error| format!("`{}` cannot be started: {error}", program.display());
    let mut command = Command::new(program);
    command.arg(STARTED_AS).arg(own).arg(COMMAND);
    for variable in NOT_GIVEN {
        command.env_remove(variable);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(no_child)?;
    let pipes = (child.stdin.take(), child.stdout.take());
    let slot = Arc::new(OnceLock::new());
    let (filled, waiting) = (slot.clone(), thread::current());
    let talker = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let (Some(mut to), Some(from)) = pipes else { return };
        // One that ends before it has read everything may have said why.
        let _ = to.write_all(&task);
        drop(to);
        let mut printed = Vec::new();
        let _ = from.take(ANSWER_BYTES + 1).read_to_end(&mut printed);
        let _ = filled.set(printed);
        waiting.unpark();
    });
    while talker.is_ok() && slot.get().is_none() && !left().is_zero() {
        thread::park_timeout(left());
    }
    // Once the child is dead, its silence looks like an end.
    let printed = slot.get().cloned();
    let _ = child.kill();
    let _ = child.wait();
    match (talker, printed) {
        (Err(error), _) => Err(no_child(error)),
        (Ok(_), Some(printed)) => Ok(printed),
        (Ok(_), None) => Err("it did not answer in time".to_owned()),
    }
}
