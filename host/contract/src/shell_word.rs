//! Quotes texts as one word of a POSIX shell.

/// Puts the text in single quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Puts the text in single quotes unless a shell reads it as one plain word.
#[must_use]
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-,+=:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_one_word() {
        for (text, expected) in [
            ("/opt/guard-host", "/opt/guard-host"),
            ("/it's here/x", r"'/it'\''s here/x'"),
            ("a$b", "'a$b'"),
            ("", "''"),
            ("~/x", "'~/x'"),
        ] {
            assert_eq!(word(text), expected);
        }
        assert_eq!(quoted("git push"), "'git push'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
