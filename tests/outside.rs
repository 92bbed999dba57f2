//! A policy crate outside of this repository: built offline against the SDK, named by path, it decides in the hook.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test stops at a surprise")]

#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/world.rs"]
mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use world::World;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|dir| dir.join("wit").exists()).unwrap().to_path_buf()
}

/// Copies the crate to a folder of its own and builds it as its author would.
fn build(folder: &Path) -> PathBuf {
    let from = root().join("tests/outside");
    let sdk = root().join("guest-sdk");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace("../../guest-sdk", sdk.to_str().unwrap());
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    for file in ["Cargo.lock", "src/lib.rs"] {
        fs::copy(from.join(file), folder.join(file)).unwrap();
    }
    // The results are kept between runs; the sources are those of the temporary folder all the same.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--offline", "--locked", "--release", "--target", "wasm32-wasip2", "--target-dir"])
        .arg(&target);
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(variable);
    }
    let status = cargo.current_dir(folder).status().expect("cargo runs");
    assert!(status.success(), "the policy outside does not build");
    target.join("wasm32-wasip2/release/no_friday.wasm")
}

#[test]
fn a_policy_of_a_third_party_decides_in_the_hook() {
    let folder = tempfile::tempdir().unwrap();
    let component = build(folder.path());
    let world = World::warm();
    let path = component.to_str().unwrap();
    world.configure(&format!(
        "[[policy]]\nname = \"friday\"\nsource = \"{path}\"\n[policy.grants]\nenv = [\"DEPLOYER\"]\n"
    ));
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
