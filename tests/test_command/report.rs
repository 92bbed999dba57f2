//! The report's content, and its order.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{CASES, denied, json, test};
use crate::support::guests::{self, place};
use crate::support::texts::{Transcript, normalize, normalized_output};
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn cases_that_hold_end_with_0_and_one_that_does_not_with_1() {
    let world = World::new();
    world.write("repo/good.toml", denied("rule = 'known'"));
    let ended = test(&world, "denies", &["good.toml"]);
    assert_text!("test_passed", &world, 0, ended);
    world.write("repo/bad.toml", CASES);
    let ended = test(&world, "denies", &["good.toml", "bad.toml"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (1, ""), "{ended:?}");
}

#[test]
fn a_failing_case_shows_what_was_expected_what_came_and_what_the_call_does() {
    // The guest doesn't import the analysis, so a built-in shows the last of these.
    let world = World::new();
    world.write(
        "repo/bad.toml",
        "\n[[cases]]\nname = 'hopeful'\ninput = 'sudo rm -rf /'\nexpect = 'ask'\nmessage = 'no such text'\n",
    );
    let mut ended = world.run(&["test", "command-guard", "bad.toml"], "");
    // Rules that no case hits are omitted.
    ended.stdout.truncate(ended.stdout.rfind("1 of ").unwrap());
    assert!(!ended.stdout.contains('\u{1b}'), "colour without a terminal: {ended:?}");
    assert_text!("test_failed", &world, 1, ended);
}

#[test]
fn the_report_for_machines_has_stable_keys() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    let ended = test(&world, "denies", &["bad.toml", "--format", "json"]);
    assert_eq!(ended.exit, 1);
    let report = json(&ended);
    assert_eq!((&report["passed"], &report["failed"], &report["not-run"]), (&2.into(), &1.into(), &0.into()));
    assert_eq!(report["rules"]["hit"], serde_json::json!(["denies:known"]));
    assert_eq!((&report["rules"]["percent"], &report["rules"]["missed"]), (&100.into(), &serde_json::json!([])));
    let cases = report["cases"].as_array().unwrap();
    let passed: Vec<_> = cases.iter().map(|case| case["passed"].as_bool().unwrap()).collect();
    assert_eq!(passed, [true, true, false]);
    let lines: Vec<_> = cases.iter().map(|case| case["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [2, 8, 13]);
    let first = &cases[0];
    assert_eq!(
        (&first["file"], &first["id"][0], &first["title"]),
        (&"bad.toml".into(), &"D-1".into(), &"D-1 rm -rf /".into())
    );
    assert_eq!(
        (&first["outcome"], &first["policy"], &first["rule"]),
        (&"deny".into(), &"denies".into(), &"known".into())
    );
    assert_eq!(first["findings"][0]["message"], "the guest was asked");
    assert!(first["us"].as_u64().unwrap() > 0);
    let spent = &first["spent"];
    assert_eq!(
        (&spent["policy"], &spent["limit-ms"], &spent["limit-mib"]),
        (&"denies".into(), &200.into(), &64.into())
    );
    assert!(spent["cpu-us"].as_u64().unwrap() > 0 && spent["memory-bytes"].as_u64().unwrap() >= 65_536, "{spent}");
    let whats: Vec<_> = cases[2]["differences"].as_array().unwrap().iter().map(|one| one["what"].clone()).collect();
    assert_eq!(whats, ["outcome", "rule", "message"]);
    assert_eq!(cases[2]["differences"][0]["expected"], "ask");
}

#[test]
fn junit_has_a_suite_a_file_and_escapes_what_is_no_text() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    world.write("repo/good.toml", denied(""));
    let ended = test(&world, "denies", &["bad.toml", "good.toml", "--format", "junit", "--threshold", "100"]);
    assert_eq!(ended.exit, 1);
    let xml = &ended.stdout;
    assert_text!("test_junit", normalize(&world, xml));
    assert!(xml.trim_end().ends_with("</testsuites>") && !xml.contains("<gone>"), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), 5);
}

#[test]
fn annotations_stand_at_the_line_of_their_case() {
    let world = World::new();
    world.write("repo/a,b.toml", CASES);
    let ended = test(&world, "denies", &["a,b.toml", "--format", "github"]);
    assert_eq!(ended.exit, 1);
    assert_text!("test_github", normalized_output(&world, &ended));
}

#[test]
fn the_order_is_that_of_the_arguments_then_of_the_names() {
    let world = World::new();
    for name in ["b/2.toml", "b/10.json", "a.jsonl"] {
        let text = match name.rsplit('.').next() {
            Some("toml") => (0..40).map(|n| denied(&format!("id = 't{n:02}'"))).collect(),
            Some("json") => format!(
                "{{\"cases\":[{}]}}",
                (0..40)
                    .map(|n| format!("{{\"id\":\"j{n:02}\",\"input\":\"rm -rf /\",\"expect\":\"deny\"}}"))
                    .collect::<Vec<_>>()
                    .join(",")
            ),
            _ => (0..40)
                .map(|n| format!("{{\"id\":\"l{n:02}\",\"input\":\"rm -rf /\",\"expect\":\"deny\"}}\n"))
                .collect::<String>(),
        };
        world.write(&format!("repo/{name}"), text);
    }
    let order = || {
        let ended = test(&world, "denies", &["b", "a.jsonl", "b/2.toml", "--format", "json"]);
        assert_eq!(ended.exit, 0, "{ended:?}");
        let report = json(&ended);
        let ids = report["cases"].as_array().unwrap().iter().map(|case| case["id"][0].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let expected: Vec<String> =
        ["j", "t", "l"].iter().flat_map(|kind| (0..40).map(move |n| format!("{kind}{n:02}"))).collect();
    for _ in 0..3 {
        assert_eq!(order(), expected);
    }
}

#[test]
fn fail_fast_ends_with_the_first_case_that_fails() {
    let world = World::new();
    let bad = "[[cases]]\nname = 'bad'\ninput = 'ls'\nexpect = 'deny'\n";
    let cases: String = (0..200).map(|n| if n == 3 || n == 7 { bad.to_owned() } else { denied("") }).collect();
    world.write("repo/cases.toml", cases);
    let ended = test(&world, "denies", &["cases.toml", "--fail-fast", "--format", "json"]);
    assert_eq!(ended.exit, 1);
    let report = json(&ended);
    assert_eq!((&report["passed"], &report["failed"], &report["not-run"]), (&3.into(), &1.into(), &196.into()));
    assert_eq!(report["cases"][3]["passed"], false);
}

#[test]
fn a_filter_takes_cases_by_id_name_input_and_file() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    for (filter, passed) in [("D-1", 1), ("harmless", 1), ("bad.toml", 2)] {
        let report = json(&test(&world, "denies", &["bad.toml", "--filter", filter, "--format", "json"]));
        assert_eq!(report["passed"], passed, "{filter}: {report}");
    }
    let ended = test(&world, "denies", &["bad.toml", "--filter", "no such case"]);
    assert_text!("test_no_case", &world, 66, ended);
}

#[test]
fn too_few_rules_hit_fail_and_are_named() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
    assert_eq!(test(&world, "denies", &["cases.toml", "--threshold", "0"]).exit, 0);
    let ended = test(&world, "denies", &["cases.toml", "--threshold", "1"]);
    let mut transcript = Transcript::default();
    transcript.add(&world, 1, &ended);
    for format in ["junit", "github"] {
        transcript.add(&world, 1, &test(&world, "denies", &["cases.toml", "--threshold", "1", "--format", format]));
    }
    assert_text!("test_threshold", transcript.0);
    world.write("repo/cases.toml", denied(""));
    assert_eq!(test(&world, "denies", &["cases.toml", "--threshold", "100"]).exit, 0);
}

#[test]
fn timings_hold_the_use_of_each_case_against_the_limits() {
    let world = World::new();
    world.write("repo/cases.toml", denied("name = 'one'"));
    let ended = test(&world, "denies", &["cases.toml", "--timings"]);
    let line = ended.stdout.lines().find(|line| line.ends_with(" one")).unwrap_or_else(|| panic!("{ended:?}"));
    assert!(line.contains(" of 200 ms, ") && line.contains(" of 64 MiB)"), "{line}");
    assert!(!test(&world, "denies", &["cases.toml"]).stdout.contains(" of 64 MiB"));
}

#[test]
fn a_test_writes_artifacts_alone_and_needs_no_home() {
    let world = World::new();
    world.write("repo/cases.toml", denied(""));
    let component = place(&world, "denies");
    let before = tree(world.home.path());
    let ended = world.run(&["test", component.to_str().unwrap(), "cases.toml"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let own = |path: &String| {
        [".cache", ".local"].iter().any(|folder| path.starts_with(world.path(folder).to_str().unwrap()))
    };
    let (kept, others): (Vec<String>, Vec<String>) = tree(world.home.path()).into_iter().partition(own);
    assert_eq!(others, before);
    assert!(kept.iter().any(|path| path.ends_with(".cwasm")), "the next test finds it: {kept:?}");
    let mut homeless = world.command(&["test", component.to_str().unwrap(), "cases.toml"]);
    homeless.env("HOME", "/nonexistent");
    assert_eq!(crate::support::world::end(homeless, "").exit, 0);
}

#[test]
fn a_cache_that_cannot_be_used_is_done_without() {
    let world = World::new();
    for folder in [".cache/guard-host", ".local/state/guard-host"] {
        fs::create_dir_all(world.path(folder)).unwrap();
        // Others can write there, so its content isn't used.
        fs::set_permissions(world.path(folder), fs::Permissions::from_mode(0o777)).unwrap();
    }
    world.write("repo/cases.toml", denied(""));
    assert_eq!(test(&world, "denies", &["cases.toml"]).exit, 0);
}

fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        found.push(entry.path().display().to_string());
        if entry.path().is_dir() {
            found.extend(tree(&entry.path()));
        }
    }
    found.sort();
    found
}

#[test]
fn the_world_of_a_case_is_not_the_machine() {
    let world = World::new();
    // The machine has a link that would make this a write to a secret, but the case's world doesn't.
    std::os::unix::fs::symlink(world.path(".env"), world.repo().join("notes.txt")).unwrap();
    let input = format!("input = {{ file_path = '{}' }}", world.repo().join("notes.txt").display());
    let case = format!("[[cases]]\ntool = 'Write'\n{input}\n");
    world.write("repo/cases.toml", format!("{case}expect = 'abstain'\n"));
    let ended = world.run(&["test", "protected-files", "cases.toml"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let links = format!("[facts.links]\n'{}' = '/home/u/.env'\n", world.repo().join("notes.txt").display());
    world.write("repo/cases.toml", format!("{links}{case}expect = 'deny'\n"));
    let ended = world.run(&["test", "protected-files", "cases.toml"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
}

#[test]
fn a_policy_alone_judges_all_tools_of_its_manifest_and_the_chain_those_of_its_preset() {
    let world = World::new();
    let cases = "[[cases]]\ninput = 'echo x > .env'\nexpect = 'deny'\nrule = 'secret-file'\n";
    world.write("repo/cases.toml", cases);
    let ended = world.run(&["test", "protected-files", "cases.toml"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let ended = world.run(&["test", "chain", "cases.toml", "--format", "json"], "");
    assert_eq!(ended.exit, 1, "{ended:?}");
    assert_eq!(json(&ended)["cases"][0]["policy"], "command-guard");
}

#[test]
fn the_chain_is_that_of_the_configuration() {
    let world = World::new();
    guests::chain(&world, &["denies", "shell"], "");
    world.write(
        "repo/cases.toml",
        "[[cases]]\ninput = 'ls'\nexpect = 'ask'\n[[cases]]\ninput = 'rm -rf /'\nexpect = 'deny'\n",
    );
    let ended = world.run(&["test", "chain", "cases.toml", "--format", "json"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_eq!(json(&ended)["rules"]["hit"], serde_json::json!(["denies:known", "shell:known"]));
}
