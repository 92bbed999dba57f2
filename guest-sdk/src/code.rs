//! Parses code as text, as far as most programming languages agree.

/// The maximum length of a string literal in characters.
const LONGEST: usize = 8192;

/// Returns the string literal at the start of the text, and the rest. Only some quotes span lines, so an apostrophe in
/// a comment hides at most its line.
#[must_use]
pub fn literal(text: &str) -> Option<(&str, &str)> {
    for quote in ["\"\"\"", "'''", "`", "\"", "'"] {
        let Some(inside) = text.strip_prefix(quote) else { continue };
        let many = quote.len() > 1 || quote == "`";
        let mut escaped = false;
        for (at, char) in inside.char_indices().take(LONGEST) {
            if escaped {
                escaped = false;
            } else if char == '\\' {
                escaped = true;
            } else if inside.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
                return Some((inside.get(..at)?, inside.get(at + quote.len()..)?));
            } else if char == '\n' && !many {
                return None;
            }
        }
        return None;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_ends_at_its_own_quote() {
        for (text, expected) in [
            ("'a' + b", Some(("a", " + b"))),
            (r#""a\"b", c"#, Some((r#"a\"b"#, ", c"))),
            ("\"\"\"a\n\"b\"\n\"\"\".x", Some(("a\n\"b\"\n", ".x"))),
            ("'it\ns'", None),
            ("`a\nb`", Some(("a\nb", ""))),
            ("a'b'", None),
        ] {
            assert_eq!(literal(text), expected, "{text}");
        }
    }
}
