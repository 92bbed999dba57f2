//! Removes secrets from text before it is shown.
//!
//! # Invariants
//!
//! - Each text is read once, regardless of its content.
//! - No regular expression is used, because building an automaton would take longer than the rest of a call.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod addresses;
mod families;
mod names;
mod programs;
mod plain_secrets;
mod quotes;
mod secrets;
mod spans;
mod tokens;
mod word;
mod words;

use std::cell::RefCell;
use std::ops::Range;

pub use names::may_name_secret;
pub use plain_secrets::{secret_in, secret_in_address};
pub use secrets::Secrets;

use spans::Spans;

/// The replacement for a secret.
pub const MARK: &str = "[redacted]";

/// The maximum number of different secrets whose repetitions are searched for in a text.
const REPEATED: usize = 64;

/// Removes the secrets from a text of a call: tokens of known shape, values of names such as `password`, passwords in
/// URLs and in program arguments, and private keys.
///
/// A secret that can't be a normal word is also hidden where it is repeated. Only for text that comes directly from a
/// call. In a sentence about a call, use [`Secrets::hide`], which keeps the sentence's own words.
#[must_use]
pub fn redact(text: &str) -> String {
    let found = find(text);
    let mut values: Vec<&str> = found.iter().filter_map(|range| text.get(range.clone())).collect();
    values.retain(|value| secrets::is_distinct(value));
    values.sort_unstable();
    values.dedup();
    values.truncate(REPEATED);
    let again = values.iter().flat_map(|value| text.match_indices(value)).map(|(at, value)| at..at + value.len());
    let all = again.chain(found.iter().cloned()).collect();
    spans::without(text, &spans::merged(all))
}

/// Removes secrets of known shape from any text: tokens, passwords in URLs, private keys.
#[must_use]
pub fn hide_shapes(text: &str) -> String {
    spans::without(text, &shapes(text))
}

thread_local! {
    /// The last long text and its secrets, because the findings, the log, the pending call and the reply use the same
    /// text.
    static LAST: RefCell<(String, Vec<Range<usize>>)> = const { RefCell::new((String::new(), Vec::new())) };
}

/// The minimum length of a remembered text in bytes.
const LONG: usize = 512;

/// Returns the ranges of secrets in a text of a call, sorted.
fn find(text: &str) -> Vec<Range<usize>> {
    if text.len() < LONG {
        return find_anew(text);
    }
    let known = LAST.with_borrow(|(last, found)| (last == text).then(|| found.clone()));
    known.unwrap_or_else(|| {
        let found = find_anew(text);
        LAST.set((text.to_owned(), found.clone()));
        found
    })
}

fn find_anew(text: &str) -> Vec<Range<usize>> {
    let mut found = read(text, words::read, |_| None);
    programs::find(text, &mut found);
    spans::merged(found)
}

/// Returns the ranges of secrets of known shape in any text.
fn shapes(text: &str) -> Vec<Range<usize>> {
    // A quoted key without an end is truncated, or ends at the quote.
    let cut = |block: &str| ["…", "...", "`"].iter().filter_map(|end| block.find(end)).min();
    read(text, word::read_shapes, cut)
}

/// Reads a text: key blocks here, and the text between them with `words`. `cut` returns the length of a key without an
/// end, if that isn't the rest of the text.
fn read(text: &str, words: fn(&str, &mut Spans), cut: fn(&str) -> Option<usize>) -> Vec<Range<usize>> {
    let mut out = Spans::default();
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let (before, block) = rest.split_at_checked(start).unwrap_or((rest, ""));
        words(before, &mut out);
        let length = block_length(block).or_else(|| cut(block)).unwrap_or(block.len());
        let (key, after) = block.split_at_checked(length).unwrap_or((block, ""));
        if key.contains("PRIVATE KEY") || block_length(block).is_none() {
            out.hide(key);
        } else {
            out.keep(key);
        }
        rest = after;
    }
    words(rest, &mut out);
    out.into_ranges()
}

/// Returns the length of the block that begins here, including the dashes at its end. `None` if it has no end.
fn block_length(block: &str) -> Option<usize> {
    const END: &str = "-----END ";
    let end = block.find(END)? + END.len();
    let line = block.get(end..)?.split('\n').next().unwrap_or_default();
    Some(end + line.find("-----").map_or(line.len(), |dashes| dashes + "-----".len()))
}

/// Returns the text without control characters and characters that reorder others, for a terminal or a log.
#[must_use]
pub fn plain(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// Returns the first `bytes` bytes of `text`, with an ellipsis if there is more.
#[must_use]
pub fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes.saturating_sub(3));
    format!("{}...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests;
