//! Removes secrets from text before anyone is shown it.
//!
//! # Invariants
//!
//! - Each text is read once, whatever is in it.
//! - No regular expression is used: building an automaton would cost more than the rest of a call.

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

/// So many different secrets of one text are looked for again in it.
const REPEATED: usize = 64;

/// A text of a call without its secrets: tokens of known shape, values of telling names, passwords in addresses and in
/// arguments of programs, private keys.
///
/// A secret that no honest word looks like is hidden wherever it stands again. Only for what comes from a call as it is:
/// a sentence about a call keeps its own words with [`Secrets::hide`].
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

/// `text` without what is a secret by its shape, whoever wrote it: tokens, passwords in addresses, private keys.
#[must_use]
pub fn hide_shapes(text: &str) -> String {
    spans::without(text, &shapes(text))
}

thread_local! {
    /// The last long text and its secrets: the findings, the log, the pending call and the reply show the same one.
    static LAST: RefCell<(String, Vec<Range<usize>>)> = const { RefCell::new((String::new(), Vec::new())) };
}

/// A text from this length on is remembered, in bytes.
const LONG: usize = 512;

/// Where the secrets of a text of a call are, sorted.
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

/// Where a text has what is a secret by its shape, whoever wrote it.
fn shapes(text: &str) -> Vec<Range<usize>> {
    // A quotation of a key that has no end is cut, or its quotes end it.
    let cut = |block: &str| ["…", "...", "`"].iter().filter_map(|end| block.find(end)).min();
    read(text, word::read_shapes, cut)
}

/// Reads a text: keys in blocks here, and what is between them with `words`. `cut` gives the length of a key that has no
/// end, if that is not the rest of the text.
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

/// The length of a block that begins here, up to the dashes at its end; `None` if it has no end.
fn block_length(block: &str) -> Option<usize> {
    const END: &str = "-----END ";
    let end = block.find(END)? + END.len();
    let line = block.get(end..)?.split('\n').next().unwrap_or_default();
    Some(end + line.find("-----").map_or(line.len(), |dashes| dashes + "-----".len()))
}

/// `text` in one piece for a terminal or a log: no control characters, no characters that reorder others.
#[must_use]
pub fn plain(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// The first `bytes` bytes of `text`, with an ellipsis if there is more.
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
