//! The guests that this binary carries: bytes only, and those compressed. `build.rs` writes the table.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

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
    /// The component.
    pub wasm: Packed,
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

/// A component, compressed: its bytes are wanted when an artifact is made of them, and never in a warm call.
#[derive(Debug)]
pub struct Packed {
    /// The digest of the component.
    pub sha256: [u8; 32],
    /// How many bytes the component has.
    pub bytes: usize,
    /// Its bytes, deflated.
    deflated: &'static [u8],
}

impl Packed {
    /// The component's bytes; none if this binary is damaged.
    #[must_use]
    pub fn unpacked(&self) -> Option<Vec<u8>> {
        let bytes = decompress_to_vec_with_limit(self.deflated, self.bytes).ok()?;
        Some(bytes).filter(|bytes| bytes.len() == self.bytes)
    }
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

/// The component that understands shell text; none in a binary that was built without guests.
#[must_use]
pub fn analyzer() -> Option<&'static Packed> {
    ANALYZER.as_ref()
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn every_guest_unpacks_to_the_bytes_of_its_digest() {
        let guests: Vec<&Packed> = all().iter().map(|builtin| &builtin.wasm).chain(analyzer()).collect();
        assert!(guests.len() > 6);
        for packed in guests {
            let bytes = packed.unpacked().unwrap();
            assert_eq!(<[u8; 32]>::from(Sha256::digest(&bytes)), packed.sha256);
            assert!(packed.deflated.len() * 2 < bytes.len(), "{} of {}", packed.deflated.len(), bytes.len());
        }
    }

    #[test]
    fn what_is_damaged_or_too_long_does_not_unpack() {
        let whole = analyzer().unwrap();
        let packed = |bytes, deflated| Packed { sha256: whole.sha256, bytes, deflated };
        assert_eq!(packed(whole.bytes, &whole.deflated[..1000]).unpacked(), None);
        assert_eq!(packed(whole.bytes - 1, whole.deflated).unpacked(), None);
        assert_eq!(packed(whole.bytes + 1, whole.deflated).unpacked(), None);
    }
}
