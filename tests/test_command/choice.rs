//! The selection of cases: `--filter` selects them, `--list` prints them.

use serde_json::json;

use super::{CASES, json as report, test};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn a_list_has_a_line_for_each_case_and_runs_nothing() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    world.write("repo/more.jsonl", "{\"input\":\"a\\nb\",\"expect\":\"ask\"}\n");
    let listed = |more: &[&str]| {
        // A policy that doesn't exist couldn't be run.
        let ended = world.run(&[&["test", "no-such.wasm", "bad.toml", "more.jsonl", "--list"], more].concat(), "");
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
        ended
    };
    let lines = ["bad.toml:2: D-1 rm -rf /", "bad.toml:8: harmless", "bad.toml:13: a wrong, hopeful case"];
    assert_eq!(listed(&[]).stdout, lines.join("\n") + "\nmore.jsonl:1: a\\nb\n");
    assert_eq!(listed(&["--filter", "harm"]).stdout, "bad.toml:8: harmless\n");
    let first = json!({ "file": "bad.toml", "line": 2, "id": ["D-1"], "name": "", "title": "D-1 rm -rf /" });
    let value = json!({ "policy": "no-such.wasm", "cases": [first] });
    assert_eq!(report(&listed(&["--filter", "D-1", "--format", "json"])), value);
}

#[test]
fn a_list_of_nothing_is_an_error() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    let ended = test(&world, "denies", &["bad.toml", "--list", "--filter", "no such case"]);
    assert_text!("test_list_of_nothing", &world, 66, ended);
}

#[test]
fn a_list_has_no_form_of_a_report() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    for format in ["junit", "github", "tap", "sarif"] {
        assert_text!("test_list_form", &world, 64, test(&world, "denies", &["bad.toml", "--list", "--format", format]));
    }
    assert_eq!(test(&world, "denies", &["bad.toml", "--list", "--watch"]).exit, 64);
}

#[test]
fn a_filter_is_a_regular_expression_and_several_mean_any_of_them() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    for (filters, titles) in [
        (&["^D-\\d"][..], &["D-1 rm -rf /"][..]),
        (&["^harmless$"], &["harmless"]),
        (&["HARM"], &[]),
        (&["(?i)HARM"], &["harmless"]),
        (&["hopeful|harmless"], &["harmless", "a wrong, hopeful case"]),
        (&["^a wrong", "D-1", "nothing"], &["D-1 rm -rf /", "a wrong, hopeful case"]),
        (&["^bad\\.toml$"], &["D-1 rm -rf /", "harmless", "a wrong, hopeful case"]),
    ] {
        let options: Vec<&str> = filters.iter().flat_map(|filter| ["--filter", filter]).collect();
        let ended = test(&world, "denies", &[&["bad.toml", "--format", "json"], &options[..]].concat());
        if titles.is_empty() {
            assert_eq!(ended.exit, 66, "{filters:?}: {ended:?}");
            continue;
        }
        let report = report(&ended);
        let found: Vec<_> = report["cases"].as_array().unwrap().iter().map(|case| &case["title"]).collect();
        assert_eq!(found, titles, "{filters:?}");
    }
    let ended = test(&world, "denies", &["bad.toml", "--filter", "x1", "--filter", "x2"]);
    assert_text!("test_two_filters", &world, 66, ended);
}

#[test]
fn a_filter_that_is_no_regular_expression_is_refused_with_the_place() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    let mut transcript = Transcript::default();
    for filter in ["rm (", "a[b]c[d", "x)y", "é)", "*"] {
        transcript.add(&world, 64, &test(&world, "denies", &["bad.toml", "--filter", filter]));
    }
    assert_text!("test_wrong_filter", transcript.0);
}

#[test]
fn a_filter_chooses_the_cases_that_are_rewritten() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\nid = 'K-1'\ninput = 'rm -rf a'\nexpect = 'deny'\n[[cases]]\nid = 'K-2'\ninput = 'rm -rf b'\nexpect = 'deny'\n[[cases]]\nid = 'K-3'\ninput = 'rm -rf c'\nexpect = 'deny'\n");
    let arguments = ["cases.toml", "--mutate", "--format", "json", "--filter", "K-1", "--filter", "K-[3-9]"];
    let report = report(&test(&world, "denies", &arguments));
    let mut ids: Vec<_> =
        report["survivors"].as_array().unwrap().iter().map(|one| one["id"][0].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids, ["K-1", "K-3"]);
}
