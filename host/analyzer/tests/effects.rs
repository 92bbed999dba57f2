//! The tables of `tests/effects/`, and the cases of the programs in `programs/`.
//!
//! `tests/support/cases.rs` documents the format of a case.

#![cfg(test)]

#[path = "support/cases.rs"]
mod cases;

use guard_sdk::syntax::{Analysis, Effect, Severity};
use serde::Deserialize;

use cases::Case;

/// A table of cases. Other keys of a program's file are ignored.
#[derive(Deserialize)]
struct Table {
    #[serde(default)]
    case: Vec<Case>,
}

fn analyze(command: &str) -> Analysis {
    guard_testing::analyze(command, "bash", "/repo", "/home/u")
}

/// The operation of a program that isn't in any table.
const UNKNOWN: &str = "execute.unknown";

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
    // An unknown program is only compared if the case mentions it. The made-up programs of other cases don't matter.
    let asks = case.effects.iter().any(|line| line.starts_with(UNKNOWN));
    let effects: Vec<&Effect> = analysis.effects.iter().filter(|effect| asks || effect.operation != UNKNOWN).collect();
    let got: Vec<String> = effects.iter().map(|effect| shown(effect)).collect();
    let expected: Vec<&str> = case.effects.iter().map(|line| line.split(" ; ").next().unwrap_or(line)).collect();
    if got != expected {
        return Some(format!("{command:?}\n    expected {expected:?}\n    got      {got:?}"));
    }
    for (effect, line) in effects.into_iter().zip(&case.effects) {
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
    let mut complaints = Vec::new();
    let mut count = 0;
    for (name, table) in cases::read::<Table>("tests/effects").into_iter().chain(cases::read("programs")) {
        for case in &table.case {
            count += case.commands().len();
            let failures = case.commands().iter().filter_map(|command| complaint(command, case));
            complaints.extend(failures.map(|text| format!("{name}: {text}")));
        }
    }
    assert!(count > 300, "only {count} commands in the tables");
    assert!(complaints.is_empty(), "{} of {count} fail:\n{}", complaints.len(), complaints.join("\n"));
}
