//! The tables of `tests/effects/`: commands, and everything that they do.
//!
//! A case lists all effects in order, as `operation target`; after ` ; ` follow details that must hold: a severity, a
//! tag, `tag=value`, `uncertain`, or `raw=path`. An empty list says that the command does nothing worth a name.

use std::fs;
use std::path::Path;

use guard_sdk::syntax::{Analysis, Effect, Severity};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// One command, or several that do the same.
    command: OneOrMany,
    effects: Vec<String>,
    /// `language text` of every script, if given.
    scripts: Option<Vec<String>>,
    /// Whether something is said to be left out, if given.
    partial: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn analyze(command: &str) -> Analysis {
    guard_shell::analyze(command, "bash", "/repo", "/home/u")
}

fn shown(effect: &Effect) -> String {
    format!("{} {}", effect.operation, effect.target).trim_end().to_owned()
}

fn holds(effect: &Effect, detail: &str) -> bool {
    match detail.split_once('=') {
        Some(("raw", path)) => effect.path.raw == path,
        Some((name, value)) => effect.tag(name) == Some(value),
        None => match detail {
            "routine" => effect.severity == Severity::Routine,
            "notable" => effect.severity == Severity::Notable,
            "destructive" => effect.severity == Severity::Destructive,
            "catastrophic" => effect.severity == Severity::Catastrophic,
            "uncertain" => !effect.certain,
            "certain" => effect.certain,
            _ => detail
                .strip_prefix("no-")
                .map_or_else(|| effect.tag(detail).is_some(), |name| effect.tag(name).is_none()),
        },
    }
}

fn complaint(command: &str, case: &Case) -> Option<String> {
    let analysis = analyze(command);
    let got: Vec<String> = analysis.effects.iter().map(shown).collect();
    let expected: Vec<&str> = case.effects.iter().map(|line| line.split(" ; ").next().unwrap_or(line)).collect();
    if got != expected {
        return Some(format!("{command:?}\n    expected {expected:?}\n    got      {got:?}"));
    }
    for (effect, line) in analysis.effects.iter().zip(&case.effects) {
        if let Some(detail) = line.split(" ; ").skip(1).find(|detail| !holds(effect, detail)) {
            return Some(format!("{command:?}\n    {detail:?} does not hold of {effect:?}"));
        }
    }
    if let Some(scripts) = &case.scripts {
        let got: Vec<String> = analysis.scripts.iter().map(|s| format!("{} {}", s.language, s.text)).collect();
        if got != *scripts {
            return Some(format!("{command:?}\n    expected scripts {scripts:?}\n    got              {got:?}"));
        }
    }
    let partial = analysis.coverage != guard_sdk::syntax::Coverage::Complete;
    if case.partial.is_some_and(|expected| expected != partial) {
        return Some(format!("{command:?}\n    partial is {partial}: {:?}", analysis.reasons));
    }
    None
}

#[test]
fn every_command_of_the_tables_does_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/effects");
    let mut complaints = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in &table.case {
            let commands = match &case.command {
                OneOrMany::One(command) => std::slice::from_ref(command),
                OneOrMany::Many(commands) => commands.as_slice(),
            };
            count += commands.len();
            complaints.extend(commands.iter().filter_map(|command| {
                complaint(command, case).map(|text| format!("{}: {text}", path.file_name().unwrap().display()))
            }));
        }
    }
    assert!(count > 300, "only {count} commands in the tables");
    assert!(complaints.is_empty(), "{} of {count} fail:\n{}", complaints.len(), complaints.join("\n"));
}
