//! [`ToolCall`]: one call of one tool, in the host's own vocabulary, independent of any harness's JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use guard_sdk::tools::{COMMON_TOOLS, OTHER_TOOLS};

use crate::CallFacts;

/// One call of one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolCall {
    /// The tool in the common vocabulary: `Bash`, `Write`, `Edit`, ... Other tools keep their name.
    pub tool: String,
    /// The tool as the harness spells it.
    pub original_tool: String,
    /// The input in the common vocabulary.
    pub input: Map<String, Value>,
    /// The language of `input.command`, or `None` for a tool that runs no command.
    pub dialect: Option<Dialect>,
}

/// The language of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// bash, or a shell close to it.
    Bash,
    /// PowerShell, which the analyzer turns into shell text that does the same.
    PowerShell,
    /// Any other language.
    Unknown,
}

impl Dialect {
    /// The name of the dialect for the analyzer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Bash => "bash",
            Dialect::PowerShell => "powershell",
            Dialect::Unknown => "unknown",
        }
    }
}

/// The keys for the file of a file tool. If several are present, all of them apply.
pub const PATH_KEYS: [&str; 3] = ["file_path", "path", "notebook_path"];

impl ToolCall {
    /// Creates a call of a tool with its name in the common vocabulary.
    #[must_use]
    pub fn new(tool: &str, input: Map<String, Value>) -> Self {
        let dialect = match tool {
            "Bash" => Some(Dialect::Bash),
            "PowerShell" => Some(Dialect::PowerShell),
            _ => None,
        };
        ToolCall { tool: tool.to_owned(), original_tool: tool.to_owned(), input, dialect }
    }

    /// Returns the command that the call runs, if any.
    #[must_use]
    pub fn command(&self) -> Option<(&str, Dialect)> {
        Some((self.input.get("command")?.as_str()?, self.dialect?))
    }

    /// Returns the files that the call names.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        PATH_KEYS.iter().filter_map(|key| self.input.get(*key)?.as_str())
    }

    /// Returns the globs of the files that a search is limited to, with lists in braces expanded. False if there are
    /// too many and some were left out.
    #[must_use]
    pub fn patterns(&self) -> (Vec<String>, bool) {
        let keys: &[&str] = match self.tool.as_str() {
            "Glob" => &["pattern", "glob_pattern", "globPattern", "glob", "query", "Pattern"],
            "Grep" => {
                &["glob", "glob_pattern", "include", "include_pattern", "includePattern", "file_pattern", "Includes"]
            }
            _ => &[],
        };
        let folder = self.input.get("path").and_then(Value::as_str).unwrap_or_default().trim_end_matches('/');
        let mut left = Vec::new();
        for value in keys.iter().filter_map(|key| self.input.get(*key)) {
            let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            // A glob with `!` excludes files.
            let globs = list.iter().filter_map(Value::as_str).filter(|glob| !glob.is_empty() && !glob.starts_with('!'));
            left.extend(globs.map(|glob| match folder.is_empty() || glob.starts_with(['/', '~']) {
                true => glob.to_owned(),
                false => format!("{folder}/{glob}"),
            }));
        }
        let mut found = Vec::new();
        while let Some(glob) = left.pop() {
            if left.len() + found.len() >= PATTERNS {
                return (found, false);
            }
            match alternatives(&glob) {
                Some(apart) => left.extend(apart),
                None if found.contains(&glob) => {}
                None => found.push(glob),
            }
        }
        (found, true)
    }

    /// Describes the call on one line, for people and the audit log: the command, the file, or the input's JSON.
    #[must_use]
    pub fn operation(&self) -> String {
        if let Some((command, _)) = self.command() {
            return command.to_owned();
        }
        match self.paths().next() {
            Some(path) => path.to_owned(),
            None => Value::Object(self.input.clone()).to_string(),
        }
    }
}

/// The maximum number of globs of a search that are considered.
pub const PATTERNS: usize = 256;

/// Expands a glob's list in braces, or returns `None` if it has none. The innermost of nested lists is expanded first.
fn alternatives(glob: &str) -> Option<Vec<String>> {
    let (before, rest) = glob.split_at_checked(glob.find('}')?)?;
    let (head, list) = before.rsplit_once('{')?;
    let tail = rest.strip_prefix('}')?;
    Some(list.split(',').map(|each| format!("{head}{each}{tail}")).collect())
}

/// The context of a call, as far as the harness reports it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct CallContext {
    /// The working directory, absolute.
    pub cwd: String,
    /// The project's root, absolute.
    pub project_root: String,
    /// The root of the repository that contains `cwd`, if that isn't the project's repository. Otherwise empty.
    pub repository: String,
    /// The home directory, absolute.
    pub home: String,
    /// The home directory of the user's account, which may differ. Empty if unknown.
    pub account_home: String,
    /// The harness's session id. Empty if missing.
    pub session: String,
    /// The harness's name.
    pub harness: String,
    /// The permission mode in the harness's words. Empty if missing.
    pub permission_mode: String,
    /// The kind of subagent that makes the call, in the harness's words, or empty. Not passed to policies.
    pub agent: String,
}

impl CallContext {
    /// Returns the directories whose configuration applies. A harness may name a project that doesn't contain `cwd`,
    /// which must not hide the configuration of the repository in which the agent works.
    #[must_use]
    pub fn projects(&self) -> Vec<String> {
        [&self.project_root, &self.repository].into_iter().filter(|root| !root.is_empty()).cloned().collect()
    }

    /// Returns the facts that policies get about `call`.
    #[must_use]
    pub fn facts(&self, call: &ToolCall) -> CallFacts {
        CallFacts {
            cwd: self.cwd.clone(),
            project_root: self.project_root.clone(),
            home: self.home.clone(),
            session: self.session.clone(),
            harness: self.harness.clone(),
            permission_mode: self.permission_mode.clone(),
            original_tool: call.original_tool.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patterns(tool: &str, input: &Value) -> (Vec<String>, bool) {
        ToolCall::new(tool, input.as_object().unwrap().clone()).patterns()
    }

    #[test]
    fn the_patterns_of_a_search_lie_below_its_folder() {
        let all = |tool: &str, input: Value| {
            let (mut found, whole) = patterns(tool, &input);
            assert!(whole, "{input}");
            found.sort();
            found.join(" ")
        };
        assert_eq!(all("Glob", json!({ "pattern": "**/*.rs" })), "**/*.rs");
        assert_eq!(all("Glob", json!({ "pattern": "*.rs", "path": "src/" })), "src/*.rs");
        assert_eq!(all("Glob", json!({ "pattern": "/a/*", "path": "src" })), "/a/*");
        assert_eq!(all("Grep", json!({ "pattern": "x", "glob": "*.{a,b{c,d}}" })), "*.a *.bc *.bd");
        assert_eq!(all("Grep", json!({ "pattern": ".env", "include": ["a", "!b"] })), "a");
        assert_eq!(all("Read", json!({ "pattern": "x" })), "");
        assert_eq!(all("Glob", json!({ "pattern": "a}b{c" })), "a}b{c");
    }

    #[test]
    fn more_patterns_than_are_told_apart_are_said_to_be_too_many() {
        assert!(!patterns("Glob", &json!({ "pattern": "{a,b}".repeat(12) })).1);
    }
}
