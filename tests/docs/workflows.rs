//! The workflows call the repository's scripts, so that their steps can be run manually.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::support::pages::root;

/// Returns the error in a line of a workflow.
fn fault(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches("- ");
    if let Some(script) = line.strip_prefix("run:").map(str::trim) {
        let runs = fs::metadata(root().join(script))
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
        return (!runs).then(|| format!("`{script}` is no script of the repository"));
    }
    let action = line.strip_prefix("uses:").map(str::trim)?;
    let Some(commit) = action.strip_prefix("actions/checkout@") else {
        return Some(format!("`{action}` is an action of others"));
    };
    let is_pinned = commit.split_once(" # v").is_some_and(|(commit, version)| {
        commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()) && !version.is_empty()
    });
    (!is_pinned).then(|| format!("`{action}` is no commit with its version behind it"))
}

/// The workflows of this repository. `policies.yml` is for other repositories.
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
    let commit = "0123456789".repeat(4);
    for action in ["someone/something@v1", "actions/checkout@v4", "actions/checkout@0123 # v4"] {
        assert!(fault(&format!("      - uses: {action}")).is_some(), "{action}");
    }
    assert!(fault(&format!("      - uses: actions/checkout@{commit}")).is_some());
    assert_eq!(fault(&format!("      - uses: actions/checkout@{commit} # v4.2.2")), None);
    assert_eq!(fault("      - run: .ci/run"), None);
}

/// Runs `.ci/ignored` as in CI, with the output of `cargo test`.
fn ignored(log: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, log).unwrap();
    Command::new(root().join(".ci/ignored")).arg(&path).env("CI", "true").output().unwrap()
}

#[test]
fn an_ignored_test_that_nothing_excuses_fails_in_ci() {
    let excused = ignored("test a::b ... ok\ntest languages::rust ... ignored\n");
    assert!(excused.status.success(), "{excused:?}");
    for reason in ["", ", flaky", ", needs no-such-program"] {
        let ended = ignored(&format!("test a::b ... ok\ntest a::c ... ignored{reason}\n"));
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && told.contains("a::c"), "{ended:?}");
    }
}
