//! `guard-host serve`: the hook's answers over HTTP.

use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use super::args::ServeArgs;
use super::print;
use super::subject::refused;
use guard_contract::exit::Exit;
use guard_serve::{Address, Options, ServeError};
use guard_state::Places;
use guard_state::environment::Environment;

/// The most calls that are decided at once: the sandbox has room for so many chains.
const AT_ONCE: usize = 16;

/// What to do about a file that holds no private token.
pub(super) const TOKEN_HINT: &str = "remove the file, and the next start makes a new token";

pub(super) fn run(args: &ServeArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let absolute = |path: &Path| Path::new(&environment.cwd).join(path);
    let processors = available_parallelism().map_or(1, usize::from);
    let options = Options {
        address: match &args.socket {
            Some(path) => Address::Socket(absolute(path)),
            None => Address::Tcp(args.listen),
        },
        token_file: args.token_file.as_deref().map(absolute),
        read_timeout: Duration::from_secs(args.read_timeout),
        connections: args.max_connections,
        at_once: args.max_calls.unwrap_or_else(|| (2 * processors).min(AT_ONCE)),
        ready: |address| {
            // Who started it may not read that.
            let _ = print::line(&format!("listening at {address}"));
        },
        note: |text| print::note(&format!("guard-host serve: {text}")),
    };
    guard_serve::run(&options, places, environment).map_err(|error| {
        let (exit, hint) = match &error {
            ServeError::Exposed(_) => (
                Exit::Usage,
                "listen at 127.0.0.1 or [::1]; for other machines, or containers, use a Unix socket or a tunnel",
            ),
            ServeError::Taken(_) | ServeError::Busy(_) => (
                Exit::Unavailable,
                "use the server that runs, or end it first; `--state` and `--listen` make a second one",
            ),
            ServeError::Listen(..) => (Exit::Unavailable, "choose another address with `--listen` or `--socket`"),
            ServeError::Folder(_) | ServeError::Lock(..) => (Exit::Unavailable, "make the state folder usable"),
            ServeError::Token(_) => (Exit::Config, TOKEN_HINT),
            ServeError::Sandbox(_) => (Exit::Software, "run `guard-host cache verify`"),
            ServeError::Threads(_) => (Exit::Software, "raise the limits of the process"),
            ServeError::WornOut => (Exit::Software, "start it again, and report what it said before"),
        };
        refused(exit, error.to_string(), hint)
    })?;
    Ok(Exit::Success)
}
