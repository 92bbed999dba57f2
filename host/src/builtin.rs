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
    /// The script whose place it takes: under this name the program is a hook of this policy alone.
    pub called: Option<&'static str>,
    /// A file to start its settings from.
    pub starter: Option<Starter>,
    /// The digest of `wasm`.
    pub sha256: [u8; 32],
    /// The component.
    pub wasm: &'static [u8],
}

/// A file that serves as a policy's settings, for people to start from.
#[derive(Debug)]
pub struct Starter {
    /// Its usual name.
    pub name: &'static str,
    /// The policy's defaults, written out.
    pub text: &'static str,
    /// Its JSON schema.
    pub schema: &'static str,
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
