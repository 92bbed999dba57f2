//! The permissions of an experiment: what an agent that runs experiments may do, as Claude Code's `settings.json`.
//!
//! Rendering is pure: the same experiment results in the same bytes, and nothing is read or written. The settings
//! replace `--dangerously-skip-permissions`, so they always have a bound and denied permissions. `allowOnly` is the
//! experiment's own key for its bound, which other tools read. The harness enforces the same folders with
//! `additionalDirectories` and `blockWritesOutsideWorkingDirectories`, and path-context with [`Experiment::guard`].

use std::collections::BTreeSet;

use guard_experiment_plan::Plan;
use serde::Serialize;

use guard_contract::shell_word::word;

/// The path of the settings in the work directory.
pub const FILE: &str = ".claude/settings.json";

/// Programs that every experiment needs, to read files, calculate and keep a history.
const PROGRAMS: [&str; 15] = [
    "cat", "cut", "diff", "echo", "git", "grep", "head", "ls", "mkdir", "pwd", "python", "python3", "sort", "tail",
    "wc",
];

/// Permissions that every experiment denies. In the harness, a deny takes precedence. They cover network traffic, and
/// commands that destroy the disk or home.
const DENIED: [&str; 9] = [
    "Bash(curl:*)",
    "Bash(curl *https://*)",
    "Bash(wget:*)",
    "Bash(wget *https://*)",
    "Bash(rm -rf /)",
    "Bash(rm -rf /:*)",
    "Bash(rm -fr /:*)",
    "Bash(rm -rf ~:*)",
    "Bash(rm -rf ~/:*)",
];

/// The parts of an experiment. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Experiment {
    /// The work directory.
    pub work_dir: String,
    /// The repository to work on.
    pub repo_path: Option<String>,
    /// Additional programs that may run.
    pub programs: Vec<String>,
    /// The command to run when the agent stops.
    pub stop_hook: Option<String>,
    /// The command to consult before each shell command.
    pub pre_tool_use_hook: Option<String>,
}

/// The error if settings can't be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// A path that isn't a valid bound.
    #[error("the {what} `{path}` can't be a bound: it is empty, relative, or the root of the file system")]
    Unbounded {
        /// The name of the path.
        what: &'static str,
        /// The path, as given.
        path: String,
    },
    /// A program whose name would be a pattern in a rule.
    #[error("`{0}` isn't the name of a program")]
    Program(String),
}

#[derive(Serialize)]
struct Settings<'a> {
    permissions: Permissions<'a>,
    #[serde(skip_serializing_if = "Hooks::is_empty")]
    hooks: Hooks,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Permissions<'a> {
    allow_only: &'a [&'a str],
    additional_directories: &'a [&'a str],
    block_writes_outside_working_directories: bool,
    allow: Vec<String>,
    deny: &'static [&'static str],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Hooks {
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_tool_use: Option<[Registration; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<[Registration; 1]>,
}

#[derive(Serialize)]
struct Registration {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Command; 1],
}

#[derive(Serialize)]
struct Command {
    r#type: &'static str,
    command: String,
}

impl Hooks {
    fn is_empty(&self) -> bool {
        self.pre_tool_use.is_none() && self.stop.is_none()
    }
}

impl Experiment {
    /// Returns the text of the settings.
    ///
    /// # Errors
    ///
    /// [`ExperimentError`] if the settings would have no bound, or allow more than they say.
    pub fn render(&self, plan: Option<&Plan>) -> Result<String, ExperimentError> {
        let folders = self.folders()?;
        let mut programs: BTreeSet<&str> = PROGRAMS.into_iter().collect();
        for program in &self.programs {
            if !is_program(program) {
                return Err(ExperimentError::Program(program.clone()));
            }
            programs.extend(spellings(program, program.rsplit('/').next().unwrap_or(program)));
        }
        // An agent also writes the plan, so names that aren't plain allow nothing.
        for program in plan.into_iter().flat_map(Plan::programs) {
            programs.extend(spellings(&program.spelled, &program.name));
        }
        let registered = |matcher, path: &Option<String>, what| {
            let Some(path) = path else { return Ok(None) };
            check_below_root(what, path)?;
            let command = Command { r#type: "command", command: word(path) };
            Ok(Some([Registration { matcher, hooks: [command] }]))
        };
        let settings = Settings {
            permissions: Permissions {
                allow_only: &folders,
                additional_directories: &folders,
                block_writes_outside_working_directories: true,
                allow: programs.into_iter().map(|program| format!("Bash({program}:*)")).collect(),
                deny: &DENIED,
            },
            hooks: Hooks {
                pre_tool_use: registered(Some("Bash"), &self.pre_tool_use_hook, "hook")?,
                stop: registered(None, &self.stop_hook, "hook")?,
            },
        };
        // Texts and fixed keys can't fail to serialize. An empty text wouldn't be valid settings.
        let text = serde_json::to_string_pretty(&settings);
        text.map(|text| text + "\n").map_err(|error| ExperimentError::Program(error.to_string()))
    }

    /// Returns the entry of a `guard.toml` with the same bound for shell commands, which the harness doesn't restrict.
    ///
    /// # Errors
    ///
    /// Errors of [`Experiment::render`].
    pub fn guard(&self) -> Result<String, ExperimentError> {
        let folders: Vec<String> = self.folders()?.iter().map(|folder| toml_text(folder)).collect();
        let of_files = "[{ path_patterns = [\"blocked_paths\", \"outside_safe_paths\"], action = \"block\" }]";
        Ok(format!(
            "[[policy]]\nname = \"path-context\"\n[policy.settings]\nsafe_paths = [{}]\ngit_safe = false\n\
             rules = {{ write = {of_files}, edit = {of_files} }}\n",
            folders.join(", ")
        ))
    }

    /// Returns the folders that bound the experiment.
    fn folders(&self) -> Result<Vec<&str>, ExperimentError> {
        let mut folders = vec![check_below_root("work directory", &self.work_dir)?];
        if let Some(repo) = &self.repo_path {
            let repo = check_below_root("repository", repo)?;
            if !folders.contains(&repo) {
                folders.push(repo);
            }
        }
        Ok(folders)
    }
}

/// Returns the path if it is below the root.
fn check_below_root<'a>(what: &'static str, path: &'a str) -> Result<&'a str, ExperimentError> {
    let named = path.starts_with('/') && path.split('/').any(|name| !name.is_empty() && name != "." && name != "..");
    let climbs = path.split('/').any(|name| name == "..");
    if named && !climbs { Ok(path) } else { Err(ExperimentError::Unbounded { what, path: path.to_owned() }) }
}

/// Returns the spellings of a program in commands, because the harness compares the start of the text.
fn spellings<'a>(spelled: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    [name, spelled].into_iter().filter(|text| is_program(text))
}

/// Returns whether a word has no special meaning in a rule.
fn is_program(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '@');
    let name = word.rsplit('/').next().unwrap_or_default();
    word.chars().all(is_plain) && name.contains(|c: char| c.is_ascii_alphanumeric()) && !name.starts_with('-')
}

/// Formats a text for TOML, whose basic strings have JSON's escapes and forbid one more character.
fn toml_text(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests;
