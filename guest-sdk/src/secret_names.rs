//! Names of variables, keys and options with secret values: one table, and [`likelihood`], which looks up a name.
//!
//! Allocates nothing. Examines only names, never values.

/// The likelihood that a name's value is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    /// It may be one: enough to redact the value in a log, but not to prompt about a command.
    Possible,
    /// It is one, judged by the name.
    Likely,
}

use Likelihood::{Likely, Possible};

/// Parts of a name, in upper case without `_` and `-`, the likely ones first.
const PARTS: &[(&str, Likelihood)] = &[
    ("TOKEN", Likely),
    ("SECRET", Likely),
    ("PASSWORD", Likely),
    ("PASSWD", Likely),
    ("PASSPHRASE", Likely),
    ("PASSCODE", Likely),
    ("APIKEY", Likely),
    ("ACCESSKEY", Likely),
    ("ACCOUNTKEY", Likely),
    ("AUTHKEY", Likely),
    ("ENCRYPTIONKEY", Likely),
    ("MASTERKEY", Likely),
    ("PRIVATEKEY", Likely),
    ("SIGNINGKEY", Likely),
    // Often a file's path.
    ("CREDENTIAL", Possible),
    ("AUTHORIZATION", Possible),
    ("COOKIE", Possible),
];

/// Whole names, in the same spelling. The short ones are passwords in connection strings, but other things in a shell.
const WHOLE: &[(&str, Likelihood)] = &[
    ("PGPASS", Likely),
    ("MYSQLPWD", Likely),
    ("SSHPASS", Possible),
    ("PASS", Possible),
    ("PW", Possible),
    ("PWD", Possible),
    ("SIG", Possible),
    ("PIN", Possible),
    ("AUTH", Possible),
    ("TOKENS", Possible),
];

/// Last words of a name, such as `DB_PASS` and `userPin`.
const LAST: &[&str] = &["PASS", "PW", "PWD", "PSW", "PIN", "OTP", "AUTH", "SIGNATURE"];

/// Endings of names, in the same spelling, that mean something else: a file, a number, a program.
const HARMLESS_ENDS: &[&str] = &[
    "FILE", "PATH", "DIR", "STDIN", "HELPER", "NAME", "TYPE", "LENGTH", "POLICY", "MANAGER", "COUNT", "LIMIT",
    "EXPIRY", "TTL", "JAR", "ENV", "TOKENS",
];

/// Endings of names for a secret's id or source. Such values accompany the secret.
const REFERENCES: &[&str] = &["_ID", "_URL", "_ARN"];

/// The number of bytes at the end of a name that are examined.
const NAME_BYTES: usize = 128;

/// Returns the likelihood that the value of this name is a secret. `None` if nothing suggests it.
///
/// Case, `_`, `-`, and signs around the name are ignored. Only the last 128 bytes of a name are examined.
///
/// ```
/// use guard_sdk::secret_names::{Likelihood, likelihood};
///
/// assert_eq!(likelihood("DB_PASSPHRASE"), Some(Likelihood::Likely));
/// assert_eq!(likelihood("AWS_ACCESS_KEY_ID"), Some(Likelihood::Possible));
/// assert_eq!(likelihood("TOKEN_FILE"), None);
/// ```
#[must_use]
pub fn likelihood(name: &str) -> Option<Likelihood> {
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric()).as_bytes();
    let name = name.get(name.len().saturating_sub(NAME_BYTES)..).unwrap_or(name);
    let mut buffer = [0; NAME_BYTES];
    let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
    let mut length = 0;
    for (slot, byte) in buffer.iter_mut().zip(letters) {
        *slot = byte.to_ascii_uppercase();
        length += 1;
    }
    let bare = buffer.get(..length).unwrap_or_default();
    if let Some((_, found)) = WHOLE.iter().find(|(whole, _)| whole.as_bytes() == bare) {
        return Some(*found);
    }
    let Some((_, found)) = PARTS.iter().find(|(part, _)| contains_part(bare, part)) else {
        let last = last_word(name);
        let tells = last.len() < name.len() && LAST.iter().any(|word| last.eq_ignore_ascii_case(word.as_bytes()));
        return tells.then_some(Possible);
    };
    if HARMLESS_ENDS.iter().any(|end| bare.ends_with(end.as_bytes())) || contains_part(bare, "TOKENIZ") {
        return None;
    }
    let refers = REFERENCES.iter().any(|end| {
        let tail = name.len().checked_sub(end.len()).and_then(|start| name.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
    });
    Some(if refers { Possible } else { *found })
}

/// Returns the last word of a name, after a sign or at the start of upper case.
fn last_word(name: &[u8]) -> &[u8] {
    let sign = name.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let case =
        name.windows(2).rposition(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    name.get(sign.max(case.map_or(0, |at| at + 1))..).unwrap_or_default()
}

fn contains_part(bare: &[u8], part: &str) -> bool {
    bare.windows(part.len()).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_names_of_other_things() {
        for name in [
            "SECRET_AUTH",
            "DB_PASSWORD",
            "DB_PASSPHRASE",
            "github-token",
            "apiKey",
            "MYSQL_PWD",
            "--secret",
            "SIGNING_KEY",
        ] {
            assert_eq!(likelihood(name), Some(Likely), "{name}");
        }
        for name in [
            "DB_PASS",
            "ADMIN-PIN",
            "smtpPass",
            "MY_PW",
            "AWS_ACCESS_KEY_ID",
            "TOKEN_URL",
            "PWD",
            "Authorization",
            "cookie",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ] {
            assert_eq!(likelihood(name), Some(Possible), "{name}");
        }
        for name in [
            "",
            "PATH",
            "TOKEN_FILE",
            "MAX_TOKENS",
            "TOKENIZERS_PARALLELISM",
            "COOKIE_JAR",
            "PWDS",
            "OLDPWD",
            "compass",
            "bypass",
            "spin",
        ] {
            assert_eq!(likelihood(name), None, "{name}");
        }
    }

    #[test]
    fn of_a_long_name_the_end_counts() {
        let long = "X_".repeat(400);
        assert_eq!(likelihood(&format!("{long}TOKEN")), Some(Likely));
        assert_eq!(likelihood(&format!("TOKEN{long}Y")), None);
        assert_eq!(likelihood(&"é_TOKEN".repeat(100)), Some(Likely));
    }

    #[test]
    fn the_likely_parts_stand_first() {
        assert!(PARTS.is_sorted_by(|(_, left), (_, right)| left >= right));
    }
}
