//! The standard report formats: TAP, SARIF, and JUnit's XML.

use std::collections::BTreeSet;

use serde_json::json;

use super::{CASES, denied, json as report, test};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn tap_has_a_line_for_each_case_and_says_what_failed() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    world.write("repo/odd.toml", denied("name = 'a # and a \\'"));
    let ended = test(&world, "denies", &["bad.toml", "odd.toml", "--format", "tap"]);
    assert_text!("test_tap", &world, 1, ended);
}

#[test]
fn tap_holds_the_rules_and_the_mutants() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
    let ended = test(&world, "denies", &["cases.toml", "--threshold", "1", "--format", "tap"]);
    let mut told = Transcript::default();
    told.add(&world, 1, &ended);
    world.write("repo/cases.toml", denied(""));
    let ended = test(&world, "denies", &["cases.toml", "--mutate", "--format", "tap"]);
    told.add(&world, 1, &ended);
    assert_text!("test_tap_rules", told.0);
    let points = ended.stdout.lines().filter(|line| line.starts_with("ok ") || line.starts_with("not ok ")).count();
    assert!(ended.stdout.starts_with(&format!("TAP version 14\n1..{points}\n")), "{ended:?}");
}

#[test]
fn sarif_has_a_result_for_each_case_that_failed() {
    let world = World::new();
    world.write("repo/a b.toml", CASES);
    let ended = test(&world, "denies", &["a b.toml", "--format", "sarif"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (1, ""), "{ended:?}");
    let log = report(&ended);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "guard-host");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{log:#}");
    let place = json!({ "artifactLocation": { "uri": "a%20b.toml" }, "region": { "startLine": 13 } });
    assert_eq!(results[0]["locations"], json!([{ "physicalLocation": place }]));
    assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&json!("failed-case"), &json!("error")));
    assert!(run["tool"]["driver"]["rules"].as_array().unwrap().iter().any(|rule| rule["id"] == "failed-case"));
    assert_text!("test_sarif", results[0]["message"]["text"].as_str().unwrap());
    world.write("repo/good.toml", denied(""));
    let ended = test(&world, "denies", &["good.toml", "--format", "sarif"]);
    assert_eq!((ended.exit, &report(&ended)["runs"][0]["results"]), (0, &json!([])));
}

#[test]
fn sarif_holds_the_rules_and_the_mutants() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
    let ended = test(&world, "denies", &["cases.toml", "--threshold", "1", "--format", "sarif"]);
    let result = &report(&ended)["runs"][0]["results"][0];
    assert_eq!((ended.exit, &result["ruleId"], &result["locations"]), (1, &json!("rules-hit"), &json!([])));
    world.write("repo/cases.toml", denied(""));
    for (min_kept, level) in [("100", "error"), ("0", "warning")] {
        let ended = test(&world, "denies", &["cases.toml", "--mutate", "--min-kept", min_kept, "--format", "sarif"]);
        let result = &report(&ended)["runs"][0]["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&json!("changed-verdict"), &json!(level)));
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    }
}

/// The parts of JUnit's XML that Jenkins reads: the elements, and the attributes of each.
const JUNIT: [(&str, &[&str]); 5] = [
    ("testsuites", &["name", "time", "tests", "failures", "errors"]),
    (
        "testsuite",
        &["name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"],
    ),
    ("testcase", &["name", "classname", "time"]),
    ("failure", &["type", "message"]),
    ("system-out", &[]),
];

/// Returns the elements of a report, each with the names of its attributes. No attribute in the reports of these tests
/// contains a `>`.
fn elements(xml: &str) -> BTreeSet<(String, Vec<String>)> {
    let (_, body) = xml.split_once("?>").unwrap();
    let tags = body.split('<').skip(1).filter(|tag| !tag.starts_with('/'));
    let element = |tag: &str| {
        let tag = tag.split_once('>').unwrap().0.trim_end_matches('/');
        // The text between quotes isn't a name.
        let names: String = tag.split('"').step_by(2).collect();
        let mut names = names.split([' ', '=']).filter(|name| !name.is_empty()).map(str::to_owned);
        (names.next().unwrap(), names.collect())
    };
    tags.map(element).collect()
}

#[test]
fn junit_has_only_what_jenkins_takes() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    world.write("repo/good.toml", denied(""));
    for arguments in [
        &["bad.toml", "good.toml", "--threshold", "100"][..],
        &["good.toml", "--mutate"],
        &["good.toml", "--mutate", "--min-kept", "0"],
    ] {
        let ended = test(&world, "denies", &[arguments, &["--format", "junit"]].concat());
        let found = elements(&ended.stdout);
        assert!(found.iter().any(|(name, _)| name == "testcase"), "{ended:?}");
        for (name, attributes) in found {
            let Some((_, allowed)) = JUNIT.iter().find(|(known, _)| *known == name) else {
                panic!("<{name}>: {}", ended.stdout)
            };
            let unknown: Vec<_> = attributes.iter().filter(|one| !allowed.contains(&one.as_str())).collect();
            assert!(unknown.is_empty(), "<{name}> with {unknown:?}: {}", ended.stdout);
            let required: &[&str] = match name.as_str() {
                "testsuite" => &["name", "tests", "failures", "errors"],
                "testcase" => &["name"],
                _ => &[],
            };
            assert!(required.iter().all(|one| attributes.iter().any(|name| name == one)), "<{name}>: {attributes:?}");
        }
    }
}
