//! Every harness: what its payloads are read as, what it is told byte for byte, and what it would make of that.
//!
//! The files below `tests/harness` are written by hand from what is known of each protocol, and never from a reply.

mod captures;
mod golden;
mod invariants;
mod processes;
mod reading;
mod unknown_events;

use std::path::PathBuf;

use serde::de::DeserializeOwned;

/// The file of that name in a harness's folder.
fn file(harness: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/harness").join(harness).join(name)
}

fn read<T: DeserializeOwned>(harness: &str, name: &str) -> T {
    let path = file(harness, name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
