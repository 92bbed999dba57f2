//! Whether a person sits at the terminal, and what a command says if none does.

use std::io::{IsTerminal, stderr, stdin};

use super::subject::refused;
use guard_contract::exit::Exit;

/// A person can be read from and told something.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// The error of a command that is for a person at a terminal.
pub(super) fn unattended(what: &str, line: &str) -> anyhow::Error {
    refused(
        Exit::NoPermission,
        format!("{what} only from a terminal; nothing was changed"),
        format!("run it there: {line}"),
    )
}
