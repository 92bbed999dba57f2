//! `unparsed-command`: a command that can't be parsed, that is too large to analyze, or that runs text that the
//! analysis can't see.
//!
//! ## Why
//! A shell runs the lines before an error, so even broken text can have effects.
//!
//! ## Examples
//! - asked: `if true; then ls`
//! - asked: `echo "x`
//! - passes: `if true; then ls; fi`
//!
//! ## Instead
//! Split it into simple commands.

use guard_sdk::syntax::Coverage;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "unparsed-command",
    summary: "a command that can't be fully analysed",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let analysis = view.analysis;
    let lacking = analysis.coverage == Coverage::Partial && analysis.reasons.iter().any(|reason| is_lacking(reason));
    if analysis.coverage != Coverage::Unparsed && !lacking {
        return None;
    }
    let why = analysis.reasons.first().map_or_else(|| "may do anything".to_owned(), |reason| shorten(reason));
    let remedy = match why.as_str() {
        why if why.contains("unterminated ") && why.ends_with("quote") => "close the quote",
        why if why.contains("everybody may write to") => "use a folder that only the user can write to",
        _ => "split it into plain commands",
    };
    Some(Hit::for_command(RULE.default, 0, why, remedy))
}

/// Parts of the analysis's reasons that leave a command completely unknown.
const LACKING: &[&str] = &[
    "too ",
    "more ",
    "second parser",
    "without end",
    "not accounted for",
    "everybody may write to",
    "expands a quoted text",
    "programs run or load",
    "itself writes runs",
    "not read because it is longer",
    "statement of SQL is known only",
];

/// Returns whether the analysis reached a limit, misses a command that another parser sees, or found an endless stream,
/// a text hidden in quotes that is run, code from a world-writable folder, or a file with unknown content that the text
/// wrote. Gaps in scripts are left to `inline-code`.
fn is_lacking(reason: &str) -> bool {
    !["python: ", "javascript: "].iter().any(|reader| reason.starts_with(reader)) && LACKING.iter().any(|part| reason.contains(part))
}
