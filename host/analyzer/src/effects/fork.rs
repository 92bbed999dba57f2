//! Finds a fork bomb: a called function that starts itself in the background, mostly twice in a pipe, or an endless
//! loop that starts a process in each round without waiting.

use guard_sdk::syntax::Command;

use crate::draft::Draft;
use crate::run::Run;
use crate::run::collected::Collected;
use crate::run::pipelines::Pipelines;

/// Returns whether it is a constant condition of an endless loop: `true`, `:`, or `false` after `until`.
fn never_ends(command: &Command) -> bool {
    let is_condition = command.position.within.ends_with(&["loop".to_owned(), "condition".to_owned()]);
    is_condition && command.argv.len() == 1 && matches!(command.program(), "true" | ":" | "false")
}

/// Programs that delay a round, or end the loop.
const HOLDS: &[&str] =
    &["sleep", "read", "wait", "break", "exit", "return", "inotifywait", "fswatch", "entr", "select", "usleep"];

/// Finds an endless loop whose rounds leave processes running.
fn find_loop(commands: &[Command]) -> Option<&Command> {
    // Each loop separately, because the end of an outer loop doesn't end the inner one.
    let endless = commands.iter().enumerate().filter(|(_, command)| never_ends(command));
    for (at, condition) in endless.take(MAX_SUSPECTS) {
        let depth = condition.position.within.len().saturating_sub(1);
        let place = condition.position.within.get(..depth).unwrap_or_default();
        let mut started = None;
        let mut held = false;
        let behind = commands.get(at + 1..).unwrap_or_default().iter();
        for body in behind.take_while(|body| body.position.within.starts_with(place)) {
            let direct = body.position.within.len() == depth;
            if body.position.background {
                started = Some(body);
            } else if body.program() == "wait" {
                // `wait` in the loop doesn't wait for a subshell's processes, and vice versa.
                let known = |started: &&Command| direct && started.position.within.len() == depth;
                started = started.filter(|started| !known(started));
            } else if HOLDS.contains(&body.program()) {
                held = true;
            }
        }
        if started.is_some() && !held {
            return started;
        }
    }
    None
}

/// Limits the time for a text that consists only of such functions.
const MAX_SUSPECTS: usize = 64;

/// Adds `process.fork-bomb` at the call of the first such function.
pub(super) fn find(commands: &[Command], pipelines: &Pipelines, out: &mut Collected) {
    let depth = |command: &Command| command.position.within.iter().filter(|place| *place == "function").count();
    let suspects = commands.iter().filter(|command| {
        let position = &command.position;
        // A name that the text itself defines is uncertain. Any other one runs a program and ends.
        let calls_itself = position.length > 1 || !command.certain;
        position.background && calls_itself && position.index == 0 && depth(command) > 0
    });
    let bomb = suspects.take(MAX_SUSPECTS).find_map(|body| {
        let name = body.word(0);
        let mut stages = pipelines.stages(commands, body.position.pipeline, body.position.length).take(MAX_SUSPECTS);
        if name.is_empty() || !stages.all(|stage| stage.word(0) == name) {
            return None;
        }
        // The body is one function deeper than its possible callers.
        commands.iter().find(|call| call.word(0) == name && depth(call) < depth(body))
    });
    if let Some(call) = bomb.or_else(|| find_loop(commands)) {
        let mut run = Run::new(call, commands, pipelines, "", out);
        run.state(Draft::catastrophic("process", "process.fork-bomb").target(call.word(0)), true);
    }
}
