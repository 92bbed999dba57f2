//! `interactive-shell`: an interactive shell, interpreter or database console, in Codex and in Vibe.
//! These two can type into programs that they have started.
//!
//! ## Why
//! guard-host sees the start of the shell, but none of the commands that are typed into it.
//!
//! ## Examples
//! - asked: `bash`, in Codex
//! - asked: `cd src && exec zsh -il`, in Vibe
//! - passes: `bash -c 'ls'`
//! - passes: `python3 x.py`
//! - passes: `bash < build.sh`
//!
//! ## Instead
//! Pass the commands to the shell directly, with `bash -c '...'` or a script.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::{Check, SHELLS, is_program};
use crate::call_view::{CallView, Hit};

/// Harnesses that type into started programs: Codex runs no hook for it, and the input that Vibe types isn't analyzed.
const HARNESSES: &[&str] = &["codex", "vibe"];

/// Programs besides shells that run typed text.
const CONSOLES: &[&str] = &[
    "bun", "deno", "erl", "ghci", "groovysh", "iex", "ipython", "ipython3", "irb", "jshell", "julia", "lua",
    "node", "php", "pry", "pwsh", "python", "python2", "python3", "R", "redis-cli", "scala", "su", "tclsh",
];

/// Consoles whose operands are the data, not code.
const OF_DATA: &[&str] = &["mongosh", "mysql", "psql", "sqlite3"];

/// Options that supply the code, or with which nothing is run.
const GIVEN: &[&str] = &["-c", "-e", "-f", "-l", "-m", "-r", "-V", "-h"];
const GIVEN_LONG: &[&str] = &["exec", "eval", "command", "file", "list", "version", "help"];

pub(crate) const RULE: Rule = Rule {
    id: "interactive-shell",
    summary: "an interactive shell",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    if !HARNESSES.contains(&view.facts().harness.as_str()) {
        return None;
    }
    let command = view.analysis.commands.iter().find(|command| waits(command))?;
    let why = format!("text typed into `{}` later isn't checked", command.word(0));
    Some(Hit::for_command(RULE.default, command.id, why, "pass the commands at once, as a script or with `-c`"))
}

/// Returns whether the command reads its commands from the terminal.
fn waits(command: &Command) -> bool {
    let name = command.word(0);
    let is_console = is_program(name, OF_DATA);
    // A guessed name is that of a shell for the user, such as `$SHELL`.
    let elsewhere = command.via.iter().any(|via| via.kind == "container");
    if !command.certain || elsewhere || !is_console && !is_program(name, CONSOLES) && !is_program(name, SHELLS) {
        return false;
    }
    let has_script = |text: &str| match text.strip_prefix("--") {
        Some(long) => GIVEN_LONG.iter().any(|word| long.starts_with(word)),
        // The statement of a console can also directly follow the option's letter.
        None if is_console => GIVEN.iter().any(|option| text.starts_with(option)),
        None => !text.starts_with('-') || text != "-l" && GIVEN.contains(&text),
    };
    // After its file, it takes a statement.
    let words = || command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    if is_program(name, &["sqlite3"]) && words().count() > 1 {
        return false;
    }
    let fed = command.position.index > 0 || command.redirections.iter().any(|one| one.operator.starts_with('<'));
    !fed && !command.argv.iter().skip(1).any(|word| has_script(&word.text))
}
