//! The text of an ask in a dialog: the consequences first, and the command only once.
//!
//! A dialog shows a few lines and cuts off the rest. If several findings of one policy are about one command, the text
//! therefore starts with a line that summarizes all reasons.

use guard_contract::policy::SELF_PROTECT;
use guard_contract::verdict::Attributed;
use guard_redact::shorten;

use super::{line, mark, paragraph, remedy};

/// The maximum length of the subject, in characters. The harness shows the whole command, and the agent knows it.
const SUBJECT: usize = 72;

/// The same limit if several reasons follow, which must fit on the line.
const SUBJECT_OF_MANY: usize = 56;

/// The maximum length of a reason in the first line, in bytes.
const REASON_BYTES: usize = 72;

/// The tag with the severity of the loss.
const SEVERITY: &str = "severity";

/// Returns the severity of a reason. Protecting the guard ranks highest, and reasons without a severity are in the
/// middle.
pub(super) fn severity_rank(attributed: &Attributed) -> u8 {
    if attributed.policy == SELF_PROTECT {
        return 4;
    }
    let tag = attributed.finding.tags.iter().find(|(name, _)| name == SEVERITY);
    match tag.map(|(_, value)| value.as_str()) {
        Some("catastrophic") => 3,
        Some("notable") => 1,
        Some("routine") => 0,
        _ => 2,
    }
}

/// A message of the form `` `SUBJECT` needs confirmation (SUMMARY): REASON ``, which the built-in policies use.
struct Parts {
    subject: String,
    summary: String,
    reason: String,
}

impl Parts {
    fn parse(attributed: &Attributed) -> Option<Self> {
        let message = line(&attributed.finding.message);
        let (subject, rest) = message.strip_prefix('`')?.split_once("` needs confirmation")?;
        let (summary, reason) = match rest.strip_prefix(" (") {
            Some(inside) => inside.split_once("): ")?,
            None => ("", rest.strip_prefix(": ")?),
        };
        let [subject, summary, reason] = [subject, summary, reason].map(str::to_owned);
        Some(Parts { subject, summary, reason })
    }

    /// Returns the reason in a few words.
    fn short_reason(&self) -> String {
        shorten(if self.summary.is_empty() { &self.reason } else { &self.summary }, REASON_BYTES)
    }
}

/// Returns the paragraphs for these findings.
pub(super) fn paragraphs(findings: &[&Attributed]) -> Vec<String> {
    let mut left: Vec<(&Attributed, Option<Parts>)> =
        findings.iter().map(|found| (*found, Parts::parse(found))).collect();
    let mut paragraphs = Vec::new();
    while !left.is_empty() {
        let (first, parts) = left.remove(0);
        let Some(parts) = parts else {
            paragraphs.push(paragraph(first));
            continue;
        };
        let is_like = |(other, of_other): &(&Attributed, Option<Parts>)| {
            other.policy == first.policy && of_other.as_ref().is_some_and(|of_other| of_other.subject == parts.subject)
        };
        let (same, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_like);
        left = others;
        if same.is_empty() {
            paragraphs.push(describe_one(first, &parts));
            continue;
        }
        let same = same.iter().filter_map(|(found, parts)| Some((*found, parts.as_ref()?)));
        let all: Vec<(&Attributed, &Parts)> = std::iter::once((first, &parts)).chain(same).collect();
        paragraphs.extend(describe_several(&all));
    }
    paragraphs
}

fn describe_one(attributed: &Attributed, parts: &Parts) -> String {
    let Parts { subject, summary, reason } = parts;
    let summary = if summary.is_empty() { String::new() } else { format!(" ({summary})") };
    let subject = abridge(subject, SUBJECT);
    with_mark_and_remedy(&format!("`{subject}` needs confirmation{summary}: {reason}"), attributed)
}

fn describe_several(all: &[(&Attributed, &Parts)]) -> Vec<String> {
    let Some((first, parts)) = all.first() else { return Vec::new() };
    let mut short: Vec<String> = Vec::new();
    for reason in all.iter().map(|(_, parts)| parts.short_reason()) {
        if !short.contains(&reason) {
            short.push(reason);
        }
    }
    let subject = abridge(&parts.subject, SUBJECT_OF_MANY);
    let opening = format!("`{subject}` needs confirmation: {}. [{}]", short.join("; "), first.policy);
    let reasons = all.iter().map(|(found, parts)| with_mark_and_remedy(&format!("- {}", parts.reason), found));
    std::iter::once(opening).chain(reasons).collect()
}

fn with_mark_and_remedy(text: &str, attributed: &Attributed) -> String {
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{text}{stop} {}{}", mark(attributed), remedy(attributed))
}

/// Removes the middle of a text that is longer than this, in characters.
fn abridge(text: &str, longest: usize) -> String {
    let length = text.chars().count();
    if length <= longest {
        return text.to_owned();
    }
    let (head, tail) = (longest * 3 / 5, longest * 2 / 5);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{}...{}", start.trim_end(), end.trim_start())
}

#[cfg(test)]
mod tests {
    use guard_contract::{Finding, Outcome};

    use super::*;

    fn found(policy: &str, rule: &str, message: &str) -> Attributed {
        let tags = Vec::new();
        let finding = Finding {
            rule: rule.to_owned(),
            outcome: Outcome::Ask,
            message: message.to_owned(),
            remedy: "look".to_owned(),
            tags,
        };
        Attributed { policy: policy.to_owned(), finding, of_host: false }
    }

    #[test]
    fn several_reasons_begin_with_all_of_them_in_short() {
        let command = "npm install left-pad && docker system prune --all && npm publish --access public --tag next";
        let one = found("p", "a", &format!("`{command}` needs confirmation (a push): others read it"));
        let two = found("p", "b", &format!("`{command}` needs confirmation: it loses data"));
        let other = found("q", "c", &format!("`{command}` needs confirmation: no"));
        let short = "`npm install left-pad && docker sy...cess public --tag next` needs confirmation";
        let long = "`npm install left-pad && docker system prune...h --access public --tag next` needs confirmation";
        assert_eq!(
            paragraphs(&[&one, &other, &two]),
            [
                format!("{short}: a push; it loses data. [p]"),
                "- others read it. [p: a]\nInstead: look".to_owned(),
                "- it loses data. [p: b]\nInstead: look".to_owned(),
                format!("{long}: no. [q: c]\nInstead: look"),
            ]
        );
    }

    #[test]
    fn a_message_of_another_form_stays_as_it_is() {
        for message in ["it is so", "`x` is so", "`x` needs confirmation", "`x needs confirmation: y", "x` needs: y"] {
            assert_eq!(paragraphs(&[&found("p", "a", message)]), [format!("{message}. [p: a]\nInstead: look")]);
        }
    }

    #[test]
    fn a_text_of_any_letters_loses_its_middle() {
        assert_eq!(abridge("abcdefghij", 10), "abcdefghij");
        assert_eq!(abridge("äbcdefghijk", 10), "äbcdef...hijk");
    }
}
