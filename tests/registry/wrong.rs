//! Registries that do wrong: each is told apart, in time, and leaves nothing behind.

use std::time::{Duration, Instant};

use super::{all_below, author, done, refused};
use crate::support::registry::{Registry, Wrong};

#[test]
fn a_registry_that_does_wrong_leaves_nothing_behind() {
    let (registry, world) = (Registry::start(), author());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    done(&world, &["push", "v1.wasm", &address]);
    // What the cache and the state folder get from any command is there already.
    world.run(&["check", "ls"], "");
    let before = all_below(&world.repo());
    for (wrong, exit, words) in [
        (Wrong::Silent, 69, &["did not answer in time", "--timeout"][..]),
        (Wrong::Tampered, 65, &["has the digest sha256:", "not to be trusted"]),
        (Wrong::Truncated, 69, &["cannot be reached"]),
        (Wrong::Endless, 65, &["is larger than"]),
        (Wrong::EndlessManifest, 65, &["is larger than 4194304 bytes"]),
        (Wrong::Huge, 65, &["is larger than 67108864 bytes"]),
        (Wrong::Redirects, 69, &["cannot be reached"]),
        (Wrong::Locked, 69, &["does not let you in", "docker login"]),
        (Wrong::Broken, 69, &["answers with 500: out of [31mdisks"]),
        (Wrong::Garbled, 65, &["its manifest"]),
    ] {
        registry.go_wrong(wrong);
        let start = Instant::now();
        for arguments in [
            &["add", &address, "--name", "x", "--project", "--timeout", "2"][..],
            &["pull", &address, "--timeout", "2"],
        ] {
            let ended = refused(&world, arguments, exit, words);
            assert!(!ended.stderr.contains('\u{1b}'), "{wrong:?}: {ended:?}");
            assert_eq!(all_below(&world.repo()), before, "{wrong:?} left something behind");
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{wrong:?} took {:?}", start.elapsed());
    }
    registry.go_wrong(Wrong::Nothing);
    refused(&world, &["pull", &format!("{}/acme/none:1", registry.host)], 66, &["there is no `oci://"]);
    let host = registry.host.clone();
    drop(registry);
    refused(&world, &["pull", &format!("{host}/acme/x:1.0.0")], 69, &["cannot be reached"]);
    refused(&world, &["pull", "https://localhost/x"], 64, &["no address of a policy in a registry"]);
}

#[test]
fn a_registry_elsewhere_needs_tls() {
    let (registry, world) = (Registry::start(), author());
    // Another name of this machine, for which nothing is made easier.
    let address = registry.host.replace("localhost", "127.0.0.2") + "/acme/x:1";
    refused(&world, &["pull", &address, "--timeout", "2"], 69, &["cannot be reached"]);
}
