//! The files that redirections write and read. Descriptors aren't files.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::Operand;
use crate::run::Run;

/// Adds the effects of every redirection of the command.
pub(super) fn find(run: &mut Run<'_>) {
    for redirection in &run.command.redirections {
        let operator = redirection.operator.as_str();
        let operand = Operand::of(&redirection.target);
        match operator {
            ">&" | "<&" if is_descriptor(&operand) => {}
            ">" | ">|" | ">&" | "&>" if loses_content(run, &operand) => run.empty(&operand, written()),
            ">" | ">|" | ">&" | "&>" => run.write_as(&operand, written().flag("truncate", true)),
            ">>" | "&>>" => run.write_as(&operand, written().flag("append", true)),
            "<>" => {
                run.read(&operand);
                run.write_as(&operand, written());
            }
            "<" => run.read(&operand),
            _ => {}
        }
    }
}

/// Returns whether the output redirection needlessly loses the file's content: the command prints nothing, or reads the
/// same file, which the shell empties first. Files supplied name by name are overwritten, whatever is printed.
fn loses_content(run: &Run<'_>, file: &Operand<'_>) -> bool {
    let is_own = |word: &Word| word.text == file.text && (word.glob || word.dynamic || file.text.contains("{}"));
    let reads_own = || run.arguments().iter().any(is_own);
    prints_nothing(run)
        || is_listed(file) && prints_always_the_same(run)
        || file.text == "{}" && run.is_placeholder(file)
        || reads_own()
}

/// Returns whether the command prints nothing, so that its redirected file is empty afterwards.
fn prints_nothing(run: &Run<'_>) -> bool {
    let command = run.command;
    let word = |at: usize| command.word(at);
    // A group's redirections precede its commands.
    let next = usize::try_from(command.id).ok().and_then(|place| run.commands.get(place));
    let is_group = next.is_some_and(|next| next.span.start < command.span.end);
    match command.program() {
        "" => command.argv.is_empty() && command.position.length < 2 && !is_group,
        ":" | "true" | "false" => true,
        "cat" => command.argv.len() == 2 && word(1) == "/dev/null",
        "printf" => command.argv.len() == 2 && word(1).is_empty(),
        // A blank line counts as nothing, too.
        "echo" => {
            let mut words = command.argv.iter().skip(1);
            words.all(|word| !word.dynamic && (word.text.trim().is_empty() || word.text == "-n"))
        }
        _ => false,
    }
}

/// Returns whether a pattern expands to the file itself, and not to a part of its name.
fn is_listed(file: &Operand<'_>) -> bool {
    file.word.glob && file.text.ends_with('*')
}

/// Returns whether the command prints fixed text, so that every file ends up with the same content.
fn prints_always_the_same(run: &Run<'_>) -> bool {
    let is_fixed = |word: &Word| !word.dynamic && !word.glob;
    matches!(run.command.program(), "echo" | "printf") && run.arguments().iter().all(is_fixed)
}

fn written() -> Draft {
    Draft::notable("write", "fs.write").tag("by", "redirect")
}

/// Returns whether the operand is `1`, `-`, `3-`, or a variable that in practice only has one of these as its value.
fn is_descriptor(operand: &Operand<'_>) -> bool {
    let digits = operand.text.strip_suffix('-').unwrap_or(&operand.text);
    digits.bytes().all(|b| b.is_ascii_digit()) || operand.dynamic
}
