//! Finds a fork bomb: a function that starts itself in the background, mostly twice in a pipe, and is called.

use guard_sdk::syntax::Command;

use super::Collected;
use super::draft::Draft;
use super::pipeline::Pipelines;
use super::run::Run;

/// Keeps a text of nothing but such functions linear.
const MAX_SUSPECTS: usize = 64;

/// Adds `process.fork-bomb` at the call of the first such function.
pub(super) fn find(commands: &[Command], pipelines: &Pipelines, out: &mut Collected) {
    let is_inside = |command: &Command| command.position.within.iter().any(|place| place == "function");
    let suspects = commands.iter().filter(|command| {
        let position = &command.position;
        // A name that the text itself defines is not certain; any other one runs a program and ends.
        let calls_itself = position.length > 1 || !command.certain;
        position.background && calls_itself && position.index == 0 && is_inside(command)
    });
    let bomb = suspects.take(MAX_SUSPECTS).find_map(|body| {
        let name = body.word(0);
        let mut stages = pipelines.stages(commands, body.position.pipeline, body.position.length).take(MAX_SUSPECTS);
        if name.is_empty() || !stages.all(|stage| stage.word(0) == name) {
            return None;
        }
        commands.iter().find(|call| call.word(0) == name && !is_inside(call))
    });
    if let Some(call) = bomb {
        let mut run = Run::new(call, commands, pipelines, "", out);
        run.state(Draft::catastrophic("process", "process.fork-bomb").target(call.word(0)), true);
    }
}
