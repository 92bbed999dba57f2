//! Removes secrets from text before anyone is shown it.
//!
//! # Invariants
//!
//! - Each text is read once, whatever is in it.
//! - No regular expression is used: building an automaton would cost more than the rest of a call.

mod families;
mod names;
mod tokens;
mod words;

pub use names::is_telling;

const MARK: &str = "[redacted]";

/// `text` without secrets: tokens of known shape, values of telling names, passwords in addresses, private keys.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let (before, block) = rest.split_at_checked(start).unwrap_or((rest, ""));
        words::copy(before, &mut out);
        let Some(length) = block_length(block) else {
            out.push_str(MARK);
            return out;
        };
        let (key, after) = block.split_at_checked(length).unwrap_or((block, ""));
        out.push_str(if key.contains("PRIVATE KEY") { MARK } else { key });
        rest = after;
    }
    words::copy(rest, &mut out);
    out
}

/// The length of a block that begins here, up to the dashes at its end; none if it has no end.
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
