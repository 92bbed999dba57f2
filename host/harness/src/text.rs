//! The words of a verdict, the same for every harness.

use guard_contract::verdict::{Attributed, CONFIRMED, Verdict};
use guard_contract::{Outcome, rank};
use guard_redact::{plain, redact, shorten};

/// The most reasons of one reply.
const REASONS: usize = 8;

/// The longest text of one finding in a reply.
const FINDING_BYTES: usize = 2000;

/// The longest text that Claude Code takes is 10,000 characters; the others take more.
const REPLY_BYTES: usize = 9500;

/// What is wrong, what to do instead, and who says so; at the end how a person can let it run. Empty if nobody says
/// anything.
#[must_use]
pub fn reason(verdict: &Verdict) -> String {
    // Asks include notices; denies omit them.
    let notices = verdict.outcome != Outcome::Deny;
    let told: Vec<&Attributed> = verdict
        .reasons()
        .filter(|attributed| rank(attributed.finding.outcome) >= rank(Outcome::Warn) || notices)
        .filter(|attributed| !attributed.finding.message.is_empty())
        .collect();
    let mut paragraphs: Vec<String> = Vec::new();
    for (index, attributed) in told.iter().enumerate() {
        // Two policies may see one change of one file; who speaks first tells it.
        let subject = subject(attributed);
        if subject.is_some() && told.iter().take(index).any(|earlier| self::subject(earlier) == subject) {
            continue;
        }
        let paragraph = paragraph(attributed);
        if !paragraphs.contains(&paragraph) && paragraphs.len() < REASONS {
            paragraphs.push(paragraph);
        }
    }
    let text = paragraphs.join("\n");
    if verdict.closing.is_empty() {
        return shorten(&text, REPLY_BYTES);
    }
    let closing = plain(&verdict.closing);
    format!("{}\n\n{closing}", shorten(&text, REPLY_BYTES.saturating_sub(closing.len() + 2)))
}

/// The words of a question where it is a refusal instead.
#[must_use]
pub fn refused(message: &str) -> String {
    message
        .strip_prefix("GUARDRAIL CONFIRM:")
        .map_or_else(|| message.to_owned(), |rest| format!("GUARDRAIL BLOCKED:{rest}"))
}

/// What a finding is about, if the policy says so with the tag `subject`.
fn subject(attributed: &Attributed) -> Option<&str> {
    attributed.finding.tags.iter().find(|(name, _)| name == "subject").map(|(_, value)| value.as_str())
}

fn paragraph(attributed: &Attributed) -> String {
    let finding = &attributed.finding;
    let clean = |text: &str| shorten(&plain(&redact(text)), FINDING_BYTES);
    let message = clean(&finding.message);
    // Some messages name their rule in a last line of their own.
    let names_rule = message.strip_suffix(&finding.rule).is_some_and(|rest| rest.ends_with("\nRule: "));
    if finding.remedy.is_empty() && (names_rule || attributed.of_host && finding.rule == CONFIRMED) {
        return message;
    }
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    let source = format!("[{}: {}]", attributed.policy, finding.rule);
    if finding.remedy.is_empty() {
        return format!("{message}{stop} {source}");
    }
    format!("{message}{stop} {source}\nInstead: {}", clean(&finding.remedy))
}
