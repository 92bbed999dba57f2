//! A build with a toolchain that lacks the built-in policies' target fails with the command that adds it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::pages::root;

/// Runs the build script of `host/requirements` with a compiler that has its targets in `folder`.
fn check(folder: &Path) -> Output {
    let place = tempfile::tempdir().unwrap();
    let (script, rustc) = (place.path().join("script"), place.path().join("rustc"));
    let source = root().join("host/requirements/build.rs");
    let built = Command::new("rustc").args(["--edition", "2024", "-o"]).arg(&script).arg(source).status().unwrap();
    assert!(built.success());
    fs::write(&rustc, format!("#!/bin/sh\necho '{}'\n", folder.display())).unwrap();
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
    Command::new(script).env("RUSTC", rustc).env_remove("GUARD_SKIP_BUILTINS").output().unwrap()
}

#[test]
fn a_missing_target_stops_the_build_with_the_command_that_adds_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = check(&folder.path().join("missing"));
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stdout).unwrap();
    let hint = "cargo::error=hint: rustup target add wasm32-unknown-unknown";
    assert!(printed.lines().any(|line| line == hint), "{printed}");
    assert!(check(folder.path()).status.success());
}

/// The README's first command adds every required target before it compiles.
#[test]
fn the_readme_adds_the_targets_first() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let line = |start: &str| readme.lines().find(|line| line.contains(start)).unwrap();
    assert!(line("cargo build --release && ").starts_with("rustup target add wasm32-unknown-unknown && cargo build"));
    assert!(line("&& cargo test --release").contains("rustup target add wasm32-unknown-unknown wasm32-wasip2 && "));
    assert!(
        line("cargo install --locked")
            .contains("rustup target add wasm32-unknown-unknown x86_64-unknown-linux-musl && ")
    );
}
