//! The command line's arguments: only clap types.

mod allow;
mod audit;
mod cache;
mod ci;
mod consent;
pub(super) mod help;
mod install;
mod new;
mod self_command;
mod pause;
mod policy;
mod rates;
#[cfg(test)]
mod reference;
mod replay;
mod report;
mod run;
mod serve;
mod service;
mod settings;
mod sync;
mod test;
mod undo;
mod watch;
mod wit;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use guard_hook::command_line::{HookLine, dirs};
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) use allow::AllowArgs;
pub(super) use audit::{AuditArgs, AuditCommand, Filters, ShipArgs, ShipFormat};
pub(super) use cache::{CacheArgs, CacheCommand};
pub(super) use ci::{CiArgs, CiFormat};
pub(super) use consent::{ConfirmArgs, SessionArgs, SessionCommand, TrustArgs};
pub(super) use install::{CompletionsArgs, DoctorArgs, InstallArgs, StatuslineArgs, UninstallArgs};
pub(super) use new::{LanguageName, NewArgs};
pub(super) use pause::PauseArgs;
pub(super) use policy::{
    AddArgs, ExportArgs, FetchArgs, KeygenArgs, PlaceArgs, PolicyArgs, PolicyCommand, PullArgs, PushArgs, RemoveArgs,
    SearchArgs, UpdateArgs, WasiName,
};
pub(super) use rates::RatesArgs;
pub(super) use replay::{FailOn, ReplayArgs, ReplayFormat};
pub(super) use report::ReportArgs;
pub(super) use run::RunArgs;
pub(super) use self_command::{ManArgs, SelfArgs, SelfCommand};
pub(super) use serve::ServeArgs;
pub(super) use service::ServiceBuildArgs;
pub(super) use settings::{ExperimentArgs, SandboxArgs, SandboxCommand, SettingsArgs, SettingsCommand};
pub(super) use sync::{SyncArgs, SyncCommand, SyncPushArgs, SyncRunArgs, SyncStatusArgs, SyncTargetArgs};
pub(super) use test::{ConformanceArgs, ReportFormat, TestArgs};
pub(super) use undo::{UndoArgs, UndoCommand, UndoRestoreArgs};
pub(super) use watch::WatchArgs;
pub(super) use wit::WitArgs;

/// The hook that a coding agent asks before each tool call.
#[derive(Debug, Parser)]
#[command(
    name = "guard-host",
    bin_name = "guard-host",
    version,
    about,
    help_template = help::TEMPLATE,
    after_help = "Examples:
  guard-host check 'git push --force origin main'
  echo '{\"tool_input\":{\"command\":\"ls -la\"}}' | guard-host hook claude

Exit codes: check exits with 0 (allowed), 1 (ask) or 2 (deny), and test with 1 if a case fails. Most errors exit with 64 or more."
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: GlobalArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The command line of a hook alone, which is all that a call in a harness parses.
#[derive(Debug, Parser)]
#[command(name = "guard-host", bin_name = "guard-host", version)]
pub(super) struct HookOnly {
    #[command(flatten)]
    pub(super) global: GlobalArgs,
    /// For other commands: a hook prints its reply and nothing else.
    #[command(flatten)]
    _output: OutputArgs,
    #[command(subcommand)]
    pub(super) command: HookCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum HookCommand {
    /// Judge one hook payload from standard input.
    Hook(HookArgs),
}

impl From<HookOnly> for HookLine {
    fn from(parsed: HookOnly) -> Self {
        let HookCommand::Hook(HookArgs { harness, only, settings_dir: settings, record }) = parsed.command;
        let GlobalArgs { config, state, cache } = parsed.global;
        HookLine { config, state, cache, harness, only, settings, record }
    }
}

/// The heading of the options that every command takes.
const GLOBAL: &str = "Global options";

#[derive(Debug, Clone, Args)]
pub(super) struct GlobalArgs {
    /// Your configuration file [default: ~/.config/guard-host/guard.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = GLOBAL)]
    config: Option<PathBuf>,
    /// The folder for the audit log, the key that seals it, and the sessions [default: ~/.local/state/guard-host]
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    state: Option<PathBuf>,
    /// The folder of compiled policies [default: ~/.cache/guard-host]
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    cache: Option<PathBuf>,
}

/// How much every command prints, and how.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct OutputArgs {
    /// Print only results and errors; `check` prints nothing, and its exit code is the verdict
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = GLOBAL)]
    pub(super) quiet: bool,
    /// Print more: the files that were read, each policy's answer in `check`, each case with its log in `test`
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(super) verbose: bool,
    /// When to print colors: auto, always or never. With auto, on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value_t, hide_default_value = true, hide_possible_values = true, help_heading = GLOBAL)]
    pub(super) color: ColorChoice,
}

impl OutputArgs {
    /// Returns the color choice of a command line, even if the rest of it is invalid.
    pub(super) fn color_choice(arguments: &[OsString]) -> ColorChoice {
        let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
        let after =
            words.windows(2).find(|pair| pair.first() == Some(&"--color")).and_then(|pair| pair.last().copied());
        let value = after.or_else(|| words.iter().find_map(|word| word.strip_prefix("--color=")));
        value.and_then(|value| ColorChoice::from_str(value, false).ok()).unwrap_or_default()
    }
}

impl GlobalArgs {
    /// Returns whether the user's configuration file was given.
    pub(super) fn has_config(&self) -> bool {
        self.config.is_some()
    }

    /// Returns whether the path of any of the program's files was given.
    pub(super) fn has_paths(&self) -> bool {
        [&self.config, &self.state, &self.cache].iter().any(|path| path.is_some())
    }

    /// Returns the folders of the program's files.
    pub(super) fn dirs(&self, environment: &Environment) -> AppDirs {
        dirs([&self.config, &self.state, &self.cache], environment)
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge one hook payload from standard input; this is what a harness runs.
    Hook(HookArgs),
    /// Answer hook payloads over HTTP from one long-running process.
    Serve(ServeArgs),
    /// Print the verdict for a call without logging it.
    Check(CheckArgs),
    /// Judge recorded calls again, and compare two configurations or policies.
    Replay(ReplayArgs),
    /// Show what a call does, what each policy says, and why.
    Explain(ExplainArgs),
    /// Analyze a command, and run it confined by the kernel to the effects that were found.
    Run(RunArgs),
    /// Run the test cases of a policy.
    Test(TestArgs),
    /// Print the analyses of a suite's calls, for native tests of policies.
    #[command(hide = true)]
    Analyze,
    /// Check a project's policies: lock file, configuration, cases and recorded calls.
    Ci(CiArgs),
    /// Create a policy project that builds and passes its test cases.
    New(NewArgs),
    /// List, add, remove, publish or examine policies.
    Policy(PolicyArgs),
    /// Keep this machine's managed configuration in sync with a registry.
    Sync(SyncArgs),
    /// List, verify or clear compiled policies.
    Cache(CacheArgs),
    /// Show, count, follow or report the logged calls.
    Audit(AuditArgs),
    /// Stop being prompted for a command.
    Allow(AllowArgs),
    /// Approve a pending call for this session.
    Confirm(ConfirmArgs),
    /// Restore the files that a call destroyed.
    Undo(UndoArgs),
    /// Turn prompts off for a while.
    Pause(PauseArgs),
    /// List or clear pending calls and approvals.
    Session(SessionArgs),
    /// Trust this project's guard.toml, pinned by digest.
    Trust(TrustArgs),
    /// Show, check or create the configuration.
    Config(ConfigArgs),
    /// Register the hook with a coding agent.
    Install(InstallArgs),
    /// Remove the hook from a coding agent's settings.
    Uninstall(UninstallArgs),
    /// Check that the hook works on this machine, and say what to fix.
    Doctor(DoctorArgs),
    /// Print one line for an agent's status line: whether guard-host is on, and what it did in this session.
    Statusline(StatuslineArgs),
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Write a page for `man` about every command, as packages need them.
    #[command(hide = true)]
    Man(ManArgs),
    /// Show the installed programs and files, or uninstall them.
    #[command(name = "self")]
    Own(SelfArgs),
    /// Create a Claude Code settings file for an agent that runs one experiment.
    Settings(SettingsArgs),
    /// Create a scratch folder in the project that git ignores.
    Sandbox(SandboxArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host hook claude < payload.json
  guard-host hook claude --only command-guard,protected-files < payload.json

For existing setups: if guard-host is started through a symbolic link with one of these names, it runs only the matching
policy, with the settings from `config/` next to the link: dangerous-command-guard.sh, guardrail.py, nous-plan-enforcer,
protected-files-guard.py, write-control.sh. A harness name may follow, as in `guardrail.py generic`.

For guardrail-confirm.py, don't use a link. `guard-host install claude --shim guardrail-confirm.py` writes a script instead.
Run it as `./guardrail-confirm.py OPERATION` or `python3 guardrail-confirm.py OPERATION`; both run `guard-host confirm`.")]
pub(super) struct HookArgs {
    /// The harness that sent the payload: claude, codex, gemini, antigravity, cursor, copilot, vscode, qwen,
    /// droid, opencode, openclaw, kilo, amp, pi, cline, windsurf, kiro, grok, hermes, kimi, vibe, crush, devin, or
    /// generic for `{"decision": ...}`
    /// [default: detected]
    pub(super) harness: Option<String>,
    /// Evaluate only these policies, `self-protect` and managed policies; built-in ones don't have to be in the chain
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// A folder with settings files of built-in policies, such as write-policies.json, instead of the usual ones
    #[arg(long, value_name = "DIR")]
    pub(super) settings_dir: Option<PathBuf>,
    /// Save each new shape of payload as a fixture below this folder, with secrets and machine names removed
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host check 'rm -rf ./build'
  guard-host check --tool Write '{\"file_path\": \".env\"}'
  guard-host check - < script.sh
  guard-host check --batch < calls.ndjson
  guard-host check target/wasm32-wasip2/release/my_policy.wasm 'npm publish'

Exit codes: 0 allowed, 1 ask, 2 deny. With --batch: 0, or 65 if a line can't be read.")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) call: CallArgs,
    /// A shell command, or a hook's payload; with --tool the tool's input as a JSON object; `-` reads standard input
    ///
    /// If the first word is a policy (a component file, a built-in's name, or a Rego or CEL file), only this policy judges
    #[arg(required_unless_present = "batch", value_name = "INPUT")]
    pub(super) input: Vec<String>,
    /// Read one call per line from standard input; write one verdict per line
    #[arg(long, conflicts_with_all = ["input", "tool", "cwd"])]
    pub(super) batch: bool,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host explain 'sudo rm -rf ~/x | tee log'
  guard-host explain --format json --tool Write '{\"file_path\": \".env\"}'
  guard-host explain --html 'rm -rf build' > why.html
  guard-host explain team.rego 'npm publish'")]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    pub(super) call: CallArgs,
    /// A shell command, or a hook's payload; with --tool the tool's input as a JSON object
    ///
    /// If the first word is a policy (a component file, a built-in's name, or a Rego or CEL file), only this policy judges
    #[arg(required = true, value_name = "INPUT")]
    pub(super) input: Vec<String>,
    /// Print a self-contained HTML page
    #[arg(long, conflicts_with = "format")]
    pub(super) html: bool,
    /// How to print the trace
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// The tool that would be called [default: Bash]
    #[arg(long, value_name = "TOOL")]
    pub(super) tool: Option<String>,
    /// The working directory of the call [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// For machines
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// For people
    Human,
    /// For machines
    Json,
    /// For code hosts: SARIF 2.1.0
    Sarif,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host config show
  guard-host config check ./guard.toml")]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Show the merged configuration
    Show {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Find mistakes: start every policy with its settings, run its examples, and let it judge a few calls
    #[command(
        after_help = "Unless you name a file, also checks the managed file, the `[remote]` token, the audit log and the last `sync`.
`guard-host doctor` also contacts the `[remote]` server, and checks the files that register the hook.

Examples:
  guard-host config check
  guard-host config check ./guard.toml --format sarif > guard.sarif
  guard-host config check ./guard.toml --managed

Exits with 78 if there is a mistake, and with 66 if the file doesn't exist. A warning doesn't change the exit code."
    )]
    Check {
        /// Check this file instead of your configuration, as with --config
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Check FILE as if it were the managed file, without the user's and the project's files
        #[arg(long, requires = "file")]
        managed: bool,
        /// How to print it
        #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
        format: CheckFormat,
    },
    /// Write a file with the defaults, unless it exists
    #[command(after_help = "Examples:
  guard-host config init
  guard-host config init write-policies.json --print > policies.json")]
    Init {
        /// guard.toml, guardrails.json or write-policies.json; written where a preset reads it, or next to your guard.toml
        #[arg(default_value = "guard.toml")]
        name: String,
        /// Print the file instead
        #[arg(long)]
        print: bool,
    },
    /// Print the JSON schema of a file, for editors
    #[command(after_help = "Examples:
  guard-host config schema > guard.schema.json
  guard-host config schema --fixtures > fixtures.schema.json")]
    Schema {
        /// guard.toml, guardrails.json or write-policies.json
        #[arg(default_value = "guard.toml", conflicts_with = "fixtures")]
        name: String,
        /// The schema of test cases
        #[arg(long)]
        fixtures: bool,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Visits `command` and every command below it.
    fn walk(command: &clap::Command, visit: &mut dyn FnMut(&clap::Command)) {
        visit(command);
        command.get_subcommands().for_each(|below| walk(below, visit));
    }

    #[test]
    fn an_option_has_one_short_form_everywhere_and_no_other_option_has_it() {
        let mut command = Cli::command();
        command.build();
        walk(&command, &mut |command| {
            for argument in command.get_arguments() {
                let long = argument.get_long().unwrap_or_default();
                let short = match long {
                    "quiet" => Some('q'),
                    "verbose" => Some('v'),
                    "version" => Some('V'),
                    "help" => Some('h'),
                    "dry-run" => Some('n'),
                    "output" => Some('o'),
                    _ => None,
                };
                assert_eq!(argument.get_short(), short, "{} --{long}", command.get_name());
            }
        });
    }

    #[test]
    fn whatever_is_listed_can_be_had_as_json() {
        let lists =
            ["list", "show", "stats", "status", "inspect", "search", "verify", "suggest", "version", "uninstall"];
        walk(&Cli::command(), &mut |command| {
            let is_list = lists.contains(&command.get_name()) || command.get_name() == "allow";
            // `uninstall HARNESS` doesn't list anything.
            if is_list && command.get_arguments().all(|argument| argument.get_long() != Some("scope")) {
                let has = command.get_arguments().any(|argument| argument.get_long() == Some("format"));
                assert!(has, "{}", command.get_name());
            }
        });
    }

    #[test]
    fn the_plain_form_means_what_clap_says() {
        for line in [
            "g hook",
            "g hook claude",
            "g hook claude --only a,b",
            "g hook claude --only a --only b,",
            "g hook --only a claude",
            "g --config /c --state /s --cache /k hook claude --only a",
            "g hook claude --config /c",
            "g hook claude --config /c --config /d",
            "g hook hook",
            "g hook a b",
            "g hook --only",
            "g hook codex --record /d --only a",
            "g hook claude --only a --settings-dir /s",
            "g hook claude --settings-dir /s --settings-dir /t",
            "g hook --settings-dir",
            "g hook --record /d --record /e",
            "g hook --record",
            "g hook --only -a",
            "g hook --only=a",
            "g hook -x",
            "g hook --help",
            "g --only a hook",
            "g -q hook claude",
            "g --color never hook claude",
            "g check x",
            "g",
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let Some(plain) = HookLine::read(&arguments) else { continue };
            let clap = HookOnly::try_parse_from(&arguments).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(plain, HookLine::from(clap), "{line}");
        }
        let registered: Vec<OsString> = "g --config /c hook claude".split(' ').map(OsString::from).collect();
        assert!(HookLine::read(&registered).is_some());
    }
}
