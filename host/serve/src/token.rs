//! [`Token`]: the secret that clients send, in a private file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use guard_platform::access::is_own;
use guard_platform::fs::MetadataExt;
use guard_state::{hex, make_private, write_new};

/// The number of random bytes of a generated token.
const RANDOM_BYTES: usize = 32;

/// The minimum length of a token that can't be guessed.
const SHORTEST: usize = 16;

/// The maximum size of the file.
const FILE_BYTES: u64 = 4 << 10;

/// The secret that clients send.
pub(crate) struct Token(Vec<u8>);

/// The reason why there is no token.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the token file `{path}`: {kind}")]
pub struct TokenError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub kind: TokenErrorKind,
}

/// The reason why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenErrorKind {
    /// An error of the file system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It isn't a file.
    #[error("it is not a regular file")]
    NotAFile,
    /// Another user owns it.
    #[error("it belongs to another user")]
    Foreign,
    /// Other users can read it or write to it.
    #[error("others can read it or write to it; run `chmod 600` on it, and make a new token if they may have read it")]
    Open,
    /// It contains no token.
    #[error("it must hold one line of {SHORTEST} or more visible ASCII characters")]
    NoToken,
}

impl Token {
    /// Reads the token in this file. Creates the file if it is missing.
    pub(crate) fn load_or_create(path: &Path) -> Result<Self, TokenError> {
        let token = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(path),
            _ => Ok(()),
        };
        let token = token.and_then(|()| read(path));
        token.map_err(|kind| TokenError { path: path.to_path_buf(), kind })
    }

    /// Returns the token's text.
    pub(crate) fn into_text(self) -> String {
        // The file was checked to be visible ASCII.
        String::from_utf8(self.0).unwrap_or_default()
    }

    /// Returns whether the value of an `Authorization` header contains the token, in constant time.
    pub(crate) fn matches_header(&self, header: &[u8]) -> bool {
        let Some((scheme, shown)) = header.split_at_checked("Bearer ".len()) else { return false };
        let shown = shown.trim_ascii();
        let differing = shown.iter().zip(&self.0).fold(0, |all, (one, other)| all | (one ^ other));
        scheme.eq_ignore_ascii_case(b"Bearer ") && shown.len() == self.0.len() && differing == 0
    }
}

fn create(path: &Path) -> Result<(), TokenErrorKind> {
    let mut random = [0_u8; RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        make_private(folder).map_err(io::Error::other)?;
    }
    Ok(write_new(path, format!("{}\n", hex(&random)).as_bytes(), 0o600)?)
}

fn read(path: &Path) -> Result<Token, TokenErrorKind> {
    // Opening a pipe would block.
    if !fs::metadata(path)?.is_file() {
        return Err(TokenErrorKind::NotAFile);
    }
    let file = File::open(path)?;
    let data = file.metadata()?;
    if !is_own(&data) {
        return Err(TokenErrorKind::Foreign);
    }
    if data.mode() & 0o077 != 0 {
        return Err(TokenErrorKind::Open);
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    let token = bytes.trim_ascii();
    if token.len() < SHORTEST || !token.iter().all(u8::is_ascii_graphic) {
        return Err(TokenErrorKind::NoToken);
    }
    Ok(Token(token.to_vec()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_shown_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/token");
        let token = Token::load_or_create(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        let text = text.trim();
        assert_eq!((text.len(), Token::load_or_create(&path).unwrap().0), (64, token.0.clone()));
        for (header, is_right) in [
            (format!("Bearer {text}"), true),
            (format!("bearer {text} "), true),
            (format!("Bearer {text}0"), false),
            (format!("Bearer {}", text.repeat(2)), false),
            (format!("Basic {text}"), false),
            ("Bearer ".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(token.matches_header(header.as_bytes()), is_right, "{header}");
        }
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "0123456789abcdef0123\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(Token::load_or_create(&path).map_err(|error| error.kind), Err(TokenErrorKind::Open)));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(Token::load_or_create(&path).is_ok());
        for text in ["", "short", "0123456789 abcdef0123", "0123456789abcdef\n0123456789abcdef"] {
            fs::write(&path, text).unwrap();
            assert!(
                matches!(Token::load_or_create(&path).map_err(|error| error.kind), Err(TokenErrorKind::NoToken)),
                "{text}"
            );
        }
        assert!(matches!(
            Token::load_or_create(folder.path()).map_err(|error| error.kind),
            Err(TokenErrorKind::NotAFile)
        ));
    }
}
