//! The command line. Each command has its own file, and `print` has all output.

mod allow;
mod analyze;
mod args;
mod past_questions;
mod audit;
mod cache;
mod check;
mod ci;
mod config;
mod conformance;
mod confirm;
mod doctor;
mod explain;
mod html;
mod install;
mod leftovers;
mod log;
mod man;
mod new;
mod pause;
mod policy;
mod print;
mod rates;
mod remote;
mod renamed;
mod replay;
mod report;
mod run;
mod sandbox;
mod sarif;
mod serve;
mod service;
mod outcome_counts;
mod session;
pub(crate) mod settings;
mod ship;
mod starter;
mod statusline;
mod subject;
mod sync;
mod terminal;
mod test;
mod trust;
mod undo;
mod version;
mod watch;
mod wit;

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};

use args::{AuditCommand, CheckArgs, Cli, Command, ExplainArgs, HookOnly, OutputArgs, PolicyCommand, help};
use guard_contract::exit::Exit;
use guard_hook::command_line::{HookLine, by_name, is_hook, script_policy};
use guard_hook::hook;
use guard_platform::account;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// Runs the command line. Returns the exit code.
pub fn run(arguments: Vec<OsString>, environment: &Environment) -> u8 {
    let arguments = by_name(&arguments).unwrap_or(arguments);
    if is_hook(&arguments) {
        return run_hook(&arguments, environment);
    }
    if arguments.get(1).is_some_and(|word| word == guard_hook::remote::COMMAND) {
        return remote::run(environment);
    }
    if arguments.get(1).is_some_and(|word| word == guard_undo::backup::COMMAND) {
        return undo::make_backup(environment);
    }
    // Harnesses treat any other exit code as a missing answer, and run the call.
    if let Some(text) = misused_script_error(&arguments) {
        return hook::run(Err(text), environment);
    }
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    print::follow(cli.output);
    let dirs = cli.global.dirs(environment);
    for (kind, path) in
        [("config", &dirs.config), ("managed", &dirs.managed), ("state", &dirs.state), ("cache", &dirs.cache)]
    {
        let state = if path.exists() { "" } else { " (missing)" };
        print::detail(&format!("{kind:<8} {}{state}", path.display()));
    }
    if let Some(user) =
        account::user_of_home(&native(&dirs.home)).filter(|_| !matches!(cli.command, Command::Statusline(_)))
    {
        print::note(&format!(
            "warning: `HOME` is `{}`, the home of `{user}`, where root creates no files\n  hint: run it as `sudo -u {user} -H \
             guard-host ...`, or as `sudo -H guard-host ...` for root",
            dirs.home
        ));
    }
    let reads = match &cli.command {
        Command::Check(_) | Command::Replay(_) | Command::Explain(_) | Command::Run(_) => true,
        Command::Audit(args) => matches!(args.command, AuditCommand::Report(_)),
        Command::Policy(args) => matches!(args.command, PolicyCommand::Rates(_) | PolicyCommand::Bundle(_)),
        _ => false,
    };
    // `replay` also accepts a policy here, and reports its own errors.
    if reads && cli.global.has_config() && !replay::selects_policy(&dirs) && !dirs.config.exists() {
        let text = format!("there is no file `{}`", dirs.config.display());
        print::error(&subject::exit_error(Exit::NoInput, text, "`guard-host config init` makes one"));
        return Exit::NoInput.code();
    }
    if let Command::Run(args) = &cli.command {
        return run::run(args, &dirs, environment).unwrap_or_else(|error| {
            print::error(&error);
            exit_code(&error).code()
        });
    }
    let compiles = match &cli.command {
        Command::Test(_) | Command::Ci(_) | Command::Policy(_) | Command::Replay(_) => true,
        // A policy before the call.
        Command::Check(CheckArgs { input, .. }) | Command::Explain(ExplainArgs { input, .. }) => input.len() > 1,
        _ => false,
    };
    let result = dispatch(cli, &dirs, environment);
    if compiles && dirs.cache.exists() {
        guard_hook::cache::prune(&dirs, guard_config::load(&dirs, &[]).cache_bytes);
    }
    match result {
        Ok(exit) => exit.code(),
        Err(error) if print::is_broken_pipe(&error) => Exit::Success.code(),
        Err(error) => {
            print::error(&error);
            exit_code(&error).code()
        }
    }
}

/// Returns the error of a command line that starts with a hook script's name, because a harness started it.
fn misused_script_error(arguments: &[OsString]) -> Option<String> {
    script_policy(Path::new(arguments.first()?))?;
    let error = help::command().try_get_matches_from(arguments).err()?;
    let is_asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (!is_asked).then(|| first_line(&error))
}

fn first_line(error: &clap::Error) -> String {
    error.to_string().lines().next().unwrap_or("bad arguments").to_owned()
}

/// Parses the command line, with former command names replaced. Returns the exit code if it is invalid.
fn parse(arguments: Vec<OsString>) -> Result<Cli, u8> {
    let (arguments, hint) = renamed::current(&arguments).unwrap_or((arguments, String::new()));
    if !hint.is_empty() {
        print::note(&hint);
    }
    let command = help::command().color(OutputArgs::color_choice(&arguments));
    let parsed = command.try_get_matches_from(&arguments).and_then(|found| Cli::from_arg_matches(&found));
    parsed.map_err(|error| {
        let exit = refuse(&error);
        let is_about_a_command = |name: &OsString| name == "check" || name == "explain";
        if error.kind() == ErrorKind::UnknownArgument && arguments.get(1).is_some_and(is_about_a_command) {
            print::note("  hint: quote the command, as in: guard-host check 'git push origin main'");
        }
        exit
    })
}

fn dispatch(cli: Cli, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    match cli.command {
        Command::Hook(_) => Ok(Exit::Usage),
        Command::Check(args) => check::run(&args, dirs, environment),
        Command::Replay(args) => replay::run(&args, dirs, environment),
        Command::Explain(args) => explain::run(&args, dirs, environment),
        // Its exit code is the command's.
        Command::Run(_) => Ok(Exit::Usage),
        Command::Test(args) => test::run(&args, dirs, environment),
        Command::Analyze => analyze::run(),
        Command::Ci(args) => ci::run(&args, dirs, environment),
        Command::Policy(args) => policy::run(&args, dirs, environment),
        Command::Sync(args) => sync::run(&args, dirs, environment),
        Command::Cache(args) => cache::run(&args, dirs, environment),
        Command::Allow(args) => allow::run(&args, dirs, environment),
        Command::Audit(args) => audit::run(&args, dirs, environment),
        Command::Confirm(args) => confirm::run(&args, dirs, environment),
        Command::Pause(args) if args.end => pause::resume(dirs, environment),
        Command::Undo(args) => undo::run(&args, dirs, environment),
        Command::Pause(args) => pause::pause(&args, dirs, environment),
        Command::Serve(args) => serve::run(&args, dirs, environment),
        Command::Session(args) => session::run(&args, dirs),
        Command::Trust(args) if args.remove => trust::untrust(&args, dirs, environment),
        Command::Trust(args) => trust::trust(&args, dirs, environment),
        Command::Config(args) => config::run(&args, dirs, cli.global.has_config(), environment),
        Command::Install(args) => install::install(&args, dirs, cli.global.has_paths(), environment),
        Command::Uninstall(args) => install::uninstall(&args, dirs, environment),
        Command::Doctor(args) => doctor::run(&args, dirs, environment),
        Command::Statusline(_) => statusline::run(dirs, environment),
        Command::Completions(args) => completions(args.shell),
        Command::Man(args) => man::run(&args),
        Command::Own(args) => version::run(&args, dirs, environment),
        Command::Settings(args) => settings::run(&args, environment),
        Command::Sandbox(args) => sandbox::run(&args, environment),
        Command::New(args) => new::run(&args, environment),
    }
}

/// Prints the shell completions for this program.
fn completions(shell: Option<clap_complete::Shell>) -> anyhow::Result<Exit> {
    let Some(shell) = shell else {
        let names = clap_complete::Shell::value_variants().iter().filter_map(clap::ValueEnum::to_possible_value);
        names.map(|name| name.get_name().to_owned()).try_for_each(|name| print::line(&name))?;
        return Ok(Exit::Success);
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "guard-host", &mut script);
    print::line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Success)
}

/// Returns the exit code for an error.
fn exit_code(error: &anyhow::Error) -> Exit {
    error.downcast_ref::<subject::Refused>().map_or(Exit::Software, |refused| refused.exit)
}

/// Prints clap's message, and returns an exit code that no harness interprets as a verdict.
fn refuse(error: &clap::Error) -> u8 {
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Success.code(),
        _ => Exit::Usage.code(),
    }
}

/// Runs a hook whose command line has an unusual form.
fn run_hook(arguments: &[OsString], environment: &Environment) -> u8 {
    let options = match HookOnly::try_parse_from(arguments) {
        Ok(parsed) => Ok(HookLine::from(parsed).options(environment)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return refuse(&error);
        }
        Err(error) => Err(first_line(&error)),
    };
    hook::run(options, environment)
}
