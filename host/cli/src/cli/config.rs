//! `guard-host config`: shows and checks the configuration.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::args::{CheckFormat, ConfigArgs, ConfigCommand, Format};
use super::sarif::{self, Annotation};
use super::subject::{call_context, checked_folders, exit_error, folders};
use super::{print, starter};
use guard_config::{Config, OnMalformed, Trust, load};
use guard_contract::Problem;
use guard_contract::exit::Exit;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Outcome, outcome_name};
use guard_hook::cache::prepare;
use guard_kit::compile::making;
use guard_kit::schema;
use guard_platform::paths::native;
use guard_setup::check::{Depth, Mistake, line, text};
use guard_setup::findings::{Inspection, mistakes};
use guard_setup::install::HookLocation;
use guard_setup::surroundings::managed_mistakes;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The SARIF rule that all mistakes violate.
const RULE: sarif::Rule = ("configuration", "The configuration of guard-host is understood, and every policy answers");

/// Runs the command. `is_named` means that the user's file was given on the command line.
pub(super) fn run(
    args: &ConfigArgs,
    dirs: &AppDirs,
    is_named: bool,
    environment: &Environment,
) -> anyhow::Result<Exit> {
    let config = || load(dirs, &folders(&call_context(environment, None)));
    match &args.command {
        ConfigCommand::Show { format } => show(&config(), *format),
        ConfigCommand::Check { format, file, managed } => {
            if is_named && file.is_some() {
                return Err(exit_error(Exit::Usage, "two files are given", "leave `--config` out"));
            }
            let is_named = is_named || file.is_some();
            let file = file.as_ref().map_or(&dirs.config, |file| file);
            if is_named && !file.exists() {
                let text = format!("there is no file {}", file.display());
                return Err(exit_error(
                    Exit::NoInput,
                    text,
                    "name another file, or create one with `guard-host config init`",
                ));
            }
            let file = native(&environment.cwd).join(file);
            let dirs = match managed {
                true => AppDirs { managed: file, config: PathBuf::new(), ..dirs.clone() },
                false => AppDirs { config: file, ..dirs.clone() },
            };
            check(&dirs, environment, is_named, *managed, *format)
        }
        ConfigCommand::Init { name, print } => starter::init(name, *print, dirs),
        ConfigCommand::Schema { fixtures: true, .. } => starter::print_schema(&schema::fixtures_schema()),
        ConfigCommand::Schema { name, .. } => starter::schema(name),
    }
}

fn show(config: &Config, format: Format) -> anyhow::Result<Exit> {
    if format == Format::Json {
        let policies: Vec<_> = config.entries.iter().map(entry_json).collect();
        let value = json!({
            "files": config.inputs.iter().filter(|path| path.exists()).collect::<Vec<_>>(),
            "on-malformed": config.on_malformed.unwrap_or(OnMalformed::Report),
            "bypass-ask": config.bypass_ask,
            "confine": config.confine,
            "deadline-ms": config.deadline_ms,
            "audit": {
                "level": config.audit.level,
                "path": config.audit.path,
                "max-bytes": config.audit.max_bytes,
                "on-error": if config.audit.on_error == Outcome::Abstain { "allow" } else { outcome_name(config.audit.on_error) },
                "journal": config.audit.journal,
            },
            "cache": { "max-bytes": config.cache_bytes },
            "undo": config.undo,
            "session": { "file": config.sessions.file() },
            "remote": config.remote,
            "projects": config.projects.iter().map(|(path, trust)| project_json(path, trust)).collect::<Vec<_>>(),
            "allow": config.allows,
            "tools": config.tools,
            "policies": policies,
            "disabled": config.disabled,
            "problems": config.problems,
            "warnings": config.warnings.iter().chain(&config.ineffective).map(Problem::with_hint).collect::<Vec<_>>(),
        });
        print::json(&value)?;
        return Ok(Exit::Success);
    }
    for path in &config.inputs {
        let state = if path.exists() { "read" } else { "not there" };
        print::line(&format!("file       {} ({state})", path.display()))?;
    }
    print::line(&format!("deadline   {} ms", config.deadline_ms))?;
    print::line(&format!("audit      {}", config.audit.path.display()))?;
    if let Some(remote) = &config.remote {
        print::line(&format!("remote     {} ({} ms)", remote.url, remote.timeout_ms))?;
    }
    print_trusted(config)?;
    for entry in &config.entries {
        let layer = entry.layer.name();
        let on_error = outcome_name(entry.on_error);
        let watched = if entry.watched { ", only watched" } else { "" };
        let source = source(entry);
        print::line(&format!("policy     {} ({layer}, {source}, on-error {on_error}{watched})", entry.name))?;
    }
    for allow in &config.allows {
        let until = if allow.until.is_empty() { String::new() } else { format!(", until {}", allow.until) };
        let subject = allow.subject();
        let words: Vec<&str> = std::iter::once(&subject).chain(&allow.targets).map(String::as_str).collect();
        let command = words.join(" ");
        print::line(&format!("allow      {command} ({}{until})", allow.layer.name()))?;
    }
    for entry in &config.tools {
        print::line(&format!("tool       {}", entry.tool))?;
    }
    for name in &config.disabled {
        print::line(&format!("policy     {name} (switched off)"))?;
    }
    problems(config);
    Ok(Exit::Success)
}

/// Checks the configuration. `is_alone` means that the managed file is checked without the files of this user and the
/// project.
fn check(
    dirs: &AppDirs,
    environment: &Environment,
    is_named: bool,
    is_alone: bool,
    format: CheckFormat,
) -> anyhow::Result<Exit> {
    let at = call_context(environment, None);
    let (projects, unread) = if is_alone { Default::default() } else { checked_folders(&at) };
    let prepared = prepare(dirs, &environment.program, &projects, Some(making()));
    let (policies, config) = (prepared.members.len(), prepared.config.clone());
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    let inspection = Inspection { depth: Depth::Calls, of_machine: !is_named, making: Some(making()) };
    // On this machine, they are among the other mistakes.
    let own = if is_alone { managed_mistakes(&config, dirs, false) } else { Vec::new() };
    let inspected = [&*projects, &unread].concat();
    let mistakes = [own, mistakes(prepared, site, &inspected, inspection)].concat();
    let is_fine = mistakes.iter().all(Mistake::is_warning);
    match format {
        CheckFormat::Human => {
            print_mistakes(&mistakes);
            print_trusted(&config)?;
            let is_project = |root: &String| AppDirs::project_file(root).exists() || native(root).join(".git").exists();
            if !is_alone && !projects.iter().any(is_project) {
                let folder = &at.project_root;
                print::note(&format!("note: `{folder}` is no project: run this in a project to check its `.guard`"));
            }
            if is_fine {
                print::line(&format!("ok: {policies} policies"))?;
                if let Some(remote) = &config.remote {
                    print::note(&format!("the server {} was not asked; `guard-host doctor` asks it", remote.url));
                }
            }
        }
        CheckFormat::Json => {
            print::json(&guard_setup::check::json(policies, &mistakes))?;
        }
        CheckFormat::Sarif => {
            print::json(&sarif::log(&[RULE], mistakes.iter().map(annotation)))?;
        }
    }
    Ok(if is_fine { Exit::Success } else { Exit::Config })
}

/// Converts a mistake for a code host.
fn annotation(mistake: &Mistake) -> Annotation {
    let (file, at) = mistake.place();
    let at = at.map_or((None, None), |(line, column)| (Some(line), Some(column)));
    Annotation { rule: RULE.0, level: mistake.level(), text: text(mistake), file: file.to_owned(), at }
}

pub(super) fn print_mistakes(mistakes: &[Mistake]) {
    for mistake in mistakes {
        print::problem(&format!("{}: {}", mistake.level(), line(mistake)));
        if !mistake.problem.hint.is_empty() {
            print::problem(&format!("  hint: {}", mistake.problem.hint));
        }
    }
}

/// Prints the state of project files that are or were trusted.
fn print_trusted(config: &Config) -> anyhow::Result<()> {
    for (path, trust) in &config.projects {
        match trust {
            Trust::None => {}
            Trust::Held => print::line(&format!("trust      {} is trusted", path.display()))?,
            Trust::Lapsed(text) => print::line(&format!("trust      {} has lapsed: {text}", path.display()))?,
        }
    }
    Ok(())
}

fn project_json(path: &Path, trust: &Trust) -> serde_json::Value {
    let (state, changed) = match trust {
        Trust::None => ("none", ""),
        Trust::Held => ("trusted", ""),
        Trust::Lapsed(text) => ("lapsed", text.as_str()),
    };
    json!({ "file": path, "trust": state, "changed": changed })
}

fn problems(config: &Config) {
    for problem in &config.problems {
        print::problem(&format!("error: {problem}"));
        if !problem.hint.is_empty() {
            print::problem(&format!("  hint: {}", problem.hint));
        }
    }
    for warning in config.warnings.iter().chain(&config.ineffective) {
        print::note(&format!("warning: {}", warning.with_hint()));
    }
}

/// Returns the source of an entry's component, for users.
pub(super) fn source(entry: &Entry) -> String {
    if let Some(address) = &entry.address {
        return address.clone();
    }
    match &entry.source {
        Source::Builtin(name) => format!("builtin:{name}"),
        Source::File(path) => path.display().to_string(),
    }
}

fn entry_json(entry: &Entry) -> serde_json::Value {
    json!({
        "name": entry.name,
        "layer": entry.layer,
        "trusted": entry.trusted,
        "source": source(entry),
        "sha256": entry.pinned,
        "tools": entry.tools,
        "settings": serde_json::from_str::<serde_json::Value>(&entry.settings).unwrap_or_default(),
        "on-error": outcome_name(entry.on_error),
        "mode": if entry.watched { "watch" } else { "enforce" },
        "may-allow": entry.may_allow,
        "limits": { "time-ms": entry.limits.time_ms, "memory-mib": entry.limits.memory_mib },
        "grants": entry.grants,
    })
}
