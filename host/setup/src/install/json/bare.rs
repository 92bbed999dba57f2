//! JSON with comments as JSON without them: blanks in their place, so that everything else stands where it stood.

use std::borrow::Cow;
use std::ops::Range;

/// The text with blanks for its comments, and where they stand. A comment to the end of a line ends before the newline.
pub(super) fn of(text: &str) -> (Cow<'_, str>, Vec<Range<usize>>) {
    let comments = comments(text.as_bytes());
    if comments.is_empty() {
        return (Cow::Borrowed(text), comments);
    }
    let mut bare = text.as_bytes().to_vec();
    for comment in &comments {
        for byte in bare.get_mut(comment.clone()).into_iter().flatten() {
            // Lines keep their numbers.
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    // Comments begin and end with one byte of ASCII, so that no character is cut.
    (Cow::Owned(String::from_utf8_lossy(&bare).into_owned()), comments)
}

fn comments(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = match rest {
            [b'"', inside @ ..] => string(inside) + 1,
            [b'/', b'/', ..] => {
                let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                found.push(at..at + length);
                length
            }
            [b'/', b'*', inside @ ..] => {
                // One without an end is left for the reader to complain about.
                let Some(end) = inside.windows(2).position(|pair| pair == b"*/") else { break };
                found.push(at..at + end + 4);
                end + 4
            }
            _ => 1,
        };
        at += length;
    }
    found
}

/// The length of the rest of a string, with the quotation mark at its end.
fn string(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
