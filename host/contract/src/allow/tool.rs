//! Allows for a tool that runs no shell command, such as one of an MCP server.

use std::collections::BTreeMap;

use serde_json::Value;

use super::offer::asking_rules;
use super::{Allow, Here};
use crate::Layer;
use crate::call::{COMMON_TOOLS, ToolCall};
use crate::syntax::Analysis;
use crate::verdict::Verdict;

/// The maximum length of an argument's value in an offered allow, in bytes.
const VALUE_BYTES: usize = 200;

/// The maximum number of arguments in an offered allow.
const ARGUMENTS: usize = 4;

impl Allow {
    /// Returns an allow for this tool in the call's project, without expiry.
    #[must_use]
    pub fn for_tool(layer: Layer, tool: &str) -> Self {
        Allow { tool: tool.to_owned(), ..Allow::for_command(layer, Vec::new()) }
    }

    /// Checks an entry with `tool`.
    pub(super) fn check_tool(&self) -> Result<(), (String, &'static str)> {
        if !self.command.is_empty() || !self.targets.is_empty() || !self.effects.is_empty() {
            let hint = "remove `tool`, or the other keys";
            return Err(("`tool` can't be combined with `command`, `targets` or `effects`".to_owned(), hint));
        }
        if COMMON_TOOLS.contains(&self.tool.as_str()) {
            let hint = "name an MCP tool, such as `mcp__github__create_issue`, or write a `command`";
            return Err((format!("`tool` is `{}`, a tool of every harness", self.tool), hint));
        }
        if self.tool.contains(['*', '?', '[', '{', '!']) {
            return Err((format!("`tool` is the pattern `{}`", self.tool), "name one tool"));
        }
        Ok(())
    }

    /// Returns whether the call is one of this tool with these arguments.
    #[must_use]
    pub fn is_for(&self, call: &ToolCall) -> bool {
        let has = |(name, own): (&String, &String)| call.input.get(name).and_then(text).as_ref() == Some(own);
        let is_tool = [&call.tool, &call.original_tool].contains(&&self.tool);
        !self.tool.is_empty() && is_tool && self.arguments.iter().all(has)
    }

    /// Returns whether the call is one of this tool with these arguments, and all files that it changes are in the folder.
    pub(super) fn covers_tool(&self, call: &ToolCall, analysis: Option<&Analysis>, here: Here<'_>) -> bool {
        let effects = analysis.map_or(&[][..], |analysis| &analysis.effects);
        self.is_for(call)
            && call.command().is_none()
            && self.is_at(here)
            && effects.iter().all(|effect| effect.path.raw.is_empty() || self.relative_path(effect).is_some())
    }
}

/// Returns a plain value as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns the allows that may cover a call of such a tool, the narrowest first: one with the arguments that name the
/// call's object, and one with any arguments.
#[must_use]
pub fn for_tool(verdict: &Verdict, call: &ToolCall, analysis: Option<&Analysis>) -> Vec<Allow> {
    let any = Allow { rules: asking_rules(verdict), ..Allow::for_tool(Layer::User, &call.tool) };
    let arguments = stable_arguments(call, analysis);
    let with_arguments = (!arguments.is_empty()).then(|| Allow { arguments, ..any.clone() });
    with_arguments.into_iter().chain([any]).collect()
}

/// Names of arguments that contain a location rather than content. They may end in `_id`.
const PLACES: [&str; 19] = [
    "account",
    "app",
    "bucket",
    "channel",
    "cluster",
    "database",
    "env",
    "environment",
    "namespace",
    "org",
    "organization",
    "owner",
    "project",
    "region",
    "repo",
    "repository",
    "site",
    "team",
    "workspace",
];

/// Returns the arguments that name the call's location, or whose values are part of an effect's object in the analysis.
fn stable_arguments(call: &ToolCall, analysis: Option<&Analysis>) -> BTreeMap<String, String> {
    let targets: Vec<&str> = analysis.iter().flat_map(|found| &found.effects).map(|effect| &*effect.target).collect();
    let is_object = |value: &str| {
        let is_name = !value.is_empty() && !value.contains(char::is_whitespace);
        is_name && targets.iter().any(|target| *target == value || target.split('/').any(|part| part == value))
    };
    let arguments = call.input.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?)));
    let is_place = |name: &str| {
        let name = name.to_ascii_lowercase().replace('-', "_");
        PLACES.contains(&name.strip_suffix("_id").unwrap_or(&name))
    };
    let is_short = |value: &str| !value.is_empty() && value.len() <= VALUE_BYTES && !value.contains('\n');
    let is_stable = |(name, value): &(String, String)| is_short(value) && (is_place(name) || is_object(value));
    arguments.filter(is_stable).take(ARGUMENTS).collect()
}
