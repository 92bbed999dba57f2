//! [`line`]: a call of a tool of a git server, as the command that it runs.

use serde_json::{Map, Value};

use super::super::names::normalize;
use crate::shell_word::word;

/// Verbs that may lose or publish something. Other verbs are not read.
const VERBS: &[&str] =
    &["branch", "checkout", "clean", "push", "rebase", "reset", "restore", "stash", "switch", "tag", "worktree"];

/// Switches of the arguments, and the options for them.
const SWITCHES: &[(&str, &str)] = &[
    ("force", "--force"),
    ("forcewithlease", "--force-with-lease"),
    ("hard", "--hard"),
    ("delete", "--delete"),
    ("directories", "-d"),
    ("ignored", "-x"),
    ("dryrun", "--dry-run"),
    ("all", "--all"),
    ("tags", "--tags"),
    ("mirror", "--mirror"),
    ("prune", "--prune"),
    ("staged", "--staged"),
];

/// Arguments with the words behind the options, in their order.
const OPERANDS: &[&str] = &[
    "remote",
    "remotename",
    "branch",
    "branchname",
    "name",
    "tagname",
    "target",
    "commit",
    "revision",
    "ref",
    "stashref",
    "stashindex",
    "refspec",
    "worktreepath",
];

/// Arguments that choose among the things that a verb does.
const MODES: &[&str] = &["mode", "operation", "action", "subcommand", "type"];

/// The branches that `force-push-protected` and other rules protect by default, as far as a file may be put there.
const PROTECTED: &[&str] = &["main", "master", "production", "release", "trunk"];

/// The command of a git server's tool.
pub(super) fn line(server: &[String], action: &[String], input: &Map<String, Value>) -> Option<String> {
    let is_git = |word: &String| word == "git";
    if !server.iter().any(is_git) && !action.iter().any(is_git) {
        return None;
    }
    let verb = match action.iter().filter(|word| !is_git(word)).collect::<Vec<_>>().as_slice() {
        [verb] => VERBS.iter().find(|known| *known == verb)?,
        [verb, noun] | [noun, verb] if *verb == "delete" => ["branch", "tag"].iter().find(|known| *known == noun)?,
        _ => return None,
    };
    let text = |name: &str| input.iter().find(|(key, _)| normalize(key) == name).map(|(_, value)| value);
    let is_on = |name: &str| text(name) == Some(&Value::Bool(true));
    let mode = MODES.iter().find_map(|name| text(name)?.as_str()).unwrap_or_default().to_ascii_lowercase();
    let deletes = action.iter().any(|word| word == "delete") || matches!(mode.as_str(), "delete" | "remove");
    let mut words = vec!["git".to_owned(), (*verb).to_owned()];
    match (*verb, mode.as_str()) {
        ("branch", _) if deletes => words.push("-D".to_owned()),
        ("tag", _) if deletes => words.push("-d".to_owned()),
        // Without a word for it, a branch, a tag or a folder is only made or listed.
        ("branch" | "tag" | "worktree", mode) if !matches!(mode, "remove" | "prune") => return None,
        ("reset", "") | (_, "") => {}
        ("reset", mode) => words.push(format!("--{}", word(mode))),
        ("stash" | "worktree", mode) => words.push(word(mode)),
        _ => {}
    }
    let force =
        |(name, _): &&(&str, &str)| is_on(name) && !(*verb == "tag" && deletes) && !(*name == "delete" && deletes);
    words.extend(SWITCHES.iter().filter(force).map(|(_, option)| (*option).to_owned()));
    let operand = |name: &&str| match text(name)? {
        Value::String(text) if !text.is_empty() => Some(word(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    words.extend(OPERANDS.iter().filter_map(operand));
    let files =
        ["files", "paths"].iter().find_map(|name| text(name)?.as_array()).map(Vec::as_slice).unwrap_or_default();
    if !files.is_empty() {
        words.push("--".to_owned());
        words.extend(files.iter().filter_map(Value::as_str).map(word));
    }
    Some(words.join(" "))
}

/// A commit that the tool of a host of repositories puts onto a protected branch, or onto the one that is there by
/// default, as the push that it is.
pub(super) fn protected_commit(action: &[String], input: &Map<String, Value>) -> Option<String> {
    let action: Vec<&str> = action.iter().map(String::as_str).collect();
    let commits = matches!(
        action.as_slice(),
        ["push", "files"] | ["create", "or", "update", "file"] | ["delete", "file"] | ["update", "file"]
    );
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let repository = text("repo").or_else(|| text("project_id")).or_else(|| text("projectId")).filter(|_| commits)?;
    let branch = text("branch").unwrap_or("main");
    PROTECTED.contains(&branch).then(|| {
        let owner = text("owner").map(|owner| format!("{owner}/")).unwrap_or_default();
        format!("git push {} {branch}", word(&format!("https://{owner}{repository}")))
    })
}
