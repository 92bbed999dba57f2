//! [`oversights`]: parts of a configuration that are valid and have no effect here. `config check` and `doctor` warn of them.
//!
//! These are the policies of a project where a server decides, grants that wait for trust, files with a wrong name,
//! patterns of paths that don't exist, allows that lift nothing, settings that would loosen other policies, and a harness's
//! rules that `confine` makes void. Asks no policy.

mod ineffective_rules;
mod patterns;

use std::fs;
use std::path::{Path, PathBuf};

use guard_config::problem::{entry_location, nearest_within};
use guard_config::{Config, nearest};
use guard_contract::allow::Allow;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::Entry;
use guard_contract::{Layer, Manifest, Problem};
use guard_hook::cache::Prepared;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::files::read_text;
use guard_state::session::today;
use serde::Deserialize;
use serde_json::Value;

/// The file of a project, below its root.
const FOLDER: &str = ".guard";
const FILE: &str = "guard.toml";

/// Names that other programs give to their configuration.
const OTHER_NAMES: [&str; 2] = ["config.toml", "guard-host.toml"];

/// Tables that only a configuration of this program has.
const TABLES: [&str; 3] = ["policy", "preset", "tool"];

/// Keys of a built-in's settings that loosen its rules.
const LOOSENING: [&str; 2] = ["lower", "silence"];

/// The most files of a folder whose names are looked at.
const FILES: usize = 1000;

/// The most that is read of a file.
const TEXT_BYTES: u64 = 1 << 20;

/// The parts of the configuration without an effect in these projects, the first of which is that of the call.
#[must_use]
pub fn oversights(prepared: &Prepared, projects: &[String], dirs: &AppDirs) -> Vec<Problem> {
    let config = &prepared.config;
    let of_projects = || {
        let entries = prepared.members.iter().map(|member| &member.entry);
        entries.filter(|entry| entry.layer == Layer::Project)
    };
    let mut found = config.ineffective.clone();
    found.extend(undecided(of_projects(), config, dirs));
    found.extend(undecided_by_user(prepared, dirs));
    found.extend(of_projects().filter_map(|entry| waiting(entry, &dirs.home)));
    found.extend(projects.iter().flat_map(|root| misnamed_files(root, dirs)));
    let right = &dirs.config;
    found.extend(lookalikes(right).iter().map(|path| not_read(path, right)));
    found.extend(config.allows.iter().filter_map(|allow| unused_allow(allow, dirs)));
    found.extend(ineffective_rules::ineffective_rules(config, projects, dirs));
    found.extend(of_projects().filter_map(|entry| loosening(entry, prepared)));
    let root = projects.first().map_or("", String::as_str);
    found.extend(of_projects().flat_map(|entry| patterns::unmatched(entry, root)));
    found
}

fn warning(place: String, text: String, hint: String) -> Problem {
    Problem { layer: Layer::Project, place, text, hint }
}

/// A server decides, so the policies of projects don't.
fn undecided<'a>(of_projects: impl Iterator<Item = &'a Entry>, config: &Config, dirs: &AppDirs) -> Option<Problem> {
    let remote = config.remote.as_ref()?;
    let mut names: Vec<String> = Vec::new();
    for entry in of_projects.filter(|entry| config.may_loosen(Layer::User, entry)) {
        let name = format!("`{}`", entry.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (url, file) = (&remote.url, remote_file(dirs).display());
    let text =
        format!("the server of `[remote]` decides, so this project's policies have no effect: {}", names.join(", "));
    let hint = format!("add them to the configuration of {url}, or remove `[remote]` from {file}");
    (!names.is_empty()).then(|| warning(file.to_string(), text, hint))
}

/// Entries of the user's file that a server overrides.
fn undecided_by_user(prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let url = &prepared.config.remote.as_ref()?.url;
    let entries = prepared.members.iter().map(|member| &member.entry);
    let has_policy =
        entries.into_iter().any(|entry| entry.layer == Layer::User && entry.settings_source.file == dirs.config);
    let has_allow = prepared.config.allows.iter().any(|allow| allow.layer == Layer::User);
    let what = match (has_policy, has_allow) {
        (false, false) => return None,
        (true, false) => "`[[policy]]` entries",
        (false, true) => "`[[allow]]` entries",
        (true, true) => "`[[policy]]` and `[[allow]]` entries",
    };
    let text = format!("the server of `[remote]` decides, so the {what} of this file have no effect while it answers");
    let hint = format!("add them to the configuration of {url}, or remove `[remote]`");
    Some(Problem { layer: Layer::User, ..warning(dirs.config.display().to_string(), text, hint) })
}

/// The part of a built-in's description that is read here.
#[derive(Deserialize)]
struct Description {
    manifest: Manifest,
}

/// An `[[allow]]` that lifts nothing: it has ended, or no rule, command or folder is as it says.
fn unused_allow(allow: &Allow, dirs: &AppDirs) -> Option<Problem> {
    let file = if allow.layer == Layer::Managed { &dirs.managed } else { &dirs.config };
    let command = allow.command.join(" ");
    let told = |text, hint| Some(Problem { layer: allow.layer, ..warning(file.display().to_string(), text, hint) });
    if allow.is_over(&today()) {
        let text = format!("the `[[allow]]` for `{command}` ended after {}", allow.until);
        return told(text, "remove it, or change `until`".to_owned());
    }
    if let Some(program) = allow.command.first().filter(|program| program.contains(' ')) {
        let words: Vec<String> = program.split_whitespace().map(|word| format!("{word:?}")).collect();
        let text = format!("the `[[allow]]` for `{command}` has `{program}` as one word, so it matches no command");
        return told(text, format!("write `command = [{}]`", words.join(", ")));
    }
    if !allow.within.is_empty() && !native(&allow.within).exists() {
        let text = format!("the `[[allow]]` for `{command}` is for `{}`, which doesn't exist", allow.within);
        return told(text, "correct `within`".to_owned());
    }
    let unknown = allow.rules.iter().find_map(|name| {
        let (policy, rule) = name.split_once(':')?;
        let description = guard_builtins::find(policy)?.guest.description;
        let rules = serde_json::from_str::<Description>(description).ok()?.manifest.rules;
        let known: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let meant = nearest(rule, &known).map(|meant| format!("did you mean `{policy}:{meant}`?"));
        (!known.contains(&rule)).then_some((name, meant))
    });
    let (name, meant) = unknown?;
    let hint = meant.unwrap_or_else(|| "`guard-host policy inspect NAME` lists the rules of a policy".to_owned());
    told(format!("the `[[allow]]` for `{command}` names an unknown rule, `{name}`"), hint)
}

/// Settings of a project's entry that loosen rules, where the chain has the same rules from another file.
fn loosening(entry: &Entry, prepared: &Prepared) -> Option<Problem> {
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let has = |key: &&&str| settings.get(**key).and_then(Value::as_array).is_some_and(|rules| !rules.is_empty());
    let key = LOOSENING.iter().find(has)?;
    let is_other = |other: &Entry| other.layer != Layer::Project && other.source == entry.source;
    let other = prepared.members.iter().map(|member| &member.entry).find(|other| is_other(other))?;
    let text = format!("policy `{}`: `{key}` has no effect on the rules of `{}`", entry.name, other.name);
    let hint = format!("a project can only tighten: remove `{key}`, or put it into your own guard.toml");
    Some(warning(entry_location(&entry.settings_source.file, &entry.name), text, hint))
}

/// The file whose `[remote]` applies.
#[must_use]
pub fn remote_file(dirs: &AppDirs) -> &Path {
    let managed = read_text(&dirs.managed, TEXT_BYTES).unwrap_or_default();
    let is_managed = toml::from_str::<toml::Table>(&managed).is_ok_and(|table| table.contains_key("remote"));
    if is_managed { &dirs.managed } else { &dirs.config }
}

/// Grants to read outside of the project, in a file that no person trusts.
fn waiting(entry: &Entry, home: &str) -> Option<Problem> {
    let grants = waiting_grants(entry, home).words();
    let words = grants.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let text = format!("policy `{}`: without trust it can't use {words}", entry.name);
    let hint = "review the file and run `guard-host trust`, or remove the grant".to_owned();
    (!grants.is_empty()).then(|| warning(entry_location(&entry.settings_source.file, &entry.name), text, hint))
}

/// The grants of a project's entry that need trust and don't have it.
#[must_use]
pub fn waiting_grants(entry: &Entry, home: &str) -> GrantSpec {
    let mut waiting = GrantSpec::default();
    if entry.is_limited() {
        let holds = |word: &String| {
            let mut own = GrantSpec::default();
            let value = |_: &str| Some(format!("{}/x", entry.project));
            own.add(word) && !own.resolve(home, &entry.project, true, &value).read.is_empty()
        };
        entry.grants.words().iter().filter(|word| !holds(word)).for_each(|word| {
            waiting.add(word);
        });
    }
    waiting
}

/// Files that look like a project's configuration and are not read.
fn misnamed_files(root: &str, dirs: &AppDirs) -> Vec<Problem> {
    let root = native(root);
    let right = root.join(FOLDER).join(FILE);
    if root.as_os_str().is_empty() || right.exists() {
        return Vec::new();
    }
    let is_used = |path: &Path| path == dirs.config || path == dirs.managed;
    let mut found = Vec::new();
    for folder in [root.join(FOLDER), root.to_path_buf()] {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten().take(FILES);
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let is_meant = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_like = match folder.ends_with(FOLDER) {
                true => name.ends_with(".toml") || nearest(&name, &[FILE]).is_some(),
                false => name.trim_start_matches('.') == FILE,
            };
            is_like && path.is_file() && !is_used(path) && is_configuration(path)
        };
        found.extend(files.iter().filter(is_meant).map(|path| not_read(path, &right)));
    }
    found
}

fn not_read(path: &Path, right: &Path) -> Problem {
    let shown = path.display();
    warning(shown.to_string(), format!("`{shown}` is not read"), format!("rename it to `{}`", right.display()))
}

/// The files beside a configuration that is missing which were probably meant to be it.
pub(crate) fn lookalikes(right: &Path) -> Vec<PathBuf> {
    let Some(folder) = right.parent().filter(|folder| folder.is_absolute() && !right.exists()) else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES);
    let is_meant = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // `guard.lock` is three changes away.
        let is_like = nearest_within(&name, &[FILE], 2).is_some() || OTHER_NAMES.contains(&&*name);
        path.is_file() && (is_like || name.ends_with(".toml") && is_configuration(path))
    };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_meant).collect();
    found.sort();
    found
}

/// Whether the text has a table of this program, as far as it can be parsed.
fn is_configuration(path: &Path) -> bool {
    let text = read_text(path, TEXT_BYTES).unwrap_or_default();
    match toml::from_str::<toml::Table>(&text) {
        Ok(table) => TABLES.iter().any(|name| table.contains_key(*name)),
        Err(_) => text.contains("[[policy]]"),
    }
}
