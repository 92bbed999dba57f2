//! [`decision`]: turns the answers of a policy's rules into findings within the contract's limits.

use guard_sdk::serde_json::json;
use guard_sdk::{Decision, Finding, Outcome, Rule};

/// The maximum number of findings.
const FINDINGS: usize = 64;

/// The maximum length of a finding's text in bytes.
const TEXT_BYTES: usize = 4 << 10;

/// The answer of one rule to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleAnswer {
    /// The severity.
    pub outcome: Outcome,
    /// The rule's name, which becomes the finding's tag `rule`.
    pub rule: String,
    /// The message.
    pub message: String,
    /// The remedy, or empty.
    pub remedy: String,
}

/// Returns the answers as findings of `rule`, the most severe first, and otherwise in their order.
#[must_use]
pub fn decision(rule: &Rule, mut answers: Vec<RuleAnswer>) -> Decision {
    answers.sort_by_key(|one| std::cmp::Reverse(one.outcome));
    let finding = |one: RuleAnswer| {
        let [name, message, remedy] = [one.rule, one.message, one.remedy].map(cut);
        Finding::new(rule, message).at(one.outcome).remedy(remedy).tag("rule", name)
    };
    answers.into_iter().take(FINDINGS).map(finding).collect()
}

/// Checks a rule's name, which verdicts, approvals and lists of rules contain.
///
/// # Errors
///
/// If it is empty, or contains other characters than letters, digits and `-_.`.
pub fn check_rule_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    match !name.is_empty() && name.chars().all(fits) {
        true => Ok(()),
        false => Err(format!("invalid rule name `{name}`: use letters, digits and `-_.`")),
    }
}

/// The number of bytes used in a line of the trace. The host truncates longer lines.
const LINE_BYTES: usize = 3 << 10;

/// Formats the names of the rules for the trace, as JSON: `{"rules": [NAME, ...]}`.
#[must_use]
pub fn format_rules<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let (mut lines, mut some, mut bytes) = (Vec::new(), Vec::new(), 0);
    for name in names {
        if bytes + name.len() > LINE_BYTES {
            lines.push(json!({ "rules": std::mem::take(&mut some) }).to_string());
            bytes = 0;
        }
        bytes += name.len();
        some.push(name);
    }
    if !some.is_empty() {
        lines.push(json!({ "rules": some }).to_string());
    }
    lines
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(TEXT_BYTES));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { id: "policy", summary: "", default: Outcome::Ask, ceiling: Outcome::Deny };

    fn said(outcome: Outcome, rule: &str, message: &str) -> RuleAnswer {
        RuleAnswer { outcome, rule: rule.to_owned(), message: message.to_owned(), remedy: String::new() }
    }

    #[test]
    fn the_most_severe_comes_first_and_each_is_tagged_with_its_rule() {
        let answers = vec![said(Outcome::Warn, "w", "1"), said(Outcome::Deny, "d", "2"), said(Outcome::Deny, "e", "3")];
        let decision = decision(&RULE, answers);
        assert_eq!(decision.outcome, Outcome::Deny);
        let tags: Vec<&str> = decision.findings.iter().map(|finding| finding.tags[0].1.as_str()).collect();
        assert_eq!(tags, ["d", "e", "w"]);
        assert!(decision.findings.iter().all(|finding| finding.rule == "policy" && finding.tags[0].0 == "rule"));
        assert_eq!(super::decision(&RULE, Vec::new()), Decision::abstain());
    }

    #[test]
    fn many_and_long_answers_are_cut_and_the_most_severe_stays() {
        let mut answers = vec![said(Outcome::Ask, "a", &"é".repeat(5_000)); 300];
        answers.push(said(Outcome::Deny, "d", "last"));
        let decision = decision(&RULE, answers);
        assert_eq!((decision.outcome, decision.findings.len()), (Outcome::Deny, 64));
        assert_eq!(decision.findings[0].message, "last");
        assert_eq!(decision.findings[1].message.len(), 4096);
    }
}
