//! [`Arguments`]: an entry of the configuration that defines the meaning of a tool's arguments.

use guard_sdk::globs::Glob;
use serde::{Deserialize, Serialize};

use super::names::Kind;
use crate::call::ToolCall;
use crate::policy::matches;

/// The maximum length of a name that is tried in other spellings.
const NAME_BYTES: usize = 256;

/// The separators between server and tool name that harnesses use.
const JOINTS: [&str; 7] = ["___", "__", ".", "/", ":", "-", "_"];

/// Prefixes that may precede the name of a server.
const PREFIXES: [&str; 7] = ["mcp__", "MCP__", "mcp_", "mcp-", "mcp.", "MCP:", "@"];

/// The meanings of the arguments of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arguments {
    /// A pattern of the tool's name. An MCP server's tool is `mcp__SERVER__TOOL`, regardless of the harness's spelling.
    pub tool: String,
    /// The arguments with shell text.
    pub shell: Vec<String>,
    /// The arguments with a path.
    pub path: Vec<String>,
    /// The arguments with the content to write.
    pub content: Vec<String>,
    /// The arguments with SQL.
    pub sql: Vec<String>,
    /// The arguments with a URL.
    pub url: Vec<String>,
    /// Whether these meanings are added to those guessed from the arguments' names, instead of replacing them.
    pub adds: bool,
}

impl Arguments {
    /// Returns the kind of the value of a key. An argument such as `query.text` is a `text` in any object.
    pub(super) fn kind(&self, key: &str) -> Option<Kind> {
        let lists = [
            (&self.shell, Kind::Shell),
            (&self.path, Kind::File),
            (&self.content, Kind::Content),
            (&self.sql, Kind::Sql),
            (&self.url, Kind::Url),
        ];
        let is_named = |name: &String| name == key || name.rsplit_once('.').is_some_and(|(_, last)| last == key);
        lists.into_iter().find_map(|(list, kind)| list.iter().any(is_named).then_some(kind))
    }

    /// Returns whether the entry applies to the call's tool.
    pub(super) fn applies_to(&self, call: &ToolCall) -> bool {
        let names = [call.tool.as_str(), call.original_tool.as_str()];
        if names.contains(&self.tool.as_str()) {
            return true;
        }
        let fits = |name: &str| matches(&self.tool, name);
        names.iter().any(|name| fits(name) || spellings(name).any(|name| fits(&name)))
            || self.names_server() && spellings(&self.tool).any(|pattern| matches(&pattern, &call.tool))
    }

    /// Returns whether the pattern is the name of a server's tool in the spelling of a harness, such as `mcp_box_run`.
    fn names_server(&self) -> bool {
        let is_spelled = self.tool.contains("__") || PREFIXES.iter().any(|prefix| self.tool.starts_with(prefix));
        is_spelled && !self.tool.starts_with("mcp__") && !self.tool.contains(['{', '['])
    }

    /// Checks the pattern of the tool's name.
    ///
    /// # Errors
    ///
    /// It is empty or isn't a glob.
    pub fn check(&self) -> Result<(), String> {
        match self.tool.as_str() {
            "" => Err("`match` is empty".to_owned()),
            pattern if Glob::new(pattern).is_err() => Err(format!("`match` is `{pattern}`, which isn't a pattern")),
            _ => Ok(()),
        }
    }
}

/// Returns the possible common forms of a name. Where the server's name ends isn't known, so each separator is tried.
fn spellings(name: &str) -> impl Iterator<Item = String> {
    let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let bare = Some(bare).filter(|bare| bare.len() <= NAME_BYTES).unwrap_or_default();
    let at = |joint: &'static str| bare.match_indices(joint).map(move |(at, _)| (at, joint.len()));
    JOINTS.into_iter().flat_map(at).filter_map(move |(at, width)| {
        let (server, tool) = (bare.get(..at)?, bare.get(at + width..)?);
        (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
    })
}
