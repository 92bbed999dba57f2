//! A corpus: rows of calls, with the keys of this program or of a [`Mapping`].

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use guard_contract::exit::Exit;

use crate::cli::subject::exit_error;

/// The expected answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Label {
    /// Ask or deny.
    #[serde(alias = "ask")]
    Stop,
    Deny,
    /// Neither ask nor deny.
    #[serde(alias = "abstain", alias = "allow")]
    Pass,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) tool: String,
    /// The tool's input, or the text of a shell command.
    pub(super) input: Value,
    /// `None` if the row has no label.
    pub(super) label: Option<Label>,
    pub(super) class: String,
    /// How often the call occurred.
    pub(super) times: u64,
}

/// The keys of a corpus, and the meaning of its labels. A key may be nested: `event.input`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(super) struct Mapping {
    command: Vec<String>,
    tool: Vec<String>,
    input: Vec<String>,
    label: Vec<String>,
    class: Vec<String>,
    times: Vec<String>,
    /// The corpus's labels with their meanings. Numbers and booleans are given as text.
    labels: BTreeMap<String, Label>,
}

impl Default for Mapping {
    fn default() -> Self {
        let keys = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let labels = [
            ("stop", Label::Stop),
            ("ask", Label::Stop),
            ("deny", Label::Deny),
            ("pass", Label::Pass),
            ("abstain", Label::Pass),
            ("allow", Label::Pass),
        ];
        Mapping {
            command: keys(&["command"]),
            tool: keys(&["tool"]),
            input: keys(&["input"]),
            label: keys(&["label", "expect"]),
            class: keys(&["class"]),
            times: keys(&["times"]),
            labels: labels.map(|(name, label)| (name.to_owned(), label)).into(),
        }
    }
}

impl Mapping {
    /// Reads a mapping from a TOML file.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| exit_error(Exit::NoInput, format!("{shown} cannot be read: {error}"), ""))?;
        let hint = "`guard-host policy rates --help` shows an example";
        toml::from_str(&text).map_err(|error| exit_error(Exit::Data, format!("{shown}: {error}"), hint))
    }

    /// Parses the row of one line.
    pub(super) fn row(&self, line: &str) -> Result<Row, String> {
        let object: Map<String, Value> = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |keys| match find(&object, keys) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("`{}` isn't a text", join_keys(keys))),
        };
        let (tool, input) = match (text(&self.command)?, text(&self.tool)?, find(&object, &self.input)) {
            (Some(command), None, None) => ("Bash".to_owned(), Value::String(command)),
            (None, Some(tool), Some(input)) => (tool, input.clone()),
            _ => {
                let [command, tool, input] = [&self.command, &self.tool, &self.input].map(|keys| join_keys(keys));
                return Err(format!("a row has either `{command}`, or `{tool}` and `{input}`"));
            }
        };
        let times = match find(&object, &self.times) {
            None => 1,
            Some(times) => times.as_u64().ok_or_else(|| format!("`{}` isn't a number", join_keys(&self.times)))?,
        };
        let class = text(&self.class)?.unwrap_or_default();
        Ok(Row { tool, input, label: self.label(&object)?, class, times })
    }

    fn label(&self, object: &Map<String, Value>) -> Result<Option<Label>, String> {
        let name = match find(object, &self.label) {
            None => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        match self.labels.get(&name) {
            Some(label) => Ok(Some(*label)),
            None => {
                let known: Vec<String> = self.labels.keys().map(|known| format!("`{known}`")).collect();
                Err(format!("unknown label `{name}`, expected one of {}", known.join(", ")))
            }
        }
    }
}

/// Returns the value of the first key that the row has. `null` counts as missing.
fn find<'a>(object: &'a Map<String, Value>, keys: &[String]) -> Option<&'a Value> {
    keys.iter().find_map(|key| {
        let mut parts = key.split('.');
        let first = object.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part)).filter(|value| !value.is_null())
    })
}

fn join_keys(keys: &[String]) -> String {
    keys.join("` or `")
}
