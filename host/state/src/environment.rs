//! [`Environment`]: what the process was started with, read once, so that nothing else asks for globals.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What the process was started with.
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
    pub fn of_process(started: Instant) -> Self {
        let text = |value: std::ffi::OsString| value.into_string().ok();
        let variables: BTreeMap<String, String> =
            env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
        let cwd = env::current_dir().ok().and_then(|cwd| text(cwd.into_os_string())).unwrap_or_default();
        let given = variables.get("HOME").filter(|home| home.starts_with('/'));
        let account_home = home_of_account().unwrap_or_default().trim_end_matches('/').to_owned();
        let home = given.map_or(account_home.as_str(), |home| home.trim_end_matches('/')).to_owned();
        let (variables, program) = (Arc::new(variables), env::current_exe().unwrap_or_default());
        Environment { started, variables, cwd, program, home, account_home }
    }
}

/// The home directory that `/etc/passwd` has for this user.
#[cfg(not(target_os = "macos"))]
fn home_of_account() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw().to_string();
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let user = passwd.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?;
    user.split(':').nth(5).filter(|home| home.starts_with('/')).map(str::to_owned)
}

/// The home directory that the directory service has for this user: no file there lists people.
#[cfg(target_os = "macos")]
fn home_of_account() -> Option<String> {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok()??;
    user.dir.into_os_string().into_string().ok().filter(|home| home.starts_with('/'))
}
