//! Tests of an experiment's settings, by the ids of the requirements. Tests of the process are in
//! `tests/cli/settings.rs`.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::cli::settings::plan;

fn experiment() -> Experiment {
    Experiment { work_dir: "/data/run-1".to_owned(), ..Experiment::default() }
}

fn read(text: &str) -> Result<Plan, String> {
    plan(text).unwrap()
}

fn rendered(experiment: &Experiment, plan: &str) -> Value {
    let plan = (!plan.is_empty()).then(|| read(plan).unwrap());
    serde_json::from_str(&experiment.render(plan.as_ref()).unwrap()).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    value["permissions"][key].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn s3_02_the_same_experiment_gives_the_same_bytes() {
    let plan = read("conditions: [{command: ./z}, {command: ./a}]").unwrap();
    let text = experiment().render(Some(&plan)).unwrap();
    assert_eq!(text, experiment().render(Some(&plan)).unwrap());
    assert!(
        text.starts_with("{\n  \"permissions\": {\n    \"allowOnly\": [\n      \"/data/run-1\"\n    ]")
            && text.ends_with("}\n")
    );
}

#[test]
fn s3_03_s3_20_s3_21_the_bound_is_the_work_directory_and_the_repository_if_it_is_given() {
    let value = rendered(&experiment(), "");
    assert_eq!(list(&value, "allowOnly"), ["/data/run-1"]);
    let with = Experiment { repo_path: Some("/repo".to_owned()), ..experiment() };
    let value = rendered(&with, "");
    assert_eq!(list(&value, "allowOnly"), ["/data/run-1", "/repo"]);
    // The harness's own settings have the same bound.
    assert_eq!(list(&value, "additionalDirectories"), ["/data/run-1", "/repo"]);
    assert_eq!(value["permissions"]["blockWritesOutsideWorkingDirectories"], true);
    let twice = Experiment { repo_path: Some("/data/run-1".to_owned()), ..experiment() };
    assert_eq!(list(&rendered(&twice, ""), "allowOnly"), ["/data/run-1"]);
}

#[test]
fn s3_05_s3_22_the_usual_programs_are_allowed() {
    let value = rendered(&experiment(), "");
    let allowed = list(&value, "allow");
    for rule in ["Bash(python:*)", "Bash(git:*)", "Bash(grep:*)"] {
        assert!(allowed.contains(&rule), "{rule}");
    }
    assert_eq!(allowed.len(), PROGRAMS.len());
    for program in ["rm", "curl", "wget", "bash", "sh", "sudo", "ssh", "find", "xargs", "env"] {
        assert!(!allowed.contains(&format!("Bash({program}:*)").as_str()), "{program}");
    }
}

#[test]
fn s3_06_s3_23_the_programs_of_the_plan_are_allowed_by_name_and_as_they_are_spelled() {
    let plan = "arms:\n  - id: a\n    conditions:\n      - command: ./blis run --x 1\n      - cmd: [/usr/local/bin/sim, --x]\n\
                \x20 - id: b\n    conditions:\n      c: {run: nohup ./deep/tool && ./next}\n";
    let value = rendered(&experiment(), plan);
    let allowed = list(&value, "allow");
    for program in ["blis", "./blis", "sim", "/usr/local/bin/sim", "tool", "./deep/tool", "next", "./next"] {
        assert!(allowed.contains(&format!("Bash({program}:*)").as_str()), "{program}: {allowed:?}");
    }
    assert!(!allowed.contains(&"Bash(nohup:*)"));
    assert_eq!(allowed.len(), PROGRAMS.len() + 8);
}

#[test]
fn s3_06_what_in_a_plan_is_no_plain_name_allows_nothing() {
    let before = rendered(&experiment(), "")["permissions"]["allow"].clone();
    for command in ["'*' x", "'a:*)' x", "'a b' x", "'x,Bash(*)'", "'?' x", "'é' x", "./ x", "'..' x", "-- x", "$x y"]
    {
        let plan = format!("conditions:\n  - command: {}\n", serde_json::to_string(command).unwrap());
        let Ok(plan) = read(&plan) else { continue };
        let text = experiment().render(Some(&plan)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["permissions"]["allow"], before, "{command}");
    }
}

#[test]
fn s3_07_s3_24_programs_of_the_caller_come_on_top() {
    let with = Experiment { programs: vec!["jq".to_owned(), "/opt/bin/run".to_owned()], ..experiment() };
    let value = rendered(&with, "");
    let allowed = list(&value, "allow");
    for rule in ["Bash(jq:*)", "Bash(run:*)", "Bash(/opt/bin/run:*)", "Bash(git:*)"] {
        assert!(allowed.contains(&rule), "{rule}");
    }
    for program in ["", "*", "a b", "x:*", "x)", "..", "/", "-x"] {
        let with = Experiment { programs: vec![program.to_owned()], ..experiment() };
        assert_eq!(with.render(None), Err(ExperimentError::Program(program.to_owned())));
    }
}

#[test]
fn s3_08_s3_25_traffic_and_the_end_of_the_disk_are_denied() {
    let value = rendered(&experiment(), "conditions: [{command: curl https://x}]");
    let denied = list(&value, "deny");
    for rule in ["Bash(curl:*)", "Bash(curl *https://*)", "Bash(wget:*)", "Bash(wget *https://*)", "Bash(rm -rf /)"] {
        assert!(denied.contains(&rule), "{rule}");
    }
}

#[test]
fn s3_26_without_hooks_there_is_no_key_for_them() {
    assert!(rendered(&experiment(), "").get("hooks").is_none());
}

#[test]
fn s3_09_s3_27_the_hook_that_runs_at_the_end_is_named_by_its_absolute_path() {
    let with = Experiment { stop_hook: Some("/opt/nous/bin/nous-execute-stop".to_owned()), ..experiment() };
    let hooks = rendered(&with, "")["hooks"].clone();
    let expected = serde_json::json!({
        "Stop": [{ "hooks": [{ "type": "command", "command": "/opt/nous/bin/nous-execute-stop" }] }]
    });
    assert_eq!(hooks, expected);
    let relative = Experiment { stop_hook: Some("bin/x".to_owned()), ..experiment() };
    assert!(relative.render(None).is_err(), "only the command line knows what a relative path is relative to");
}

#[test]
fn s3_10_s3_28_s3_50_the_hook_before_a_command_has_the_matcher_of_commands() {
    let with = Experiment { pre_tool_use_hook: Some("/my tools/it's".to_owned()), ..experiment() };
    let hooks = rendered(&with, "")["hooks"].clone();
    let expected = serde_json::json!({
        "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "'/my tools/it'\\''s'" }] }]
    });
    assert_eq!(hooks, expected);
}

#[test]
fn s3_04_the_same_bound_for_shell_commands() {
    let with = Experiment { repo_path: Some("/re \"po\u{7f}".to_owned()), ..experiment() };
    let table: toml::Table = toml::from_str(&with.guard().unwrap()).unwrap();
    let entry = &table["policy"][0];
    assert_eq!(entry["name"].as_str(), Some("path-context"));
    let paths: Vec<_> = entry["settings"]["safe_paths"].as_array().unwrap().iter().filter_map(|p| p.as_str()).collect();
    assert_eq!(paths, ["/data/run-1", "/re \"po\u{7f}"]);
}

fn any_experiment() -> impl Strategy<Value = Experiment> {
    let path = || prop_oneof![Just(String::new()), "(/|\\.|\\.\\.|[a-z *]){0,8}", "/[a-z]{1,6}", any::<String>()];
    let programs = prop::collection::vec(prop_oneof!["[a-z./-]{1,6}", any::<String>()], 0..3);
    let hook = || prop::option::of(path());
    (path(), prop::option::of(path()), programs, hook(), hook()).prop_map(
        |(work_dir, repo_path, programs, stop_hook, pre_tool_use_hook)| Experiment {
            work_dir,
            repo_path,
            programs,
            stop_hook,
            pre_tool_use_hook,
        },
    )
}

proptest! {
    #[test]
    fn s3_33_whatever_is_rendered_bounds_and_denies(experiment in any_experiment(), plan in "(\\PC|\n){0,80}") {
        let plan = read(&format!("conditions:\n  - command: {plan}\n")).ok();
        let Ok(text) = experiment.render(plan.as_ref()) else {
            return Ok(());
        };
        let value: Value = serde_json::from_str(&text).unwrap();
        let bound = list(&value, "allowOnly");
        prop_assert!(!bound.is_empty() && !list(&value, "deny").is_empty());
        for folder in bound {
            let names = folder.split('/').filter(|name| !matches!(*name, "" | ".")).count();
            prop_assert!(folder.starts_with('/') && names > 0 && !folder.contains("/../"), "{}", folder);
        }
        for rule in list(&value, "allow") {
            let program = rule.strip_prefix("Bash(").and_then(|rule| rule.strip_suffix(":*)")).unwrap();
            prop_assert!(!program.is_empty() && !program.contains(['*', '(', ')', ' ', ',', ':']), "{}", rule);
        }
    }
}

#[test]
fn s3_33_what_bounds_nothing_is_refused() {
    for path in ["", ".", "relative", "/", "//", "/.", "/..", "/a/..", "/a/../..", "~"] {
        let whole = Experiment { work_dir: path.to_owned(), ..experiment() };
        assert!(matches!(whole.render(None), Err(ExperimentError::Unbounded { .. })), "{path:?}");
        let repo = Experiment { repo_path: Some(path.to_owned()), ..experiment() };
        assert!(matches!(repo.render(None), Err(ExperimentError::Unbounded { .. })), "{path:?}");
        assert!(repo.guard().is_err(), "{path:?}");
    }
}
