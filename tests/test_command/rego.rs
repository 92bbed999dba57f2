//! Tests in Rego: which of them run, their results in each format, and the lines that they evaluate.

use serde_json::{Value, json};

use crate::support::texts::{Transcript, normalize, normalized_output};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const GUARD: &str = r#"package guard

# What nobody pushes to.

deny contains "protected" if {
    data.lib.git.is_push
    some branch in data.branches
    endswith(input.input.command, branch)
}

warn contains "never" if {
    input.tool == "WebFetch"
    input.input.url == "x"
}
"#;

const GIT: &str =
    "package lib.git\n\nis_push if startswith(input.input.command, \"git push\")\n\nunused if {\n    1 == 1\n}\n";

const TEST: &str = r#"package guard_test

push(command) := {"tool": "Bash", "input": {"command": command}}

test_main if "protected" in data.guard.deny with input as push("git push origin main")

test_other_data if {
    count(data.guard.deny) == 0 with input as push("git push origin main") with data.branches as ["release"]
}

todo_test_tags if false
"#;

const FAILING: &str = "package more_test\n\ntest_fails if {\n    1 == 1\n    print(\"here\")\n    1 == 2\n}\n\n\
    test_error if to_number(\"x\") == 1\n";

fn world() -> World {
    let world = World::new();
    world.write("repo/team/guard.rego", GUARD);
    world.write("repo/team/lib/git.rego", GIT);
    world.write("repo/team/guard_test.rego", TEST);
    world.write("repo/team/branches.json", r#"{ "branches": ["main"] }"#);
    world
}

fn run(world: &World, more: &[&str]) -> ProcessOutput {
    world.run(&[&["test", "rego", "--settings-file", "team"], more].concat(), "")
}

fn json(world: &World, more: &[&str]) -> Value {
    serde_json::from_str(&run(world, &[more, &["--format", "json"]].concat()).stdout).unwrap()
}

#[test]
fn the_tests_of_a_folder_are_run_and_those_to_be_written_are_told() {
    let world = world();
    assert_text!("test_rego", &world, 0, run(&world, &[]));
}

#[test]
fn a_test_that_fails_says_where() {
    let world = world();
    world.write("repo/team/more_test.rego", FAILING);
    let ended = run(&world, &[]);
    assert_eq!(ended.exit, 1);
    assert_text!("test_rego_failing", normalized_output(&world, &ended));
    assert!(run(&world, &["--fail-fast", "--filter", "test_main"]).exit == 0);
    let listed = run(&world, &["--list", "--filter", "fails"]);
    assert_eq!(listed.stdout, "team/more_test.rego:3: more_test.test_fails\n");
}

#[test]
fn every_format_tells_of_them() {
    let world = world();
    world.write("repo/team/more_test.rego", FAILING);
    let output = |format: &str| run(&world, &["--format", format]).stdout;
    assert_text!("test_rego_formats", normalize(&world, &["tap", "junit"].map(output).concat()));
    let sarif: Value = serde_json::from_str(&output("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "team/more_test.rego");
    assert_eq!(place["region"]["startLine"], 3);
    assert!(output("github").starts_with("::error file=team/more_test.rego,line=3,title=more_test.test_fails::test"));
    let report = json(&world, &[]);
    assert_eq!([&report["passed"], &report["failed"], &report["skipped"]], [2, 2, 1]);
    assert_eq!(report["lines"], Value::Null);
    let case = &report["cases"][2];
    assert_eq!([&case["title"], &case["line"]], [&json!("guard_test.todo_test_tags"), &json!(11)]);
    assert_eq!([&case["passed"], &case["skipped"]], [false, true]);
}

#[test]
fn cases_and_files_of_tests_stand_beside_the_tests_of_the_settings() {
    let world = world();
    let case = "[[cases]]\ninput = 'git push origin main'\nexpect = 'deny'\nmessage = 'protected'\n";
    world.write("repo/cases/a.toml", case);
    world.write("repo/cases/own_test.rego", "package own_test\n\ntest_data if data.branches == [\"main\"]\n");
    let ended = run(&world, &["cases"]);
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &ended);
    // The settings' folder may be given twice, and its JSON files are data.
    let ended = world.run(&["test", "rego", "cases", "team/", "--settings-file", "./team/"], "");
    transcript.add(&world, 0, &ended);
    // The tests of a single file are next to it.
    world.write("repo/one.rego", "package guard\n\ndeny := \"d\" if input.tool == \"Bash\"\n");
    let test = "package one_test\n\ntest_d if data.guard.deny == \"d\" with input as {\"tool\": \"Bash\"}\n";
    world.write("repo/one_test.rego", test);
    let ended = world.run(&["test", "rego", "one_test.rego", "--settings-file", "one.rego"], "");
    transcript.add(&world, 0, &ended);
    transcript.add(&world, 64, &world.run(&["test", "rego", "one_test.rego"], ""));
    assert_text!("test_rego_beside_cases", transcript.0);
}

/// The second one would be hidden by the first.
#[test]
fn two_tests_of_one_name_are_refused() {
    let world = world();
    world.write("repo/team/other_test.rego", "package guard_test\n\ntest_main if false\n");
    assert_text!("test_rego_twice", &world, 65, run(&world, &[]));
}

#[test]
fn tests_that_are_none_are_refused() {
    let world = world();
    let mut transcript = Transcript::default();
    for (text, exit) in [("test_f(x) := x\n", 65), ("test_f if {\n", 65), ("helper := 1\n", 66)] {
        world.write("repo/team/guard_test.rego", format!("package guard_test\n\n{text}"));
        transcript.add(&world, exit, &run(&world, &[]));
    }
    transcript.add(&world, 64, &world.run(&["test", "command-guard", "--coverage", "x.toml"], ""));
    assert_text!("test_rego_refused", transcript.0);
}

#[test]
fn a_test_that_never_ends_fails_alone() {
    let world = world();
    let range = "numbers.range(1, 100000)";
    let body = format!("count([1 | some x in {range}; some y in {range}; x + y == 0]) == 0");
    world.write("repo/team/more_test.rego", format!("package more_test\n\ntest_long if {body}\n"));
    let ended = run(&world, &[]);
    assert!(ended.exit == 1 && ended.stdout.contains("rego: 2 passed, 1 failed, 1 skipped"), "{ended:?}");
    assert!(ended.stdout.contains("  fault\n") && ended.stdout.contains("limit"), "{ended:?}");
}

#[test]
fn lines_that_are_evaluated_are_counted_by_file() {
    let world = world();
    let ended = run(&world, &["--coverage"]);
    assert_text!("test_rego_coverage", &world, 0, ended);
    let report = json(&world, &["--coverage"]);
    let row = &report["lines"][1];
    assert_eq!(row["file"], "team/lib/git.rego");
    assert_eq!([&row["covered"], &row["missed"], &row["percent"]], [&json!([3]), &json!([6]), &json!(50)]);
    // Cases are included, too.
    world.write("repo/cases/a.toml", "[[cases]]\ntool = 'WebFetch'\nexpect = 'warn'\ninput = { url = 'x' }\n");
    let report = json(&world, &["cases", "--coverage"]);
    assert_eq!(report["lines"][0]["missed"], json!([]), "{report}");
}

#[test]
fn settings_that_ask_for_tests_judge_no_call() {
    let world = World::new();
    let settings = "settings = { test = true, text = \"package guard\\nallow := true\" }";
    world
        .configure(&format!("preset = \"none\"\n[[policy]]\nname = \"team\"\nsource = \"builtin:rego\"\n{settings}\n"));
    crate::support::reply::assert_ask(&world.bash("ls"), &["[team: policy-fault]"]);
}
