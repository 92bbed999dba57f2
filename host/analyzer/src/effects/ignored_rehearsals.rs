//! Deployments by a script that ignores the option of a dry run: `scripts/deploy.sh --dry-run`, if the script never uses
//! its arguments.

use std::collections::BTreeMap;

use guard_sdk::syntax::{Command, Effect, Severity};
use guard_sdk::task_runners::{PACKAGE_MANAGERS, task_runner};

use crate::programs::named_tasks;
use crate::run::Run;
use crate::run::collected::Collected;
use crate::run::pipelines::Pipelines;

/// The maximum number of levels of commands that start commands.
const DEPTH: usize = 8;

/// The maximum number of examined commands.
const MOST: usize = 64;

/// Kinds of effects on other machines and on stored data.
const OUTWARD: &[&str] = &["cloud", "database", "network", "orchestration", "package", "service", "vcs"];

/// Adds the effect that the name of a task suggests, although its words ask for a dry run. `uses_arguments` says which scripts
/// use their arguments, by the id of the command that runs them.
pub(super) fn find(
    commands: &[Command],
    uses_arguments: &BTreeMap<u32, bool>,
    pipelines: &Pipelines,
    home: &str,
    out: &mut Collected,
) {
    for command in commands.iter().filter(|command| named_tasks::is_rehearsed(command)).take(MOST) {
        if !may_obey(command, (commands, uses_arguments), &out.effects, DEPTH) {
            named_tasks::find_unrehearsed(&mut Run::new(command, commands, pipelines, home, out));
        }
    }
}

/// Returns whether the option may keep the command from doing its work.
fn may_obey(
    command: &Command,
    (commands, uses_arguments): (&[Command], &BTreeMap<u32, bool>),
    effects: &[Effect],
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let started = || commands.iter().filter(|inner| inner.parent == command.id);
    let is_manager = PACKAGE_MANAGERS.contains(&command.program());
    if let Some(uses) = uses_arguments.get(&command.id).filter(|_| !is_manager) {
        // A sourced file has the script's arguments.
        let is_sourced = |inner: &&Command| matches!(inner.program(), "." | "source") && inner.argv.len() == 2;
        return *uses
            || started()
                .filter(is_sourced)
                .any(|inner| *uses_arguments.get(&inner.id).unwrap_or(&!is_settings(inner)));
    }
    // A package manager appends the option to the script's last command.
    let (given, others): (Vec<&Command>, Vec<&Command>) =
        started().partition(|inner| inner.argv.iter().any(|word| named_tasks::is_rehearsal(&word.text)));
    let acts = |inner: &&Command| effects.iter().any(|effect| effect.command_id == inner.id && is_outward(effect));
    if given.is_empty() {
        // Other runners may pass the option to their task's last command.
        let last = others.last().filter(|_| task_runner(command.program()).is_some());
        return last.is_none_or(|last| may_obey(last, (commands, uses_arguments), effects, depth));
    }
    given.iter().all(|inner| may_obey(inner, (commands, uses_arguments), effects, depth))
        && !(is_manager && others.iter().any(acts))
}

/// Returns whether a sourced file only sets variables, by its name.
fn is_settings(command: &Command) -> bool {
    let name = command.word(1).rsplit('/').next().unwrap_or_default();
    name.starts_with(".env") || name.ends_with(".env") || name == "activate"
}

fn is_outward(effect: &Effect) -> bool {
    effect.operation == "network.upload"
        || effect.severity >= Severity::Destructive
        || effect.severity >= Severity::Notable && OUTWARD.contains(&effect.kind.as_str())
}
