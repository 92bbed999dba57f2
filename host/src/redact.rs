//! Takes secrets out of text before anyone is shown it.
//!
//! Structural, without regular expressions: building their automata would cost more than all the rest of a call.

const MARK: &str = "[redacted]";

/// The starts of tokens of known services, and how many more characters make one.
const PREFIXES: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("dop_v1_", 32),
    ("eyJ", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("hf_", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("rk_live_", 16),
    ("shpat_", 20),
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("SG.", 20),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("ya29.", 20),
];

/// Parts of a name whose value is a secret, upper case.
const NAMES: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "API_KEY",
    "APIKEY",
    "API-KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "CREDENTIAL",
    "AUTHORIZATION",
];

/// `text` without secrets: tokens of known shape, values of telling names, passwords in addresses, private keys.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let (before, block) = rest.split_at_checked(start).unwrap_or((rest, ""));
        words(before, &mut out);
        let Some(length) = block
            .find("-----END ")
            .and_then(|end| Some(end + block.get(end..)?.find('\n').unwrap_or(block.len() - end)))
        else {
            out.push_str(MARK);
            return out;
        };
        let (key, after) = block.split_at_checked(length).unwrap_or((block, ""));
        out.push_str(if key.contains("PRIVATE KEY") { MARK } else { key });
        rest = after;
    }
    words(rest, &mut out);
    out
}

/// Copies `text` piece by piece: separators as they are, words without their secrets.
fn words(text: &str, out: &mut String) {
    let separates =
        |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | ',' | ';' | '(' | ')' | '<' | '>' | '|' | '&');
    let mut secret_next = false;
    // The word before was a telling name in quotes, as a key of JSON is.
    let mut key_before = false;
    for piece in text.split_inclusive(separates) {
        let end =
            piece.char_indices().next_back().filter(|(_, last)| separates(*last)).map_or(piece.len(), |(at, _)| at);
        let (word, separator) = piece.split_at_checked(end).unwrap_or((piece, ""));
        let value = word.strip_prefix(':').filter(|_| key_before);
        if let Some(value) = value {
            out.push(':');
            if !value.is_empty() {
                out.push_str(MARK);
            }
            secret_next = value.is_empty();
        } else if secret_next && !word.is_empty() {
            let scheme = ["bearer", "basic", "token"].contains(&word.to_ascii_lowercase().as_str());
            out.push_str(if scheme { word } else { MARK });
            secret_next = scheme;
        } else if !word.is_empty() {
            secret_next = announces(word);
            one(word, out);
        }
        if !word.is_empty() {
            key_before = matches!(separator, "\"" | "'") && is_telling(word);
        }
        out.push_str(separator);
    }
}

/// The word says that the next one is a secret: `--password`, `Authorization:`, `PASSWORD=` before a quote.
fn announces(word: &str) -> bool {
    let name = word.strip_suffix([':', '=']).or_else(|| word.strip_prefix("--").filter(|name| !name.contains('=')));
    name.is_some_and(is_telling)
}

fn is_telling(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    NAMES.iter().any(|telling| upper.contains(telling))
}

fn one(word: &str, out: &mut String) {
    if let Some((name, value)) = word.split_once(['=', ':'])
        && !value.is_empty()
        && !value.starts_with("//")
        && is_telling(name)
    {
        out.push_str(word.get(..=name.len()).unwrap_or(name));
        out.push_str(MARK);
        return;
    }
    if let Some((scheme, rest)) = word.split_once("://")
        && let Some((login, host)) = rest.split_once('@')
        && let Some((user, _)) = login.split_once(':')
        && !login.contains('/')
    {
        out.push_str(&format!("{scheme}://{user}:{MARK}@{host}"));
        return;
    }
    match token(word) {
        Some(start) => {
            out.push_str(word.get(..start).unwrap_or_default());
            out.push_str(MARK);
        }
        None => out.push_str(word),
    }
}

/// Where a token of known shape starts in the word.
fn token(word: &str) -> Option<usize> {
    let starts = PREFIXES.iter().filter_map(|(prefix, more)| {
        let at = word.find(prefix)?;
        let boundary = !word.get(..at)?.ends_with(|c: char| c.is_ascii_alphanumeric());
        let tail = word.get(at + prefix.len()..)?;
        let length = tail.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).count();
        (boundary && length >= *more).then_some(at)
    });
    starts.min()
}

/// `text` in one piece for a terminal or a log: no control characters, no characters that reorder others.
#[must_use]
pub fn plain(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// The first `bytes` bytes of `text`, with an ellipsis if there is more.
#[must_use]
pub fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes.saturating_sub(3));
    format!("{}...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_come_through() {
        let token = |prefix: &str, length: usize| format!("{prefix}{}", "a1B2".repeat(length / 4 + 1));
        for (prefix, more) in PREFIXES {
            let secret = token(prefix, *more);
            let text = redact(&format!("curl -H 'X: {secret}' https://x"));
            assert!(!text.contains(&secret) && text.contains(MARK), "{text}");
        }
        for (text, expected) in [
            ("API_KEY=abc ./run", "API_KEY=[redacted] ./run"),
            ("export DB_PASSWORD='hunter2'", "export DB_PASSWORD='[redacted]'"),
            ("mysql --password hunter2 x", "mysql --password [redacted] x"),
            ("mysql --password=hunter2", "mysql --password=[redacted]"),
            ("curl -H 'Authorization: Bearer abc'", "curl -H 'Authorization: Bearer [redacted]'"),
            (r#"{"api_key": "abc", "x": "y"}"#, r#"{"api_key": "[redacted]", "x": "y"}"#),
            (r#"{"password":12,"x":"y"}"#, r#"{"password":[redacted],"x":"y"}"#),
            ("git clone https://me:pw@host/x", "git clone https://me:[redacted]@host/x"),
        ] {
            assert_eq!(redact(text), expected);
        }
        assert_eq!(redact("a -----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\nb"), "a [redacted]\nb");
    }

    #[test]
    fn honest_text_stays() {
        for text in ["git push origin main", "ls -la tokens/", "sk-learn", "echo key=value", "https://host/a@b:c"] {
            assert_eq!(redact(text), text);
        }
    }
}
