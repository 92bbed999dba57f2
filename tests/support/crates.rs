//! Policy crates outside of the workspace, built as their authors would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::pages::root;

/// Copies the crate `tests/NAME` to `folder` and builds it offline. Returns the component `FILE.wasm`.
pub fn build(name: &str, folder: &Path, file: &str) -> PathBuf {
    let from = root().join("tests").join(name);
    let sdk = root().join("guest-sdk");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace("../../guest-sdk", sdk.to_str().unwrap());
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    for file in ["Cargo.lock", "src/lib.rs"] {
        fs::copy(from.join(file), folder.join(file)).unwrap();
    }
    // The results are kept between runs, but the sources are those of the temporary folder.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--offline", "--locked", "--release", "--target", "wasm32-wasip2", "--target-dir"])
        .arg(&target);
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(variable);
    }
    let status = cargo.current_dir(folder).status().expect("cargo runs");
    assert!(status.success(), "the policy tests/{name} does not build");
    target.join("wasm32-wasip2/release").join(file)
}
