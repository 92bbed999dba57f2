//! The start of `guard-host`: it runs as the hook, runs a call confined that the hook rewrote, or replaces itself with
//! the second program, like git. People and harnesses only use this name.

use std::ffi::OsString;

use guard_contract::exit::Exit;
use guard_platform::process::{is_damaged, replace};
use guard_state::environment::Environment;

use crate::command_line::{self, HookLine};
use crate::confined_run;
use crate::hook;
use crate::programs::{STARTED_AS, TOOLS, tools};

/// Runs the program `guard-host`. Returns the exit code.
#[must_use]
pub fn run(arguments: Vec<OsString>, environment: &Environment) -> u8 {
    let arguments = command_line::by_name(&arguments).unwrap_or(arguments);
    if let Some(line) = HookLine::read(&arguments) {
        return hook::run(Ok(line.options(environment)), environment);
    }
    if let Some(exit) = confined_run::run(&arguments, environment) {
        return exit;
    }
    let error = start_tools(&arguments, environment);
    let tools = tools(environment);
    let text = match is_damaged(&error) {
        true => format!("`{}` is damaged: {error}", tools.display()),
        false => format!("`{}` cannot be started: {error}", tools.display()),
    };
    if command_line::is_hook(&arguments) {
        return hook::run(Err(text), environment);
    }
    eprintln!("error: {text}");
    eprintln!("  `guard-host` is the hook alone; its other commands are in `{TOOLS}`, which is installed beside it");
    eprintln!("  install both programs again, with the package manager or: cargo install --locked --path host/cli");
    Exit::Unavailable.code()
}

/// Replaces this process with the second program. Only returns on an error.
fn start_tools(arguments: &[OsString], environment: &Environment) -> std::io::Error {
    // The name may identify the hook.
    let (name, words) = arguments.split_at(arguments.len().min(1));
    let started_as = [OsString::from(STARTED_AS), environment.program.clone().into()];
    replace(&tools(environment), &[name, &started_as, words].concat(), None)
}
