//! What redirections write and read. Descriptors are no files.

use super::draft::Draft;
use super::run::Run;
use crate::programs::options::Operand;

/// Adds the effects of every redirection of the command.
pub(super) fn find(run: &mut Run<'_>) {
    for redirection in &run.command.redirections {
        let operator = redirection.operator.as_str();
        let operand = Operand::of(&redirection.target);
        match operator {
            ">&" | "<&" if is_descriptor(&operand) => {}
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

fn written() -> Draft {
    Draft::notable("write", "fs.write").tag("by", "redirect")
}

/// `1`, `-`, `3-`, or a variable that can only hold one of these in practice.
fn is_descriptor(operand: &Operand<'_>) -> bool {
    let digits = operand.text.strip_suffix('-').unwrap_or(&operand.text);
    digits.bytes().all(|b| b.is_ascii_digit()) || operand.dynamic
}
