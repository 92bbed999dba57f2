//! A policy crate outside of this repository: it is built offline with the SDK, configured by path, and decides in the
//! hook.

use crate::support::world::World;
use crate::support::{crates, world};

#[test]
fn a_policy_of_a_third_party_decides_in_the_hook() {
    let folder = tempfile::tempdir().unwrap();
    let component = crates::build("outside", folder.path(), "no_friday.wasm");
    let world = World::new();
    let path = component.to_str().unwrap();
    world.configure(&format!(
        "[[policy]]\nname = \"friday\"\nsource = \"{path}\"\n[policy.grants]\nenv = [\"DEPLOYER\"]\n"
    ));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let payload = r#"{"tool_name":"Bash","tool_input":{"command":"sudo deploy --now"}}"#;
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("DEPLOYER", "the-night-shift");
    let asked = world::end(hook, payload);
    assert_eq!((asked.exit, asked.decision().as_str()), (0, "ask"), "{asked:?}");
    assert!(asked.reason().contains("`deploy --now` by the-night-shift"), "{asked:?}");
    assert!(asked.reason().contains("[friday: deploy]"), "{asked:?}");

    assert!(world.bash("ls -la").is_silent());
    assert_eq!(world.bash("rm -rf /").exit, 2, "the built-ins decide beside it");

    world
        .configure(&format!("[[policy]]\nname = \"friday\"\nsource = \"{path}\"\nsettings = {{ forbidden = true }}\n"));
    let denied = world.hook(payload);
    assert_eq!(denied.exit, 2, "{denied:?}");
    assert!(denied.reason().contains("by nobody"), "without the grant the variable is not known: {denied:?}");

    world.configure(&format!("[[policy]]\nname = \"friday\"\nsource = \"{path}\"\nsettings = {{ forbiden = true }}\n"));
    let fault = world.hook(payload);
    assert_eq!(fault.decision(), "ask", "{fault:?}");
    assert!(fault.reason().contains("forbiden"), "{fault:?}");
}
