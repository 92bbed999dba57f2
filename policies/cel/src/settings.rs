//! [`Settings`]: the list of rules as it is written. Nothing is compiled here.

use guard_sdk::serde_json::{Map, Value};
use serde::Deserialize;

/// More rules than this are a mistake.
const RULES: usize = 1_000;

/// The settings: a table of TOML or JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    #[serde(deserialize_with = "guard_sdk::tables::list")]
    rules: Vec<RawSettings>,
    /// The `data` of the expressions.
    data: Map<String, Value>,
    /// The trace says which rules there are: `guard-host test` fills it in.
    pub(crate) coverage: bool,
    /// A file of another form, as the host gives it.
    file: Option<String>,
    text: Option<String>,
}

/// One rule as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawSettings {
    /// Its name.
    pub(crate) rule: String,
    /// The outcome where the condition is true.
    pub(crate) outcome: Outcome,
    /// Its condition.
    pub(crate) when: String,
    /// The message.
    pub(crate) message: String,
    /// An expression for a message that names what was found.
    pub(crate) message_expression: Option<String>,
    /// The remedy.
    #[serde(default)]
    pub(crate) remedy: String,
}

/// The outcomes that a rule may give.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The call is fine.
    Allow,
    /// It may run, with a notice.
    Warn,
    /// A person must confirm it.
    Ask,
    /// It must not run.
    Deny,
}

impl Settings {
    /// The rules and the data, if there is something to go by.
    ///
    /// # Errors
    ///
    /// There are no rules, or too many.
    pub(crate) fn checked(self) -> Result<(Vec<RawSettings>, Value), String> {
        if self.file.is_some() || self.text.is_some() {
            let file = self.file.unwrap_or_else(|| "`text`".to_owned());
            return Err(format!(
                "{file}: rules with conditions in CEL stand in a file whose name ends in .toml or .json"
            ));
        }
        match self.rules.len() {
            0 => Err("there are no `rules`: name their file with `settings-file`, and see that it is there".to_owned()),
            length if length > RULES => Err(format!("there are more than {RULES} `rules`")),
            _ => Ok((self.rules, Value::Object(self.data))),
        }
    }
}
