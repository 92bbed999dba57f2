//! `guard-host policy conformance`: every built-in passes all checks, and every hostile guest fails the checks that it
//! is made for.

use crate::support::guests;
use crate::support::texts::{lines_about, normalize};
use std::fs;
use std::path::Path;

use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;
use serde_json::Value;

fn conformance(world: &World, policy: &str, keys: &[&str]) -> (ProcessOutput, Value) {
    let ended = world.run(&[&["policy", "conformance", policy, "--format", "json"], keys].concat(), "");
    let report = serde_json::from_str(&ended.stdout).unwrap_or_default();
    (ended, report)
}

/// Returns the ids of the checks in this state.
fn checks<'a>(report: &'a Value, state: &str) -> Vec<&'a str> {
    let of_state = report["checks"].as_array().unwrap().iter().filter(|check| check["state"] == state);
    of_state.map(|check| check["id"].as_str().unwrap()).collect()
}

/// The settings of built-ins that require some.
const NEEDED: [(&str, &str); 2] = [
    (
        "rego",
        r#"{"text":"package guard\n\ndeny contains \"as root\" if {\n    some command in input.analysis.commands\n    command.program == \"sudo\"\n}\n"}"#,
    ),
    (
        "cel",
        r#"{"rules":[{"rule":"as-root","outcome":"deny","when":"analysis.commands.exists(c, c.program == 'sudo')","message":"as root"}]}"#,
    ),
];

#[test]
fn every_built_in_holds_to_all_rules() {
    let world = World::new();
    let mut names = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies")).unwrap() {
        let manifest = fs::read_to_string(entry.as_ref().unwrap().path().join("Cargo.toml")).unwrap_or_default();
        if manifest.lines().any(|line| line == "[package.metadata.guard]") {
            names.push(entry.unwrap().file_name().into_string().unwrap());
        }
    }
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        let keys: &[&str] = match NEEDED.iter().find(|(policy, _)| *policy == name) {
            Some((_, settings)) => &["--settings", settings],
            None => &[],
        };
        let (ended, report) = conformance(&world, &name, keys);
        assert_eq!(ended.exit, 0, "{name}: {ended:?}");
        assert_eq!((checks(&report, "failed"), checks(&report, "skipped")), (vec![], vec![]), "{name}");
        assert_eq!(report["passed"], 16, "{name}");
        assert_eq!(report["id"], *name);
    }
}

/// The checks that each guest is made to fail.
const GUESTS: [(&str, &[&str]); 37] = [
    ("shell", &[]),
    ("log-flood", &[]),
    ("unused-foreign-import", &[]),
    ("wishes", &[]),
    ("core-module", &["contract"]),
    ("future-import", &["contract"]),
    ("not-a-policy", &["contract"]),
    ("wrong-version", &["contract"]),
    ("default-above-ceiling", &["manifest"]),
    ("fails-its-example", &["examples"]),
    ("configure-refuses", &["configure"]),
    ("traps-over-settings", &["bad-settings"]),
    ("traps-over-empty-object", &["odd-input"]),
    ("traps-over-no-object", &["error-as-data"]),
    // Its outcome of one call stays in memory for the next.
    ("denies", &["deterministic"]),
    ("remembers-calls", &["deterministic"]),
    ("foreign-import", &["imports"]),
    ("configure-loops", &["limits"]),
    ("deep-recursion", &["limits"]),
    ("describe-loops", &["limits"]),
    ("describe-recurses", &["limits"]),
    ("endless-loop", &["limits"]),
    ("large-memory", &["limits"]),
    ("memory-bomb", &["limits"]),
    ("slow-start", &["limits"]),
    ("outcome-not-maximum", &["outcome"]),
    ("exceeding-outcome", &["rules"]),
    ("undeclared-rule", &["rules"]),
    // A reused instance takes ten more megabytes each time.
    ("ten-megabyte-message", &["limits", "size"]),
    ("journal-flood", &["absent-facts"]),
    ("refuses", &["decide", "absent-facts"]),
    ("invalid-outcome", WITHOUT_ANSWER),
    ("invalid-text", WITHOUT_ANSWER),
    ("list-outside", WITHOUT_ANSWER),
    ("overlapping-messages", WITHOUT_ANSWER),
    ("pointer-outside", WITHOUT_ANSWER),
    ("trap", WITHOUT_ANSWER),
];

/// The checks that a guest fails whose `decide` never answers.
const WITHOUT_ANSWER: &[&str] = &["bad-settings", "decide", "odd-input", "error-as-data", "absent-facts"];

#[test]
fn every_hostile_guest_breaks_what_it_is_made_for_and_nothing_else() {
    let world = World::new();
    let mut wrong = Vec::new();
    for (guest, expected) in GUESTS {
        let component = guests::place(&world, guest);
        let (ended, report) = conformance(&world, component.to_str().unwrap(), &[]);
        if !report.is_object() {
            panic!("{guest}: {ended:?}");
        }
        let failed = checks(&report, "failed");
        if failed != expected || ended.exit != i32::from(!expected.is_empty()) {
            wrong.push(format!("{guest}: {failed:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_cannot_be_tried_is_skipped_and_never_passed() {
    let world = World::new();
    let report = |guest: &str| {
        let component = guests::place(&world, guest);
        conformance(&world, component.to_str().unwrap(), &[]).1
    };
    assert_eq!(report("core-module")["skipped"], 15);
    let loops = report("endless-loop");
    assert!(checks(&loops, "skipped").contains(&"deterministic"), "{loops:#}");
    assert!(!checks(&loops, "passed").contains(&"decide"), "{loops:#}");
    let refuses = report("configure-refuses");
    assert!(checks(&refuses, "skipped").contains(&"decide"), "{refuses:#}");
}

#[test]
fn the_report_names_what_is_wrong_and_what_helps() {
    let world = World::new();
    let component = guests::place(&world, "undeclared-rule");
    let ended = world.run(&["policy", "conformance", component.to_str().unwrap()], "");
    assert_eq!(ended.exit, 1, "{ended:?}");
    let told = ["contract ", "rules "].map(|check| lines_about(&ended.stdout, check));
    assert_text!("conformance_rules", normalize(&world, &told.concat()));
    let (_, report) = conformance(&world, component.to_str().unwrap(), &[]);
    let calls = report["calls"].as_array().unwrap();
    assert!(calls.len() > 50, "{}", calls.len());
    assert!(calls.iter().all(|call| call["microseconds"].is_u64() && call["memory"].as_u64().unwrap() <= 64 << 20));
    assert!(report["slowest"]["call"].is_string() && report["largest"]["memory"].as_u64().unwrap() > 1 << 20);
    let refused = |report: &Value| {
        let check = report["checks"].as_array().unwrap().iter().find(|check| check["id"] == "bad-settings").unwrap();
        check["notes"].to_string()
    };
    assert_text!("conformance_settings", refused(&report));
}

#[test]
fn settings_of_ones_own_are_those_that_must_be_taken() {
    let world = World::new();
    let (taken, _) = conformance(&world, "command-guard", &["--settings", "{\"secret-reads\":\"ask\"}"]);
    assert_eq!(taken.exit, 0, "{taken:?}");
    let (refused, report) = conformance(&world, "command-guard", &["--settings", "{\"secret-reads\":5}"]);
    assert_eq!((refused.exit, checks(&report, "failed")), (1, vec!["configure"]), "{report:#}");
}

#[test]
fn what_is_not_there_ends_with_a_code_of_its_own() {
    let world = World::new();
    assert_eq!(world.run(&["policy", "conformance", "no-such-policy"], "").exit, 66);
    assert_eq!(world.run(&["policy", "conformance"], "").exit, 64);
    assert_eq!(world.run(&["policy", "conformance", "shell", "--settings", "5"], "").exit, 64);
}
