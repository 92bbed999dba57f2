//! The hook's command line in the form that is registered in harnesses: `[--FLAG VALUE]... hook [HARNESS] [--FLAG
//! VALUE]...`.
//!
//! Parsed by hand, because a command line parser takes longer than the chain's verdict. Any other form is left to the
//! commands' parser, which reports errors.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use guard_builtins::Builtin;
use guard_config::Overrides;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::environment::Environment;

use crate::hook::HookOptions;

/// The options of a hook's command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookLine {
    /// The user's configuration file.
    pub config: Option<PathBuf>,
    /// The state folder.
    pub state: Option<PathBuf>,
    /// The cache folder.
    pub cache: Option<PathBuf>,
    /// The harness.
    pub harness: Option<String>,
    /// The policies to ask, or empty for all.
    pub only: Vec<String>,
    /// A folder with settings files of built-in policies.
    pub settings: Option<PathBuf>,
    /// The folder in which payloads are recorded as fixtures.
    pub record: Option<PathBuf>,
}

impl HookLine {
    /// Parses a command line that starts with the program's name. `None` if it has another form.
    #[must_use]
    pub fn read(arguments: &[OsString]) -> Option<Self> {
        let mut line = HookLine::default();
        let mut is_hook = false;
        let mut words = arguments.iter().skip(1);
        while let Some(word) = words.next() {
            let is_value = |value: &&OsString| !value.is_empty() && !value.to_string_lossy().starts_with('-');
            let mut value = || words.next().filter(is_value).cloned();
            match word.to_str()? {
                "--config" if line.config.is_none() => line.config = Some(value()?.into()),
                "--state" if line.state.is_none() => line.state = Some(value()?.into()),
                "--cache" if line.cache.is_none() => line.cache = Some(value()?.into()),
                "--only" if is_hook => line.only.extend(value()?.to_str()?.split(',').map(str::to_owned)),
                "--settings-dir" if is_hook && line.settings.is_none() => line.settings = Some(value()?.into()),
                "--record" if is_hook && line.record.is_none() => line.record = Some(value()?.into()),
                "hook" if !is_hook => is_hook = true,
                name if is_hook && line.harness.is_none() && !name.starts_with('-') => {
                    line.harness = Some(name.to_owned());
                }
                _ => return None,
            }
        }
        is_hook.then_some(line)
    }

    /// Turns the command line into options, with its paths resolved.
    #[must_use]
    pub fn options(self, environment: &Environment) -> HookOptions {
        let dirs = dirs([&self.config, &self.state, &self.cache], environment);
        let only = (!self.only.is_empty()).then_some(self.only);
        let settings = self.settings.map(|folder| native(&environment.cwd).join(folder));
        let overrides = Overrides { only, settings };
        HookOptions { harness: self.harness, overrides, record: self.record, dirs: Some(dirs) }
    }
}

/// Returns the program's paths, with these overrides: the configuration file, the state folder, the cache folder.
#[must_use]
pub fn dirs([config, state, cache]: [&Option<PathBuf>; 3], environment: &Environment) -> AppDirs {
    let absolute = |path: &PathBuf| native(&environment.cwd).join(path);
    let usual = AppDirs::under_home(&environment.home);
    let state = state.as_ref().map_or(usual.state, absolute);
    AppDirs {
        config: config.as_ref().map_or(usual.config, absolute),
        trust: state.clone(),
        state,
        cache: cache.as_ref().map_or(usual.cache, absolute),
        ..usual
    }
}

/// The folder beside a script with its settings.
pub const SETTINGS_FOLDER: &str = "config";

/// Returns the command line for a program name that replaces a script: the hook with one built-in policy and the
/// settings beside the script, or `confirm`. The script's arguments are options and the name of a harness.
///
/// `None` if the program has another name, or a command is given.
#[must_use]
pub fn by_name(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (path, rest) = arguments.split_first()?;
    let path = Path::new(path);
    let is_confirming = |builtin: &Builtin| builtin.confirmed_by.is_some() && builtin.confirmed_by == own_name(path);
    if guard_builtins::all().iter().any(is_confirming) {
        let confirm = [crate::programs::HOOK, "confirm"].map(OsString::from);
        return Some(confirm.into_iter().chain(rest.iter().cloned()).collect());
    }
    let policy = script_policy(path)?;
    let at = command_index(arguments).unwrap_or(arguments.len());
    let harness = match arguments.get(at) {
        None => "claude",
        Some(word) => word.to_str().filter(|name| guard_harness::find_harness(name).is_some())?,
    };
    let hook = ["hook", harness, "--only", policy].map(OsString::from);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let settings = folder.map(|folder| [OsString::from("--settings-dir"), folder.join(SETTINGS_FOLDER).into()]);
    let own = [arguments.first()?.clone()].into_iter().chain(hook).chain(settings.into_iter().flatten());
    let options = rest.iter().enumerate().filter(|(index, _)| index + 1 != at).map(|(_, word)| word.clone());
    Some(own.chain(options).collect())
}

/// Returns the policy whose script has this program's name.
#[must_use]
pub fn script_policy(path: &Path) -> Option<&'static str> {
    let is_called = |builtin: &&Builtin| builtin.called.is_some() && builtin.called == own_name(path);
    guard_builtins::all().iter().find(is_called).map(|builtin| builtin.name)
}

fn own_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

/// Returns whether the command line is for `hook`.
#[must_use]
pub fn is_hook(arguments: &[OsString]) -> bool {
    command_index(arguments).and_then(|at| arguments.get(at)).is_some_and(|word| word == "hook")
}

/// Returns the index of the command: the first word that isn't a global option or its value.
#[must_use]
pub fn command_index(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += match arguments.get(at)?.to_str()? {
            "--config" | "--state" | "--cache" | "--color" => 2,
            word if word.starts_with('-') => 1,
            _ => return Some(at),
        };
    }
}
