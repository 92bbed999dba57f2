//! [`Entry`]: one policy of a chain, with its configuration.

use std::path::PathBuf;

use guard_sdk::globs::Glob;
use serde::{Deserialize, Serialize};

use crate::grants::GrantSpec;
use crate::{Layer, Limits, Manifest, Outcome, Problem, Wasi};

/// The policy whose asks only a person can lift, each time.
pub const SELF_PROTECT: &str = "self-protect";

/// The source of an entry's component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The program itself.
    Builtin(String),
    /// A file, absolute.
    File(PathBuf),
}

/// One policy of a chain, as configured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the chain.
    pub name: String,
    /// The layer that it comes from.
    pub layer: Layer,
    /// The root of the project whose file names it. Empty for the other layers.
    pub project: String,
    /// Whether the user trusts that file, so that the limits for project files don't apply.
    pub trusted: bool,
    /// The source of its component.
    pub source: Source,
    /// The address in the configuration from which the component was fetched, or `None` if it wasn't fetched.
    pub address: Option<String>,
    /// The signer of the component according to `guard.lock`, or `None` if the lock names none.
    pub signer: Option<String>,
    /// The reason why the component must not be used.
    pub refused: Option<Problem>,
    /// The required digest of the component in hexadecimal, or `None` for any.
    pub pinned: Option<String>,
    /// The tools to which the policy is limited, or `None` for all tools in its manifest.
    pub tools: Option<Vec<String>>,
    /// The settings for its `configure`, as JSON.
    pub settings: String,
    /// The location of the settings, and whether they can be used.
    pub settings_source: SettingsSource,
    /// The outcome when the policy fails.
    pub on_error: Outcome,
    /// Whether its asks and denies are only logged and not enforced.
    pub watched: bool,
    /// Whether its allow may skip the harness's own prompt.
    pub may_allow: bool,
    /// How its calls of WASI are resolved.
    pub wasi: Wasi,
    /// The resource limits of the policy.
    pub limits: Limits,
    /// The grants of the policy.
    pub grants: GrantSpec,
}

/// The location of an entry's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsSource {
    /// The settings file, or the configuration file with the settings. Empty for a policy without settings.
    pub file: PathBuf,
    /// Whether it is the default settings file of a built-in policy, not named by an entry. If it can't be used, the
    /// defaults apply with a warning.
    pub is_usual: bool,
    /// The reason why it can't be used, or `None`.
    pub problem: Option<Problem>,
    /// The parts of a default settings file that the policy rejects. The others apply.
    pub ignored: Vec<Problem>,
}

impl Entry {
    /// Returns the reason why its settings can't be used, so that it can't answer.
    #[must_use]
    pub fn broken_settings(&self) -> Option<&Problem> {
        self.settings_source.problem.as_ref().filter(|_| !self.settings_source.is_usual)
    }

    /// Returns the reason why its defaults apply instead of its default settings file.
    #[must_use]
    pub fn ignored_settings(&self) -> Option<&Problem> {
        self.settings_source.problem.as_ref().filter(|_| self.settings_source.is_usual)
    }

    /// Returns the warning and the remedy that each reply contains if the default settings file is ignored, or parts of
    /// it are.
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

    /// Returns whether it comes from a project that isn't trusted, so that it can only tighten.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.layer == Layer::Project && !self.trusted
    }
}

/// Returns whether this layer may loosen the policy's asks and denies. The managed layer locks the policies in
/// `locked`. `self-protect` can't be loosened.
#[must_use]
pub fn may_loosen(locked: &[String], layer: Layer, entry: &Entry) -> bool {
    let is_of_managed = entry.layer == Layer::Managed || locked.contains(&entry.name);
    entry.source != Source::Builtin(SELF_PROTECT.to_owned()) && (layer == Layer::Managed || !is_of_managed)
}

/// Returns whether the policy covers the tool of this name, by its manifest and the configuration.
#[must_use]
pub fn covers(manifest: &Manifest, narrowed: Option<&[String]>, tool: &str) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
    any(&manifest.tools) && narrowed.is_none_or(any)
}

/// Matches a tool's name against a glob. `*` alone matches every name. So does an invalid glob, because asking a policy
/// too often is safer.
pub(crate) fn matches(pattern: &str, tool: &str) -> bool {
    // Most patterns are plain names, and compiling a glob is slow.
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
