//! The hook's command line in the form in which harnesses have it, `[--FLAG VALUE]... hook [HARNESS] [--FLAG VALUE]...`.
//!
//! Read by hand: a parser of command lines takes longer than the chain takes for a verdict. Any other form is for the
//! commands' own parser, which says what it means or what is wrong with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use guard_state::Places;
use guard_state::environment::Environment;

use crate::hook::HookOptions;

/// What the command line of a hook says.
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
    /// The policies to ask; empty: all.
    pub only: Vec<String>,
    /// The folder in which payloads are kept as fixtures.
    pub record: Option<PathBuf>,
}

impl HookLine {
    /// Reads a command line with the program's name first. None if it has another form.
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

    /// What it asks for, with the places that it names.
    #[must_use]
    pub fn options(self, environment: &Environment) -> HookOptions {
        let places = places([&self.config, &self.state, &self.cache], environment);
        let only = (!self.only.is_empty()).then_some(self.only);
        HookOptions { harness: self.harness, only, record: self.record, places: Some(places) }
    }
}

/// Where the program's files lie if these are named: the configuration file, the state folder, the cache folder.
#[must_use]
pub fn places([config, state, cache]: [&Option<PathBuf>; 3], environment: &Environment) -> Places {
    let absolute = |path: &PathBuf| Path::new(&environment.cwd).join(path);
    let usual = Places::below(&environment.home);
    Places {
        config: config.as_ref().map_or(usual.config, absolute),
        state: state.as_ref().map_or(usual.state, absolute),
        cache: cache.as_ref().map_or(usual.cache, absolute),
        ..usual
    }
}

/// The command line of the hook that the program is by its own name: the script of one built-in policy.
///
/// None if it has another name, or is told what to do.
#[must_use]
pub fn by_name(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (own, rest) = arguments.split_first()?;
    let own = Path::new(own).file_name()?.to_str()?;
    let policy = guard_builtins::all().iter().find(|builtin| builtin.called == Some(own))?;
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if !matches!(word.to_str(), Some("--config" | "--state" | "--cache")) {
            return None;
        }
        words.next()?;
    }
    let hook = ["hook", "claude", "--only", policy.name].map(OsString::from);
    Some(arguments.iter().cloned().chain(hook).collect())
}

/// The command line is one of `hook`: the first word that is no global flag or its value.
#[must_use]
pub fn is_hook(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--config" | "--state" | "--cache") => {
                words.next();
            }
            Some(word) if word.starts_with("--") => {}
            word => return word == Some("hook"),
        }
    }
    false
}
