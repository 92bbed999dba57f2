//! The settings: an existing `guardrails.json`.
//!
//! Anything unknown is an error, so that no rule is dropped silently. A list replaces the default list.

mod defaults;

use guard_sdk::globs::{Glob, expand, possible};
use guard_sdk::{Error, Outcome};
use serde::Deserialize;

use policy_text_patterns::Pattern;

use crate::rules::starters::{self, Starter};

/// The version of the file format.
const VERSION: f64 = 1.0;

/// The maximum number of entries in a list.
const ENTRIES: usize = 500;

/// The policy's settings.
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
    /// Whether git repositories are safe.
    pub(crate) git_safe: bool,
    pub(crate) bash: Vec<BashRule>,
    pub(crate) write: Vec<FileRule>,
    pub(crate) edit: Vec<FileRule>,
}

/// The file's content.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawSettings {
    /// The URL of the file's JSON schema, for editors. Ignored.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    version: Option<f64>,
    safe_paths: Option<Vec<String>>,
    blocked_paths: Option<Vec<String>>,
    git_safe: Option<bool>,
    #[serde(deserialize_with = "guard_sdk::tables::table")]
    rules: RawRules,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawRules {
    #[serde(deserialize_with = "guard_sdk::tables::optional_list")]
    bash: Option<Vec<RawBashRule>>,
    #[serde(deserialize_with = "guard_sdk::tables::optional_list")]
    write: Option<Vec<RawFileRule>>,
    #[serde(deserialize_with = "guard_sdk::tables::optional_list")]
    edit: Option<Vec<RawFileRule>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBashRule {
    pattern: String,
    action: Action,
    #[serde(default)]
    outside_safe_paths: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFileRule {
    #[serde(default)]
    path_patterns: Vec<String>,
    pattern: Option<String>,
    action: Action,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Action {
    Block,
    Confirm,
}

/// The condition of a rule for commands.
#[derive(Debug)]
pub(crate) enum Condition {
    /// A pattern of the starter file.
    Starter(&'static Starter),
    /// `rm`.
    Removal,
    /// A user's pattern.
    Custom(Pattern),
}

/// A rule for commands.
#[derive(Debug)]
pub(crate) struct BashRule {
    pub(crate) matter: Condition,
    pub(crate) outcome: Outcome,
    /// Whether it applies only outside of safe places.
    pub(crate) outside: bool,
}

/// The paths of a rule for files.
#[derive(Debug, Clone)]
pub(crate) enum Paths {
    Blocked,
    Outside,
    Safe,
    /// A path, or a pattern.
    These(String),
    /// A regular expression for the path.
    Matching(Pattern),
}

/// A rule for files.
#[derive(Debug, Clone)]
pub(crate) struct FileRule {
    pub(crate) paths: Vec<Paths>,
    pub(crate) outcome: Outcome,
}

impl Settings {
    /// # Errors
    ///
    /// If the file's version is unknown, or a path or an expression is invalid.
    pub(crate) fn new(written: RawSettings) -> Result<Self, Error> {
        let RawSettings { version, safe_paths, blocked_paths, git_safe, rules, _schema } = written;
        if let Some(version) = version.filter(|version| *version != VERSION) {
            return Err(format!("`version` is {version}, and only version {VERSION} is known").into());
        }
        let paths = |key: &str, list: Option<Vec<String>>, defaults: &[&str]| match list {
            Some(list) => areas(key, list),
            None => Ok(defaults.iter().map(|text| (*text).to_owned()).collect()),
        };
        let files = |key: &str, list: Option<Vec<RawFileRule>>| match list {
            Some(list) => check_length(key, list)?.into_iter().map(file_rule).collect(),
            None => Ok(defaults::files()),
        };
        let bash = match rules.bash {
            Some(list) => check_length("bash", list)?.into_iter().map(bash_rule).collect::<Result<_, _>>()?,
            None => defaults::bash(),
        };
        Ok(Settings {
            safe: paths("safe_paths", safe_paths, defaults::SAFE)?,
            blocked: paths("blocked_paths", blocked_paths, defaults::BLOCKED)?,
            git_safe: git_safe.unwrap_or(true),
            bash,
            write: files("write", rules.write)?,
            edit: files("edit", rules.edit)?,
        })
    }
}

fn check_length<T>(key: &str, list: Vec<T>) -> Result<Vec<T>, Error> {
    match list.len() {
        ..=ENTRIES => Ok(list),
        _ => Err(format!("`{key}` has more than {ENTRIES} entries").into()),
    }
}

/// Returns the paths of a list. Braces are expanded, because each alternative may start with the home.
fn areas(key: &str, list: Vec<String>) -> Result<Vec<String>, Error> {
    let mut all = Vec::new();
    for text in check_length(key, list)? {
        all.extend(area(&text).map_err(|error| format!("`{key}`: {error}"))?);
    }
    Ok(all)
}

fn area(text: &str) -> Result<Vec<String>, String> {
    let paths = possible(text).and_then(|()| expand(text)).map_err(|error| error.to_string())?;
    for path in &paths {
        Glob::new(path).map_err(|error| error.to_string())?;
    }
    Ok(paths)
}

/// Returns whether the name is a likely typo of one of the three lists.
fn is_like_a_list(name: &str) -> bool {
    let name = name.to_lowercase().replace(['-', ' ', '.'], "_");
    name.ends_with("_path")
        || name.ends_with("_paths")
        || ["blockedpaths", "safepaths", "outsidesafepaths"].contains(&name.as_str())
}

fn outcome(action: Action) -> Outcome {
    match action {
        Action::Block => Outcome::Deny,
        Action::Confirm => Outcome::Ask,
    }
}

fn bash_rule(rule: RawBashRule) -> Result<BashRule, Error> {
    let RawBashRule { pattern, action, outside_safe_paths } = rule;
    let matter = if pattern == defaults::REMOVAL {
        Condition::Removal
    } else if let Some(starter) = starters::find_starter(&pattern) {
        Condition::Starter(starter)
    } else {
        Condition::Custom(Pattern::new(&pattern, false).map_err(|error| format!("`pattern`: {error}"))?)
    };
    Ok(BashRule { matter, outcome: outcome(action), outside: outside_safe_paths })
}

fn file_rule(rule: RawFileRule) -> Result<FileRule, Error> {
    if rule.path_patterns.is_empty() && rule.pattern.is_none() {
        return Err("missing `path_patterns` or `pattern`: the rule applies to no path".into());
    }
    let mut paths = Vec::new();
    if let Some(text) = rule.pattern {
        let pattern = Pattern::new(&text, false).map_err(|error| format!("`pattern`: {error}"))?;
        paths.push(Paths::Matching(pattern));
    }
    for text in check_length("path_patterns", rule.path_patterns)? {
        match text.as_str() {
            "blocked_paths" => paths.push(Paths::Blocked),
            "outside_safe_paths" => paths.push(Paths::Outside),
            "safe_paths" => paths.push(Paths::Safe),
            name if !name.contains('/') && is_like_a_list(name) => {
                return Err(format!(
                    "unknown variant `{name}`, expected one of `blocked_paths`, `outside_safe_paths`, `safe_paths`"
                )
                .into());
            }
            path => {
                let areas = area(path).map_err(|error| format!("`path_patterns`: {error}"))?;
                paths.extend(areas.into_iter().map(Paths::These));
            }
        }
    }
    Ok(FileRule { paths, outcome: outcome(rule.action) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use guard_sdk::serde_json::{self, Value, json};

    use super::*;

    const SEED: &str = include_str!("../../../tests/seeds/s2-guardrails.json");

    fn try_read(value: Value) -> Result<Settings, String> {
        let written: RawSettings = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Settings::new(written).map_err(|error| error.to_string())
    }

    fn read(value: Value) -> Settings {
        try_read(value).unwrap()
    }

    #[test]
    fn the_starter_file_is_read_as_it_is() {
        let settings = read(serde_json::from_str(SEED).unwrap());
        assert_eq!((settings.safe.len(), settings.blocked.len()), (2, 9));
        assert_eq!((settings.bash.len(), settings.write.len(), settings.edit.len()), (14, 2, 2));
        assert!(!settings.bash.iter().any(|rule| matches!(rule.matter, Condition::Custom(_))));
    }

    #[test]
    fn the_defaults_are_the_starter_file_and_one_pattern_more() {
        let (settings, defaults) = (read(serde_json::from_str(SEED).unwrap()), read(json!({})));
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
        assert_eq!(format!("{:?}", read(file)), format!("{:?}", read(json!({}))));
    }

    #[test]
    fn the_schema_has_the_keys_that_are_read() {
        let schema: Value = serde_json::from_str(include_str!("../guardrails.schema.json")).unwrap();
        let rule = |kind: &str, rule: Value| json!({ "rules": { kind: [rule] } });
        for (place, value) in [
            ("/properties", json!({ "?": 1 })),
            ("/properties/rules/properties", json!({ "rules": { "?": 1 } })),
            ("/$defs/command/properties", rule("bash", json!({ "?": 1 }))),
            ("/$defs/files/items/properties", rule("edit", json!({ "?": 1 }))),
        ] {
            let error = try_read(value).unwrap_err();
            let known: BTreeSet<&str> = error.split('`').skip(3).step_by(2).collect();
            let keys = schema.pointer(place).unwrap().as_object().unwrap().keys().map(String::as_str);
            assert_eq!(keys.collect::<BTreeSet<_>>(), known, "{place}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_an_error_that_names_it() {
        let bash = |rule: Value| json!({ "rules": { "bash": [rule] } });
        let write = |rule: Value| json!({ "rules": { "write": [rule] } });
        for (value, word) in [
            (json!({ "blokced_paths": [] }), "`blokced_paths`"),
            (json!({ "version": 2 }), "`version` is 2"),
            (json!({ "version": "1" }), "expected f64"),
            (json!({ "safe_paths": "x" }), "expected a sequence"),
            (json!({ "blocked_paths": [1] }), "expected a string"),
            (json!({ "blocked_paths": [""] }), "`blocked_paths`"),
            (json!({ "blocked_paths": ["~/{a,b"] }), "`~/{a,b`"),
            (json!({ "safe_paths": ["[a"] }), "`[a`"),
            (json!({ "safe_paths": vec!["x"; ENTRIES + 1] }), "`safe_paths`"),
            (json!({ "rules": [1] }), "invalid"),
            (json!({ "rules": { "bahs": [] } }), "`bahs`"),
            (bash(json!({ "pattern": "x" })), "`action`"),
            (bash(json!({ "action": "block" })), "`pattern`"),
            (bash(json!({ "pattern": "", "action": "block" })), "`pattern`"),
            (bash(json!({ "pattern": "x", "action": "warn" })), "`warn`"),
            (bash(json!({ "pattern": "(x", "action": "block" })), "`(x`"),
            (bash(json!({ "pattern": "x", "action": "block", "outside": true })), "`outside`"),
            (bash(json!({ "pattern": "x", "action": "block", "outside_safe_paths": 1 })), "expected a boolean"),
            (write(json!({ "path_patterns": [], "action": "block" })), "`path_patterns`"),
            (write(json!({ "action": "block" })), "`pattern`"),
            (write(json!({ "pattern": "(x", "action": "block" })), "`(x`"),
            (write(json!({ "path_patterns": ["blocked_path"], "action": "block" })), "`blocked_path`"),
            (write(json!({ "path_patterns": ["{x"], "action": "block" })), "`{x`"),
            (write(json!({ "paths": ["x"], "action": "block" })), "`paths`"),
        ] {
            let error = try_read(value.clone()).unwrap_err();
            assert!(error.contains(word), "{value}: {error}");
        }
    }

    #[test]
    fn choices_in_braces_are_paths_of_their_own() {
        let settings = read(json!({ "version": 1.0, "blocked_paths": ["{~/a,/b}/c", "d"] }));
        assert_eq!(settings.blocked, ["~/a/c", "/b/c", "d"]);
    }
}
