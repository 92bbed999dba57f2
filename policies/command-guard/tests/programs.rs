//! The cases of the program tables, judged: losses are stopped, harmless commands pass, and suggested alternatives are
//! allowed.

#![cfg(test)]

#[path = "support/judge.rs"]
mod judge;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use guard_sdk::Outcome;
use serde::Deserialize;

use judge::decide;

#[derive(Deserialize)]
struct File {
    names: Vec<String>,
    #[serde(default)]
    instead: String,
    #[serde(default, rename = "instead-of")]
    instead_of: BTreeMap<String, String>,
    #[serde(default)]
    called: BTreeMap<String, String>,
    silent: Vec<String>,
    effect: Vec<Effect>,
}

#[derive(Deserialize)]
struct Effect {
    severity: String,
    #[serde(default)]
    instead: String,
    examples: Vec<String>,
}

fn files() -> Vec<(String, File)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../host/analyzer/programs");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let tables = paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let read = |path: std::path::PathBuf| {
        let file = toml::from_str(&std::fs::read_to_string(&path).unwrap());
        (path.display().to_string(), file.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    tables.map(read).collect()
}

fn stops(command: &str) -> bool {
    matches!(decide(command).outcome, Outcome::Ask | Outcome::Deny)
}

fn fail_with(complaints: &[String]) {
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_example_that_loses_something_is_stopped() {
    let mut passed = Vec::new();
    for (name, file) in files() {
        let losing = file.effect.iter().filter(|effect| effect.severity != "notable");
        let commands = losing.flat_map(|effect| &effect.examples).filter(|command| !stops(command));
        passed.extend(commands.map(|command| format!("{name}: {command:?}")));
    }
    fail_with(&passed);
}

#[test]
fn every_harmless_example_passes() {
    let mut stopped = Vec::new();
    for (name, file) in files() {
        let commands = file.silent.iter().filter(|command| stops(command));
        stopped.extend(commands.map(|command| format!("{name}: {command:?}")));
    }
    fail_with(&stopped);
}

/// If a suggested alternative were stopped, the agent would be stuck in a loop.
#[test]
fn every_command_that_a_message_offers_passes() {
    let mut stopped = Vec::new();
    for (name, file) in files() {
        let examples = file.effect.iter().flat_map(|effect| &effect.examples);
        let remedies = examples.flat_map(|example| decide(example).findings).map(|finding| finding.remedy);
        let written =
            file.effect.iter().map(|effect| &effect.instead).chain(file.instead_of.values()).chain([&file.instead]);
        let of_names = |text: &String| {
            let called = file.names.iter().map(|name| file.called.get(name).unwrap_or(name));
            called.map(|called| text.replace("{program}", called)).collect::<BTreeSet<_>>()
        };
        for text in written.flat_map(of_names).chain(remedies) {
            let offered = text.split('`').skip(1).step_by(2).filter(|command| stops(command));
            stopped.extend(offered.map(|command| format!("{name}: {command:?}")));
        }
    }
    fail_with(&stopped);
}
