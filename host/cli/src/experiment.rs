//! The permissions of an experiment: what an agent that runs experiments may do, as a `settings.json` of Claude Code.
//!
//! A pure renderer: the same experiment gives the same bytes, and nothing is read or written. It stands in the place of
//! `--dangerously-skip-permissions`, so it never gives a file without a bound and without a refusal. `allowOnly` is the
//! experiment's own word for its bound, which other tools read; the harness enforces the same folders by
//! `additionalDirectories` and `blockWritesOutsideWorkingDirectories`, and path-context by [`Experiment::guard`].

use std::collections::BTreeSet;

use guard_experiment_plan::Plan;
use serde::Serialize;

use guard_contract::shell_word::word;

/// Where the settings lie below the work directory.
pub const FILE: &str = ".claude/settings.json";

/// Programs that every experiment needs: to look around, to calculate, and to keep a history.
const PROGRAMS: [&str; 15] = [
    "cat", "cut", "diff", "echo", "git", "grep", "head", "ls", "mkdir", "pwd", "python", "python3", "sort", "tail",
    "wc",
];

/// Permissions denied to every experiment, whatever is allowed, because a deny wins in the harness: traffic to the
/// outside, and commands that destroy the disk or the home.
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
    /// Where the agent works.
    pub work_dir: String,
    /// The repository that it works on.
    pub repo_path: Option<String>,
    /// Programs that may run besides the usual ones.
    pub programs: Vec<String>,
    /// The command to run when the agent stops.
    pub stop_hook: Option<String>,
    /// The command to consult before each shell command.
    pub pre_tool_use_hook: Option<String>,
}

/// Why there are no settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// A path that bounds nothing, or nothing that exists.
    #[error("the {what} `{path}` can't be a bound: it is empty, relative, or the root of the file system")]
    Unbounded {
        /// Which path.
        what: &'static str,
        /// As it was given.
        path: String,
    },
    /// A program whose name means more than itself in a rule.
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
    /// The text of the settings.
    ///
    /// # Errors
    ///
    /// [`ExperimentError`]: the settings would bound nothing, or allow more than they say.
    pub fn render(&self, plan: Option<&Plan>) -> Result<String, ExperimentError> {
        let folders = self.folders()?;
        let mut programs: BTreeSet<&str> = PROGRAMS.into_iter().collect();
        for program in &self.programs {
            if !is_program(program) {
                return Err(ExperimentError::Program(program.clone()));
            }
            programs.extend(spellings(program, program.rsplit('/').next().unwrap_or(program)));
        }
        // A plan is written by an agent, too: what in it is no plain name allows nothing.
        for program in plan.into_iter().flat_map(Plan::programs) {
            programs.extend(spellings(&program.spelled, &program.name));
        }
        let registered = |matcher, path: &Option<String>, what| {
            let Some(path) = path else { return Ok(None) };
            bounded(what, path)?;
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
        // Texts and fixed keys only, which cannot fail; an empty text would be no settings at all.
        let text = serde_json::to_string_pretty(&settings);
        text.map(|text| text + "\n").map_err(|error| ExperimentError::Program(error.to_string()))
    }

    /// The entry of a `guard.toml` that holds the same bound for what the harness does not see: shell commands.
    ///
    /// # Errors
    ///
    /// [`ExperimentError`], as of [`Experiment::render`].
    pub fn guard(&self) -> Result<String, ExperimentError> {
        let folders: Vec<String> = self.folders()?.iter().map(|folder| toml_text(folder)).collect();
        let of_files = "[{ path_patterns = [\"blocked_paths\", \"outside_safe_paths\"], action = \"block\" }]";
        Ok(format!(
            "[[policy]]\nname = \"path-context\"\n[policy.settings]\nsafe_paths = [{}]\ngit_safe = false\n\
             rules = {{ write = {of_files}, edit = {of_files} }}\n",
            folders.join(", ")
        ))
    }

    /// The folders that bound the experiment.
    fn folders(&self) -> Result<Vec<&str>, ExperimentError> {
        let mut folders = vec![bounded("work directory", &self.work_dir)?];
        if let Some(repo) = &self.repo_path {
            let repo = bounded("repository", repo)?;
            if !folders.contains(&repo) {
                folders.push(repo);
            }
        }
        Ok(folders)
    }
}

/// The path, if it names something below the root.
fn bounded<'a>(what: &'static str, path: &'a str) -> Result<&'a str, ExperimentError> {
    let named = path.starts_with('/') && path.split('/').any(|name| !name.is_empty() && name != "." && name != "..");
    let climbs = path.split('/').any(|name| name == "..");
    if named && !climbs { Ok(path) } else { Err(ExperimentError::Unbounded { what, path: path.to_owned() }) }
}

/// A program in the ways in which a command may spell it: the harness compares the start of the text.
fn spellings<'a>(spelled: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    [name, spelled].into_iter().filter(|text| is_program(text))
}

/// A word that means nothing but itself in a rule.
fn is_program(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '@');
    let name = word.rsplit('/').next().unwrap_or_default();
    word.chars().all(is_plain) && name.contains(|c: char| c.is_ascii_alphanumeric()) && !name.starts_with('-')
}

/// A text as a value of TOML, whose basic strings have the escapes of JSON and forbid one character more.
fn toml_text(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests;
