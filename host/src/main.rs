//! The binary: reads what the process was started with, runs a command, ends with its exit code.

use std::process::ExitCode;
use std::time::Instant;

use guard_host::cli;
use guard_host::environment::Environment;

fn main() -> ExitCode {
    // First of all, because the hook's deadline counts from here.
    let environment = Environment::of_process(Instant::now());
    ExitCode::from(cli::run(std::env::args_os().collect(), &environment))
}
