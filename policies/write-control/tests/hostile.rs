//! Hostile inputs and arbitrary settings: there is always a short answer.

#![cfg(test)]

use guard_sdk::testing::{Suite, World};
use guard_sdk::{Decision, Outcome};
use policy_write_control::WriteControl;
use serde_json::{Value, json};

fn decide(settings: &Value, path: &str) -> Decision {
    let case = guard_sdk::testing::Case {
        tool: Some("Write".to_owned()),
        input: json!({ "file_path": path }),
        ..Default::default()
    };
    let world: World = Suite::default().world(&case, &guard_testing::analyze);
    world.decide::<WriteControl>(&settings.to_string(), "Write", &case.input.to_string()).unwrap()
}

#[test]
fn a_path_that_is_too_long_is_matched_by_its_text() {
    let dots = "./".repeat(5_000);
    assert_eq!(decide(&json!({}), &format!("/repo/{dots}.git/config")).outcome, Outcome::Deny);
    assert_eq!(decide(&json!({}), &format!("{dots}.git/config")).outcome, Outcome::Deny);
    let long = decide(&json!({}), &format!("src/{}", "a/".repeat(200_000)));
    assert_eq!(long.outcome, Outcome::Allow);
    assert!(long.findings[0].message.len() < 1_000);
}

#[test]
fn settings_of_another_shape_are_refused() {
    for settings in [json!(null), json!("x"), json!({"protected": 1}), json!({"safe": {}}), json!({"protectd": []})] {
        let refused = World::default().decide::<WriteControl>(&settings.to_string(), "Write", "{}");
        assert!(refused.is_err(), "{settings}");
    }
}

#[test]
fn many_patterns_take_no_long_time() {
    assert_eq!(decide(&json!({"protected": []}), ".git/config").outcome, Outcome::Abstain);
    let many = json!({ "protected": vec!["**/x*y*z/**"; 1_000] });
    assert_eq!(decide(&many, &"x".repeat(2_000)).outcome, Outcome::Abstain);
}

#[test]
fn many_notices_do_not_hide_what_is_denied() {
    let many: String = (0..100).map(|at| format!("touch src/{at}; ")).collect();
    let analysis = guard_testing::analyze(&format!("{many} touch .git/x"), "bash", "/repo", "/home/u");
    let mut world = World { analysis, ..World::default() };
    world.fill_paths();
    let answer = world.decide::<WriteControl>(r#"{"shell": true}"#, "Bash", "{}").unwrap();
    assert_eq!((answer.outcome, answer.findings.len()), (Outcome::Deny, 9));
}

#[test]
fn the_form_of_the_file_is_read_as_it_is() {
    let form: Value = serde_json::from_str(include_str!("../../../tests/seeds/s4-write-policies.json")).unwrap();
    assert_eq!(decide(&form, "pattern1").outcome, Outcome::Deny);
    assert_eq!(decide(&form, ".git/config").outcome, Outcome::Abstain);
}

#[test]
fn a_path_that_is_no_text_is_no_path() {
    let world = World::default();
    let answer = world.decide::<WriteControl>("{}", "Write", r#"{"file_path": 7}"#).unwrap();
    assert_eq!(answer.outcome, Outcome::Abstain);
}

#[test]
fn many_folders_and_searches_take_no_long_time() {
    let protected: Vec<String> = (0..200).map(|at| format!("d{at}/**/x*y/*.py")).collect();
    let settings = json!({ "protected": protected, "shell": true }).to_string();
    let start = std::time::Instant::now();
    for text in [
        format!("prettier -w {}", "d1/e ".repeat(5_000)),
        format!("for f in $(find d1 -name '*.py'); do sed -i s/a/b/ {}; done", "$f ".repeat(5_000)),
        "find d1 -name '*.py' | xargs sed -i s/a/b/; ".repeat(5_000),
        "git apply x.patch; ".repeat(5_000),
    ] {
        let analysis = guard_testing::analyze(&text, "bash", "/repo", "/home/u");
        let mut world = World { analysis, ..World::default() };
        world.fill_paths();
        let answer = world.decide::<WriteControl>(&settings, "Bash", "{}").unwrap();
        assert!(answer.findings.len() <= 8);
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
