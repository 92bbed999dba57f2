//! The table `[remote]`: in which files it stands, and what is wrong with it.

use std::path::Path;

use guard_config::Fallback;
use guard_contract::Outcome;
use serde_json::json;

use super::asking;
use super::stub::Stub;
use crate::support::layers::Layers;
use crate::support::reply::{assert_ask, assert_deny};
use crate::support::world::World;

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
    layers.assert_problem(&["`remote` stands in a project's file"]);
    assert_eq!(layers.load().remote, None);
}

#[test]
fn what_cannot_be_used_is_a_problem_of_its_layer() {
    let rows = [
        ("[remote]", "`url` is missing"),
        ("[remote]\nurl = \"https://guard.example\"", "`token-file` is ``"),
        ("[remote]\nurl = \"guard.example\"\ntoken-file = \"/t\"", "`url` is missing, or no address"),
        ("[remote]\nurl = \"http://guard.example\"\ntoken-file = \"/t\"", "use `https://`"),
        ("[remote]\nurl = \"https://u:p@guard.example\"\ntoken-file = \"/t\"", "is no address"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"t\"", "`token-file` is `t`"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\nca = \"ca.pem\"", "`ca` is `ca.pem`"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ntimeout-ms = 99", "from 100 to 1500"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ntimeout-ms = 1501", "from 100 to 1500"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\nfallback = \"allow\"", "`allow`"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ngrants = [\"read:x\"]", "`read:x`"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ngrants = [\"journal:x=/y\"]", "no grant"),
        ("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"\ntoken = \"x\"", "`token`"),
        ("remote = \"https://guard.example\"", "guard.toml:1:"),
        ("deadline-ms = 1000\n[remote]\nurl = \"https://guard.example\"\ntoken-file = \"/t\"", "`deadline-ms` is 1000"),
    ];
    for (text, word) in rows {
        for (layers, least) in [(Layers::new().user(text), Outcome::Ask), (Layers::new().managed(text), Outcome::Deny)]
        {
            layers.assert_problem(&["guard.toml:", word]);
            let verdicts = layers.decide(&[("Bash", json!({ "command": "ls" }))]);
            assert_eq!(verdicts[0].outcome, least, "{text}");
        }
    }
}

#[test]
fn a_broken_table_is_never_the_chain_here_without_a_word() {
    let world = World::new();
    world.configure("[remote]\nurl = \"http://guard.example\"\ntoken-file = \"/t\"\nfallback = \"local\"\n");
    assert_ask(&world.bash("ls"), &["the user configuration is broken", "`http://guard.example` has no TLS"]);
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
    assert!(shown.contains("remote     http://127.0.0.1:1 (1000 ms)"), "{shown}");
    let shown = world.run(&["config", "show", "--format", "json"], "").stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["remote"]["fallback"], &shown["remote"]["grants"]["env"]), (&json!("deny"), &json!(["CI"])));
}
