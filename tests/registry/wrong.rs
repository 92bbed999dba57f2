//! Faulty registries: each fault is distinguished, in time, and leaves nothing behind.

use std::time::{Duration, Instant};

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{all_below, author, done, refused};
use crate::support::registry::{Registry, RegistryFault};
use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

#[test]
fn a_registry_that_does_wrong_leaves_nothing_behind() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    // Creates everything that any command writes to the cache and the state folder.
    world.run(&["check", "ls"], "");
    let before = all_below(&world.repo());
    let mut output = String::new();
    for (wrong, exit) in [
        (RegistryFault::Silent, 69),
        (RegistryFault::Tampered, 65),
        (RegistryFault::Truncated, 69),
        (RegistryFault::Endless, 65),
        (RegistryFault::EndlessManifest, 65),
        (RegistryFault::Huge, 65),
        (RegistryFault::Redirects, 69),
        (RegistryFault::Locked, 69),
        (RegistryFault::Broken, 69),
        (RegistryFault::Garbled, 65),
    ] {
        registry.go_wrong(wrong);
        let start = Instant::now();
        let [added, pulled] = [
            &["add", &address, "--name", "x", "--project", "--timeout", "2"][..],
            &["pull", &address, "--timeout", "2"],
        ]
        .map(|arguments| {
            let text = refused(&world, arguments, exit);
            assert_eq!(all_below(&world.repo()), before, "{wrong:?} left something behind");
            text
        });
        assert_eq!(added, pulled);
        output += &format!("{wrong:?}\n{added}");
        assert!(start.elapsed() < Duration::from_secs(20), "{wrong:?} took {:?}", start.elapsed());
    }
    registry.go_wrong(RegistryFault::Nothing);
    output += &refused(&world, &["pull", &format!("{}/acme/none:1", registry.host)], 66);
    let host = registry.host.clone();
    drop(registry);
    output += &refused(&world, &["pull", &format!("{host}/acme/x:1.0.0")], 69);
    output += &refused(&world, &["pull", "https://localhost/x"], 64);
    assert!(!output.contains('\u{1b}'), "{output}");
    assert_text!("registry_wrong", output);
}

#[test]
fn a_registry_elsewhere_needs_tls() {
    let (registry, world) = (Registry::start(), author());
    // Another name for this machine, without exemptions.
    let address = registry.host.replace("localhost", "127.0.0.2") + "/acme/x:1";
    assert_text!("registry_without_tls", refused(&world, &["pull", &address, "--timeout", "2"], 69));
}

/// Signs in at `registry` with a password, and runs `policy`.
fn with_password(world: &World, registry: &Registry, arguments: &[&str]) {
    use base64::Engine as _;
    let pass = base64::engine::general_purpose::STANDARD.encode("someone:secret");
    let config = serde_json::json!({ "auths": { &registry.host: { "auth": pass } } });
    world.write("docker/config.json", config.to_string());
    let mut command = world.command(&[&["policy"], arguments].concat());
    command.env("DOCKER_CONFIG", world.path("docker"));
    assert_ne!(end(command, "").exit, 0, "{arguments:?}");
}

#[test]
fn nobody_else_gets_the_password() {
    let (registry, other, world) = (Registry::start(), Registry::start(), author());
    let address = format!("{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    other.go_wrong(RegistryFault::Locked);
    registry.go_wrong(RegistryFault::LeadsTo(other.port()));
    with_password(&world, &registry, &["pull", &address]);
    with_password(&world, &registry, &["push", "v1.wasm", &address]);
    assert!(other.asked() > 0, "the redirect was followed");
    assert_eq!(other.passes(), [""; 0]);
    // The credentials are only sent to their registry.
    registry.go_wrong(RegistryFault::Locked);
    with_password(&world, &registry, &["pull", &address]);
    assert!(registry.passes().iter().any(|pass| pass.starts_with("basic ")), "{:?}", registry.passes());
}

/// Runs `policy pull` with docker's `config.json`, at a registry that requires a password.
fn pulled_with(world: &World, registry: &Registry, config: &str) -> (ProcessOutput, Duration) {
    world.write("docker/config.json", config);
    let mut command = world.command(&["policy", "pull", &format!("{}/acme/x:1.0.0", registry.host), "--timeout", "2"]);
    let path = format!("{}:{}", world.path("docker").display(), std::env::var("PATH").unwrap());
    command.env("DOCKER_CONFIG", world.path("docker")).env("PATH", path);
    let start = Instant::now();
    (end(command, ""), start.elapsed())
}

#[test]
fn why_there_is_no_password_is_told() {
    let (registry, world) = (Registry::start(), author());
    registry.go_wrong(RegistryFault::Locked);
    let helper = |name: &str, body: &str| {
        let file = world.path(&format!("docker/docker-credential-{name}"));
        world.write(&format!("docker/docker-credential-{name}"), format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    helper("slow", "exec sleep 20");
    helper("none", "echo hunter2; exit 1");
    let token = format!(r#"{{"auths": {{"{}": {{"auth": "", "identitytoken": "hunter2"}}}}}}"#, registry.host);
    let mut transcript = Transcript::default();
    for config in [r#"{"credsStore": "slow"}"#, r#"{"credsStore": "none"}"#, r#"{"credsStore": "#, "{}", &token] {
        let (ended, time) = pulled_with(&world, &registry, config);
        transcript.add(&world, 69, &ended);
        assert!(!ended.stderr.contains("hunter2"), "{config}: {ended:?}");
        assert!(time < Duration::from_secs(15), "{config}: {time:?}");
    }
    assert_text!("registry_no_password", transcript.0);
}

#[test]
fn a_search_tells_what_it_may_not_see_and_ends_at_the_first_fault() {
    let (registry, world) = (Registry::start(), author());
    for name in ["a", "b", "c"] {
        done(&world, &["push", "v1.wasm", &format!("{}/{name}:1.0.0", registry.host)]);
    }
    registry.go_wrong(RegistryFault::LockedTags);
    let ended = world.run(&["policy", "search", &registry.host], "");
    assert_eq!((ended.exit, ended.stdout.as_str()), (0, ""));
    registry.go_wrong(RegistryFault::SilentTags);
    let start = Instant::now();
    let silent = refused(&world, &["search", &registry.host, "--timeout", "2"], 69);
    assert_text!("registry_search", normalized_output(&world, &ended) + &silent);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_broken_lock_keeps_an_entry_from_being_removed() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    done(&world, &["add", &address, "--name", "x", "--project"]);
    world.write("repo/.guard/guard.lock", "policy = 1");
    let before = all_below(&world.repo());
    let output = refused(&world, &["remove", "x", "--project"], 78);
    let again = refused(&world, &["add", "v1.wasm", "--name", "x", "--project", "--replace"], 78);
    assert_text!("registry_broken_lock", output + &again);
    assert_eq!(all_below(&world.repo()), before);
}

#[test]
fn what_cannot_be_fetched_is_told_once() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    done(&world, &["add", &address, "--name", "x", "--project"]);
    drop(registry);
    fs::remove_dir_all(world.path("repo/.guard/fetched")).unwrap();
    let output = refused(&world, &["fetch"], 69) + &refused(&world, &["pull", &address, "-o", "-"], 64);
    assert_text!("registry_away", output);
}

#[test]
fn what_is_no_component_is_not_saved() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    registry.replace(b"\0asm", b"preset = \"none\"\n");
    assert_text!("registry_no_component", refused(&world, &["pull", &address, "-o", "guard.toml"], 65));
    assert!(!world.path("repo/guard.toml").exists());
}

#[test]
fn texts_of_a_clone_are_no_commands_of_the_terminal() {
    let world = author();
    let lock = |keys: &str| format!("[[policy]]\nname = \"x\"\nsource = \"oci://localhost:1/x:1\"\n{keys}\n");
    let digest = "0".repeat(64);
    for (entry, lock) in [
        ("oci://x\\u001b]0;T\\u0007/y:1", String::new()),
        ("oci://localhost:1/x:1\\nfetched", String::new()),
        ("oci://localhost:1/x:1", lock(&format!("version = \"\\u001b[31m\"\nsha256 = \"{digest}\""))),
        ("oci://localhost:1/x:1", lock(&format!("version = \"1\"\nsigner = \"a\\nb\"\nsha256 = \"{digest}\""))),
        ("oci://localhost:1/x:1", "policy = \"hunter2\"".to_owned()),
    ] {
        world.write("repo/.guard/guard.toml", format!("[[policy]]\nname = \"x\"\nsource = \"{entry}\"\n"));
        world.write("repo/.guard/guard.lock", &lock);
        for arguments in
            [&["policy", "fetch"][..], &["policy", "list"], &["config", "check"], &["check", "ls"], &["ci"]]
        {
            let ended = world.run(arguments, "");
            let all = ended.stdout + &ended.stderr;
            assert!(!all.contains('\u{1b}') && !all.contains('\u{7}'), "{arguments:?}: {all:?}");
            assert!(!all.contains("\nfetched") && !all.contains("hunter2"), "{arguments:?}: {all:?}");
        }
    }
}

#[test]
fn nothing_is_written_where_a_link_leads() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    fs::create_dir_all(world.path("elsewhere")).unwrap();
    fs::create_dir_all(world.path("repo/.guard")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path("repo/.guard/fetched")).unwrap();
    assert_text!("registry_link", refused(&world, &["add", &address, "--name", "x", "--project"], 69));
    assert_eq!(fs::read_dir(world.path("elsewhere")).unwrap().count(), 0);
    assert!(!world.path("repo/.guard/guard.toml").exists() && !world.path("repo/.guard/guard.lock").exists());
}
