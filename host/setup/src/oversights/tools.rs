//! Finds entries whose `tools` exclude everything that their policy judges, and rules in CEL for tools that their entry
//! excludes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use guard_contract::Problem;
use guard_contract::policy::{Entry, Source};
use guard_sdk::globs::Glob;
use regex_lite::Regex;
use serde_json::Value;

use super::patterns::{ROOTED, of_entry};

/// The tools that `write-control` judges with any settings.
const FILE_TOOLS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// A condition about the tool alone.
static TOOL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^tool\s*(?:==\s*("[^"]*"|'[^']*')|in\s*\[((?:\s*(?:"[^"]*"|'[^']*')\s*,?)*)\s*\])$"#).ok()
});

/// A text in a condition.
static TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""[^"]*"|'[^']*'"#).ok());

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

/// Returns a problem for each rule in CEL whose condition holds for no tool of the entry.
pub(super) fn excluded_rules(entry: &Entry, settings: &Value) -> Vec<(String, String)> {
    let rules = settings.get("rules").and_then(Value::as_array).into_iter().flatten();
    let tools = entry.tools.as_deref();
    let problem = |rule: &Value| {
        let (name, condition) = (rule.get("rule")?.as_str()?, rule.get("when")?.as_str()?);
        let named = tools_of(condition)?;
        if named.is_empty() {
            let text = format!("the rule `{name}` has no effect: no tool meets its condition");
            return Some((text, "join alternatives with `||`, or write `tool in ['Bash', 'Write']`".to_owned()));
        }
        let tools = tools.filter(|tools| !named.iter().any(|tool| has(tools, tool)))?;
        let named = named.into_iter().collect::<Vec<_>>().join("`, `");
        let text = format!(
            "the rule `{name}` has no effect: it is for `{named}`, and the entry's `tools` are `{}`",
            tools.join("`, `")
        );
        Some((text, format!("add `{named}` to `tools`, or remove `tools`")))
    };
    rules.filter_map(problem).collect()
}

/// Returns the tools for which a condition can hold. `None` for any tool, or if that isn't clear.
fn tools_of(condition: &str) -> Option<BTreeSet<&str>> {
    let is_unclear = condition.contains(['\\', '?']) || condition.contains("//");
    if is_unclear {
        return None;
    }
    let alternatives = split(condition, "||");
    if alternatives.len() > 1 {
        let all: Option<Vec<_>> = alternatives.into_iter().map(tools_of).collect();
        return all.map(|all| all.into_iter().flatten().collect());
    }
    let parts = split(condition, "&&");
    if parts.len() > 1 {
        let each = parts.into_iter().filter_map(tools_of);
        return each.reduce(|one, other| one.intersection(&other).copied().collect());
    }
    let condition = condition.trim();
    if let Some(inner) = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return tools_of(inner);
    }
    let found = TOOL.as_ref()?.captures(condition)?;
    let list = found.get(1).or_else(|| found.get(2)).map_or("", |list| list.as_str());
    Some(TEXT.as_ref()?.find_iter(list).map(|text| text.as_str().trim_matches(['"', '\''])).collect())
}

/// Splits a condition at an operator outside of texts and parentheses.
fn split<'a>(condition: &'a str, operator: &str) -> Vec<&'a str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut parts = Vec::new();
    for (at, letter) in condition.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if matches!(letter, '(' | '[' | '{') => depth += 1,
            None if matches!(letter, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            None if depth == 0 && at >= start && condition.get(at..).is_some_and(|rest| rest.starts_with(operator)) => {
                parts.extend(condition.get(start..at));
                start = at + operator.len();
            }
            None => {}
        }
    }
    parts.extend(condition.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_of_a_condition_are_known() {
        for (condition, tools) in [
            ("tool == 'Bash'", Some(&["Bash"][..])),
            ("(tool == \"Bash\") && input.command.contains('||')", Some(&["Bash"])),
            ("tool == 'Bash' && tool == 'Write'", Some(&[])),
            ("tool in ['Bash', 'Write'] && tool in ['Write', 'Edit']", Some(&["Write"])),
            ("(tool == 'Edit' || tool == 'Write') && has(input.content)", Some(&["Edit", "Write"])),
            ("tool == 'Edit' || input.content == 'x'", None),
            ("!(tool == 'Bash')", None),
            ("!(has(input.content) && tool == 'Bash' && true)", None),
            ("tool == 'Bash' ? true : tool == 'Write'", None),
            ("tool != 'Bash' && tool.startsWith('mcp__')", None),
            ("tool in data.tools", None),
            ("tool in ['Bash', data.tool]", None),
            ("(tool == 'Bash') == (input.x == 'y')", None),
            ("analysis.commands.all(c, tool == 'Bash' && c.program == 'x')", None),
        ] {
            let expected = tools.map(|tools| tools.iter().copied().collect::<BTreeSet<_>>());
            assert_eq!(tools_of(condition), expected, "{condition}");
        }
    }
}
