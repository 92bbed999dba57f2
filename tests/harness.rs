//! Every harness: the parsing of its payloads, the exact bytes of the replies, and its reading of them.
//!
//! The files below `tests/harness` are written by hand from each protocol's documentation, never copied from a reply.

mod captures;
mod golden;
mod invariants;
mod processes;
mod reading;
mod unknown_events;

use std::path::PathBuf;

use serde::de::DeserializeOwned;

/// Returns the path of a file in a harness's folder.
fn file(harness: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/harness").join(harness).join(name)
}

fn read<T: DeserializeOwned>(harness: &str, name: &str) -> T {
    let path = file(harness, name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
