//! [`Registration`]: what a harness has to tell of where its hooks are registered, for `install` and `doctor`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use guard_builtins::Builtin;
use serde_json::Value;

use super::{Action, InstallError, ManagedFile};
use guard_contract::shell_word::word;
use guard_harness::Reply;
use guard_platform::fs::MetadataExt;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// Whose calls are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This user's calls, in every project.
    User,
    /// Calls in this project.
    Project,
}

/// The options of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// Whose calls; `None`: the user's, or the project's if `shared`.
    pub scope: Option<Scope>,
    /// For everybody who has the project or the plugin: no paths of this machine.
    pub shared: bool,
    /// For every user of this machine, in a file of the administrator's.
    pub managed: bool,
    /// The tools, in the harness's words; `None`: all.
    pub matcher: Option<String>,
    /// How long the harness waits, in seconds.
    pub timeout: Option<u32>,
    /// The folder of a plugin.
    pub plugin: Option<PathBuf>,
    /// The name of a script that starts the hook.
    pub shim: Option<String>,
    /// Another file with hooks than the usual one.
    pub hooks_file: Option<PathBuf>,
    /// The server that is asked; `None`: each call starts the hook.
    pub server: Option<Server>,
    /// A hook that cannot run lets the call pass.
    pub fail_open: bool,
    /// Only these policies.
    pub only: Vec<String>,
}

impl InstallOptions {
    /// The policies that the hook asks; empty: all of the chain. A script of the name of a built-in policy's own script
    /// asks that policy, unless others are named.
    #[must_use]
    pub fn policies(&self) -> Vec<String> {
        let called = |builtin: &&Builtin| self.shim.is_some() && builtin.called == self.shim.as_deref();
        let own = guard_builtins::all().iter().filter(called).map(|builtin| builtin.name.to_owned());
        if self.only.is_empty() { own.collect() } else { self.only.clone() }
    }

    /// The script is the one with which a person confirms, and no hook.
    #[must_use]
    pub fn is_confirming(&self) -> bool {
        let named = |builtin: &Builtin| self.shim.is_some() && builtin.confirmed_by == self.shim.as_deref();
        guard_builtins::all().iter().any(named)
    }

    /// The option that names another file with hooks than the usual one, as it is typed; empty without one.
    #[must_use]
    pub fn named_file(&self) -> String {
        let named = |flag: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| format!(" {flag} {}", word(&path.to_string_lossy())))
        };
        named("--plugin", &self.plugin).or_else(|| named("--hooks-file", &self.hooks_file)).unwrap_or_default()
    }

    /// The options that name the place of the registration, as they are typed; empty for the usual one.
    #[must_use]
    pub fn place(&self) -> String {
        let scope = if self.scope == Some(Scope::Project) { " --scope project" } else { "" };
        let shared = if self.shared { " --shared" } else { "" };
        format!("{scope}{shared}{}", self.named_file())
    }

    /// One of the policies that the hook asks has a settings file that may lie beside the hook.
    #[must_use]
    pub fn has_settings(&self) -> bool {
        let asked = self.policies();
        let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|other| other == name);
        guard_builtins::all().iter().any(|builtin| builtin.settings_file.is_some() && is_asked(builtin.name))
    }
}

/// A `guard-host serve`, as a harness is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Where it listens: a port of this machine.
    pub address: SocketAddr,
    /// Its token.
    pub token: String,
}

/// Where a registration is looked for or made.
#[derive(Debug, Clone, Copy)]
pub struct HookLocation<'a> {
    /// The environment of the process.
    pub environment: &'a Environment,
    /// The project's root.
    pub project: &'a Path,
    /// Where the program's files lie.
    pub dirs: &'a AppDirs,
}

/// How a harness starts the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Running {
    /// A program with its arguments.
    Program(String, Vec<String>),
    /// A line for a shell.
    Shell(String),
    /// A server that runs already is asked.
    Server {
        /// Where.
        url: String,
        /// The header `Authorization`, variables filled in; empty if there is none.
        authorization: String,
    },
}

impl Running {
    /// The command that starts it, if it is a server.
    pub(crate) fn start(&self, site: HookLocation<'_>) -> String {
        let Running::Server { url, .. } = self else { return String::new() };
        let address = url.split('/').nth(2).unwrap_or_default();
        format!("start `{}`, or restart it if it is running", serve_line(address, site))
    }
}

/// The command that starts a server at this address.
pub(crate) fn serve_line(address: &str, site: HookLocation<'_>) -> String {
    let usual = AppDirs::under_home(&site.environment.home);
    let named = site.dirs.arguments().into_iter().zip(usual.arguments()).filter(|(own, usual)| own != usual);
    let named: String = named.map(|((flag, path), _)| format!(" {flag} {}", word(&path.to_string_lossy()))).collect();
    format!("guard-host{named} serve --listen {address}")
}

/// Notes for the administrator on a registration for every user.
pub(crate) fn next_steps_of_managed(site: HookLocation<'_>) -> Vec<String> {
    let program = &site.environment.program;
    let is_closed = |path: &&Path| std::fs::metadata(path).is_ok_and(|data| cfg!(unix) && data.mode() & 0o001 == 0);
    let closed = program.ancestors().find(is_closed).map(|closed| {
        let (program, closed) = (program.display(), closed.display());
        format!(
            "install the program to /usr/local/bin: other users can't start `{program}`, `{closed}` is closed to them"
        )
    });
    let known =
        "know that each user has their own guard.toml, log and sessions; /etc/guard-host/guard.toml applies to all";
    closed.into_iter().chain([known.to_owned()]).collect()
}

/// One registration before tool calls that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundHook {
    /// The file.
    pub place: PathBuf,
    /// The file comes with a repository: what it names is not the user's word.
    pub foreign: bool,
    /// The file is the administrator's, for every user of this machine.
    pub managed: bool,
    /// The command that registers it again.
    pub again: String,
    /// How the hook is started, variables of the harness filled in.
    pub running: Running,
    /// The policies that it asks; empty: all of the chain.
    pub only: Vec<String>,
    /// The configuration file that its command line names.
    pub config: Option<PathBuf>,
    /// The folder with settings files that its command line names.
    pub settings: Option<PathBuf>,
    /// The script that starts the hook, or the link that is it.
    pub script: Option<PathBuf>,
    /// The tools that it is for, if they are not all.
    pub tools: Option<String>,
    /// The [`Registration::tools`] that it is not asked about.
    pub left_out: Vec<&'static str>,
    /// A hook that cannot run blocks the call.
    pub blocks: bool,
    /// Reasons why it doesn't decide every call.
    pub hindrances: Vec<String>,
    /// The harness skips it until a person does this.
    pub unapproved: Option<&'static str>,
}

/// A setting of the harness that keeps hooks from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisablingSetting {
    /// The file.
    pub place: PathBuf,
    /// The setting.
    pub setting: String,
}

/// The results of reading the harness's own files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The registrations before tool calls.
    pub found: Vec<FoundHook>,
    /// The end of a session is told.
    pub session_end: bool,
    /// Settings that keep hooks from running.
    pub switches: Vec<DisablingSetting>,
    /// Files that the harness cannot read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// The fate of a call when the hook cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureBehavior {
    /// A description of it.
    pub text: String,
    /// The fix; empty if none is needed.
    pub remedy: String,
}

/// How one vendor's hooks are registered.
pub trait Registration: Sync {
    /// The name that the vendor gives the harness.
    fn title(&self) -> &'static str;

    /// The files of the registration.
    ///
    /// # Errors
    ///
    /// The options make no sense for this harness.
    fn pieces(&self, options: &InstallOptions, site: HookLocation<'_>) -> Result<Vec<ManagedFile>, InstallError>;

    /// Files that an earlier registration made in the same place, and that the registration of the options does not need.
    fn retired(&self, options: &InstallOptions, site: HookLocation<'_>, aim: Action) -> Vec<ManagedFile>;

    /// Next steps for the user, one line each.
    fn next_steps(&self, options: &InstallOptions, site: HookLocation<'_>) -> Vec<String>;

    /// It can be told of a server ([`InstallOptions::server`]).
    fn takes_server(&self) -> bool {
        false
    }

    /// The tools that run commands and write files. The first is the one that [`Registration::payload`] calls.
    fn tools(&self) -> Vec<&'static str>;

    /// Surveys the harness's files, with those of the options.
    fn survey(&self, options: &InstallOptions, site: HookLocation<'_>) -> Survey;

    /// The fate of a call when the hook cannot run.
    fn when_it_fails(&self, blocks: bool) -> FailureBehavior;

    /// Behaviour of this harness that was never tried.
    fn unverified(&self) -> &'static [&'static str] {
        &[]
    }

    /// The payload of a shell command that an agent wants to run.
    fn payload(&self, command: &str, cwd: &Path) -> String;

    /// The payload of a call of any tool; `None` if the harness is only tried with shell commands.
    fn payload_of(&self, _tool: &str, _input: &Value, _cwd: &Path) -> Option<String> {
        None
    }

    /// The reply is a deny in every form that the harness understands.
    fn is_deny(&self, reply: &Reply) -> bool;

    /// The body of a server's answer is a deny.
    fn is_deny_of_server(&self, _body: &str) -> bool {
        false
    }
}
