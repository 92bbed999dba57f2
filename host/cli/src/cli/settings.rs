//! `guard-host settings`: the permissions of a campaign, as a file for Claude Code.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use policy_experiment_plan::{Plan, Started};

use super::args::{CampaignArgs, SettingsArgs, SettingsCommand};
use super::print;
use super::subject::refused;
use crate::experiment::{Campaign, FILE};
use guard_contract::exit::Exit;
use guard_contract::paths::lexical;
use guard_contract::shell_word::word;
use guard_contract::syntax::Command;
use guard_engine::clock::Clock;
use guard_engine::{Engine, Shared};
use guard_hook::scene;
use guard_state::environment::Environment;
use guard_state::files;

/// The largest plan that is read; the reader of plans takes less.
const PLAN_BYTES: u64 = 1 << 20;

/// What is run when the agent of a campaign stops, if it is there.
const STOP: &str = "nous-execute-stop";

/// What is asked before each shell command of a campaign, if it is there.
const ENFORCER: &str = "nous-plan-enforcer";

pub(super) fn run(args: &SettingsArgs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        SettingsCommand::Render { campaign, guard } => {
            let (campaign, plan) = read(campaign, environment)?;
            let text = if *guard { campaign.guard() } else { campaign.render(plan.as_ref()) };
            print::line(text.map_err(unbounded)?.trim_end())?;
            Ok(Exit::Success)
        }
        SettingsCommand::Init { campaign, bin_dir, force } => {
            let (mut campaign, plan) = read(campaign, environment)?;
            let bin = absolute(bin_dir.as_deref().unwrap_or(Path::new("bin")), environment)?;
            let found = |name: &str| Some(format!("{bin}/{name}")).filter(|path| Path::new(path).is_file());
            campaign.stop_hook = campaign.stop_hook.or_else(|| found(STOP));
            campaign.pre_tool_use_hook = campaign.pre_tool_use_hook.or_else(|| found(ENFORCER));
            init(&campaign, plan.as_ref(), *force)
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

fn init(campaign: &Campaign, plan: Option<&Plan>, force: bool) -> anyhow::Result<Exit> {
    let text = campaign.render(plan).map_err(unbounded)?;
    let there = Path::new(&campaign.work_dir).ancestors().find(|path| path.exists());
    if let Some(other) = there.filter(|path| !path.is_dir()) {
        let text = format!("the work directory `{}` cannot be: `{}` is a file", campaign.work_dir, other.display());
        return Err(refused(Exit::Usage, text, "name a folder with `--work-dir`"));
    }
    let path = file(&campaign.work_dir);
    let written = files::put(Path::new(&campaign.work_dir), Path::new(FILE), text.as_bytes(), force);
    super::starter::tell(&path, &written.with_context(|| format!("cannot write {path}"))?)
}

/// The campaign that the arguments describe, and its plan.
fn read(args: &CampaignArgs, environment: &Environment) -> anyhow::Result<(Campaign, Option<Plan>)> {
    let optional = |path: &Option<PathBuf>| path.as_deref().map(|path| absolute(path, environment)).transpose();
    let campaign = Campaign {
        work_dir: absolute(&args.work_dir, environment)?,
        repo_path: optional(&args.repo_path)?,
        programs: args.allow_bin.clone(),
        stop_hook: optional(&args.stop_hook)?,
        pre_tool_use_hook: optional(&args.pre_tool_use_hook)?,
    };
    let plan = optional(&args.plan)?.map(|path| read_plan(&path)).transpose()?;
    Ok((campaign, plan))
}

fn read_plan(path: &str) -> anyhow::Result<Plan> {
    let hint = "give the experiment_plan.yaml of the campaign, or leave `--plan` out";
    let exit = |kind| if kind == ErrorKind::NotFound { Exit::NoInput } else { Exit::Data };
    let text = files::read_text(Path::new(path), PLAN_BYTES)
        .map_err(|error| refused(exit(error.kind()), format!("cannot read the plan {path}: {error}"), hint))?;
    plan(&text)?.map_err(|why| refused(Exit::Data, format!("the plan {path} cannot be used: {why}"), hint))
}

/// Reads the text of a plan; the analyzer that the program carries reads its commands.
pub(crate) fn plan(text: &str) -> anyhow::Result<Result<Plan, String>> {
    let engine = Engine::new()?;
    let _clock = Clock::start(engine.clone());
    let analyzer = scene::analyzer(&engine)?;
    let mut shared = Shared::default();
    let mut started = |text: &str| {
        let analysis = analyzer.analyze(&mut shared, text, "bash", "", "").map_err(|fault| fault.to_string())?;
        let started = |command: Command| Started {
            words: command.argv.into_iter().map(|word| word.text).collect(),
            via: command.via.into_iter().map(|via| via.kind).collect(),
            start: command.span.start,
        };
        Ok(analysis.commands.into_iter().map(started).collect())
    };
    Ok(Plan::read(text, &mut started))
}

/// An absolute path without `.` and `..`.
fn absolute(path: &Path, environment: &Environment) -> anyhow::Result<String> {
    match path.to_str() {
        Some("") => Err(refused(Exit::Usage, "an empty text names no folder", "")),
        Some(text) if !environment.cwd.is_empty() || text.starts_with('/') => {
            Ok(lexical(text, &environment.cwd, &environment.home))
        }
        Some(text) => Err(refused(Exit::Usage, format!("`{text}` is relative to a folder that is gone"), "")),
        None => Err(refused(Exit::Usage, format!("`{}` is not UTF-8 text", path.display()), "rename the folder")),
    }
}

fn file(work_dir: &str) -> String {
    format!("{}/{FILE}", work_dir.trim_end_matches('/'))
}

fn unbounded(error: crate::experiment::CampaignError) -> anyhow::Error {
    refused(Exit::Usage, error.to_string(), "name a folder, and programs by their plain names")
}
