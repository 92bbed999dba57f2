//! Texts for messages.

/// The most characters that a message shows of a text.
const SHOWN: usize = 80;

/// A text of any length as a message shows it: in one line, and cut.
#[must_use]
pub fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_short_line() {
        assert_eq!(shorten("a\n  b"), "a b");
        assert_eq!(shorten(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
    }
}
