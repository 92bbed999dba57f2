//! Commands that change or check the policies of a machine whose calls a server decides.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::asking;
use super::stub::{Reply, Stub};
use crate::support::terminal::attended;
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::World;
use crate::texts::assert_text;

const ADDRESS: &str = "http://127.0.0.1:1";

/// Creates a world that a server decides, with a policy of its project.
fn with_project(more: &str) -> World {
    let world = asking(ADDRESS, more);
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"migrations\"\nsource = \"builtin:write-control\"\nsettings = { protected = [\"**/*.sql\"] }\n",
    );
    world
}

#[test]
fn policies_of_a_project_that_a_server_replaces_are_named() {
    let world = with_project("");
    std::fs::set_permissions(world.path("remote.token"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let checked = world.run(&["config", "check"], "");
    assert!(
        checked.stderr.contains(&format!("the server {ADDRESS} was not asked; `guard-host doctor` asks it")),
        "{checked:?}"
    );
    let warnings = lines_about(&checked.stderr, "warning: ");
    let doctor = lines_about(&world.run(&["doctor"], "").stdout, "`migrations`");
    assert_text!("remote_project", normalize(&world, &(warnings + &doctor)));
    // Without a server, they decide.
    world.configure("");
    let checked = world.run(&["config", "check"], "");
    assert_eq!((checked.exit, checked.stderr.as_str()), (0, ""), "{checked:?}");
}

#[test]
fn a_session_begins_with_the_server_or_with_its_missing_token() {
    let mut said = String::new();
    for fallback in ["", "fallback = \"ask\"", "fallback = \"deny\"", "fallback = \"local\""] {
        let world = asking(ADDRESS, fallback);
        if !fallback.is_empty() {
            std::fs::remove_file(world.path("remote.token")).unwrap();
        }
        let payload =
            json!({ "session_id": "s1", "cwd": world.repo(), "hook_event_name": "SessionStart", "source": "startup" });
        let told: serde_json::Value = serde_json::from_str(&world.hook(&payload.to_string()).stdout).unwrap();
        said += &format!("{}\n", told["systemMessage"].as_str().unwrap());
    }
    assert_text!("session_start_remote", said);
}

#[test]
fn doctor_says_what_a_server_answers_in_the_place_of_a_verdict() {
    let mut said = String::new();
    for (status, body) in [(503, ""), (503, "{\"error\":\"there are too many connections\"}"), (401, ""), (500, "oops")]
    {
        let stub = Stub::always(Reply::Say(status, String::new(), body.to_owned()));
        let world = asking(&stub.url, "");
        std::fs::set_permissions(world.path("remote.token"), std::fs::Permissions::from_mode(0o600)).unwrap();
        said += &normalize(&world, &lines_about(&world.run(&["doctor"], "").stdout, "remote: "));
    }
    assert_text!("remote_statuses", said);
}

#[test]
fn an_allow_that_a_server_would_ignore_is_not_written() {
    let world = asking(&Stub::of("Ask").url, "");
    world.bash("rm -rf build");
    let mut transcript = Transcript::default();
    for arguments in [&["allow", "--last", "--yes"][..], &["allow", "rm -rf build", "--yes"]] {
        transcript.add(&world, 69, &attended(&world, arguments));
    }
    assert_text!("remote_allow", transcript.0);
    let file = std::fs::read_to_string(world.path(".config/guard-host/guard.toml")).unwrap();
    assert!(!file.contains("[[allow]]"), "{file}");
    // Listing changes nothing.
    assert_eq!(world.run(&["allow"], "").exit, 0);
}

#[test]
fn an_allow_beside_a_server_with_a_local_fallback_is_written_with_a_warning() {
    let world = asking(ADDRESS, "fallback = \"local\"");
    let ended = attended(&world, &["allow", "rm -rf build", "--yes"]);
    assert_text!("remote_allow_local", &world, 0, ended);
}

#[test]
fn a_pause_names_the_policies_that_it_reaches() {
    let world = asking(ADDRESS, "");
    let named = attended(&world, &["pause", "10m", "--only", "command-guard"]);
    let mut transcript = Transcript::default();
    transcript.add(&world, 69, &named);
    transcript.add(&world, 0, &attended(&world, &["pause", "10m"]));
    assert_text!("remote_pause", transcript.0);
    assert_eq!(world.audit().last().unwrap()["action"], json!("pause"));
}

#[test]
fn a_pause_that_a_server_would_ignore_does_not_begin() {
    let off = |name: &str| format!("[[policy]]\nname = \"{name}\"\nenabled = false\n");
    let world = asking(ADDRESS, &(off("session-guard") + &off("intrusion-guard")));
    let ended = attended(&world, &["pause", "10m"]);
    assert_text!("remote_nothing_to_pause", &world, 69, ended);
    assert!(!world.path(".local/state/guard-host/pause.json").exists());
}
