//! Finds names in an entry's `raise` and `lower` that another list of the entry overrides.

use guard_config::problem::entry_location;
use guard_contract::Problem;
use guard_contract::policy::{Entry, Source};
use serde_json::Value;

use super::warning;

/// The rule tables of the built-ins that group their rules in classes.
const PAGES: [(&str, &str); 2] = [
    ("command-guard", include_str!("../../../../policies/command-guard/RULES.md")),
    ("intrusion-guard", include_str!("../../../../policies/intrusion-guard/RULES.md")),
];

/// The setting that turns on more rules.
const STRICT: &str = "strict";

/// Returns one problem for each name without an effect.
pub(super) fn overridden(entry: &Entry) -> Vec<Problem> {
    let Source::Builtin(builtin) = &entry.source else { return Vec::new() };
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let list = |key: &str| -> Vec<String> {
        let names = settings.get(key).and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let [raise, lower, silence] = ["raise", "lower", "silence"].map(list);
    let find = |name: &String, others: &[String]| others.iter().find(|other| covers(other, name, builtin)).cloned();
    let mut found = Vec::new();
    for (key, names) in [("raise", &raise), ("lower", &lower)] {
        for name in names {
            if let Some(other) = find(name, &silence) {
                let text = format!("`{key}` of `{name}` has no effect: `silence` of `{other}` turns it off");
                found.push((text, format!("remove `{name}` from `{key}`, or `{other}` from `silence`")));
            }
        }
    }
    for name in raise.iter().filter(|name| find(name, &silence).is_none()) {
        if let Some(other) = find(name, &lower) {
            let text = format!("`raise` of `{name}` and `lower` of `{other}` cancel each other out");
            found.push((text, "remove one of them".to_owned()));
        }
    }
    if settings.get(STRICT) != Some(&Value::Bool(true)) {
        for (key, names) in [("raise", &raise), ("lower", &lower)] {
            for name in names.iter().filter(|name| is_off_without_strict(name, builtin)) {
                let text = format!("`{key}` of `{name}` has no effect: the rule is off without `{STRICT}`");
                found.push((text, format!("add `{STRICT} = true`, or remove `{name}` from `{key}`")));
            }
        }
    }
    let place = entry_location(&entry.settings_source.file, &entry.name);
    let problem = |(text, hint)| Problem {
        layer: entry.layer,
        ..warning(place.clone(), format!("policy `{}`: {text}", entry.name), hint)
    };
    found.into_iter().map(problem).collect()
}

/// Returns whether `wide` covers everything that `name` does: the same name, the class of a rule, or a family of
/// operations.
fn covers(wide: &str, name: &str, builtin: &str) -> bool {
    let family = wide.strip_suffix(".*").unwrap_or(wide);
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('.');
    wide == name
        || wide.contains('.') && name.strip_prefix(family).is_some_and(is_below)
        || class_of(name, builtin) == Some(wide)
}

/// Returns whether a rule is off by default: the first lines of its section say so.
fn is_off_without_strict(rule: &str, builtin: &str) -> bool {
    let section = PAGES.iter().find(|(name, _)| *name == builtin).and_then(|(_, page)| {
        let (_, section) = page.split_once(&format!("\n## `{rule}`\n"))?;
        section.split("\n#").next()
    });
    section.is_some_and(|section| section.contains("Off without `strict`."))
}

/// Returns the class of a rule: the second column of the table.
fn class_of(rule: &str, builtin: &str) -> Option<&'static str> {
    let (_, page) = PAGES.iter().find(|(name, _)| *name == builtin)?;
    let (_, table) = page.split_once("| rule | class |")?;
    let start = format!("| [`{rule}`](");
    let row = table.lines().find(|line| line.starts_with(&start))?;
    row.split('|').nth(2).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_is_off_by_default_is_known() {
        assert!(is_off_without_strict("unknown-host", "intrusion-guard"));
        assert!(!is_off_without_strict("process-memory", "intrusion-guard"));
        assert!(!is_off_without_strict("no-such-rule", "intrusion-guard"));
    }

    #[test]
    fn a_name_is_covered_by_itself_its_class_and_its_family() {
        for (wide, name) in [
            ("publish-package", "publish-package"),
            ("publish", "publish-package"),
            ("aws.*", "aws.s3.delete"),
            ("aws.s3", "aws.s3.*"),
            ("git", "git-push"),
        ] {
            assert!(covers(wide, name, "command-guard"), "{wide} {name}");
        }
        for (wide, name) in [
            ("publish-package", "publish"),
            ("git", "publish-package"),
            ("aws.s3", "aws.*"),
            ("aws", "aws.s3"),
            ("cloud", "git"),
        ] {
            assert!(!covers(wide, name, "command-guard"), "{wide} {name}");
        }
    }
}
