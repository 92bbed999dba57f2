//! `guard-host`: the hook. It holds no compiler, no parser of command lines and nothing that only commands need.

mod crash;

use std::process::ExitCode;
use std::time::Instant;

use guard_forward::Forward;
use guard_hook::{programs, start};
use guard_state::environment::Environment;

#[global_allocator]
static ALLOCATOR: Forward = Forward;

fn main() -> ExitCode {
    #[cfg(not(target_os = "linux"))]
    crash::take_over();
    ALLOCATOR.own();
    // First of all, because the hook's deadline counts from here.
    let environment = Environment::of_process(Instant::now());
    let arguments = std::env::args_os().collect();
    ExitCode::from(programs::on_a_sound_stack(|| start::run(arguments, &environment)))
}
