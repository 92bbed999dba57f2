//! [`secret_in`]: detects a usable secret in a text by its shape.

use guard_sdk::addresses::{host, is_here};

use super::secrets::is_distinct;
use super::{find, shapes};

/// The maximum number of bytes read from a text.
const READ_BYTES: usize = 256 << 10;

/// The minimum length of a value for a name such as `password`. A shorter one is a word.
const LEAST: usize = 12;

/// The minimum length of a block with a key, in bytes.
const KEY_BYTES: usize = 200;

/// Parts of example secrets.
const SAMPLES: &[&str] = &[
    "0000000",
    "123456789",
    "abcdefgh",
    "changeme",
    "dummy",
    "example",
    "fake",
    "placeholder",
    "sample",
    "xxxx",
    "your",
    // `"sub":"1234567890"` in the sample token of jwt.io.
    "eyjzdwiioiixmjm0nty3odkw",
];

/// Prefixes of tokens for tests only.
const TESTS: &[&str] = &["duffel_test_", "rk_test_", "shippo_test_", "sk_test_"];

/// Domains that can't be registered.
const RESERVED: &[&str] = &["example", "example.com", "example.net", "example.org", "invalid", "test"];

/// Returns the first token, private key, or password in a URL of another machine. Samples don't count.
#[must_use]
pub fn secret_in(text: &str) -> Option<&str> {
    let text = readable(text);
    let is_secret = |secret: &&str, end: usize| {
        if secret.starts_with("-----BEGIN ") {
            return secret.contains("PRIVATE KEY") && secret.len() > KEY_BYTES;
        }
        let place = text.get(end..).and_then(|rest| rest.strip_prefix('@'));
        is_distinct(secret) && !is_sample(secret) && place.is_none_or(is_elsewhere)
    };
    shapes(text).into_iter().find_map(|range| {
        let end = range.end;
        text.get(range).filter(|secret| is_secret(secret, end))
    })
}

/// Returns the secret in a URL, including the values of parameters whose names are for secrets.
#[must_use]
pub fn secret_in_address(address: &str) -> Option<&str> {
    let address = readable(address);
    let named = || {
        let mut values = find(address).into_iter().filter_map(|range| address.get(range));
        values.find(|value| value.len() >= LEAST && is_distinct(value) && !is_sample(value))
    };
    secret_in(address).or_else(named)
}

fn readable(text: &str) -> &str {
    text.get(..text.floor_char_boundary(READ_BYTES)).unwrap_or_default()
}

fn is_sample(secret: &str) -> bool {
    let lower = secret.to_ascii_lowercase();
    TESTS.iter().any(|start| lower.starts_with(start)) || SAMPLES.iter().any(|sign| lower.contains(sign))
}

/// Returns whether the text after a password is a machine that others can reach.
fn is_elsewhere(place: &str) -> bool {
    let host = host(&format!("x://{place}"));
    let is_reserved = || RESERVED.iter().any(|name| host == *name || host.ends_with(&format!(".{name}")));
    host.contains('.') && !is_here(&host) && !is_reserved()
}

#[cfg(test)]
mod tests {
    use super::{secret_in, secret_in_address};

    const TOKEN: &str = "ghp_0a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXy";

    #[test]
    fn secrets_that_work_are_told_from_samples() {
        for text in [
            TOKEN.to_owned(),
            format!("a = '{TOKEN}'"),
            "https://u:k3Yq9Zt1@db.acme.io/a".to_owned(),
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", "aB3".repeat(90)),
        ] {
            assert!(secret_in(&text).is_some(), "{text}");
        }
        for text in [
            "ghp_ is the beginning",
            "AKIAIOSFODNN7EXAMPLE",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkEifQ.k3Yq9Zt1vB7m",
            "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
            "postgres://postgres:postgres@localhost/a",
            "postgres://app:k3Yq9Zt1@localhost:5432/a",
            "postgres://app:k3Yq9Zt1@db/a",
            "postgres://app:k3Yq9Zt1@db.example.com/a",
            "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
            "if text.startswith(\"-----BEGIN PRIVATE KEY-----\")",
        ] {
            assert_eq!(secret_in(text), None, "{text}");
        }
        assert!(secret_in_address("https://a.io/?password=k3Yq9Zt1vB7m").is_some());
        assert_eq!(secret_in_address("https://a.io/?password=YOUR_PASSWORD&id=0f8fad5b-d9cb-469f"), None);
    }
}
