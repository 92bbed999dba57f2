//! [`Trial`]: the registered command, started as the harness starts it, with a call that must be denied.

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

/// The check of what a tried call is answered.
const CHECK: &str = "canary";

/// A command that every chain denies.
const CANARY: &str = "rm -rf /";

/// The session that the payloads name.
const SESSION: &str = "guard-host-doctor";

/// The tool of shell commands.
const SHELL: &str = "Bash";

/// A command that no chain has anything against.
const HARMLESS: &str = "ls";

/// How many calls are measured.
const CALLS: usize = 7;

/// How much is shown of a server's refusal, in characters.
const SHOWN: usize = 200;

/// The exit code of a shell that found a program and cannot execute it.
const CANNOT_EXECUTE: u8 = 126;

/// The exit code of a shell that found no program.
const NOT_FOUND: u8 = 127;

/// The target of a registered name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// This program, or a copy of it.
    This,
    /// Another one.
    Other,
    /// A file that cannot be executed.
    NotExecutable,
    /// An empty file, which a shell runs as a script.
    Empty,
    /// Nothing.
    Missing,
}

impl Program {
    /// Finds the program of `name`, through `PATH` if it is no path.
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

/// Both are one file, or hold the same bytes.
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
    /// The call as a person reads it.
    shown: String,
    payload: String,
}

/// The part of a built-in's description that is needed here.
#[derive(Deserialize)]
struct Description {
    manifest: Manifest,
}

/// One registration that is tried.
pub(super) struct Trial<'a> {
    pub(super) harness: &'a dyn Harness,
    pub(super) registration: &'a dyn Registration,
    pub(super) site: HookLocation<'a>,
    pub(super) found: &'a FoundHook,
    /// The policy that denies the call is paused, or only watched.
    pub(super) is_idle: bool,
    /// What to do about a chain that can't deny a shell command.
    pub(super) cause: Option<&'a str>,
}

impl Trial<'_> {
    /// Whether a deny comes back, and how long a call takes.
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
        // What has just not answered would be waited for again and again.
        let calls = if answer.is_ok() { CALLS } else { 0 };
        let mut findings = self.verdict(&canary, answer.map(|(reply, _)| reply));
        // What was only tried waits for nobody.
        let sessions = guard_config::load(self.site.dirs, &[]).sessions;
        let _ = sessions.end(&Sessions::name(SESSION), PATIENCE);
        findings.extend(self.cost(calls));
        findings
    }

    fn is_server(&self) -> bool {
        matches!(self.found.running, Running::Server { .. })
    }

    /// The tried registration, as a person reads it.
    fn subject(&self) -> String {
        format!("the {} in `{}`", if self.is_server() { "server" } else { "command" }, self.found.place.display())
    }

    /// Why the call is not tried, if it must not be.
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
        // What a repository's file names may be anything. It is started only if it is this program.
        let known = match &self.found.running {
            Running::Program(name, _) => Program::find(name, self.site) == Program::This,
            Running::Shell(_) | Running::Server { .. } => false,
        };
        (self.found.foreign && !known).then(|| {
            let text = format!("{subject} was not tried: it comes with the project and is not this program");
            Finding::note(CHECK, text, format!("look at it, and run `{}`", self.found.again))
        })
    }

    /// The findings for the answer to the call: its verdict, and its program if that did not start.
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
                Finding::problem(CHECK, text, format!("{}, and {again} --http", self.found.running.start(self.site)))
            }
            Err(error) => Finding::problem(CHECK, format!("{subject} does not run: {error}"), again),
        };
        vec![verdict]
    }

    /// The median time of so many calls.
    fn cost(&self, calls: usize) -> Option<Finding> {
        let harmless = self.registration.payload(HARMLESS, self.site.project);
        let mut times: Vec<Duration> =
            (0..calls).filter_map(|_| self.call(&harmless).ok()).map(|(_, time)| time).collect();
        times.sort();
        let millis = times.get(times.len() / 2)?.as_secs_f64() * 1000.0;
        Some(Finding::ok("cost", format!("a call takes {millis:.1} ms here (median of {})", times.len())))
    }

    /// A call that the registered policies must deny: of all of them the usual one, of some of them an example of theirs.
    /// `None` if they have none.
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

    /// The reply is a deny, in the form of what gave it.
    fn is_deny(&self, reply: &Reply) -> bool {
        match self.found.running {
            Running::Server { .. } => self.registration.is_deny_of_server(&reply.stdout),
            Running::Program(..) | Running::Shell(_) => self.registration.is_deny(reply),
        }
    }

    /// The reply is no deny, and the policies have settings files that may be the reason: lists in them replace those of
    /// which the tried call is an example.
    fn may_be_settled(&self, reply: &Reply) -> bool {
        let has_file = |name: &String| guard_builtins::find(name).is_some_and(|found| found.settings_file.is_some());
        reply.exit == 0 && !self.found.only.is_empty() && self.found.only.iter().all(has_file)
    }

    /// The shell says that it could not start the program. Who starts a program without a shell is told so at once.
    fn is_not_started(&self, reply: &Reply) -> bool {
        let by_shell = matches!(self.found.running, Running::Shell(_));
        by_shell && matches!(reply.exit, CANNOT_EXECUTE | NOT_FOUND) && reply.stdout.is_empty()
    }

    /// One call, and how long it took.
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

/// Asks a server. Its standard error is not shown.
fn post(url: &str, authorization: &str, payload: &str) -> Result<Reply, String> {
    // The machine's own address is behind no proxy.
    let settings = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false).proxy(None);
    let request = ureq::Agent::from(settings.build()).post(url).header("authorization", authorization);
    let mut answer = request.send(payload).map_err(|error| error.to_string())?;
    let status = answer.status().as_u16();
    let body = answer.body_mut().with_config().limit(REPLY_BYTES).read_to_string();
    let stdout = body.map_err(|error| error.to_string())?;
    match status {
        200 => Ok(Reply { stdout, stderr: String::new(), exit: 0 }),
        // Any program may answer there.
        _ => Err(format!("status {status}, {}", plain(&stdout).chars().take(SHOWN).collect::<String>())),
    }
}
