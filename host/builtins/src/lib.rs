//! Content embedded in the programs: the compiled built-in guests, and the compiler for other policies. `build.rs`
//! makes both and writes the table.
//!
//! # Invariants
//!
//! - This crate holds bytes and metadata; it runs, reads and trusts none of them.
//! - A program that does not name an artifact does not hold it.

use std::io::Read;

use lzma_rust2::LzmaReader;
use lzma_rust2::filter::bcj::BcjReader;

/// A built-in policy.
#[derive(Debug)]
pub struct Builtin {
    /// Its name, that of its folder in `policies/`.
    pub name: &'static str,
    /// The presets that hold it.
    pub presets: &'static [&'static str],
    /// The grants that a preset gives it.
    pub grants: &'static [&'static str],
    /// The tools that a preset has it judge; empty: all that it can.
    pub tools: &'static [&'static str],
    /// The presets that set its key `strict`.
    pub strict: &'static [&'static str],
    /// Where the user's preset looks for its settings.
    pub settings_file: Option<&'static str>,
    /// Its allow counts when a preset holds it.
    pub may_allow: bool,
    /// Its settings are to say where the files of this program lie.
    pub places: bool,
    /// The script whose place it takes: under this name the program is a hook of this policy alone.
    pub called: Option<&'static str>,
    /// The script that lets a call run which this policy asked about: under this name the program is `confirm`.
    pub confirmed_by: Option<&'static str>,
    /// The protocol of the script whose place it takes, for a payload that no harness sent.
    pub plain_answers: Option<&'static str>,
    /// A file to start its settings from.
    pub starter: Option<Starter>,
    /// The component, compiled.
    pub guest: Guest,
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

/// A component that was compiled when the program was built.
#[derive(Debug)]
pub struct Guest {
    /// The digest of the component.
    pub sha256: [u8; 32],
    /// Its embedded form, compiled for the machines that the program is for.
    pub artifact: Artifact,
    /// Its interface and its manifest: JSON, as `guard-compiler describe` gives it.
    pub description: &'static str,
}

/// How the program holds what it runs of a guest.
#[derive(Debug)]
pub enum Artifact {
    /// In the [`bundle`], under its policy's name: the policies of the presets.
    Bundled,
    /// Compressed: it is unpacked into the cache when a configuration names it first.
    Packed(Packed),
}

/// Bytes that are unpacked into the cache. The bundle, which every call runs, and the compiler of what is built to try are
/// not compressed: a first call would wait for the one, and tests for the other.
#[derive(Debug)]
pub struct Packed {
    /// The digest of the plain bytes.
    pub sha256: [u8; 32],
    /// How many there are.
    pub bytes: usize,
    /// They are not compressed.
    is_plain: bool,
    /// They are machine code, whose calls are written another way.
    is_code: bool,
    /// The bytes, in the format of LZMA unless they are plain.
    packed: &'static [u8],
}

/// The memory that unpacking may take, in KiB: twice the size of the largest that is packed.
const UNPACKING_KIB: u32 = 32 << 10;

impl Packed {
    /// The plain bytes; none if this program is damaged.
    #[must_use]
    pub fn unpacked(&self) -> Option<Vec<u8>> {
        if self.is_plain {
            return Some(self.packed.to_vec()).filter(|bytes| bytes.len() == self.bytes);
        }
        let reader = LzmaReader::new_mem_limit(self.packed, UNPACKING_KIB, None).ok()?;
        let mut bytes = Vec::with_capacity(self.bytes);
        let most = self.bytes as u64 + 1;
        match self.is_code {
            true if cfg!(target_arch = "aarch64") => BcjReader::new_arm64(reader, 0).take(most).read_to_end(&mut bytes),
            true => BcjReader::new_x86(reader, 0).take(most).read_to_end(&mut bytes),
            false => reader.take(most).read_to_end(&mut bytes),
        }
        .ok()?;
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

/// The artifact of the component that holds the analyzer and the policies of the presets; none in a binary that was built
/// without guests.
#[must_use]
pub fn bundle() -> Option<&'static Packed> {
    BUNDLE.as_ref()
}

/// The artifact of the component that reads scripts; none in a binary that was built without guests.
#[must_use]
pub fn scripts() -> Option<&'static Packed> {
    SCRIPTS.as_ref()
}

/// A component that a service is put together from, by the name of its package: `guard-service`, `guard-service-view`,
/// `guard-service-link`, `guard-bundle` or `guard-scripts`. None if this program does not hold it, or is damaged.
#[must_use]
pub fn of_service(package: &str) -> Option<Vec<u8>> {
    SERVICE.iter().find(|(name, _)| *name == package)?.1.unpacked()
}

/// The component with this digest, for commands; the hook does without. None if this program does not hold it, or is
/// damaged.
#[must_use]
pub fn component(sha256: &[u8; 32]) -> Option<Vec<u8>> {
    COMPONENTS.iter().find(|packed| packed.sha256 == *sha256)?.unpacked()
}

/// The built-in whose component has this digest, in hexadecimal.
#[must_use]
pub fn by_digest(sha256: &str) -> Option<&'static Builtin> {
    let mut digits =
        sha256.as_bytes().chunks_exact(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    let digest: [u8; 32] = std::array::from_fn(|_| digits.next().flatten().unwrap_or_default());
    (sha256.len() == 64).then(|| all().iter().find(|builtin| builtin.guest.sha256 == digest)).flatten()
}

/// The program that compiles components of others, for the machine that this one is for; none in a program that was
/// built without guests.
#[must_use]
pub fn compiler() -> Option<&'static Packed> {
    COMPILER.as_ref()
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn what_is_packed_unpacks_to_the_bytes_of_its_digest() {
        assert!(all().len() > 6);
        let artifacts = all().iter().filter_map(|builtin| match &builtin.guest.artifact {
            Artifact::Packed(packed) => Some(packed),
            Artifact::Bundled => None,
        });
        let guests = || artifacts.clone().chain(COMPONENTS).chain(scripts());
        assert!(guests().all(|packed| !packed.is_plain));
        for packed in guests().chain(compiler()).chain(bundle()) {
            let bytes = packed.unpacked().unwrap();
            assert_eq!(<[u8; 32]>::from(Sha256::digest(&bytes)), packed.sha256);
            let is_compressed = packed.packed.len() * 2 < bytes.len();
            assert_eq!(is_compressed, !packed.is_plain, "{} of {}", packed.packed.len(), bytes.len());
        }
    }

    #[test]
    fn every_guest_is_found_by_its_digest_and_has_its_component() {
        for builtin in all() {
            let digest = &builtin.guest.sha256;
            let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(by_digest(&digits).is_some_and(|found| found.guest.sha256 == *digest));
            assert!(component(digest).is_some());
        }
        for none in ["", "00", &"0".repeat(64), &"x".repeat(64)] {
            assert!(by_digest(none).is_none());
        }
    }

    #[test]
    fn what_is_damaged_or_too_long_does_not_unpack() {
        let whole = &COMPONENTS[0];
        let packed = |bytes, packed| Packed { sha256: whole.sha256, bytes, is_plain: false, is_code: false, packed };
        assert_eq!(packed(whole.bytes, &whole.packed[..1000]).unpacked(), None);
        assert_eq!(packed(whole.bytes - 1, whole.packed).unpacked(), None);
        assert_eq!(packed(whole.bytes + 1, whole.packed).unpacked(), None);
    }
}
