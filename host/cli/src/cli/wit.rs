//! `guard-host policy wit`: writes the contract's files, for component tools.

use super::args::WitArgs;
use super::print;
use super::subject::exit_error;
use guard_contract::exit::Exit;
use guard_kit::wit::{self, WitError};
use guard_platform::paths::native;
use guard_state::environment::Environment;

pub(super) fn run(args: &WitArgs, environment: &Environment) -> anyhow::Result<Exit> {
    match wit::write(&native(&environment.cwd).join(&args.folder)) {
        Ok(names) => {
            let folder = args.folder.display();
            print::note(&format!(
                "`{folder}` holds the contract; a policy is a component of its world `{}`.",
                wit::WORLD
            ));
            let paths: Vec<String> =
                names.into_iter().map(|name| args.folder.join(name).display().to_string()).collect();
            print::line(&paths.join("\n"))?;
            Ok(Exit::Success)
        }
        Err(error @ WitError::Taken(..)) => {
            Err(exit_error(Exit::Unavailable, error.to_string(), "take another folder, or move it away"))
        }
        Err(error @ WitError::Io(..)) => Err(error.into()),
    }
}
