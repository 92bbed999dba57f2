//! Content embedded in the programs: the compiled built-in policies, and the compiler for other policies. `build.rs`
//! creates both and writes the table.
//!
//! # Invariants
//!
//! - This crate only contains bytes and metadata. It doesn't run, interpret or trust them.
//! - A program that doesn't use an artifact doesn't contain it.

use std::io::Read;

use lzma_rust2::LzmaReader;
use lzma_rust2::filter::bcj::BcjReader;

/// A built-in policy.
#[derive(Debug)]
pub struct Builtin {
    /// The name, the same as that of its folder in `policies/`.
    pub name: &'static str,
    /// The presets that contain it.
    pub presets: &'static [&'static str],
    /// The grants that a preset gives it.
    pub grants: &'static [&'static str],
    /// The tools that it judges in a preset. Empty for all that it supports.
    pub tools: &'static [&'static str],
    /// The presets that set its `strict` setting.
    pub strict: &'static [&'static str],
    /// The path of its settings file in the user's preset.
    pub settings_file: Option<&'static str>,
    /// Whether its allow applies in a preset.
    pub may_allow: bool,
    /// Whether its settings must include the locations of this program's files.
    pub places: bool,
    /// The script that it replaces. A program with this name is a hook with only this policy.
    pub called: Option<&'static str>,
    /// The script that confirms calls for which this policy prompted. A program with this name is `confirm`.
    pub confirmed_by: Option<&'static str>,
    /// The protocol of the script that it replaces, for payloads that no harness sent.
    pub plain_answers: Option<&'static str>,
    /// A starter file for its settings.
    pub starter: Option<Starter>,
    /// The compiled component.
    pub guest: Guest,
}

/// A settings file for a policy that users can start from.
#[derive(Debug)]
pub struct Starter {
    /// The usual file name.
    pub name: &'static str,
    /// The policy's defaults.
    pub text: &'static str,
    /// The JSON schema.
    pub schema: &'static str,
}

/// A component built with the program.
#[derive(Debug)]
pub struct Guest {
    /// The component's digest.
    pub sha256: [u8; 32],
    /// The embedded form, compiled for the program's target machines.
    pub artifact: Artifact,
    /// The interface and the manifest, as JSON from `guard-compiler describe`.
    pub description: &'static str,
}

/// How the program embeds a component's code.
#[derive(Debug)]
pub enum Artifact {
    /// In the [`bundle`], under its policy's name. Used for the policies in presets.
    Bundled,
    /// Compressed. It is unpacked into the cache when a configuration first uses it.
    Packed(Packed),
}

/// Bytes that are unpacked into the cache. The bundle isn't compressed, because every call runs it and the first one
/// would have to wait. In trial builds, the compiler isn't compressed either, because tests would have to wait.
#[derive(Debug)]
pub struct Packed {
    /// The digest of the unpacked bytes.
    pub sha256: [u8; 32],
    /// The number of unpacked bytes.
    pub bytes: usize,
    /// Whether the bytes aren't compressed.
    is_plain: bool,
    /// Whether the bytes are machine code, in which call targets are encoded differently.
    is_code: bool,
    /// The bytes, as LZMA unless they are plain.
    packed: &'static [u8],
}

/// The memory limit for decompression, in KiB: twice the size of the largest compressed content.
const UNPACKING_KIB: u32 = 32 << 10;

impl Packed {
    /// Returns the unpacked bytes. `None` if this program is damaged.
    #[must_use]
    pub fn unpack(&self) -> Option<Vec<u8>> {
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

/// Returns all built-ins in chain order. Empty in a binary built without them.
#[must_use]
pub fn all() -> &'static [Builtin] {
    BUILTINS
}

/// Returns the built-in with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// Returns the artifact of the component with the analyzer and the presets' policies. `None` in a binary built without
/// built-ins.
#[must_use]
pub fn bundle() -> Option<&'static Packed> {
    BUNDLE.as_ref()
}

/// Returns the artifact of the script analyzer. `None` in a binary built without built-ins.
#[must_use]
pub fn scripts() -> Option<&'static Packed> {
    SCRIPTS.as_ref()
}

/// Returns a component for building a service, by package name: `guard-service`, `guard-service-view`,
/// `guard-service-link`, `guard-bundle` or `guard-scripts`. `None` if this program doesn't contain it or is damaged.
#[must_use]
pub fn service_component(package: &str) -> Option<Vec<u8>> {
    SERVICE.iter().find(|(name, _)| *name == package)?.1.unpack()
}

/// Returns the component with this digest. Only used by commands, and not by the hook. `None` if this program doesn't
/// contain it or is damaged.
#[must_use]
pub fn component(sha256: &[u8; 32]) -> Option<Vec<u8>> {
    COMPONENTS.iter().find(|packed| packed.sha256 == *sha256)?.unpack()
}

/// Returns the built-in whose component has this digest, in hexadecimal.
#[must_use]
pub fn find_by_digest(sha256: &str) -> Option<&'static Builtin> {
    let mut digits =
        sha256.as_bytes().chunks_exact(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    let digest: [u8; 32] = std::array::from_fn(|_| digits.next().flatten().unwrap_or_default());
    (sha256.len() == 64).then(|| all().iter().find(|builtin| builtin.guest.sha256 == digest)).flatten()
}

/// Returns the compiler for components on this program's machine. `None` in a program built without built-ins.
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
            let bytes = packed.unpack().unwrap();
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
            assert!(find_by_digest(&digits).is_some_and(|found| found.guest.sha256 == *digest));
            assert!(component(digest).is_some());
        }
        for none in ["", "00", &"0".repeat(64), &"x".repeat(64)] {
            assert!(find_by_digest(none).is_none());
        }
    }

    #[test]
    fn what_is_damaged_or_too_long_does_not_unpack() {
        let whole = &COMPONENTS[0];
        let packed = |bytes, packed| Packed { sha256: whole.sha256, bytes, is_plain: false, is_code: false, packed };
        assert_eq!(packed(whole.bytes, &whole.packed[..1000]).unpack(), None);
        assert_eq!(packed(whole.bytes - 1, whole.packed).unpack(), None);
        assert_eq!(packed(whole.bytes + 1, whole.packed).unpack(), None);
    }
}
