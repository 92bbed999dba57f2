//! Loads all layers and builds one chain from them.

use std::fs;
use std::path::{Path, PathBuf};

use super::builtin::{add_strict, builtin_entry, preset_entries};
use super::folder::Modules;
use super::layer::{LayerChain, in_file, layer, names};
use super::loosening;
use super::options::{ConfineClass, Journal, Mode, Options, Preset};
use super::order::{self, EntryPosition};
use super::overrides::Overrides;
use super::problem::nearest;
use super::project::project;
use super::remote::Remote;
use super::settings;
use super::signers;
use super::{Audit, AuditLevel, BypassAsk, Config, Undo};
use guard_contract::paths::absolute;
use guard_contract::policy::{Entry, SettingsSource, Source};
use guard_contract::scripts::Scripts;
use guard_contract::{Layer, Outcome, Problem};
use guard_platform::paths::{judged_text, native};
use guard_state::AppDirs;
use guard_state::session::Sessions;

/// The default size at which the audit log is rotated, in bytes.
const AUDIT_BYTES: u64 = 8 << 20;

/// The socket of the system's journal.
const JOURNAL: &str = "/run/systemd/journal/socket";

/// The default size of the cache in bytes, enough for two policies in Python.
const CACHE_BYTES: u64 = 128 << 20;

/// The default maximum of bytes copied for one call.
const UNDO_BYTES: u64 = 256 << 20;

/// The default maximum time that a call waits for its copies, in milliseconds.
const UNDO_MS: u32 = 150;

/// Loads the configuration that applies in these projects.
///
/// Always succeeds: an invalid layer is discarded, and [`Config::problems`] has the reason.
#[must_use]
pub fn load(dirs: &AppDirs, projects: &[String]) -> Config {
    load_with(dirs, projects, &Overrides::default())
}

/// Like [`load`], for a hook with overrides on its command line.
#[must_use]
pub fn load_with(dirs: &AppDirs, projects: &[String], overrides: &Overrides) -> Config {
    let mut config = Config::bare(dirs);
    let managed = layer(Layer::Managed, &dirs.managed, &dirs.home, &mut config);
    let mut user = layer(Layer::User, &dirs.config, &dirs.home, &mut config);
    let layer_files = (dirs.managed.as_path(), dirs.config.as_path());
    config.ineffective = loosening::drop_loosening(&managed, &mut user, layer_files);
    config.ineffective.extend(loosening::without_preset(&managed, &user, &dirs.managed));
    let files: Vec<PathBuf> =
        projects.iter().map(|root| AppDirs::project_file(root)).filter(|file| *file != dirs.config).collect();
    let of_projects: Vec<_> = files.iter().map(|file| project(file, dirs, &mut config)).collect();
    let disabled: Vec<Vec<String>> = of_projects.iter().map(|chain| chain.disabled.clone()).collect();
    let own = managed.arguments(false).chain(user.arguments(loosening::governs(&managed)));
    config.tools = own.chain(of_projects.iter().flat_map(|chain| chain.arguments(true))).collect();
    let of_projects: Vec<_> = of_projects.into_iter().flat_map(|chain| chain.entries).collect();
    let allows = [(Layer::Managed, &managed), (Layer::User, &user)];
    config.allows = allows.into_iter().flat_map(|(layer, of)| of.allows(layer, &dirs.home)).collect();
    config.locked = managed.options.lock.clone().unwrap_or_default();

    // The user's values are applied first, so that the managed ones win.
    apply(&user.options, (Layer::User, &dirs.config), dirs, &mut config);
    apply(&managed.options, (Layer::Managed, &dirs.managed), dirs, &mut config);
    find_remote(&managed.options, &user.options, dirs, &mut config);
    let trust = [
        ((Layer::Managed, dirs.managed.as_path()), managed.options.trust.clone()),
        ((Layer::User, dirs.config.as_path()), user.options.trust.clone()),
    ];
    config.entries = chain(managed, user, of_projects, dirs, overrides, &mut config);
    let void = loosening::allows(&config.allows, &config.entries, &config.locked, layer_files);
    config.ineffective.extend(void);
    for (file, disabled) in files.iter().zip(&disabled) {
        let of = (Layer::Project, file.as_path());
        config.ineffective.extend(loosening::switches(&config.entries, disabled, of, layer_files));
    }
    warn_of_unknown_policies(dirs, &mut config);
    for (of, trust) in trust {
        // Signers accumulate over the layers.
        config.signers.extend(signers::of(trust.as_ref()));
        if trust.is_some_and(|trust| trust.signed_only == Some(true)) {
            config.signed_only.push(config.signers.clone());
            config.inputs.push(signers::refuse(&mut config.entries, &config.signers, of, dirs));
        }
    }
    config.inputs.extend(signers::refuse_unproven(&mut config.entries, &config.signers, dirs));
    config
}

impl Config {
    /// Returns the configuration without any file and policy.
    #[must_use]
    pub fn bare(dirs: &AppDirs) -> Self {
        Config {
            entries: Vec::new(),
            tools: Vec::new(),
            allows: Vec::new(),
            locked: Vec::new(),
            signers: Vec::new(),
            signed_only: Vec::new(),
            on_malformed: None,
            bypass_ask: BypassAsk::Ask,
            scripts: Scripts::Changed,
            confine: Vec::new(),
            deadline_ms: loosening::DEADLINE_MS,
            audit: Audit {
                level: AuditLevel::Interventions,
                path: dirs.state.join("audit.jsonl"),
                max_bytes: AUDIT_BYTES,
                on_error: Outcome::Abstain,
                journal: None,
                state: dirs.state.clone(),
                policies: String::new(),
            },
            cache_bytes: CACHE_BYTES,
            undo: Undo {
                enabled: true,
                exclude: Vec::new(),
                max_bytes: UNDO_BYTES,
                max_ms: UNDO_MS,
                instead_of_ask: false,
            },
            sessions: Sessions::in_state(&dirs.state),
            remote: None,
            problems: Vec::new(),
            warnings: Vec::new(),
            ineffective: Vec::new(),
            disabled: Vec::new(),
            added_policies: Vec::new(),
            projects: Vec::new(),
            named: Vec::new(),
            project_files: Vec::new(),
            inputs: Vec::new(),
        }
    }
}

fn apply(options: &Options, of: (Layer, &Path), dirs: &AppDirs, config: &mut Config) {
    if let Some(value) = options.on_malformed {
        config.on_malformed = Some(value);
    }
    if let Some(value) = options.bypass_ask {
        config.bypass_ask = value;
    }
    if let Some(value) = options.scripts {
        config.scripts = value;
    }
    // A layer can add classes, but not remove those of another layer.
    let of_preset = (options.preset == Some(Preset::Confined)).then_some(&ConfineClass::ALL[..]);
    for class in options.confine.as_deref().or(of_preset).unwrap_or_default() {
        if !config.confine.contains(class) {
            config.confine.push(*class);
        }
    }
    if let Some(value) = options.deadline_ms {
        config.deadline_ms = value;
    }
    if let Some(value) = options.cache.as_ref().and_then(|cache| cache.max_bytes) {
        config.cache_bytes = value;
    }
    if let Some(audit) = &options.audit {
        if let Some(level) = audit.level {
            config.audit.level = level;
        }
        if let Some(path) = &audit.path {
            config.audit.path = written(("audit", "path"), path, of, dirs, &mut config.warnings);
        }
        if let Some(max_bytes) = audit.max_bytes {
            config.audit.max_bytes = max_bytes;
        }
        if let Some(on_error) = audit.on_error {
            config.audit.on_error = on_error.outcome();
        }
        if let Some(journal) = &audit.journal {
            config.audit.journal = match journal {
                Journal::System(is_on) => is_on.then(|| JOURNAL.into()),
                Journal::Socket(path) => Some(path.into()),
            };
        }
    }
    if let Some(undo) = &options.undo {
        let own = &mut config.undo;
        own.enabled = undo.enabled.unwrap_or(own.enabled);
        own.max_bytes = undo.max_bytes.unwrap_or(own.max_bytes);
        own.max_ms = undo.max_ms.unwrap_or(own.max_ms);
        own.instead_of_ask = undo.instead_of_ask.unwrap_or(own.instead_of_ask);
        own.exclude.extend(undo.exclude.iter().cloned());
    }
    if let Some(file) = options.session.as_ref().and_then(|session| session.file.as_ref()) {
        let file = written(("session", "file"), file, of, dirs, &mut config.warnings);
        if file == config.audit.path {
            let text = "`file` in `[session]` is the audit log".to_owned();
            config.warnings.push(in_file(of, text, "give each a file of its own"));
        }
        config.sessions = Sessions::File(file);
    }
}

/// Warns about an allow for a rule of a policy that isn't in the chain.
fn warn_of_unknown_policies(dirs: &AppDirs, config: &mut Config) {
    for allow in &config.allows {
        let file = if allow.layer == Layer::Managed { &dirs.managed } else { &dirs.config };
        let is_known = |policy: &str| {
            config.entries.iter().any(|entry| entry.name == policy) || guard_builtins::find(policy).is_some()
        };
        for rule in allow.rules.iter().filter(|rule| rule.split_once(':').is_none_or(|(policy, _)| !is_known(policy))) {
            let text = format!("`{rule}` in the `rules` of an `[[allow]]` is of a policy that the chain lacks");
            config.warnings.push(in_file((allow.layer, file), text, "correct the name before the colon"));
        }
    }
}

/// Uses the managed file's server, or else the user's.
fn find_remote(managed: &Options, user: &Options, dirs: &AppDirs, config: &mut Config) {
    let layers = [(Layer::Managed, &dirs.managed, managed), (Layer::User, &dirs.config, user)];
    for (layer, file, options) in layers {
        // An invalid table has made the layer invalid.
        let Some(Ok(remote)) = options.remote.as_ref().map(|remote| Remote::from_options(remote, &dirs.home)) else {
            continue;
        };
        if remote.timeout_ms >= config.deadline_ms {
            let (timeout, deadline) = (remote.timeout_ms, config.deadline_ms);
            let text = format!("`timeout-ms` in `[remote]` is {timeout}, and `deadline-ms` is {deadline}");
            let hint = "wait less long for the server, or give the call more time";
            config.problems.push(in_file((layer, file), text, hint));
        }
        // These files determine which server is trusted.
        config
            .named
            .extend([Some(&remote.token_file), remote.ca.as_ref()].into_iter().flatten().flat_map(|path| names(path)));
        config.remote = Some(remote);
        return;
    }
}

/// Returns the file in this key, to which guard-host writes. Only warns if something there isn't a file, because that
/// doesn't change verdicts.
fn written(
    (table, key): (&str, &str),
    text: &str,
    of: (Layer, &Path),
    dirs: &AppDirs,
    warnings: &mut Vec<Problem>,
) -> PathBuf {
    let state = dirs.state.to_string_lossy();
    let path = native(&absolute(&judged_text(text), &judged_text(&state), &dirs.home)).into_owned();
    if fs::symlink_metadata(&path).is_ok() && !fs::metadata(&path).is_ok_and(|data| data.is_file()) {
        let text = format!("`{key}` in `[{table}]` is `{text}`, which isn't a file");
        warnings.push(in_file(of, text, "name a file, or remove the key"));
    }
    path
}

/// Builds the chain: the managed policies, the user's, those that the hook's command line adds, and the projects'.
fn chain(
    managed: LayerChain,
    user: LayerChain,
    of_projects: Vec<Entry>,
    dirs: &AppDirs,
    overrides: &Overrides,
    config: &mut Config,
) -> Vec<Entry> {
    let (managed_mode, user_mode) = (managed.options.mode, user.options.mode);
    let configured: Vec<String> = managed.entries.iter().map(|entry| entry.name.clone()).collect();
    let locked = managed.options.lock.clone().unwrap_or_default();
    let default_preset = if managed.options.preset.is_some() { Preset::None } else { Preset::Standard };

    for name in managed.disabled.iter().filter(|name| locked.contains(name)) {
        config.ineffective.push(Problem {
            layer: Layer::Managed,
            place: dirs.managed.display().to_string(),
            text: format!("policy `{name}`: `enabled = false` has no effect, because `lock` lists the policy"),
            hint: "remove one of them".to_owned(),
        });
    }
    let mut chain = managed_chain(managed, dirs, config);
    // A user can make a policy fail, and confirm the ask that follows.
    let fails_closed = |entry: &&mut Entry| locked.contains(&entry.name) && !configured.contains(&entry.name);
    chain.iter_mut().filter(fails_closed).for_each(|entry| entry.on_error = Outcome::Deny);
    let mut users = user_chain(user, default_preset, (&chain, &locked), dirs, overrides, config);
    users.iter_mut().filter(fails_closed).for_each(|entry| entry.on_error = Outcome::Deny);
    for name in &locked {
        if chain.iter().chain(&users).any(|entry| entry.name == *name) {
            continue;
        }
        match guard_builtins::find(name) {
            Some(builtin) => {
                let watched = is_watched(managed_mode);
                let on_error = Outcome::Deny;
                chain.push(Entry { watched, on_error, ..builtin_entry(builtin, Layer::Managed) });
            }
            None => config.problems.push(unknown_lock(name, dirs)),
        }
    }
    chain.append(&mut users);
    add_overrides(&mut chain, overrides, dirs, config);
    chain.extend(of_projects);

    let managed_watches_all = managed_mode == Some(Mode::WatchAll);
    let user_watches_all = user_mode == Some(Mode::WatchAll);
    for entry in &mut chain {
        let by_layer = entry.watched || user_watches_all && entry.layer == Layer::Project;
        entry.watched = by_layer && config.may_loosen(entry.layer, entry)
            || managed_watches_all && config.may_loosen(Layer::Managed, entry);
    }
    chain
}

/// The policies of a layer with this mode are evaluated, but not enforced.
fn is_watched(mode: Option<Mode>) -> bool {
    mode.is_some_and(|mode| mode != Mode::Enforce)
}

/// The policies of the managed layer, in their order.
fn managed_chain(managed: LayerChain, dirs: &AppDirs, config: &mut Config) -> Vec<Entry> {
    let preset = managed.options.preset.unwrap_or(Preset::None);
    let mut chain = preset_entries(preset, Layer::Managed, is_watched(managed.options.mode));
    chain.retain(|entry| !managed.disabled.contains(&entry.name));
    replace_or_append(&mut chain, managed.entries, preset);
    put_in_order(&mut chain, &managed.order, &managed.disabled, (Layer::Managed, &dirs.managed), config);
    chain
}

/// The policies of the user's layer, in their order. It can't change the policies that the managed layer locks.
fn user_chain(
    user: LayerChain,
    default_preset: Preset,
    (managed, locked): (&[Entry], &[String]),
    dirs: &AppDirs,
    overrides: &Overrides,
    config: &mut Config,
) -> Vec<Entry> {
    let is_locked = |name: &String| locked.contains(name);
    let (locked_entries, mut entries): (Vec<_>, Vec<_>) =
        user.entries.into_iter().partition(|entry| is_locked(&entry.name));
    let (locked_disabled, disabled): (Vec<_>, Vec<_>) = user.disabled.into_iter().partition(is_locked);
    config.disabled.retain(|name| !locked_disabled.contains(name));
    let own = (Layer::User, dirs.config.as_path());
    config.ineffective.extend(loosening::switches(managed, &disabled, own, (&dirs.managed, &dirs.config)));
    config.disabled.retain(|name| !managed.iter().any(|entry| entry.name == *name));
    for name in locked_entries.into_iter().map(|entry| entry.name).chain(locked_disabled) {
        config.problems.push(Problem {
            layer: Layer::User,
            place: dirs.config.to_string_lossy().into_owned(),
            text: format!("policy `{name}` is locked by {}", dirs.managed.display()),
            hint: "remove the entry".to_owned(),
        });
    }

    let preset = user.options.preset.unwrap_or(default_preset);
    let mut chain = preset_entries(preset, Layer::User, is_watched(user.options.mode));
    chain.retain(|entry| !disabled.contains(&entry.name));
    let has_usual_settings = |entry: &&mut Entry| {
        entry.settings_source.is_usual && matches!(&entry.source, Source::Builtin(name) if *name == entry.name)
    };
    for entry in entries.iter_mut().filter(has_usual_settings) {
        find_settings(entry, overrides, dirs, config);
    }
    for entry in chain.iter_mut().filter(|entry| !entries.iter().any(|other| other.name == entry.name)) {
        find_settings(entry, overrides, dirs, config);
    }
    replace_or_append(&mut chain, entries, preset);
    put_in_order(&mut chain, &user.order, &disabled, (Layer::User, &dirs.config), config);
    chain
}

/// The problem of a lock on a policy that doesn't exist. The policy that was meant is open to everyone, so this is no
/// mere warning.
fn unknown_lock(name: &str, dirs: &AppDirs) -> Problem {
    let text = format!("`lock`: unknown policy `{name}`");
    let names: Vec<&str> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
    let hint = nearest(name, &names).map(|meant| format!("did you mean `{meant}`?"));
    let hint = hint.unwrap_or_else(|| "correct the name, or remove it".to_owned());
    in_file((Layer::Managed, &dirs.managed), text, &hint)
}

/// Adds the built-in policies that the hook names and the chain lacks. A disabled one stays disabled.
fn add_overrides(chain: &mut Vec<Entry>, overrides: &Overrides, dirs: &AppDirs, config: &mut Config) {
    for builtin in overrides.builtins().filter_map(guard_builtins::find) {
        // A project can neither replace nor disable a policy.
        let is_there = |entry: &Entry| entry.name == builtin.name && entry.layer != Layer::Project;
        if chain.iter().any(is_there) || config.disabled.iter().any(|name| name == builtin.name) {
            continue;
        }
        let mut entry = builtin_entry(builtin, Layer::User);
        find_settings(&mut entry, overrides, dirs, config);
        config.added_policies.push(entry.name.clone());
        chain.push(entry);
    }
}

/// Sorts a layer's entries by their requested positions. If that isn't possible, the layer is invalid.
fn put_in_order(
    entries: &mut Vec<Entry>,
    positions: &[EntryPosition],
    disabled: &[String],
    (layer, file): (Layer, &Path),
    config: &mut Config,
) {
    if let Err(text) = order::sort(entries, positions, disabled) {
        config.problems.push(order::problem(layer, file, text));
    }
}

/// Replaces entries of the same name and appends all others. The preset's settings for a built-in still apply.
fn replace_or_append(chain: &mut Vec<Entry>, entries: Vec<Entry>, preset: Preset) {
    for mut entry in entries {
        add_strict(&mut entry, preset);
        match chain.iter_mut().find(|other| other.name == entry.name) {
            Some(place) => *place = entry,
            None => chain.push(entry),
        }
    }
}

/// Loads the settings of a built-in policy without an entry from its default file.
///
/// Only in the user's layer, because a user's file must not loosen the managed one.
fn find_settings(entry: &mut Entry, overrides: &Overrides, dirs: &AppDirs, config: &mut Config) {
    let Some(file) = guard_builtins::find(&entry.name).and_then(|builtin| builtin.settings_file) else { return };
    let usual = native(&absolute(file, "/", &dirs.home)).into_owned();
    let beside = overrides.place(file);
    config.inputs.extend(beside.clone());
    let path = beside.filter(|path| path.exists()).unwrap_or(usual);
    let read = settings::read(Layer::User, &path, Modules::Judging);
    entry.settings = read.settings;
    let problem = read.problem.filter(|_| !read.is_missing);
    entry.settings_source = SettingsSource { file: path.clone(), is_usual: true, problem, ignored: Vec::new() };
    config.named.extend(read.inputs.iter().flat_map(|path| names(path)));
    config.inputs.extend(read.inputs);
}
