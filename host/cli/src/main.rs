//! `guard-host`: the hook, and the confined runs of calls that it rewrote. It contains neither a compiler nor a
//! command-line parser, nor anything else that only other commands need.

#[cfg(unix)]
mod crash;

use std::process::ExitCode;
use std::time::Instant;

use guard_forward::Forward;
use guard_hook::{programs, start};
use guard_state::environment::Environment;

#[cfg(windows)]
use guard_harness::response::BLOCK;

/// The message of a hook that crashes.
const CRASHED: &str = "guard-host crashed, so this call is blocked: report it\n";

#[global_allocator]
static ALLOCATOR: Forward = Forward;

fn main() -> ExitCode {
    #[cfg(all(unix, any(not(target_os = "linux"), portable)))]
    crash::take_over();
    #[cfg(windows)]
    guard_platform::crash::take_over(CRASHED, BLOCK);
    ALLOCATOR.claim();
    // Must be first, because the hook's deadline starts here.
    let environment = Environment::current(Instant::now());
    let arguments = std::env::args_os().collect();
    ExitCode::from(programs::on_a_sound_stack(|| start::run(arguments, &environment)))
}
