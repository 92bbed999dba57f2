//! [`Trial`]: the registered command, started as the harness starts it, with a call that must be denied.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::Finding;
use crate::install::{Found, Registration, Running, Site};
use guard_harness::{Harness, Reply};

/// A command that every chain denies.
const CANARY: &str = "rm -rf /";

/// A command that no chain has anything against.
const HARMLESS: &str = "ls";

/// How many calls are measured.
const CALLS: usize = 7;

/// How long a call may take: more than the hook takes at its worst.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most that is read of a reply.
const REPLY_BYTES: u64 = 1 << 20;

/// The exit code of a shell that found a program and cannot execute it.
const CANNOT_EXECUTE: u8 = 126;

/// The exit code of a shell that found no program.
const NOT_FOUND: u8 = 127;

/// What a registered name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// This program, or a copy of it.
    This,
    /// Another one.
    Other,
    /// A file that cannot be executed.
    NotExecutable,
    /// Nothing.
    Missing,
}

impl Program {
    /// What `name` leads to, by the variable `PATH` if it is no path.
    pub(super) fn of(name: &str, site: Site<'_>) -> Self {
        let path = site.environment.variables.get("PATH").map(String::as_str).unwrap_or_default();
        let candidates: Vec<PathBuf> = match name.contains('/') {
            true => vec![site.project.join(name)],
            false => path.split(':').map(|folder| Path::new(folder).join(name)).collect(),
        };
        let files = candidates.iter().filter_map(|path| Some((path, fs::metadata(path).ok()?)));
        let mut files = files.filter(|(_, data)| data.is_file()).peekable();
        let first = files.peek().is_some();
        match files.find(|(_, data)| data.permissions().mode() & 0o111 != 0) {
            Some((path, _)) if is_same(path, &site.environment.program) => Program::This,
            Some(_) => Program::Other,
            None if first => Program::NotExecutable,
            None => Program::Missing,
        }
    }
}

/// Both are one file, or hold the same bytes.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(a), Ok(b)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    let one_file = a.dev() == b.dev() && a.ino() == b.ino();
    one_file || (a.len() == b.len() && have_same_bytes(one, other).unwrap_or(false))
}

fn have_same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut a, mut b) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = one.read(&mut a)?;
        let (Some(a), Some(b)) = (a.get(..read), b.get_mut(..read)) else { return Ok(false) };
        if read == 0 {
            return Ok(true);
        }
        other.read_exact(b)?;
        if a != b {
            return Ok(false);
        }
    }
}

/// One registration that is tried.
pub(super) struct Trial<'a> {
    pub(super) harness: &'a dyn Harness,
    pub(super) registration: &'a dyn Registration,
    pub(super) site: Site<'a>,
    pub(super) found: &'a Found,
}

impl Trial<'_> {
    /// Whether a deny comes back, and how long a call takes.
    pub(super) fn run(&self) -> Vec<Finding> {
        const CHECK: &str = "canary";
        let place = self.found.place.display();
        if self.registration.tools().first().is_some_and(|tool| self.found.left_out.contains(tool)) {
            let text = format!("the command in `{place}` was not tried: it is not asked about shell commands");
            let remedy = format!("run `guard-host install {}` without `--matcher`", self.harness.name());
            return vec![Finding::note(CHECK, text, remedy)];
        }
        // What a repository's file names may be anything. It is started only if it is this program.
        let known = match &self.found.running {
            Running::Program(name, _) => Program::of(name, self.site) == Program::This,
            Running::Shell(_) => false,
        };
        if self.found.foreign && !known {
            let text =
                format!("the command in `{place}` was not tried: it comes with the project and is not this program");
            return vec![Finding::note(CHECK, text, "look at it, and run `guard-host install` for the project")];
        }
        let again = format!("run `guard-host install {}`", self.harness.name());
        let mut program = None;
        let denied = match self.call(CANARY) {
            Ok((reply, _)) if self.registration.is_deny(&reply) => {
                Finding::ok(CHECK, format!("`{CANARY}` by the command in `{place}` is denied"))
            }
            Ok((reply, _)) if self.is_not_started(&reply) => {
                let why = if reply.exit == CANNOT_EXECUTE { "cannot be executed" } else { "is not there" };
                program = Some(Finding::problem("program", format!("what `{place}` starts {why}"), &again));
                let text = format!("the command in `{place}` does not run: exit code {} of the shell", reply.exit);
                Finding::problem(CHECK, text, again)
            }
            Ok((reply, _)) => {
                let text = format!(
                    "`{CANARY}` by the command in `{place}` is not denied: exit code {}, {}",
                    reply.exit,
                    if reply.stdout.is_empty() { "no reply" } else { "another reply" },
                );
                Finding::problem(CHECK, text, format!("run `guard-host explain '{CANARY}'` to see why"))
            }
            Err(error) => {
                let text = format!("the command in `{place}` does not run: {error}");
                Finding::problem(CHECK, text, again)
            }
        };
        let mut times: Vec<Duration> =
            (0..CALLS).filter_map(|_| self.call(HARMLESS).ok()).map(|(_, time)| time).collect();
        times.sort();
        let median = times.get(times.len() / 2);
        let cost = median.map(|median| {
            let millis = median.as_secs_f64() * 1000.0;
            Finding::ok("cost", format!("a call takes {millis:.1} ms here (median of {})", times.len()))
        });
        program.into_iter().chain([denied]).chain(cost).collect()
    }

    /// The shell says that it could not start the program. Who starts a program without a shell is told so at once.
    fn is_not_started(&self, reply: &Reply) -> bool {
        let by_shell = matches!(self.found.running, Running::Shell(_));
        by_shell && matches!(reply.exit, CANNOT_EXECUTE | NOT_FOUND) && reply.stdout.is_empty()
    }

    /// One call, and how long it took.
    fn call(&self, command: &str) -> Result<(Reply, Duration), String> {
        let mut start = match &self.found.running {
            Running::Program(name, arguments) => {
                let mut start = Command::new(name);
                start.args(arguments);
                start
            }
            Running::Shell(line) => {
                let mut start = Command::new("/bin/sh");
                start.args(["-c", line]);
                start
            }
        };
        start.current_dir(self.site.project).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(variable) = self.harness.capabilities().project_variables.first() {
            start.env(variable, self.site.project);
        }
        let started = Instant::now();
        let child = start.process_group(0).spawn().map_err(|error| error.to_string())?;
        let payload = self.registration.payload(command, self.site.project);
        let reply = talk(child, payload)?;
        Ok((reply, started.elapsed()))
    }
}

/// Gives a process its input and takes its reply; ends it when it takes too long.
fn talk(mut child: Child, payload: String) -> Result<Reply, String> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        // It may answer before it has read everything.
        let _ = stdin.map(|mut stdin| stdin.write_all(payload.as_bytes()));
    });
    let stdout = thread::spawn(move || read(stdout));
    let stderr = thread::spawn(move || read(stderr));
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_micros(100)),
            Ok(None) => {
                // Its group is its own: it was started so.
                if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = child.wait();
                return Err(format!("there was no reply within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    let text = |reader: thread::JoinHandle<String>| reader.join().unwrap_or_default();
    let exit = status.code().and_then(|code| u8::try_from(code).ok()).ok_or("it was ended by a signal")?;
    Ok(Reply { stdout: text(stdout), stderr: text(stderr), exit })
}

fn read(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let _ = from.map(|from| from.take(REPLY_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
