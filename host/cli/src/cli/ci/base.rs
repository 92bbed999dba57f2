//! The project at the revision in `--against`, and the steps `trust` and `settings`, which compare with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::report::{Mistake, Remark, StepResult};
use super::weakened_cases::{is_case_file, is_rego_test};
use super::{Configuration, Project, split};
use crate::cli::config::source;
use crate::cli::print;
use crate::cli::replay::{CONFIGURATION, copy_files, files_at, revision};
use guard_config::candidate;
use guard_config::load;
use guard_contract::policy::Entry;
use guard_contract::{Outcome, outcome_name};
use guard_hook::nested::below;
use guard_redact::{plain, shorten};
use guard_state::AppDirs;

/// The maximum length of a shown value, in bytes.
const SHOWN: usize = 60;

/// The name for all tools, if an entry doesn't restrict them.
const EVERY_TOOL: &str = "every tool";

/// The project at a revision.
pub(super) struct Base {
    /// The revision, as given in `--against`.
    pub(super) name: String,
    /// The paths of all its files.
    pub(super) files: Vec<String>,
    /// The copy of its configurations and cases.
    pub(super) folder: PathBuf,
    /// Its valid configurations, by their folders relative to the project's root.
    configurations: BTreeMap<PathBuf, BaseConfiguration>,
}

/// A guard.toml at a revision.
struct BaseConfiguration {
    /// Whether it only applies after a person trusts it.
    needs_trust: bool,
    entries: Vec<Entry>,
}

impl Base {
    /// Reads the project's files at a revision to a folder in `scratch`. `None` if it has no valid configuration, which
    /// the step `replay` reports.
    pub(super) fn read(name: &str, project: &str, dirs: &AppDirs, scratch: &Path) -> Option<Self> {
        if Path::new(name).is_file() {
            return None;
        }
        let folder = scratch.join("base");
        // A missing component doesn't change the settings.
        let _ = revision(name, project, &folder);
        let root = folder.to_string_lossy().into_owned();
        let read = |configuration: Configuration| {
            let entries = candidate(dirs, &configuration.root).ok()?.entries;
            let needs_trust = !load(dirs, &[configuration.root]).problems.is_empty();
            Some((configuration.folder, BaseConfiguration { needs_trust, entries }))
        };
        let all = Configuration::all(&root, below(&root).0);
        let configurations: BTreeMap<_, _> = all.into_iter().filter_map(read).collect();
        let files = files_at(name, project).unwrap_or_default();
        let _ = copy_files(name, project, &files, &folder, |file| is_case_file(file) || is_rego_test(file));
        (!configurations.is_empty()).then(|| Base { name: plain(name), files, folder, configurations })
    }
}

/// Checks whether each person must trust a guard.toml. A change that makes this necessary fails, because the file isn't
/// used before.
pub(super) fn trust(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let (mut mistakes, mut needed) = (Vec::new(), Vec::new());
    for Configuration { folder, needs_trust, is_foreign, .. } in &project.configurations {
        let Some(problem) = needs_trust else { continue };
        let shown = folder.display();
        let (command, calls) = match folder.as_os_str().is_empty() {
            true => ("guard-host trust".to_owned(), "every call".to_owned()),
            false => (format!("guard-host trust {shown}"), format!("every call in `{shown}`")),
        };
        let effect = format!("its rules don't apply and {calls} needs confirmation");
        match &project.base {
            Some(base) if !is_foreign && !base.configurations.get(folder).is_some_and(|before| before.needs_trust) => {
                let text = format!("until each person runs `{command}`, {effect}: {}", problem.text);
                let hint = format!(
                    "remove the part that needs trust ({} has none), or have everyone run `{command}` after the merge",
                    base.name
                );
                let (file, line) = split(&problem.place);
                mistakes.push(project.mistake(Path::new(file), line, text, &hint));
            }
            _ => {
                needed.push(format!("needed after each change: until `{command}`, {effect}, because {}", problem.text))
            }
        }
    }
    Ok(match (mistakes.is_empty(), needed.is_empty()) {
        (false, _) => StepResult::failed(mistakes),
        (true, true) => StepResult::passed("not needed".to_owned()),
        (true, false) => StepResult::passed(needed.join(". Also ")),
    })
}

/// Lists the settings that differ from the revision, for reviewers. Cases and recorded calls may not cover them.
pub(super) fn settings(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let Some(against) = &project.args.against else {
        return Ok(StepResult::skipped("no `--against` revision".to_owned()));
    };
    let Some(base) = &project.base else {
        return Ok(StepResult::skipped(format!("no configuration to compare with at {}", plain(against))));
    };
    let mut now = BTreeMap::new();
    for configuration in project.configurations.iter().filter(|configuration| !configuration.is_foreign) {
        // The step `check` has reported a file that can't be used.
        let Ok(candidate) = candidate(project.dirs, &configuration.root) else {
            return Ok(StepResult::skipped("the configuration can't be used, see above".to_owned()));
        };
        now.insert(&configuration.folder, candidate.entries);
    }
    let folders: BTreeSet<&PathBuf> = base.configurations.keys().chain(now.keys().copied()).collect();
    let changes = folders.into_iter().flat_map(|folder| {
        let before = base.configurations.get(folder).map_or(&[][..], |before| &before.entries);
        changes(project, base, folder, (before, now.get(folder).map_or(&[], |now| now)))
    });
    let notices: Vec<Remark> = changes.map(Remark::notice).collect();
    Ok(match notices.len() {
        0 => StepResult::passed(format!("no changes since {}", base.name)),
        count => StepResult::passed(format!("{} since {}", print::count(count as u64, "change"), base.name)),
    }
    .with_remarks(notices))
}

/// Returns the differences between the configurations of a folder, with their entries at the revision and now.
fn changes(project: &Project<'_>, base: &Base, folder: &Path, (before, now): (&[Entry], &[Entry])) -> Vec<Mistake> {
    let file = &project.root.join(folder).join(CONFIGURATION);
    let mut found = Vec::new();
    for before in before {
        let Some(entry) = now.iter().find(|entry| entry.name == before.name) else {
            let text = format!("policy `{}`: removed or switched off", before.name);
            found.push(project.mistake(file, None, text, ""));
            continue;
        };
        let texts =
            changed_keys(before, entry).into_iter().chain(changed_settings(before, entry, &base.folder, project));
        found.extend(texts.map(|text| project.policy_mistake(entry, &text, "")));
    }
    let is_new = |entry: &&Entry| !before.iter().any(|before| before.name == entry.name);
    found.extend(now.iter().filter(is_new).map(|entry| project.policy_mistake(entry, "added", "")));
    let base_file = &base.folder.join(folder).join(CONFIGURATION);
    let [old_version, version] = [base_file, file].map(|file| read_version(file));
    if old_version != version {
        found.push(project.mistake(file, None, describe_change("min-version", &old_version, &version), ""));
    }
    let (before, now) = (read_tools(base_file), read_tools(file));
    let changed = |(name, entry): (&String, &toml::Value)| match now.get(name) {
        None => Some(format!("`[[tool]]` for `{name}`: removed")),
        Some(other) => (other != entry).then(|| format!("`[[tool]]` for `{name}`: changed")),
    };
    let added =
        now.keys().filter(|name| !before.contains_key(*name)).map(|name| format!("`[[tool]]` for `{name}`: added"));
    let texts: Vec<String> = before.iter().filter_map(changed).chain(added).collect();
    found.extend(texts.into_iter().map(|text| project.mistake(file, None, text, "")));
    found
}

/// Returns the `min-version` of a guard.toml. Empty without one.
fn read_version(file: &Path) -> String {
    let table: toml::Table = std::fs::read_to_string(file).unwrap_or_default().parse().unwrap_or_default();
    table.get("min-version").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the `[[tool]]` entries of a guard.toml by their patterns. The step `check` reports those that can't be
/// parsed.
fn read_tools(file: &Path) -> BTreeMap<String, toml::Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let tools = table.get("tool").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let named = |tool: toml::Value| Some((plain(tool.get("match")?.as_str()?).to_string(), tool));
    tools.into_iter().filter_map(named).collect()
}

/// Returns the keys of an entry that differ, except its settings.
fn changed_keys(before: &Entry, now: &Entry) -> Vec<String> {
    let tools = |entry: &Entry| entry.tools.as_ref().map_or_else(|| EVERY_TOOL.to_owned(), |tools| tools.join(", "));
    let limits = |entry: &Entry| format!("{} ms, {} MiB", entry.limits.time_ms, entry.limits.memory_mib);
    let values = |entry: &Entry| {
        [
            ("source", entry.address.clone().unwrap_or_else(|| builtin_or_file(entry))),
            ("tools", tools(entry)),
            ("on-error", on_error_name(entry).to_owned()),
            ("mode", if entry.watched { "watch" } else { "enforce" }.to_owned()),
            ("may-allow", entry.may_allow.to_string()),
            ("limits", limits(entry)),
            ("grants", entry.grants.words().join(", ")),
        ]
    };
    let pairs = values(before).into_iter().zip(values(now));
    pairs
        .filter(|(before, now)| before != now)
        .map(|((key, before), (_, now))| describe_change(key, &before, &now))
        .collect()
}

/// Returns the value of `on-error` as in guard.toml.
fn on_error_name(entry: &Entry) -> &'static str {
    if entry.on_error == Outcome::Abstain { "allow" } else { outcome_name(entry.on_error) }
}

/// Returns the name of a built-in or file. A file's folder is omitted, because the revision is in another one.
fn builtin_or_file(entry: &Entry) -> String {
    let source = source(entry);
    source.rsplit('/').next().unwrap_or(&source).to_owned()
}

/// Returns the settings that differ, for each key.
fn changed_settings(before: &Entry, now: &Entry, folder: &Path, project: &Project<'_>) -> Vec<String> {
    let parse = |entry: &Entry| serde_json::from_str::<Map<String, Value>>(&entry.settings).unwrap_or_default();
    let (old, new) = (parse(before), parse(now));
    let relative = |entry: &Entry, root: &Path| {
        let file = &entry.settings_source.file;
        file.strip_prefix(root).unwrap_or(file).display().to_string()
    };
    let (old_file, file) = (relative(before, folder), relative(now, &project.root));
    let mut found = Vec::new();
    if old_file != file {
        found.push(describe_change("settings-file", &old_file, &file));
    }
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    // The file's own path differs because of its folder.
    for key in keys.into_iter().filter(|key| *key != "file") {
        let (old, new) = (old.get(key).unwrap_or(&Value::Null), new.get(key).unwrap_or(&Value::Null));
        match (old, new) {
            _ if old == new => {}
            (Value::Array(_) | Value::Null, Value::Array(_) | Value::Null) if has_texts(old) && has_texts(new) => {
                found.extend(list_changes(key, old, new));
            }
            (Value::Object(old), Value::Object(new)) if key == "files" => {
                let files: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
                let files = files.into_iter().filter(|name| old.get(*name) != new.get(*name));
                found.extend(files.map(|name| format!("`{file}/{}` differs", plain(name))));
            }
            (Value::Array(old), Value::Array(new)) if key == "rules" => found.extend(rule_changes(old, new)),
            (Value::String(_), Value::String(_)) if key == "text" => found.push(format!("`{file}` differs")),
            _ => found.push(describe_change(key, &format_value(old), &format_value(new))),
        }
    }
    found
}

/// Describes the rules of a list that were removed, changed or added. Several rules may have the same name.
fn rule_changes(old: &[Value], new: &[Value]) -> Vec<String> {
    let name = |rule: &Value| plain(rule.get("rule").and_then(Value::as_str).unwrap_or_default()).to_string();
    let added: Vec<&Value> = new.iter().filter(|rule| !old.contains(rule)).collect();
    let removed: Vec<&Value> = old.iter().filter(|rule| !new.contains(rule)).collect();
    let names: BTreeSet<String> = removed.iter().chain(&added).map(|rule| name(rule)).collect();
    let of_name = |rules: &[&Value], wanted: &str| -> Vec<Value> {
        rules.iter().filter(|rule| name(rule) == wanted).map(|rule| (*rule).clone()).collect()
    };
    let mut found = Vec::new();
    for name in names {
        let (before, now) = (of_name(&removed, &name), of_name(&added, &name));
        for (before, now) in before.iter().zip(&now) {
            let changes = changed_rule_keys(before, now).join(", ");
            found.push(format!("rule `{name}`: {changes}"));
        }
        let removed = before.iter().skip(now.len()).map(|_| format!("rule `{name}`: removed"));
        let added = now.iter().skip(before.len()).map(|_| format!("rule `{name}`: added"));
        found.extend(removed.chain(added));
    }
    // Repeated or reordered rules.
    if found.is_empty() { vec![describe_change("rules", "", "")] } else { found }
}

/// Describes the keys that differ between two versions of a rule.
fn changed_rule_keys(before: &Value, now: &Value) -> Vec<String> {
    let keys = [before, now].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
    let keys: BTreeSet<&String> = keys.filter(|key| before.get(*key) != now.get(*key)).collect();
    let describe = |key: &String| match key.as_str() {
        "outcome" => {
            let [before, now] = [before, now].map(|rule| format_value(rule.get("outcome").unwrap_or(&Value::Null)));
            describe_change(key, &before, &now)
        }
        key => format!("`{}` differs", plain(key)),
    };
    keys.into_iter().map(describe).collect()
}

/// Returns whether the value is a list of texts, or missing.
fn has_texts(value: &Value) -> bool {
    value.as_array().is_none_or(|items| items.iter().all(Value::is_string))
}

/// Describes the items that were added to a list or removed from it.
fn list_changes(key: &str, old: &Value, new: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        items.map(|text| format!("`{}`", shorten(&plain(text), SHOWN))).collect()
    };
    let (before, now) = (texts(old), texts(new));
    let without = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|text| !those.contains(text)).cloned().collect()
    };
    let parts = [("removed", without(&before, &now)), ("added", without(&now, &before))];
    let parts = parts.into_iter().filter(|(_, texts)| !texts.is_empty());
    let parts: Vec<String> = parts.map(|(verb, texts)| format!("{verb} {}", texts.join(", "))).collect();
    let text = match (parts.is_empty(), old, new) {
        // An empty list isn't the same as the default.
        (true, Value::Null, _) => "set to an empty list".to_owned(),
        (true, _, Value::Null) => "removed".to_owned(),
        (true, ..) => "reordered".to_owned(),
        (false, ..) => parts.join(", "),
    };
    vec![format!("`{key}`: {text}")]
}

fn format_value(value: &Value) -> String {
    match value {
        Value::Null => "the default".to_owned(),
        Value::Array(_) | Value::Object(_) => "another value".to_owned(),
        value => value.to_string(),
    }
}

fn describe_change(key: &str, before: &str, now: &str) -> String {
    let shown = |text: &str| if text.is_empty() { "none".to_owned() } else { shorten(&plain(text), SHOWN) };
    match before == now {
        true => format!("`{key}` differs"),
        false => format!("`{key}`: {}, was {}", shown(now), shown(before)),
    }
}
