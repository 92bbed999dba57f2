//! The two programs: `guard-host`, which is the hook, and beside it `guard-host-tools`, which has all other commands.
//!
//! People and harnesses know the first name alone. It starts the second one in its own place, as git does.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use guard_contract::exit::Exit;
use guard_state::environment::Environment;
use rustix::process::{Resource, getrlimit};

use crate::command_line::{self, HookLine};
use crate::hook;

/// The name of the second program.
pub const TOOLS: &str = "guard-host-tools";

/// The name of the first program.
pub const HOOK: &str = "guard-host";

/// The first argument of the second program, before the path of the first one: as what it was started.
pub const STARTED_AS: &str = "--started-as";

/// The stack that a guest's recursion limit and the host's own frames fit in with room to spare.
pub(crate) const STACK_BYTES: u64 = 8 << 20;

/// Runs `body` on a stack on which every guest reaches its own limit first, and gives the exit code.
#[must_use]
pub fn on_a_sound_stack(body: impl FnOnce() -> u8 + Send) -> u8 {
    if getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= STACK_BYTES) {
        return body();
    }
    let bytes = usize::try_from(STACK_BYTES).unwrap_or(usize::MAX);
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, body);
        own.map_or(Exit::Software.code(), |thread| thread.join().unwrap_or(Exit::Software.code()))
    })
}

/// Runs the program `guard-host`. Gives the exit code.
#[must_use]
pub fn run(arguments: Vec<OsString>, environment: &Environment) -> u8 {
    let arguments = command_line::by_name(&arguments).unwrap_or(arguments);
    if let Some(line) = HookLine::read(&arguments) {
        return hook::run(Ok(line.options(environment)), environment);
    }
    let error = start_tools(&arguments, environment);
    let text = format!("`{}` cannot be started: {error}", tools(environment).display());
    if command_line::is_hook(&arguments) {
        return hook::run(Err(text), environment);
    }
    eprintln!("error: {text}");
    eprintln!("  `guard-host` is the hook alone; its other commands are in `{TOOLS}`, which is installed beside it");
    eprintln!("  install both again: cargo install --locked --path host/cli");
    Exit::Unavailable.code()
}

/// The second program, beside the first one.
pub(crate) fn tools(environment: &Environment) -> PathBuf {
    environment.program.with_file_name(TOOLS)
}

/// Replaces this process by the second program. Returns only with an error.
fn start_tools(arguments: &[OsString], environment: &Environment) -> std::io::Error {
    let mut command = Command::new(tools(environment));
    let mut words = arguments.iter();
    if let Some(name) = words.next() {
        // The name may say which hook this is.
        command.arg0(name);
    }
    command.arg(STARTED_AS).arg(&environment.program).args(words).exec()
}
