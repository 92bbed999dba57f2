//! Checks that `guard-host undo` works here: a backup and a restore in a throwaway folder.

use guard_config::Config;
use guard_hook::undo::{RehearsalResult, patience, rehearse};
use guard_redact::plain;
use guard_state::check_private;
use guard_undo::Store;

use super::Finding;
use crate::install::HookLocation;

const CHECK: &str = "undo";

/// Runs the test. `None` if the state folder can't be used, which another check reports.
pub(super) fn rehearsed(config: &Config, site: HookLocation<'_>) -> Option<Finding> {
    if !config.undo.enabled {
        let text = "nothing is copied before a call, and `guard-host undo` restores nothing: `enabled = false`";
        return Some(Finding::note(CHECK, text, "remove `enabled = false` from `[undo]` to be able to undo calls"));
    }
    check_private(&site.dirs.state).ok()?;
    Some(match rehearse(config, site.project, site.dirs, site.environment) {
        Ok(rehearsed) => works(rehearsed, config, site),
        Err(why) => {
            let text = format!("`guard-host undo` doesn't work here: {}", plain(&why));
            let shown = site.dirs.state.display();
            let remedy =
                format!("check that `{shown}` has space and is writable, and that `guard-host-tools` is complete");
            Finding::problem(CHECK, text, remedy)
        }
    })
}

fn works(rehearsed: RehearsalResult, config: &Config, site: HookLocation<'_>) -> Finding {
    let (took, most) = (rehearsed.took.as_millis(), patience(config));
    let (count, bytes) = Store::in_state(&site.dirs.state).usage();
    let git = match guard_facts::git::command("/", &[], &site.environment.variables) {
        Some(_) => " and what git discards",
        None => ", but nothing of git, because `git` isn't in `PATH`",
    };
    let space =
        if rehearsed.shares_extents { "copies take no space until a file changes" } else { "copies take space" };
    let copies = if count == 1 { "copy" } else { "copies" };
    let text = format!(
        "works here: a copy took {took} ms and was restored; files{git} are kept, up to {} MiB a call ({space}); {count} \
         {copies} now, {} MiB",
        config.undo.max_bytes >> 20,
        bytes >> 20,
    );
    if rehearsed.took > most {
        let remedy = format!("raise `max-ms` in `[undo]`: a call waits {} ms for its copy", most.as_millis());
        return Finding::note(CHECK, text, remedy);
    }
    Finding::ok(CHECK, text)
}
