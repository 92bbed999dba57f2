//! `guard-host-tools ask-remote`: sends a hook's request to the server of a `[remote]`. The hook starts this process.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::remote::Client;
use guard_chain::exchange::{Request, Response};
use guard_contract::exit::Exit;
use guard_facts::real::RealFacts;
use guard_harness::payload::PAYLOAD_BYTES;
use guard_hook::remote::{RemoteDecider, Task, printed};
use guard_state::environment::Environment;

/// The maximum size of a task, in bytes: the largest payload as JSON, and its context.
const TASK_BYTES: u64 = 4 * PAYLOAD_BYTES;

/// Reads the task on standard input and prints the result. Returns the exit code.
pub(super) fn run(environment: &Environment) -> u8 {
    let answer = answer(environment);
    let mut out = std::io::stdout().lock();
    match out.write_all(printed(answer).as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Exit::Success.code(),
        Err(_) => Exit::Unavailable.code(),
    }
}

fn answer(environment: &Environment) -> Result<Response, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(TASK_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| format!("the call cannot be read: {error}"))?;
    let task = Task::read(&bytes).ok_or("the call cannot be read: this is another version of guard-host")?;
    let request: Request =
        serde_json::from_str(&task.request).map_err(|error| format!("the call cannot be read: {error}"))?;
    let until = environment.started + Duration::from_millis(task.left_ms);
    Client::new(Arc::new(RealFacts::new(environment.variables.clone()))).ask(&task.remote, request, until)
}
