//! `policy`: the rules in your settings whose condition is true.
//! The tag `rule` contains the name of your rule.
//!
//! ## Why
//! Your rules decide what they report, and why.
//!
//! ## Examples
//! - denied: `git push --force origin main`, with a rule that denies forced pushes to `main`
//! - asked: `$PROGRAM x`, with a rule that asks if the command is not fully understood
//! - passes: `git push --force origin topic`, with the same rules
//!
//! ## Settings
//! - `rules`: the rules, each with an outcome and a condition.
//! - `data`: the value of `data` in the conditions.

use guard_sdk::{Outcome, Rule};
use policy_input_document::RuleAnswer;

use crate::expression::{Expression, Variables};
use crate::settings::{self, RawSettings};

pub(crate) const RULE: Rule =
    Rule { id: "policy", summary: "a condition in CEL is true", default: Outcome::Deny, ceiling: Outcome::Deny };

/// A compiled rule of the settings.
#[derive(Debug)]
pub(crate) struct Condition {
    when: Expression,
    message: Option<Expression>,
    said: RuleAnswer,
}

impl Condition {
    /// # Errors
    ///
    /// If an expression is invalid. The error has the rule, the key, the line and the column.
    pub(crate) fn new(written: RawSettings) -> Result<Self, String> {
        let RawSettings { rule, outcome, when, message, message_expression, remedy } = written;
        let compile = |key: &str, text: &str| Expression::new(format!("the rule `{rule}`, `{key}`"), text);
        let when = compile("when", &when)?;
        let expression = message_expression.map(|text| compile("message-expression", &text)).transpose()?;
        let outcome = match outcome {
            settings::Outcome::Allow => Outcome::Allow,
            settings::Outcome::Warn => Outcome::Warn,
            settings::Outcome::Ask => Outcome::Ask,
            settings::Outcome::Deny => Outcome::Deny,
        };
        Ok(Condition { when, message: expression, said: RuleAnswer { outcome, rule, message, remedy } })
    }

    /// The rule's name in the settings.
    pub(crate) fn name(&self) -> &str {
        &self.said.rule
    }

    /// Returns the rule's answer to a call. If its message expression fails, the plain message is used.
    ///
    /// # Errors
    ///
    /// If the condition can't be evaluated, or isn't a boolean.
    pub(crate) fn answer(&self, variables: &Variables, warn: impl Fn(String)) -> Result<Option<RuleAnswer>, String> {
        if !self.when.is_true(variables)? {
            return Ok(None);
        }
        let message = self.message.as_ref().map(|expression| expression.text(variables));
        Ok(Some(match message {
            Some(Ok(message)) => RuleAnswer { message, ..self.said.clone() },
            Some(Err(error)) => {
                warn(error);
                self.said.clone()
            }
            None => self.said.clone(),
        }))
    }
}
