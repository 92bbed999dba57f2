//! The guests of `tests/guests/`: from text to the bytes of components.
//!
//! `shell.wat` says how a guest's file replaces parts of it. A file without parts stands for itself.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::world::World;

/// The bytes of the guest of that name.
pub fn bytes(name: &str) -> Vec<u8> {
    let text = text(name);
    let whole = if text.contains("(component") || text.contains("(module") { text } else { splice(&text) };
    wat::parse_str(&whole).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The same guest, in another version of five letters.
pub fn version(name: &str, version: &str) -> Vec<u8> {
    let text = splice(&text(name)).replace("(i32.const 272) \"0.1.0\"", &format!("(i32.const 272) \"{version}\""));
    assert!(text.contains(version));
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Writes the guest of that name into the world's home. Returns the file.
pub fn place(world: &World, name: &str) -> PathBuf {
    world.write(&format!("guests/{name}.wasm"), bytes(name))
}

fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests").join(format!("{name}.wat"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The shell with the parts of `guest` in the places of its own.
fn splice(guest: &str) -> String {
    let mut parts = parts(guest);
    parts.retain(|(name, _)| !name.is_empty() && name != "end");
    let mut own = String::new();
    for (name, text) in self::parts(&text("shell")) {
        let replacement = parts.iter().position(|(other, _)| *other == name);
        own += &replacement.map_or(text, |at| parts.remove(at).1);
    }
    assert!(parts.is_empty(), "the shell has no part {:?}", parts[0].0);
    own
}

/// The parts of a text and what stands in each. Before the first one stands a part without a name.
fn parts(text: &str) -> Vec<(String, String)> {
    let mut parts = vec![(String::new(), String::new())];
    for line in text.lines() {
        match line.trim().strip_prefix(";;@ ") {
            Some(name) => parts.push((name.to_owned(), String::new())),
            None => parts.last_mut().unwrap().1 += &format!("{line}\n"),
        }
    }
    parts
}

/// A chain of guests and no built-in, in this order, compiled. `keys` are further lines of the first one.
pub fn chain(world: &World, guests: &[&str], keys: &str) {
    configure(world, guests, keys);
    // What cannot be compiled is for the test to meet.
    let _ = world.run(&["cache", "warm"], "");
}

/// The configuration of such a chain, of which nothing is compiled.
pub fn configure(world: &World, guests: &[&str], keys: &str) {
    let mut toml = "preset = \"none\"\n".to_owned();
    for (index, name) in guests.iter().enumerate() {
        toml += &entry(name, &place(world, name), if index == 0 { keys } else { "" });
    }
    world.configure(&toml);
}

/// One `[[policy]]`.
pub fn entry(name: &str, component: &Path, keys: &str) -> String {
    format!("[[policy]]\nname = \"{name}\"\nsource = \"{}\"\n{keys}\n", component.display())
}
