//! The workflows call scripts of the repository: what a workflow does can be done, and tried, by hand.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::pages::root;

/// What is wrong with the line of a workflow.
fn fault(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches("- ");
    if let Some(script) = line.strip_prefix("run:").map(str::trim) {
        let runs = fs::metadata(root().join(script))
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
        return (!runs).then(|| format!("`{script}` is no script of the repository"));
    }
    let action = line.strip_prefix("uses:").map(str::trim)?;
    (!action.starts_with("actions/checkout@")).then(|| format!("`{action}` is an action of others"))
}

/// Those of this repository; `policies.yml` is for others.
#[test]
fn every_step_of_a_workflow_runs_a_script_that_there_is() {
    for name in ["ci.yml", "release.yml"] {
        let text = fs::read_to_string(root().join(".github/workflows").join(name)).unwrap();
        assert!(text.contains("\n      - run: "), "{name} runs nothing");
        let faults: Vec<String> = text.lines().filter_map(fault).collect();
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
    }
}

#[test]
fn a_step_that_runs_something_else_is_found() {
    for line in [
        "      - run: .ci/walk",
        "        run: cargo test",
        "      - run: |",
        "      - run: release",
        "- run: README.md",
    ] {
        assert!(fault(line).is_some(), "{line}");
    }
    assert!(fault("      - uses: someone/something@v1").is_some());
    assert_eq!(fault("      - run: .ci/run"), None);
}
