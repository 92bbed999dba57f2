//! The start of `guard-host`: it runs as the hook, or replaces itself with the second program, like git. People and
//! harnesses only use this name.

use std::ffi::OsString;
use std::process::Command;

use guard_contract::exit::Exit;
use guard_platform::process::{replace, set_name};
use guard_state::environment::Environment;

use crate::command_line::{self, HookLine};
use crate::hook;
use crate::programs::{STARTED_AS, TOOLS, tools};

/// Runs the program `guard-host`. Returns the exit code.
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

/// Replaces this process with the second program. Only returns on an error.
fn start_tools(arguments: &[OsString], environment: &Environment) -> std::io::Error {
    let mut command = Command::new(tools(environment));
    let mut words = arguments.iter();
    if let Some(name) = words.next() {
        // The name may identify the hook.
        set_name(&mut command, name);
    }
    replace(command.arg(STARTED_AS).arg(&environment.program).args(words))
}
