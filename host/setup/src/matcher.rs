//! The tools that a matcher covers, in the matcher syntaxes of harnesses.

use regex_lite::Regex;
use serde_json::Value;

/// The syntax of a harness's matchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matching {
    /// No matchers.
    None,
    /// A list of whole names. With any other characters, a pattern that may match any part of a name.
    Names,
    /// A pattern that may match any part of a name.
    Pattern,
    /// A pattern that must match the whole name.
    Whole,
    /// A pattern that may match any part of a name, and that users can't change.
    Fixed,
}

impl Matching {
    /// Returns the tools that a matcher excludes.
    ///
    /// # Errors
    ///
    /// The matcher isn't a pattern, or only the harness can parse it.
    pub(super) fn excluded_tools(self, matcher: &str, tools: &[&'static str]) -> Result<Vec<&'static str>, String> {
        if self == Matching::None || is_all(matcher) {
            return Ok(Vec::new());
        }
        let is_list = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '|');
        if self == Matching::Names && matcher.chars().all(is_list) {
            let names: Vec<&str> = matcher.split(['|', ',']).map(str::trim).collect();
            return Ok(tools.iter().copied().filter(|tool| !names.contains(tool)).collect());
        }
        let pattern = if self == Matching::Whole { format!("^(?:{matcher})$") } else { matcher.to_owned() };
        let pattern = Regex::new(&pattern).map_err(|error| error.to_string())?;
        Ok(tools.iter().copied().filter(|tool| !pattern.is_match(tool)).collect())
    }

    /// Same as [`Matching::excluded_tools`], for a matcher from settings, which may be missing.
    pub(super) fn left_out_by(
        self,
        matcher: Option<&Value>,
        tools: &[&'static str],
    ) -> Result<Vec<&'static str>, String> {
        match matcher {
            None => Ok(Vec::new()),
            Some(Value::String(matcher)) => self.excluded_tools(matcher, tools),
            Some(_) => Err("it is no text".to_owned()),
        }
    }
}

/// Returns whether the matcher covers every tool.
pub(super) fn is_all(matcher: &str) -> bool {
    matches!(matcher, "" | "*" | ".*")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 4] = ["Bash", "Write", "Edit", "MultiEdit"];

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
            assert_eq!(Matching::Names.excluded_tools(matcher, &TOOLS).as_deref(), Ok(expected), "{matcher}");
        }
        for matcher in ["[", "(", "*Bash", "(?!Read)"] {
            assert!(Matching::Names.excluded_tools(matcher, &TOOLS).is_err(), "{matcher}");
        }
        assert!(Matching::Names.left_out_by(Some(&Value::from(1)), &TOOLS).is_err());
        assert_eq!(Matching::Names.left_out_by(None, &TOOLS), Ok(Vec::new()));
    }

    #[test]
    fn a_pattern_matches_a_part_or_the_whole_of_a_name() {
        for (matching, matcher, expected) in [
            (Matching::Pattern, "Bash", &["Write"][..]),
            (Matching::Pattern, "as|ri", &[]),
            (Matching::Whole, "as|ri", &["Bash", "Write"]),
            (Matching::Whole, "Bash|W.*", &[]),
            (Matching::None, "[", &[]),
        ] {
            assert_eq!(matching.excluded_tools(matcher, &["Bash", "Write"]).as_deref(), Ok(expected), "{matcher}");
        }
    }
}
