//! `guard-host policy inspect`: shows everything about one policy, whether it is in the chain or not.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::trial::{Trial, try_out};
use super::{build_artifact, chain, holding};
use crate::cli::args::Format;
use crate::cli::config::source;
use crate::cli::print;
use crate::cli::subject::{exit_error, file};
use guard_config::edit::{Addition, Target};
use guard_contract::Layer;
use guard_contract::exit::Exit;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::Entry;
use guard_contract::{FaultKind, ImportResolution, Interface, Wasi};
use guard_contract::{Manifest, Rule, outcome_name};
use guard_hook::cache::{Artifact, Component, Prepared, Readiness, run_examples};
use guard_setup::oversights::waiting_grants;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The number of calls that are made to measure the cost.
const RUNS: usize = 20;

struct PolicySummary {
    entry: Entry,
    bytes: usize,
    artifact: Artifact,
    manifest: Manifest,
    /// The first example that fails.
    failing: Option<FaultKind>,
    trial: Option<Trial>,
    home: String,
}

/// The state of a grant that requires trust.
const UNTRUSTED: &str = "does not hold until a person runs `guard-host trust`";

pub(super) fn run(
    name: &str,
    wasi: Wasi,
    format: Format,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Exit> {
    let prepared = chain(dirs, environment);
    let entry = entry(&prepared, name, wasi, dirs, environment)?;
    let component = Component::read(&entry.source)
        .map_err(|fault| exit_error(Exit::Unavailable, format!("`{name}` cannot be used: {fault}"), ""))?;
    let (artifact, manifest) = build_artifact(&component, entry.wasi, name, dirs)?;
    let failing = run_examples(&artifact, &manifest).err();
    let trial = try_out(&prepared, &entry, (&artifact, &manifest), RUNS)?;
    let bytes = component.wasm(guard_builtins::component).map_or(0, |wasm| wasm.len());
    let about = PolicySummary { entry, bytes, artifact, manifest, failing, trial, home: dirs.home.clone() };
    match format {
        Format::Json => print::json(&about.json())?,
        Format::Human => about.lines().iter().try_for_each(|line| print::line(line))?,
    }
    Ok(Exit::Success)
}

/// Returns the chain's entry for the policy of that name, or the entry for a component that isn't in the chain.
fn entry(
    prepared: &Prepared,
    name: &str,
    wasi: Wasi,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Entry> {
    if let Some(member) = prepared.members.iter().find(|member| member.entry.name == name) {
        return match &member.readiness {
            // A failing example is part of what the command shows.
            Readiness::Ready { .. } | Readiness::Broken(FaultKind::Example(_)) => Ok(member.entry.clone()),
            Readiness::Broken(fault) => {
                let hint = fault.remedy().unwrap_or_default();
                Err(exit_error(Exit::Unavailable, format!("`{name}` cannot be used: {fault}"), hint))
            }
        };
    }
    let path = file(name, environment);
    let found = std::fs::metadata(&path);
    let bare = name.strip_prefix("builtin:").unwrap_or(name);
    let source = match found {
        Err(_) if guard_builtins::find(bare).is_some() => format!("builtin:{bare}"),
        Ok(_) => path.to_string_lossy().into_owned(),
        Err(error) => {
            let names: Vec<_> = prepared.members.iter().map(|member| member.entry.name.as_str()).collect();
            return Err(exit_error(
                Exit::NoInput,
                format!("`{name}` is neither in the chain nor a file that can be read: {error}"),
                format!("in the chain: {}", names.join(", ")),
            ));
        }
    };
    let file = PathBuf::from(&environment.cwd).join("guard.toml");
    let target = Target { layer: Layer::User, file: &file, home: &dirs.home };
    let addition = Addition { name: "inspected".to_owned(), source, ..Addition::default() };
    let entry = target.entry(&addition).map_err(|problem| exit_error(Exit::Data, problem.to_string(), problem.hint))?;
    Ok(Entry { wasi, ..entry })
}

impl PolicySummary {
    fn imports(&self, answered: ImportResolution) -> Vec<&String> {
        let imports = self.artifact.interface.imports.iter();
        imports.filter(|import| Interface::answered(import, self.artifact.wasi) == answered).collect()
    }

    fn uncalled_functions(&self) -> Vec<&String> {
        self.artifact.interface.exports.iter().filter(|export| !Interface::is_called(export)).collect()
    }

    /// Returns the grants of an untrusted project that require trust.
    fn waiting(&self) -> GrantSpec {
        waiting_grants(&self.entry, &self.home)
    }

    fn missing(&self) -> Vec<&String> {
        self.manifest.grants.iter().filter(|wish| !self.entry.grants.covers(wish)).collect()
    }

    fn json(&self) -> Value {
        let manifest = &self.manifest;
        let rule = |rule: &Rule| {
            let (default, ceiling) = (outcome_name(rule.default), outcome_name(rule.ceiling));
            json!({ "id": rule.id, "summary": rule.summary, "default": default, "ceiling": ceiling })
        };
        let cost = self.trial.as_ref().filter(|trial| trial.fault.is_none()).map(|trial| {
            json!({
                "tool": trial.call.tool, "input": trial.call.input, "runs": trial.runs,
                "microseconds": trial.time.as_micros(), "analysis": trial.analysis.map(|time| time.as_micros()),
            })
        });
        json!({
            "id": manifest.id, "version": manifest.version, "summary": manifest.summary, "source": source(&self.entry),
            "sha256": self.artifact.component, "pinned": self.entry.pinned.is_some(), "bytes": self.bytes,
            "tools": manifest.tools,
            "imports": self.artifact.interface.imports, "fixed": self.imports(ImportResolution::Fixed),
            "foreign": self.imports(ImportResolution::Trap),
            "exports": self.artifact.interface.exports, "uncalled": self.uncalled_functions(),
            "wishes": manifest.grants, "granted": self.entry.grants, "missing": self.missing(),
            "waiting": self.waiting().words(),
            "rules": manifest.rules.iter().map(rule).collect::<Vec<_>>(),
            "examples": manifest.examples.len(), "failing": self.failing.as_ref().map(ToString::to_string),
            "fault": self.trial.as_ref().and_then(|trial| trial.fault.as_ref()).map(ToString::to_string),
            "cost": cost,
        })
    }

    fn lines(&self) -> Vec<String> {
        let manifest = &self.manifest;
        let pinned = if self.entry.pinned.is_some() { ", pinned" } else { "" };
        let mut lines = vec![
            format!("{} {}: {}", manifest.id, manifest.version, manifest.summary),
            format!("source    {}", source(&self.entry)),
            format!("sha256    {} ({} bytes{pinned})", self.artifact.component, self.bytes),
            format!("tools     {}", manifest.tools.join(", ")),
        ];
        let imports = |answered, remark: &str| {
            self.imports(answered)
                .into_iter()
                .map(move |import| format!("import    {import}{remark}"))
                .collect::<Vec<_>>()
        };
        lines.extend(imports(ImportResolution::Contract, ""));
        lines.extend(imports(ImportResolution::Fixed, " (foreign; always gives the same)"));
        lines.extend(imports(ImportResolution::Trap, " (foreign; traps when it is called)"));
        for export in &self.artifact.interface.exports {
            let remark = if Interface::is_called(export) { "" } else { " (foreign; never called)" };
            lines.push(format!("export    {export}{remark}"));
        }
        let waiting = self.waiting();
        for wish in &manifest.grants {
            let state = match self.entry.grants.covers(wish) {
                true if waiting.covers(wish) => UNTRUSTED,
                true => "granted",
                false => "not granted",
            };
            lines.push(format!("requests  {wish} ({state})"));
        }
        let waits = waiting.words();
        lines.extend(self.entry.grants.words().into_iter().map(|grant| match waits.contains(&grant) {
            true => format!("grant     {grant} ({UNTRUSTED})"),
            false => format!("granted   {grant}"),
        }));
        for rule in &manifest.rules {
            let (default, ceiling) = (outcome_name(rule.default), outcome_name(rule.ceiling));
            lines.push(format!("rule      {:<28} {default} (at most {ceiling}): {}", rule.id, rule.summary));
        }
        lines.push(match &self.failing {
            Some(fault) => format!("examples  {}; {fault}", manifest.examples.len()),
            None => format!("examples  {}", holding(manifest)),
        });
        lines.extend(self.trial.as_ref().map(format_cost));
        lines
    }
}

/// Formats the cost of a call for people.
fn format_cost(trial: &Trial) -> String {
    let shown = format!("{} {}", trial.call.tool, Value::Object(trial.call.input.clone()));
    let shown: String = shown.chars().take(80).collect();
    if let Some(fault) = &trial.fault {
        return format!("cost      no answer to `{shown}`: {fault}");
    }
    let analysis = trial
        .analysis
        .map(|time| format!(", besides {} for the analysis, which all policies share", format_time(time)));
    let analysis = analysis.unwrap_or_default();
    format!("cost      {} (median of {}) for `{shown}`{analysis}", format_time(trial.time), trial.runs)
}

fn format_time(time: Duration) -> String {
    format!("{} us", time.as_micros())
}
