//! `guard-host serve`: the hook's replies over HTTP.

use std::path::Path;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread::{self, available_parallelism};
use std::time::Duration;

use jiff::Timestamp;

use super::args::ServeArgs;
use super::print;
use super::subject::exit_error;
use crate::remote::Client;
use guard_contract::exit::Exit;
use guard_facts::real::RealFacts;
use guard_platform::paths::native;
use guard_serve::{Address, Options, ServeError};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::session::stamp;

/// The maximum number of concurrent calls, because the sandbox has room for so many chains.
const AT_ONCE: usize = 16;

/// The maximum wait for the last notes at the end.
const LAST_NOTES: Duration = Duration::from_millis(500);

/// The maximum number of notes that wait to be printed.
const WAITING_NOTES: usize = 256;

enum Note {
    Text(String),
    /// Signals that all earlier notes were printed.
    Last(Sender<()>),
}

/// Prints notes in a separate thread, because a full pipe without a reader would block the writer.
static NOTES: LazyLock<SyncSender<Note>> = LazyLock::new(|| {
    let (sender, receiver) = sync_channel(WAITING_NOTES);
    thread::spawn(move || {
        for note in receiver {
            match note {
                Note::Text(text) => print::note(&text),
                Note::Last(sender) => drop(sender.send(())),
            }
        }
    });
    sender
});

/// The hint for a token file that is not private or has no token.
pub(super) const TOKEN_HINT: &str =
    "make it a private file, or remove it: the next start makes a new token, and `install claude --http` registers it";

pub(super) fn run(args: &ServeArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let absolute = |path: &Path| native(&environment.cwd).join(path);
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
        asker: Arc::new(Client::new(Arc::new(RealFacts::new(environment.variables.clone())))),
        ready: |address| {
            // Standard output may be closed.
            let _ = print::line(&format!("listening at {address}"));
        },
        note: |text| {
            // Notes that don't fit are lost, so that the server isn't blocked.
            let _ = NOTES.try_send(Note::Text(format!("{} guard-host serve: {text}", stamp(Timestamp::now()))));
        },
    };
    let served = guard_serve::run(&options, dirs, environment);
    let (sender, receiver) = channel();
    if NOTES.try_send(Note::Last(sender)).is_ok() {
        let _ = receiver.recv_timeout(LAST_NOTES);
    }
    served.map_err(|error| {
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
            ServeError::Itself(_) => {
                (Exit::Config, "remove `[remote]` from the configuration of this machine, or listen at another address")
            }
            ServeError::Token(_) => (Exit::Config, TOKEN_HINT),
            ServeError::Sandbox(_) => (Exit::Software, "run `guard-host cache verify`"),
            ServeError::Threads(_) => (Exit::Software, "raise the limits of the process"),
            ServeError::WornOut => (Exit::Software, "start it again, and report what it said before"),
        };
        exit_error(exit, error.to_string(), hint)
    })?;
    Ok(Exit::Success)
}
