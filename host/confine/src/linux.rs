//! The confinement on Linux: Landlock for files and TCP, seccomp for other system calls, and a broker for single files.
//!
//! Landlock rules apply to existing folders and files. They can't allow creating or deleting a single file without
//! allowing it for all files in the folder. The kernel therefore refuses both, and the [`broker`] does it for the
//! profile's paths: it gets each such system call before the kernel, copies its arguments, and executes it itself.
//! Unknown calls go on to the kernel, which refuses them. A command that changes its arguments in the meantime gains
//! nothing.

mod broker;
mod calls;
mod capabilities;
mod filter;
mod listener;
mod rules;
mod signals;
mod temporary;

use std::io::Error;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use broker::Broker;
use rules::Rules;
use temporary::Temporary;

use crate::{ConfineError, Ended, Job, Refusal};

/// Refused operations, shared with the broker's thread.
type Refused = Arc<Mutex<Vec<Refusal>>>;

/// The result of the thread that starts the command.
type Started = Result<Child, ConfineError>;

/// The variables for the folder of temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

pub(super) use rules::check_support;

pub(super) fn run(job: &Job<'_>) -> Result<Ended, ConfineError> {
    let temporary = Temporary::create(job.places).map_err(|source| setup("the temporary folder", source))?;
    let rules = Rules::new(job, temporary.path());
    let refused = Refused::default();
    let broker = Broker::new(job, &rules);
    let (send_listener, listener) = channel();
    signals::forward();
    let child = thread::scope(|scope| {
        let confined = scope.spawn(|| start(job, &rules, &temporary, broker.is_needed(), send_listener));
        serve(broker.clone(), &listener, &refused);
        confined.join().unwrap_or_else(|_| Err(setup("the thread", Error::other("it ended early"))))
    });
    let mut child = child?;
    signals::to(&child);
    let status = child.wait().map_err(ConfineError::Wait)?;
    let mut refused = refused.lock().map(|list| list.clone()).unwrap_or_default();
    refused.sort();
    refused.dedup();
    Ok(Ended { code: code(status), refused })
}

/// Confines this thread permanently, and starts the command from it, which inherits the confinement.
fn start(job: &Job<'_>, rules: &Rules, temporary: &Temporary, broker: bool, listener: Sender<OwnedFd>) -> Started {
    let [program, arguments @ ..] = job.command else {
        return Err(setup("the command", Error::other("there is none")));
    };
    rules.enforce()?;
    capabilities::drop_others()?;
    filter::refuse(&filter::refusal_filter(job.profile, job.learn))?;
    if broker {
        let program = filter::broker_filter(rules.has_split_folders(), job.learn)?;
        let fd = listener::install(&program).map_err(listener_error)?;
        // The receiver waits while this thread runs.
        let _ = listener.send(fd);
    }
    drop(listener);
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&job.places.cwd);
    for name in TEMPORARY {
        command.env(name, temporary.path());
    }
    command.spawn().map_err(|source| ConfineError::Start { program: program.to_string_lossy().into_owned(), source })
}

/// Starts the broker if its listener is received.
fn serve(broker: Broker, listener: &Receiver<OwnedFd>, refused: &Refused) {
    if let Ok(listener) = listener.recv() {
        let refused = Arc::clone(refused);
        // The thread ends with this process. After that, processes that the command left running can no longer create
        // or delete files.
        thread::spawn(move || broker.serve(&listener, &refused));
    }
}

fn listener_error(error: Error) -> ConfineError {
    match error.raw_os_error() {
        Some(libc::EBUSY) => ConfineError::Unsupported("this command already runs in `guard-host run`".to_owned()),
        Some(libc::EINVAL | libc::ENOSYS) => {
            ConfineError::Unsupported("this kernel has no seccomp notifications (Linux 5.19)".to_owned())
        }
        _ => setup("the listener", error),
    }
}

fn setup(what: &'static str, source: Error) -> ConfineError {
    ConfineError::Setup { what, source }
}

/// Returns the exit code as shells report it.
fn code(status: ExitStatus) -> u8 {
    let signal = || 128 + status.signal().unwrap_or_default();
    u8::try_from(status.code().unwrap_or_else(signal)).unwrap_or(u8::MAX)
}
