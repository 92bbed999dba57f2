//! Parses a payload from bytes to an object.
//!
//! A payload beyond a limit isn't treated as malformed, because an agent may have caused that on purpose.

use serde_json::{Map, Value};

use crate::Unreadable;

/// The maximum size of a payload, in bytes. It includes the content of a file that a tool writes.
pub const PAYLOAD_BYTES: u64 = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The error if there is no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Not a payload.
    Malformed(String),
    /// A payload beyond a limit.
    Limit(String),
    /// A payload about a call that can't be determined.
    Unclear(String),
}

impl From<Unreadable> for Refusal {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Malformed(text) => Refusal::Malformed(text),
            Unreadable::Unclear(text) => Refusal::Unclear(text),
        }
    }
}

impl Refusal {
    /// Returns the description of the problem.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Refusal::Malformed(text) | Refusal::Limit(text) | Refusal::Unclear(text) => text,
        }
    }
}

/// Creates the error for a call that can't be determined.
pub(super) fn unclear_call(text: &str) -> Unreadable {
    Unreadable::Unclear(text.to_owned())
}

/// Parses the bytes of a payload to an object.
///
/// # Errors
///
/// The bytes aren't an object, or exceed a limit.
pub fn parse(mut bytes: Vec<u8>) -> Result<Map<String, Value>, Refusal> {
    if bytes.len() as u64 > PAYLOAD_BYTES {
        return Err(Refusal::Limit(format!("the payload is larger than {} MiB", PAYLOAD_BYTES >> 20)));
    }
    let first = serde_json::from_slice(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes));
    let parsed = first.or_else(|error| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let replaced = text.len() != bytes.len();
        bytes = text.into_bytes();
        if repair(&mut bytes) || replaced { serde_json::from_slice(&bytes) } else { Err(error) }
    });
    parsed.map_err(|error| {
        let text = error.to_string();
        if text.starts_with("recursion limit") {
            return Refusal::Limit("the payload is nested too deeply".to_owned());
        }
        if text.starts_with("number out of range") {
            return Refusal::Limit("the payload holds a number that is too large".to_owned());
        }
        Refusal::Malformed("Invalid JSON input".to_owned())
    })
}

/// Replaces every unpaired surrogate escape with the replacement character. Returns whether there was one.
///
/// Harnesses in JavaScript write such escapes if a text contains them, and an agent can cause that.
fn repair(bytes: &mut [u8]) -> bool {
    let mut repaired = false;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                if let Some(digits) = bytes.get_mut(at + 2..at + 6) {
                    digits.copy_from_slice(b"fffd");
                }
                repaired = true;
                at += 6;
            }
            // A backslash escapes the next byte.
            _ => at += if rest.starts_with(b"\\") { 2 } else { 1 },
        }
    }
    repaired
}

/// Parses an escape `\uXXXX` at the start.
fn unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    let hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
    std::str::from_utf8(digits).ok().filter(|_| hexadecimal).and_then(|text| u32::from_str_radix(text, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(payload: &str) -> Result<String, Refusal> {
        let object = parse(payload.as_bytes().to_vec())?;
        Ok(object["command"].as_str().unwrap().to_owned())
    }

    #[test]
    fn half_a_pair_is_replaced_and_the_rest_stays() {
        for (escaped, expected) in [
            (r"a\ud83d", "a\u{fffd}"),
            (r"\ude00b", "\u{fffd}b"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\ud83d\\ude00", "\u{fffd}\\ude00"),
            (r"\ud83dx", "\u{fffd}x"),
        ] {
            assert_eq!(command(&format!("{{\"command\":\"{escaped}\"}}")).as_deref(), Ok(expected), "{escaped}");
        }
    }

    #[test]
    fn what_other_writers_of_json_do_is_read() {
        assert_eq!(command("\u{feff}{\"command\":\"x\"}").as_deref(), Ok("x"));
        let object = parse(b"{\"command\":\"a\xffb\"}".to_vec()).unwrap();
        assert_eq!(object["command"], "a\u{fffd}b");
        assert!(matches!(command("{\"command\":\"x\",\"a\":1e999}"), Err(Refusal::Limit(_))));
    }

    #[test]
    fn what_is_no_object_is_malformed() {
        for text in ["", "{oops", "[]", "\"x\"", "null", "{\"command\":\"\\ud83d\"", "\\", "\\u", "{}{}"] {
            assert!(matches!(parse(text.as_bytes().to_vec()), Err(Refusal::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn what_is_too_deep_or_too_large_is_beyond_a_limit() {
        let deep = format!("{{\"command\":\"x\",\"a\":{}{}}}", "[".repeat(500), "]".repeat(500));
        assert!(matches!(command(&deep), Err(Refusal::Limit(_))));
        let large = vec![b' '; (16 << 20) + 1];
        assert!(matches!(parse(large), Err(Refusal::Limit(_))));
    }
}
