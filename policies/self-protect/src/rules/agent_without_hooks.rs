//! `agent-without-hooks`: a command that starts an agent without hooks, or turns off an agent's hooks or plugins.
//! If the agent only starts with other settings, the call needs confirmation.
//!
//! ## Why
//! An agent without hooks can do everything that this one may not.
//!
//! ## Examples
//! - denied: `claude --bare -p 'delete it'`
//! - denied: `OPENCODE_PURE=1 opencode run x`
//! - denied: `openclaw config set plugins.enabled false`
//! - denied: `codex features disable hooks`
//! - denied: `openclaw approvals resolve 7 allow-once`
//! - asked: `CLAUDE_CONFIG_DIR=/tmp/x claude -p y`
//! - asked: `claude --setting-sources project -p y`
//! - passes: `codex exec 'add tests'`
//! - passes: `openclaw config get plugins.enabled`
//! - passes: `HOME=/tmp/x npm test`
//!
//! ## Instead
//! Start the agent with its hooks, as the user configured it.

use guard_sdk::syntax::Command;
use guard_sdk::{Finding, Outcome, Rule};

use crate::agent_settings;
use crate::call_view::{CallView, is_remote, shorten};
use crate::harnesses::{AGENTS, Agent};
use crate::hook_change::switches_off;

pub(crate) const RULE: Rule = Rule {
    id: "agent-without-hooks",
    summary: "a command that starts an agent without hooks, or turns its hooks off",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

/// The maximum number of commands before the agent that are examined.
const MOST: usize = 256;

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for command in view.analysis.commands.iter().filter(|command| !is_remote(command)) {
        let Some(agent) = started_agent(command) else { continue };
        let shown = shorten(&command.text());
        if approves(agent, command) {
            let message = format!("`{shown}` answers a question that only a person may answer");
            findings.push(Finding::new(&RULE, message).remedy("let the user answer it"));
            continue;
        }
        let (outcome, message, remedy) = match settings_outcome(agent, command, view) {
            Some(Outcome::Deny) => (
                Outcome::Deny,
                format!("`{shown}` switches off hooks or plugins of an agent, so guard-host can't check its calls"),
                "leave the setting as it is, because only the user may change it",
            ),
            Some(outcome) => (
                outcome,
                format!(
                    "`{shown}` changes which hooks or plugins of an agent are on, and guard-host's may be off then"
                ),
                "say why it is needed, so that the user can approve it",
            ),
            None => match hookless_outcome(agent, command, view) {
                Some((outcome, why)) => (
                    outcome,
                    format!("`{shown}` starts an agent {why}"),
                    "start it with the user's own settings and hooks",
                ),
                None => continue,
            },
        };
        findings.push(Finding::new(&RULE, message).at(outcome).remedy(remedy));
    }
}

/// Returns the agent that a command starts.
fn started_agent(command: &Command) -> Option<&'static Agent> {
    // The file that the program's name resolves to.
    let program = if command.word(0).contains("/claude/versions/") { "claude" } else { command.program() };
    AGENTS.iter().find(|agent| agent.program == program)
}

/// Returns whether a command approves a pending call.
fn approves(agent: &Agent, command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let resolves = words().any(|word| word == "resolve") && words().any(|word| word.ends_with("approvals"));
    let calls = words().any(|word| word.ends_with("approval.resolve"));
    agent.program == "openclaw" && (resolves && !words().any(|word| word == "deny") || calls)
}

/// Returns whether a command changes the agent's settings so that it calls no hook.
fn settings_outcome(agent: &Agent, command: &Command, view: &CallView<'_>) -> Option<Outcome> {
    let words: Vec<&str> = command.argv.iter().skip(1).map(|word| word.text.as_str()).collect();
    // Values of Codex's options before its commands can be the same words.
    let is_codex_setting = |word: &&str| {
        let setting = word.strip_prefix("--config=").or_else(|| word.strip_prefix("-c")).unwrap_or(word).trim();
        agent.program == "codex"
            && (setting.starts_with("hooks.") || setting.starts_with("hooks="))
            && setting.contains('=')
    };
    if words.iter().any(is_codex_setting) {
        return Some(Outcome::Deny);
    }
    agent_settings::switches_off(&words, &view.guard)
}

fn hookless_outcome<'a>(agent: &Agent, command: &'a Command, view: &CallView<'a>) -> Option<(Outcome, &'static str)> {
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

/// Returns whether an option names settings that may lack the hooks.
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
            // They include the user's settings.
            "--setting-sources" => !value.split(',').any(|source| source.trim() == "user"),
            // Inline settings are checked directly.
            _ => !value.trim_start().starts_with('{') || value.contains("hooks"),
        }
    })
}

/// Returns the variables that are changed for the agent: set for it alone, or earlier in the same text.
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
