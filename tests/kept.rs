//! Policies of earlier times: a component that was built against a version of the contract decides for ever. Nobody builds
//! them again; the bytes are what is tested.

use std::fs;

use sha2::{Digest, Sha256};

use crate::support::pages::root;
use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::world::World;

/// Each component that is kept, with its digest.
const KEPT: [(&str, &str); 1] = [("0.1.0", "1b31fa3f2c935603e0f0f4763cac7789b84bbb053ab215f34c89e4485ead6456")];

#[test]
fn the_bytes_are_those_of_the_first_day() {
    for (version, expected) in KEPT {
        let bytes = fs::read(root().join("tests/kept").join(version).join("policy.wasm")).unwrap();
        let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, expected, "{version}: never build it again; a new version gets a folder of its own");
    }
    let folders = fs::read_dir(root().join("tests/kept")).unwrap().count();
    assert_eq!(folders, KEPT.len(), "each folder is in the table");
}

#[test]
fn a_policy_of_each_version_is_told_every_field() {
    let world = World::new();
    for (version, _) in KEPT {
        let folder = root().join("tests/kept").join(version);
        let (policy, cases) = (folder.join("policy.wasm"), folder.join("told.toml"));
        let ended = world.run(&["test", policy.to_str().unwrap(), cases.to_str().unwrap()], "");
        assert_eq!(ended.exit, 0, "{version}: {ended:?}");
        let ended = world.run(&["conformance", policy.to_str().unwrap()], "");
        assert_eq!(ended.exit, 0, "{version}: {ended:?}");
    }
}

#[test]
fn a_policy_of_each_version_gives_every_outcome_in_the_hook() {
    for (version, _) in KEPT {
        let policy = root().join("tests/kept").join(version).join("policy.wasm");
        for (outcome, assert) in [
            ("deny", (|ended| assert_deny(ended, &["it has an effect", "do nothing"])) as fn(&_)),
            ("ask", |ended| assert_ask(ended, &["it has an effect", "do nothing"])),
            ("warn", |ended| assert_warn(ended, &["it has an effect"])),
            ("allow", |ended| assert!(ended.exit == 0 && ended.decision().is_empty(), "{ended:?}")),
        ] {
            let world = World::new();
            world.configure(&format!(
                "preset = \"none\"\n[[policy]]\nname = \"kept\"\nsource = \"{}\"\nsettings = {{ outcome = \"{outcome}\" }}\n\
                 grants = {{ journal = {{ kept = \"~/kept.jsonl\" }} }}\n",
                policy.display()
            ));
            world.run(&["cache", "warm"], "");
            assert(&world.bash("touch a"));
            assert_silent(&world.bash("ls"));
        }
    }
}
