//! [`Seal`]: authenticates files that this user's guard-host wrote.
//!
//! Format: 64 hexadecimal digits of HMAC-SHA-256 over purpose, a zero byte and the body; a newline; the body.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use guard_platform::fs::open_at_once;
use hmac::{Hmac, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use super::folder::{self, FolderError, create_beside, is_private, write_new};
use super::stamp::hex;

/// The block size of SHA-256, so that HMAC uses the key unchanged.
const KEY_BYTES: usize = 64;
const MAC_DIGITS: usize = 64;

/// The maximum size of a sealed file.
const SEALED_BYTES: u64 = 8 << 20;

/// The seal of a part of a file in hexadecimal digits. Zeros before the first part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag(pub(crate) [u8; MAC_DIGITS]);

impl Default for Tag {
    fn default() -> Self {
        Tag([b'0'; MAC_DIGITS])
    }
}

/// The key that authenticates files.
#[derive(Clone)]
pub struct Seal {
    key: [u8; KEY_BYTES],
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

/// The reason why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The state folder can't be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The key can't be read or created.
    #[error("cannot use the key `{0}`: {1}")]
    Key(String, #[source] io::Error),
}

impl Seal {
    /// The path of the key in a state folder.
    #[must_use]
    pub fn file(state: &Path) -> PathBuf {
        state.join("mac.key")
    }

    /// Reads the key of a state folder, or creates a missing one.
    ///
    /// # Errors
    ///
    /// [`SealError`] has the reasons.
    pub fn open(state: &Path) -> Result<Self, SealError> {
        let path = Seal::file(state);
        if let Some(key) = read_key(&path) {
            return Ok(Seal { key });
        }
        folder::make_private(state)?;
        let fail = |error: io::Error| SealError::Key(path.to_string_lossy().into_owned(), error);
        let mut key = [0_u8; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|_| fail(io::Error::other("no random numbers")))?;
        if fs::symlink_metadata(&path).is_ok_and(|data| !is_private(&data) || data.len() != KEY_BYTES as u64) {
            fs::remove_file(&path).map_err(fail)?;
        }
        // Two processes may create a key at once. Only one hard link succeeds, and both processes then read that key.
        let (temporary, mut file) = create_beside(&path, 0o600).map_err(fail)?;
        let linked = io::Write::write_all(&mut file, &key).and_then(|()| fs::hard_link(&temporary, &path));
        let _ = fs::remove_file(&temporary);
        if let Err(error) = linked
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(fail(error));
        }
        let key = read_key(&path).ok_or_else(|| fail(io::Error::other("it is not private")))?;
        Ok(Seal { key })
    }

    /// Reads the key of a state folder, and creates none.
    ///
    /// # Errors
    ///
    /// The key is missing, or other users can read it.
    pub fn open_existing(state: &Path) -> io::Result<Self> {
        let path = Seal::file(state);
        let missing = || format!("the key `{}` is missing or not private, so no seal can be checked", path.display());
        let key = read_key(&path).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, missing()))?;
        Ok(Seal { key })
    }

    /// Reads a sealed JSON file. `None` if it is missing, damaged, or sealed with another key or purpose.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self, purpose: &str, path: &Path) -> Option<T> {
        serde_json::from_slice(&self.read_bytes(purpose, path)?).ok()
    }

    /// Like [`Seal::read`], with the body as bytes.
    #[must_use]
    pub fn read_bytes(&self, purpose: &str, path: &Path) -> Option<Vec<u8>> {
        let mut file = open_at_once(OpenOptions::new().read(true), path).ok()?;
        let data = file.metadata().ok()?;
        if !is_private(&data) || data.len() > SEALED_BYTES {
            return None;
        }
        let mut bytes = vec![0_u8; usize::try_from(data.len()).ok()?];
        file.read_exact(&mut bytes).ok()?;
        let (digits, body) = bytes.split_at_checked(MAC_DIGITS)?;
        let body = body.strip_prefix(b"\n")?;
        self.mac(purpose, body).verify_slice(&unhex(digits)?).ok()?;
        bytes.drain(..=MAC_DIGITS);
        Some(bytes)
    }

    /// Writes a sealed JSON file.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn write<T: Serialize>(&self, purpose: &str, path: &Path, value: &T) -> io::Result<()> {
        self.write_bytes(purpose, path, &serde_json::to_vec(value)?)
    }

    /// Like [`Seal::write`], with the body as bytes.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn write_bytes(&self, purpose: &str, path: &Path, body: &[u8]) -> io::Result<()> {
        let mut bytes = hex(&self.mac(purpose, body).finalize().into_bytes()).into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(body);
        write_new(path, &bytes, 0o600)
    }

    /// Computes the seal of a part of a file. `before` is the previous part's seal.
    pub(crate) fn tag(&self, purpose: &str, before: &Tag, body: &[u8]) -> Tag {
        let digits = hex(&self.mac_after(purpose, before, body).finalize().into_bytes());
        digits.as_bytes().try_into().map(Tag).unwrap_or_default()
    }

    /// Returns whether `tag` is the seal of this part.
    pub(crate) fn is_valid(&self, purpose: &str, before: &Tag, body: &[u8], tag: &Tag) -> bool {
        unhex(&tag.0).is_some_and(|tag| self.mac_after(purpose, before, body).verify_slice(&tag).is_ok())
    }

    fn mac_after(&self, purpose: &str, before: &Tag, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.mac(purpose, &before.0);
        mac.update(body);
        mac
    }

    fn mac(&self, purpose: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new((&self.key).into());
        mac.update(purpose.as_bytes());
        mac.update(b"\0");
        mac.update(body);
        mac
    }
}

fn read_key(path: &Path) -> Option<[u8; KEY_BYTES]> {
    let mut file = open_at_once(OpenOptions::new().read(true), path).ok()?;
    let data = file.metadata().ok()?;
    if !is_private(&data) || data.len() != KEY_BYTES as u64 {
        return None;
    }
    let mut key = [0_u8; KEY_BYTES];
    file.read_exact(&mut key).ok()?;
    Some(key)
}

fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(digits).ok()?;
    let pair = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..text.len()).step_by(2).map(pair).collect()
}
