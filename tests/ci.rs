//! `guard-host ci` in the example for teams: it passes unchanged, and reports the line of each mistake.

mod against;
mod folders;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::pages::{Shell, blocks, root};
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const EXAMPLE: &str = "guest-sdk/examples/team";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=u", "-c", "user.email=u@localhost", "-c", "init.defaultBranch=main"]);
    let ended = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(ended.status.success(), "{arguments:?}: {ended:?}");
}

/// Creates a world with a new clone of the example as its project.
fn clone() -> World {
    let world = World::new();
    let origin = world.path("origin");
    copy(&root().join(EXAMPLE), &origin);
    git(&origin, &["init", "-q"]);
    git(&origin, &["add", "."]);
    git(&origin, &["commit", "-q", "-m", "policies"]);
    fs::remove_dir_all(world.repo()).unwrap();
    git(world.home.path(), &["clone", "-q", origin.to_str().unwrap(), "repo"]);
    world
}

fn ci(world: &World, arguments: &[&str]) -> ProcessOutput {
    world.run(&[&["ci"], arguments].concat(), "")
}

#[test]
fn a_fresh_clone_is_green_as_its_page_says() {
    let mut shell = Shell::new();
    let world = clone();
    copy(&world.repo(), &shell.world.repo());
    assert_eq!(blocks(&format!("{EXAMPLE}/README.md")).len(), 1);
    if let Err(error) = shell.follow(&format!("{EXAMPLE}/README.md")) {
        panic!("{error}");
    }
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_text!("ci_green", &world, 0, ended);
}

/// The change that makes each mistake in a file, and the reported step and location.
const MISTAKES: [(&str, &str, &str, &str, &str); 12] = [
    (".guard/guard.toml", "settings-file =", "setings-file =", "check", ".guard/guard.toml:13"),
    (".guard/guard.toml", "builtin:rego", "builtin:regos", "check", ".guard/guard.toml:12"),
    (".guard/guard.toml", "\"db/migrations/**\"", "\"db/[\"", "check", ".guard/guard.toml:7"),
    (".guard/guard.toml", "forbidden = true", "forbiden = true", "check", ".guard/guard.toml:19"),
    (".guard/guard.toml", "no-friday:0.1.0", "no-friday:0.2.0", "lock", ".guard/guard.toml:17"),
    (".guard/guard.toml", "name = \"no-friday\"", "name = \"friday\"", "lock", ".guard/guard.lock:4"),
    (".guard/guard.lock", "sha256 = \"", "sha256 = \"0", "lock", ".guard/guard.lock"),
    (".guard/team.rego", "some effect in", "some effect on", "check", ".guard/team.rego:5"),
    (".guard/team.rego", "package.publish", "package.install", "test", ".guard/cases/team.toml:1"),
    (
        ".guard/cases/migrations.toml",
        "expect = \"abstain\"",
        "expect = \"ask\"",
        "test",
        ".guard/cases/migrations.toml:12",
    ),
    (".guard/cases/team.toml", "expect = \"abstain\"", "expekt = \"abstain\"", "test", ".guard/cases/team.toml:10"),
    (
        ".guard/cases/no-friday.toml",
        "input = \"echo",
        "tool = \"Bahs\"\ninput = \"echo",
        "test",
        ".guard/cases/no-friday.toml",
    ),
];

#[test]
fn each_mistake_is_told_with_its_line() {
    let world = clone();
    let mut said = String::new();
    for (file, old, new, step, place) in MISTAKES {
        let path = world.repo().join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(old), "{file} has no `{old}`");
        fs::write(&path, before.replace(old, new)).unwrap();
        let ended = ci(&world, &[]);
        fs::write(&path, before).unwrap();
        let failed = ended.stdout.lines().any(|line| line.starts_with(&format!("FAIL {step} ")));
        assert!(ended.exit == 1 && failed, "{new}: {ended:?}");
        let told = ended.stdout.lines().find(|line| line.trim_start().starts_with(place));
        said += &format!("{}\n", told.unwrap_or_else(|| panic!("{new}: {ended:?}")));
    }
    assert_text!("ci_mistakes", normalize(&world, &said));
    assert_eq!(ci(&world, &[]).exit, 0, "the mistakes were taken back");
}

#[test]
fn a_component_that_is_gone_or_another_one_is_told() {
    let world = clone();
    let component = fs::read_dir(world.repo().join(".guard/fetched")).unwrap().map(|entry| entry.unwrap().path());
    let component = component.into_iter().find(|path| path.extension().is_some()).unwrap();
    let before = fs::read(&component).unwrap();
    fs::remove_file(&component).unwrap();
    let mut transcript = Transcript::default();
    transcript.add(&world, 1, &ci(&world, &[]));
    let mut other = before.clone();
    *other.last_mut().unwrap() ^= 1;
    fs::write(&component, other).unwrap();
    transcript.add(&world, 1, &ci(&world, &[]));
    assert_text!("ci_component_gone", transcript.0);
}

#[test]
fn a_component_of_the_revision_that_is_missing_fails() {
    let world = clone();
    let file = |name: &str| world.repo().join(".guard").join(name);
    git(&world.repo(), &["rm", "-q", "-r", "--cached", ".guard/fetched"]);
    git(&world.repo(), &["commit", "-q", "-m", "components are fetched"]);
    fs::remove_dir_all(file("fetched")).unwrap();
    let text = fs::read_to_string(file("guard.toml")).unwrap();
    let (ours, _) = text.split_once("# A policy of others").unwrap();
    fs::write(file("guard.toml"), ours).unwrap();
    fs::remove_file(file("guard.lock")).unwrap();
    fs::remove_file(file("cases/no-friday.toml")).unwrap();
    let ended = ci(&world, &["--against", "HEAD"]);
    assert!(ended.exit == 1 && ended.stdout.contains("FAIL replay "), "{ended:?}");
    assert!(ended.stdout.contains("the component of `no-friday` at `HEAD` is not here"), "{ended:?}");
    assert!(ended.stdout.contains("hint: run `guard-host policy fetch` at that revision"), "{ended:?}");
}

#[test]
fn the_tests_in_rego_are_run() {
    let world = clone();
    let test = |name: &str, tool: &str| {
        format!("package guard\n\n{name} if {{\n  count(deny) == 0 with input as {{\"tool\": \"{tool}\"}}\n}}\n")
    };
    world.write("repo/.guard/team_test.rego", test("test_nothing_is_denied", "Read"));
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &ci(&world, &[]));
    world.write("repo/.guard/team_test.rego", test("test_nothing_is_denied", "Read").replace("== 0", "== 1"));
    transcript.add(&world, 1, &ci(&world, &[]));
    // The tests of a folder of rules are in the folder.
    fs::remove_file(world.repo().join(".guard/team_test.rego")).unwrap();
    let file = world.repo().join(".guard/guard.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("settings-file = \"team.rego\"", "settings-file = \"rules\"")).unwrap();
    world.write("repo/.guard/rules/team.rego", fs::read(world.repo().join(".guard/team.rego")).unwrap());
    world.write("repo/.guard/rules/team_test.rego", "package guard\n\ntest_fails if 1 == 2\n");
    transcript.add(&world, 1, &ci(&world, &[]));
    assert_text!("ci_rego", transcript.0);
}

#[test]
fn a_change_that_makes_a_recorded_call_milder_is_told() {
    let world = clone();
    let file = world.repo().join(".guard/guard.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("forbidden = true", "forbidden = false")).unwrap();
    let cases = world.repo().join(".guard/cases/no-friday.toml");
    let text = fs::read_to_string(&cases).unwrap();
    fs::write(&cases, text.replace("expect = \"deny\"", "expect = \"ask\"")).unwrap();
    assert_eq!(ci(&world, &[]).exit, 0);
    let ended = ci(&world, &["--against", "HEAD"]);
    assert_text!("ci_milder", &world, 1, ended);
}

#[test]
fn a_change_that_removes_a_recorded_call_is_tried_with_it() {
    let world = clone();
    let file = world.repo().join(".guard/guard.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("forbidden = true", "forbidden = false")).unwrap();
    for calls in [Some(""), None] {
        fs::remove_dir_all(world.repo().join(".guard/cases")).unwrap_or_default();
        let file = world.repo().join(".guard/calls.jsonl");
        calls.map_or_else(|| fs::remove_file(&file), |text| fs::write(&file, text)).unwrap();
        let ended = ci(&world, &["--against", "HEAD"]);
        assert_eq!(ended.exit, 1, "{ended:?}");
        assert_text!("ci_removed", lines_about(&ended.stdout, "replay"));
    }
    // Removing a call that is judged as before isn't a failure.
    fs::write(&file, &text).unwrap();
    git(&world.repo(), &["checkout", "-q", "--", ".guard/cases"]);
    let ended = ci(&world, &["--against", "HEAD"]);
    assert!(ended.exit == 0 && ended.stdout.contains("no recorded call is left: "), "{ended:?}");
}

#[test]
fn it_says_when_a_project_file_needs_trust() {
    let world = World::new();
    let plain =
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\nsettings = { protected = [\"db\"] }\n";
    world.write("repo/.guard/guard.toml", plain);
    let mut transcript = Transcript::default();
    transcript.add(&world, 0, &ci(&world, &[]));
    world.write("repo/.guard/guard.toml", format!("{plain}grants = {{ env = [\"CI\"] }}\n"));
    transcript.add(&world, 0, &ci(&world, &[]));
    assert_text!("ci_trust", transcript.0);
}

#[test]
fn the_configuration_of_the_machine_does_not_matter() {
    let world = clone();
    world.configure("preset = \"none\"\n[[policy]]\nname = \"x\"\nsource = \"~/missing.wasm\"\n");
    assert_eq!(ci(&world, &[]).exit, 0);
    let trusted = world.path(".local/state/guard-host/trust.json");
    assert!(!trusted.exists(), "nothing of it stays trusted");
}

#[test]
fn machines_and_code_hosts_get_the_same() {
    let world = clone();
    let file = world.repo().join(".guard/guard.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("builtin:rego", "builtin:regos")).unwrap();
    let ended = ci(&world, &["--format", "github"]);
    let line = "::error file=.guard/guard.toml,line=12,title=check::";
    assert!(ended.exit == 1 && ended.stdout.lines().any(|found| found.starts_with(line)), "{ended:?}");
    let ended = ci(&world, &["--format", "json"]);
    let json: Value = serde_json::from_str(&ended.stdout).unwrap();
    let check = json["steps"].as_array().unwrap().iter().find(|step| step["step"] == "check").unwrap();
    assert_eq!((check["state"].as_str(), check["mistakes"][0]["line"].as_u64()), (Some("failed"), Some(12)), "{json}");
    let world = World::new();
    assert_text!("ci_without_a_file", &world, 66, world.run(&["ci"], ""));
}

/// The lines of a workflow, each run as the runner would.
#[test]
fn the_steps_of_the_workflow_run() {
    let text = fs::read_to_string(root().join(EXAMPLE).join(".github/workflows/guard.yml")).unwrap();
    let steps: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    assert_eq!(steps.len(), 3, "{text}");
    let world = clone();
    let mut shell = Shell::new();
    copy(&world.repo(), &shell.world.repo());
    for step in steps {
        let ended = shell.run(step);
        assert_eq!(ended.exit, 0, "{step}: {ended:?}");
    }
}
