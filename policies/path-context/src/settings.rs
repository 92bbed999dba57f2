//! The settings: a `guardrails.json` as it is.
//!
//! Never fails: what cannot be used gives the defaults and a warning. A list that is given replaces the default one.

mod defaults;
mod pattern;

use guard_sdk::Outcome;
use serde_json::Value;

pub(crate) use pattern::Pattern;

use crate::rules::starters::{self, Starter};

/// What the file may say.
const KEYS: &[&str] = &["$schema", "version", "safe_paths", "blocked_paths", "git_safe", "rules"];

/// What `rules` may say.
const KINDS: &[&str] = &["bash", "write", "edit"];

/// What a rule for commands may say.
const OF_COMMANDS: &[&str] = &["pattern", "action", "outside_safe_paths"];

/// What a rule for files may say.
const OF_FILES: &[&str] = &["path_patterns", "action"];

/// The most entries of one list.
const ENTRIES: usize = 500;

/// What the policy lets its user set.
///
/// ```json
/// {
///   "version": 1,
///   "safe_paths": ["~/projects"],
///   "blocked_paths": ["/etc"],
///   "git_safe": true,
///   "rules": {
///     "bash": [{ "pattern": "kubectl delete", "action": "confirm" }],
///     "write": [{ "path_patterns": ["blocked_paths"], "action": "block" }],
///     "edit": [{ "path_patterns": ["outside_safe_paths"], "action": "confirm" }]
///   }
/// }
/// ```
#[derive(Debug)]
pub struct Settings {
    pub(crate) safe: Vec<String>,
    pub(crate) blocked: Vec<String>,
    /// A git repository is safe.
    pub(crate) git_safe: bool,
    pub(crate) bash: Vec<BashRule>,
    pub(crate) write: Vec<FileRule>,
    pub(crate) edit: Vec<FileRule>,
    pub(crate) warnings: Vec<String>,
}

/// What a rule for commands looks for.
#[derive(Debug)]
pub(crate) enum Matter {
    /// What a pattern of the starter file means.
    Starter(&'static Starter),
    /// `rm`.
    Removal,
    /// A pattern of the user's.
    Custom(Pattern),
}

/// A rule for commands.
#[derive(Debug)]
pub(crate) struct BashRule {
    pub(crate) matter: Matter,
    pub(crate) outcome: Outcome,
    /// It holds outside of safe places only.
    pub(crate) outside: bool,
}

/// The paths that a rule for files is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Paths {
    Blocked,
    Outside,
    Safe,
    /// A path, or a pattern.
    These(String),
}

/// A rule for files.
#[derive(Debug, Clone)]
pub(crate) struct FileRule {
    pub(crate) paths: Vec<Paths>,
    pub(crate) outcome: Outcome,
}

impl Settings {
    pub(crate) fn new(value: &Value) -> Self {
        let mut warnings = Vec::new();
        let is_known = match value.get("version") {
            None => true,
            Some(version) => version.as_f64() == Some(1.0),
        };
        if !is_known {
            warnings.push("the version is not 1; the defaults hold".to_owned());
        }
        let value = if is_known { value } else { &Value::Null };
        let rules = value.get("rules").unwrap_or(&Value::Null);
        warn_of_unknown(value, KEYS, &mut warnings);
        warn_of_unknown(rules, KINDS, &mut warnings);
        let mut texts = |key: &str, defaults: &[&str]| match list(value, key, &mut warnings) {
            Some(list) => {
                list.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
            }
            None => defaults.iter().map(|text| (*text).to_owned()).collect(),
        };
        let (safe, blocked) = (texts("safe_paths", defaults::SAFE), texts("blocked_paths", defaults::BLOCKED));
        let git_safe = value.get("git_safe").is_none_or(|given| {
            given.as_bool().unwrap_or_else(|| {
                warnings.push("`git_safe` is neither true nor false; the default holds".to_owned());
                true
            })
        });
        let bash = match list(rules, "bash", &mut warnings) {
            Some(list) => list.iter().filter_map(|rule| bash_rule(rule, &mut warnings)).collect(),
            None => defaults::bash(),
        };
        let mut files = |key: &str| match list(rules, key, &mut warnings) {
            Some(list) => list.iter().map(|rule| file_rule(rule, &mut warnings)).collect(),
            None => defaults::files(),
        };
        let (write, edit) = (files("write"), files("edit"));
        warnings.truncate(32);
        Settings { safe, blocked, git_safe, bash, write, edit, warnings }
    }
}

/// A key that means nothing is most likely a slip.
fn warn_of_unknown(value: &Value, known: &[&str], warnings: &mut Vec<String>) {
    let keys = value.as_object().into_iter().flat_map(|map| map.keys());
    let unknown = keys.filter(|key| !known.contains(&key.as_str())).take(4);
    warnings.extend(unknown.map(|key| format!("the key `{key}` is not known")));
}

fn list<'a>(value: &'a Value, key: &str, warnings: &mut Vec<String>) -> Option<&'a [Value]> {
    match value.get(key)? {
        Value::Array(list) => {
            if list.len() > ENTRIES {
                warnings.push(format!("`{key}` has more than {ENTRIES} entries; the rest is left out"));
            }
            Some(list.get(..ENTRIES).unwrap_or(list))
        }
        _ => {
            warnings.push(format!("`{key}` is no list; the defaults hold"));
            None
        }
    }
}

fn action(rule: &Value, warnings: &mut Vec<String>) -> Outcome {
    match rule.get("action").and_then(Value::as_str) {
        Some("block") => Outcome::Deny,
        Some("confirm") => Outcome::Ask,
        _ => {
            warnings.push("a rule has another action than `block` and `confirm`; taken as `confirm`".to_owned());
            Outcome::Ask
        }
    }
}

fn bash_rule(rule: &Value, warnings: &mut Vec<String>) -> Option<BashRule> {
    let Some(text) = rule.get("pattern").and_then(Value::as_str).filter(|text| !text.is_empty()) else {
        warnings.push("a rule for commands has no pattern and is left out".to_owned());
        return None;
    };
    warn_of_unknown(rule, OF_COMMANDS, warnings);
    let outcome = action(rule, warnings);
    let outside = rule.get("outside_safe_paths").and_then(Value::as_bool).unwrap_or(false);
    let matter = if text == defaults::REMOVAL {
        Matter::Removal
    } else if let Some(starter) = starters::named(text) {
        Matter::Starter(starter)
    } else {
        Matter::Custom(Pattern::new(text, warnings))
    };
    Some(BashRule { matter, outcome, outside })
}

fn file_rule(rule: &Value, warnings: &mut Vec<String>) -> FileRule {
    warn_of_unknown(rule, OF_FILES, warnings);
    let paths = list(rule, "path_patterns", warnings).unwrap_or_default();
    let paths = paths.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(|text| match text {
        "blocked_paths" => Paths::Blocked,
        "outside_safe_paths" => Paths::Outside,
        "safe_paths" => Paths::Safe,
        path => Paths::These(path.to_owned()),
    });
    FileRule { paths: paths.collect(), outcome: action(rule, warnings) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = include_str!("../../../tests/seeds/s2-guardrails.json");

    #[test]
    fn the_starter_file_is_read_as_it_is() {
        let settings = Settings::new(&serde_json::from_str(SEED).unwrap());
        assert_eq!(settings.warnings, Vec::<String>::new());
        assert_eq!((settings.safe.len(), settings.blocked.len()), (2, 9));
        assert_eq!((settings.bash.len(), settings.write.len(), settings.edit.len()), (14, 2, 2));
        assert!(!settings.bash.iter().any(|rule| matches!(rule.matter, Matter::Custom(_))));
    }

    #[test]
    fn the_defaults_are_the_starter_file_and_one_pattern_more() {
        let (settings, defaults) = (Settings::new(&serde_json::from_str(SEED).unwrap()), Settings::new(&Value::Null));
        assert_eq!((&settings.safe, &settings.blocked), (&defaults.safe, &defaults.blocked));
        assert_eq!(defaults.bash.len(), 15);
        for (given, default) in settings.bash.iter().zip(&defaults.bash) {
            assert_eq!(format!("{given:?}"), format!("{default:?}"));
        }
        assert_eq!(format!("{:?}{:?}", settings.write, settings.edit), format!("{0:?}{0:?}", defaults.write));
    }

    #[test]
    fn s2_70_the_file_to_start_from_is_the_defaults() {
        let file = serde_json::from_str(include_str!("../guardrails.json")).unwrap();
        assert_eq!(format!("{:?}", Settings::new(&file)), format!("{:?}", Settings::new(&Value::Null)));
    }

    #[test]
    fn the_schema_has_the_keys_that_are_read() {
        let schema: Value = serde_json::from_str(include_str!("../guardrails.schema.json")).unwrap();
        for (place, known) in [
            ("/properties", KEYS),
            ("/properties/rules/properties", KINDS),
            ("/$defs/command/properties", OF_COMMANDS),
            ("/$defs/files/items/properties", OF_FILES),
        ] {
            let keys: std::collections::BTreeSet<_> =
                schema.pointer(place).unwrap().as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, known.iter().copied().collect(), "{place}");
        }
    }

    #[test]
    fn a_key_that_means_nothing_is_told() {
        let settings = Settings::new(&serde_json::json!({
            "safe_path": [], "rules": {"bahs": [], "bash": [{"pattern": "x", "action": "block", "outside": true}],
            "write": [{"path_patterns": ["x"], "action": "block", "z": 1}]}
        }));
        assert_eq!(settings.warnings.len(), 4, "{:?}", settings.warnings);
    }

    #[test]
    fn what_cannot_be_used_leaves_a_warning() {
        let settings = Settings::new(&serde_json::json!({
            "version": 1, "safe_paths": "x", "blocked_paths": [1, ""],
            "rules": {"bash": [{"pattern": "(x", "action": "allow"}, {}], "write": {}}
        }));
        assert_eq!(settings.warnings.len(), 5, "{:?}", settings.warnings);
        assert_eq!((settings.safe.len(), settings.blocked.len(), settings.bash.len()), (2, 0, 1));
        for version in [serde_json::json!(2), serde_json::json!("1"), Value::Null] {
            let settings = Settings::new(&serde_json::json!({"version": version, "blocked_paths": []}));
            assert_eq!((settings.blocked.len(), settings.warnings.len()), (9, 1));
        }
    }
}
