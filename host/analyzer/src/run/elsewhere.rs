//! Files on another machine or in a running container, of which no copy is kept.

use crate::draft::Draft;
use crate::run::Run;

/// Verbs that run a program in a container, and whether the container was running before.
const VERBS: &[(&str, bool)] =
    &[("exec", true), ("rsh", true), ("run", false), ("create", false), ("debug", false), ("start", false)];

/// Returns whether the effect loses the content of a single file that outlives the command.
pub(super) fn loses_file(run: &Run<'_>, place: &str, draft: &Draft) -> bool {
    let has = |tag: &str| draft.tags.iter().any(|(name, _)| name == tag);
    let is_moved = || draft.tags.iter().any(|(name, value)| name == "by" && value == "mv");
    let is_loss = match draft.operation {
        "fs.delete" => !is_moved(),
        "fs.write" => has("empties"),
        _ => false,
    };
    is_loss && !has("glob") && (place == "ssh" || is_in_running_container(run))
}

/// Returns whether the command runs in a container that another command started.
fn is_in_running_container(run: &Run<'_>) -> bool {
    let by_id = |id: u32| run.commands.get(usize::try_from(id).ok()?.checked_sub(1)?);
    let mut command = by_id(run.command.parent);
    while let Some(outer) = command {
        let mut words = outer.argv.iter().skip(1).map(|word| word.text.as_str());
        if let Some(is_running) = words.find_map(|word| VERBS.iter().find(|(verb, _)| *verb == word)) {
            return is_running.1;
        }
        // A parent has a smaller id.
        command = by_id(outer.parent).filter(|parent| parent.id < outer.id);
    }
    false
}
