//! [`Settings`]: the list of rules, not yet compiled.

use guard_sdk::serde_json::{Map, Value};
use serde::Deserialize;

/// The maximum number of rules.
const RULES: usize = 1_000;

/// The settings: a table of TOML or JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    #[serde(deserialize_with = "guard_sdk::tables::list")]
    rules: Vec<RawSettings>,
    /// The `data` variable of the expressions.
    data: Map<String, Value>,
    /// Lists the rules in the trace. `guard-host test` sets this.
    pub(crate) coverage: bool,
    /// The text of a file in another format, which the host provides.
    file: Option<String>,
    text: Option<String>,
}

/// A rule in the settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawSettings {
    /// Its name.
    pub(crate) rule: String,
    /// The outcome if the condition is true.
    pub(crate) outcome: Outcome,
    /// The condition.
    pub(crate) when: String,
    /// The message.
    pub(crate) message: String,
    /// An expression for a message with details of the call.
    pub(crate) message_expression: Option<String>,
    /// The remedy.
    #[serde(default)]
    pub(crate) remedy: String,
}

/// The outcomes of a rule.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The call is fine.
    Allow,
    /// The call may run, with a notice.
    Warn,
    /// A person must confirm the call.
    Ask,
    /// The call must not run.
    Deny,
}

impl Settings {
    /// Returns the rules and the data.
    ///
    /// # Errors
    ///
    /// If there are no rules, or too many.
    pub(crate) fn validate(self) -> Result<(Vec<RawSettings>, Value), String> {
        if self.file.is_some() || self.text.is_some() {
            let file = self.file.unwrap_or_else(|| "`text`".to_owned());
            return Err(format!(
                "{file}: rules with conditions in CEL stand in a file whose name ends in .toml or .json"
            ));
        }
        match self.rules.len() {
            0 => Err("there are no `rules`: name their file with `settings-file`, and see that it is there".to_owned()),
            length if length > RULES => Err(format!("there are more than {RULES} `rules`")),
            _ => check_names(&self.rules).map(|()| (self.rules, Value::Object(self.data))),
        }
    }
}

/// Checks the names of the rules. Rules with one name are alternatives.
fn check_names(rules: &[RawSettings]) -> Result<(), String> {
    rules.iter().try_for_each(|rule| policy_input_document::check_rule_name(&rule.rule))
}
