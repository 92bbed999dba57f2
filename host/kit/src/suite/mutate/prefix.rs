//! Prefixes that run a command: wrappers, other users and other machines.

use super::shape::{Shape, Word};
use guard_contract::shell_word::quoted;

/// Adds a wrapper before an external program.
fn prepend_wrapper(shape: &Shape<'_>, wrapper: &str) -> Option<String> {
    shape.external().map(|_| format!("{wrapper} {}", shape.text))
}

pub(super) fn command(shape: &Shape<'_>) -> Option<String> {
    shape.command_name().filter(|first| *first != "command").map(|_| format!("command {}", shape.text))
}

pub(super) fn env(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "env")
}

pub(super) fn env_assigned(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, &format!("env {}=1", shape.fresh("X")))
}

pub(super) fn prepend_assignment(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, &format!("{}=1", shape.fresh("X")))
}

pub(super) fn nohup(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "nohup")
}

pub(super) fn timeout(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "timeout 5")
}

pub(super) fn nice(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "nice -n 1")
}

pub(super) fn setsid(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "setsid -w")
}

pub(super) fn stdbuf(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "stdbuf -oL")
}

pub(super) fn exec(shape: &Shape<'_>) -> Option<String> {
    // The commands after it would no longer run.
    prepend_wrapper(shape, "exec").filter(|_| !shape.words.is_empty())
}

pub(super) fn time(shape: &Shape<'_>) -> Option<String> {
    shape.command_name().map(|_| format!("time {}", shape.text))
}

pub(super) fn sudo(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "sudo")
}

pub(super) fn sudo_user(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "sudo -u root")
}

pub(super) fn doas(shape: &Shape<'_>) -> Option<String> {
    prepend_wrapper(shape, "doas")
}

/// Runs the command on another machine. Only for effects that are a loss on any machine.
pub(super) fn ssh(shape: &Shape<'_>) -> Option<String> {
    shape.is_catastrophic.then(|| format!("ssh host {}", quoted(shape.text)))
}

/// Returns whether `xargs` reads the word as one argument.
fn is_plain(word: &Word<'_>) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._:@%+=,-".contains(c);
    word.literal && !word.text.is_empty() && !word.text.starts_with('-') && word.text.chars().all(plain)
}

pub(super) fn xargs(shape: &Shape<'_>) -> Option<String> {
    shape.external().filter(|_| shape.can_be_shell_input())?;
    let (last, rest) = shape.words.split_last()?;
    let is_argument = shape.words.len() > shape.program + 1;
    let rest: Vec<&str> = rest.iter().map(|word| word.raw).collect();
    (is_argument && is_plain(last)).then(|| format!("echo {} | xargs {}", last.raw, rest.join(" ")))
}

pub(super) fn find(shape: &Shape<'_>) -> Option<String> {
    shape.external().filter(|_| !shape.words.is_empty())?;
    let special = shape.words.iter().any(|word| word.text.contains("{}") || matches!(word.text.as_str(), ";" | "+"));
    (!special).then(|| format!("find . -maxdepth 0 -exec {} \\;", shape.text))
}
