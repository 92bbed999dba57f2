//! All output of the commands, the hook's replies excepted.

use std::io::{self, IsTerminal, Write};

use guard_state::{FolderErrorKind, io_hint};

/// Prints one line to standard output.
///
/// # Errors
///
/// Those of the stream; a reader that went away is one of them.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

/// A number of things: `1 call`, `2 calls`.
pub(super) fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Prints one line to standard error.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Clears the screen, on a terminal only.
///
/// # Errors
///
/// Those of the stream.
pub(super) fn clear() -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        write!(out, "\u{1b}[H\u{1b}[2J")?;
        out.flush()?;
    }
    Ok(())
}

/// The remedy for an error of the file system.
fn hint_of(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    match (cause.downcast_ref::<io::Error>(), cause.downcast_ref::<FolderErrorKind>()) {
        (Some(error), _) | (_, Some(FolderErrorKind::Io(error))) => Some(io_hint(error)),
        _ => None,
    }
}

/// Prints an error with its causes and its hint.
pub(super) fn error(error: &anyhow::Error) {
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1) {
        text.push_str(&format!("\n  cause: {cause}"));
    }
    let hint = match error.downcast_ref::<super::subject::Refused>() {
        Some(refused) => refused.hint.as_str(),
        None => error.chain().find_map(hint_of).unwrap_or_default(),
    };
    if !hint.is_empty() {
        text.push_str(&format!("\n  hint:  {hint}"));
    }
    note(&text);
}

/// The reader of standard output went away, which is no failure.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    let json = error.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    kind.or(json) == Some(io::ErrorKind::BrokenPipe)
}

/// `text` in the colour of an outcome, or of a result of cases, on a terminal only.
pub(super) fn coloured(text: &str, outcome: &str) -> String {
    let code = match outcome {
        "deny" | "FAIL" => "1;31",
        "ask" => "1;33",
        "warn" => "33",
        _ => "32",
    };
    if io::stdout().is_terminal() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}
