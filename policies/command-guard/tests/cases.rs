//! The tables in `cases/`, run natively. The host runs the same files through the component.

#![cfg(test)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use guard_sdk::Policy;
use guard_sdk::testing::Suite;
use policy_command_guard::CommandGuard;

fn tables() -> Vec<(PathBuf, Suite)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let suite = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, suite)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn every_case_holds() {
    let tables = tables();
    let count: usize = tables.iter().map(|(_, suite)| suite.cases.len()).sum();
    let failures: Vec<String> = tables
        .iter()
        .flat_map(|(path, suite)| {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let of_suite = suite.failures::<CommandGuard>(guard_shell::analyze);
            of_suite.into_iter().map(move |failure| format!("{file}: {failure}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_rule_has_a_hit_and_three_near_misses() {
    let tables = tables();
    let mut lacking = BTreeSet::new();
    for rule in CommandGuard::MANIFEST.rules {
        let table = tables.iter().find(|(path, _)| path.file_stem().is_some_and(|stem| stem == rule.id));
        let cases = table.map(|(_, suite)| suite.cases.as_slice()).unwrap_or_default();
        let hits = cases.iter().filter(|case| case.rule.as_deref() == Some(rule.id)).count();
        if hits == 0 || cases.len() < hits + 3 {
            lacking.insert(rule.id);
        }
    }
    assert!(lacking.is_empty(), "these rules lack cases: {lacking:?}");
}
