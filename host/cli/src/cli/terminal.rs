//! Whether a person sits at the terminal, and what a command says if none does.

use std::io::{BufRead, IsTerminal, Read, Write, stderr, stdin};

use super::subject::refused;
use guard_contract::exit::Exit;

/// The longest answer that is read.
const ANSWER_BYTES: u64 = 1 << 10;

/// Variables that agents set for the commands that they run, each seen in a run of the agent or named by its vendor:
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

/// How many processes above this one are looked at.
const ABOVE: usize = 64;

/// A person can be read from and told something. An agent can make a terminal, and is known by what it sets.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal() && agent_above().is_none()
}

/// The variable of an agent that is set here or for a process above this one. One that cannot be looked at counts for
/// nothing, and a process that was taken out of its line cannot be seen.
fn agent_above() -> Option<&'static str> {
    let own = AGENTS.into_iter().find(|name| std::env::var_os(name).is_some());
    own.or_else(|| {
        let mut above = guard_platform::process::parent();
        for _ in 0..ABOVE {
            if let Some(name) = agent_of(above) {
                return Some(name);
            }
            above = parent_of(above).filter(|parent| *parent > 1)?;
        }
        None
    })
}

/// The variable of an agent in the environment of a process, where the system shows it.
fn agent_of(process: u32) -> Option<&'static str> {
    let environment = process_file(process, "environ")?;
    let is_set = |name: &str| {
        let variables = environment.split(|byte| *byte == 0);
        variables.filter_map(|variable| variable.strip_prefix(name.as_bytes())).any(|rest| rest.starts_with(b"="))
    };
    AGENTS.into_iter().find(|name| is_set(name))
}

/// A file that Linux has about a process.
fn process_file(process: u32, name: &str) -> Option<Vec<u8>> {
    if cfg!(portable) { None } else { std::fs::read(format!("/proc/{process}/{name}")).ok() }
}

fn parent_of(process: u32) -> Option<u32> {
    let status = String::from_utf8(process_file(process, "status")?).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Asks the person at the terminal. Anything but a yes is a no.
///
/// # Errors
///
/// The terminal is gone.
pub(super) fn is_agreed(question: &str) -> anyhow::Result<bool> {
    Ok(matches!(answer(&format!("{question} [y/N]"))?.as_str(), "y" | "yes"))
}

/// Reads the answer of the person at the terminal, in lower case and trimmed.
///
/// # Errors
///
/// The terminal is gone.
pub(super) fn answer(question: &str) -> anyhow::Result<String> {
    let mut out = stderr().lock();
    write!(out, "{question} ").and_then(|()| out.flush())?;
    let mut answer = String::new();
    stdin().lock().take(ANSWER_BYTES).read_line(&mut answer)?;
    Ok(answer.trim().to_ascii_lowercase())
}

/// The error of a command that is for a person at a terminal.
pub(super) fn unattended(what: &str, line: &str) -> anyhow::Error {
    let why = match agent_above() {
        Some(name) if stdin().is_terminal() => format!("by a person, and an agent started this (`{name}` is set)"),
        _ => "from a terminal".to_owned(),
    };
    refused(
        Exit::NoPermission,
        format!("{what} only {why}; nothing was changed"),
        format!("run it in a terminal of your own: {line}"),
    )
}
