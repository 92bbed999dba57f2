//! [`Entry`]: one policy of a chain, with all that the configuration says of it.

use std::path::PathBuf;

use guard_sdk::globs::Glob;
use serde::{Deserialize, Serialize};

use crate::grants::GrantSpec;
use crate::{Layer, Limits, Manifest, Outcome, Problem, Wasi};

/// The policy whose asks nothing lifts but a person, each time.
pub const SELF_PROTECT: &str = "self-protect";

/// Where the component of an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// This binary.
    Builtin(String),
    /// A file, absolute.
    File(PathBuf),
}

/// One policy of a chain as the configuration has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the chain.
    pub name: String,
    /// Whose configuration it comes from.
    pub layer: Layer,
    /// The root of the project whose file names it; empty for the other layers.
    pub project: String,
    /// The user trusts that file, so that it is not held to the limits of a project's.
    pub trusted: bool,
    /// Where its component comes from.
    pub source: Source,
    /// The address that the component was fetched from, as the configuration has it; `None`: it was not fetched.
    pub address: Option<String>,
    /// The signer of the component according to `guard.lock`, or `None` if the lock names none.
    pub signer: Option<String>,
    /// Why the component is not used, although it may be there.
    pub refused: Option<Problem>,
    /// The digest that the component must have, in hexadecimal; `None`: any.
    pub pinned: Option<String>,
    /// Narrows the manifest's tools; `None`: all of them.
    pub tools: Option<Vec<String>>,
    /// The settings for its `configure`, as JSON.
    pub settings: String,
    /// Where they stand, and whether that can be used.
    pub settings_source: SettingsSource,
    /// The outcome when the policy fails.
    pub on_error: Outcome,
    /// Whether its asks and denies are only logged, and stop nothing.
    pub watched: bool,
    /// Its allow may skip the harness's own prompt.
    pub may_allow: bool,
    /// The resolution of its calls of WASI.
    pub wasi: Wasi,
    /// The resource limits of the policy.
    pub limits: Limits,
    /// The grants of the policy.
    pub grants: GrantSpec,
}

/// Where the settings of an entry stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsSource {
    /// The file: their own, or the configuration that names the policy; empty if nothing says anything of it.
    pub file: PathBuf,
    /// It is the usual file of a built-in, which no entry names: if it cannot be used, the defaults hold with a warning.
    pub is_usual: bool,
    /// Why it cannot be used; `None` if it could be read.
    pub problem: Option<Problem>,
    /// The entries of a usual file that the policy refuses. The others apply.
    pub ignored: Vec<Problem>,
}

impl Entry {
    /// Why its settings cannot be used and it gives no answer.
    #[must_use]
    pub fn broken_settings(&self) -> Option<&Problem> {
        self.settings_source.problem.as_ref().filter(|_| !self.settings_source.is_usual)
    }

    /// Why its defaults hold and not what stands in its usual file.
    #[must_use]
    pub fn ignored_settings(&self) -> Option<&Problem> {
        self.settings_source.problem.as_ref().filter(|_| self.settings_source.is_usual)
    }

    /// Returns the warning that each reply has for a usual file that is not used, or only in part, and its remedy.
    #[must_use]
    pub fn settings_warning(&self) -> Option<(String, String)> {
        let name = &self.name;
        if let Some(problem) = self.ignored_settings() {
            let text = format!("settings of `{name}` are ignored, and its defaults hold: {problem}");
            return Some((text, problem.hint.clone()));
        }
        let (first, others) = self.settings_source.ignored.split_first()?;
        let hint = match (others.len(), first.hint.as_str()) {
            (0, hint) => hint.to_owned(),
            (count, "") => format!("`guard-host config check` also lists {count} more"),
            (count, hint) => format!("{hint}; `guard-host config check` also lists {count} more"),
        };
        Some((format!("settings of `{name}`: {first}"), hint))
    }

    /// It comes from a project that nobody trusts, and can only tighten.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.layer == Layer::Project && !self.trusted
    }
}

/// Returns whether this layer may loosen the asks and denies of the policy, where the managed layer locks those in
/// `locked`. No layer may loosen `self-protect`.
#[must_use]
pub fn may_loosen(locked: &[String], layer: Layer, entry: &Entry) -> bool {
    let is_of_managed = entry.layer == Layer::Managed || locked.contains(&entry.name);
    entry.source != Source::Builtin(SELF_PROTECT.to_owned()) && (layer == Layer::Managed || !is_of_managed)
}

/// The tool of that name is one that the policy wants to see, and that the configuration lets it see.
#[must_use]
pub fn covers(manifest: &Manifest, narrowed: Option<&[String]>, tool: &str) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
    any(&manifest.tools) && narrowed.is_none_or(any)
}

/// A glob over a tool's name. `*` alone is every tool, whatever its name holds, and so is a text that is no glob: a
/// policy is rather asked too often.
pub(crate) fn matches(pattern: &str, tool: &str) -> bool {
    // Most patterns are names, and a glob takes longer to make than to ask.
    let is_name = || pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    pattern == "*" || pattern == tool || !is_name() && Glob::new(pattern).map_or(true, |glob| glob.matches(tool))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_tool_pattern_is_a_glob_over_the_name() {
        for (pattern, tool, expected) in [
            ("*", "Bash", true),
            ("*", "srv/push", true),
            ("*", "/", true),
            ("srv/*", "srv/push", true),
            ("srv/p*", "srv/q", false),
            ("{", "Bash", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("mcp__*", "mcp__files__write", true),
            ("mcp__*", "Bash", false),
            ("{Write,Edit}", "Edit", true),
        ] {
            assert_eq!(matches(pattern, tool), expected, "{pattern} {tool}");
        }
    }
}
