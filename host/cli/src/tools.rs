//! `guard-host-tools`: every command except the hook. `guard-host` replaces itself with this program.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use guard_hook::programs::{HOOK, STARTED_AS, THREADS, on_a_sound_stack};
use guard_host::cli;
use guard_platform::process::replace;
use guard_state::environment::Environment;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Must be first, because a hook's deadline starts here.
    let mut environment = Environment::current(Instant::now());
    let arguments = arguments(&mut environment);
    if std::env::var_os(THREADS).is_some() {
        start_again_without(THREADS);
    }
    ExitCode::from(on_a_sound_stack(|| cli::run(arguments, &environment)))
}

/// Returns the arguments without those by which `guard-host` passes its path. Without them, its path is next to this
/// program.
fn arguments(environment: &mut Environment) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == STARTED_AS) && arguments.len() > 2 {
        environment.program = arguments.drain(1..3).next_back().unwrap_or_default().into();
    } else {
        environment.program.set_file_name(format!("{HOOK}{}", std::env::consts::EXE_SUFFIX));
    }
    arguments
}

/// Replaces this process with one that doesn't have the variable. Returns if that isn't possible.
fn start_again_without(variable: &str) {
    let Ok(program) = std::env::current_exe() else { return };
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Only returns with an error.
    let _ = replace(&program, &arguments, Some(variable));
}
