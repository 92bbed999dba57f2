//! Pinned digests of files that a person has reviewed, and the trust level of a layer's file.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::folder;
use guard_contract::shell_word::word;
use guard_contract::{COMPONENT_BYTES, Layer};
use guard_state::hex;

/// Returns the command that trusts a project's file. It names the folder, because a folder of the project may have a file
/// of its own.
#[must_use]
pub fn trust_command(file: &Path) -> String {
    let folder = file.parent().and_then(Path::parent).unwrap_or(file);
    format!("guard-host trust {}", word(&folder.to_string_lossy()))
}

/// Returns the hint for lapsed trust in a project's file.
pub(super) fn lapsed_hint(file: &Path) -> String {
    format!("look at what has changed, then run `{}`", trust_command(file))
}

/// The digest of each pinned file, or `None` for one that didn't exist.
pub type Pins = BTreeMap<PathBuf, Option<String>>;

/// The trust level of a layer's file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TrustLevel<'a> {
    /// The layer's default: a project's file can only tighten.
    OfLayer,
    /// A project's file that is being reviewed for trust.
    Candidate,
    /// A project's file that is trusted as long as all files match their pins.
    Pinned(&'a Pins),
}

impl TrustLevel<'_> {
    /// Returns whether it is an untrusted project's file.
    pub(super) fn is_limited(&self, layer: Layer) -> bool {
        layer == Layer::Project && matches!(self, TrustLevel::OfLayer)
    }

    /// Checks a file's digest against its pin, and returns the pinned digest, if any.
    ///
    /// # Errors
    ///
    /// The file differs from its pin, or was never pinned, as described.
    pub(super) fn check(&self, path: &Path, found: Option<&str>) -> Result<Option<String>, String> {
        let TrustLevel::Pinned(pins) = self else { return Ok(None) };
        match pins.get(path) {
            Some(pin) if pin.as_deref() == found => Ok(pin.clone()),
            Some(_) => Err(format!("`{}` has changed since it was trusted", path.display())),
            None => Err(format!("`{}` was not there to be trusted", path.display())),
        }
    }
}

/// Returns the digest of a file or a settings folder. `None` if it doesn't exist or can't be read.
pub(super) fn digest(path: &Path) -> Option<String> {
    let data = fs::metadata(path).ok()?;
    if data.is_dir() {
        return folder::digest(path);
    }
    if !data.is_file() || data.len() > COMPONENT_BYTES as u64 {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(COMPONENT_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    Some(digest_of(&bytes))
}

/// Returns the digest of bytes.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
