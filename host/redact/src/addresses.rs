//! Finds the secret in a URL: a password, or a user that is a token.

use std::ops::Range;

/// The maximum length of a user that may be a word.
const USER: usize = 16;

/// Passwords that mean that the user is the token.
const EMPTY: &[&str] = &["", "x-oauth-basic", "x-token-auth", "api_token", "X"];

/// Returns the range of the secret in a word with a URL.
pub(super) fn secret(word: &str) -> Option<Range<usize>> {
    let scheme = word.find("://")?;
    let start = scheme + "://".len();
    let rest = word.get(start..)?;
    let authority = rest.get(..rest.find(['/', '#']).unwrap_or(rest.len()))?;
    let login = authority.get(..authority.rfind('@')?)?;
    let end = start + login.len();
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    if !EMPTY.contains(&password) {
        return (!super::names::is_reference(password)).then(|| start + user.len() + 1..end);
    }
    // Over SSH and similar schemes, a user alone is a name. In a request, it is a token unless it is a word.
    let scheme = word.get(..scheme).unwrap_or_default();
    let is_request = scheme.to_ascii_lowercase().trim_end_matches('s').ends_with("http");
    let is_word =
        user.len() <= USER && user.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'.'));
    let is_long = user.len() >= 20 && user.bytes().any(|byte| byte.is_ascii_digit());
    let hidden = is_long || is_request && !is_word && !super::names::is_reference(user);
    hidden.then_some(start..start + user.len())
}
