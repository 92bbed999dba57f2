//! Fails if the toolchain can't compile the built-in policies, before minutes of compiling are spent.

use std::env;
use std::path::Path;
use std::process::{Command, exit};

/// The target of the built-in policies. Components for `wasm32-wasip2` import WASI, which these don't use.
const TARGET: &str = "wasm32-unknown-unknown";

fn main() {
    println!("cargo::rerun-if-env-changed=GUARD_SKIP_BUILTINS");
    if env::var_os("GUARD_SKIP_BUILTINS").is_some_and(|value| value == "1") {
        return;
    }
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = folder.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if Path::new(&folder).is_dir() {
        // Removing the target makes the check run again.
        println!("cargo::rerun-if-changed={folder}");
        return;
    }
    println!("cargo::error=the Rust target `{TARGET}` is missing, and the built-in policies are compiled for it");
    println!("cargo::error=hint: rustup target add {TARGET}");
    exit(1);
}
