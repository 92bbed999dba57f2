//! Finds a fork bomb: a function that starts itself in the background, mostly twice in a pipe, and is called; or a loop
//! without an end that starts a process in each round and waits for none.

use guard_sdk::syntax::Command;

use super::Collected;
use super::draft::Draft;
use super::pipeline::Pipelines;
use super::run::Run;

/// The condition of a loop that no round changes: `true`, `:`, and `false` behind `until`.
fn never_ends(command: &Command) -> bool {
    let is_condition = command.position.within.ends_with(&["loop".to_owned(), "condition".to_owned()]);
    is_condition && command.argv.len() == 1 && matches!(command.program(), "true" | ":" | "false")
}

/// Programs that hold a round up, or end the loop.
const HOLDS: &[&str] =
    &["sleep", "read", "wait", "break", "exit", "return", "inotifywait", "fswatch", "entr", "select", "usleep"];

/// Finds a loop without an end whose rounds leave processes behind.
fn find_loop(commands: &[Command]) -> Option<&Command> {
    let mut at = 0;
    while let Some(condition) = commands.get(at) {
        at += 1;
        if !never_ends(condition) {
            continue;
        }
        let depth = condition.position.within.len().saturating_sub(1);
        let place = condition.position.within.get(..depth).unwrap_or_default();
        let mut started = None;
        let mut held = false;
        while let Some(body) = commands.get(at).filter(|body| body.position.within.starts_with(place)) {
            at += 1;
            let direct = body.position.within.len() == depth;
            if body.position.background {
                started = Some(body);
            } else if body.program() == "wait" {
                // A subshell knows none of the loop's processes, and the loop none of a subshell's.
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
    if let Some(call) = bomb.or_else(|| find_loop(commands)) {
        let mut run = Run::new(call, commands, pipelines, "", out);
        run.state(Draft::catastrophic("process", "process.fork-bomb").target(call.word(0)), true);
    }
}
