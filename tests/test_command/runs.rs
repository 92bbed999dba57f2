//! How much is printed of a run, and how often each case is run.

use super::{CASES, denied, json, test};
use crate::support::guests::place;
use crate::support::world::World;

#[test]
fn a_quiet_run_prints_failures_and_one_line() {
    let world = World::new();
    let policy = place(&world, "denies").display().to_string();
    world.write("repo/good.toml", denied(""));
    world.write("repo/bad.toml", CASES);
    for flag in ["-q", "--quiet"] {
        let ended = test(&world, "denies", &["good.toml", flag]);
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
        assert_eq!(ended.stdout, format!("{policy}: 1 passed, 0 failed\n"));
    }
    let ended = test(&world, "denies", &["good.toml", "bad.toml", "-q"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    assert!(ended.stdout.starts_with("FAIL bad.toml:13: a wrong, hopeful case\n  outcome\n"), "{ended:?}");
    assert!(ended.stdout.ends_with(&format!("\n\n{policy}: 3 passed, 1 failed\n")), "{ended:?}");
    assert!(!ended.stdout.contains("good.toml") && !ended.stdout.contains("rules hit"), "{ended:?}");
    let ended = test(&world, "denies", &["good.toml", "-q", "--filter", "none"]);
    assert!(ended.exit == 66 && ended.stderr.contains("no case has `none`"), "{ended:?}");
}

#[test]
fn too_few_rules_hit_are_told_quietly_too() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n");
    let ended = test(&world, "denies", &["cases.toml", "-q", "--threshold", "1"]);
    assert_eq!(ended.exit, 1, "{ended:?}");
    assert!(ended.stdout.ends_with("FAIL: 0 % of the rules were hit, less than 1 %\n"), "{ended:?}");
}

#[test]
fn quiet_mutants_are_the_survivors_and_one_line() {
    let world = World::new();
    world.write("repo/good.toml", denied(""));
    let ended = test(&world, "denies", &["good.toml", "--mutate", "-q", "--min-kept", "0"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(ended.stdout.starts_with("SURVIVED good.toml:1: rm -rf /\n"), "{ended:?}");
    assert!(!ended.stdout.contains("tried"), "{ended:?}");
    assert!(ended.stdout.lines().last().unwrap().contains("mutants kept the verdict"), "{ended:?}");
}

#[test]
fn a_report_for_programs_is_never_quiet() {
    let world = World::new();
    world.write("repo/good.toml", denied(""));
    for format in ["json", "junit", "github", "tap", "sarif"] {
        let ended = test(&world, "denies", &["good.toml", "-q", "--format", format]);
        assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""), "{ended:?}");
        assert!(ended.stderr.contains("--quiet"), "{ended:?}");
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
