//! Whose signatures count, and which components have one.
//!
//! A signature is checked when a component is fetched. That it held is kept in the state folder, under the seal of its
//! key, so that the hook need not check it again.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::options::TrustOptions;
use guard_contract::Problem;
use guard_contract::policy::{Entry, Layer, Source};
use guard_state::{FileLock, Places, Seal, make_private};

/// Raised whenever the shape of the file changes.
const PURPOSE: &str = "signed components 1";

/// The most components that are remembered.
const COMPONENTS: usize = 4096;

/// How long to wait for another process that changes the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// The keys that have signed each component, by its digest.
type Signed = BTreeMap<String, BTreeSet<String>>;

/// Somebody whose signature counts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Signer {
    /// How `guard.lock` names them.
    pub name: String,
    /// Their public key: the base64 of its DER, in one line.
    pub key: String,
}

/// The file that remembers signatures.
#[must_use]
pub fn file(state: &Path) -> PathBuf {
    state.join("signed.json")
}

/// Remembers that the component has a signature of that key.
///
/// # Errors
///
/// Those of the file system.
pub fn remember(places: &Places, sha256: &str, key: &str) -> io::Result<()> {
    let state = &places.state;
    make_private(state).map_err(io::Error::other)?;
    let _lock = FileLock::acquire(&state.join("signed.lock"), Instant::now() + PATIENCE)?;
    let seal = Seal::open(state).map_err(io::Error::other)?;
    let mut signed: Signed = seal.read(PURPOSE, &file(state)).unwrap_or_default();
    signed.entry(sha256.to_owned()).or_default().insert(key.to_owned());
    while signed.len() > COMPONENTS {
        // Which one goes matters little: it is fetched again.
        let other = signed.keys().find(|digest| *digest != sha256).cloned();
        other.map(|other| signed.remove(&other));
    }
    seal.write(PURPOSE, &file(state), &signed)
}

/// The signers that a layer names.
pub(super) fn of(trust: Option<&TrustOptions>) -> Vec<Signer> {
    let named = trust.iter().flat_map(|trust| &trust.signers);
    named.map(|signer| Signer { name: signer.name.clone(), key: signer.key.trim().to_owned() }).collect()
}

/// Refuses the components of users and projects that lack a signature which the layer wants: `managed` where its own
/// signers count only, or the user's, where both do. Gives the file that this depends on, if it does.
pub(super) fn refuse(
    entries: &mut [Entry],
    signers: &[Signer],
    (layer, config): (Layer, &Path),
    places: &Places,
) -> PathBuf {
    let record = file(&places.state);
    let signed: Signed = match std::fs::symlink_metadata(&record) {
        Ok(_) => Seal::open(&places.state).ok().and_then(|seal| seal.read(PURPOSE, &record)).unwrap_or_default(),
        Err(_) => Signed::new(),
    };
    let is_signed = |entry: &Entry| {
        let keys = entry.pinned.as_ref().and_then(|sha256| signed.get(sha256));
        keys.is_some_and(|keys| signers.iter().any(|signer| keys.contains(&signer.key)))
    };
    for entry in entries.iter_mut() {
        let is_meant = entry.layer >= Layer::User.max(layer) && matches!(entry.source, Source::File(_));
        if is_meant && entry.refused.is_none() && !is_signed(entry) {
            let file = config.to_string_lossy().into_owned();
            let text = format!("`signed-only` is set in {file}, and none of its signers is known to have signed it");
            let hint = "run `guard-host policy fetch`, which looks for signatures; a file has none".to_owned();
            entry.refused = Some(Problem { layer, place: file, text, hint });
        }
    }
    record
}
