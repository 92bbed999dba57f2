//! The call that `doctor` tests, if the configuration is the reason why it isn't denied.

use super::done;
use crate::support::world::World;

#[test]
fn a_call_that_is_not_denied_is_explained_by_the_configuration() {
    for (configuration, expected) in [
        ("[[policy]]\nname = \"command-guard\"\nenabled = false\n", "remove `enabled = false`"),
        ("preset = \"none\"\n", "`command-guard` isn't in the chain"),
        ("[[policy]]\nname = \"command-guard\"\ntools = [\"PowerShell\"]\n", "isn't asked about shell commands"),
    ] {
        let world = World::new();
        done(&world, &["install", "claude"]);
        world.configure(configuration);
        let ended = world.run(&["doctor"], "");
        assert!(ended.exit == 69 && ended.stdout.contains(expected), "{ended:?}");
        assert!(!ended.stdout.contains("to see why"), "{ended:?}");
    }
}
