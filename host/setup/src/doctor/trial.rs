//! [`Trial`]: starts the registered command as the harness does, with a call that must be denied.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use guard_platform::fs::{identity, is_executable};
use serde::Deserialize;
use serde_json::Value;

use super::Finding;
use crate::install::{FoundHook, HookLocation, Registration, Running};
use crate::process::{PATIENCE, REPLY_BYTES, run_with_input};
use guard_contract::{Manifest, Outcome};
use guard_harness::{Harness, Reply};
use guard_redact::plain;
use guard_state::session::Sessions;

/// The name of the check.
const CHECK: &str = "canary";

/// A command that every chain denies.
const CANARY: &str = "rm -rf /";

/// The session in the payloads.
const SESSION: &str = "guard-host-doctor";

/// The name of the shell tool.
const SHELL: &str = "Bash";

/// A command that no chain objects to.
const HARMLESS: &str = "ls";

/// The number of calls that are measured.
const CALLS: usize = 7;

/// The maximum number of characters that are shown of a server's error.
const SHOWN: usize = 200;

/// The exit code of a shell that found a program but can't execute it.
const CANNOT_EXECUTE: u8 = 126;

/// The exit code of a shell that found no program.
const NOT_FOUND: u8 = 127;

/// The target of a registered program name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// This program, or a copy of it.
    This,
    /// Another program.
    Other,
    /// A file that can't be executed.
    NotExecutable,
    /// An empty file, which a shell runs as a script.
    Empty,
    /// No file.
    Missing,
}

impl Program {
    /// Finds the program `name`, on the `PATH` if it isn't a path.
    pub(super) fn find(name: &str, site: HookLocation<'_>) -> Self {
        let path = site.environment.variables.get("PATH").map(String::as_str).unwrap_or_default();
        let candidates: Vec<PathBuf> = match name.contains('/') {
            true => vec![site.project.join(name)],
            false => std::env::split_paths(path).map(|folder| folder.join(name)).collect(),
        };
        let files = candidates.iter().filter_map(|path| Some((path, fs::metadata(path).ok()?)));
        let mut files = files.filter(|(_, data)| data.is_file()).peekable();
        let first = files.peek().is_some();
        match files.find(|(_, data)| is_executable(data)) {
            Some((_, data)) if data.len() == 0 => Program::Empty,
            Some((path, _)) if is_same(path, &site.environment.program) => Program::This,
            Some(_) => Program::Other,
            None if first => Program::NotExecutable,
            None => Program::Missing,
        }
    }
}

/// Returns whether both paths are the same file, or have the same content.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(a), Ok(b)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    let place = |path, data| identity(path, data).map(|identity| (identity.dev, identity.ino)).ok();
    let one_file = place(one, &a).is_some_and(|one| Some(one) == place(other, &b));
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

/// A call that must be denied.
struct Canary {
    tool: String,
    /// The call in readable form.
    shown: String,
    payload: String,
}

/// The required part of a built-in's description.
#[derive(Deserialize)]
struct Description {
    manifest: Manifest,
}

/// A test of one registration.
pub(super) struct Trial<'a> {
    pub(super) harness: &'a dyn Harness,
    pub(super) registration: &'a dyn Registration,
    pub(super) site: HookLocation<'a>,
    pub(super) found: &'a FoundHook,
    /// Whether the policy that denies the call is paused or in watch mode.
    pub(super) is_idle: bool,
    /// The fix for a chain that can't deny a shell command.
    pub(super) cause: Option<&'a str>,
}

impl Trial<'_> {
    /// Checks that the call is denied, and measures how long a call takes.
    pub(super) fn run(&self) -> Vec<Finding> {
        let Some(canary) = self.canary() else {
            let only = self.found.only.join(", ");
            let text = format!("{} was not tried: no call is known that `{only}` must deny", self.subject());
            return vec![Finding::note(CHECK, text, "start it with a call that it must deny")];
        };
        if let Some(untried) = self.untried(&canary) {
            return vec![untried];
        }
        let answer = self.call(&canary.payload);
        // After a failure, every further call would time out.
        let calls = if answer.is_ok() { CALLS } else { 0 };
        let mut findings = self.verdict(&canary, answer.map(|(reply, _)| reply));
        // Ends the session of the test calls, so that it leaves no pending calls.
        let sessions = guard_config::load(self.site.dirs, &[]).sessions;
        let _ = sessions.end(&Sessions::name(SESSION), PATIENCE);
        findings.extend(self.cost(calls));
        findings
    }

    fn is_server(&self) -> bool {
        matches!(self.found.running, Running::Server { .. })
    }

    /// Returns the tested registration in readable form.
    fn subject(&self) -> String {
        format!("the {} in `{}`", if self.is_server() { "server" } else { "command" }, self.found.place.display())
    }

    /// Returns why the call must not be tried, or `None`.
    fn untried(&self, canary: &Canary) -> Option<Finding> {
        let subject = self.subject();
        let shell = self.registration.tools().first().copied().unwrap_or_default();
        let tool = if canary.tool == SHELL { shell } else { &canary.tool };
        if self.found.left_out.contains(&tool) {
            let kind = if canary.tool == SHELL { "shell commands".to_owned() } else { format!("`{}`", canary.tool) };
            let text = format!("{subject} was not tried: it is not asked about {kind}");
            let remedy = format!("run `{}` without `--matcher`", self.found.again);
            return Some(Finding::note(CHECK, text, remedy));
        }
        // A repository's file can name any program. It is only started if it is this program.
        let known = match &self.found.running {
            Running::Program(name, _) => Program::find(name, self.site) == Program::This,
            Running::Shell(_) | Running::Server { .. } => false,
        };
        (self.found.foreign && !known).then(|| {
            let text = format!("{subject} was not tried: it comes with the project and is not this program");
            Finding::note(CHECK, text, format!("look at it, and run `{}`", self.found.again))
        })
    }

    /// Returns the findings for a reply: the verdict, or a program that didn't start.
    fn verdict(&self, canary: &Canary, answer: Result<Reply, String>) -> Vec<Finding> {
        let (subject, shown) = (self.subject(), &canary.shown);
        let again = format!("run `{}`", self.found.again);
        let verdict = match answer {
            Ok(reply) if self.is_deny(&reply) => Finding::ok(CHECK, format!("{subject} denies `{shown}`")),
            Ok(reply) if self.is_not_started(&reply) => {
                let why = if reply.exit == CANNOT_EXECUTE { "cannot be executed" } else { "is not there" };
                let text = format!("what `{}` starts {why}", self.found.place.display());
                let program = Finding::problem("program", text, &again);
                let text = format!("{subject} does not run: exit code {} of the shell", reply.exit);
                return vec![program, Finding::problem(CHECK, text, again)];
            }
            Ok(reply) if self.is_idle && reply.exit == 0 => {
                let text = format!("{subject} doesn't deny `{shown}`: the policy is paused or only watched");
                Finding::note(CHECK, text, "see `mode` below")
            }
            Ok(reply) if self.may_be_settled(&reply) => {
                let text = format!("{subject} doesn't deny `{shown}`: its settings file may be the reason");
                Finding::note(CHECK, text, "run `guard-host config check` if you did not write such settings")
            }
            Ok(reply) => {
                let answer = if reply.stdout.is_empty() { "no reply" } else { "another reply" };
                let text = format!("{subject} doesn't deny `{shown}`: exit code {}, {answer}", reply.exit);
                let explain = if canary.tool == SHELL { String::new() } else { format!("--tool {} ", canary.tool) };
                let why = match self.cause {
                    Some(cause) if canary.tool == SHELL => cause.to_owned(),
                    _ => format!("run `guard-host explain {explain}'{shown}'` to see why"),
                };
                let who = if self.is_server() { "see that no other program listens there, and " } else { "" };
                Finding::problem(CHECK, text, format!("{who}{why}"))
            }
            Err(error) if self.is_server() => {
                let text = format!("{subject} gives no verdict: {error}");
                let start = self.found.running.start(self.site);
                Finding::problem(CHECK, text, format!("{start}, and run `{} --http`", self.found.again))
            }
            Err(error) => Finding::problem(CHECK, format!("{subject} does not run: {error}"), again),
        };
        vec![verdict]
    }

    /// Measures the median time of this number of calls.
    fn cost(&self, calls: usize) -> Option<Finding> {
        let harmless = self.registration.payload(HARMLESS, self.site.project);
        let mut times: Vec<Duration> =
            (0..calls).filter_map(|_| self.call(&harmless).ok()).map(|(_, time)| time).collect();
        times.sort();
        let millis = times.get(times.len() / 2)?.as_secs_f64() * 1000.0;
        Some(Finding::ok("cost", format!("a call takes {millis:.1} ms here (median of {})", times.len())))
    }

    /// Returns a call that the registered policies must deny: a common one for the whole chain, or an example of one of
    /// the selected policies. `None` if they have no example.
    fn canary(&self) -> Option<Canary> {
        let (registration, cwd) = (self.registration, self.site.project);
        if self.found.only.is_empty() {
            let payload = registration.payload(CANARY, cwd);
            return Some(Canary { tool: SHELL.to_owned(), shown: CANARY.to_owned(), payload });
        }
        let builtins = self.found.only.iter().filter_map(|name| guard_builtins::find(name));
        let manifests =
            builtins.filter_map(|builtin| serde_json::from_str::<Description>(builtin.guest.description).ok());
        let examples = manifests.flat_map(|description| description.manifest.examples);
        let mut denied = examples.filter(|example| example.outcome == Outcome::Deny).filter_map(|example| {
            let input: Value = serde_json::from_str(&example.input).ok()?;
            let command = input.get("command").and_then(Value::as_str);
            let of_shell = || command.filter(|_| example.tool == SHELL).map(|line| registration.payload(line, cwd));
            let payload = registration.payload_of(&example.tool, &input, cwd).or_else(of_shell)?;
            let shown = command.map_or_else(|| example.input.clone(), str::to_owned);
            Some(Canary { tool: example.tool, shown, payload })
        });
        denied.next()
    }

    /// Returns whether the reply is a deny in the expected form.
    fn is_deny(&self, reply: &Reply) -> bool {
        match self.found.running {
            Running::Server { .. } => self.registration.is_deny_of_server(&reply.stdout),
            Running::Program(..) | Running::Shell(_) => self.registration.is_deny(reply),
        }
    }

    /// Returns whether settings files may be the reason for a reply that isn't a deny: their lists replace the
    /// defaults, from which the example was taken.
    fn may_be_settled(&self, reply: &Reply) -> bool {
        let has_file = |name: &String| guard_builtins::find(name).is_some_and(|found| found.settings_file.is_some());
        reply.exit == 0 && !self.found.only.is_empty() && self.found.only.iter().all(has_file)
    }

    /// Returns whether the shell reports that it couldn't start the program. Without a shell, starting fails directly.
    fn is_not_started(&self, reply: &Reply) -> bool {
        let by_shell = matches!(self.found.running, Running::Shell(_));
        by_shell && matches!(reply.exit, CANNOT_EXECUTE | NOT_FOUND) && reply.stdout.is_empty()
    }

    /// Sends one call, and returns the reply with its duration.
    fn call(&self, payload: &str) -> Result<(Reply, Duration), String> {
        let started = Instant::now();
        let mut start = match &self.found.running {
            Running::Server { url, authorization } => {
                return Ok((post(url, authorization, payload)?, started.elapsed()));
            }
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
        start.current_dir(self.site.project);
        if let Some(variable) = self.harness.capabilities().project_variables.first() {
            start.env(variable, self.site.project);
        }
        let reply = run_with_input(&mut start, payload.to_owned())?;
        Ok((reply, started.elapsed()))
    }
}

/// Sends a call to a server. Its standard error isn't shown.
fn post(url: &str, authorization: &str, payload: &str) -> Result<Reply, String> {
    // Local addresses aren't reached through a proxy.
    let settings = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false).proxy(None);
    let request = ureq::Agent::from(settings.build()).post(url).header("authorization", authorization);
    let mut answer = request.send(payload).map_err(|error| error.to_string())?;
    let status = answer.status().as_u16();
    let body = answer.body_mut().with_config().limit(REPLY_BYTES).read_to_string();
    let stdout = body.map_err(|error| error.to_string())?;
    match status {
        200 => Ok(Reply { stdout, stderr: String::new(), exit: 0 }),
        // Any program may have sent this answer.
        _ => Err(format!("status {status}, {}", plain(&stdout).chars().take(SHOWN).collect::<String>())),
    }
}
