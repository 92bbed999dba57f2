//! An ask as a person sees it on a terminal with 80 columns and 24 lines, in `tests/screens`.
//!
//! The reason is the real reply. The frame around it is a simplified version of each agent's prompt: its own line with
//! the command, the reason, and the choices. `UPDATE_PAGES=1` writes the files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::world::{World, end};

const COLUMNS: usize = 80;
const LINES: usize = 24;

/// A call with four reasons to ask.
const MANY: &str = "npm install left-pad && docker system prune --all --force && git push origin topic && npm publish \
    --access public && rm -rf ./build/output/of/the/last/run";

/// The text that an agent shows around a reason, and the reply's format.
struct Agent {
    name: &'static str,
    payload: fn(&str) -> Value,
    reason: &'static str,
    /// A word that is appended to the reason's last line.
    glued: &'static str,
    choices: &'static [&'static str],
}

fn claude(mode: &str, command: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "permission_mode": mode, "tool_name": "Bash",
        "tool_input": { "command": command } })
}

const NESTED: &str = "/hookSpecificOutput/permissionDecisionReason";

const AGENTS: [Agent; 5] = [
    Agent {
        name: "claude",
        payload: |command| claude("default", command),
        reason: NESTED,
        glued: " [settings]",
        choices: &["Do you want to proceed?", "> 1. Yes", "  2. No"],
    },
    Agent {
        name: "claude-bypass",
        payload: |command| claude("bypassPermissions", command),
        reason: NESTED,
        glued: " [settings]",
        choices: &["Do you want to proceed?", "> 1. Yes", "  2. No"],
    },
    Agent {
        name: "codex",
        payload: |command| {
            json!({ "session_id": "s1", "turn_id": "t", "hook_event_name": "PreToolUse", "permission_mode": "default",
                "tool_name": "shell", "tool_input": { "command": command } })
        },
        reason: NESTED,
        glued: "",
        choices: &[],
    },
    Agent {
        name: "copilot",
        payload: |command| json!({ "sessionId": "s1", "timestamp": 1, "toolName": "bash", "toolArgs": { "command": command } }),
        reason: "/permissionDecisionReason",
        glued: "",
        choices: &["> 1. Yes", "  2. No, and tell Copilot what to do differently"],
    },
    Agent {
        name: "qwen",
        payload: |command| {
            json!({ "session_id": "s1", "timestamp": "t", "hook_event_name": "PreToolUse",
                "permission_mode": "default", "tool_name": "run_shell_command", "tool_input": { "command": command } })
        },
        reason: NESTED,
        glued: "",
        choices: &["> 1. Yes, allow once", "  2. No (esc)"],
    },
];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/screens").join(name)
}

/// Returns the reason of the reply to a call.
fn reason(agent: &Agent, command: &str) -> String {
    let world = World::new();
    let mut payload = (agent.payload)(command);
    payload["cwd"] = json!(world.repo());
    let mut hook = world.command(&["hook"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("AI_AGENT", "claude-code_2-1-332_harness");
    let ended = end(hook, &payload.to_string());
    let reply: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}: {ended:?}", agent.name));
    reply
        .pointer(agent.reason)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("{}: {ended:?}", agent.name))
        .to_owned()
}

/// Wraps the text at blanks to this many columns.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

fn screen(agent: &Agent, command: &str, reason: &str) -> String {
    let mut lines = wrapped(command, COLUMNS - 4);
    lines.push(String::new());
    lines.extend(wrapped(&format!("{reason}{}", agent.glued), COLUMNS - 4));
    let room = LINES - agent.choices.len() - 2;
    if lines.len() > room {
        let more = lines.len() - (room - 1);
        lines.truncate(room - 1);
        lines.push(format!("... (+{more} more lines)"));
    }
    lines.push(String::new());
    lines.extend(agent.choices.iter().map(|choice| (*choice).to_owned()));
    lines.iter().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}

#[test]
fn what_matters_of_an_ask_is_read_without_scrolling() {
    for agent in &AGENTS {
        for (kind, command) in [("one", "git push origin topic"), ("many", MANY)] {
            let reason = reason(agent, command);
            let screen = screen(agent, command, &reason);
            let path = file(&format!("{}-{kind}.txt", agent.name));
            if std::env::var_os("UPDATE_PAGES").is_some() {
                fs::write(&path, &screen).unwrap();
            }
            assert_eq!(screen, fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
            assert!(screen.lines().count() <= LINES && screen.lines().all(|line| line.chars().count() <= COLUMNS));
        }
    }
}

#[test]
fn the_reasons_come_first_and_the_command_once() {
    for agent in &AGENTS {
        let reason = reason(agent, MANY);
        let first = wrapped(&reason, COLUMNS - 4).into_iter().take(5).collect::<Vec<_>>().join(" ");
        let order = ["forced deletion", "no container uses", "a push to a remote", "publication of a package"];
        let at: Vec<usize> =
            order.iter().map(|reason| first.find(reason).unwrap_or_else(|| panic!("{first}"))).collect();
        assert!(at.is_sorted(), "the gravest comes first: {first}");
        let findings = reason.split("\n\n").next().unwrap();
        assert_eq!(findings.matches("npm install left-pad").count(), 1, "{reason}");
        assert!(!findings.contains(MANY), "{reason}");
    }
}

#[test]
fn a_person_reads_lines_to_copy_and_nothing_meant_for_the_agent() {
    for agent in AGENTS.iter().filter(|agent| agent.name != "codex") {
        for command in ["git push origin topic", MANY] {
            let reason = reason(agent, command);
            assert!(!reason.contains("then you try again"), "{}: {reason}", agent.name);
            let lines: Vec<&str> = reason.lines().collect();
            let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("guard-host ")).collect();
            assert!(!starts.is_empty() && starts.iter().all(|at| at + 1 < lines.len()), "{}: {reason}", agent.name);
            assert_eq!(reason.matches("guard-host allow --last").count(), 1, "{}: {reason}", agent.name);
        }
    }
}
