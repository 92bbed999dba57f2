//! Generates the table of files for `guard-host new`.

#[path = "build/builtins.rs"]
mod builtins;
#[path = "build/manifests.rs"]
mod manifests;
#[path = "build/templates.rs"]
mod templates;

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    for path in ["guest-sdk", "host/redact", "policies", "wit", "Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    templates::write_table(&root, &PathBuf::from(env::var("OUT_DIR")?))
}
