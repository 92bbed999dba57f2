//! Which tools a matcher of Claude Code covers.

use regex_lite::Regex;
use serde_json::Value;

/// The tools that run commands or write files.
pub(super) const TOOLS: [&str; 4] = ["Bash", "Write", "Edit", "MultiEdit"];

/// The tools of [`TOOLS`] that a matcher leaves out.
///
/// # Errors
///
/// It is no pattern, or one that only the harness itself can read.
pub(super) fn left_out(matcher: &str) -> Result<Vec<&'static str>, String> {
    if is_all(matcher) {
        return Ok(Vec::new());
    }
    let is_list = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '|');
    if matcher.chars().all(is_list) {
        let names: Vec<&str> = matcher.split(['|', ',']).map(str::trim).collect();
        return Ok(TOOLS.into_iter().filter(|tool| !names.contains(tool)).collect());
    }
    // Anything else is a pattern that may match any part of a name.
    let pattern = Regex::new(matcher).map_err(|error| error.to_string())?;
    Ok(TOOLS.into_iter().filter(|tool| !pattern.is_match(tool)).collect())
}

/// The same of the matcher as it stands in settings, where it may be missing.
pub(super) fn left_out_by(matcher: Option<&Value>) -> Result<Vec<&'static str>, String> {
    match matcher {
        None => Ok(Vec::new()),
        Some(Value::String(matcher)) => left_out(matcher),
        Some(_) => Err("it is no text".to_owned()),
    }
}

/// The matcher stands for every tool there is.
pub(super) fn is_all(matcher: &str) -> bool {
    matches!(matcher, "" | "*" | ".*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_is_a_list_of_names_or_a_pattern() {
        for (matcher, expected) in [
            ("", &[][..]),
            ("*", &[]),
            (".*", &[]),
            ("Bash|Write|Edit|MultiEdit", &[]),
            ("Bash, Write,Edit , MultiEdit", &[]),
            ("Bash", &["Write", "Edit", "MultiEdit"]),
            ("Write|Edit", &["Bash", "MultiEdit"]),
            ("bash", &["Bash", "Write", "Edit", "MultiEdit"]),
            ("Bas", &["Bash", "Write", "Edit", "MultiEdit"]),
            ("Edit.*", &["Bash", "Write"]),
            ("^Edit", &["Bash", "Write", "MultiEdit"]),
            ("^(Bash|Write)$", &["Edit", "MultiEdit"]),
            ("mcp__.*", &["Bash", "Write", "Edit", "MultiEdit"]),
        ] {
            assert_eq!(left_out(matcher).as_deref(), Ok(expected), "{matcher}");
        }
        for matcher in ["[", "(", "*Bash", "(?!Read)"] {
            assert!(left_out(matcher).is_err(), "{matcher}");
        }
        assert!(left_out_by(Some(&Value::from(1))).is_err());
        assert_eq!(left_out_by(None), Ok(Vec::new()));
    }
}
