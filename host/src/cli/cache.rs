//! `guard-host cache`: makes and checks compiled policies.

use std::time::{Duration, Instant};

use super::args::{CacheArgs, CacheCommand};
use super::print;
use super::subject::circumstances;
use crate::cache::{Artifacts, Readiness, Seal, prepare};
use crate::config::Places;
use crate::environment::Environment;
use crate::exit::Exit;

/// How long to wait for another process that makes the same artifact.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn run(args: &CacheArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    match args.command {
        CacheCommand::Warm => warm(places, environment),
        CacheCommand::Verify => verify(places),
    }
}

fn warm(places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let at = circumstances(environment, None);
    let prepared = prepare(places, &environment.program, &at.projects(), Instant::now() + PATIENCE);
    let mut exit = Exit::Success;
    if let Err(fault) = &prepared.analyzer {
        print::line(&format!("analyzer: {fault}"))?;
        exit = Exit::Unavailable;
    }
    for member in &prepared.members {
        match &member.readiness {
            Readiness::Ready { .. } => print::line(&format!("{}: ready", member.entry.name))?,
            Readiness::Broken(fault) => {
                print::line(&format!("{}: {fault}", member.entry.name))?;
                exit = Exit::Unavailable;
            }
        }
    }
    for problem in &prepared.config.problems {
        print::note(&format!("error: {problem}"));
        exit = Exit::Config;
    }
    Ok(exit)
}

fn verify(places: &Places) -> anyhow::Result<Exit> {
    let artifacts = Artifacts::open(&places.cache, Seal::open(&places.state)?)?;
    let mut exit = Exit::Success;
    for (path, sound) in artifacts.verify() {
        print::line(&format!("{}: {}", path.display(), if sound { "ok" } else { "stale or damaged" }))?;
        if !sound {
            exit = Exit::Unavailable;
        }
    }
    if exit == Exit::Unavailable {
        print::note("hint: a damaged artifact is never used; `guard-host cache warm` makes what is needed anew");
    }
    Ok(exit)
}
