//! Requests whose answer only reaches the screen.

use guard_sdk::syntax::{Command, Effect};

use super::MOST;
use crate::call_view::CallView;
use crate::rules::is_program;

/// Clients that print the answer unless an option or a redirection names a file.
const PRINTERS: &[&str] = &["base32", "base64", "curl", "curlie", "http", "https", "wget", "xh", "xhs", "xxd"];

/// Constructs that take the output of the commands in them.
const TAKERS: &[&str] = &["coprocess", "process", "substitution"];

/// The maximum number of commands around a command.
const DEPTH: usize = 16;

/// Returns whether no command can find the answer of this command in a file or a variable.
pub(super) fn only_prints(view: &CallView<'_>, command: &Command) -> bool {
    let discards = discards_answer(command);
    is_program(command.word(0), PRINTERS)
        && (!command.word(0).ends_with("wget") || prints_with_wget(command))
        && around(view, command).all(|outer| !writes(view, outer) && (discards || !is_taken(view, outer)))
}

/// Returns the command and the ones that run it, innermost first.
fn around<'a>(view: &'a CallView<'_>, command: &'a Command) -> impl Iterator<Item = &'a Command> {
    let next = |inner: &&'a Command| {
        let parent = inner.parent;
        view.analysis.commands.iter().find(move |outer| parent != 0 && outer.id == parent)
    };
    std::iter::successors(Some(command), next).take(DEPTH)
}

/// Returns whether the command's output goes to a construct, or to a pipeline that writes or runs something.
fn is_taken(view: &CallView<'_>, command: &Command) -> bool {
    let commands = || view.analysis.commands.iter().take(MOST);
    let place = &command.position;
    let readers = || commands().filter(|other| other.position.pipeline == place.pipeline && other.id != command.id);
    let is_below = |other: &Command| readers().any(|reader| around(view, other).any(|outer| outer.id == reader.id));
    let is_redirected = |to: &guard_sdk::syntax::Redirection| to.operator.starts_with('>') && to.target.text != "/dev/null";
    // A group has no words, and its redirections apply to all commands in it.
    let is_group = |other: &Command| other.argv.is_empty() || other.word(0) == "exec";
    let is_around = |other: &Command| other.span.start <= command.span.start && command.span.end <= other.span.end;
    place.within.iter().any(|place| TAKERS.contains(&place.as_str()))
        || place.length > 1 && readers().count() + 1 < place.length as usize
        || place.length > 1 && commands().any(|other| is_below(other) && (writes(view, other) || other.parent != command.parent))
        || commands().any(|other| {
            is_group(other)
                && (other.word(0) == "exec" || is_around(other))
                && other.redirections.iter().any(is_redirected)
        })
}

/// Returns whether the command writes a file.
fn writes(view: &CallView<'_>, command: &Command) -> bool {
    let is_file = |effect: &Effect| effect.operation == "fs.write" && !effect.target.starts_with("/dev/");
    view.analysis.effects.iter().any(|effect| effect.command_id == command.id && is_file(effect))
}

/// Returns whether only the status or the headers are printed: `curl -o /dev/null -w '%{http_code}'`.
fn discards_answer(command: &Command) -> bool {
    let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    words.windows(2).any(|pair| pair == ["-o", "/dev/null"] || pair == ["--output", "/dev/null"])
        || words.iter().any(|word| word.ends_with("o/dev/null") && word.starts_with('-'))
}

/// Returns whether wget prints the answer instead of saving it.
fn prints_with_wget(command: &Command) -> bool {
    let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    words.windows(2).any(|pair| matches!(pair, ["-O" | "-qO", "-" | "/dev/null"]))
        || words.iter().any(|word| matches!(*word, "-O-" | "-qO-" | "--spider" | "--output-document=-"))
}
