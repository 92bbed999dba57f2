//! [`Environment`]: the process's environment, read once at the start so that no other code reads globals.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use guard_platform::{account, paths};

/// The environment of the process.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The time when the process started, approximately.
    pub started: Instant,
    /// The variables with valid UTF-8 values. Shared, because an agent may set hundreds.
    pub variables: Arc<BTreeMap<String, String>>,
    /// The working directory, absolute; empty if it is gone.
    pub cwd: String,
    /// The path of this program's executable.
    pub program: PathBuf,
    /// The home directory, absolute; empty if unknown.
    pub home: String,
    /// The home directory from the user database, regardless of `HOME`, or empty if unknown.
    pub account_home: String,
}

impl Environment {
    /// Reads this process's environment.
    #[must_use]
    pub fn current(started: Instant) -> Self {
        let text = |value: std::ffi::OsString| value.into_string().ok();
        let variables: BTreeMap<String, String> =
            env::vars_os().filter_map(|(name, value)| Some((normalize_name(text(name)?), text(value)?))).collect();
        let cwd = env::current_dir().ok().and_then(paths::judged).unwrap_or_default();
        let home_variable = variables.get(account::HOME).map(|home| paths::judged_text(home));
        let home_variable = home_variable.filter(|home| home.starts_with('/'));
        let account_home = account::home().unwrap_or_default().trim_end_matches('/').to_owned();
        let home = home_variable.map_or_else(|| account_home.clone(), |home| home.trim_end_matches('/').to_owned());
        let (variables, program) = (Arc::new(variables), env::current_exe().unwrap_or_default());
        Environment { started, variables, cwd, program, home, account_home }
    }
}

/// Normalizes a variable's name. On Windows, names are case-insensitive: `Path` is `PATH`.
fn normalize_name(name: String) -> String {
    if cfg!(windows) { name.to_ascii_uppercase() } else { name }
}
