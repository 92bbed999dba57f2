//! One layer: from the text of a file to checked entries.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use semver::Version;

use super::folder::Modules;
use super::load::of_builtin;
use super::lock::{self, Lock};
use super::options::{self, AllowOptions, OnError, Options, PolicyMode, PolicyOptions};
use super::problem::{nearest, of_toml};
use super::remote::Remote;
use super::settings;
use super::signers;
use super::tools;
use super::trust::{self, Pins};
use guard_contract::Outcome;
use guard_contract::Problem;
use guard_contract::allow::{Allow, SELF_PROTECT};
use guard_contract::paths::{absolute, is_below, lexical};
use guard_contract::policy::{Entry, Layer, SettingsSource, Source};
use guard_contract::{Limits, Wasi};

/// What to do where trust has lapsed.
pub(super) const LOOK: &str = "look at what has changed, then run `guard-host trust`";

/// The most entries of a project's file.
pub const PROJECT_ENTRIES: usize = 16;

/// The least size at which the audit log is rotated.
const AUDIT_BYTES: u64 = 4096;

/// How far a layer's file is believed.
#[derive(Debug, Clone, Copy)]
pub enum TrustLevel<'a> {
    /// As far as its layer says; a project's file can only tighten.
    OfLayer,
    /// A project's file that is looked at in order to be trusted.
    Candidate,
    /// A project's file that is trusted as long as all files are those that were pinned.
    Pinned(&'a Pins),
}

/// A layer's file, while its entries are read.
pub(super) struct LayerFile<'a> {
    pub(super) layer: Layer,
    pub(super) path: &'a Path,
    pub(super) home: &'a str,
    pub(super) standing: TrustLevel<'a>,
    /// The lock beside it, which is read once, when the first entry with an address wants it.
    lock: OnceCell<Result<Lock, LockProblem>>,
}

/// Why the lock of a file gives nothing.
enum LockProblem {
    /// It has changed since a person trusted it.
    NotTrusted(String),
    Broken(String),
}

impl<'a> LayerFile<'a> {
    pub(super) fn new(layer: Layer, path: &'a Path, home: &'a str, standing: TrustLevel<'a>) -> Self {
        LayerFile { layer, path, home, standing, lock: OnceCell::new() }
    }

    fn lock(&self, place: &Path) -> Result<&Lock, &LockProblem> {
        let read = || {
            let text = lock::text(place);
            // What is checked and what is used are the same bytes.
            let digest = text.as_ref().ok().and_then(|text| Some(trust::digest_of(text.as_ref()?.as_bytes())));
            self.standing.check(place, digest.as_deref()).map_err(LockProblem::NotTrusted)?;
            if self.layer == Layer::Project && place.exists() && !lies_in_its_project(place, self.path) {
                return Err(LockProblem::Broken("it leads out of the project".to_owned()));
            }
            text.and_then(|text| Lock::parse(text.as_deref().unwrap_or_default())).map_err(LockProblem::Broken)
        };
        self.lock.get_or_init(read).as_ref()
    }
}

/// Reads one layer's text.
///
/// # Errors
///
/// The problem for which the layer is dropped.
pub fn parse(layer: Layer, file: &Path, text: &str, standing: TrustLevel<'_>) -> Result<Options, Problem> {
    let name = file.to_string_lossy();
    let toml_problem = |error: toml::de::Error| of_toml(layer, &name, text, &error);
    let refuse = |text: String, hint: &str| {
        Err(Problem { layer, place: name.clone().into_owned(), text, hint: hint.to_owned() })
    };
    // The version comes first: a newer file may hold keys that are not known yet.
    let table: toml::Table = toml::from_str(text).map_err(toml_problem)?;
    if let Some(version) = table.get("min-version").and_then(toml::Value::as_str) {
        let have = env!("CARGO_PKG_VERSION");
        let wanted = match Version::parse(version) {
            Ok(wanted) => wanted,
            Err(error) => {
                let text = format!("`min-version` is `{version}`, which is no version: {error}");
                return refuse(text, "give three numbers, as in `0.1.0`");
            }
        };
        if !Version::parse(have).is_ok_and(|have| wanted.cmp_precedence(&have).is_le()) {
            return refuse(
                format!("the file needs guard-host {version}, this is {have}"),
                "update guard-host, or lower `min-version`",
            );
        }
    }
    let options: Options = toml::from_str(text).map_err(toml_problem)?;
    if let Some(ms) = options.deadline_ms
        && !(100..=2000).contains(&ms)
    {
        return refuse(format!("`deadline-ms` is {ms}"), "give a number from 100 to 2000");
    }
    if let Some(bytes) = options.audit.as_ref().and_then(|audit| audit.max_bytes)
        && bytes < AUDIT_BYTES
    {
        return refuse(format!("`max-bytes` is {bytes}"), "give at least 4096");
    }
    let written = [
        ("audit", "path", options.audit.as_ref().and_then(|audit| audit.path.as_deref())),
        ("session", "file", options.session.as_ref().and_then(|session| session.file.as_deref())),
    ];
    for (table, key, path) in written {
        if let Some(path) = path.filter(|path| !is_path(path)) {
            let text = format!("`{key}` in `[{table}]` is `{path}`, which is no path of a file");
            return refuse(text, "give a path from `/`, from `~/`, or below the folder of the state");
        }
        if let Some(path) = path.filter(|path| is_configuration(path)) {
            return refuse(
                format!("`{key}` in `[{table}]` is `{path}`, which is the name of a configuration"),
                "give a file of its own: it is written to at every ask",
            );
        }
    }
    if layer != Layer::Managed && options.lock.is_some() {
        return refuse("`lock` stands outside the managed file".to_owned(), "remove the key");
    }
    for options in &options.allow {
        if let Err((text, hint)) = allow(layer, options).checked("") {
            return refuse(text, &hint);
        }
    }
    if let Some(Err((text, hint))) = options.remote.as_ref().map(|remote| Remote::of(remote, "")) {
        return refuse(text, hint);
    }
    for signer in options.trust.iter().flat_map(|trust| &trust.signers) {
        let is_name = signer.name.len() <= 64 && signer.name.bytes().all(|byte| byte.is_ascii_graphic());
        if signer.name.is_empty() || !is_name || !signers::is_key(signer.key.trim()) {
            let hint = "give a name without blanks, and the lines of a PEM between the first and the last as one text";
            let name = signer.name.escape_debug();
            return refuse(format!("`signers` in `[trust]`: `{name}` has no public key of Ed25519 or P-256"), hint);
        }
    }
    for tool in &options.tool {
        if let Err((text, hint)) = tools::arguments(tool) {
            return refuse(text, &hint);
        }
    }
    if layer == Layer::Project {
        let given = [
            ("preset", options.preset.is_some()),
            ("mode", options.mode.is_some()),
            ("on-malformed", options.on_malformed.is_some()),
            ("bypass-ask", options.bypass_ask.is_some()),
            ("deadline-ms", options.deadline_ms.is_some()),
            ("audit", options.audit.is_some()),
            ("session", options.session.is_some()),
            ("remote", options.remote.is_some()),
            ("trust", options.trust.is_some()),
            ("allow", !options.allow.is_empty()),
        ];
        if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
            return refuse(
                format!("`{key}` stands in a project's file"),
                "a project's file holds `min-version`, `[[tool]]` and `[[policy]]` only; set the key in your own guard.toml",
            );
        }
        if options.policy.len() > PROJECT_ENTRIES && standing.is_limited(layer) {
            let hint = "merge some of them, or let the user run `guard-host trust`";
            return refuse(format!("more than {PROJECT_ENTRIES} policies in a project's file"), hint);
        }
        if options.tool.len() > PROJECT_ENTRIES && standing.is_limited(layer) {
            let hint = "merge some of them, or let the user run `guard-host trust`";
            return refuse(format!("more than {PROJECT_ENTRIES} entries for tools in a project's file"), hint);
        }
    }
    Ok(options)
}

/// An `[[allow]]` as it is written.
pub(super) fn allow(layer: Layer, options: &AllowOptions) -> Allow {
    Allow {
        layer,
        rules: options.rules.clone(),
        command: options.command.clone(),
        targets: options.targets.clone(),
        within: options.within.clone(),
        why: options.why.clone(),
        until: options.until.clone(),
    }
}

/// Checks one `[[policy]]` and resolves its paths. Files that it depends on go to `inputs`.
///
/// # Errors
///
/// The problem for which the layer is dropped.
pub(super) fn entry(
    of: &LayerFile<'_>,
    options: PolicyOptions,
    inputs: &mut Vec<PathBuf>,
    warnings: &mut Vec<String>,
) -> Result<Entry, Problem> {
    let LayerFile { layer, path: file, home, standing, .. } = *of;
    let name = options.name.clone();
    let is_limited = standing.is_limited(layer);
    let refuse = |text: &str, hint: &str| {
        let text = format!("policy `{name}`: {text}");
        Err(Problem { layer, place: file.to_string_lossy().into_owned(), text, hint: hint.to_owned() })
    };
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !is_name {
        return refuse("the name is missing or has other characters than a-z, 0-9 and `-`", "give a `name`");
    }
    let beside = file.parent().unwrap_or(Path::new("/")).to_string_lossy();
    // The folder of a file that is yet to be written may not be there, and then nothing lies beside it by `..`.
    let is_there = Path::new(&*beside).exists();
    let resolve =
        |path: &str| PathBuf::from(if is_there { absolute(path, &beside, home) } else { lexical(path, &beside, home) });
    let address = options.source.clone().filter(|source| lock::is_address(source));
    let problem =
        |text: String, hint: String| Problem { layer, place: file.to_string_lossy().into_owned(), text, hint };
    let mut refused = None;
    let mut locked = None;
    if let Some(address) = &address {
        let path = Lock::file(file);
        match of.lock(&path) {
            Ok(lock) => locked = lock.find(&name, address).cloned(),
            Err(LockProblem::NotTrusted(text)) => return refuse(text, LOOK),
            Err(LockProblem::Broken(text)) => {
                let text = format!("`{}` cannot be used: {text}", path.display());
                refused = Some(problem(text, "restore the file, for example from your repository".to_owned()));
            }
        }
        inputs.push(path);
    }
    let source = match options.source.as_deref() {
        None => Source::Builtin(name.clone()),
        Some(source) if address.is_some() => match &locked {
            Some(locked) => Source::File(locked.component(file)),
            None => {
                refused.get_or_insert_with(|| {
                    problem(format!("guard.lock has no `{source}` for it"), {
                        let place = if layer == Layer::Project { " --project" } else { "" };
                        format!("run `guard-host policy update {name}{place}`")
                    })
                });
                Source::File(lock::fetched(file))
            }
        },
        Some(source) if source.contains("://") => {
            let hint =
                format!("give a path, or one of: {}", lock::SCHEMES.map(|scheme| format!("{scheme}://")).join(", "));
            let source = source.escape_debug();
            return refuse(&format!("`source` is `{source}`, which is no address that is known"), &hint);
        }
        Some(source) => match source.strip_prefix("builtin:") {
            Some(builtin) => Source::Builtin(builtin.to_owned()),
            None => Source::File(resolve(source)),
        },
    };
    let mut pin = None;
    match &source {
        Source::Builtin(builtin) if guard_builtins::find(builtin).is_none() => {
            let names: Vec<&str> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
            let hint = match nearest(builtin, &names) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("give a component file as `source`, or one of: {}", names.join(", ")),
            };
            return refuse(&format!("there is no built-in `{builtin}`"), &hint);
        }
        Source::Builtin(_) => {}
        // What a lock names by its digest is pinned by the lock.
        Source::File(path) if address.is_some() => {
            if refused.is_none() && !path.is_file() {
                refused = Some(problem(
                    "it is not on this machine yet".to_owned(),
                    "run `guard-host policy fetch`".to_owned(),
                ));
            }
            inputs.push(path.clone());
        }
        Source::File(path) => {
            if matches!(standing, TrustLevel::Pinned(_)) {
                pin = match standing.check(path, trust::digest(path).as_deref()) {
                    Ok(pin) => pin,
                    Err(text) => return refuse(&text, LOOK),
                };
            }
            if !path.is_file() {
                let file = path.display();
                warnings.push(format!("policy `{name}`: there is no component `{file}`, so its `on-error` answers"));
            }
            inputs.push(path.clone());
        }
    }
    if let Some(digest) = &options.sha256
        && (digest.len() != 64 || !digest.chars().all(|c| c.is_ascii_hexdigit()))
    {
        return refuse("`sha256` is no digest", "give 64 hexadecimal digits");
    }
    if options.mode == Some(PolicyMode::Watch) && source == Source::Builtin(SELF_PROTECT.to_owned()) {
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
        matches!(&source, Source::Builtin(name) if guard_builtins::find(name).is_some_and(|known| known.places));
    if is_told && options.settings.as_ref().is_some_and(|settings| settings.contains_key("places")) {
        return refuse("`places` stands in its `settings`, and guard-host fills it in", "remove the key");
    }
    if options.settings.is_some() && options.settings_file.is_some() {
        return refuse("both `settings` and `settings-file` are given", "keep one of them");
    }
    let limits = options.limits.unwrap_or_default();
    let limits = Limits {
        time_ms: limits.time_ms.unwrap_or(Limits::DEFAULT.time_ms),
        memory_mib: limits.memory_mib.unwrap_or(Limits::DEFAULT.memory_mib),
    };
    if !(10..=1500).contains(&limits.time_ms) || !(1..=1024).contains(&limits.memory_mib) {
        return refuse("a limit is out of range", "time-ms is 10 to 1500, memory-mib 1 to 1024");
    }
    let on_error = options.on_error.map_or(Outcome::Ask, OnError::outcome);
    // Of a built-in holds what its metadata says of it, as in a preset; a project gives nothing that it does not name.
    let usual = match &source {
        Source::Builtin(name) if layer != Layer::Project => {
            guard_builtins::find(name).map(|found| of_builtin(found, layer))
        }
        _ => None,
    };
    let may_allow = options.may_allow.unwrap_or(usual.as_ref().is_some_and(|usual| usual.may_allow));
    let grants = options.grants.or(usual.map(|usual| usual.grants)).unwrap_or_default();
    // A grant that is void would be found only by the policy that lacks it.
    if let Some(void) = grants.void() {
        let hint =
            "a path is absolute, or begins with `~/`, `${NAME}` or `./` for the project; a folder grants all below it";
        return refuse(&format!("`grants`: `{void}` can never hold"), hint);
    }
    if is_limited {
        let hint = "put the entry into your own guard.toml, or look at the file and run `guard-host trust`";
        if on_error == Outcome::Abstain {
            return refuse("`on-error = \"allow\"` stands in a project's file", hint);
        }
        if options.may_allow == Some(true) {
            return refuse("`may-allow` stands in a project's file", hint);
        }
        if options.wasi.is_some() {
            return refuse("`wasi` stands in a project's file", hint);
        }
        if limits.time_ms > Limits::DEFAULT.time_ms || limits.memory_mib > Limits::DEFAULT.memory_mib {
            return refuse("limits above the defaults stand in a project's file", hint);
        }
        if !grants.env.is_empty() || !grants.journal.is_empty() {
            return refuse("grants other than `read` stand in a project's file", hint);
        }
    }
    let mut source_of_settings = SettingsSource { file: file.to_path_buf(), ..SettingsSource::default() };
    let settings = match (options.settings, &options.settings_file) {
        (Some(table), _) => match settings::of_table(table) {
            Ok(value) => value.to_string(),
            Err(error) => return refuse(&format!("`settings`: {error}"), ""),
        },
        (None, Some(path)) => {
            let path = resolve(path);
            if is_limited && !lies_in_its_project(&path, file) {
                return refuse("`settings-file` lies outside of the project", "put the file into the project");
            }
            let read = settings::read(layer, &path, Modules::Judging);
            if let Err(text) = standing.check(&path, read.sha256.as_deref()) {
                return refuse(&text, LOOK);
            }
            source_of_settings.problem = read.problem;
            source_of_settings.file = path;
            inputs.extend(read.inputs);
            read.settings
        }
        (None, None) => {
            source_of_settings.is_usual = layer == Layer::User;
            "{}".to_owned()
        }
    };
    let project = project_of(file).filter(|_| layer == Layer::Project).unwrap_or_default();
    Ok(Entry {
        name,
        layer,
        project: project.to_string_lossy().into_owned(),
        trusted: layer == Layer::Project && !is_limited,
        source,
        // What was looked at a moment ago is what must be compiled.
        signer: locked.as_ref().and_then(|locked| locked.signer.clone()),
        pinned: options.sha256.or(locked.map(|locked| locked.sha256)).map(|digest| digest.to_ascii_lowercase()).or(pin),
        address,
        refused,
        tools: options.tools,
        settings,
        settings_source: source_of_settings,
        on_error,
        watched: options.mode == Some(PolicyMode::Watch),
        may_allow,
        wasi: options.wasi.map_or(Wasi::Absent, |options::Wasi::Frozen| Wasi::Frozen),
        limits,
        grants,
    })
}

impl TrustLevel<'_> {
    /// The layer is a project's, and nobody trusts it.
    pub(super) fn is_limited(&self, layer: Layer) -> bool {
        layer == Layer::Project && matches!(self, TrustLevel::OfLayer)
    }
}

/// A file of this name is somebody's configuration, which nothing may be written to.
fn is_path(path: &str) -> bool {
    let is_of_somebody = path.starts_with('~') && !path.starts_with("~/");
    !path.is_empty() && !path.ends_with('/') && !is_of_somebody && !path.contains(char::is_control)
}

fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".toml") || (name.starts_with("settings") && name.ends_with(".json"))
}

/// The project's root, by the place of its configuration.
fn project_of(config: &Path) -> Option<PathBuf> {
    config.parent().and_then(Path::parent).map(Path::to_path_buf)
}

/// The file lies in the project whose configuration is `config`, by its text and by where links lead.
pub(super) fn lies_in_its_project(path: &Path, config: &Path) -> bool {
    let Some(root) = project_of(config) else { return false };
    let text = |path: &Path| path.to_str().map(|path| lexical(path, "/", ""));
    let (Some(path_text), Some(root_text)) = (text(path), text(&root)) else { return false };
    let real = |path: &str| std::fs::canonicalize(path).ok().and_then(|path| text(&path));
    let leads_out = match (real(&path_text), real(&root_text)) {
        (Some(path), Some(root)) => !is_below(&path, &root),
        // What does not exist is not read either.
        _ => false,
    };
    is_below(&path_text, &root_text) && !leads_out
}
