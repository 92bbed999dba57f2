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

By default, your own settings file is changed. `--scope project` changes your local file in the project, or the project's
file if the harness has no local one. `--shared` changes the file that the project commits, which contains no paths of this
machine. `--managed` changes the administrator's file, for every user of this machine (claude, copilot, cursor, gemini and
windsurf only). `--plugin`, `--shim`, `--hooks-file` and `--http` are only for claude.

`--shim` replaces a hook script. These names evaluate one policy, unless `--only` names others, and read settings files such
as write-policies.json in the folder `config` next to the script: dangerous-command-guard.sh, guardrail.py,
nous-plan-enforcer, protected-files-guard.py, write-control.sh. Any other name evaluates the whole chain. guardrail-confirm.py
isn't a hook: it runs `guard-host confirm`. Your own script at the same path is saved as NAME.before-guard-host, its entry is
replaced, and `uninstall` restores both.

docs/harness-details.md says where each harness keeps its hooks, and what it does when a hook fails.

Without a harness and without a terminal, the command lists the harnesses on this machine and exits with 2.")]
pub(in crate::cli) struct InstallArgs {
    /// The harness: amp, antigravity, claude, cline, codex, copilot, crush, cursor, devin, droid, gemini, grok, hermes, kilo,
    /// kimi, kiro, openclaw, opencode, pi, qwen, vibe, vscode or windsurf [default: list those on this machine, and ask
    /// which one]
    pub(in crate::cli) harness: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
    /// The tools whose calls are checked, by their names in the harness [default: all]
    #[arg(long, value_name = "M")]
    matcher: Option<String>,
    /// How long the harness waits, in seconds [default: 20]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(5..=600))]
    timeout: Option<u32>,
    /// Evaluate only these policies, `self-protect` and managed policies; built-in ones don't have to be in the chain
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Allow calls when the hook can't run
    #[arg(long)]
    fail_open: bool,
    /// Register the server at this address, which `guard-host serve` starts [default: 127.0.0.1:8273]
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "127.0.0.1:8273",
        value_parser = parse_local_address,
        conflicts_with_all = ["shared", "managed", "plugin", "shim", "hooks_file", "only", "fail_open"],
    )]
    pub(in crate::cli) http: Option<SocketAddr>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host uninstall claude
  guard-host uninstall claude --scope project --dry-run")]
pub(in crate::cli) struct UninstallArgs {
    /// The harness, by its name for `install`
    pub(in crate::cli) harness: String,
    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TargetArgs {
    /// Which registration: for all projects, or for this one [default: user]
    #[arg(long, value_enum)]
    scope: Option<ScopeName>,
    /// For everyone with the project or the plugin: uses no paths of this machine
    #[arg(long)]
    shared: bool,
    /// For every user of this machine: the administrator's file, such as /etc/claude-code/managed-settings.json
    #[arg(long, conflicts_with_all = ["scope", "shared", "plugin", "shim", "hooks_file"])]
    managed: bool,
    /// The folder of a plugin (`install` creates it)
    #[arg(long, value_name = "DIR")]
    plugin: Option<PathBuf>,
    /// The name of a script that starts the hook (`install` writes it, `uninstall` restores yours)
    #[arg(long, value_name = "NAME")]
    shim: Option<String>,
    /// A file with hooks, instead of the usual one
    #[arg(long, value_name = "FILE")]
    hooks_file: Option<PathBuf>,
    /// Print what would change, and change nothing
    #[arg(long, short = 'n')]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScopeName {
    /// Your calls in every project
    User,
    /// Your calls in this project
    Project,
}

/// Parses a local address with a port.
fn parse_local_address(text: &str) -> Result<SocketAddr, String> {
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

Starts the registered command with a call that must be denied, and with harmless ones. Exits with 0, or with 69 if there
is something to fix. --last starts nothing: it shows the last call that was denied or needed confirmation, with its time
and harness, and when a call was last added to a session's history.")]
pub(in crate::cli) struct DoctorArgs {
    /// The harness [default: all in which this program is registered]
    pub(in crate::cli) harness: Option<String>,
    /// Show when a call was last judged, without testing anything
    #[arg(long, conflicts_with_all = ["harness", "plugin", "hooks_file"])]
    pub(in crate::cli) last: bool,
    /// Also check this plugin's folder
    #[arg(long, value_name = "DIR", conflicts_with = "hooks_file")]
    plugin: Option<PathBuf>,
    /// Also check this file with hooks
    #[arg(long, value_name = "FILE")]
    hooks_file: Option<PathBuf>,
    /// How to print the result
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
    /// The shell [default: list the shells]
    pub(in crate::cli) shell: Option<clap_complete::Shell>,
}

/// Arguments of `guard-host statusline`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host statusline
  echo '{\"session_id\": \"1234\"}' | guard-host statusline

For Claude Code, in settings.json:
  \"statusLine\": { \"type\": \"command\", \"command\": \"guard-host statusline\" }

`guard on, 2 problems` counts the problems and warnings of `doctor`, except for those of its test call.

Reads the session from standard input, in Claude Code's format. The numbers come from the audit log and from the session's
history, which contains a call that ran only if the harness reports it.")]
pub(in crate::cli) struct StatuslineArgs {}
