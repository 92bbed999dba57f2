//! Writes the table of link names that start guard-host, from the metadata of all policies.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::Table;

fn main() -> Result<(), Box<dyn Error>> {
    let policies = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..");
    // A new policy changes the lock file.
    println!("cargo::rerun-if-changed={}", policies.join("../Cargo.lock").display());
    let mut names = Vec::new();
    for entry in fs::read_dir(policies)? {
        let manifest = entry?.path().join("Cargo.toml");
        if manifest.exists() {
            println!("cargo::rerun-if-changed={}", manifest.display());
            names.extend(link_names(&toml::from_str(&fs::read_to_string(manifest)?)?));
        }
    }
    names.sort();
    let out = Path::new(&env::var("OUT_DIR")?).join("link_names.rs");
    fs::write(out, format!("const LINK_NAMES: &[(&str, &str)] = &{names:?};\n"))?;
    Ok(())
}

/// Returns the links of one policy, and the command that each stands for.
fn link_names(manifest: &Table) -> Vec<(String, &'static str)> {
    let guard = || manifest.get("package")?.get("metadata")?.get("guard")?.as_table();
    let link = |(key, command)| Some((guard()?.get(key)?.as_str()?.to_owned(), command));
    [("called", "hook"), ("confirmed-by", "confirm")].into_iter().filter_map(link).collect()
}
