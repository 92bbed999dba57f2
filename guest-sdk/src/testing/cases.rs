//! The format of a file of cases: [`Suite`], which `guard-host test` and policies' tests read.
//!
//! Only types and their methods. Reads no files, and runs nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::paths::below;

/// Cases that share settings and facts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// The settings passed to the policy's `configure`.
    pub settings: Map<String, Value>,
    /// The world of all cases.
    pub facts: WorldFacts,
    /// The cases.
    pub cases: Vec<Case>,
}

/// The world of a case: where the call happens, and the machine around it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorldFacts {
    /// Default: `claude`.
    pub harness: Option<String>,
    /// Default: `s1`.
    pub session: Option<String>,
    /// Default: `default`.
    pub permission_mode: Option<String>,
    /// Default: `/repo`.
    pub cwd: Option<String>,
    /// Default: `/repo`, a git repository.
    pub project_root: Option<String>,
    /// Default: `/home/u`.
    pub home: Option<String>,
    /// Variables.
    pub env: BTreeMap<String, String>,
    /// Texts by absolute path.
    pub files: BTreeMap<String, String>,
    /// Folders by absolute path.
    pub dirs: BTreeSet<String>,
    /// Symbolic links by absolute path.
    pub links: BTreeMap<String, String>,
    /// The file of guard-host's program. Others with its text are copies. Default: none.
    pub program: Option<String>,
    /// The git facts. Default: nothing is known.
    pub git: Option<GitFacts>,
    /// The session's events before the call, in order. Default: none.
    pub history: Vec<PastEvent>,
    /// The history is damaged. Default: false.
    pub history_is_damaged: bool,
}

/// An event of the session before the call of a case.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PastEvent {
    /// The kind, such as `write` or `secret-read`.
    pub kind: String,
    /// The path, address, package, rule or program. Default: empty.
    #[serde(default)]
    pub target: String,
    /// The tool. Default: `Bash`.
    #[serde(default = "shell")]
    pub tool: String,
    /// When, RFC 3339 in UTC. Default: not known.
    #[serde(default)]
    pub time: String,
    /// Whether it certainly happened. Default: true.
    #[serde(default = "yes")]
    pub certain: bool,
    /// Details by name. Default: none.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

fn shell() -> String {
    "Bash".to_owned()
}

fn yes() -> bool {
    true
}

/// The git facts in the world of a case. A path also applies to everything below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GitFacts {
    /// The branch that is checked out. Default: none.
    pub branch: String,
    /// Absolute paths that git tracks.
    pub tracked: BTreeSet<String>,
    /// Absolute paths that the next commit changes.
    pub staged: BTreeSet<String>,
    /// Absolute paths that git ignores.
    pub ignored: BTreeSet<String>,
}

impl GitFacts {
    /// Returns whether git tracks the file, or a file below the folder.
    #[must_use]
    pub fn is_tracked(&self, path: &str) -> bool {
        touches(&self.tracked, path)
    }

    /// Returns whether the next commit changes the file, or a file below the folder.
    #[must_use]
    pub fn is_staged(&self, path: &str) -> bool {
        touches(&self.staged, path)
    }

    /// Returns whether git ignores the file or the folder.
    #[must_use]
    pub fn is_ignored(&self, path: &str) -> bool {
        self.ignored.iter().any(|one| below(path, one).is_some())
    }
}

/// Returns whether one of `paths` is `path`, below it, or a folder above it.
fn touches(paths: &BTreeSet<String>, path: &str) -> bool {
    paths.iter().any(|one| below(path, one).is_some() || below(one, path).is_some())
}

impl WorldFacts {
    /// Returns this world with the facts of `over` replaced.
    #[must_use]
    pub fn with(&self, over: &WorldFacts) -> WorldFacts {
        let mut world = self.clone();
        let override_with = |value: &mut Option<String>, over: &Option<String>| {
            if over.is_some() {
                value.clone_from(over);
            }
        };
        override_with(&mut world.harness, &over.harness);
        override_with(&mut world.session, &over.session);
        override_with(&mut world.permission_mode, &over.permission_mode);
        override_with(&mut world.cwd, &over.cwd);
        override_with(&mut world.project_root, &over.project_root);
        override_with(&mut world.home, &over.home);
        override_with(&mut world.program, &over.program);
        world.env.extend(over.env.clone());
        world.files.extend(over.files.clone());
        world.dirs.extend(over.dirs.iter().cloned());
        world.links.extend(over.links.clone());
        if over.git.is_some() {
            world.git.clone_from(&over.git);
        }
        world.history.extend(over.history.iter().cloned());
        world.history_is_damaged |= over.history_is_damaged;
        world
    }
}

/// One case: a call and what must come of it, or a payload and what must be printed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("anyOf" = [{ "required": ["expect"] }, { "required": ["payload"] }])))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Case {
    /// One or more ids of the property that the case proves, for people and reports.
    pub id: OneOrMore,
    /// The name of the case.
    pub name: String,
    /// The tool. Default: `Bash`.
    pub tool: Option<String>,
    /// The tool's input: an object, or the command of a shell.
    pub input: Value,
    /// The outcome that must come, or several of which one must.
    #[cfg_attr(feature = "schema", schemars(schema_with = "outcomes"))]
    pub expect: OneOrMore,
    /// The rule that must name the verdict; of a policy that carries rules of a text, the text's own name for it will do.
    /// A policy that gives no answer fails every case but those that name the rule `policy-fault`.
    pub rule: Option<String>,
    /// Rules, as a policy declares them, that the call nearly hits: a finding of one of them fails the case.
    pub near: OneOrMore,
    /// Tags that the finding must have.
    pub tags: BTreeMap<String, String>,
    /// A part of the message.
    pub message: Option<String>,
    /// A part of the remedy.
    pub remedy: Option<String>,
    /// `complete`, `partial` or `unparsed`.
    pub coverage: Option<String>,
    /// The journal lines that must come, as objects without `ts`.
    pub journal: Option<Vec<Value>>,
    /// The facts that differ in this case's world.
    pub facts: WorldFacts,
    /// A whole payload of a harness instead of `tool` and `input`; a string is taken for the text as it comes.
    pub payload: Option<Value>,
    /// The harness that the hook is registered with; what the payload certainly is comes first. Default: `claude`.
    pub harness: Option<String>,
    /// The exit code that must come.
    pub expect_exit: Option<u8>,
    /// All of standard output. A line break at the end does not count.
    pub expect_stdout: Option<String>,
    /// All of standard error. A line break at the end does not count.
    pub expect_stderr: Option<String>,
    /// The line of its file on which it begins; 0 if that is not known.
    #[serde(skip)]
    pub line: usize,
}

impl Case {
    /// Returns whether it is a harness's payload, which only a host can read.
    #[must_use]
    pub fn needs_harness(&self) -> bool {
        self.payload.is_some()
    }

    /// The tool of the call.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.tool.as_deref().unwrap_or("Bash")
    }

    /// Returns the tool's input as an object. `None` if it is neither an object nor a shell command.
    #[must_use]
    pub fn input(&self) -> Option<Map<String, Value>> {
        match &self.input {
            Value::Object(input) => Some(input.clone()),
            Value::String(command) => Some(Map::from_iter([("command".to_owned(), Value::String(command.clone()))])),
            _ => None,
        }
    }

    /// Returns the name, or else the ids and the input.
    #[must_use]
    pub fn title(&self) -> String {
        let input = self.payload.as_ref().unwrap_or(&self.input);
        let text = input.as_str().or_else(|| input.get("command")?.as_str());
        let shown = text.map_or_else(|| input.to_string(), str::to_owned);
        let name = if self.name.is_empty() { shown } else { self.name.clone() };
        let id = self.id.0.join(",");
        if id.is_empty() { name } else { format!("{id} {name}") }
    }
}

/// A string, or a list of strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OneOrMore(pub Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = OneOrMore;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a list of strings")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore(vec![text.to_owned()]))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMore, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMore(texts))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for OneOrMore {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OneOrMore".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A string, or a list of strings.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
        })
    }
}

#[cfg(feature = "schema")]
fn outcomes(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let outcomes = schemars::json_schema!({ "enum": ["abstain", "allow", "warn", "ask", "deny"] });
    schemars::json_schema!({
        "description": "The outcome that must come, or several of which one must.",
        "anyOf": [outcomes, { "type": "array", "items": outcomes, "minItems": 1 }],
    })
}
