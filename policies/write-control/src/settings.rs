//! The settings: a `write-policies.json` as it is, and four keys of our own.
//!
//! Never fails: what cannot be used gives the defaults and a warning, so that a slip in the file takes no write away.

use policy_path_globs::Glob;
use serde_json::Value;

/// Paths that nobody should write by hand.
const PROTECTED: &[&str] = &[".git/**", "node_modules/**", ".env*", "*.key", "*.pem", "package-lock.json", "yarn.lock"];

/// Paths of what is shipped.
const WARNED: &[&str] =
    &["src/**", "plugins/**/agents/*.md", "plugins/**/commands/*.md", "plugins/**/skills/**", ".claude-plugin/**"];

/// Paths that anybody may write.
const SAFE: &[&str] = &["docs/**", "agent_sandbox/**", "tests/**", "*.md"];

/// Templates hold no secret, and a guard that offers one must not deny it.
const TEMPLATES: &[&str] = &[".env*.example", ".env*.sample", ".env*.template", ".env*.dist"];

/// What the file may say.
const KEYS: &[&str] = &["protected", "exempt", "warned", "safe", "shell", "paranoid", "fold-case"];

/// Where an editor finds the schema of the file. It says nothing here.
const SCHEMA: &str = "$schema";

/// The most patterns of one tier.
const PATTERNS: usize = 1000;

/// What the policy lets its user set.
///
/// ```json
/// { "protected": [".git/**"], "warned": ["src/**"], "safe": ["docs/**"] }
/// ```
///
/// A list that is given replaces the default one. Other keys are `exempt` (what is not protected although it fits;
/// default: templates such as `.env.example`, unless `protected` is given), `shell` (look at shell commands as well;
/// default false), `paranoid` (ask before a production path is written; default false) and `fold-case` (the case of
/// protected paths does not count; default: only on macOS).
#[derive(Debug)]
pub struct Settings {
    pub(crate) protected: Vec<Glob>,
    pub(crate) exempt: Vec<Glob>,
    pub(crate) warned: Vec<Glob>,
    pub(crate) safe: Vec<Glob>,
    pub(crate) shell: bool,
    pub(crate) paranoid: bool,
    pub(crate) fold_case: Option<bool>,
    pub(crate) warnings: Vec<String>,
}

impl Settings {
    pub(crate) fn new(value: &Value) -> Self {
        let mut warnings = Vec::new();
        let is_known = |key: &str| KEYS.contains(&key) || key == SCHEMA;
        let unknown = value.as_object().into_iter().flat_map(|map| map.keys()).filter(|key| !is_known(key));
        warnings.extend(unknown.take(8).map(|key| format!("the key `{key}` is not known")));
        let mut tier = |key, defaults: &[&str]| patterns(value.get(key), key, defaults, &mut warnings);
        let (protected, warned, safe) = (tier("protected", PROTECTED), tier("warned", WARNED), tier("safe", SAFE));
        // A list of the user's is taken at its word.
        let exempt = tier("exempt", if protected.1 { &[] } else { TEMPLATES });
        let mut flag = |key: &str| match value.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(flag)) => Some(*flag),
            Some(_) => {
                warnings.push(format!("`{key}` is neither true nor false"));
                None
            }
        };
        let (shell, paranoid, fold_case) = (flag("shell"), flag("paranoid"), flag("fold-case"));
        Settings {
            exempt: exempt.0,
            protected: protected.0,
            warned: warned.0,
            safe: safe.0,
            shell: shell.unwrap_or(false),
            paranoid: paranoid.unwrap_or(false),
            fold_case,
            warnings,
        }
    }
}

/// The patterns of a tier, and whether they are the user's.
fn patterns(value: Option<&Value>, key: &str, defaults: &[&str], warnings: &mut Vec<String>) -> (Vec<Glob>, bool) {
    let Some(list) = value.and_then(Value::as_array) else {
        if value.is_some() {
            warnings.push(format!("`{key}` is no list; the defaults hold"));
        }
        return (defaults.iter().map(|text| Glob::new(text)).collect(), false);
    };
    if list.len() > PATTERNS {
        warnings.push(format!("`{key}` has more than {PATTERNS} patterns; the rest is left out"));
    }
    let mut globs = Vec::new();
    for entry in list.iter().take(PATTERNS) {
        let Some(text) = entry.as_str() else {
            warnings.push(format!("`{key}` holds something other than text"));
            continue;
        };
        let glob = Glob::new(text.strip_prefix("./").unwrap_or(text));
        if let Some(problem) = glob.problem() {
            warnings.push(format!("`{key}`: the pattern `{text}` is taken literally: {problem}"));
        }
        globs.push(glob);
    }
    warnings.truncate(32);
    (globs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_gives_the_defaults_and_a_warning() {
        let settings =
            Settings::new(&serde_json::json!({"protected": "x", "warned": ["[a", 7], "shell": "yes", "z": 1}));
        assert_eq!(settings.protected.len(), PROTECTED.len());
        assert_eq!(settings.warned.len(), 1);
        assert_eq!(settings.warnings.len(), 5, "{:?}", settings.warnings);
        assert_eq!(settings.safe.len(), SAFE.len());
        assert!(!settings.shell);
    }

    #[test]
    fn s4_61_the_starter_file_is_the_defaults() {
        let file = serde_json::from_str(include_str!("../write-policies.json")).unwrap();
        assert_eq!(format!("{:?}", Settings::new(&file)), format!("{:?}", Settings::new(&Value::Null)));
    }

    #[test]
    fn s4_64_the_schema_has_the_keys_that_are_read() {
        let schema: Value = serde_json::from_str(include_str!("../write-policies.schema.json")).unwrap();
        let mut keys: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        keys.retain(|key| *key != SCHEMA);
        let mut known = KEYS.to_vec();
        known.sort_unstable();
        keys.sort_unstable();
        assert_eq!(keys, known);
    }

    #[test]
    fn what_is_exempt_can_be_said_beside_what_is_protected() {
        let exempt = |value| Settings::new(&value).exempt.len();
        assert_eq!(exempt(serde_json::json!({})), TEMPLATES.len());
        assert_eq!(exempt(serde_json::json!({"protected": [".env*"]})), 0);
        assert_eq!(exempt(serde_json::json!({"protected": [".env*"], "exempt": [".env.example"]})), 1);
        assert_eq!(exempt(serde_json::json!({"exempt": []})), 0);
    }

    #[test]
    fn every_default_is_a_pattern() {
        let settings = Settings::new(&Value::Null);
        assert!(settings.warnings.is_empty(), "{:?}", settings.warnings);
    }
}
