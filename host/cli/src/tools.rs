//! `guard-host-tools`: every command but the hook. `guard-host` starts it in its own place.

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::time::Instant;

use guard_hook::programs::{HOOK, STARTED_AS, on_a_sound_stack};
use guard_host::cli;
use guard_platform::process::{replace, set_name};
use guard_state::environment::Environment;

/// A variable that changes how threads are made. A repository's settings can set it, and a thread without a stack would
/// end the program without a word.
const THREADS: &str = "RUST_MIN_STACK";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // First of all, because a hook's deadline counts from here.
    let mut environment = Environment::current(Instant::now());
    let arguments = arguments(&mut environment);
    if std::env::var_os(THREADS).is_some() {
        start_again_without(THREADS);
    }
    ExitCode::from(on_a_sound_stack(|| cli::run(arguments, &environment)))
}

/// The arguments without those by which `guard-host` says where it lies. Without them it lies beside this program.
fn arguments(environment: &mut Environment) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == STARTED_AS) && arguments.len() > 2 {
        environment.program = arguments.drain(1..3).next_back().unwrap_or_default().into();
    } else {
        environment.program.set_file_name(format!("{HOOK}{}", std::env::consts::EXE_SUFFIX));
    }
    arguments
}

/// Replaces this process by one that does not have the variable. Returns if that cannot be done.
fn start_again_without(variable: &str) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    let mut arguments = std::env::args_os();
    if let Some(name) = arguments.next() {
        // The name may say which hook this is.
        set_name(&mut command, name);
    }
    // Comes back only with an error.
    let _ = replace(command.args(arguments).env_remove(variable));
}
