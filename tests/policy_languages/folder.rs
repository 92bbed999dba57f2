//! Folders of Rego: modules that import each other, data next to them, and errors in a folder.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::terminal::attended;
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

const FORCE: &str = "git push --force origin main";

const GUARD: &str = r#"package guard

import data.lib.git

deny contains {"rule": "no-force", "message": message} if {
    some branch in git.forced
    branch in data.teams.web.branches
    message := sprintf("`%s` belongs to %s", [branch, data.owner])
}
"#;

const GIT: &str = r#"package lib.git

forced contains effect.target if {
    some effect in input.analysis.effects
    startswith(effect.operation, "git.push.force")
}
"#;

/// Creates a world whose chain is only the folder `team` in the user's home.
fn world() -> World {
    let world = World::new();
    world.configure(
        "preset = \"none\"\n[[policy]]\nname = \"team\"\nsource = \"builtin:rego\"\nsettings-file = \"~/team\"\n",
    );
    write(&world, "team");
    world
}

fn write(world: &World, folder: &str) {
    world.write(&format!("{folder}/guard.rego"), GUARD);
    world.write(&format!("{folder}/lib/git.rego"), GIT);
    world.write(&format!("{folder}/guard_test.rego"), "package guard_test\n\nthis is not even Rego\n");
    world.write(&format!("{folder}/owner.json"), r#"{ "owner": "the web team" }"#);
    world.write(&format!("{folder}/teams/web/any.json"), r#"{ "branches": ["main"] }"#);
    world.write(&format!("{folder}/README.md"), "# Rules\n");
    world.write(&format!("{folder}/.hidden/data.json"), "[");
}

#[test]
fn modules_import_each_other_and_data_stands_below_its_folder() {
    let world = world();
    assert_deny(&world.bash(FORCE), &["the web team", "[team: no-force]"]);
    assert_silent(&world.bash("git push --force origin topic"));
}

#[test]
fn each_file_of_the_folder_counts_at_the_next_call() {
    let world = world();
    assert_deny(&world.bash(FORCE), &["`main`"]);
    world.write("team/teams/web/any.json", r#"{ "branches": ["topic"] }"#);
    assert_silent(&world.bash(FORCE));
    world.write("team/teams/web/more/deep.json", r#"{ "x": 1 }"#);
    world.write("team/more.rego", "package guard\n\nwarn contains \"deep\" if data.teams.web.more.x == 1\n");
    assert_warn(&world.bash(FORCE), &["deep"]);
    fs::remove_file(world.path("team/more.rego")).unwrap();
    assert_silent(&world.bash(FORCE));
    fs::remove_file(world.path("team/lib/git.rego")).unwrap();
    assert_ask(&world.bash("ls"), &["[team: policy-fault]", "team/guard.rego:3:", "`lib`"]);
}

#[test]
fn values_at_one_place_are_merged_and_two_at_one_are_an_error() {
    let world = world();
    world.write("team/branches.json", r#"{ "teams": { "web": { "size": 3 } } }"#);
    assert_deny(&world.bash(FORCE), &["`main`"]);
    world.write("team/branches.json", r#"{ "teams": { "web": { "branches": [] } } }"#);
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("ls"), &["[team: policy-fault]"]);
    assert_text!("rego_folder_merged", told.0);
}

#[test]
fn a_folder_that_is_not_clear_is_a_question_that_says_where() {
    let mut told = Transcript::default();
    let mut asks = |world: &World| told.ask(world, &world.bash("ls"), &["[team: policy-fault]"]);
    for (file, text) in [
        ("team/list.json", "[1]"),
        ("team/a.json", "{\n  \"x\": }"),
        ("team/a.json", "{ \"x\": 1, \"x\": 2 }"),
        ("team/teams/data.yaml", "x: 1\n"),
        ("team/lib/more.rego", "package lib.more\n\nx := {\n"),
    ] {
        let world = world();
        world.write(file, text);
        asks(&world);
    }
    let world = world();
    world.write("other.rego", "package other\n");
    symlink(world.path("other.rego"), world.path("team/other.rego")).unwrap();
    asks(&world);
    let world = self::world();
    fs::remove_dir_all(world.path("team")).unwrap();
    asks(&world);
    world.write("team/README.md", "");
    asks(&world);
    let named = |from: usize| (from..from + 600).map(|at| format!("team/{at}.txt"));
    named(0).for_each(|file| drop(world.write(&file, "")));
    world.write("team/guard.rego", "package guard\n\nwarn := \"w\"\n");
    assert_warn(&world.bash("ls"), &["w"]);
    named(600).for_each(|file| drop(world.write(&file, "")));
    asks(&world);
    assert_text!("rego_folder_unclear", told.0);
}

#[test]
fn trust_in_a_project_ends_when_a_file_of_the_folder_changes_comes_or_goes() {
    let project =
        "[[policy]]\nname = \"team\"\nsource = \"builtin:rego\"\nsettings-file = \"team\"\nmay-allow = true\n";
    let world = World::new();
    world.write("repo/.guard/guard.toml", project);
    write(&world, "repo/.guard/team");
    world.write("repo/.guard/team/allow.rego", "package guard\n\nallow if input.tool == \"WebFetch\"\n");
    let unchanged = "package guard\n\nwarn contains \"more\" if false\n";
    let more = world.write("repo/.guard/team/more.rego", unchanged);
    assert_eq!(attended(&world, &["trust", "--yes"]).exit, 0);
    assert_deny(&world.bash(FORCE), &["[team: no-force]"]);
    let assert_lapsed = |lapsed: bool, when: &str| {
        let ended = world.run(&["config", "show", "--format", "json"], "");
        assert_eq!(ended.stdout.contains("\"lapsed\""), lapsed, "{when}: {ended:?}");
    };
    world.write("repo/.guard/team/more.rego", "package guard\n\nwarn contains \"more\"\n");
    assert_lapsed(true, "change");
    world.write("repo/.guard/team/more.rego", unchanged);
    assert_lapsed(false, "change taken back");
    world.write("repo/.guard/team/lib/new.rego", "package lib.new\n\nx := 1\n");
    assert_lapsed(true, "come");
    fs::remove_file(world.path("repo/.guard/team/lib/new.rego")).unwrap();
    assert_lapsed(false, "come and gone");
    fs::remove_file(more).unwrap();
    assert_lapsed(true, "go");
}

#[test]
fn an_agent_cannot_put_a_file_into_the_folder() {
    let world = World::new();
    write(&world, "team");
    symlink(world.path("team"), world.path("linked")).unwrap();
    // With any spelling of the folder.
    for name in ["~/team", "~/linked", "~/repo/../team"] {
        world.configure(&format!(
            "[[policy]]\nname = \"team\"\nsource = \"builtin:rego\"\nsettings-file = \"{name}\"\n"
        ));
        for file in ["team/new.rego", "team/lib/new.rego", "team/guard.rego"] {
            let path = world.path(file);
            assert_deny(&world.bash(&format!("echo x > {}", path.display())), &["self-protect"]);
        }
    }
    assert_silent(&world.bash(&format!("ls {}", world.path("team").display())));
}
