//! The operands that `find -exec` and `xargs` supply, where the text shows them.
//!
//! `{}` stands for the start paths of a `find` that leaves nothing out, and for the words that a literal `echo` feeds
//! to `xargs`. Anything else stays `{}`, which nobody knows.

use guard_sdk::syntax::{Command, Word};

use super::find;
use super::options::{Operand, Parsed};
use crate::effects::run::Run;

/// The most operands that one placeholder stands for.
const MAX_SUPPLIED: usize = 64;

/// Puts what a placeholder stands for in its place.
pub(super) fn fill<'a>(run: &Run<'a>, parsed: &mut Parsed<'a>) {
    let is_supplied = run.is_via("find-exec") || run.is_via("xargs");
    let Some(at) = parsed.operands.iter().position(|operand| is_supplied && operand.text == "{}") else { return };
    let Some(placeholder) = parsed.operands.get(at).cloned() else { return };
    if let Some(known) = known(run, &placeholder) {
        parsed.operands.splice(at..=at, known);
    }
}

fn known<'a>(run: &Run<'a>, placeholder: &Operand<'a>) -> Option<Vec<Operand<'a>>> {
    if run.is_via("find-exec") {
        let place = usize::try_from(run.command.parent).ok()?.checked_sub(1)?;
        return found(run.commands.get(place).filter(|command| command.id == run.command.parent)?);
    }
    let before = run.before()?;
    if before.program().ends_with("find") {
        return found(before);
    }
    let named = |text: &str| Operand { dynamic: false, ..placeholder.renamed(text.to_owned()) };
    if before.program() == "ls" && before.argv.len() == 1 {
        return Some(vec![named(".")]);
    }
    let input = run.input().filter(|input| input.certain)?;
    let words: Vec<Operand<'a>> = input.text.split_whitespace().take(MAX_SUPPLIED).map(named).collect();
    (!words.is_empty()).then_some(words)
}

/// The start paths of a `find` that leaves nothing out.
fn found(command: &Command) -> Option<Vec<Operand<'_>>> {
    let words: &[Word] = command.argv.get(1..).unwrap_or_default();
    if !command.program().ends_with("find") || find::is_filtered(words) {
        return None;
    }
    let starts: Vec<Operand<'_>> = find::starts(words).take(MAX_SUPPLIED).map(Operand::of).collect();
    (!starts.is_empty()).then_some(starts)
}
