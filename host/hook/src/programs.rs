//! The two programs: `guard-host`, the hook, and `guard-host-tools`, with all other commands.

use std::env::consts::EXE_SUFFIX;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use guard_contract::exit::Exit;
use guard_platform::process;
use guard_state::environment::Environment;

/// The name of the second program.
pub const TOOLS: &str = "guard-host-tools";

/// The name of the first program.
pub const HOOK: &str = "guard-host";

/// The first argument of the second program, followed by the first program's path.
pub const STARTED_AS: &str = "--started-as";

/// A variable that changes the stack size of threads. A repository's settings can set it, and a thread without a stack
/// would silently end the program.
pub const THREADS: &str = "RUST_MIN_STACK";

/// The stack size, which is more than enough for a guest's recursion limit and the host's own frames.
pub(crate) const STACK_BYTES: u64 = 8 << 20;

/// Runs `body` on a stack on which every guest reaches its own limit first. Returns the exit code.
#[must_use]
pub fn on_a_sound_stack(body: impl FnOnce() -> u8 + Send) -> u8 {
    if process::stack_limit().is_none_or(|bytes| bytes >= STACK_BYTES) {
        return body();
    }
    let bytes = usize::try_from(STACK_BYTES).unwrap_or(usize::MAX);
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, body);
        own.map_or(Exit::Software.code(), |thread| thread.join().unwrap_or(Exit::Software.code()))
    })
}

/// The stack size of the thread that copies bytes to and from a child.
const TALKER_BYTES: usize = 128 << 10;

/// Variables that aren't passed to a child, because a repository's settings could use them to change the trusted
/// certificates or the stack size.
const NOT_GIVEN: [&str; 3] = ["SSL_CERT_FILE", "SSL_CERT_DIR", THREADS];

/// Runs a hidden command of the second program with a task on its standard input. Returns its output within the time
/// limit, at most `most` bytes and one more. Then kills the child.
pub(crate) fn ask_tools(
    environment: &Environment,
    name: &str,
    task: Vec<u8>,
    most: u64,
    left: impl Fn() -> Duration,
) -> Result<Vec<u8>, String> {
    let program = tools(environment);
    let no_child = |error: std::io::Error| format!("`{}` cannot be started: {error}", program.display());
    let mut command = Command::new(&program);
    command.arg(STARTED_AS).arg(&environment.program).arg(name);
    for variable in NOT_GIVEN {
        command.env_remove(variable);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(no_child)?;
    let pipes = (child.stdin.take(), child.stdout.take());
    let slot = Arc::new(OnceLock::new());
    let (filled, waiting) = (slot.clone(), thread::current());
    let talker = thread::Builder::new().stack_size(TALKER_BYTES).spawn(move || {
        let (Some(mut to), Some(from)) = pipes else { return };
        // A child that ends before it has read everything may have printed the reason.
        let _ = to.write_all(&task);
        drop(to);
        let mut printed = Vec::new();
        let _ = from.take(most + 1).read_to_end(&mut printed);
        let _ = filled.set(printed);
        waiting.unpark();
    });
    while talker.is_ok() && slot.get().is_none() && !left().is_zero() {
        thread::park_timeout(left());
    }
    // Read before killing the child, because afterwards a timeout looks like an end.
    let printed = slot.get().cloned();
    let _ = child.kill();
    let _ = child.wait();
    match (talker, printed) {
        (Err(error), _) => Err(no_child(error)),
        (Ok(_), Some(printed)) => Ok(printed),
        (Ok(_), None) => Err("it did not answer in time".to_owned()),
    }
}

/// The second program, beside the first one.
pub fn tools(environment: &Environment) -> PathBuf {
    environment.program.with_file_name(format!("{TOOLS}{EXE_SUFFIX}"))
}
