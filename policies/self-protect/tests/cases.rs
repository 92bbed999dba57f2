//! The tables in `cases/`, run natively. The host runs the same files through the component.

#![cfg(test)]

use std::path::Path;

use guard_sdk::testing::Suite;
use policy_self_protect::SelfProtect;

#[test]
fn every_case_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let suite: Suite = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += suite.cases.len();
        failures.extend(suite.failures::<SelfProtect>(guard_shell::analyze));
    }
    assert!(count > 150, "only {count} cases");
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
}
