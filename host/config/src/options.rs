//! The options that a user may write in `guard.toml`. Nothing is resolved here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Table;

use guard_contract::Outcome;
use guard_contract::grants::GrantSpec;
use guard_contract::scripts::Scripts;
use guard_contract::verdict::BypassAsk;

/// A whole file. Every key is optional.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The oldest guard-host that understands the file. Example: `"0.1.0"`.
    pub min_version: Option<String>,
    /// The built-in policies to start from. Default: `"standard"`. Not in a project's file.
    pub preset: Option<Preset>,
    /// Whether the policies of this file stop calls. Default: `"enforce"`. Not in a project's file.
    pub mode: Option<Mode>,
    /// The verdict for an unreadable payload. Default: `"report"`. Not in a project's file.
    pub on_malformed: Option<OnMalformed>,
    /// The verdict that replaces an ask when the harness skips prompts. Default: `"ask"`. Not in a project's file.
    pub bypass_ask: Option<BypassAsk>,
    /// Which of the files that a call runs are judged in full: `"all"`, `"changed"` (files that match the last commit are
    /// judged more mildly), or `"off"` (no files are read). Default: `"changed"`. Not in a project's file.
    pub scripts: Option<Scripts>,
    /// The classes of calls that run confined by `guard-host run`: `"scripts"` (of an interpreter or a shell),
    /// `"package-scripts"` (scripts of packages, and builds), `"unknown-programs"` (programs that guard-host doesn't know).
    /// Default: none, and all with the preset `confined`. Not in a project's file.
    pub confine: Option<Vec<ConfineClass>>,
    /// The time limit of a whole call in milliseconds, 100 to 2000. Default: 2000. Not in a project's file.
    #[schemars(range(min = 100, max = 2000))]
    pub deadline_ms: Option<u32>,
    /// Policies that the user's file can neither replace nor remove. Only in the managed file.
    pub lock: Option<Vec<String>>,
    /// The audit log. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub audit: Option<AuditOptions>,
    /// The cache of compiled policies. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub cache: Option<CacheOptions>,
    /// Copies of files that calls destroy. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub undo: Option<UndoOptions>,
    /// Where the approvals of a session are stored. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub session: Option<SessionOptions>,
    /// The server that decides instead of the chain of this machine. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub remote: Option<RemoteOptions>,
    /// The keys whose signatures of policies are accepted. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub trust: Option<TrustOptions>,
    /// Calls that may run without a prompt. Not in a project's file.
    #[serde(deserialize_with = "guard_sdk::tables::list")]
    pub allow: Vec<AllowOptions>,
    /// The meaning of the arguments of tools that guard-host doesn't know, such as those of MCP servers.
    #[serde(deserialize_with = "guard_sdk::tables::list")]
    pub tool: Vec<ToolOptions>,
    /// The chain's entries.
    #[serde(deserialize_with = "guard_sdk::tables::list")]
    pub policy: Vec<PolicyOptions>,
}

/// A chain of built-ins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The guards that nobody should miss.
    Standard,
    /// `standard`, strict.
    Hardened,
    /// `standard` and the guard over paths.
    Guardrail,
    /// All built-ins but `rego` and `cel`.
    Full,
    /// `standard`, and all classes of `confine`.
    Confined,
    /// No built-in.
    None,
}

impl Preset {
    /// The name that a policy's metadata uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Preset::Standard | Preset::Confined => "standard",
            Preset::Hardened => "hardened",
            Preset::Guardrail => "guardrail",
            Preset::Full => "full",
            Preset::None => "none",
        }
    }
}

/// A class of calls that run confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfineClass {
    /// Scripts of an interpreter or a shell.
    Scripts,
    /// Scripts of packages, and builds.
    PackageScripts,
    /// Programs that guard-host doesn't know.
    UnknownPrograms,
}

impl ConfineClass {
    /// All of them.
    pub const ALL: [ConfineClass; 3] =
        [ConfineClass::Scripts, ConfineClass::PackageScripts, ConfineClass::UnknownPrograms];
}

/// Whether the policies of a file stop calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// They do.
    Enforce,
    /// Asks and denies of the policies are only logged.
    Watch,
    /// The same, and for the policies of the layers after this one, too.
    WatchAll,
}

/// Whether a policy stops calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyMode {
    /// It does.
    Enforce,
    /// Asks and denies of the policy are only logged.
    Watch,
}

/// The verdict for an unreadable payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnMalformed {
    /// Exit code 1 and one line on standard error.
    Report,
    /// Silence.
    Allow,
    /// A prompt.
    Ask,
    /// A refusal.
    Deny,
}

/// `[audit]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AuditOptions {
    /// Which calls are logged. Default: `"interventions"`.
    pub level: Option<AuditLevel>,
    /// The log file. Default: `audit.jsonl` in the state folder.
    pub path: Option<String>,
    /// The size at which the log is rotated, in bytes, at least 4096. Default: 8388608.
    #[schemars(range(min = 4096))]
    pub max_bytes: Option<u64>,
    /// The verdict for a call that can't be logged. With `"ask"` or `"deny"`, the line is written before the reply.
    /// Default: `"allow"`.
    pub on_error: Option<OnError>,
    /// Whether each line is also sent to systemd's journal: `true`, or the path of a journal's socket. Default: `false`.
    pub journal: Option<Journal>,
}

/// `journal` in `[audit]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected `true`, `false`, or the path of a journal's socket")]
pub enum Journal {
    /// Whether the system's journal gets the lines.
    System(bool),
    /// The absolute path of a journal's socket.
    Socket(String),
}

/// `[cache]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CacheOptions {
    /// The size in bytes above which the cache drops its least recently used files. Files that a chain needs stay.
    /// Default: 134217728.
    pub max_bytes: Option<u64>,
}

/// `[undo]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct UndoOptions {
    /// Whether the files that a call is about to destroy are copied. Default: `true`.
    pub enabled: Option<bool>,
    /// Patterns of files that are never copied: over a name, an absolute path, or a path below the project.
    pub exclude: Vec<String>,
    /// The maximum number of bytes that are copied for one call. Default: 268435456.
    pub max_bytes: Option<u64>,
    /// How long a call waits for its copies in milliseconds, 10 to 1500. Default: 150.
    #[schemars(range(min = 10, max = 1500))]
    pub max_ms: Option<u32>,
    /// Whether a call runs with a warning if the only reason to prompt is a loss that a copy can restore. Default:
    /// `false`.
    pub instead_of_ask: Option<bool>,
}

/// Which calls are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditLevel {
    /// Asks and denies.
    Interventions,
    /// Every call.
    All,
    /// Every call, with everything that its verdict depends on.
    Facts,
}

/// `[session]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SessionOptions {
    /// One file for the approvals of all sessions.
    pub file: Option<String>,
}

/// `[remote]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RemoteOptions {
    /// The server's address, without `/decide`. It must be on this machine or have TLS.
    pub url: String,
    /// The file with the server's token.
    pub token_file: String,
    /// A file of certificate authorities in PEM. Default: those that the machine trusts.
    pub ca: Option<String>,
    /// How long to wait for an answer in milliseconds, 100 to 1500, less than `deadline-ms`. Default: 1000.
    #[schemars(range(min = 100, max = 1500))]
    pub timeout_ms: Option<u32>,
    /// The fallback when the server does not answer. Default: `"ask"`.
    pub fallback: Option<Fallback>,
    /// Files and variables that the server may see, in addition to paths and git: `read:PATH` and `env:NAME`. Default:
    /// nothing.
    pub grants: Vec<String>,
}

/// The fallback when the server of `[remote]` does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The chain of this machine.
    Local,
    /// A prompt.
    Ask,
    /// A refusal.
    Deny,
}

/// `[trust]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrustOptions {
    /// The keys whose signatures are accepted. Signers in the user's file are added to those of the managed file.
    #[serde(deserialize_with = "guard_sdk::tables::list")]
    pub signers: Vec<SignerOptions>,
    /// Whether component files of the user and of projects are used only if a signer has signed them. Default: `false`. In
    /// the managed file, only the signers of that file are accepted.
    pub signed_only: Option<bool>,
}

/// `signers`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SignerOptions {
    /// The signer's name in guard.lock.
    pub name: String,
    /// The signer's public key: its PEM without the first and the last line.
    pub key: String,
}

/// `[[allow]]`. It lets a shell command or a tool run without confirmation. It never overrides a deny.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AllowOptions {
    /// The first words of the command. Example: `["rm", "-rf"]`.
    pub command: Vec<String>,
    /// An MCP tool, in place of a command. Example: `"mcp__github__create_issue"`.
    pub tool: String,
    /// The values that arguments of `tool` must have, such as `{ repo = "acme/shop" }`. Default: any arguments.
    pub arguments: BTreeMap<String, String>,
    /// Patterns of the paths that may follow `command`, relative to the folder. Default: no further words.
    pub targets: Vec<String>,
    /// The only effects that the command may have, such as `["git.push"]`. Any further words are then allowed, and `targets`
    /// match the object of the effect. Default: only the words of `command` and `targets`.
    pub effects: Vec<String>,
    /// The folder that contains all files that the command may change, or `"project"`. Default: `"project"`.
    pub within: String,
    /// The rules whose asks it overrides, each as `policy:rule`. Default: all but those of `self-protect`.
    pub rules: Vec<String>,
    /// Why it may run. The audit log and `explain` show it.
    pub why: String,
    /// The last day on which it applies. Example: `"2027-01-31"`. Default: it never expires.
    pub until: String,
}

/// `[[tool]]`. Its arguments are judged like those of a known tool, so a call may be denied. Without it, guard-host guesses
/// from the arguments' names, and a guess asks at most.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolOptions {
    /// A pattern of the tool's name. Write the name of an MCP server's tool as `mcp__SERVER__TOOL`.
    pub r#match: String,
    /// The arguments that are shell text.
    pub shell: Names,
    /// The arguments that are files.
    pub path: Names,
    /// The arguments that are text to write to the file.
    pub content: Names,
    /// The arguments that are SQL.
    pub sql: Names,
    /// The arguments that are addresses.
    pub url: Names,
}

/// A name, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a name, or a list of names")]
pub enum Names {
    /// One name.
    One(String),
    /// A list.
    List(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Names::List(Vec::new())
    }
}

impl Names {
    /// The names.
    #[must_use]
    pub fn list(&self) -> &[String] {
        match self {
            Names::One(name) => std::slice::from_ref(name),
            Names::List(names) => names,
        }
    }
}

/// `[[policy]]`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PolicyOptions {
    /// The policy's name. An entry with the name of a policy in the preset replaces the preset's entry.
    pub name: String,
    /// `false` turns the policy off: its keys are checked, but its settings aren't. Default: `true`.
    pub enabled: Option<bool>,
    /// A policy of the same layer; this one is placed right before it.
    pub before: Option<String>,
    /// A policy of the same layer; this one is placed right after it.
    pub after: Option<String>,
    /// A component file, an address that guard.lock pins (`oci://`, `https://`, `file://`), or `"builtin:NAME"`. Default:
    /// the built-in of the entry's name.
    pub source: Option<String>,
    /// The digest that the component must have, in hexadecimal.
    pub sha256: Option<String>,
    /// Patterns of the tools whose calls the policy judges. Default: all tools that it supports.
    pub tools: Option<Vec<String>>,
    /// The settings for the policy's `configure`.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub settings: Option<Table>,
    /// A file with the settings instead; for `rego`, also a folder of modules and data.
    pub settings_file: Option<String>,
    /// `"watch"`: the policy's asks and denies are only logged. Default: the `mode` of the file.
    pub mode: Option<PolicyMode>,
    /// The answer if the policy fails. Default: `"ask"`.
    pub on_error: Option<OnError>,
    /// Whether the policy's allow skips the harness's own prompt. Default: `false`, and `true` for `write-control`. In a
    /// project's file, it needs trust.
    pub may_allow: Option<bool>,
    /// `"frozen"`: a clock at 0 and fixed random numbers, for languages that need WASI to start. In a project's file, it
    /// needs trust.
    pub wasi: Option<Wasi>,
    /// The policy's resource limits.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub limits: Option<LimitOptions>,
    /// The grants of the policy. Default: a built-in policy's own, and none for other components.
    #[serde(deserialize_with = "guard_sdk::tables::optional")]
    pub grants: Option<GrantSpec>,
}

/// The outcome if a policy fails, or if a line of the audit log can't be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// A prompt.
    Ask,
    /// No outcome: the failure is ignored.
    Allow,
    /// A refusal.
    Deny,
}

impl OnError {
    /// The outcome that it names.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            OnError::Ask => Outcome::Ask,
            OnError::Allow => Outcome::Abstain,
            OnError::Deny => Outcome::Deny,
        }
    }
}

/// How much of WASI a guest is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wasi {
    /// A clock that stands still and fixed random numbers; no files, no sockets, no environment.
    Frozen,
}

/// `limits`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitOptions {
    /// Processor time in milliseconds, 10 to 1500. Default: 200.
    #[schemars(range(min = 10, max = 1500))]
    pub time_ms: Option<u32>,
    /// Linear memory in MiB, 1 to 1024. Default: 64.
    #[schemars(range(min = 1, max = 1024))]
    pub memory_mib: Option<u32>,
}
