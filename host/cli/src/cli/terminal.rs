//! Detects whether a person is at the terminal, for commands that require one.

use std::io::{BufRead, IsTerminal, Read, Write, stderr, stdin};

use super::subject::exit_error;
use guard_contract::exit::Exit;

/// The maximum size of an answer, in bytes.
const ANSWER_BYTES: u64 = 1 << 10;

/// Variables that agents set for their commands, each observed in a run of the agent or documented by its vendor:
/// Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, OpenCode, Kilo, Pi, Grok Build, Cursor, Cline.
const AGENTS: [&str; 12] = [
    "AI_AGENT",
    "CLAUDECODE",
    "CLINE_ACTIVE",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "GROK_AGENT",
    "KILO",
    "OPENCODE",
    "PI_CODING_AGENT",
    "QWEN_CODE",
];

/// The maximum number of parent processes that are checked.
const ABOVE: usize = 64;

/// Returns whether a person is at the terminal. An agent can create a terminal, and is detected by its variables.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal() && agent_above().is_none()
}

/// Returns the variable of an agent that is set here or for a parent process. Processes that can't be read are skipped,
/// and a detached process can't be detected.
fn agent_above() -> Option<&'static str> {
    let own = AGENTS.into_iter().find(|name| std::env::var_os(name).is_some());
    own.or_else(|| {
        let mut above = guard_platform::process::parent();
        for _ in 0..ABOVE {
            if let Some(name) = agent_variable(above) {
                return Some(name);
            }
            above = parent_process(above).filter(|parent| *parent > 1)?;
        }
        None
    })
}

/// Returns an agent's variable in the environment of a process, if the system provides it.
fn agent_variable(process: u32) -> Option<&'static str> {
    let environment = process_file(process, "environ")?;
    let is_set = |name: &str| {
        let variables = environment.split(|byte| *byte == 0);
        variables.filter_map(|variable| variable.strip_prefix(name.as_bytes())).any(|rest| rest.starts_with(b"="))
    };
    AGENTS.into_iter().find(|name| is_set(name))
}

/// Reads a file about a process in Linux's `/proc`.
fn process_file(process: u32, name: &str) -> Option<Vec<u8>> {
    if cfg!(portable) { None } else { std::fs::read(format!("/proc/{process}/{name}")).ok() }
}

fn parent_process(process: u32) -> Option<u32> {
    let status = String::from_utf8(process_file(process, "status")?).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Prompts the person at the terminal. Anything but a yes is a no.
///
/// # Errors
///
/// The terminal was closed.
pub(super) fn is_agreed(question: &str) -> anyhow::Result<bool> {
    Ok(matches!(answer(&format!("{question} [y/N]"))?.as_str(), "y" | "yes"))
}

/// Reads the answer of the person at the terminal, trimmed and in lower case.
///
/// # Errors
///
/// The terminal was closed.
pub(super) fn answer(question: &str) -> anyhow::Result<String> {
    let mut out = stderr().lock();
    write!(out, "{question} ").and_then(|()| out.flush())?;
    let mut answer = String::new();
    stdin().lock().take(ANSWER_BYTES).read_line(&mut answer)?;
    Ok(answer.trim().to_ascii_lowercase())
}

/// Creates the error of a command that requires a person at a terminal.
pub(super) fn terminal_error(what: &str, line: &str) -> anyhow::Error {
    let why = match agent_above() {
        Some(name) if stdin().is_terminal() => format!("by a person, and an agent started this (`{name}` is set)"),
        _ => "from a terminal".to_owned(),
    };
    exit_error(
        Exit::NoPermission,
        format!("{what} only {why}; nothing was changed"),
        format!("run it yourself in a terminal: {line}"),
    )
}
