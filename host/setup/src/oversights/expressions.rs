//! Finds regular expressions in an entry's settings that match no command.

use guard_config::problem::entry_location;
use guard_contract::Problem;
use guard_contract::policy::{Entry, Source};
use serde_json::Value;

use super::warning;
use crate::check::{Mistake, Severity};

/// The list of expressions for commands to deny.
const KEY: &str = "deny-patterns";

/// The maximum number of expressions that are checked.
const EXPRESSIONS: usize = 256;

/// Returns a mistake for each expression that matches nothing.
pub(super) fn impossible(entry: &Entry) -> Vec<Mistake> {
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let is_built_in = matches!(entry.source, Source::Builtin(_));
    let expressions = settings.get(KEY).and_then(Value::as_array).into_iter().flatten().filter(|_| is_built_in);
    let found = expressions.filter_map(Value::as_str).take(EXPRESSIONS).filter_map(|expression| {
        let (why, hint) = obstacle(expression)?;
        let text = format!("policy `{}`: `{expression}` in `{KEY}` matches no command: {why}", entry.name);
        let place = entry_location(&entry.settings_source.file, &entry.name);
        let problem = Problem { layer: entry.layer, ..warning(place, text, hint) };
        Some(Mistake::new(Severity::Gap, problem))
    });
    found.collect()
}

/// Returns why an expression matches nothing, and what to write instead.
fn obstacle(expression: &str) -> Option<(String, String)> {
    // With flags, `^` and `$` may also match at lines, and white space may be ignored.
    // Another alternative may match.
    if expression.contains('|')
        || expression.contains("(?m")
        || expression.contains("(?x")
        || expression.contains("(?s")
    {
        return None;
    }
    let chars: Vec<char> = expression.chars().collect();
    let (mut at, mut is_class) = (0, false);
    while let Some(char) = chars.get(at).copied() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        match char {
            '\\' => at += 1,
            '[' => is_class = true,
            ']' => is_class = false,
            _ if is_class => {}
            '$' if after.is_some_and(|next| next.is_alphanumeric() || " -_/.\"'=".contains(next)) => {
                let rest: String = chars.get(at + 1..).unwrap_or_default().iter().collect();
                return Some((
                    format!("`$` is the end of the text, and `{rest}` comes after it"),
                    "write `\\$` for a dollar sign".to_owned(),
                ));
            }
            '^' if before.is_some_and(|before| before.is_alphanumeric() || " -_/\"'=".contains(before)) => {
                return Some((
                    "`^` is the start of the text, and something comes before it".to_owned(),
                    "write `\\^` for the character, or remove it".to_owned(),
                ));
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::obstacle;

    #[test]
    fn text_beyond_an_anchor_matches_nothing() {
        for expression in ["deploy $ENV", "echo $HOME/x", "npm run ^deploy", "a$b", "x^2"] {
            assert!(obstacle(expression).is_some(), "{expression}");
        }
        for expression in [
            "^deploy$",
            "a$|^b",
            "a$b|c",
            "(^|;)rm -rf",
            "(a$)",
            "[^a]b",
            "[$]HOME",
            r"\$HOME",
            r"\^x",
            "(?m)a$\nb",
            "x(?=$|;)",
            "terraform apply ",
        ] {
            assert_eq!(obstacle(expression), None, "{expression}");
        }
    }
}
