//! The opinion on a call of an unknown tool that the host reads as another call.

use guard_contract::call::ToolCall;
use guard_contract::readings::{Certainty, Reading, THE_NAME};
use guard_contract::syntax::{Analysis, Coverage, Severity};
use guard_contract::verdict::{Opinion, tighten_only};
use guard_contract::{Outcome, rank};
use guard_redact::{plain, redact, shorten};

/// The maximum length of a name in a message, in bytes.
const NAME_BYTES: usize = 120;

/// Returns whether the text can be what it was read as. Text in another language usually gives a shell syntax error,
/// and prose looks like an unknown program.
pub(crate) fn is_plausible(reading: &Reading, analysis: Option<&Analysis>) -> bool {
    let Some(analysis) = analysis else { return true };
    let parses = analysis.coverage != Coverage::Unparsed;
    match reading.certainty {
        Certainty::Told | Certainty::Guessed => true,
        Certainty::Perhaps => {
            let is_grave = |severity| matches!(severity, Severity::Destructive | Severity::Catastrophic);
            parses || analysis.effects.iter().any(|effect| is_grave(effect.severity))
        }
        Certainty::Prose => {
            let first = analysis.commands.first().map(|command| command.id);
            let mut effects = analysis.effects.iter().filter(|effect| Some(effect.command_id) == first);
            parses && effects.next().is_some_and(|effect| effect.operation != "execute.unknown")
        }
    }
}

/// Converts a policy's opinion on a reading to one on the call, and adds the argument's name to its messages. A guess
/// leads at most to an ask, and a reading never allows a call.
pub(crate) fn opinion_on_reading(opinion: Opinion, reading: &Reading, call: &ToolCall) -> Opinion {
    let mut decision = tighten_only(opinion.decision);
    let name = |text: &str| shorten(&plain(&redact(text)), NAME_BYTES).replace('`', "'");
    let source = match reading.argument.as_str() {
        THE_NAME => format!("the name `{}`", name(&call.tool)),
        argument => format!("the argument `{}` of `{}`", name(argument), name(&call.tool)),
    };
    let capped = |outcome: &mut Outcome| {
        if *outcome == Outcome::Deny && reading.certainty != Certainty::Told {
            *outcome = Outcome::Ask;
        }
    };
    capped(&mut decision.outcome);
    for finding in &mut decision.findings {
        capped(&mut finding.outcome);
        if !opinion.of_host && rank(finding.outcome) >= rank(Outcome::Warn) {
            let message = as_question(&finding.message, finding.outcome);
            let message = match reading.argument.as_str() {
                // The command is the host's own.
                THE_NAME => without_command(&message),
                _ => &message,
            };
            finding.message = format!("{source} reads as {}: {message}", reading.taken_for);
        }
    }
    Opinion { decision, ..opinion }
}

/// Rewords a policy's denial that became an ask.
fn as_question(message: &str, outcome: Outcome) -> String {
    if outcome != Outcome::Ask {
        return message.to_owned();
    }
    let message = message.strip_prefix("Dangerous command: ").unwrap_or(message);
    message.replacen(" never allowed: ", " need confirmation: ", 1)
}

/// Returns the reason of a message that begins with a command.
fn without_command(message: &str) -> &str {
    let behind = message.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    behind.and_then(|(_, behind)| behind.split_once(": ")).map_or(message, |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use guard_contract::readings;
    use serde_json::{Map, Value, json};

    use super::*;

    fn call() -> ToolCall {
        let input: Map<String, Value> = json!({ "command": "x" }).as_object().unwrap().clone();
        ToolCall::new("mcp__a__b", input)
    }

    fn reading(certainty: Certainty) -> Reading {
        Reading { certainty, ..readings::of(&call(), &[]).all.remove(0) }
    }

    fn opinion(outcome: Outcome, of_host: bool) -> Opinion {
        let opinion = Opinion::from_host("p", "r", outcome, "bad".to_owned(), String::new());
        Opinion { of_host, may_allow: true, ..opinion }
    }

    #[test]
    fn a_guess_asks_at_most_and_what_the_configuration_says_may_deny() {
        for (certainty, said, expected) in [
            (Certainty::Guessed, Outcome::Deny, Outcome::Ask),
            (Certainty::Perhaps, Outcome::Deny, Outcome::Ask),
            (Certainty::Told, Outcome::Deny, Outcome::Deny),
            (Certainty::Told, Outcome::Ask, Outcome::Ask),
            (Certainty::Guessed, Outcome::Warn, Outcome::Warn),
            (Certainty::Told, Outcome::Allow, Outcome::Abstain),
        ] {
            let read = opinion_on_reading(opinion(said, false), &reading(certainty), &call()).decision;
            let first = read.findings.first().unwrap();
            assert_eq!((read.outcome, first.outcome), (expected, expected), "{certainty:?} {said:?}");
            let of_host = opinion_on_reading(opinion(said, true), &reading(certainty), &call()).decision;
            assert_eq!((of_host.outcome, of_host.findings.first().unwrap().message.as_str()), (expected, "bad"));
            if expected != Outcome::Abstain {
                assert_eq!(first.message, "the argument `command` of `mcp__a__b` reads as shell text: bad");
            }
        }
    }

    #[test]
    fn what_does_not_parse_counts_only_where_the_name_says_that_it_runs() {
        let analysis = |coverage| Analysis {
            coverage,
            reasons: Vec::new(),
            commands: Vec::new(),
            effects: Vec::new(),
            scripts: Vec::new(),
        };
        for (certainty, coverage, expected) in [
            (Certainty::Guessed, Coverage::Unparsed, true),
            (Certainty::Perhaps, Coverage::Unparsed, false),
            (Certainty::Perhaps, Coverage::Partial, true),
            (Certainty::Prose, Coverage::Complete, false),
        ] {
            assert_eq!(is_plausible(&reading(certainty), Some(&analysis(coverage))), expected, "{certainty:?}");
        }
    }
}
