//! `agent-without-hooks`: a command that starts an agent which asks no hook. The rule asks instead if the agent only
//! starts with other settings.
//!
//! ## Why
//! That agent can do everything that this one may not.
//!
//! ## Examples
//! - denied: `claude --bare -p 'delete it'`
//! - denied: `OPENCODE_PURE=1 opencode run x`
//! - asked: `CLAUDE_CONFIG_DIR=/tmp/x claude -p y`
//! - passes: `codex exec 'add tests'`
//! - passes: `HOME=/tmp/x npm test`
//!
//! ## Instead
//! Start the agent with its hooks, as the user set it up.

use guard_sdk::syntax::Command;
use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, is_remote, shorten};
use crate::harnesses::{MOVES, OPTIONS, VARIABLES};
use crate::hook_change::switches_off;

pub(crate) const RULE: Rule = Rule {
    id: "agent-without-hooks",
    summary: "a harness that is started so that it asks no hook",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for command in view.analysis.commands.iter().filter(|command| !is_remote(command)) {
        let Some((outcome, why)) = of_command(command) else { continue };
        let message = format!("`{}` starts an agent {why}", shorten(&command.text()));
        findings
            .push(Finding::new(&RULE, message).at(outcome).remedy("start it with its hooks, as the user set it up"));
    }
}

fn of_command(command: &Command) -> Option<(Outcome, &'static str)> {
    let program = command.program();
    let known = MOVES.iter().find(|(name, _)| *name == program);
    let (_, moves) = known?;
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let options = OPTIONS.iter().find(|(name, _)| *name == program).map_or(&[] as &[&str], |(_, options)| options);
    let sets = |variable: &str, values: &[&str]| {
        let mut assigned = command.assignments.iter().filter(|assignment| assignment.name == variable);
        assigned.any(|assignment| values.contains(&assignment.value.text.to_ascii_lowercase().as_str()))
    };
    let by_variable = VARIABLES.iter().any(|(name, variable, values)| *name == program && sets(variable, values));
    let disables = words().zip(words().skip(1)).any(|(option, value)| option == "--disable" && value.contains("hooks"));
    if by_variable || disables || words().any(|word| options.contains(&word) || switches_off(word)) {
        return Some((Outcome::Deny, "that asks no hook, and so not guard-host"));
    }
    let moved = command.assignments.iter().any(|assignment| moves.contains(&assignment.name.as_str()));
    moved.then_some((Outcome::Ask, "with other settings, which may not name guard-host"))
}
