//! Whether a statement's condition excludes any rows.

use super::tokens::Token;

/// The maximum number of examined tokens of a condition. A longer condition counts as a limit.
const MAX_TOKENS: usize = 256;

/// Names of a key that every row has.
const KEYS: &[&str] = &["id", "_id", "pk", "rowid", "uuid", "ctid"];

/// Returns whether the statement has a condition that may exclude a row.
pub(super) fn is_bounded(statement: &[Token<'_>]) -> bool {
    let Some(condition) = condition(statement) else { return false };
    condition.len() > MAX_TOKENS || condition.is_empty() || !is_always_true(condition, 0)
}

/// Returns the tokens after `where`, up to the next clause.
fn condition<'s, 't>(statement: &'s [Token<'t>]) -> Option<&'s [Token<'t>]> {
    let at = statement.iter().position(|token| token.is("where"))?;
    let condition = statement.get(at + 1..).unwrap_or_default();
    let ends = |token: &Token<'_>| ["returning", "order", "limit", "option"].iter().any(|word| token.is(word));
    let end = condition.iter().position(ends).unwrap_or(condition.len());
    condition.get(..end)
}

/// Returns whether the condition only requires that a row is in its own table: `id in (select id from t)`.
pub(super) fn is_its_own(statement: &[Token<'_>], table: &str) -> bool {
    let is_table = |token: &Token<'_>| match token {
        Token::Word(name) | Token::Name(name) => name.eq_ignore_ascii_case(table),
        _ => false,
    };
    match condition(statement).unwrap_or_default() {
        [key, within, Token::Sign('('), select, same, from, other, Token::Sign(')')] => {
            within.is("in") && select.is("select") && from.is("from") && key == same && is_table(other)
        }
        [exists, Token::Sign('('), select, _, from, other, Token::Sign(')')] => {
            exists.is("exists") && select.is("select") && from.is("from") && is_table(other)
        }
        _ => false,
    }
}

/// The maximum nesting of examined brackets.
const MAX_DEPTH: u32 = 8;

fn is_always_true(condition: &[Token<'_>], depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    split(condition, "or").any(|part| split(part, "and").all(|part| is_plain_truth(part, depth)))
}

/// Splits a condition at the words `by` outside brackets.
fn split<'s, 't>(condition: &'s [Token<'t>], by: &'static str) -> impl Iterator<Item = &'s [Token<'t>]> {
    let mut depth = 0_u32;
    condition.split(move |token| {
        match token {
            Token::Sign('(') => depth = depth.saturating_add(1),
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.is(by)
    })
}

fn is_plain_truth(part: &[Token<'_>], depth: u32) -> bool {
    let is_key = |token: &Token<'_>| match token {
        Token::Word(name) | Token::Name(name) => KEYS.iter().any(|key| key.eq_ignore_ascii_case(name)),
        _ => false,
    };
    let number = |token: &Token<'_>| match token {
        Token::Word(text) => text.parse::<i64>().ok(),
        _ => None,
    };
    match part {
        [Token::Sign('('), inside @ .., Token::Sign(')')] => is_always_true(inside, depth + 1),
        [one] => one.is("true") || number(one).is_some_and(|value| value != 0),
        [not, one] => not.is("not") && (one.is("false") || number(one) == Some(0)),
        [Token::Unknown(_), ..] => false,
        [left, Token::Sign('='), right] => left == right,
        [left, Token::Sign('='), Token::Sign('='), right] => left == right,
        [left, Token::Sign('<'), Token::Sign('>'), right] => {
            number(left).zip(number(right)).is_some_and(|(a, b)| a != b)
        }
        [left, Token::Sign('!'), Token::Sign('='), right] => {
            number(left).zip(number(right)).is_some_and(|(a, b)| a != b)
        }
        [key, Token::Sign('>'), low] => is_key(key) && number(low) == Some(0),
        [key, Token::Sign('>'), Token::Sign('='), low] => is_key(key) && matches!(number(low), Some(0 | 1)),
        [key, is, not, null] => is_key(key) && is.is("is") && not.is("not") && null.is("null"),
        [_, like, Token::Text(pattern)] => (like.is("like") || like.is("ilike")) && *pattern == "%",
        _ => false,
    }
}
