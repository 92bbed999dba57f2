//! The table `[remote]`: the files that may contain it, and its errors.

use std::path::Path;

use guard_config::Fallback;
use guard_contract::Outcome;
use serde_json::json;

use super::asking;
use super::stub::Stub;
use crate::support::layers::Layers;
use crate::support::reply::assert_deny;
use crate::support::texts::{Transcript, lines_about};
use crate::support::world::World;
use crate::texts::assert_text;

fn table(more: &str) -> String {
    format!("[remote]\nurl = \"https://guard.example/\"\ntoken-file = \"~/remote.token\"\n{more}\n")
}

#[test]
fn a_table_without_more_has_the_defaults() {
    let layers = Layers::new().user(table(""));
    let remote = layers.load().remote.unwrap();
    assert_eq!(
        (remote.url.as_str(), remote.timeout_ms, remote.fallback),
        ("https://guard.example", 1000, Fallback::Ask)
    );
    assert_eq!((remote.token_file, remote.ca), (layers.world.path("remote.token"), None));
    assert_eq!(remote.grants.words(), [""; 0]);
    assert_eq!(Layers::new().load().remote, None);
}

#[test]
fn the_managed_table_counts_whole() {
    let managed = "[remote]\nurl = \"https://managed.example\"\ntoken-file = \"/etc/guard-host/token\"\n";
    let user = table("fallback = \"local\"\nca = \"~/ca.pem\"\ntimeout-ms = 200\ngrants = [\"env:HOME\"]");
    let remote = Layers::new().managed(managed).user(user).load().remote.unwrap();
    assert_eq!((remote.url.as_str(), remote.fallback, remote.ca), ("https://managed.example", Fallback::Ask, None));
    assert_eq!((remote.timeout_ms, remote.token_file.as_path()), (1000, Path::new("/etc/guard-host/token")));
    assert_eq!(remote.grants.words(), [""; 0]);
}

#[test]
fn a_projects_file_has_none() {
    let layers = Layers::new().project(table(""));
    assert_text!("remote_in_a_project", layers.problem());
    assert_eq!(layers.load().remote, None);
}

#[test]
fn what_cannot_be_used_is_a_problem_of_its_layer() {
    let rows = [
        "[remote]",
        "[remote]\nurl = \"https://guard.example\"",
        "[remote]\nurl = \"guard.example\"\ntoken-file = \"/t\"",
        "[remote]\nurl = \"http://guard.example\"\ntoken-file = \"/t\"",
        "[remote]\nurl = \"https://u:p@guard.example\"\ntoken-file = \"/t\"",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"t\"",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\nca = \"ca.pem\"",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ntimeout-ms = 99",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ntimeout-ms = 1501",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\nfallback = \"allow\"",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ngrants = [\"read:x\"]",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ngrants = [\"journal:x=/y\"]",
        "[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ntoken = \"x\"",
        "remote = \"https://guard.example\"",
        "deadline-ms = 1000\n[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"",
    ];
    let mut said = String::new();
    for text in rows {
        for (layers, least) in [(Layers::new().user(text), Outcome::Ask), (Layers::new().managed(text), Outcome::Deny)]
        {
            said += &layers.problem();
            let verdicts = layers.decide(&[("Bash", json!({ "command": "ls" }))]);
            assert_eq!(verdicts[0].outcome, least, "{text}");
        }
    }
    assert_text!("remote_refused", said);
}

#[test]
fn a_broken_table_is_never_the_chain_here_without_a_word() {
    let world = World::new();
    world.configure("[remote]\nurl = \"http://guard.example\"\ntoken-file = \"/t\"\nfallback = \"local\"\n");
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("ls"), &["[config: broken-config]"]);
    assert_text!("remote_broken_table", told.0);
}

#[test]
fn the_files_of_the_table_are_protected() {
    let world = asking(&Stub::of("Allow").url, "ca = \"~/ca.pem\"");
    world.write("ca.pem", "");
    for command in ["rm ~/remote.token", "echo x > ~/ca.pem", "cp x ~/remote.token"] {
        assert_deny(&world.bash(command), &["self-protect"]);
    }
}

#[test]
fn config_show_names_the_server() {
    let world = asking("http://127.0.0.1:1", "fallback = \"deny\"\ngrants = [\"env:CI\"]");
    let shown = world.run(&["config", "show"], "").stdout;
    assert_text!("remote_shown", lines_about(&shown, "remote "));
    let shown = world.run(&["config", "show", "--format", "json"], "").stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["remote"]["fallback"], &shown["remote"]["grants"]["env"]), (&json!("deny"), &json!(["CI"])));
}
