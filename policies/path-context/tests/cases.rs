//! The tables in `cases/`, run natively. The host runs the same files through the component.

#![cfg(test)]

use std::path::Path;

use guard_sdk::Policy;
use guard_sdk::testing::{Case, Suite};
use policy_path_context::PathContext;

fn suites() -> Vec<(String, Suite)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let suite: Suite = match name.ends_with(".json") {
            true => serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}")),
            false => toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}")),
        };
        (name, suite)
    };
    std::fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap().path())).collect()
}

#[test]
fn every_case_holds() {
    let suites = suites();
    let count: usize = suites.iter().map(|(_, suite)| suite.cases.len()).sum();
    let failures = |(name, suite): &(String, Suite)| {
        let failures = suite.failures::<PathContext>(guard_shell::analyze);
        failures.into_iter().map(|failure| format!("{name}: {failure}")).collect::<Vec<_>>()
    };
    let failures: Vec<String> = suites.iter().flat_map(failures).collect();
    assert!(count > 150, "only {count} cases");
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_rule_has_a_hit_and_three_near_misses() {
    let cases: Vec<Case> = suites().into_iter().flat_map(|(_, suite)| suite.cases).collect();
    for rule in PathContext::MANIFEST.rules {
        let hits = cases.iter().filter(|case| case.rule.as_deref() == Some(rule.id)).count();
        assert!(hits > 0 && cases.len() >= hits + 3, "`{}` lacks cases", rule.id);
    }
}
