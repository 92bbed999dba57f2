//! Reads one `[[policy]]`: from its keys to a checked entry.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::builtin::builtin_entry;
use super::folder::Modules;
use super::lock::{self, Lock, LockedComponent};
use super::options::{self, OnError, PolicyMode, PolicyOptions};
use super::pins::{self, TrustLevel, lapsed_hint, trust_command};
use super::problem::nearest;
use super::settings;
use super::tools;
use guard_contract::grants::GrantSpec;
use guard_contract::paths::{absolute, is_below, lexical};
use guard_contract::policy::{Entry, SELF_PROTECT, SettingsSource, Source};
use guard_contract::{Layer, Limits, Outcome, Problem, Wasi};
use guard_platform::paths::{judged_text, native};
use guard_state::is_digest;

/// A layer's file, while its entries are read.
pub(super) struct LayerFile<'a> {
    layer: Layer,
    path: &'a Path,
    home: &'a str,
    trust_level: TrustLevel<'a>,
    /// The lock beside it, read on first use, by an entry with an address.
    lock: OnceCell<Result<Lock, LockProblem>>,
}

/// The reason why a file's lock can't be used.
enum LockProblem {
    /// The lock has changed since a person trusted it.
    NotTrusted(String),
    Broken(String),
}

impl<'a> LayerFile<'a> {
    pub(super) fn new(layer: Layer, path: &'a Path, home: &'a str, trust_level: TrustLevel<'a>) -> Self {
        LayerFile { layer, path, home, trust_level, lock: OnceCell::new() }
    }

    fn lock(&self, place: &Path) -> Result<&Lock, &LockProblem> {
        let read = || {
            let text = lock::text(place);
            // The bytes that are checked are the ones that are used.
            let digest = text.as_ref().ok().and_then(|text| Some(pins::digest_of(text.as_ref()?.as_bytes())));
            self.trust_level.check(place, digest.as_deref()).map_err(LockProblem::NotTrusted)?;
            if self.layer == Layer::Project && place.exists() && !lies_in_its_project(place, self.path) {
                return Err(LockProblem::Broken("it leads out of the project".to_owned()));
            }
            text.and_then(|text| Lock::parse(text.as_deref().unwrap_or_default())).map_err(LockProblem::Broken)
        };
        self.lock.get_or_init(read).as_ref()
    }
}

/// A checked entry.
pub(super) struct CheckedEntry {
    pub(super) entry: Entry,
    /// The files that it depends on.
    pub(super) inputs: Vec<PathBuf>,
    pub(super) warnings: Vec<Problem>,
}

/// Checks one `[[policy]]` and resolves its paths.
///
/// # Errors
///
/// The problem that makes the layer invalid.
pub(super) fn entry(layer_file: &LayerFile<'_>, options: PolicyOptions) -> Result<CheckedEntry, Problem> {
    let mut reader = Reader::new(layer_file, &options.name)?;
    let Component { source, address, locked, refused, pin } = reader.component(&options)?;
    reader.check_keys(&options, &source)?;
    let limits = reader.limits(&options)?;
    let on_error = options.on_error.map_or(Outcome::Ask, OnError::outcome);
    let (may_allow, grants) = reader.grants(&options, &source)?;
    let is_limited = layer_file.trust_level.is_limited(layer_file.layer);
    if is_limited {
        reader.check_limited(&options, on_error, limits, &grants)?;
    }
    let (settings, settings_source) = reader.settings(options.settings, options.settings_file.as_deref())?;
    let Reader { inputs, warnings, .. } = reader;
    let project = project_of(layer_file.path).filter(|_| layer_file.layer == Layer::Project).unwrap_or_default();
    let entry = Entry {
        name: options.name,
        layer: layer_file.layer,
        project: project.to_string_lossy().into_owned(),
        trusted: layer_file.layer == Layer::Project && !is_limited,
        source,
        // The component that is compiled must be the one that was checked here.
        signer: locked.as_ref().and_then(|locked| locked.signer.clone()),
        pinned: options.sha256.or(locked.map(|locked| locked.sha256)).map(|digest| digest.to_ascii_lowercase()).or(pin),
        address,
        refused,
        tools: options.tools,
        settings,
        settings_source,
        on_error,
        watched: options.mode == Some(PolicyMode::Watch),
        may_allow,
        wasi: options.wasi.map_or(Wasi::Absent, |options::Wasi::Frozen| Wasi::Frozen),
        limits,
        grants,
    };
    Ok(CheckedEntry { entry, inputs, warnings })
}

/// The component of an entry.
struct Component {
    source: Source,
    address: Option<String>,
    /// The lock's entry for its address.
    locked: Option<LockedComponent>,
    /// The reason why it must not be used.
    refused: Option<Problem>,
    /// The digest with which it was trusted.
    pin: Option<String>,
}

/// The reader of one `[[policy]]`.
struct Reader<'a> {
    layer_file: &'a LayerFile<'a>,
    name: String,
    inputs: Vec<PathBuf>,
    warnings: Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn new(layer_file: &'a LayerFile<'a>, name: &str) -> Result<Self, Problem> {
        let reader = Reader { layer_file, name: name.to_owned(), inputs: Vec::new(), warnings: Vec::new() };
        let is_name = !name.is_empty()
            && name.len() <= 64
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !is_name {
            let text = "the name is missing or has other characters than a-z, 0-9 and `-`";
            return Err(reader.problem(text, "give a `name`"));
        }
        Ok(reader)
    }

    /// Creates a problem of the entry.
    fn problem(&self, text: &str, hint: &str) -> Problem {
        self.nameless(format!("policy `{}`: {text}", self.name), hint.to_owned())
    }

    /// Creates the problem of lapsed trust in the file.
    fn lapsed(&self, text: &str) -> Problem {
        self.problem(text, &lapsed_hint(self.layer_file.path))
    }

    /// Creates a problem without the policy's name, for messages that contain it anyway.
    fn nameless(&self, text: String, hint: String) -> Problem {
        Problem { layer: self.layer_file.layer, place: self.layer_file.path.to_string_lossy().into_owned(), text, hint }
    }

    /// Resolves a path relative to the file's folder.
    fn resolve(&self, path: &str) -> PathBuf {
        let beside = self.layer_file.path.parent().unwrap_or(Path::new("/")).to_string_lossy();
        // The folder of a file that will be written may not exist yet, so `..` can only be resolved by text.
        let resolve = if Path::new(&*beside).exists() { absolute } else { lexical };
        native(&resolve(&judged_text(path), &judged_text(&beside), self.layer_file.home)).into_owned()
    }

    fn component(&mut self, options: &PolicyOptions) -> Result<Component, Problem> {
        let source = options.source.as_deref();
        if let Some(address) = source.filter(|source| lock::is_address(source)) {
            return self.fetched(address);
        }
        let source = match source {
            None => Source::Builtin(self.name.clone()),
            Some(source) if source.contains("://") => {
                let schemes = lock::SCHEMES.map(|scheme| format!("{scheme}://")).join(", ");
                let text = format!("`source` is `{}`, which isn't a known address", source.escape_debug());
                return Err(self.problem(&text, &format!("give a path, or one of: {schemes}")));
            }
            Some(source) => match source.strip_prefix("builtin:") {
                Some(builtin) => Source::Builtin(builtin.to_owned()),
                None => Source::File(self.resolve(source)),
            },
        };
        let mut pin = None;
        match &source {
            Source::Builtin(builtin) if guard_builtins::find(builtin).is_none() => {
                let names: Vec<&str> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
                let is_switch = options.source.is_none() && options.enabled == Some(false);
                let hint = match nearest(builtin, &names) {
                    _ if self.layer_file.layer == Layer::Project && is_switch => {
                        "a project's file can't switch off a policy of another file: remove the entry".to_owned()
                    }
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("add `source = \"FILE.wasm\"`, or use one of: {}", names.join(", ")),
                };
                return Err(self.problem(&format!("there is no built-in `{builtin}`"), &hint));
            }
            Source::Builtin(_) => {}
            Source::File(path) => {
                if matches!(self.layer_file.trust_level, TrustLevel::Pinned(_)) {
                    let checked = self.layer_file.trust_level.check(path, pins::digest(path).as_deref());
                    pin = checked.map_err(|text| self.lapsed(&text))?;
                }
                if !path.is_file() {
                    let text = format!(
                        "`source` names no component: there is no `{}`, so its `on-error` answers",
                        path.display()
                    );
                    self.warnings.push(self.problem(&text, "put the component there, or correct `source`"));
                }
                self.inputs.push(path.clone());
            }
        }
        Ok(Component { source, address: None, locked: None, refused: None, pin })
    }

    /// Returns the component that was fetched from an address, pinned by the digest in the lock.
    fn fetched(&mut self, address: &str) -> Result<Component, Problem> {
        let file = self.layer_file.path;
        let path = Lock::file(file);
        let (mut locked, mut refused) = (None, None);
        match self.layer_file.lock(&path) {
            Ok(lock) => locked = lock.find(&self.name, address).cloned(),
            Err(LockProblem::NotTrusted(text)) => return Err(self.lapsed(text)),
            Err(LockProblem::Broken(text)) => {
                let text = format!("`{}` cannot be used: {text}", path.display());
                let hint = "restore the file, for example from your repository".to_owned();
                refused = Some(self.nameless(text, hint));
            }
        }
        self.inputs.push(path);
        let component = match &locked {
            Some(locked) => locked.component(file),
            None => {
                let place = if self.layer_file.layer == Layer::Project { " --project" } else { "" };
                let hint = format!("run `guard-host policy update {}{place}`", self.name);
                refused.get_or_insert_with(|| self.nameless(format!("guard.lock has no `{address}` for it"), hint));
                lock::fetched(file)
            }
        };
        if refused.is_none() && !component.is_file() {
            let (text, hint) = ("it is not on this machine yet", "run `guard-host policy fetch`");
            refused = Some(self.nameless(text.to_owned(), hint.to_owned()));
        }
        self.inputs.push(component.clone());
        let source = Source::File(component);
        Ok(Component { source, address: Some(address.to_owned()), locked, refused, pin: None })
    }

    /// Checks the values of the keys.
    fn check_keys(&self, options: &PolicyOptions, source: &Source) -> Result<(), Problem> {
        let refuse = |text: &str, hint: &str| Err(self.problem(text, hint));
        if options.sha256.as_ref().is_some_and(|digest| !is_digest(digest)) {
            return refuse("invalid `sha256`", "give 64 hexadecimal digits");
        }
        if options.mode == Some(PolicyMode::Watch) && *source == Source::Builtin(SELF_PROTECT.to_owned()) {
            return refuse(
                "`mode` is `watch`, and self-protect always stops what it must",
                "remove the key, or write `enabled = false`",
            );
        }
        if options.tools.as_ref().is_some_and(Vec::is_empty) {
            return refuse(
                "`tools` is empty, so the policy would never be asked",
                "name a tool, or write `enabled = false`",
            );
        }
        for pattern in options.tools.iter().flatten() {
            if let Err((text, hint)) = tools::check(pattern) {
                return refuse(&format!("`tools`: {text}"), &hint);
            }
        }
        let is_told =
            matches!(source, Source::Builtin(name) if guard_builtins::find(name).is_some_and(|known| known.places));
        if is_told && options.settings.as_ref().is_some_and(|settings| settings.contains_key("places")) {
            return refuse("guard-host itself fills in `places` in its `settings`", "remove the key");
        }
        if options.settings.is_some() && options.settings_file.is_some() {
            return refuse("both `settings` and `settings-file` are given", "keep one of them");
        }
        Ok(())
    }

    fn limits(&self, options: &PolicyOptions) -> Result<Limits, Problem> {
        let given = options.limits.as_ref();
        let limits = Limits {
            time_ms: given.and_then(|limits| limits.time_ms).unwrap_or(Limits::DEFAULT.time_ms),
            memory_mib: given.and_then(|limits| limits.memory_mib).unwrap_or(Limits::DEFAULT.memory_mib),
        };
        if !(10..=1500).contains(&limits.time_ms) || !(1..=1024).contains(&limits.memory_mib) {
            return Err(self.problem("a limit is out of range", "time-ms is 10 to 1500, memory-mib 1 to 1024"));
        }
        Ok(limits)
    }

    /// Returns whether its allow may skip the prompt, and its grants. A built-in policy's metadata gives the defaults,
    /// as in a preset. In a project's file, only named grants apply.
    fn grants(&self, options: &PolicyOptions, source: &Source) -> Result<(bool, GrantSpec), Problem> {
        let usual = match source {
            Source::Builtin(name) if self.layer_file.layer != Layer::Project => {
                guard_builtins::find(name).map(|found| builtin_entry(found, self.layer_file.layer))
            }
            _ => None,
        };
        let may_allow = options.may_allow.unwrap_or(usual.as_ref().is_some_and(|usual| usual.may_allow));
        let grants = options.grants.clone().or(usual.map(|usual| usual.grants)).unwrap_or_default();
        // Without this, a grant that never applies would only be noticed when the policy lacks it.
        match grants.void() {
            Some(void) => {
                let hint = "a path is absolute, or begins with `~/`, `${NAME}` or `./` for the project; a folder grants \
                            all below it";
                Err(self.problem(&format!("`grants`: `{void}` can never hold"), hint))
            }
            None => Ok((may_allow, grants)),
        }
    }

    /// Checks that the entry stays within the limits of an untrusted project's file.
    fn check_limited(
        &self,
        options: &PolicyOptions,
        on_error: Outcome,
        limits: Limits,
        grants: &GrantSpec,
    ) -> Result<(), Problem> {
        let is_above = limits.time_ms > Limits::DEFAULT.time_ms || limits.memory_mib > Limits::DEFAULT.memory_mib;
        let text = if on_error == Outcome::Abstain {
            "`on-error = \"allow\"` needs trust"
        } else if options.may_allow == Some(true) {
            "`may-allow` needs trust"
        } else if options.wasi.is_some() {
            "`wasi` needs trust"
        } else if is_above {
            "limits above the defaults need trust"
        } else if !grants.env.is_empty() || !grants.journal.is_empty() {
            "grants other than `read` need trust"
        } else {
            return Ok(());
        };
        let command = trust_command(self.layer_file.path);
        let hint = format!("review the file and run `{command}`, or move the entry to your own guard.toml");
        Err(self.problem(text, &hint))
    }

    /// Returns its settings as JSON, with their location.
    fn settings(
        &mut self,
        table: Option<toml::Table>,
        file: Option<&str>,
    ) -> Result<(String, SettingsSource), Problem> {
        let own = SettingsSource { file: self.layer_file.path.to_path_buf(), ..SettingsSource::default() };
        match (table, file) {
            (Some(table), _) => {
                let value = settings::table_to_json(table);
                let value: Value = value.map_err(|error| self.problem(&format!("`settings`: {error}"), ""))?;
                Ok((value.to_string(), own))
            }
            (None, Some(path)) => {
                let path = self.resolve(path);
                let is_limited = self.layer_file.trust_level.is_limited(self.layer_file.layer);
                if is_limited && !lies_in_its_project(&path, self.layer_file.path) {
                    let text = "`settings-file` is outside of the project";
                    return Err(self.problem(text, "put the file into the project"));
                }
                let read = settings::read(self.layer_file.layer, &path, Modules::Judging);
                let checked = self.layer_file.trust_level.check(&path, read.sha256.as_deref());
                checked.map_err(|text| self.lapsed(&text))?;
                self.inputs.extend(read.inputs);
                Ok((read.settings, SettingsSource { file: path, problem: read.problem, ..own }))
            }
            (None, None) => {
                Ok(("{}".to_owned(), SettingsSource { is_usual: self.layer_file.layer == Layer::User, ..own }))
            }
        }
    }
}

/// Returns the project's root, from the path of its configuration.
fn project_of(config: &Path) -> Option<PathBuf> {
    config.parent().and_then(Path::parent).map(Path::to_path_buf)
}

/// Returns whether the file is in the project whose configuration is `config`, both as written and with links resolved.
pub(super) fn lies_in_its_project(path: &Path, config: &Path) -> bool {
    let Some(root) = project_of(config) else { return false };
    let text = |path: &Path| path.to_str().map(|path| lexical(&judged_text(path), "/", ""));
    let (Some(path_text), Some(root_text)) = (text(path), text(&root)) else { return false };
    let real = |path: &str| std::fs::canonicalize(native(path)).ok().and_then(|path| text(&path));
    let leads_out = match (real(&path_text), real(&root_text)) {
        (Some(path), Some(root)) => !is_below(&path, &root),
        // A file that doesn't exist isn't read.
        _ => false,
    };
    is_below(&path_text, &root_text) && !leads_out
}
