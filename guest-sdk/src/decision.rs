//! Builds findings and decisions that follow the contract.

use crate::{Decision, Finding, Outcome, Rule};

impl Finding {
    /// Creates a finding of `rule` with the rule's default outcome.
    #[must_use]
    pub fn new(rule: &Rule, message: impl Into<String>) -> Self {
        Finding {
            rule: rule.id.to_owned(),
            outcome: rule.default,
            message: message.into(),
            remedy: String::new(),
            tags: Vec::new(),
        }
    }

    /// Sets the outcome. An outcome above the rule's ceiling is a fault.
    #[must_use]
    pub fn at(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Sets the suggested alternative.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// Adds a machine-readable fact.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.push((name.into(), value.into()));
        self
    }
}

impl Decision {
    /// Creates a decision without findings.
    #[must_use]
    pub fn abstain() -> Self {
        Decision { outcome: Outcome::Abstain, findings: Vec::new() }
    }
}

/// Collects findings into a decision, whose outcome is their maximum.
impl FromIterator<Finding> for Decision {
    fn from_iter<I: IntoIterator<Item = Finding>>(findings: I) -> Self {
        let findings: Vec<Finding> = findings.into_iter().collect();
        let outcome = findings.iter().map(|finding| finding.outcome).max().unwrap_or(Outcome::Abstain);
        Decision { outcome, findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { id: "r", summary: "", default: Outcome::Ask, ceiling: Outcome::Deny };

    #[test]
    fn the_outcome_is_the_maximum_of_the_findings() {
        let findings = [Finding::new(&RULE, "a"), Finding::new(&RULE, "b").at(Outcome::Deny)];
        assert_eq!(findings.into_iter().collect::<Decision>().outcome, Outcome::Deny);
    }

    #[test]
    fn no_findings_abstain() {
        assert_eq!(Decision::from_iter([]), Decision::abstain());
    }
}
