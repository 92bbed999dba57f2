//! A harness's permission rules for shell commands. They don't apply to calls that `confine` rewrites, because the
//! harness compares them with the new command.

use std::fs;
use std::path::{Path, PathBuf};

use guard_config::Config;
use guard_contract::{Layer, Problem};
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::files::read_text;
use serde_json::Value;

use super::{FILES, TEXT_BYTES, warning};

/// The lists of Claude Code's rules that block or prompt.
const LISTS: [&str; 2] = ["deny", "ask"];

/// The start of a rule for a shell command.
const BASH: &str = "Bash(";

/// The administrator's files, on Linux and on macOS.
const MANAGED: [&str; 2] =
    ["/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json"];

/// The decisions of Codex's rules that block or prompt.
const STOPS: [&str; 2] = ["forbidden", "prompt"];

/// Returns one problem for each file with such rules.
pub(super) fn ineffective_rules(config: &Config, projects: &[String], dirs: &AppDirs) -> Vec<Problem> {
    if config.confine.is_empty() {
        return Vec::new();
    }
    let home = Path::new(&dirs.home);
    let mut settings: Vec<PathBuf> = MANAGED.into_iter().map(PathBuf::from).collect();
    settings.push(home.join(".claude/settings.json"));
    for root in projects.iter().map(|root| native(root)) {
        settings.extend(["settings.json", "settings.local.json"].map(|name| root.join(".claude").join(name)));
    }
    let claude = settings.into_iter().filter_map(|file| {
        let text = read_text(&file, TEXT_BYTES).ok()?;
        let rules = rules_in(&serde_json::from_str(&text).ok()?);
        Some((file, rules.join(", "))).filter(|_| !rules.is_empty())
    });
    let folder = fs::read_dir(home.join(".codex/rules")).into_iter().flatten().take(FILES);
    let files = folder.filter_map(|entry| Some(entry.ok()?.path()));
    let codex = files.filter(|file| file.extension().is_some_and(|it| it == "rules")).filter_map(|file| {
        let text = read_text(&file, TEXT_BYTES).ok()?;
        let stops = text.contains("prefix_rule") && STOPS.iter().any(|stop| text.contains(stop));
        stops.then(|| (file, "its `prefix_rule` entries".to_owned()))
    });
    let problem = |(file, rules): (PathBuf, String)| Problem {
        layer: Layer::User,
        ..warning(
            file.display().to_string(),
            format!("these rules don't apply to calls that `confine` rewrites: {rules}"),
            "write them as `deny-patterns` of `command-guard` in guard.toml, or remove `confine`".to_owned(),
        )
    };
    claude.chain(codex).map(problem).collect()
}

/// Returns the rules in these settings that block or prompt for shell commands.
fn rules_in(settings: &Value) -> Vec<String> {
    let lists = LISTS.iter().filter_map(|list| settings.pointer(&format!("/permissions/{list}"))?.as_array());
    let rules = lists.flatten().filter_map(Value::as_str).filter(|rule| rule.starts_with(BASH));
    rules.map(|rule| format!("`{rule}`")).collect()
}
