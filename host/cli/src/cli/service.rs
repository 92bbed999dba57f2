//! `guard-host policy bundle`: builds the configuration and its policies as one component that serves HTTP.

use super::args::ServiceBuildArgs;
use super::print;
use super::subject::exit_error;
use guard_builtins::{Artifact, component};
use guard_chain::embedded::{ComponentLocation, EmbeddedChain, EmbeddedPolicy};
use guard_contract::exit::Exit;
use guard_contract::policy::Source;
use guard_hook::cache::{Component, Member, Prepared, Readiness, prepare};
use guard_hook::chain::speaks_for_itself;
use guard_kit::compile::making;
use guard_kit::service::{RowPolicy, ServiceError, compose};
use guard_platform::paths::native;
use guard_setup::check::{self, Depth};
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn run(args: &ServiceBuildArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    // A service doesn't belong to a project.
    let prepared = prepare(dirs, &environment.program, &[], Some(making()));
    if let Some(remote) = &prepared.config.remote {
        let text = format!("the service is not built: the server `{}` decides instead of its chain", remote.url);
        return Err(exit_error(
            Exit::Config,
            text,
            "build it from a configuration without `[remote]`, with `--config`",
        ));
    }
    let mistakes = check::check(prepared.clone(), environment, "", Depth::Calls);
    if let Some(first) = mistakes.first() {
        let text = format!("the service is not built: {}", check::line(first));
        return Err(exit_error(Exit::Config, text, "`guard-host config check` shows all"));
    }
    let (embedded, row) = embed_chain(&prepared)?;
    let wasm = compose(&embedded, &row).map_err(|error| {
        let hint = match &error {
            ServiceError::Types(_) => "build it with a tool of its language, or leave the policy out of the service",
            ServiceError::Import { .. } => "build the policy without it, or leave the policy out of the service",
            _ => "report this",
        };
        exit_error(Exit::Data, error.to_string(), hint)
    })?;
    let file = native(&environment.cwd).join(&args.output);
    std::fs::write(&file, &wasm).map_err(|error| {
        exit_error(Exit::Unavailable, format!("{}: {error}", file.display()), "name another file with `-o`")
    })?;
    let names: Vec<&str> = embedded.members.iter().map(|member| member.entry.name.as_str()).collect();
    print::line(&format!("{}: {} bytes, {}", args.output.display(), wasm.len(), names.join(", ")))?;
    Ok(Exit::Success)
}

/// Converts the chain for a service, and returns the policies that aren't in the bundle.
fn embed_chain(prepared: &Prepared) -> anyhow::Result<(EmbeddedChain, Vec<RowPolicy>)> {
    let mut row: Vec<RowPolicy> = Vec::new();
    let mut members = Vec::new();
    for Member { entry, readiness } in &prepared.members {
        let (artifact, manifest) = match readiness {
            Readiness::Ready { artifact, manifest, .. } => (artifact, manifest),
            Readiness::Broken(fault) => {
                let text = format!("the service is not built: the policy `{}` cannot be asked: {fault}", entry.name);
                return Err(exit_error(Exit::Config, text, "repair it, or take it out of the configuration"));
            }
        };
        let bundled = match &entry.source {
            Source::Builtin(name) => guard_builtins::find(name)
                .filter(|builtin| matches!(builtin.guest.artifact, Artifact::Bundled))
                .map(|builtin| builtin.name.to_owned()),
            Source::File(_) => None,
        };
        let component = match bundled {
            Some(name) => ComponentLocation::Bundle(name),
            None => {
                let wasm = Component::from_entry(entry)?.wasm(component)?.into_owned();
                row.push(RowPolicy { name: entry.name.clone(), wasm, wasi: entry.wasi });
                ComponentLocation::Row(u32::try_from(row.len() - 1)?)
            }
        };
        members.push(EmbeddedPolicy {
            entry: entry.clone(),
            manifest: manifest.clone(),
            wants_analysis: artifact.interface.wants_analysis(),
            speaks_for_itself: speaks_for_itself(entry),
            component,
        });
    }
    let config = &prepared.config;
    let embedded = EmbeddedChain {
        problems: config.problems.clone(),
        disabled: config.disabled.clone(),
        tools: config.tools.clone(),
        allows: config.allows.clone(),
        scripts: config.scripts,
        locked: config.locked.clone(),
        bypass_ask: config.bypass_ask,
        members,
    };
    Ok((embedded, row))
}
