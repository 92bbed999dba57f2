//! [`oversights`] finds parts of a configuration that are valid but have no effect here. `config check` and `doctor`
//! show them as warnings.
//!
//! These are a project's policies where a server decides, grants that need trust, files with a wrong name, patterns
//! that match nothing, rules that nothing reads, allows that lift nothing, keys that would loosen other policies or that other keys of the same
//! entry override, a harness's rules that `confine` makes ineffective, and a chain that doesn't protect guard-host
//! itself. No policy is run.

mod adjustments;
mod expressions;
mod ineffective_rules;
mod listing;
mod misplaced;
mod patterns;
mod rule_texts;
mod tools;
mod typos;
mod void_keys;

use std::collections::BTreeSet;
use std::path::Path;

use guard_config::problem::entry_location;
use guard_config::{Config, is_void_allow, nearest, trust_command};
use guard_contract::allow::Allow;
use guard_contract::grants::GrantSpec;
use guard_contract::paths::is_below;
use guard_contract::policy::{Entry, SELF_PROTECT, Source};
use guard_contract::{Layer, Manifest, Problem};
use guard_hook::cache::Prepared;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::files::read_text;
use guard_state::session::today;
use serde::Deserialize;
use serde_json::Value;

use crate::check::{Mistake, Severity};
pub(crate) use misplaced::lookalikes;

/// The built-in policy that judges the commands of scripts.
const COMMAND_GUARD: &str = "command-guard";

/// The maximum number of names that are read in a folder.
const FILES: usize = 1000;

/// The maximum number of bytes that are read of a file.
const TEXT_BYTES: u64 = 1 << 20;

/// Returns the parts of the configuration that have no effect in these projects. The first project is that of the call.
/// Most of them mean that the guard blocks less than its files say. The others would only have allowed more.
pub(crate) fn oversights(prepared: &Prepared, projects: &[String], dirs: &AppDirs) -> Vec<Mistake> {
    let config = &prepared.config;
    let of_projects = || {
        let entries = prepared.members.iter().map(|member| &member.entry);
        entries.filter(|entry| entry.layer == Layer::Project)
    };
    let entries = || prepared.members.iter().map(|member| &member.entry);
    let mut gaps: Vec<Problem> = undecided(of_projects(), config, dirs).into_iter().collect();
    gaps.extend(undecided_by_user(prepared, dirs));
    gaps.extend(unread_scripts(prepared, dirs));
    gaps.extend(of_projects().filter_map(|entry| waiting(entry, &dirs.home)));
    gaps.extend(misplaced::misplaced(projects, dirs, &config.inputs));
    gaps.extend(ineffective_rules::ineffective_rules(config, projects, dirs));
    let mut found: Vec<Mistake> = gaps.into_iter().map(|problem| Mistake::new(Severity::Gap, problem)).collect();
    let root = projects.first().map_or("", String::as_str);
    let mut others = config.ineffective.clone();
    others.extend(config.allows.iter().filter(|allow| !is_overridden(allow, prepared)).filter_map(|allow| {
        let (text, hint) = unused_allow(allow)?;
        let file = if allow.layer == Layer::Managed { &dirs.managed } else { &dirs.config };
        Some(Problem { layer: allow.layer, ..warning(file.display().to_string(), text, hint) })
    }));
    others.extend(prepared.members.iter().flat_map(|member| adjustments::overridden(&member.entry)));
    others.extend(unprotected(prepared, dirs));
    others.extend(empty_chain(prepared, dirs));
    others.extend(watched_locks(prepared, dirs));
    for entry in entries() {
        let void = void_keys::void_keys(entry, prepared, dirs);
        let is_void = |key: &str| void.as_ref().is_some_and(|problem| problem.text.contains(&format!("`{key}`")));
        found.extend(patterns::unmatched(entry, root, &dirs.home, is_void));
        found.extend(expressions::impossible(entry));
        let without_effect = rule_texts::without_effect(entry).into_iter().chain(tools::unjudged(entry));
        let without_effect = without_effect.chain(patterns::exempted(entry));
        found.extend(without_effect.map(|problem| Mistake::new(Severity::Gap, problem)));
        let idle = if void.is_some() { Vec::new() } else { patterns::idle_removals(entry) };
        others.extend(void.into_iter().chain(idle).chain(powerless_in_folder(entry, root)));
    }
    found.extend(others.into_iter().map(|problem| Mistake::new(Severity::Warning, problem)));
    found
}

fn warning(place: String, text: String, hint: String) -> Problem {
    Problem { layer: Layer::Project, place, text, hint }
}

/// Reports policies of projects that a server overrides.
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

/// Reports entries of the user's file that a server overrides.
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

/// Reports a server that may read no files, where no policy of this machine judges what they run.
fn unread_scripts(prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let remote = prepared.config.remote.as_ref()?;
    let judges = |entry: &Entry| matches!(&entry.source, Source::Builtin(name) if name == COMMAND_GUARD);
    if !remote.grants.read.is_empty() || prepared.members.iter().any(|member| judges(&member.entry)) {
        return None;
    }
    let text = "the server of `[remote]` can't read the scripts that a call runs, and no policy here judges them";
    let hint = "add `grants = [\"read:FOLDER\"]` to `[remote]`, or `lock = [\"command-guard\"]` to the managed file";
    Some(warning(remote_file(dirs).display().to_string(), text.to_owned(), hint.to_owned()))
}

/// Reports a user's file that leaves the chain without policies. A server may decide instead.
fn empty_chain(prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let config = &prepared.config;
    // A broken file is reported by itself.
    let is_other = config.remote.is_some() || !config.problems.is_empty() || !dirs.config.exists();
    if is_other || !prepared.members.is_empty() {
        return None;
    }
    let text = "no policy is in the chain, so every call passes".to_owned();
    let hint = "remove `preset = \"none\"`, or add a `[[policy]]`".to_owned();
    Some(Problem { layer: Layer::User, ..warning(dirs.config.display().to_string(), text, hint) })
}

/// Reports keys that have no effect in the file of a folder below the project's root, even if it is trusted.
fn powerless_in_folder(entry: &Entry, root: &str) -> Option<Problem> {
    let is_of_folder = entry.layer == Layer::Project && entry.project != root && is_below(&entry.project, root);
    if root.is_empty() || !is_of_folder || !entry.may_allow && entry.grants.journal.is_empty() {
        return None;
    }
    let key = if entry.may_allow { "may-allow" } else { "grants.journal" };
    let text = format!("policy `{}`: `{key}` has no effect in the file of a folder", entry.name);
    let hint = "remove it, or move the entry to the file of the project's root".to_owned();
    Some(warning(entry_location(&entry.settings_source.file, &entry.name), text, hint))
}

/// Reports policies that the managed file locks but doesn't enforce, and a managed file that enforces nothing.
fn watched_locks(prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let locked = &prepared.config.locked;
    let entries = prepared.members.iter().map(|member| &member.entry);
    let names: Vec<&str> = entries
        .filter(|entry| entry.watched && locked.contains(&entry.name))
        .map(|entry| entry.name.as_str())
        .collect();
    let text = match (names.as_slice(), managed_mode(dirs).as_deref()) {
        ([], Some("watch-all")) => {
            "`mode = \"watch-all\"` only logs what the policies of all files would stop".to_owned()
        }
        ([], _) => return None,
        (names, _) => format!("`mode` only logs what `{}` in `lock` would stop", names.join("`, `")),
    };
    let hint = "remove `mode` to enforce it".to_owned();
    Some(Problem { layer: Layer::Managed, ..warning(dirs.managed.display().to_string(), text, hint) })
}

/// Returns the `mode` of the managed file.
fn managed_mode(dirs: &AppDirs) -> Option<String> {
    let managed = read_text(&dirs.managed, TEXT_BYTES).ok()?;
    toml::from_str::<toml::Table>(&managed).ok()?.get("mode")?.as_str().map(str::to_owned)
}

/// Reports a chain that lacks the policy that protects guard-host itself, or only runs it for some tools or rules.
fn unprotected(prepared: &Prepared, dirs: &AppDirs) -> Option<Problem> {
    let entries = || prepared.members.iter().map(|member| &member.entry);
    let mut own = entries().filter(|entry| entry.name == SELF_PROTECT && entry.layer != Layer::Project);
    let (others, loosened) = (own.clone().skip(1), own.clone().next().map(loosened_rules).unwrap_or_default());
    let loosened = others.fold(loosened, |rules, entry| rules.intersection(&loosened_rules(entry)).cloned().collect());
    let is_dropped = prepared.config.disabled.iter().any(|name| name == SELF_PROTECT)
        || entries().any(|entry| matches!(entry.layer, Layer::Managed | Layer::Project));
    let (layer, text, hint) = match own.next() {
        None if is_dropped => {
            let text =
                "an agent can change, pause and remove guard-host: `self-protect` is not in the chain".to_owned();
            (
                Layer::User,
                text,
                format!(
                    "remove `enabled = false` and `preset = \"none\"`, or add `self-protect` to {}",
                    dirs.config.display()
                ),
            )
        }
        Some(Entry { tools: Some(tools), layer, .. }) => {
            let text = format!("`self-protect` judges only {}, so other tools can change guard-host", tools.join(", "));
            (*layer, text, "remove `tools` from its entry".to_owned())
        }
        Some(Entry { layer, .. }) if !loosened.is_empty() => {
            let rules = loosened.into_iter().collect::<Vec<_>>().join("`, `");
            let text =
                format!("`self-protect` doesn't stop `{rules}`, so an agent can change, pause or remove guard-host");
            (*layer, text, "remove these rules from `silence` and `lower`".to_owned())
        }
        _ => return None,
    };
    let file = if layer == Layer::Managed { &dirs.managed } else { &dirs.config };
    Some(Problem { layer, ..warning(entry_location(file, SELF_PROTECT), text, hint) })
}

/// Returns the rules that an entry's settings turn off or make milder.
fn loosened_rules(entry: &Entry) -> BTreeSet<String> {
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let list = |key: &str| -> BTreeSet<String> {
        let names = settings.get(key).and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let lowered: BTreeSet<String> = list("lower").difference(&list("raise")).cloned().collect();
    lowered.union(&list("silence")).cloned().collect()
}

/// The required part of a built-in's description.
#[derive(Deserialize)]
struct Description {
    manifest: Manifest,
}

/// Returns whether the managed file configures or locks all policies of an allow, which the configuration reports.
pub(crate) fn is_overridden(allow: &Allow, prepared: &Prepared) -> bool {
    is_void_allow(allow, prepared.members.iter().map(|member| &member.entry), &prepared.config.locked)
}

/// Returns the problem and the hint of an `[[allow]]` that lifts nothing: it has expired, or no rule, command or folder
/// matches it.
pub(crate) fn unused_allow(allow: &Allow) -> Option<(String, String)> {
    let command = allow.subject();
    let told = |text, hint| Some((text, hint));
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

/// Returns the file whose `[remote]` applies.
#[must_use]
pub fn remote_file(dirs: &AppDirs) -> &Path {
    let managed = read_text(&dirs.managed, TEXT_BYTES).unwrap_or_default();
    let is_managed = toml::from_str::<toml::Table>(&managed).is_ok_and(|table| table.contains_key("remote"));
    if is_managed { &dirs.managed } else { &dirs.config }
}

/// Reports grants to read outside of the project, in a file that isn't trusted.
fn waiting(entry: &Entry, home: &str) -> Option<Problem> {
    let grants = waiting_grants(entry, home).words();
    let words = grants.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let text = format!("policy `{}`: without trust it can't use {words}", entry.name);
    let command = trust_command(&AppDirs::project_file(&entry.project));
    let hint = format!("review the file and run `{command}`, or remove the grant");
    (!grants.is_empty()).then(|| warning(entry_location(&entry.settings_source.file, &entry.name), text, hint))
}

/// Returns the grants of a project's entry that need trust and don't have it.
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
