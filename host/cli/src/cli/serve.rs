//! `guard-host serve`: the hook's answers over HTTP.

use std::path::Path;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread::{self, available_parallelism};
use std::time::Duration;

use jiff::Timestamp;

use super::args::ServeArgs;
use super::print;
use super::subject::refused;
use crate::remote::Client;
use guard_contract::exit::Exit;
use guard_facts::real::RealFacts;
use guard_platform::paths::native;
use guard_serve::{Address, Options, ServeError};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::session::stamp;

/// The most calls that are decided at once: the sandbox has room for so many chains.
const AT_ONCE: usize = 16;

/// How long the end waits for what is still to be said.
const LAST_NOTES: Duration = Duration::from_millis(500);

/// The notes that may wait for their reader.
const WAITING_NOTES: usize = 256;

enum Note {
    Text(String),
    /// Is told when all before it is out.
    Last(Sender<()>),
}

/// Notes go out on a thread of their own: nobody may read them, and a full pipe holds who writes to it.
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
            // Who started it may not read that.
            let _ = print::line(&format!("listening at {address}"));
        },
        note: |text| {
            // What does not fit is lost: the server goes on.
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
        refused(exit, error.to_string(), hint)
    })?;
    Ok(Exit::Success)
}
