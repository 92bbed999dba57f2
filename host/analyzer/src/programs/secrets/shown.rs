//! Variables whose values a word shows.

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::Word;

use super::MAX_VARIABLES;

/// The variables named like secrets whose values a word has, or most of them.
pub(crate) fn shown_secrets(word: &Word) -> impl Iterator<Item = &str> {
    named_secrets(word, |name| likelihood(name) == Some(Likelihood::Likely))
}

/// The variables of such names whose values a word has, or most of them.
pub(crate) fn named_secrets(word: &Word, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let names = word.parts.iter().filter(|part| part.kind == "variable").map(|part| bare_name(&part.text));
    let names = names.filter(move |name| is_meant(name)).take(MAX_VARIABLES);
    names.filter(|name| word.text.contains(&format!("${name}")) || shows_value(&word.text, name))
}

/// The name in `${NAME#x}` and the like. Empty: the expansion shows another thing, as `${#NAME}` does.
fn bare_name(expansion: &str) -> &str {
    let inner = expansion.strip_prefix("${").unwrap_or(expansion);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    inner.get(..end).unwrap_or_default()
}

/// Whether an expansion of the variable in `${...}` shows its value, or most of it.
fn shows_value(text: &str, name: &str) -> bool {
    let start = format!("${{{name}");
    let mut rests = text.split(start.as_str()).skip(1).take(MAX_VARIABLES);
    rests.any(|rest| {
        // `${NAME:+set}` and the like show that it is there, not what it is.
        let tells = ["+", ":+", "?", ":?"].iter().any(|sign| rest.starts_with(sign));
        let is_short = |rest: &str| matches!(rest.as_bytes(), [b'0'..=b'6', b'}', ..]);
        let is_start = rest.strip_prefix(":0:").or_else(|| rest.strip_prefix("::")).is_some_and(is_short);
        !tells && !is_start && rest.starts_with(['}', ':', '#', '%', '/', '@', '^', ',', '-'])
    })
}
