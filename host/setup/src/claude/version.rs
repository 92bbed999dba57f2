//! Which version of Claude Code is installed here.

use crate::install::HookLocation;
use crate::versions::{Version, installed};

/// The first version that blocks the call of a hook with `onFailure` that fails.
const KNOWS_ON_FAILURE: Version = [2, 1, 295];

/// The first version that has the event before a shell command in a skill.
const KNOWS_SKILL_COMMANDS: Version = [2, 1, 332];

/// The installed version has the events that are newer than the hook. An old version passes over the whole file of
/// settings if it doesn't know an event in it.
pub(super) fn knows_new_events(site: HookLocation<'_>) -> bool {
    installed("claude", site).is_some_and(|version| version >= KNOWS_SKILL_COMMANDS)
}

/// Why this version cannot be told of a server; `None` if it can, or if nobody knows the version.
pub(super) fn too_old_for_server(site: HookLocation<'_>) -> Option<String> {
    let version = installed("claude", site).filter(|version| *version < KNOWS_ON_FAILURE)?;
    let [version, needed] = [version, KNOWS_ON_FAILURE].map(|numbers| numbers.map(|it| it.to_string()).join("."));
    Some(format!(
        "`claude` is version {version}; `--http` needs {needed}, because older versions let a call run if its HTTP hook fails"
    ))
}
