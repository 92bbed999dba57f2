//! `guard-host sandbox`: creates a folder for experiments in the project.

use super::args::{SandboxArgs, SandboxCommand};
use super::print;
use super::subject::{call_context, exit_error};
use crate::scratch::{self, ScratchError};
use guard_contract::exit::Exit;
use guard_platform::paths::native;
use guard_state::environment::Environment;

pub(super) fn run(args: &SandboxArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let SandboxCommand::New { context } = &args.command;
    let root = call_context(environment, None).project_root;
    match scratch::make(&native(&root), context, jiff::Zoned::now().date()) {
        Ok(path) => print::line(&path.display().to_string()).map(|()| Exit::Success),
        Err(error @ ScratchError::Name(_)) => {
            let hint = "say what it is for in at most 64 letters, digits, `-`, `_` and `.`, and begin with a letter";
            Err(exit_error(Exit::Usage, error.to_string(), hint))
        }
        Err(error @ (ScratchError::NotAFolder(_) | ScratchError::Ignore(_))) => {
            Err(exit_error(Exit::Unavailable, error.to_string(), "remove it, or put it elsewhere"))
        }
        Err(error @ ScratchError::Io(..)) => Err(error.into()),
    }
}
