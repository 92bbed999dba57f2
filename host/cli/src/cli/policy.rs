//! `guard-host policy`: the chain, single policies, the configuration's entries, and policies in registries.

mod edit;
mod export;
pub(super) mod fetched;
mod inspect;
pub(super) mod registry;
mod trial;
mod update;

use serde_json::{Value, json};

use super::args::{Format, PolicyArgs, PolicyCommand, WasiName};
use super::config::source;
use super::subject::{call_context, exit_error, folders};
use super::{conformance, print, rates, service, wit};
use guard_contract::exit::Exit;
use guard_contract::{Manifest, Wasi};
use guard_hook::cache::{Artifact, Artifacts, BuiltArtifact, Component, Prepared, Readiness, prepare};
use guard_kit::compile::making;
use guard_state::AppDirs;
use guard_state::Seal;
use guard_state::environment::Environment;

pub(super) fn run(args: &PolicyArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        PolicyCommand::List { format } => list(&chain(dirs, environment), *format),
        PolicyCommand::Inspect { policy, wasi, format } => {
            inspect::run(policy, WasiName::or_default(*wasi), *format, dirs, environment)
        }
        PolicyCommand::Add(args) => edit::add(args, dirs, environment),
        PolicyCommand::Remove(args) => edit::remove(args, dirs, environment),
        PolicyCommand::Fetch(args) => update::fetch_missing(args, dirs, environment),
        PolicyCommand::Update(args) => update::run(args, dirs, environment),
        PolicyCommand::Push(args) => registry::push(args, dirs, environment),
        PolicyCommand::Pull(args) => registry::pull(args, environment),
        PolicyCommand::Export(args) => export::run(args, environment),
        PolicyCommand::Search(args) => registry::search(args),
        PolicyCommand::Conformance(args) => conformance::run(args, dirs, environment),
        PolicyCommand::Rates(args) => rates::run(args, dirs, environment),
        PolicyCommand::Bundle(args) => service::run(args, dirs, environment),
        PolicyCommand::Wit(args) => wit::run(args, environment),
        PolicyCommand::Keygen(args) => registry::keygen(args, environment),
    }
}

/// Prepares the chain that applies here.
fn chain(dirs: &AppDirs, environment: &Environment) -> Prepared {
    let at = call_context(environment, None);
    prepare(dirs, &environment.program, &folders(&at), Some(making()))
}

/// Builds the artifact of a component that may not be in the chain. `name` is the user's name for it.
fn build_artifact(
    component: &Component,
    wasi: Wasi,
    name: &str,
    dirs: &AppDirs,
) -> anyhow::Result<(Artifact, Manifest)> {
    let artifacts = Artifacts::open(&dirs.cache, Seal::open(&dirs.state)?)?;
    match artifacts.ensure(component, wasi, making()) {
        Ok(BuiltArtifact { artifact, manifest }) => Ok((artifact, manifest)),
        Err(fault) if fault.is_of_machine() => {
            let hint = fault.remedy().unwrap_or_default();
            Err(exit_error(Exit::Unavailable, format!("`{name}` cannot be made ready: {fault}"), hint))
        }
        Err(fault) => Err(exit_error(Exit::Data, format!("`{name}` isn't a policy: {fault}"), "")),
    }
}

/// Formats the number of examples, which all pass.
fn holding(manifest: &Manifest) -> String {
    match manifest.examples.len() {
        0 => "none".to_owned(),
        count => format!("{count}, all pass"),
    }
}

fn list(prepared: &Prepared, format: Format) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    for member in &prepared.members {
        let (state, version, tools) = match &member.readiness {
            Readiness::Ready { manifest, .. } => {
                ("ready".to_owned(), manifest.version.as_str(), manifest.tools.join(","))
            }
            Readiness::Broken(fault) => (fault.to_string(), "", String::new()),
        };
        let entry = &member.entry;
        rows.push(json!({
            "name": entry.name, "layer": entry.layer, "source": source(entry), "version": version,
            "tools": tools, "state": state,
        }));
    }
    if format == Format::Json {
        print::json(&rows)?;
    } else {
        for row in &rows {
            let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (name, layer, state) = (text("name"), text("layer"), text("state"));
            print::line(&format!("{name:<18} {layer:<8} {:<8} {:<30} {state}", text("version"), text("source")))?;
        }
    }
    if guard_builtins::all().is_empty() {
        print::note("warning: this binary was built without its built-in policies");
    }
    Ok(Exit::Success)
}
