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
//! - asked: `claude --setting-sources project -p y`
//! - passes: `codex exec 'add tests'`
//! - passes: `HOME=/tmp/x npm test`
//!
//! ## Instead
//! Start the agent with its hooks, as the user set it up.

use guard_sdk::syntax::Command;
use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, is_remote, shorten};
use crate::harnesses::{AGENTS, Agent};
use crate::hook_change::switches_off;

pub(crate) const RULE: Rule = Rule {
    id: "agent-without-hooks",
    summary: "a harness that is started so that it asks no hook",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

/// The most commands before the agent that are looked at.
const MOST: usize = 256;

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for command in view.analysis.commands.iter().filter(|command| !is_remote(command)) {
        let Some((outcome, why)) = of_command(command, view) else { continue };
        let message = format!("`{}` starts an agent {why}", shorten(&command.text()));
        findings
            .push(Finding::new(&RULE, message).at(outcome).remedy("start it with the user's own settings and hooks"));
    }
}

fn of_command<'a>(command: &'a Command, view: &CallView<'a>) -> Option<(Outcome, &'static str)> {
    let program = command.program();
    // The file that the name of the program leads to.
    let program = if command.word(0).contains("/claude/versions/") { "claude" } else { program };
    let agent = AGENTS.iter().find(|agent| agent.program == program)?;
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let set = variables(command, view);
    let by_variable = agent.switches.iter().any(|(variable, values)| {
        set.iter().any(|(name, value)| name == variable && values.contains(&value.to_ascii_lowercase().as_str()))
    });
    let disables = words().zip(words().skip(1)).any(|(option, value)| option == "--disable" && value.contains("hooks"));
    let without = |word: &str| {
        let setting = word.strip_prefix("--config=").or_else(|| word.strip_prefix("-c")).unwrap_or(word).trim();
        agent.without.iter().any(|option| setting == *option || word == *option) || switches_off(word)
    };
    if by_variable || disables || words().any(without) {
        return Some((Outcome::Deny, "without hooks, so guard-host can't check its calls"));
    }
    let moves = |name: &str| name == "HOME" || agent.moves.contains(&name);
    let moved = set.iter().any(|(name, _)| moves(name));
    let elsewhere = command.via.iter().any(|via| match via.kind.as_str() {
        // Another user has another home.
        "sudo" | "sudo-rs" | "doas" | "su" | "runuser" | "pkexec" => !via.detail.is_empty(),
        // Its settings may be hidden there.
        "bwrap" | "firejail" | "proot" | "fakechroot" | "systemd-nspawn" => true,
        "env" | "exec" => via.detail == "-i" || via.detail.split(' ').any(moves),
        _ => false,
    });
    let other = has_other_settings(agent, command);
    (moved || elsewhere || other)
        .then_some((Outcome::Ask, "with other settings, which may not include guard-host's hook"))
}

/// Whether an option names settings that may lack the hooks.
fn has_other_settings(agent: &Agent, command: &Command) -> bool {
    let words = command.argv.get(1..).unwrap_or_default();
    words.iter().enumerate().any(|(at, word)| {
        let (option, value) = match word.text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.text.as_str(), words.get(at + 1).map(|next| next.text.as_str())),
        };
        if !agent.settings.contains(&option) {
            return false;
        }
        let value = value.unwrap_or_default();
        match option {
            // Those of the user are among them.
            "--setting-sources" => !value.split(',').any(|source| source.trim() == "user"),
            // The settings themselves were looked at.
            _ => !value.trim_start().starts_with('{') || value.contains("hooks"),
        }
    })
}

/// Variables that the agent finds changed: set for it alone, or before it in the same text.
fn variables<'a>(command: &'a Command, view: &CallView<'a>) -> Vec<(&'a str, &'a str)> {
    let before = view.analysis.commands.iter().take_while(|other| other.id < command.id).take(MOST);
    let mut found = Vec::new();
    for other in before.filter(|other| !is_remote(other)).chain(std::iter::once(command)) {
        let declares = matches!(other.program(), "export" | "declare" | "typeset" | "setenv" | "set" | "unset");
        if other.argv.is_empty() || declares || other.id == command.id {
            let assigned = other.assignments.iter();
            found.extend(assigned.map(|assignment| (assignment.name.as_str(), assignment.value.text.as_str())));
        }
        if declares {
            let words = || other.argv.iter().skip(1).map(|word| word.text.as_str());
            found.extend(words().filter_map(|word| word.split_once('=')));
            if other.program() == "export" {
                found.extend(words().filter(|word| !word.contains('=') && *word != "HOME").map(|name| (name, "")));
            }
            if matches!(other.program(), "setenv" | "set") {
                found.extend(words().zip(words().skip(1)));
            }
            if other.program() == "unset" {
                found.extend(words().filter(|word| *word == "HOME").map(|name| (name, "")));
            }
        }
    }
    found
}
