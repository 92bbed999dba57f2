//! Variables whose values a word contains.

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::Word;

use super::MAX_VARIABLES;

/// Returns the variables named like secrets of whose values the word contains most or all.
pub(crate) fn shown_secrets(word: &Word) -> impl Iterator<Item = &str> {
    named_secrets(word, |name| likelihood(name) == Some(Likelihood::Likely))
}

/// Returns the variables accepted by `is_meant` of whose values the word contains most or all.
pub(crate) fn named_secrets(word: &Word, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let names = word.parts.iter().filter(|part| part.kind == "variable").map(|part| bare_name(&part.text));
    let names = names.filter(move |name| is_meant(name)).take(MAX_VARIABLES);
    names.filter(|name| word.text.contains(&format!("${name}")) || shows_value(&word.text, name))
}

/// Returns the name in `${NAME#x}` and similar expansions. Empty for expansions to something else, such as `${#NAME}`.
fn bare_name(expansion: &str) -> &str {
    let inner = expansion.strip_prefix("${").unwrap_or(expansion);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    inner.get(..end).unwrap_or_default()
}

/// Returns whether an expansion `${...}` of the variable shows most or all of its value.
fn shows_value(text: &str, name: &str) -> bool {
    let start = format!("${{{name}");
    let mut rests = text.split(start.as_str()).skip(1).take(MAX_VARIABLES);
    rests.any(|rest| {
        // `${NAME:+set}` and similar expansions only show whether the variable is set.
        let tells = ["+", ":+", "?", ":?"].iter().any(|sign| rest.starts_with(sign));
        let is_short = |rest: &str| matches!(rest.as_bytes(), [b'0'..=b'6', b'}', ..]);
        let is_start = rest.strip_prefix(":0:").or_else(|| rest.strip_prefix("::")).is_some_and(is_short);
        !tells && !is_start && rest.starts_with(['}', ':', '#', '%', '/', '@', '^', ',', '-'])
    })
}
