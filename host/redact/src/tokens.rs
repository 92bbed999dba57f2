//! Finds tokens of known shape in a word, in one pass. At each offset, at most the minimum length of a family is
//! examined.

use super::families::{Body, TokenFamily, beginning_with};
use super::names::is_part;
use super::spans::Spans;

/// The number of bytes beyond the minimum that decide whether a body is a token.
const SEEN: usize = 64;

/// The minimum length of a run of letters and digits that isn't accidental.
const PIECE: usize = 8;

/// The minimum length of a run of letters and digits that isn't a name.
const ROW: usize = 16;

/// Reads `word` and hides the tokens in it.
pub(super) fn read(word: &str, out: &mut Spans) {
    let bytes = word.as_bytes();
    let (mut kept, mut at) = (0, 0);
    let mut before = b' ';
    while let Some(byte) = bytes.get(at) {
        let length = if before.is_ascii_alphanumeric() { None } else { token(bytes, at) };
        match length {
            Some(length) => {
                out.keep(word.get(kept..at).unwrap_or_default());
                out.hide(word.get(at..at + length).unwrap_or_default());
                at += length;
                kept = at;
                before = b' ';
            }
            None => {
                before = *byte;
                at += 1;
            }
        }
    }
    out.keep(word.get(kept..).unwrap_or_default());
}

/// Returns the length of the token at this offset.
fn token(bytes: &[u8], at: usize) -> Option<usize> {
    let here = bytes.get(at..)?;
    let families = beginning_with(*here.first()?);
    families.iter().filter_map(|family| token_length(here, family)).max()
}

fn token_length(here: &[u8], family: &TokenFamily) -> Option<usize> {
    let body = here.strip_prefix(family.prefix.as_bytes())?;
    // No more is examined before the whole token is known to be hidden. Otherwise, a text with many prefixes would be
    // read many times.
    let seen = body.get(..family.least + SEEN).unwrap_or(body);
    let length = seen.iter().take_while(|byte| family.body.holds(**byte)).count();
    let start = seen.get(..length).unwrap_or_default();
    let fits = match family.body {
        Body::Hex => length == family.least && !body.get(length).is_some_and(u8::is_ascii_alphanumeric),
        Body::Row => length >= family.least && start.split(|byte| !byte.is_ascii_alphanumeric()).any(is_row),
        Body::Url | Body::Wide => {
            length >= family.least && start.split(|byte| !byte.is_ascii_alphanumeric()).any(is_piece)
        }
        _ => length >= family.least && is_random(start),
    };
    let rest = || body.iter().skip(length).take_while(|byte| family.body.holds(**byte)).count();
    fits.then(|| family.prefix.len() + length + rest())
}

/// Words separated by signs are a name, even with numbers at their ends.
fn is_piece(run: &[u8]) -> bool {
    run.len() >= PIECE && is_random(run) && !std::str::from_utf8(run).is_ok_and(is_part)
}

fn is_row(run: &[u8]) -> bool {
    run.len() >= ROW && is_random(run)
}

/// A name chosen by people has no digits, or has them between the same few letters. A token of this length has both.
fn is_random(body: &[u8]) -> bool {
    let digits = body.iter().any(u8::is_ascii_digit);
    let letters = body.iter().any(u8::is_ascii_alphabetic);
    // In a long body without digits, upper case is the criterion.
    let cases = body.iter().any(u8::is_ascii_uppercase) && body.iter().any(u8::is_ascii_lowercase);
    (digits && letters) || (cases && body.len() >= 16) || (body.len() >= 16 && body.iter().all(u8::is_ascii_uppercase))
}
