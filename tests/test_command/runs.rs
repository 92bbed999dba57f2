//! The amount of output of a run, and the number of times that each case runs.

use super::{CASES, denied, json, test};
use crate::support::texts::Transcript;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

#[test]
fn a_quiet_run_prints_failures_and_one_line() {
    let world = World::new();
    let mut transcript = Transcript::default();
    world.write("repo/good.toml", denied(""));
    world.write("repo/bad.toml", CASES);
    for flag in ["-q", "--quiet"] {
        transcript.add(&world, 0, &test(&world, "denies", &["good.toml", flag]));
    }
    transcript.add(&world, 1, &test(&world, "denies", &["good.toml", "bad.toml", "-q"]));
    transcript.add(&world, 66, &test(&world, "denies", &["good.toml", "-q", "--filter", "none"]));
    assert_text!("test_quiet", transcript.0);
}

#[test]
fn too_few_rules_hit_are_told_quietly_too() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
    let ended = test(&world, "denies", &["cases.toml", "-q", "--threshold", "1"]);
    assert_text!("test_quiet_threshold", &world, 1, ended);
}

#[test]
fn quiet_mutants_are_the_survivors_and_one_line() {
    let world = World::new();
    world.write("repo/good.toml", denied(""));
    let ended = test(&world, "denies", &["good.toml", "--mutate", "-q", "--min-kept", "0"]);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let ends = format!("{}\n{}\n", lines[..3].join("\n"), lines.last().unwrap());
    assert_text!("test_quiet_mutants", &world, 0, ProcessOutput { stdout: ends, ..ended });
}

#[test]
fn a_report_for_programs_is_never_quiet() {
    let world = World::new();
    world.write("repo/good.toml", denied(""));
    for format in ["json", "junit", "github", "tap", "sarif"] {
        assert_text!("test_quiet_form", &world, 64, test(&world, "denies", &["good.toml", "-q", "--format", format]));
    }
    assert_eq!(test(&world, "denies", &["good.toml", "-q", "--timings"]).exit, 64);
}

#[test]
fn repeated_cases_are_reported_once() {
    let world = World::new();
    world.write("repo/bad.toml", CASES);
    let ended = test(&world, "denies", &["bad.toml", "--repeat", "5", "--format", "json"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    let report = json(&ended);
    assert_eq!((&report["passed"], &report["failed"], &report["repeat"]), (&2.into(), &1.into(), &5.into()));
    let whats: Vec<_> =
        report["cases"][2]["differences"].as_array().unwrap().iter().map(|one| one["what"].clone()).collect();
    assert_eq!(whats, ["outcome", "rule", "message"], "all runs are alike");
    for wrong in ["0", "-1", "x"] {
        assert_eq!(test(&world, "denies", &["bad.toml", "--repeat", wrong]).exit, 64);
    }
}
