//! Arguments of `guard-host install`, `uninstall`, `doctor` and `completions`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use guard_setup::install::{InstallOptions, Scope};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host install
  guard-host install claude
  guard-host install codex --scope project --dry-run
  guard-host install claude --plugin ./plugins/safety-guard --matcher 'Write|Edit' --shim write-control.sh
  guard-host install claude --http
  sudo guard-host install claude --managed

By default your own settings file is changed. `--scope project` changes the project's file, with paths of this machine; a
local file, if the harness has one. `--shared` changes the project's file that is committed, without such paths.
`--managed` changes the administrator's file, for every user of this machine: of claude, copilot, cursor, gemini and windsurf.
`--plugin`, `--shim`, `--hooks-file` and `--http` are for claude.

`--shim` replaces a hook script. These names evaluate one policy, unless `--only` names others, and read settings files such
as write-policies.json in the folder `config` next to the script: dangerous-command-guard.sh, guardrail.py,
nous-plan-enforcer, protected-files-guard.py, write-control.sh. Any other name evaluates the whole chain. guardrail-confirm.py
is not a hook, but `guard-host confirm`. Your own script at the same path is saved as NAME.before-guard-host, its entry is
replaced, and `uninstall` restores both.

docs/harness-details.md says where each harness keeps its hooks, and what it does when a hook fails.

Without a harness and without a terminal, the command lists the harnesses on this machine and exits with 2.")]
pub(in crate::cli) struct InstallArgs {
    /// The harness: amp, antigravity, claude, cline, codex, copilot, crush, cursor, devin, droid, gemini, grok, hermes, kilo,
    /// kimi, kiro, openclaw, opencode, pi, qwen, vibe, vscode or windsurf [default: lists those on this machine, and asks
    /// which]
    pub(in crate::cli) harness: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
    /// The tools whose calls are checked, by their names in the harness [default: all]
    #[arg(long, value_name = "M")]
    matcher: Option<String>,
    /// How long the harness waits, in seconds [default: 20]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(5..=600))]
    timeout: Option<u32>,
    /// Evaluate only these policies; built-in policies need not be in the chain
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Allow calls when the hook can't run
    #[arg(long)]
    fail_open: bool,
    /// Ask the server at this address, which `guard-host serve` starts [default: 127.0.0.1:8273]
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "127.0.0.1:8273",
        value_parser = here,
        conflicts_with_all = ["shared", "managed", "plugin", "shim", "hooks_file", "only", "fail_open"],
    )]
    pub(in crate::cli) http: Option<SocketAddr>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host uninstall claude
  guard-host uninstall claude --scope project --dry-run")]
pub(in crate::cli) struct UninstallArgs {
    /// The harness, by the name that `install` takes
    pub(in crate::cli) harness: String,
    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TargetArgs {
    /// The calls that are checked [default: user]
    #[arg(long, value_enum)]
    scope: Option<ScopeName>,
    /// For everybody who has the project or the plugin: no paths of this machine
    #[arg(long)]
    shared: bool,
    /// For every user of this machine: the administrator's file, such as /etc/claude-code/managed-settings.json
    #[arg(long, conflicts_with_all = ["scope", "shared", "plugin", "shim", "hooks_file"])]
    managed: bool,
    /// The folder of a plugin, which is made if it does not exist
    #[arg(long, value_name = "DIR")]
    plugin: Option<PathBuf>,
    /// Register a script of this name that starts the hook
    #[arg(long, value_name = "NAME")]
    shim: Option<String>,
    /// A file with hooks other than the usual one
    #[arg(long, value_name = "FILE")]
    hooks_file: Option<PathBuf>,
    /// Print what would change, and change nothing
    #[arg(long, short = 'n')]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScopeName {
    /// Yours, in every project
    User,
    /// The calls in this project
    Project,
}

/// An address and port of this machine.
fn here(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse::<SocketAddr>().ok().filter(|address| address.ip().is_loopback() && address.port() != 0);
    address.ok_or_else(|| "give an address and a port of this machine alone, such as --http=127.0.0.1:9000".to_owned())
}

impl InstallArgs {
    pub(in crate::cli) fn options(&self) -> InstallOptions {
        let only = self.only.iter().filter(|name| !name.is_empty()).cloned().collect();
        InstallOptions {
            matcher: self.matcher.clone(),
            timeout: self.timeout,
            fail_open: self.fail_open,
            only,
            ..self.target.options()
        }
    }
}

impl TargetArgs {
    pub(in crate::cli) fn options(&self) -> InstallOptions {
        let scope = self.scope.map(|scope| match scope {
            ScopeName::User => Scope::User,
            ScopeName::Project => Scope::Project,
        });
        InstallOptions {
            scope,
            shared: self.shared,
            managed: self.managed,
            plugin: self.plugin.clone(),
            shim: self.shim.clone(),
            hooks_file: self.hooks_file.clone(),
            ..InstallOptions::default()
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host doctor
  guard-host doctor codex
  guard-host doctor --last
  guard-host doctor --plugin ./plugins/safety-guard --format json

Starts the registered command with a call that must be denied, and some that are harmless. Exits with 0, or with 69 if
there is something to fix. --last starts nothing: it shows the last call that was denied or needed confirmation, with its
time and harness, and when a call was last added to the history of a session.")]
pub(in crate::cli) struct DoctorArgs {
    /// The harness [default: those that ask this program]
    pub(in crate::cli) harness: Option<String>,
    /// Say when a call was last judged, and try nothing
    #[arg(long, conflicts_with_all = ["harness", "plugin", "hooks_file"])]
    pub(in crate::cli) last: bool,
    /// Look into the folder of this plugin too
    #[arg(long, value_name = "DIR", conflicts_with = "hooks_file")]
    plugin: Option<PathBuf>,
    /// Look into this file with hooks too
    #[arg(long, value_name = "FILE")]
    hooks_file: Option<PathBuf>,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
}

impl DoctorArgs {
    pub(in crate::cli) fn options(&self) -> InstallOptions {
        InstallOptions { plugin: self.plugin.clone(), hooks_file: self.hooks_file.clone(), ..InstallOptions::default() }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host completions bash > ~/.local/share/bash-completion/completions/guard-host
  guard-host completions fish > ~/.config/fish/completions/guard-host.fish")]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell [default: lists them]
    pub(in crate::cli) shell: Option<clap_complete::Shell>,
}

/// Arguments of `guard-host statusline`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host statusline
  echo '{\"session_id\": \"1234\"}' | guard-host statusline

For Claude Code, in settings.json:
  \"statusLine\": { \"type\": \"command\", \"command\": \"guard-host statusline\" }

The session is read from standard input, in the form that Claude Code sends. The figures come from the audit log and from the
history of the session, which has a call that ran if the harness reports it.")]
pub(in crate::cli) struct StatuslineArgs {}
