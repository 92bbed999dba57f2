//! The guests that this binary carries: bytes only. `build.rs` writes the table.

/// A built-in policy.
#[derive(Debug)]
pub struct Builtin {
    /// Its name, that of its folder in `policies/`.
    pub name: &'static str,
    /// The presets that hold it.
    pub presets: &'static [&'static str],
    /// What a preset grants it.
    pub grants: &'static [&'static str],
    /// The tools that a preset has it judge; empty: all that it can.
    pub tools: &'static [&'static str],
    /// Where the user's preset looks for its settings.
    pub settings_file: Option<&'static str>,
    /// Its allow counts when a preset holds it.
    pub may_allow: bool,
    /// Its settings are to say where the files of this program lie.
    pub places: bool,
    /// The digest of `wasm`.
    pub sha256: [u8; 32],
    /// The component.
    pub wasm: &'static [u8],
}

/// The component that understands shell text.
#[derive(Debug)]
pub struct Analyzer {
    /// The digest of `wasm`.
    pub sha256: [u8; 32],
    /// The component.
    pub wasm: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/builtin_table.rs"));

/// All built-ins in the order of a chain. Empty in a binary that was built without them.
#[must_use]
pub fn all() -> &'static [Builtin] {
    BUILTINS
}

/// The built-in named `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// The analyzer; none in a binary that was built without guests.
#[must_use]
pub fn analyzer() -> Option<&'static Analyzer> {
    ANALYZER.as_ref()
}
