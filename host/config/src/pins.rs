//! The files that a person has reviewed and pinned, and the trust in a layer's file.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::folder;
use guard_contract::{COMPONENT_BYTES, Layer};
use guard_state::hex;

/// The hint for lapsed trust.
pub(super) const LOOK: &str = "look at what has changed, then run `guard-host trust`";

/// The digest of each file that was pinned; none for one that was not there.
pub type Pins = BTreeMap<PathBuf, Option<String>>;

/// How far a layer's file is believed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TrustLevel<'a> {
    /// As far as its layer says; a project's file can only tighten.
    OfLayer,
    /// A project's file that is looked at in order to be trusted.
    Candidate,
    /// A project's file that is trusted as long as all files are those that were pinned.
    Pinned(&'a Pins),
}

impl TrustLevel<'_> {
    /// The layer is a project's, and nobody trusts it.
    pub(super) fn is_limited(&self, layer: Layer) -> bool {
        layer == Layer::Project && matches!(self, TrustLevel::OfLayer)
    }

    /// The digest that a file was pinned with.
    ///
    /// # Errors
    ///
    /// The file is another one than was pinned, or was never pinned. The text says so.
    pub(super) fn check(&self, path: &Path, found: Option<&str>) -> Result<Option<String>, String> {
        let TrustLevel::Pinned(pins) = self else { return Ok(None) };
        match pins.get(path) {
            Some(pin) if pin.as_deref() == found => Ok(pin.clone()),
            Some(_) => Err(format!("`{}` has changed since it was trusted", path.display())),
            None => Err(format!("`{}` was not there to be trusted", path.display())),
        }
    }
}

/// The digest of a file, or of what counts in a folder of settings; `None` if it is not there or cannot be read.
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

/// The digest of bytes that were read.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
