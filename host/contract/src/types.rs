//! The types of the contract as plain data. `wit/` documents them for every language; these docs are the same.

use serde::{Deserialize, Serialize};

/// The outcome of a policy, or of a whole chain, for a tool call.
///
/// The cases are ordered by severity, least first, and the list is closed:
/// merging two outcomes means taking the later one of this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// No opinion. The harness goes on as if no policy had been asked.
    Abstain,
    /// The call is fine. Another policy's ask or deny still counts.
    Allow,
    /// The call may run, and the message is shown to the model and the person.
    Warn,
    /// A person must confirm the call before it runs.
    Ask,
    /// The call must not run.
    Deny,
}

/// One reason for an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The id of a rule that the policy declared in its manifest.
    pub rule: String,
    /// At most the `ceiling` of that rule.
    pub outcome: Outcome,
    /// The problem and why it matters, in the present tense, without a full stop at the end of a single sentence. Plain
    /// text; the host removes control characters and secrets before it shows the text.
    pub message: String,
    /// The alternative to the call. May be empty.
    pub remedy: String,
    /// Facts for machines: name and value. Keys that the host knows are
    /// documented in the guide for policy authors; others are passed on.
    pub tags: Vec<(String, String)>,
}

/// The answer of one policy to one tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The maximum of the findings' outcomes; `abstain` without findings.
    /// Anything else is a fault of the policy.
    pub outcome: Outcome,
    /// All reasons, the most telling one first. A finding whose outcome is
    /// `abstain` carries tags only.
    pub findings: Vec<Finding>,
}

/// One rule that a policy may report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Matches `[a-z][a-z0-9_-]*`, at most 64 bytes, and names the danger.
    pub id: String,
    /// One line for people.
    pub summary: String,
    /// The outcome that the rule gives when no setting changes it.
    pub default: Outcome,
    /// The most severe outcome that the rule may ever give. A finding beyond
    /// it is a fault of the policy.
    pub ceiling: Outcome,
}

/// One example of a policy, checked by the host when the policy is prepared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The tool's name, such as `Bash`.
    pub tool: String,
    /// The tool's input: a JSON object.
    pub input: String,
    /// The outcome that the policy must give with its default settings.
    pub outcome: Outcome,
    /// The rule of the first finding at that outcome. Empty: not checked.
    pub rule: String,
}

/// A policy's description of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The policy's name: `[a-z][a-z0-9-]*`, at most 64 bytes.
    pub id: String,
    /// The policy's own version, for people.
    pub version: String,
    /// One line for people.
    pub summary: String,
    /// The tools that the policy wants to be asked about. Each entry is a glob
    /// over the tool's name; `*` alone is every tool. An empty list covers no tool.
    pub tools: Vec<String>,
    /// Every rule that `decide` may report.
    pub rules: Vec<Rule>,
    /// Grants that the policy requests: `read:PATH`, `env:NAME` or `journal:STREAM`. A request only: the configuration
    /// decides.
    pub grants: Vec<String>,
    /// Examples that the policy must pass before it is ever used.
    pub examples: Vec<Example>,
}

/// An effect of an earlier call, or how the call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Event {
    /// Grows with the calls. Starts at 1, unless old events were dropped.
    pub number: u32,
    /// When the call was decided, RFC 3339 in UTC.
    pub time: String,
    /// `write`, `delete`, `download`, `request`, `send`, `install`, `remote`,
    /// `secret-read`, `asked`, `denied`, `ran`, `failed`, `refused` or
    /// `forgotten`. An open set.
    pub kind: String,
    /// The tool's name, such as `Bash`.
    pub tool: String,
    /// The subject: a path, an address, a package, a rule, a program.
    pub target: String,
    /// False if it may not have happened: a person was asked about the call, or
    /// the effect itself was not certain. Always false for `asked`.
    pub certain: bool,
    /// Details by name.
    pub tags: Vec<(String, String)>,
}

/// Why the host did not give what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactFault {
    /// There is no such file or variable.
    Absent,
    /// There is no grant for it.
    Denied,
    /// It is larger than the host hands out.
    TooLarge,
    /// It is not UTF-8 text.
    NotText,
    /// Anything else, for example an input or output error.
    Failed,
}

/// A fact that can also be unknown. Never a bare `bool`: a policy has to say
/// what it makes of `unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// It could not be found out.
    Unknown,
}

/// A path and all that the machine says of it. Empty strings are facts that
/// could not be found out, or that do not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedPath {
    /// The text as it was given.
    pub raw: String,
    /// Absolute, with `~`, `.`, `..` and double slashes resolved by text alone.
    pub lexical: String,
    /// Absolute, with symbolic links resolved. Of a target that does not
    /// exist, the deepest existing ancestor is resolved and the rest appended.
    pub canonical: String,
    /// `canonical` relative to the project root, with `/` between segments and
    /// `.` for the root itself. Empty outside the project.
    pub project_relative: String,
    /// The root of the git work tree that holds the canonical path. A root
    /// that equals the home directory or `/` does not count.
    pub git_root: String,
    /// Whether the target exists.
    pub exists: Presence,
    /// `file`, `dir`, `link`, `other`, or `none` when the target does not
    /// exist. `link` is a link whose target cannot be resolved.
    pub kind: String,
}

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Something is wrong with the policy or its settings.
    Error,
    /// Something deserves attention.
    Warn,
    /// The policy's actions.
    Info,
    /// Detail for the author of the policy.
    Debug,
}

/// Facts that the harness and the host know of the call. Empty: not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFacts {
    /// The working directory of the call, absolute.
    pub cwd: String,
    /// The project's root, absolute.
    pub project_root: String,
    /// The home directory, absolute.
    pub home: String,
    /// The harness's session id.
    pub session: String,
    /// The harness's name, such as `claude`.
    pub harness: String,
    /// The harness's permission mode in its own words, such as
    /// `bypassPermissions`.
    pub permission_mode: String,
    /// The tool's name as the harness spells it.
    pub original_tool: String,
}

/// The name of an outcome as users write and read it.
#[must_use]
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Abstain => "abstain",
        Outcome::Allow => "allow",
        Outcome::Warn => "warn",
        Outcome::Ask => "ask",
        Outcome::Deny => "deny",
    }
}

/// All outcomes, least severe first.
pub const OUTCOMES: [Outcome; 5] = [Outcome::Abstain, Outcome::Allow, Outcome::Warn, Outcome::Ask, Outcome::Deny];

/// The outcome of that name.
#[must_use]
pub fn outcome_named(name: &str) -> Option<Outcome> {
    OUTCOMES.into_iter().find(|outcome| outcome_name(*outcome) == name)
}

/// The severity of an outcome as a number, least first.
#[must_use]
pub fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Abstain => 0,
        Outcome::Allow => 1,
        Outcome::Warn => 2,
        Outcome::Ask => 3,
        Outcome::Deny => 4,
    }
}

/// The more severe of two outcomes.
#[must_use]
pub fn worse(left: Outcome, right: Outcome) -> Outcome {
    if rank(right) > rank(left) { right } else { left }
}

/// A path of which nothing is known but its text.
#[must_use]
pub fn unresolved(raw: &str) -> ResolvedPath {
    ResolvedPath {
        raw: raw.to_owned(),
        lexical: String::new(),
        canonical: String::new(),
        project_relative: String::new(),
        git_root: String::new(),
        exists: Presence::Unknown,
        kind: String::new(),
    }
}
