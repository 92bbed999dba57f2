//! Finds entries whose `tools` exclude everything that their policy judges, and rules in CEL for tools that their entry
//! excludes.

use guard_contract::Problem;
use guard_contract::policy::{Entry, Source};
use guard_sdk::globs::Glob;
use serde_json::Value;

use super::patterns::{ROOTED, of_entry};

/// The tools that `write-control` judges with any settings.
const FILE_TOOLS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Reports a `write-control` for shell commands alone, which it only judges with `shell`.
pub(super) fn unjudged(entry: &Entry) -> Option<Problem> {
    let tools = entry.tools.as_deref()?;
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let is_rooted = matches!(&entry.source, Source::Builtin(name) if *name == ROOTED);
    let is_judged = settings.get("shell") == Some(&Value::Bool(true)) || FILE_TOOLS.iter().any(|tool| has(tools, tool));
    let text = "it judges nothing: `tools` has no file tool, and shell commands are only judged with `shell = true`";
    let hint = "add `shell = true` to its `settings`, or remove `tools`";
    (is_rooted && !is_judged).then(|| of_entry(entry, text, hint.to_owned()))
}

/// Returns whether a name or pattern of the list matches the tool.
fn has(tools: &[String], tool: &str) -> bool {
    tools.iter().any(|pattern| pattern == "*" || Glob::new(pattern).map_or(true, |glob| glob.matches(tool)))
}
