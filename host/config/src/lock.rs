//! `guard.lock`: which component each address of a `guard.toml` stands for. It lies beside that file, and the components
//! in the folder `fetched` beside both, each named by its digest.
//!
//! Commands write it after they have fetched a policy; the hook reads it, and what it names, from the disk only.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use guard_state::files::read_text;
use guard_state::is_digest;

/// The first line of the file.
const HEAD: &str = "# Written by `guard-host policy add` and `update`. Commit it beside guard.toml.\n\n";

/// The largest file that is read.
const LOCK_BYTES: u64 = 1 << 20;

/// The longest text of it.
const TEXT_BYTES: usize = 1024;

/// The separator between a scheme and the rest of an address.
const SCHEME: &str = "://";

/// The schemes of addresses that policies come from.
pub const SCHEMES: [&str; 3] = ["oci", "https", "file"];

/// A whole `guard.lock`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// A policy each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<LockedComponent>,
}

/// The component that an address stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedComponent {
    /// The entry's name in the guard.toml.
    pub name: String,
    /// The address, as the entry has it.
    pub source: String,
    /// The version that the policy's manifest tells.
    pub version: String,
    /// The digest of the manifest in the registry, `sha256:` and 64 digits; none where there is no registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of the component, 64 digits.
    pub sha256: String,
    /// The name of the signer, if one that is known has signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
}

/// A source is an address, not a path.
#[must_use]
pub fn is_address(source: &str) -> bool {
    source.split_once(SCHEME).is_some_and(|(scheme, _)| SCHEMES.contains(&scheme)) && is_plain(source)
}

/// A text of one line that looks as what it is.
fn is_plain(text: &str) -> bool {
    text.len() <= TEXT_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The text of a lock; `None` if there is no file.
pub(super) fn text(file: &Path) -> Result<Option<String>, String> {
    match read_text(file, LOCK_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

impl Lock {
    /// The lock of a guard.toml.
    #[must_use]
    pub fn file(config: &Path) -> PathBuf {
        config.with_extension("lock")
    }

    /// Reads a lock; an empty one if there is no file.
    ///
    /// # Errors
    ///
    /// Why it cannot be used. The text quotes nothing of it, for a link may lead to a secret.
    pub fn read(file: &Path) -> Result<Self, String> {
        text(file).and_then(|text| Lock::parse(text.as_deref().unwrap_or_default()))
    }

    /// The lock that has this text.
    ///
    /// # Errors
    ///
    /// As those of [`Lock::read`].
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

    /// The text of the file, its policies by name.
    ///
    /// # Errors
    ///
    /// Those of the serialization.
    pub fn text(mut self) -> Result<String, toml::ser::Error> {
        self.policy.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(HEAD.to_owned() + &toml::to_string(&self)?)
    }

    /// The component that an entry's address stands for.
    #[must_use]
    pub fn find(&self, name: &str, source: &str) -> Option<&LockedComponent> {
        self.policy.iter().find(|locked| locked.name == name && locked.source == source)
    }

    /// Puts a policy in the place of the one with its name.
    pub fn put(&mut self, locked: LockedComponent) {
        self.remove(&locked.name);
        self.policy.push(locked);
    }

    /// Takes a policy out. False if there is none of that name.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.policy.len();
        self.policy.retain(|locked| locked.name != name);
        self.policy.len() < before
    }
}

impl LockedComponent {
    /// Where the component of a guard.toml's entry lies.
    #[must_use]
    pub fn component(&self, config: &Path) -> PathBuf {
        fetched(config).join(format!("{}.wasm", self.sha256.to_ascii_lowercase()))
    }
}

/// The folder of the components that belong to a guard.toml.
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
