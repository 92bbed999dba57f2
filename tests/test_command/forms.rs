//! The forms of a report that have a standard: TAP, SARIF, and the XML of JUnit.

use std::collections::BTreeSet;

use serde_json::json;

use super::{CASES, denied, json as report, test};
use crate::support::world::World;

#[test]
fn tap_has_a_line_for_each_case_and_says_what_failed() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    world.write("repo/odd.toml", denied("name = 'a # and a \\'"));
    let ended = test(&world, "denies", &["bad.toml", "odd.toml", "--format", "tap"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (1, ""), "{ended:?}");
    let expected = "TAP version 14
1..4
ok 1 - D-1 rm -rf /
ok 2 - harmless
not ok 3 - a wrong, hopeful case
  ---
  message: \"outcome: expected ask, got deny by `known`: the guest was asked\"
  severity: \"fail\"
  at:
    file: \"bad.toml\"
    line: 13
  differences:
    - what: \"outcome\"
      expected: \"ask\"
      got: \"deny by `known`: the guest was asked\"
    - what: \"rule\"
      expected: \"`other`, which no policy declares\"
      got: \"`known`\"
    - what: \"message\"
      expected: \"`50% <gone>` in it\"
      got: \"`the guest was asked`\"
  findings:
    - \"deny denies:known: the guest was asked\"
  ...
ok 4 - a \\# and a \\\\
# ";
    assert!(ended.stdout.starts_with(expected), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("denies.wasm: 3 passed, 1 failed; 1 of 1 rules hit (100 %)\n"), "{}", ended.stdout);
}

#[test]
fn tap_holds_the_rules_and_the_mutants() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
    let ended = test(&world, "denies", &["cases.toml", "--threshold", "1", "--format", "tap"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    let text = "1..2\nok 1 - ls\nnot ok 2 - rules hit\n  ---\n  message: \"0 % of the rules were hit, less than 1 %: 0 of 1 rules hit (0 %); never: denies:known\"\n";
    assert!(ended.stdout.contains(text), "{ended:?}");
    world.write("repo/cases.toml", denied(""));
    let ended = test(&world, "denies", &["cases.toml", "--mutate", "--format", "tap"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    let points = ended.stdout.lines().filter(|line| line.starts_with("ok ") || line.starts_with("not ok ")).count();
    assert!(ended.stdout.starts_with(&format!("TAP version 14\n1..{points}\n")), "{ended:?}");
    assert!(ended.stdout.contains(" - braces\n  ---\n  message: \"0 of 1 kept the verdict\"\n"), "{ended:?}");
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
    let text = results[0]["message"]["text"].as_str().unwrap();
    assert!(text.starts_with("a wrong, hopeful case\noutcome: expected ask, got deny by `known`"), "{text}");
    assert!(text.ends_with("\nfinding: deny denies:known: the guest was asked"), "{text}");
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

/// The elements of a report, each with the names of its attributes. No attribute in the reports of these tests has a `>`.
fn elements(xml: &str) -> BTreeSet<(String, Vec<String>)> {
    let (_, body) = xml.split_once("?>").unwrap();
    let tags = body.split('<').skip(1).filter(|tag| !tag.starts_with('/'));
    let element = |tag: &str| {
        let tag = tag.split_once('>').unwrap().0.trim_end_matches('/');
        // What stands between the quotes is no name.
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
