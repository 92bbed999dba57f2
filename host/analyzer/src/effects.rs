//! From commands to what they do to the world.
//!
//! Walks the flat list of commands once: redirections first, then the program's own effects from the table in
//! [`crate::programs`], then what only a whole pipeline shows. It parses no shell text and asks no machine.

mod fork;
mod pipeline;
mod raw_uploads;
mod redirect;
mod reverse_shell;
mod secret_flow;

use std::collections::BTreeMap;

use guard_sdk::syntax::Command;

use crate::draft::Draft;
use crate::programs;
use crate::run::Run;
use crate::run::collected::Collected;
use crate::run::pipelines::Pipelines;
use crate::view::Inside;

/// Finds the effects of `commands`. `feeds` are those that read from a pipe what is not
/// known: its pipeline, and their place in it. `inside` has the file systems of those that don't see this machine's.
/// `home` is the home directory, or empty.
pub(crate) fn collect(
    commands: &[Command],
    feeds: &BTreeMap<u32, (u32, u32)>,
    inside: &BTreeMap<u32, Inside>,
    home: &str,
) -> Collected {
    let mut collected = Collected::default();
    let pipelines = Pipelines::of(commands, feeds);
    fork::find(commands, &pipelines, &mut collected);
    reverse_shell::find(commands, &pipelines, &mut collected);
    for command in commands {
        let mut run = Run::new(command, commands, &pipelines, home, &mut collected);
        run.enter_view(inside.get(&command.id));
        privilege(&mut run);
        redirect::find(&mut run);
        pipeline::find(&mut run);
        programs::find(&mut run);
    }
    secret_flow::find(commands, &pipelines, home, &mut collected);
    raw_uploads::find(commands, &pipelines, home, &mut collected);
    collected
}

/// The command runs as another user, who may do more.
fn privilege(run: &mut Run<'_>) {
    let via = run.command.via.iter().find(|via| {
        matches!(via.kind.as_str(), "sudo" | "doas" | "su" | "pkexec" | "run0" | "sudo-rs" | "gosu" | "su-exec")
    });
    if let Some(via) = via {
        let user = if via.detail.is_empty() { "root" } else { via.detail.as_str() };
        run.emit(Draft::notable("privilege", "privilege.raise").target(user).tag("by", &via.kind));
    }
}
