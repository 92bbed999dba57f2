//! Whether a person sits at the terminal, and what a command says if none does.

use std::io::{BufRead, IsTerminal, Read, Write, stderr, stdin};

use super::subject::refused;
use guard_contract::exit::Exit;

/// The longest answer that is read.
const ANSWER_BYTES: u64 = 1 << 10;

/// A person can be read from and told something.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Asks the person at the terminal. Anything but a yes is a no.
///
/// # Errors
///
/// The terminal is gone.
pub(super) fn is_agreed(question: &str) -> anyhow::Result<bool> {
    let mut out = stderr().lock();
    write!(out, "{question} [y/N] ").and_then(|()| out.flush())?;
    let mut answer = String::new();
    stdin().lock().take(ANSWER_BYTES).read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The error of a command that is for a person at a terminal.
pub(super) fn unattended(what: &str, line: &str) -> anyhow::Error {
    refused(
        Exit::NoPermission,
        format!("{what} only from a terminal; nothing was changed"),
        format!("run it there: {line}"),
    )
}
