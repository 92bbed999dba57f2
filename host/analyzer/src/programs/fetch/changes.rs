//! Requests with credentials that replace or change something on a server: `PUT` and `PATCH`.

use guard_sdk::addresses;
use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::run::hosts;

/// Options with which a request has credentials.
const LOGINS: &[&str] = &[
    "-a",
    "--auth",
    "-n",
    "--netrc",
    "--netrc-file",
    "-u",
    "--user",
    "--http-user",
    "--oauth2-bearer",
    "--aws-sigv4",
    "--cert",
];

/// Headers with credentials.
const HEADERS: &[&str] = &["api-key", "apikey", "authorization", "cookie", "x-api-key", "x-auth-key", "x-vault-token"];

/// Parameters of a URL with credentials.
const KEYS: &[&str] = &["access_token", "api_key", "apikey", "auth_token", "private_token", "token"];

/// Returns the effect of a request with this method, if it has credentials and others use the server.
pub(super) fn effect(method: &str, url: &str, words: &[Word]) -> Option<Draft> {
    let changes = ["PUT", "PATCH"].iter().any(|known| method.eq_ignore_ascii_case(known));
    let is_dry = || words.iter().any(|word| word.text == "--offline");
    (changes && has_credentials(url, words) && !is_dry()).then(|| at(url)).flatten()
}

/// Returns the effect of a change at a URL, if others use the server.
pub(crate) fn at(url: &str) -> Option<Draft> {
    hosts::is_shared(&addresses::host(url)).then(|| Draft::notable("network", "http.change").target(url))
}

fn has_credentials(url: &str, words: &[Word]) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or_default();
    let is_login = |word: &str| {
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        let is_joined = word.starts_with("-u") && word.len() > 2;
        LOGINS.contains(&option) || is_joined
    };
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let mut keys = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(key, _)| key.to_ascii_lowercase());
    authority.contains('@')
        || keys.any(|key| KEYS.contains(&key.as_str()))
        || words.iter().any(|word| is_login(&word.text) || is_credential(&word.text))
}

/// Returns whether a word is a header with credentials: `Authorization: Bearer KEY`.
fn is_credential(word: &str) -> bool {
    let word = word.strip_prefix("-H").or_else(|| word.strip_prefix("--header=")).unwrap_or(word).trim_start();
    let Some((name, value)) = word.split_once(':') else { return false };
    let name = name.to_ascii_lowercase();
    !value.trim().is_empty() && (HEADERS.contains(&name.as_str()) || name.ends_with("-token"))
}

/// Returns whether code sends such a request with credentials somewhere.
pub(crate) fn in_code(code: &str) -> bool {
    let code = code.to_ascii_lowercase().replace('\'', "\"");
    let has = |signs: &[&str]| signs.iter().any(|sign| code.contains(sign));
    has(&[".put(", ".patch(", "\"put\"", "\"patch\""])
        && has(&["authorization", "auth=", "auth:", "bearer", "api-key", "apikey"])
}
