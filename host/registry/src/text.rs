//! Helpers for the texts of URLs and responses.

/// The maximum length of a registry's message that is shown, in characters.
const TEXT_CHARS: usize = 200;

/// Returns a registry's message, shortened and without invisible characters.
pub(crate) fn cut(text: &str) -> String {
    let is_unseen = |c: &char| {
        let range =
            ['\u{200b}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2060}'..='\u{2069}', '\u{feff}'..='\u{feff}'];
        c.is_control() || range.iter().any(|range| range.contains(c))
    };
    text.chars().filter(|c| !is_unseen(c)).take(TEXT_CHARS).collect()
}

/// Returns the host of a URL, with its port.
pub(crate) fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Returns the value of a parameter of a challenge, in comma-separated `key="value"` form.
pub(crate) fn parameter(parameters: &str, key: &str) -> Option<String> {
    let mut rest = parameters;
    loop {
        let (name, after) = rest.split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_once(',').map_or((after, ""), |(value, rest)| (value, rest)),
        };
        if name.trim_matches([' ', ',']).eq_ignore_ascii_case(key) {
            return Some(value.to_owned());
        }
        rest = after;
    }
}

/// Percent-encodes `text` for a query.
pub(crate) fn percent_encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::{parameter, percent_encode, url_host};

    #[test]
    fn a_challenge_is_read() {
        let challenge = r#"realm="https://auth.example/token?a=b",service=registry , scope="repository:x:pull,push""#;
        for (key, expected) in [
            ("realm", Some("https://auth.example/token?a=b")),
            ("service", Some("registry ")),
            ("scope", Some("repository:x:pull,push")),
            ("error", None),
        ] {
            assert_eq!(parameter(challenge, key).as_deref(), expected, "{key}");
        }
        assert_eq!(parameter("realm=\"open", "realm"), None);
    }

    #[test]
    fn an_address_has_a_host() {
        assert_eq!(url_host("https://a.example:5000/v2/?x"), "a.example:5000");
        assert_eq!(url_host("http://[::1]:5000"), "[::1]:5000");
        assert_eq!(percent_encode("a b&c:/é"), "a%20b%26c:/%C3%A9");
    }
}
