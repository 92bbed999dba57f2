//! Trusted signers, and components with their signatures.
//!
//! A signature is checked when a component is fetched. The result is sealed in the state folder, so that the hook
//! needn't check it again.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::options::TrustOptions;
use guard_contract::Layer;
use guard_contract::Problem;
use guard_contract::policy::{Entry, Source};
use guard_state::{AppDirs, FileLock, Seal, make_private};

/// Incremented whenever the file's format changes.
const PURPOSE: &str = "signed components 1";

/// The maximum number of recorded components.
const COMPONENTS: usize = 4096;

/// The maximum wait for another process that changes the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// The keys that have signed each component, by its digest.
type Signed = BTreeMap<String, BTreeSet<String>>;

/// A trusted signer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Signer {
    /// The signer's name in `guard.lock`.
    pub name: String,
    /// The public key: the base64 of its DER on one line.
    pub key: String,
}

/// Returns the file with the recorded signatures.
#[must_use]
pub fn file(state: &Path) -> PathBuf {
    state.join("signed.json")
}

/// Records that the component has a valid signature of this key.
///
/// # Errors
///
/// Any error of the file system.
pub fn remember(dirs: &AppDirs, sha256: &str, key: &str) -> io::Result<()> {
    let state = &dirs.state;
    make_private(state).map_err(io::Error::other)?;
    let _lock = FileLock::acquire(&state.join("signed.lock"), Instant::now() + PATIENCE)?;
    let seal = Seal::open(state).map_err(io::Error::other)?;
    let mut signed: Signed = seal.read(PURPOSE, &file(state)).unwrap_or_default();
    signed.entry(sha256.to_owned()).or_default().insert(key.to_owned());
    while signed.len() > COMPONENTS {
        // Any other one can be dropped, because it can be fetched again.
        let other = signed.keys().find(|digest| *digest != sha256).cloned();
        other.map(|other| signed.remove(&other));
    }
    seal.write(PURPOSE, &file(state), &signed)
}

/// Returns the signers in a layer.
pub(super) fn of(trust: Option<&TrustOptions>) -> Vec<Signer> {
    let named = trust.iter().flat_map(|trust| &trust.signers);
    named.map(|signer| Signer { name: signer.name.clone(), key: signer.key.trim().to_owned() }).collect()
}

/// Returns whether the text is the base64 of a public key for Ed25519 (RFC 8410) or P-256 (RFC 5480), by its start and
/// length. Verifying a signature checks whether the point is on the curve.
#[must_use]
pub fn is_key(text: &str) -> bool {
    let is_base64 = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let begins = |head: &str, length: usize| text.starts_with(head) && text.len() == length;
    is_base64 && (begins("MCowBQYDK2VwAyEA", 60) || begins("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE", 124))
}

/// Returns the keys with recorded signatures of a component.
#[must_use]
pub fn keys(dirs: &AppDirs, sha256: &str) -> BTreeSet<String> {
    signed(dirs).remove(sha256).unwrap_or_default()
}

fn signed(dirs: &AppDirs) -> Signed {
    let record = file(&dirs.state);
    // Opening the seal would create a key, so it is only opened if there is a file.
    match std::fs::symlink_metadata(&record) {
        Ok(_) => Seal::open(&dirs.state).ok().and_then(|seal| seal.read(PURPOSE, &record)).unwrap_or_default(),
        Err(_) => Signed::new(),
    }
}

fn has<'a>(signed: &Signed, entry: &Entry, mut signers: impl Iterator<Item = &'a Signer>) -> bool {
    let keys = entry.pinned.as_ref().and_then(|sha256| signed.get(sha256));
    keys.is_some_and(|keys| signers.any(|signer| keys.contains(&signer.key)))
}

/// Refuses the components of users and projects without a recorded signature by these signers. Returns the file that
/// this depends on.
pub(super) fn refuse(
    entries: &mut [Entry],
    signers: &[Signer],
    (layer, config): (Layer, &Path),
    dirs: &AppDirs,
) -> PathBuf {
    let signed = signed(dirs);
    for entry in entries.iter_mut() {
        let is_meant = entry.layer >= Layer::User && matches!(entry.source, Source::File(_));
        if is_meant && entry.refused.is_none() && !has(&signed, entry, signers.iter()) {
            let file = config.to_string_lossy().into_owned();
            let text = format!("`signed-only` is set in {file}, and none of its signers is known to have signed it");
            let hint = match entry.address {
                Some(_) => "run `guard-host policy fetch`, which looks for signatures",
                None => "a file has no signature: push it to a registry with `--key`, and add it from there",
            };
            entry.refused = Some(Problem { layer, place: file, text, hint: hint.to_owned() });
        }
    }
    file(&dirs.state)
}

/// Refuses components with a trusted signer in `guard.lock`, but without a recorded signature. Returns the file that
/// this depends on, if any.
pub(super) fn refuse_unproven(entries: &mut [Entry], signers: &[Signer], dirs: &AppDirs) -> Option<PathBuf> {
    let is_known = |entry: &Entry| signers.iter().any(|signer| Some(&signer.name) == entry.signer.as_ref());
    let mut told: Vec<&mut Entry> = entries.iter_mut().filter(|entry| is_known(entry)).collect();
    if told.is_empty() {
        return None;
    }
    let signed = signed(dirs);
    for entry in &mut told {
        let name = entry.signer.clone().unwrap_or_default();
        let own = signers.iter().filter(|signer| signer.name == name);
        if entry.refused.is_none() && !has(&signed, entry, own) {
            entry.refused = Some(Problem {
                layer: entry.layer,
                place: String::new(),
                text: format!("guard.lock says that `{name}` has signed it, and no such signature is known here"),
                hint: "run `guard-host policy fetch`, which looks for signatures".to_owned(),
            });
        }
    }
    Some(file(&dirs.state))
}
