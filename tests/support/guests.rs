//! The guests of `tests/guests/`: converts text to components.
//!
//! `shell.wat` documents how a guest's file replaces parts of it. A file without parts is a whole guest.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::world::World;

/// Returns the bytes of the guest with that name.
pub fn bytes(name: &str) -> Vec<u8> {
    let text = text(name);
    let whole = if text.contains("(component") || text.contains("(module") { text } else { splice(&text) };
    wat::parse_str(&whole).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the guest in another version with five characters.
pub fn version(name: &str, version: &str) -> Vec<u8> {
    let text = splice(&text(name)).replace("(i32.const 272) \"0.1.0\"", &format!("(i32.const 272) \"{version}\""));
    assert!(text.contains(version));
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Writes the guest with that name to the world's home. Returns the file.
pub fn place(world: &World, name: &str) -> PathBuf {
    world.write(&format!("guests/{name}.wasm"), bytes(name))
}

fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests").join(format!("{name}.wat"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the shell with its parts replaced by those of `guest`.
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

/// Splits a text into named parts. The text before the first one is a part without a name.
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

/// Configures and compiles a chain of only these guests, in this order. `keys` are further lines of the first one.
pub fn chain(world: &World, guests: &[&str], keys: &str) {
    configure(world, guests, keys);
    // The test itself checks guests that can't be compiled.
    let _ = world.run(&["cache", "warm"], "");
}

/// Writes the configuration of such a chain without compiling it.
pub fn configure(world: &World, guests: &[&str], keys: &str) {
    let mut toml = "preset = \"none\"\n".to_owned();
    for (index, name) in guests.iter().enumerate() {
        toml += &entry(name, &place(world, name), if index == 0 { keys } else { "" });
    }
    world.configure(&toml);
}

/// Returns one `[[policy]]` entry.
pub fn entry(name: &str, component: &Path, keys: &str) -> String {
    format!("[[policy]]\nname = \"{name}\"\nsource = \"{}\"\n{keys}\n", component.display())
}
