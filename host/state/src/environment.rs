//! [`Environment`]: what the process was started with, read once, so that nothing else asks for globals.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use guard_platform::{account, paths};

/// The environment of the process.
#[derive(Debug, Clone)]
pub struct Environment {
    /// When the process started, as near as it can tell.
    pub started: Instant,
    /// The variables that are text. Shared, because an agent may have set hundreds.
    pub variables: Arc<BTreeMap<String, String>>,
    /// The working directory, absolute; empty if it is gone.
    pub cwd: String,
    /// This program's file.
    pub program: PathBuf,
    /// The home directory, absolute; empty if there is none.
    pub home: String,
    /// The home directory that the user database has for this user, whatever `HOME` says; empty if it has none.
    pub account_home: String,
}

impl Environment {
    /// That of this process.
    #[must_use]
    pub fn current(started: Instant) -> Self {
        let text = |value: std::ffi::OsString| value.into_string().ok();
        let variables: BTreeMap<String, String> =
            env::vars_os().filter_map(|(name, value)| Some((normalize_name(text(name)?), text(value)?))).collect();
        let cwd = env::current_dir().ok().and_then(paths::judged).unwrap_or_default();
        let given = variables.get(account::HOME).map(|home| paths::judged_text(home));
        let given = given.filter(|home| home.starts_with('/'));
        let account_home = account::home().unwrap_or_default().trim_end_matches('/').to_owned();
        let home = given.map_or_else(|| account_home.clone(), |home| home.trim_end_matches('/').to_owned());
        let (variables, program) = (Arc::new(variables), env::current_exe().unwrap_or_default());
        Environment { started, variables, cwd, program, home, account_home }
    }
}

/// The name of a variable. On Windows it counts in any case, and is `Path` as often as `PATH`.
fn normalize_name(name: String) -> String {
    if cfg!(windows) { name.to_ascii_uppercase() } else { name }
}
