//! The binary: reads what the process was started with, runs a command, ends with its exit code.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

use guard_host::cli;
use guard_state::environment::Environment;
use rustix::process::{Resource, getrlimit};

/// The stack that a guest's recursion limit and the host's own frames fit in with room to spare.
const STACK_BYTES: u64 = 8 << 20;

/// Variables that change how threads are made. A repository's settings can set them, and a thread without a stack would
/// end the hook without a word.
const THREADS: [&str; 3] = ["RUST_MIN_STACK", "RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];

fn main() -> ExitCode {
    // First of all, because the hook's deadline counts from here.
    let environment = Environment::of_process(Instant::now());
    if THREADS.iter().any(|name| std::env::var_os(name).is_some()) {
        start_again_without(&THREADS);
    }
    let small = getrlimit(Resource::Stack).current.is_some_and(|bytes| bytes < STACK_BYTES);
    ExitCode::from(if small { run_on_a_stack_of_its_own(&environment) } else { run(&environment) })
}

fn run(environment: &Environment) -> u8 {
    cli::run(std::env::args_os().collect(), environment)
}

/// Replaces this process by one that does not have the variables. Returns if that cannot be done.
fn start_again_without(variables: &[&str]) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    let mut arguments = std::env::args_os();
    if let Some(name) = arguments.next() {
        // The name may say which hook this is.
        command.arg0(name);
    }
    command.args(arguments);
    for name in variables {
        command.env_remove(name);
    }
    // Comes back only with an error.
    let _ = command.exec();
}

fn run_on_a_stack_of_its_own(environment: &Environment) -> u8 {
    let bytes = usize::try_from(STACK_BYTES).unwrap_or(usize::MAX);
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, || run(environment));
        own.map_or_else(|_| run(environment), |thread| thread.join().unwrap_or(70))
    })
}
