//! Commands on another machine or in a running container: the loss of a file, of which no copy is kept, and programs
//! that change what others use there.

use crate::draft::Draft;
use crate::run::Run;
use crate::wrappers::shells;

/// Programs that run a command in a running machine or container, or on a device.
const MACHINES: &[&str] = &["adb", "crictl", "incus", "lxc", "multipass", "pct", "prlctl", "tart"];

/// Programs that keep a server's services running, and their verbs that change what runs.
const KEEPERS: &[&str] = &["circusctl", "forever", "pm2", "supervisorctl"];
const CHANGES: &[&str] = &["delete", "reload", "restart", "start", "stop"];

/// Adds the effect of a program that changes what another machine runs.
pub(crate) fn find(run: &mut Run<'_>) {
    if run.place != "ssh" {
        return;
    }
    let verb = run.arguments().iter().map(|word| word.text.as_str()).find(|word| !word.starts_with(['-', '/']));
    let is_known = KEEPERS.contains(&run.name.as_str()) && verb.is_some_and(|verb| CHANGES.contains(&verb));
    if is_known || reads_unknown_script(run) {
        let by = run.name.clone();
        run.emit(Draft::notable("orchestration", "server.change").tag("by", &by));
    }
}

/// Returns whether a shell on the other machine runs a script that this machine sends, and nothing is known of it.
fn reads_unknown_script(run: &Run<'_>) -> bool {
    let is_bare = || run.arguments().iter().all(|word| word.text.starts_with('-') && !word.text.contains('c'));
    let outer = || run.commands.get(usize::try_from(run.command.parent).ok()?.checked_sub(1)?);
    let is_fed = || {
        outer().is_some_and(|outer| {
            outer.position.index > 0 || outer.redirections.iter().any(|found| found.operator == "<" && found.fd == 0)
        })
    };
    shells::is_shell(&run.name)
        && is_bare()
        && is_fed()
        && run.input().is_none()
        && run.pipelines.children(run.commands, run.command.id).next().is_none()
}

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
    let last = run.command.via.iter().rfind(|via| via.kind == "container");
    if last.is_some_and(|via| MACHINES.contains(&via.detail.as_str())) {
        return true;
    }
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
