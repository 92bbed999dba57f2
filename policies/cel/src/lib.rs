//! `cel`: runs a list of rules, each with a condition in CEL, the Common Expression Language.
//!
//! The rules are the policy's settings. [cel](README.md) describes what the conditions see.
//! Expressions can loop only over lists, and all functions are pure.

mod expression;
mod names;
mod rules;
mod settings;
mod shapes;

use guard_sdk::{Call, Decision, Error, Level, Manifest, Outcome, Policy};

use expression::Variables;
use rules::policy;
use settings::{RawSettings, Settings};

/// The policy.
#[derive(Debug)]
pub struct Cel {
    rules: Vec<policy::Condition>,
    names_history: bool,
    data: guard_sdk::serde_json::Value,
    /// Whether the trace lists the rules that were hit.
    coverage: bool,
}

impl Policy for Cel {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "cel",
        version: env!("CARGO_PKG_VERSION"),
        summary: "runs your rules with conditions in CEL",
        tools: &["*"],
        rules: &[policy::RULE],
        ..Manifest::EMPTY
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        let coverage = settings.coverage;
        let (rules, data) = settings.validate()?;
        let names_history = rules.iter().any(uses_history);
        let rules = rules.into_iter().map(policy::Condition::new).collect::<Result<_, _>>()?;
        Ok(Self { rules, names_history, data, coverage })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let variables = Variables::new(policy_input_document::call_document(call, self.names_history)?, &self.data)?;
        if self.coverage {
            let names = self.rules.iter().map(policy::Condition::name);
            policy_input_document::format_rules(names).iter().for_each(|line| call.log(Level::Info, line));
        }
        let (mut answers, mut fault) = (Vec::new(), None);
        for rule in &self.rules {
            match rule.answer(&variables, |warning| call.log(Level::Warn, &warning)) {
                Ok(answer) => answers.extend(answer),
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        match fault {
            // No outcome is more severe, so the errors don't change the verdict.
            Some(error) if answers.iter().any(|one| one.outcome == Outcome::Deny) => call.log(Level::Error, &error),
            Some(error) => return Err(error.into()),
            None => {}
        }
        Ok(policy_input_document::decision(&policy::RULE, answers))
    }
}

fn uses_history(rule: &RawSettings) -> bool {
    std::iter::once(&rule.when)
        .chain(&rule.message_expression)
        .any(|text| text.contains(policy_input_document::HISTORY))
}
