//! `guard.lock`: the component for each address in a `guard.toml`. It is beside that file, and the components are in
//! the folder `fetched` beside both, named by their digests.
//!
//! Commands write it after they have fetched a policy. The hook only reads it and its components from disk.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use guard_state::files::read_text;
use guard_state::is_digest;

/// The first line of the file.
const HEAD: &str = "# Written by `guard-host policy add` and `update`. Commit it beside guard.toml.\n\n";

/// The maximum size of the file in bytes.
const LOCK_BYTES: u64 = 1 << 20;

/// The maximum length of a value in bytes.
const TEXT_BYTES: usize = 1024;

/// The separator between a scheme and the rest of an address.
const SCHEME: &str = "://";

/// The schemes of policies' addresses.
pub const SCHEMES: [&str; 3] = ["oci", "https", "file"];

/// A whole `guard.lock`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The locked components.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<LockedComponent>,
}

/// The component at an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedComponent {
    /// The entry's name in the guard.toml.
    pub name: String,
    /// The address in the entry.
    pub source: String,
    /// The version in the policy's manifest.
    pub version: String,
    /// The digest of the registry's manifest, `sha256:` and 64 digits, or `None` without a registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of the component, 64 digits.
    pub sha256: String,
    /// The name of the trusted signer, if one has signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
}

/// Returns whether a source is an address and not a path.
#[must_use]
pub fn is_address(source: &str) -> bool {
    source.split_once(SCHEME).is_some_and(|(scheme, _)| SCHEMES.contains(&scheme)) && is_plain(source)
}

/// Returns whether a text is on one line and has no invisible characters.
fn is_plain(text: &str) -> bool {
    text.len() <= TEXT_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Reads a lock's text, or returns `None` if there is no file.
pub(super) fn text(file: &Path) -> Result<Option<String>, String> {
    match read_text(file, LOCK_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

impl Lock {
    /// Returns the path of the lock for a guard.toml.
    #[must_use]
    pub fn file(config: &Path) -> PathBuf {
        config.with_extension("lock")
    }

    /// Reads a lock. Without a file, it is empty.
    ///
    /// # Errors
    ///
    /// The reason why it can't be used. The text doesn't quote the file, because it may be a link to a secret.
    pub fn read(file: &Path) -> Result<Self, String> {
        text(file).and_then(|text| Lock::parse(text.as_deref().unwrap_or_default()))
    }

    /// Parses a lock.
    ///
    /// # Errors
    ///
    /// Those of [`Lock::read`].
    pub fn parse(text: &str) -> Result<Self, String> {
        let line = |error: &toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            before.matches('\n').count() + 1
        };
        let lock: Lock =
            toml::from_str(text).map_err(|error| format!("line {} isn't valid in a lock file", line(&error)))?;
        for (at, locked) in lock.policy.iter().enumerate() {
            let LockedComponent { name, source, version, digest, sha256, signer } = locked;
            let texts = [Some(name), Some(source), Some(version), signer.as_ref()];
            if !texts.into_iter().flatten().all(|text| is_plain(text)) || !is_address(source) {
                return Err(format!("entry {} has a text that no lock has", at + 1));
            }
            if !is_digest(sha256) {
                return Err(format!("`{name}`: invalid `sha256`"));
            }
            if !digest.as_ref().is_none_or(|digest| digest.strip_prefix("sha256:").is_some_and(is_digest)) {
                return Err(format!("`{name}`: invalid `digest`"));
            }
            if lock.policy.iter().take(at).any(|other| other.name == *name) {
                return Err(format!("two entries have the name `{name}`"));
            }
        }
        Ok(lock)
    }

    /// Formats the file, with its policies sorted by name.
    ///
    /// # Errors
    ///
    /// An error of the serialization.
    pub fn text(mut self) -> Result<String, toml::ser::Error> {
        self.policy.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(HEAD.to_owned() + &toml::to_string(&self)?)
    }

    /// Finds the component for an entry's address.
    #[must_use]
    pub fn find(&self, name: &str, source: &str) -> Option<&LockedComponent> {
        self.policy.iter().find(|locked| locked.name == name && locked.source == source)
    }

    /// Adds a policy, replacing one of the same name.
    pub fn put(&mut self, locked: LockedComponent) {
        self.remove(&locked.name);
        self.policy.push(locked);
    }

    /// Removes a policy. Returns false if the name is unknown.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.policy.len();
        self.policy.retain(|locked| locked.name != name);
        self.policy.len() < before
    }
}

impl LockedComponent {
    /// Returns the path of the component for a guard.toml.
    #[must_use]
    pub fn component(&self, config: &Path) -> PathBuf {
        fetched(config).join(format!("{}.wasm", self.sha256.to_ascii_lowercase()))
    }
}

/// Returns the folder of the components for a guard.toml.
#[must_use]
pub fn fetched(config: &Path) -> PathBuf {
    config.with_file_name("fetched")
}

#[cfg(test)]
mod tests {
    use super::{Lock, LockedComponent, is_address};

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("guard.lock");
        let locked = |name: &str| LockedComponent {
            name: name.to_owned(),
            source: format!("oci://localhost/{name}:1"),
            version: "1.0.0".to_owned(),
            digest: None,
            sha256: "0".repeat(64),
            signer: Some("acme".to_owned()),
        };
        let mut lock = Lock::default();
        ["b", "a", "b"].into_iter().for_each(|name| lock.put(locked(name)));
        std::fs::write(&file, lock.text().expect("TOML")).expect("written");
        assert_eq!(Lock::read(&file), Ok(Lock { policy: vec![locked("a"), locked("b")] }));
        let read = Lock::read(&file).expect("a lock");
        assert_eq!(read.find("a", "oci://localhost/a:1"), Some(&locked("a")));
        assert_eq!(read.find("a", "oci://localhost/a:2"), None, "the address was changed by hand");
    }

    #[test]
    fn a_digest_is_no_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("guard.lock");
        let text = "[[policy]]\nname = \"a\"\nsource = \"oci://x/a:1\"\nversion = \"1\"\nsha256 = \"../../a\"\n";
        std::fs::write(&file, text).expect("written");
        assert_eq!(Lock::read(&file), Err("`a`: invalid `sha256`".to_owned()));
        assert_eq!(Lock::read(&folder.path().join("none.lock")), Ok(Lock::default()));
    }

    #[test]
    fn an_address_has_a_scheme_that_is_known() {
        for (source, expected) in [
            ("oci://x/y", true),
            ("oci://x\u{1b}[31m/y", false),
            ("oci://x/y\nz", false),
            ("https://x", true),
            ("file:///x", true),
            ("http://x", false),
            ("./oci/x", false),
            ("~/x", false),
        ] {
            assert_eq!(is_address(source), expected, "{source}");
        }
    }
}
