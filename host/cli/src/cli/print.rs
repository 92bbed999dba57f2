//! All output of the commands, except the hook's replies.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use clap::ColorChoice;
use serde::Serialize;

use super::args::OutputArgs;
use guard_state::{FolderErrorKind, io_hint};

/// The options of the command line. Defaults are used until it is parsed.
static OPTIONS: OnceLock<OutputArgs> = OnceLock::new();

/// Sets the options for all output of this process.
pub(super) fn follow(options: OutputArgs) {
    let _ = OPTIONS.set(options);
}

fn options() -> OutputArgs {
    OPTIONS.get().copied().unwrap_or_default()
}

/// Returns whether `--quiet` was given.
pub(super) fn is_quiet() -> bool {
    options().quiet
}

/// Returns whether `--verbose` was given.
pub(super) fn is_verbose() -> bool {
    options().verbose
}

/// Returns whether to show progress: standard error is a terminal, without `--quiet`.
pub(super) fn shows_progress() -> bool {
    !is_quiet() && io::stderr().is_terminal()
}

/// Prints one line to standard output.
///
/// # Errors
///
/// Errors of the stream, including a broken pipe.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

/// Prints a value as JSON for machines.
///
/// # Errors
///
/// Errors of the stream.
pub(super) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?)
}

/// Prints a line about a change that was made, unless `--quiet` was given.
///
/// # Errors
///
/// Errors of the stream.
pub(super) fn status(text: &str) -> anyhow::Result<()> {
    if is_quiet() { Ok(()) } else { line(text) }
}

/// Prints one line to standard error if `--verbose` was given.
pub(super) fn detail(text: &str) {
    if is_verbose() {
        problem(text);
    }
}

/// Formats a count: `1 call`, `2 calls`.
pub(super) fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Prints a hint, a warning or the progress to standard error, unless `--quiet` was given.
pub(super) fn note(text: &str) {
    if !is_quiet() {
        problem(text);
    }
}

/// Prints a line of an error to standard error.
pub(super) fn problem(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Clears the screen, if standard output is a terminal.
///
/// # Errors
///
/// Errors of the stream.
pub(super) fn clear() -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        write!(out, "\u{1b}[H\u{1b}[2J")?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the hint for an error of the file system.
fn error_hint(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
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
        None => error.chain().find_map(error_hint).unwrap_or_default(),
    };
    if !hint.is_empty() {
        text.push_str(&format!("\n  hint: {hint}"));
    }
    problem(&text);
}

/// Returns whether the error is a broken pipe, which isn't a failure.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    let json = error.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    kind.or(json) == Some(io::ErrorKind::BrokenPipe)
}

/// Colors a text by an outcome, or by a test result.
pub(super) fn color_by_outcome(text: &str, outcome: &str) -> String {
    let code = match outcome {
        "deny" | "FAIL" => "1;31",
        "ask" => "1;33",
        "warn" => "33",
        _ => "32",
    };
    let is_colored = match options().color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    };
    if is_colored { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}
