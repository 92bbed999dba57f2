//! Checks policies' manifests, and decisions against the manifest.

use crate::limits::{ITEMS, TEXT_BYTES};
use crate::{Decision, FaultKind, Manifest, Outcome, outcome_name, rank, worse};
use guard_sdk::globs::Glob;

const NAME_BYTES: usize = 64;

/// Checks that the manifest conforms to the contract.
///
/// # Errors
///
/// [`FaultKind::BadAnswer`] for the first violation.
pub fn check_manifest(manifest: &Manifest) -> Result<(), FaultKind> {
    let bad = |text: String| Err(FaultKind::BadAnswer(text));
    if !is_name(&manifest.id, false) {
        return bad(format!("`{}` isn't a policy id: use a-z, 0-9 and `-`, at most 64 bytes", shorten(&manifest.id)));
    }
    let lists = [manifest.tools.len(), manifest.rules.len(), manifest.grants.len(), manifest.examples.len()];
    if lists.iter().any(|length| *length > 4 * ITEMS) {
        return bad(format!("a list of its manifest is longer than {}", 4 * ITEMS));
    }
    if manifest.version.len() + manifest.summary.len() > TEXT_BYTES {
        return bad("its manifest is too long".to_owned());
    }
    for tool in &manifest.tools {
        if let Err(error) = Glob::new(tool) {
            return bad(format!("its tools: {error}"));
        }
        if let Some(meant) = guard_sdk::tools::meant(tool) {
            return bad(format!("its tools: `{}` isn't a tool, did you mean `{meant}`?", shorten(tool)));
        }
    }
    for rule in &manifest.rules {
        if !is_name(&rule.id, true) {
            return bad(format!(
                "`{}` isn't a rule id: use a-z, 0-9, `-` and `_`, at most 64 bytes",
                shorten(&rule.id)
            ));
        }
        if rank(rule.default) > rank(rule.ceiling) {
            return bad(format!("the default of its rule `{}` is above its ceiling", rule.id));
        }
        if manifest.rules.iter().filter(|other| other.id == rule.id).count() > 1 {
            return bad(format!("it declares the rule `{}` twice", rule.id));
        }
    }
    Ok(())
}

/// A violation of the contract by a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The kind of the violation.
    pub kind: BreachKind,
    /// The description of the violation.
    pub text: String,
}

/// The part of the contract that a decision violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreachKind {
    /// A part of it is too large.
    Size,
    /// It names a rule that the manifest doesn't declare.
    Rule,
    /// A finding is above its rule's ceiling.
    Ceiling,
    /// Its outcome isn't the maximum of its findings'.
    Outcome,
}

/// Checks that the decision conforms to the contract and the manifest.
///
/// # Errors
///
/// [`FaultKind::BadAnswer`] for the first violation.
pub fn check_decision(manifest: &Manifest, decision: Decision) -> Result<Decision, FaultKind> {
    match breaches(manifest, &decision).into_iter().next() {
        Some(breach) => Err(FaultKind::BadAnswer(breach.text)),
        None => Ok(decision),
    }
}

/// Returns all violations of the contract by a decision.
#[must_use]
pub fn breaches(manifest: &Manifest, decision: &Decision) -> Vec<Breach> {
    let mut found = Vec::new();
    let mut breach = |kind, text: String| found.push(Breach { kind, text });
    if decision.findings.len() > ITEMS {
        breach(BreachKind::Size, format!("more than {ITEMS} findings"));
    }
    let mut worst = Outcome::Abstain;
    for finding in decision.findings.iter().take(ITEMS) {
        worst = worse(worst, finding.outcome);
        let Some(rule) = manifest.rules.iter().find(|rule| rule.id == finding.rule) else {
            breach(BreachKind::Rule, format!("the rule `{}` is not in its manifest", shorten(&finding.rule)));
            continue;
        };
        if rank(finding.outcome) > rank(rule.ceiling) {
            let (outcome, ceiling) = (outcome_name(finding.outcome), outcome_name(rule.ceiling));
            let text = format!("the rule `{}` gave {outcome}, above its ceiling {ceiling}", rule.id);
            breach(BreachKind::Ceiling, text);
        }
        let texts = [finding.message.len(), finding.remedy.len()];
        let tags = finding.tags.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        if texts.into_iter().chain([tags]).any(|length| length > TEXT_BYTES) || finding.tags.len() > ITEMS {
            breach(BreachKind::Size, format!("a text of the rule `{}` is longer than {TEXT_BYTES} bytes", rule.id));
        }
    }
    if decision.outcome != worst && decision.findings.len() <= ITEMS {
        let (outcome, worst) = (outcome_name(decision.outcome), outcome_name(worst));
        breach(BreachKind::Outcome, format!("its outcome is {outcome}, the maximum of its findings {worst}"));
    }
    found
}

fn is_name(text: &str, underscores: bool) -> bool {
    text.len() <= NAME_BYTES
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || (underscores && c == '_'))
}

fn shorten(text: &str) -> &str {
    text.get(..text.floor_char_boundary(text.len().min(80))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_tool_is_told_from_one_that_nobody_knows() {
        let check = |tool: &str| {
            check_manifest(&Manifest {
                id: "a".to_owned(),
                version: String::new(),
                summary: String::new(),
                tools: vec!["Write".to_owned(), tool.to_owned()],
                rules: Vec::new(),
                grants: Vec::new(),
                examples: Vec::new(),
            })
        };
        for (tool, meant) in [("Bsh", "Bash"), ("bash", "Bash"), ("Eidt", "Edit"), ("notebookedit", "NotebookEdit")] {
            let fault = check(tool).unwrap_err().to_string();
            assert!(fault.contains(&format!("`{tool}`")) && fault.contains(&format!("`{meant}`")), "{fault}");
        }
        for tool in ["Bash", "*", "Ba*", "{bash,Bash}", "mcp__bash__run", "Frobnicate", "Skills"] {
            assert_eq!(check(tool), Ok(()), "{tool}");
        }
    }
}
