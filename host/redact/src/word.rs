//! The parts of one word: a separator, a name with its value, a function, a URL, a token.

use std::ops::Range;

use super::names::{self, is_harmless, may_name_secret};
use super::spans::Spans;
use super::{addresses, tokens};

pub(super) fn separates(c: char) -> bool {
    c.is_whitespace() || is_quote(c) || matches!(c, ',' | ';' | '(' | ')' | '<' | '>' | '|' | '&' | '?')
}

pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`')
}

/// Returns the assignment sign at the start of a word, separate from its name as in `name = value`.
pub(super) fn assigning(word: &str) -> Option<&str> {
    let sign = ["=>", ":=", "=", ":"].into_iter().find(|sign| word.starts_with(sign))?;
    let value = word.get(sign.len()..)?;
    // `==` and `=~` are comparisons, and a word such as `:x` is a name.
    let gives = value.is_empty() || (sign == "=" && !value.starts_with(['=', '~']));
    gives.then_some(sign)
}

/// Schemes before the secret in an authorization header.
pub(super) const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "negotiate", "digest"];

pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns whether the word is only a name.
pub(super) fn is_word(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// Returns whether the word is a called function, so that code computes the value.
pub(super) fn is_call(word: &str, separator: Option<char>) -> bool {
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
    let is_field = || separator.is_some_and(is_quote) && word.ends_with('[');
    let code = word.strip_suffix('[').filter(|_| is_field()).or_else(|| Some(word).filter(|_| separator == Some('(')));
    code.is_some_and(|code| !code.is_empty() && code.bytes().all(of_name))
}

/// Returns whether the word ends with the SQL function that creates a password.
pub(super) fn ends_as_function(word: &str) -> bool {
    word.rsplit('=').next().is_some_and(|name| name.eq_ignore_ascii_case("password"))
}

/// Reads one word. Returns whether it ended with a secret.
pub(super) fn one(word: &str, separator: Option<char>, out: &mut Spans) -> bool {
    if let Some(value) = assignment(word, separator) {
        out.keep(word.get(..value.start).unwrap_or_default());
        let secret = word.get(value.clone()).unwrap_or_default();
        // The value is the following quoted text.
        if secret == "$" {
            out.keep(secret);
            return false;
        }
        out.hide(secret);
        out.keep(word.get(value.end..).unwrap_or_default());
        return value.end == word.len();
    }
    shaped(word, out);
    false
}

/// Reads one word in which only shapes identify a secret: a URL with a password, or a token.
pub(super) fn shaped(word: &str, out: &mut Spans) {
    let Some(secret) = addresses::secret(word) else { return tokens::read(word, out) };
    tokens::read(word.get(..secret.start).unwrap_or_default(), out);
    out.hide(word.get(secret.clone()).unwrap_or_default());
    tokens::read(word.get(secret.end..).unwrap_or_default(), out);
}

/// Reads a text in which only shapes identify secrets.
pub(super) fn read_shapes(text: &str, out: &mut Spans) {
    for piece in text.split_inclusive(separates) {
        let word = piece.trim_end_matches(separates);
        shaped(word, out);
        out.keep(piece.get(word.len()..).unwrap_or_default());
    }
}

/// Returns the range of the value in a word with a name for a secret, such as `a:PASSWORD=x`.
pub(super) fn assignment(word: &str, separator: Option<char>) -> Option<Range<usize>> {
    // The name of a cloud resource isn't a pair.
    if word.starts_with("arn:") {
        return None;
    }
    let (mut name_at, mut in_login) = (0, false);
    for (at, delimiter) in word.match_indices(['=', ':']) {
        let (name, value) = (word.get(name_at..at)?, word.get(at + delimiter.len()..)?);
        // A URL's scheme isn't a name, and a name at the end has its value elsewhere.
        if value.starts_with("//") && delimiter == ":" {
            name_at = at + 3;
            in_login = value.get(2..).and_then(|host| host.split('/').next()).is_some_and(|host| host.contains('@'));
            continue;
        }
        // A URL's user isn't a name either.
        if std::mem::take(&mut in_login) {
            name_at = at + 1;
            continue;
        }
        // Two signs are a comparison.
        if delimiter == "=" && value.starts_with('=') && !value.trim_start_matches('=').is_empty() {
            return None;
        }
        // After a shell variable, a colon doesn't assign a value, unless it is a default value.
        let by_default = value.starts_with(['-', '=', '+']);
        let is_used = delimiter == ":" && name.contains('$') && !by_default;
        let acts = word.starts_with("--") && name_at == 0 && names::acts(name.trim_start_matches('-'));
        let tells = may_name_secret(name) || names::is_key(name) && names::is_made_up(value);
        if !value.is_empty() && !is_used && !acts && tells && !is_harmless(name, value) {
            let call = value.rsplit('=').next().unwrap_or(value);
            if is_call(call, separator) {
                return None;
            }
            let start = at + delimiter.len() + usize::from(delimiter == ":" && name.contains('$'));
            let ends = if name.starts_with("${") { value.trim_end_matches('}') } else { value };
            return Some(start..at + delimiter.len() + names::secret_length(ends));
        }
        name_at = at + delimiter.len();
    }
    None
}
