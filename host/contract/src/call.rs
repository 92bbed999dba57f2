//! [`ToolCall`]: one call of one tool, in the host's own vocabulary. No vendor's JSON.

use serde_json::{Map, Value};

use crate::CallFacts;

/// One call of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool in the common vocabulary: `Bash`, `Write`, `Edit`, ...; another tool keeps its name.
    pub tool: String,
    /// The tool as the harness spells it.
    pub original_tool: String,
    /// The input in the common vocabulary.
    pub input: Map<String, Value>,
    /// How to read `input.command`; none for a tool that runs no command.
    pub dialect: Option<Dialect>,
}

/// The tools that every harness's own are translated to, where it has one of the kind.
pub const COMMON_TOOLS: [&str; 13] = [
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "PowerShell",
    "Read",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Tools that harnesses have besides, under the names that policies see.
pub const OTHER_TOOLS: [&str; 38] = [
    "AskUserQuestion",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "KillBash",
    "KillShell",
    "LSP",
    "ListMcpResources",
    "ListMcpResourcesTool",
    "Monitor",
    "NotebookRead",
    "ReadMcpResource",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "Sleep",
    "SlashCommand",
    "StructuredOutput",
    "SubAgent",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "Workflow",
    "update_plan",
    "update_todo_list",
];

/// The language of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// bash, or a shell close to it.
    Bash,
    /// PowerShell; analysed as far as it looks like a POSIX shell.
    PowerShell,
    /// Anything else that runs what it is given.
    Unknown,
}

impl Dialect {
    /// The name that the analyzer knows it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Bash => "bash",
            Dialect::PowerShell => "powershell",
            Dialect::Unknown => "unknown",
        }
    }
}

/// The keys under which a file tool names its file. When several are given, all count.
pub const PATH_KEYS: [&str; 3] = ["file_path", "path", "notebook_path"];

impl ToolCall {
    /// A call of a tool that is named in the common vocabulary already.
    #[must_use]
    pub fn new(tool: &str, input: Map<String, Value>) -> Self {
        let dialect = match tool {
            "Bash" => Some(Dialect::Bash),
            "PowerShell" => Some(Dialect::PowerShell),
            _ => None,
        };
        ToolCall { tool: tool.to_owned(), original_tool: tool.to_owned(), input, dialect }
    }

    /// The command that the call runs.
    #[must_use]
    pub fn command(&self) -> Option<(&str, Dialect)> {
        Some((self.input.get("command")?.as_str()?, self.dialect?))
    }

    /// The files that the call names.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        PATH_KEYS.iter().filter_map(|key| self.input.get(*key)?.as_str())
    }

    /// What the call does, in one line for people and the audit log: the command, the file, or the input's JSON.
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

/// Where a call happens, as far as the harness says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallContext {
    /// The working directory, absolute.
    pub cwd: String,
    /// The project's root, absolute.
    pub project_root: String,
    /// The root of the repository that `cwd` lies in where that is another one than the project's; else empty.
    pub repository: String,
    /// The home directory, absolute.
    pub home: String,
    /// The home directory of the user's account, which may be another one; empty if there is none.
    pub account_home: String,
    /// The harness's session id; empty if it gives none.
    pub session: String,
    /// The harness's name.
    pub harness: String,
    /// The permission mode in the harness's words; empty if it gives none.
    pub permission_mode: String,
}

impl CallContext {
    /// The directories whose configuration counts. A harness may name a project that `cwd` does not lie in, and its
    /// word must not hide the file of the repository that is worked on.
    #[must_use]
    pub fn projects(&self) -> Vec<String> {
        [&self.project_root, &self.repository].into_iter().filter(|root| !root.is_empty()).cloned().collect()
    }

    /// The facts that a policy is given of `call`.
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
