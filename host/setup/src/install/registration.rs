//! [`Registration`]: how a harness's hooks are registered, for `install` and `doctor`.

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

/// The calls that are covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This user's calls, in every project.
    User,
    /// Calls in this project.
    Project,
}

/// The command-line options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// The calls that are covered. `None` for the user's, or the project's if `shared`.
    pub scope: Option<Scope>,
    /// Whether the file is for everyone who has the project or the plugin, so that it contains no paths of this
    /// machine.
    pub shared: bool,
    /// Whether to register for every user of this machine, in a file of the administrator.
    pub managed: bool,
    /// The tools, in the harness's syntax. `None` for all.
    pub matcher: Option<String>,
    /// The harness's timeout, in seconds.
    pub timeout: Option<u32>,
    /// The folder of a plugin.
    pub plugin: Option<PathBuf>,
    /// The name of a script that starts the hook.
    pub shim: Option<String>,
    /// A hooks file other than the default.
    pub hooks_file: Option<PathBuf>,
    /// The server that answers calls. `None` if each call starts the hook.
    pub server: Option<Server>,
    /// Whether a hook that can't run lets the call pass.
    pub fail_open: bool,
    /// The policies to run. Empty for all.
    pub only: Vec<String>,
}

impl InstallOptions {
    /// Returns the policies that the hook runs. Empty for the whole chain. A script that has the name of a built-in
    /// policy's own script runs that policy, unless others are selected.
    #[must_use]
    pub fn policies(&self) -> Vec<String> {
        let called = |builtin: &&Builtin| self.shim.is_some() && builtin.called == self.shim.as_deref();
        let own = guard_builtins::all().iter().filter(called).map(|builtin| builtin.name.to_owned());
        if self.only.is_empty() { own.collect() } else { self.only.clone() }
    }

    /// Returns whether the script is one with which a person confirms calls, instead of a hook.
    #[must_use]
    pub fn is_confirming(&self) -> bool {
        let named = |builtin: &Builtin| self.shim.is_some() && builtin.confirmed_by == self.shim.as_deref();
        guard_builtins::all().iter().any(named)
    }

    /// Returns the option for a hooks file other than the default, as typed. Empty for the default.
    #[must_use]
    pub fn named_file(&self) -> String {
        let named = |flag: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| format!(" {flag} {}", word(&path.to_string_lossy())))
        };
        named("--plugin", &self.plugin).or_else(|| named("--hooks-file", &self.hooks_file)).unwrap_or_default()
    }

    /// Returns the options that select the location of the registration, as typed. Empty for the default.
    #[must_use]
    pub fn place(&self) -> String {
        let scope = if self.scope == Some(Scope::Project) { " --scope project" } else { "" };
        let shared = if self.shared { " --shared" } else { "" };
        format!("{scope}{shared}{}", self.named_file())
    }

    /// Returns whether one of the hook's policies has a settings file that may be beside the hook.
    #[must_use]
    pub fn has_settings(&self) -> bool {
        let asked = self.policies();
        let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|other| other == name);
        guard_builtins::all().iter().any(|builtin| builtin.settings_file.is_some() && is_asked(builtin.name))
    }
}

/// A `guard-host serve` to register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The address: a port of this machine.
    pub address: SocketAddr,
    /// The token.
    pub token: String,
}

/// Where to find or create registrations.
#[derive(Debug, Clone, Copy)]
pub struct HookLocation<'a> {
    /// The environment of the process.
    pub environment: &'a Environment,
    /// The project's root.
    pub project: &'a Path,
    /// The folders of the program's files.
    pub dirs: &'a AppDirs,
}

/// How a harness runs the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Running {
    /// A program with its arguments.
    Program(String, Vec<String>),
    /// A shell command line.
    Shell(String),
    /// A running server.
    Server {
        /// The URL.
        url: String,
        /// The header `Authorization` with variables expanded. May be empty.
        authorization: String,
    },
}

impl Running {
    /// Returns the advice to start the server, if it is one.
    pub(crate) fn start(&self, site: HookLocation<'_>) -> String {
        let Running::Server { url, .. } = self else { return String::new() };
        let address = url.split('/').nth(2).unwrap_or_default();
        format!("start `{}`, or restart it if it is running", serve_line(address, site))
    }
}

/// Returns the command that starts a server at this address.
pub(crate) fn serve_line(address: &str, site: HookLocation<'_>) -> String {
    let usual = AppDirs::under_home(&site.environment.home);
    let named = site.dirs.arguments().into_iter().zip(usual.arguments()).filter(|(own, usual)| own != usual);
    let named: String = named.map(|((flag, path), _)| format!(" {flag} {}", word(&path.to_string_lossy()))).collect();
    format!("guard-host{named} serve --listen {address}")
}

/// Returns notes for the administrator on a registration for every user.
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

/// A registration before tool calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundHook {
    /// The file.
    pub place: PathBuf,
    /// Whether the file comes with a repository, so that the user doesn't control it.
    pub foreign: bool,
    /// Whether it is the administrator's file, for every user of this machine.
    pub managed: bool,
    /// The command that registers it again.
    pub again: String,
    /// How the hook is run, with the harness's variables expanded.
    pub running: Running,
    /// The policies that it runs. Empty for the whole chain.
    pub only: Vec<String>,
    /// The configuration file in its command line.
    pub config: Option<PathBuf>,
    /// The folder of settings files in its command line.
    pub settings: Option<PathBuf>,
    /// The script or link that starts the hook.
    pub script: Option<PathBuf>,
    /// The tools that it covers. `None` for all.
    pub tools: Option<String>,
    /// The [`Registration::tools`] that it doesn't cover.
    pub left_out: Vec<&'static str>,
    /// Whether a hook that can't run blocks the call.
    pub blocks: bool,
    /// The reasons why it doesn't decide every call.
    pub hindrances: Vec<String>,
    /// The step that a person must take before the harness runs the hook.
    pub unapproved: Option<&'static str>,
}

/// A harness setting that disables hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisablingSetting {
    /// The file.
    pub place: PathBuf,
    /// The setting.
    pub setting: String,
}

/// The results of reading the harness's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The registrations before tool calls.
    pub found: Vec<FoundHook>,
    /// Whether the end of a session is reported.
    pub session_end: bool,
    /// The settings that disable hooks.
    pub switches: Vec<DisablingSetting>,
    /// The files that the harness can't read, with the reasons.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// What happens to a call when the hook can't run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureBehavior {
    /// The description.
    pub text: String,
    /// The fix. Empty if none is needed.
    pub remedy: String,
}

/// How one vendor's hooks are registered.
pub trait Registration: Sync {
    /// Returns the vendor's name for the harness.
    fn title(&self) -> &'static str;

    /// Returns the files of the registration.
    ///
    /// # Errors
    ///
    /// The options don't apply to this harness.
    fn pieces(&self, options: &InstallOptions, site: HookLocation<'_>) -> Result<Vec<ManagedFile>, InstallError>;

    /// Returns files of an earlier registration at the same location that this registration no longer needs.
    fn retired(&self, options: &InstallOptions, site: HookLocation<'_>, aim: Action) -> Vec<ManagedFile>;

    /// Returns the next steps for the user, one line each.
    fn next_steps(&self, options: &InstallOptions, site: HookLocation<'_>) -> Vec<String>;

    /// Returns whether it supports a server ([`InstallOptions::server`]).
    fn takes_server(&self) -> bool {
        false
    }

    /// Returns the tools that run commands and write files. The first one is called by [`Registration::payload`].
    fn tools(&self) -> Vec<&'static str>;

    /// Surveys the harness's files, including those in the options.
    fn survey(&self, options: &InstallOptions, site: HookLocation<'_>) -> Survey;

    /// What happens to a call when the hook can't run.
    fn when_it_fails(&self, blocks: bool) -> FailureBehavior;

    /// Returns untested behavior of this harness.
    fn unverified(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the payload of a shell command.
    fn payload(&self, command: &str, cwd: &Path) -> String;

    /// Returns the payload of a call of any tool. `None` if the harness is only tested with shell commands.
    fn payload_of(&self, _tool: &str, _input: &Value, _cwd: &Path) -> Option<String> {
        None
    }

    /// Returns whether the reply is a deny in every form that the harness accepts.
    fn is_deny(&self, reply: &Reply) -> bool;

    /// Returns whether the body of a server's reply is a deny.
    fn is_deny_of_server(&self, _body: &str) -> bool {
        false
    }
}
