//! [`Problem`]s that texts have: where they stand, and what was meant.

use guard_contract::Problem;
use guard_contract::policy::Layer;

/// The problem that a TOML error tells, with the nearest known key as the hint for an unknown one.
#[must_use]
pub fn of_toml(layer: Layer, file: &str, text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message().trim().to_owned();
    let syntax = || "write `key = value`, strings in quotes, and tables in brackets".to_owned();
    let hint = nearest_key(&message).unwrap_or_else(syntax);
    let place = match error.span() {
        Some(span) => format!("{file}:{}", line_and_column(text, span.start)),
        None => file.to_owned(),
    };
    Problem { layer, place, text: message, hint }
}

/// The line and the column of a place in a text, as `line:column`.
pub fn line_and_column(text: &str, offset: usize) -> String {
    let before = text.get(..text.floor_char_boundary(offset.min(text.len()))).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{line}:{column}")
}

/// The known word that is most like `unknown`, if one is at most three changes away.
#[must_use]
pub fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |name: &&&str| strsim::damerau_levenshtein(unknown, name);
    let nearest = known.iter().min_by_key(distance)?;
    (strsim::damerau_levenshtein(unknown, nearest) <= 3.min(nearest.len())).then_some(*nearest)
}

/// What to write instead of an unknown key or value; none if the message is of something else.
///
/// serde's message names the unknown key first and the known ones after it, all in backticks.
pub fn nearest_key(message: &str) -> Option<String> {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = names.split_first()?;
    let unknown_word = message.strip_prefix("unknown ")?.split(' ').next()?;
    if let Some(nearest) = nearest(unknown, known) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let kind = if unknown_word == "variant" { "values" } else { "keys" };
    Some(format!("known {kind}: {}", known.join(", ")))
}
