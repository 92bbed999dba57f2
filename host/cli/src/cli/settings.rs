//! `guard-host settings`: the permissions of an experiment, as a settings file for Claude Code.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use guard_experiment_plan::{Plan, Started};

use super::args::{ExperimentArgs, SettingsArgs, SettingsCommand};
use super::print;
use super::subject::exit_error;
use crate::experiment::{Experiment, FILE};
use guard_contract::exit::Exit;
use guard_contract::paths::lexical;
use guard_contract::shell_word::word;
use guard_contract::syntax::Command;
use guard_engine::clock::Clock;
use guard_engine::{Engine, SharedInstance};
use guard_hook::embedded;
use guard_state::environment::Environment;
use guard_state::files;

/// The maximum size of a plan in bytes. The parser of plans has a lower limit.
const PLAN_BYTES: u64 = 1 << 20;

/// The program to run when the agent of an experiment stops, if it exists.
const STOP: &str = "nous-execute-stop";

/// The program to consult before each shell command of an experiment, if it exists.
const ENFORCER: &str = "nous-plan-enforcer";

pub(super) fn run(args: &SettingsArgs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        SettingsCommand::Render { experiment, guard } => {
            let (experiment, plan) = read(experiment, environment)?;
            let text = if *guard { experiment.guard() } else { experiment.render(plan.as_ref()) };
            print::line(text.map_err(bounds_error)?.trim_end())?;
            Ok(Exit::Success)
        }
        SettingsCommand::Init { experiment, bin_dir, force } => {
            let (mut experiment, plan) = read(experiment, environment)?;
            let bin = absolute(bin_dir.as_deref().unwrap_or(Path::new("bin")), environment)?;
            let found = |name: &str| Some(format!("{bin}/{name}")).filter(|path| Path::new(path).is_file());
            experiment.stop_hook = experiment.stop_hook.or_else(|| found(STOP));
            experiment.pre_tool_use_hook = experiment.pre_tool_use_hook.or_else(|| found(ENFORCER));
            init(&experiment, plan.as_ref(), *force)
        }
        SettingsCommand::Path { work_dir } => {
            print::line(&file(&absolute(work_dir, environment)?))?;
            Ok(Exit::Success)
        }
        SettingsCommand::Args { work_dir } => {
            let path = file(&absolute(work_dir, environment)?);
            if Path::new(&path).is_file() {
                print::line(&format!("--settings {}", word(&path)))?;
            }
            Ok(Exit::Success)
        }
    }
}

fn init(experiment: &Experiment, plan: Option<&Plan>, force: bool) -> anyhow::Result<Exit> {
    let text = experiment.render(plan).map_err(bounds_error)?;
    let there = Path::new(&experiment.work_dir).ancestors().find(|path| path.exists());
    if let Some(other) = there.filter(|path| !path.is_dir()) {
        let text =
            format!("can't create the work directory `{}`: `{}` is a file", experiment.work_dir, other.display());
        return Err(exit_error(Exit::Usage, text, "name a folder with `--work-dir`"));
    }
    let path = file(&experiment.work_dir);
    let written = files::write_in_folder(Path::new(&experiment.work_dir), Path::new(FILE), text.as_bytes(), force);
    super::starter::report_write(&path, &written.with_context(|| format!("cannot write {path}"))?)
}

/// Returns the experiment in the arguments, and its plan.
fn read(args: &ExperimentArgs, environment: &Environment) -> anyhow::Result<(Experiment, Option<Plan>)> {
    let optional = |path: &Option<PathBuf>| path.as_deref().map(|path| absolute(path, environment)).transpose();
    let experiment = Experiment {
        work_dir: absolute(&args.work_dir, environment)?,
        repo_path: optional(&args.repo_path)?,
        programs: args.allow_bin.clone(),
        stop_hook: optional(&args.stop_hook)?,
        pre_tool_use_hook: optional(&args.pre_tool_use_hook)?,
    };
    let plan = optional(&args.plan)?.map(|path| read_plan(&path)).transpose()?;
    Ok((experiment, plan))
}

fn read_plan(path: &str) -> anyhow::Result<Plan> {
    let hint = "give the experiment_plan.yaml of the experiment, or leave `--plan` out";
    let exit = |kind| if kind == ErrorKind::NotFound { Exit::NoInput } else { Exit::Data };
    let text = files::read_text(Path::new(path), PLAN_BYTES)
        .map_err(|error| exit_error(exit(error.kind()), format!("cannot read the plan {path}: {error}"), hint))?;
    plan(&text)?.map_err(|why| exit_error(Exit::Data, format!("the plan {path} cannot be used: {why}"), hint))
}

/// Parses the text of a plan. The embedded analyzer parses its commands.
pub(crate) fn plan(text: &str) -> anyhow::Result<Result<Plan, String>> {
    let engine = Engine::new()?;
    let _clock = Clock::start(engine.clone());
    let analyzer = embedded::analyzer(&engine)?;
    let mut shared = SharedInstance::default();
    let mut started = |text: &str| {
        let analysis =
            analyzer.analyze(&mut shared, text, "bash", ("", ""), None).map_err(|fault| fault.to_string())?;
        let started = |command: Command| Started {
            words: command.argv.into_iter().map(|word| word.text).collect(),
            via: command.via.into_iter().map(|via| via.kind).collect(),
            start: command.span.start,
        };
        Ok(analysis.commands.into_iter().map(started).collect())
    };
    Ok(Plan::read(text, &mut started))
}

/// Returns an absolute path without `.` and `..`.
fn absolute(path: &Path, environment: &Environment) -> anyhow::Result<String> {
    match path.to_str() {
        Some("") => Err(exit_error(Exit::Usage, "an empty text names no folder", "")),
        Some(text) if !environment.cwd.is_empty() || text.starts_with('/') => {
            Ok(lexical(text, &environment.cwd, &environment.home))
        }
        Some(text) => Err(exit_error(Exit::Usage, format!("`{text}` is relative to a folder that is gone"), "")),
        None => Err(exit_error(Exit::Usage, format!("`{}` is not UTF-8 text", path.display()), "rename the folder")),
    }
}

fn file(work_dir: &str) -> String {
    format!("{}/{FILE}", work_dir.trim_end_matches('/'))
}

fn bounds_error(error: crate::experiment::ExperimentError) -> anyhow::Error {
    exit_error(Exit::Usage, error.to_string(), "name a folder, and programs by their plain names")
}
