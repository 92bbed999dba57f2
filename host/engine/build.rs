//! Tells the engine which wasmtime it is built with: artifacts depend on it.

use std::error::Error;
use std::fs;

use serde::Deserialize;

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let lock: Lock = toml::from_str(&fs::read_to_string("../../Cargo.lock")?)?;
    let wasmtime = lock.package.iter().find(|package| package.name == "wasmtime").ok_or("no wasmtime in Cargo.lock")?;
    println!("cargo::rustc-env=GUARD_WASMTIME={}", wasmtime.version);
    Ok(())
}
