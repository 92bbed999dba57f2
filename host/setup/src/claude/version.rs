//! The installed version of Claude Code.

use crate::install::HookLocation;
use crate::versions::{Version, installed};

/// The first version that blocks a call if a hook with `onFailure` fails.
const KNOWS_ON_FAILURE: Version = [2, 1, 295];

/// The first version with the event before a shell command in a skill.
const KNOWS_SKILL_COMMANDS: Version = [2, 1, 332];

/// Returns whether the installed version has the newer events. An old version ignores the whole settings file if it
/// doesn't know an event.
pub(super) fn knows_new_events(site: HookLocation<'_>) -> bool {
    installed("claude", site).is_some_and(|version| version >= KNOWS_SKILL_COMMANDS)
}

/// Returns why the installed version can't use a server. `None` if it can, or if the version is unknown.
pub(super) fn too_old_for_server(site: HookLocation<'_>) -> Option<String> {
    let version = installed("claude", site).filter(|version| *version < KNOWS_ON_FAILURE)?;
    let [version, needed] = [version, KNOWS_ON_FAILURE].map(|numbers| numbers.map(|it| it.to_string()).join("."));
    Some(format!(
        "`claude` is version {version}; `--http` needs {needed}, because older versions let a call run if its HTTP hook fails"
    ))
}
