//! Commands of a text that an allow can cover on their own, for texts that no allow covers.

use serde_json::Value;

use crate::cli::subject::{Evaluator, tool_calls};
use guard_contract::Outcome;
use guard_contract::call::CallContext;
use guard_contract::syntax::{Analysis, Command};

/// The maximum number of commands in a text that are judged on their own.
const PARTS: usize = 8;

/// Returns the first command of a list such as `npm test && git push` that asks on its own, and that an allow covers.
pub(super) fn allowable_part(
    analysis: &Analysis,
    evaluator: &Evaluator,
    text: &str,
    at: &CallContext,
) -> Option<String> {
    let own = |command: &&Command| command.via.is_empty() && command.parent == 0;
    let parts: Vec<&Command> = analysis.commands.iter().filter(own).take(PARTS).collect();
    parts.iter().filter(|_| parts.len() > 1).find_map(|command| {
        let (start, end) = (usize::try_from(command.span.start).ok()?, usize::try_from(command.span.end).ok()?);
        let part = text.get(start..end)?.trim();
        let calls = tool_calls("Bash", Value::String(part.to_owned())).ok()?;
        let (trace, [call]) = (evaluator.decide(&calls, at)?, calls.as_slice()) else { return None };
        let (placed, analysis) = ((call, at, evaluator.facts()), trace.analysis.as_deref()?);
        let allows = evaluator.chain.view().narrowest_allows(&trace.verdict, placed, analysis, |allow| allow);
        (trace.verdict.outcome == Outcome::Ask && allows.is_some()).then(|| part.to_owned())
    })
}
