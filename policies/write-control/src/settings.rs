//! The settings: an existing `write-policies.json`, and four additional keys.
//!
//! Anything unknown is an error, so that no rule is dropped silently.

use guard_sdk::Error;
use guard_sdk::globs::{Glob, covering};
use serde::Deserialize;

/// Generated paths and secrets, which aren't written by hand.
const PROTECTED: &[&str] = &[".git/**", "node_modules/**", ".env*", "*.key", "*.pem", "package-lock.json", "yarn.lock"];

/// Paths of production code.
const WARNED: &[&str] =
    &["src/**", "plugins/**/agents/*.md", "plugins/**/commands/*.md", "plugins/**/skills/**", ".claude-plugin/**"];

/// Paths that are safe to write.
const SAFE: &[&str] = &["docs/**", "agent_sandbox/**", "tests/**", "*.md"];

/// Templates contain no secrets, and remedies offer them, so they can't be denied.
const TEMPLATES: &[&str] = &[".env*.example", ".env*.sample", ".env*.template", ".env*.dist"];

/// The maximum number of patterns of one tier.
const PATTERNS: usize = 1000;

/// The policy's settings.
///
/// ```json
/// { "protected": [".git/**"], "warned": ["src/**"], "safe": ["docs/**"] }
/// ```
///
/// A list replaces the default list. Other keys are `exempt` (exceptions from `protected`, besides templates such as
/// `.env.example`, which are exempt unless `protected` is set), `shell` (also check shell commands, default `false`),
/// `paranoid` (prompt before a production path is written, default `false`) and `fold-case` (ignore the case of
/// protected paths, by default only on macOS).
#[derive(Debug)]
pub struct Settings {
    pub(crate) protected: Vec<Glob>,
    pub(crate) exempt: Vec<Glob>,
    pub(crate) warned: Vec<Glob>,
    pub(crate) safe: Vec<Glob>,
    pub(crate) shell: bool,
    pub(crate) paranoid: bool,
    pub(crate) fold_case: Option<bool>,
}

/// The file's content.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawSettings {
    /// The URL of the file's JSON schema, for editors. Ignored.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    protected: Option<Vec<String>>,
    exempt: Option<Vec<String>>,
    warned: Option<Vec<String>>,
    safe: Option<Vec<String>>,
    shell: Option<bool>,
    paranoid: Option<bool>,
    fold_case: Option<bool>,
}

impl Settings {
    /// # Errors
    ///
    /// If a pattern is invalid, or can't match any path of a project.
    pub(crate) fn new(written: RawSettings) -> Result<Self, Error> {
        let RawSettings { protected, exempt, warned, safe, shell, paranoid, fold_case, _schema } = written;
        // A user's list has no implicit exceptions.
        let templates: &[&str] = if protected.is_some() { &[] } else { TEMPLATES };
        let mut exempt = exempt.unwrap_or_default();
        exempt.extend(templates.iter().map(|&text| text.to_owned()));
        Ok(Settings {
            exempt: patterns("exempt", Some(exempt), &[])?,
            protected: patterns("protected", protected, PROTECTED)?,
            warned: patterns("warned", warned, WARNED)?,
            safe: patterns("safe", safe, SAFE)?,
            shell: shell.unwrap_or(false),
            paranoid: paranoid.unwrap_or(false),
            fold_case,
        })
    }
}

/// Parses the patterns of a tier.
fn patterns(key: &str, list: Option<Vec<String>>, defaults: &[&str]) -> Result<Vec<Glob>, Error> {
    let list = list.unwrap_or_else(|| defaults.iter().map(|&text| text.to_owned()).collect());
    if list.len() > PATTERNS {
        return Err(format!("`{key}` has more than {PATTERNS} patterns").into());
    }
    if let Some(except) = list.iter().find_map(|text| text.strip_prefix('!')).filter(|_| key == "protected") {
        let text = format!(
            "`{key}`: the pattern `!{except}`: this list doesn't allow `!`: did you mean `exempt = [\"{except}\"]`?"
        );
        return Err(text.into());
    }
    let globs = list.iter().map(|text| covering(text)).collect::<Result<Vec<_>, _>>();
    Ok(globs.map_err(|error| format!("`{key}`: {error}"))?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use guard_sdk::serde_json::{self, Value, json};

    use super::*;

    fn read(value: Value) -> Result<Settings, String> {
        let written: RawSettings = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Settings::new(written).map_err(|error| error.to_string())
    }

    #[test]
    fn what_cannot_be_used_is_an_error_that_names_it() {
        for (value, word) in [
            (json!({"protected": "x"}), "expected a sequence"),
            (json!({"warned": [7]}), "expected a string"),
            (json!({"safe": {}}), "expected a sequence"),
            (json!({"shell": "yes"}), "expected a boolean"),
            (json!({"z": 1}), "`z`"),
            (json!({"protectd": []}), "`protectd`"),
            (json!({"warned": ["[a"]}), "`[a`"),
            (json!({"protected": ["db/{migrations,schema/**"]}), "`db/{migrations,schema/**`"),
            (json!({"protected": ["/etc/**"]}), "`/etc/**`"),
            (json!({"protected": ["~/x"]}), "`~/x`"),
            (json!({"protected": ["../x"]}), "`../x`"),
            (json!({"protected": [""]}), "empty"),
            (json!({"exempt": ["!x"]}), "`!x`: this list doesn't allow `!`: leave the pattern out"),
            (
                json!({"protected": ["a", "!a/b"]}),
                "`!a/b`: this list doesn't allow `!`: did you mean `exempt = [\"a/b\"]`?",
            ),
            (json!({"safe": ["/docs/**"]}), "did you mean `docs/**`?"),
            (json!({"safe": ["/home/u/repo/docs/**"]}), "remove the path of the root"),
            (json!({"protected": vec!["x"; PATTERNS + 1]}), "`protected`"),
        ] {
            let error = read(value.clone()).unwrap_err();
            assert!(error.contains(word), "{value}: {error}");
        }
    }

    #[test]
    fn patterns_of_other_spellings_match_what_they_mean() {
        for (pattern, path) in [
            ("./x.txt", "x.txt"),
            ("db/", "db/a/b"),
            ("db//a", "db/a"),
            ("db/./a", "db/a"),
            ("*.{tf,env}", "x.env"),
            ("{db/{a,b},c}/**", "db/b/x"),
            ("[ab].txt", "b.txt"),
        ] {
            let settings = read(json!({ "protected": [pattern] })).unwrap();
            assert!(settings.protected.iter().any(|glob| glob.matches(path)), "{pattern}");
        }
    }

    #[test]
    fn s4_61_the_starter_file_is_the_defaults() {
        let file = serde_json::from_str(include_str!("../write-policies.json")).unwrap();
        assert_eq!(format!("{:?}", read(file)), format!("{:?}", read(json!({}))));
    }

    #[test]
    fn s4_64_the_schema_has_the_keys_that_are_read() {
        let schema: Value = serde_json::from_str(include_str!("../write-policies.schema.json")).unwrap();
        let error = read(json!({ "?": 1 })).unwrap_err();
        let known: std::collections::BTreeSet<&str> = error.split('`').skip(3).step_by(2).collect();
        let keys = schema["properties"].as_object().unwrap().keys().map(String::as_str);
        assert_eq!(keys.collect::<std::collections::BTreeSet<_>>(), known);
    }

    #[test]
    fn what_is_exempt_can_be_said_beside_what_is_protected() {
        let exempt = |value| read(value).unwrap().exempt.len();
        // Each one covers the file, and a folder with that name.
        assert_eq!(exempt(json!({})), 2 * TEMPLATES.len());
        assert_eq!(exempt(json!({"protected": [".env*"]})), 0);
        assert_eq!(exempt(json!({"protected": [".env*"], "exempt": [".env.example"]})), 2);
        assert_eq!(exempt(json!({"exempt": ["x"]})), 2 * TEMPLATES.len() + 2, "it adds");
    }
}
