//! The command's output: survivors of a policy that only searches the text, exit codes, and every report format.

use serde_json::Value;

use crate::support::guests::place;
use crate::support::texts::lines_about;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

/// Cases of the guest `denies`, which only denies inputs with the text `rm -rf`.
const CASES: &str = r#"
[[cases]]
id = "N-1"
input = "rm -rf build"
expect = "deny"

[[cases]]
input = "ls -la"
expect = "abstain"
"#;

fn mutate(cases: &str, arguments: &[&str]) -> ProcessOutput {
    let world = World::new();
    let component = place(&world, "denies");
    world.write("repo/cases.toml", cases);
    let fixed = ["test", component.to_str().unwrap(), "cases.toml", "--mutate"];
    world.run(&[&fixed[..], arguments].concat(), "")
}

fn json(arguments: &[&str]) -> Value {
    let ended = mutate(CASES, &[&["--format", "json"], arguments].concat());
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[test]
fn a_policy_that_looks_at_the_text_is_found_out() {
    let report = json(&[]);
    let found = |id: &str, mutant: &str| {
        let survivors = report["survivors"].as_array().unwrap();
        survivors.iter().any(|one| one["rewrites"] == serde_json::json!([id]) && one["mutant"] == mutant)
    };
    for (id, mutant) in [
        ("options-split", "rm -r -f build"),
        ("options-reversed", "rm -fr build"),
        ("empty-quotes", "r''m -rf build"),
        ("quote-program", "\"rm\" -rf build"),
        ("program-variable", "c=rm; $c -rf build"),
        ("blanks", "rm \t -rf \t build"),
        ("braces", "rm {-rf,build}"),
    ] {
        assert!(found(id, mutant), "{id}: {report:#}");
    }
    // The text is still present.
    assert!(!found("bash-c", "bash -c 'rm -rf build'"));
    let first = &report["survivors"][0];
    assert_eq!(
        (&first["expected"], &first["got"], &first["id"][0]),
        (&"deny".into(), &"abstain".into(), &"N-1".into())
    );
    assert_eq!((&first["file"], &first["line"]), (&"cases.toml".into(), &2.into()));
    assert_eq!(report["passed"], false);
}

#[test]
fn data_that_is_taken_for_a_deed_is_found() {
    // The guest ignores a text with a line break between the two words, and denies it once they are adjacent.
    let cases = "[[cases]]\ninput = \"ls 'rm' -rf\"\nexpect = 'abstain'\n";
    assert_eq!(mutate(cases, &[]).exit, 0);
    let world = World::new();
    let component = place(&world, "denies");
    world.write("repo/cases.toml", "[[cases]]\ninput = 'rm -rf x'\nexpect = ['abstain', 'deny']\n");
    let ended = world.run(&["test", component.to_str().unwrap(), "cases.toml", "--mutate"], "");
    // Both outcomes are accepted, so there is nothing to compare a mutant with.
    assert_text!("mutate_nothing", &world, 66, ended);
}

#[test]
fn exit_codes_follow_the_part_that_was_kept() {
    let failing = mutate(CASES, &[]);
    assert_eq!(failing.exit, 1, "{failing:?}");
    assert!(failing.stdout.starts_with("SURVIVED cases.toml:2: N-1 "), "{failing:?}");
    assert_eq!(mutate(CASES, &["--min-kept", "50"]).exit, 0);
    assert_eq!(mutate(CASES, &["--min-kept", "99"]).exit, 1);
    // Failing cases are reported before mutants.
    let wrong = mutate("[[cases]]\ninput = 'ls'\nexpect = 'deny'\n", &[]);
    assert_eq!(wrong.exit, 1, "{wrong:?}");
    assert_text!("mutate_failing", lines_about(&failing.stdout, "FAIL") + &wrong.stderr);
    // A missed threshold is also reported before mutants, and enough rules let the mutants run.
    assert!(mutate(CASES, &["--threshold", "100"]).stdout.contains("SURVIVED "));
    for arguments in [&["--depth", "3"][..], &["--min-kept", "101"], &["--timings"]] {
        assert_eq!(mutate(CASES, arguments).exit, 64, "{arguments:?}");
    }
    let world = World::new();
    assert_eq!(world.run(&["test", "x.wasm", "cases.toml", "--seed", "1"], "").exit, 64);
}

#[test]
fn the_number_of_mutants_is_bounded_and_the_choice_repeats() {
    let (one, same, other) = (json(&["--max-mutants", "9"]), json(&["--max-mutants", "9"]), json(&["--seed", "4"]));
    assert_eq!(one["mutants"], 9);
    assert!(one["possible"].as_u64().unwrap() > 60);
    assert_eq!((&one["survivors"], &one["rewrites"]), (&same["survivors"], &same["rewrites"]));
    assert_eq!(other["mutants"], other["possible"]);
    let twice = json(&["--depth", "2", "--max-mutants", "100000"]);
    let pairs =
        twice["survivors"].as_array().unwrap().iter().filter(|one| one["rewrites"].as_array().unwrap().len() == 2);
    assert!(pairs.count() > 20, "{twice:#}");
}

#[test]
fn every_form_names_the_survivors() {
    let junit = mutate(CASES, &["--format", "junit"]).stdout;
    assert!(
        junit.contains("<testcase classname=\"mutants\" name=\"braces\"><failure message=\"0 of 1 kept"),
        "{junit}"
    );
    assert!(junit.contains("<testcase classname=\"mutants\" name=\"bash-c\"/>"), "{junit}");
    let tolerant = mutate(CASES, &["--format", "junit", "--min-kept", "10"]).stdout;
    assert!(tolerant.contains("failures=\"0\"") && tolerant.contains("<system-out>"), "{tolerant}");
    let github = mutate(CASES, &["--format", "github"]).stdout;
    let line = "::error file=cases.toml,line=2,title=braces::cases.toml:2: rm {-rf,build}: expected deny, got abstain (braces)\n";
    assert!(github.contains(line), "{github}");
}

#[test]
fn a_world_of_its_own_is_all_that_is_seen() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ntool = 'Write'\ninput = { file_path = '.env' }\nexpect = 'deny'\n");
    let ended = world.run(&["test", "protected-files", "cases.toml", "--mutate", "--format", "json"], "");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let tried: Vec<&str> =
        report["rewrites"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(tried, ["path-dot", "path-out-and-in", "path-written-out", "path-link"]);
    assert_eq!((ended.exit, &report["kept"]), (0, &4.into()), "{report:#}");
    assert!(!world.path("repo/mutant-link").exists());
}
