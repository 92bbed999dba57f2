//! Determines the effects of commands.
//!
//! Walks the flat list of commands once: first redirections, then the program's own effects from the table in
//! [`crate::programs`], then the effects of whole pipelines. It doesn't parse shell text or access the machine.

mod fork;
mod ignored_rehearsals;
mod pipeline;
mod raw_uploads;
mod redirect;
mod reverse_shell;
mod secret_flow;

use std::collections::BTreeMap;

use guard_sdk::syntax::Command;

use crate::draft::Draft;
use crate::programs;
use crate::run::collected::Collected;
use crate::run::pipelines::Pipelines;
use crate::run::{Run, elsewhere};
use crate::view::Inside;
use crate::walk::Found;

/// Collects the effects of the commands found. `inside` contains the file systems of commands for which it isn't just this
/// machine's. `home` is the home directory, or empty.
pub(crate) fn collect(found: &Found, inside: &BTreeMap<u32, Inside>, home: &str) -> Collected {
    let commands: &[Command] = &found.commands;
    let mut collected = Collected::default();
    let pipelines = Pipelines::of(commands, &found.feeds);
    fork::find(commands, &pipelines, &mut collected);
    reverse_shell::find(commands, &pipelines, &mut collected);
    for command in commands {
        let mut run = Run::new(command, commands, &pipelines, home, &mut collected);
        run.enter_view(inside.get(&command.id));
        privilege(&mut run);
        redirect::find(&mut run);
        pipeline::find(&mut run);
        programs::find(&mut run);
        elsewhere::find(&mut run);
    }
    secret_flow::find(commands, &pipelines, home, &mut collected);
    raw_uploads::find(commands, &pipelines, home, &mut collected);
    ignored_rehearsals::find(commands, &found.uses_arguments, &pipelines, home, &mut collected);
    collected
}

/// Adds an effect if the command runs as another user, who may have more permissions.
fn privilege(run: &mut Run<'_>) {
    let via = run.command.via.iter().find(|via| {
        matches!(via.kind.as_str(), "sudo" | "doas" | "su" | "pkexec" | "run0" | "sudo-rs" | "gosu" | "su-exec")
    });
    if let Some(via) = via {
        let user = if via.detail.is_empty() { "root" } else { via.detail.as_str() };
        run.emit(Draft::notable("privilege", "privilege.raise").target(user).tag("by", &via.kind));
    }
}
