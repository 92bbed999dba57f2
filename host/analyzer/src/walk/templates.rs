//! Text with placeholders, and lists of texts in quotes or brackets.

use crate::limits;

/// Splits a text at separators outside of brackets, and of quotes if they count.
pub(super) fn split_outside(text: &str, has_quotes: bool, is_separator: fn(char) -> bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let mut open = None;
    for (at, char) in text.char_indices() {
        match (open, char) {
            (Some(quote), _) => open = Some(quote).filter(|quote| *quote != char),
            (None, '"' | '\'' | '`') if has_quotes => open = Some(char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && is_separator(char) => {
                pieces.push(text.get(start..at).unwrap_or_default());
                start = at + char.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(text.get(start..).unwrap_or_default());
    pieces
}

/// Replaces each `{{EXPRESSION}}` whose value is known.
pub(super) fn interpolated(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, found)) = rest.split_once("{{") {
        result.push_str(before);
        let Some((expression, after)) = found.split_once("}}") else {
            result.push_str("{{");
            rest = found;
            continue;
        };
        match value(expression.trim()) {
            Some(value) if result.len() < limits::SOURCE => result.push_str(&value),
            _ => result.extend(["{{", expression, "}}"]),
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_in_quotes_or_brackets_do_not_split() {
        assert_eq!(split_outside("a,'b,c',[d,e],f", true, |char| char == ','), ["a", "'b,c'", "[d,e]", "f"]);
        assert_eq!(split_outside("',b", false, |char| char == ','), ["'", "b"]);
    }

    #[test]
    fn only_known_placeholders_are_replaced() {
        let value = |name: &str| (name == "a").then(|| "1".to_owned());
        assert_eq!(interpolated("{{a}} {{ a }} {{b}} {{", value), "1 1 {{b}} {{");
    }
}
