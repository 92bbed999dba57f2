//! `guard-host policy`: the chain, and what one policy of it is.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::args::{Format, PolicyArgs, PolicyCommand};
use super::config::source;
use super::print;
use super::subject::{circumstances, refused};
use crate::builtin;
use crate::cache::{Artifacts, Guest, Prepared, Readiness, Seal, hex, prepare};
use crate::config::Places;
use crate::contract::{Manifest, outcome_name};
use crate::engine::Interface;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::grants::GrantSpec;
use crate::policy::Source;

/// How long to wait for another process that makes the same artifact.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(args: &PolicyArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let at = circumstances(environment, None);
    let prepared = prepare(places, &environment.program, &at.projects(), Instant::now() + PATIENCE);
    match &args.command {
        PolicyCommand::List { format } => list(&prepared, *format),
        PolicyCommand::Inspect { policy, format } => {
            let about = find(&prepared, policy, places, environment)?;
            about.print(*format)
        }
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
        print::line(&serde_json::to_string_pretty(&rows)?)?;
    } else {
        for row in &rows {
            let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (name, layer, state) = (text("name"), text("layer"), text("state"));
            print::line(&format!("{name:<18} {layer:<8} {:<8} {:<30} {state}", text("version"), text("source")))?;
        }
    }
    if builtin::all().is_empty() {
        print::note("warning: this binary was built without its built-in policies");
    }
    Ok(Exit::Success)
}

/// All that can be said of one policy.
struct About {
    source: String,
    digest: String,
    bytes: u64,
    manifest: Manifest,
    interface: Interface,
    granted: GrantSpec,
}

fn find(prepared: &Prepared, name: &str, places: &Places, environment: &Environment) -> anyhow::Result<About> {
    if let Some(member) = prepared.members.iter().find(|member| member.entry.name == name) {
        return match &member.readiness {
            Readiness::Broken(fault) => {
                Err(refused(Exit::Unavailable, format!("`{name}` cannot be used: {fault}"), ""))
            }
            Readiness::Ready { artifact, manifest } => Ok(About {
                source: source(&member.entry),
                digest: artifact.component.clone(),
                bytes: size(&member.entry.source),
                manifest: manifest.clone(),
                interface: artifact.interface.clone(),
                granted: member.entry.grants.clone(),
            }),
        };
    }
    let path = PathBuf::from(&environment.cwd).join(name);
    let wasm = std::fs::read(&path).map_err(|error| {
        let names: Vec<_> = prepared.members.iter().map(|member| member.entry.name.as_str()).collect();
        refused(
            Exit::NoInput,
            format!("`{name}` is neither in the chain nor a file that can be read: {error}"),
            format!("in the chain: {}", names.join(", ")),
        )
    })?;
    let digest = hex(&Sha256::digest(&wasm));
    let artifacts = Artifacts::open(&places.cache, Seal::open(&places.state)?)?;
    let made = artifacts
        .ensure(&wasm, &digest, Guest::Policy, Instant::now() + PATIENCE)
        .map_err(|fault| refused(Exit::Data, format!("`{name}` is no policy: {fault}"), ""))?;
    let manifest = made.manifest.ok_or_else(|| refused(Exit::Data, format!("`{name}` is no policy"), ""))?;
    let bytes = wasm.len() as u64;
    let source = path.display().to_string();
    Ok(About { source, digest, bytes, manifest, interface: made.artifact.interface, granted: GrantSpec::default() })
}

fn size(source: &Source) -> u64 {
    match source {
        Source::Builtin(name) => builtin::find(name).map_or(0, |builtin| builtin.wasm.len() as u64),
        Source::File(path) => std::fs::metadata(path).map_or(0, |data| data.len()),
    }
}

impl About {
    fn print(&self, format: Format) -> anyhow::Result<Exit> {
        let manifest = &self.manifest;
        if format == Format::Json {
            let rule = |rule: &crate::contract::Rule| json!({ "id": rule.id, "summary": rule.summary, "default": outcome_name(rule.default), "ceiling": outcome_name(rule.ceiling) });
            let value = json!({
                "id": manifest.id, "version": manifest.version, "summary": manifest.summary, "source": self.source,
                "sha256": self.digest, "bytes": self.bytes, "tools": manifest.tools,
                "imports": self.interface.imports, "exports": self.interface.exports,
                "wishes": manifest.grants, "granted": self.granted,
                "rules": manifest.rules.iter().map(rule).collect::<Vec<_>>(), "examples": manifest.examples.len(),
            });
            print::line(&serde_json::to_string_pretty(&value)?)?;
            return Ok(Exit::Success);
        }
        print::line(&format!("{} {}: {}", manifest.id, manifest.version, manifest.summary))?;
        print::line(&format!("source    {}", self.source))?;
        print::line(&format!("sha256    {} ({} bytes)", self.digest, self.bytes))?;
        print::line(&format!("tools     {}", manifest.tools.join(", ")))?;
        let (known, foreign): (Vec<_>, Vec<_>) =
            self.interface.imports.iter().partition(|import| import.starts_with("guard:policy/"));
        for import in known {
            print::line(&format!("import    {import}"))?;
        }
        if !foreign.is_empty() {
            print::line(&format!("import    {} others, which trap when they are called", foreign.len()))?;
        }
        for export in &self.interface.exports {
            print::line(&format!("export    {export}"))?;
        }
        for wish in &manifest.grants {
            print::line(&format!("wishes    {wish}"))?;
        }
        for rule in &manifest.rules {
            let (default, ceiling) = (outcome_name(rule.default), outcome_name(rule.ceiling));
            print::line(&format!("rule      {:<28} {default} (at most {ceiling}): {}", rule.id, rule.summary))?;
        }
        Ok(Exit::Success)
    }
}
