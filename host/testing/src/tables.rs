//! The verdict tables of a policy, run natively.

use std::path::{Path, PathBuf};

use guard_sdk::testing::Suite;
use guard_sdk::{Decision, Outcome, Policy, serde_json};

/// A tag with which a policy passes on what the host says of an effect. Only `guard-host test` can check it.
const OF_HOST: &str = "recovery";

/// The suites in the `cases/` of the package whose test runs, by their file names.
fn tables() -> Vec<(String, Suite)> {
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("a test runs below Cargo");
    let folder = Path::new(&package).join("cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let suite = match name.ends_with(".json") {
            true => serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}")),
            false => toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}")),
        };
        (name, suite)
    };
    paths.into_iter().map(read).collect()
}

/// Runs every case of every table.
#[track_caller]
pub fn hold<P: Policy>() {
    let tables = tables();
    let cases = || tables.iter().flat_map(|(_, suite)| &suite.cases);
    let skipped = cases().filter(|case| case.needs_harness()).count();
    let count = cases().count() - skipped;
    if skipped > 0 {
        println!("{skipped} cases are payloads of a harness: `guard-host test` runs them");
    }
    let failures = |(name, suite): &(String, Suite)| {
        let failures = suite.cases.iter().flat_map(|case| {
            let files = suite.facts.with(&case.facts).files;
            let analyze =
                |text: &str, dialect: &str, cwd: &str, home: &str| crate::analyze_in(&files, text, dialect, cwd, home);
            let mut case = case.clone();
            case.tags.remove(OF_HOST);
            Suite { cases: vec![case], ..suite.clone() }.failures::<P>(analyze)
        });
        failures.map(|failure| format!("{name}: {failure}")).collect::<Vec<_>>()
    };
    let failures: Vec<String> = tables.iter().flat_map(failures).collect();
    assert!(count > 0, "no case was found");
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
}

/// A command, what must be answered to it, and the rule of the first finding if that counts.
pub type Row = (String, Outcome, Option<&'static str>);

/// Collects every command whose answer is another one.
#[track_caller]
pub fn check(rows: impl IntoIterator<Item = Row>, decide: impl Fn(&str) -> Decision) {
    let mut failures = Vec::new();
    for (command, outcome, rule) in rows {
        let decision = decide(&command);
        let first = decision.findings.first().map(|finding| finding.rule.as_str());
        if decision.outcome != outcome || rule.is_some() && first != rule {
            failures.push(format!("{command:?}: expected {outcome:?} {rule:?}, got {:?} {first:?}", decision.outcome));
        }
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}
