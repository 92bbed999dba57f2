//! Finds the asks that Claude Code drops, so that no one sees them.
//!
//! If Claude Code itself objects to a call, its own permission check replaces the hook's ask. It objects to paths that
//! it considers sensitive, and before 2.1.211 to a command that leaves its sandbox. In `bypassPermissions`, its own
//! check then lets the call run. The same happens in `plan` if the session was started so that permissions can be
//! bypassed, which payloads don't report. Before 2.1.211, it also happened in `auto`, where a classifier then decides.
//!
//! The agent chooses a path's spelling and can create a link in an earlier call, so a list of spellings is never
//! complete. An ask therefore only stays an ask if every path in the call can be read from its text and resolved on
//! disk: `git push origin topic` still gets its dialog. Every other ask becomes a deny that explains how to approve the
//! call. The names below are a superset of those of 2.1.332.

use guard_contract::call::{Dialect, ToolCall};
use serde_json::Value;

use crate::AskScene;
use crate::capabilities::CLAUDE;

/// The first version that keeps an ask in `auto` if its classifier allows the call.
const KEEPS_IN_AUTO: [u32; 3] = [2, 1, 211];

/// Names of files and folders that Claude Code objects to, including those of its settings, which may be outside of
/// `.claude`.
const SENSITIVE: [&str; 54] = [
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".bazeliskrc",
    ".bazelrc",
    ".bazelversion",
    ".bunfig.toml",
    ".cargo",
    ".claude",
    ".claude.json",
    ".config",
    ".devcontainer",
    ".devcontainer.json",
    ".envrc",
    ".git",
    ".gitconfig",
    ".gitmodules",
    ".husky",
    ".idea",
    ".lefthook.yaml",
    ".lefthook.yml",
    ".mcp.json",
    ".mvn",
    ".npmrc",
    ".pnp.cjs",
    ".pnp.data.json",
    ".pnp.js",
    ".pnp.loader.mjs",
    ".pnpmfile.cjs",
    ".pre-commit-config.yaml",
    ".profile",
    ".ripgreprc",
    ".vscode",
    ".yarn",
    ".yarnrc",
    ".yarnrc.yml",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "bunfig.toml",
    "gradle-wrapper.properties",
    "lefthook.yaml",
    "lefthook.yml",
    "managed-settings.d",
    "managed-settings.json",
    "maven-wrapper.properties",
    "pyrightconfig.json",
    "remote-settings.json",
    "settings.json",
    "settings.local.json",
];

/// Device names on Windows, which Claude Code objects to on every system.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// The folder of Claude Code's worktrees. The folder's own name causes no objection.
const WORKTREES: &str = "/.claude/worktrees/";

/// Tools that only affect the file that they name.
const OF_FILES: [&str; 7] = ["Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "Write"];

/// Keys of a command that don't affect Claude Code's check.
const OPTIONS: [&str; 6] = ["command", "description", "persistent", "run_in_background", "timeout", "timeout_ms"];

/// Programs whose arguments Claude Code doesn't treat as paths of files that they write.
const PATHLESS: [&str; 3] = ["gh", "git", "guard-host"];

/// Characters that a shell expands.
const PATTERN: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Redirections that write no file.
const QUIET: [&str; 4] = ["2>&1", "2>/dev/null", "&>/dev/null", ">/dev/null"];

/// The maximum size of a command in bytes, and the maximum number of its words.
const COMMAND_BYTES: usize = 4096;
const WORDS: usize = 128;

/// Returns whether a person is prompted, or the call doesn't run. `version` is the value of the variable with the
/// version.
pub(super) fn is_shown(scene: &AskScene<'_>, version: Option<&str>) -> bool {
    match scene.mode {
        // An agent can make a payload too large to be read, and the mode is in the payload.
        None => false,
        Some("bypassPermissions" | "plan") => {
            !scene.calls.is_empty() && scene.calls.iter().all(|call| is_plain(call, scene.resolve))
        }
        Some("auto") => version.and_then(numbers).is_some_and(|version| version >= KEEPS_IN_AUTO),
        // Other agents that run Claude Code's hooks report no mode.
        Some(mode) => mode.is_empty() || CLAUDE.prompting(mode).is_some(),
    }
}

/// Parses the version in the value of `AI_AGENT`, such as `claude-code_2-1-207_harness`.
fn numbers(agent: &str) -> Option<[u32; 3]> {
    let rest = agent.strip_prefix(super::AGENT)?;
    let mut parts = rest.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut next = || parts.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

type Resolve<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns whether Claude Code, in any version, has nothing to object to in this call.
fn is_plain(call: &ToolCall, resolve: Resolve<'_>) -> bool {
    let Some(cwd) = resolve(".") else { return false };
    if contains_sensitive_name(&strip_worktrees(&cwd)) {
        return false;
    }
    let tool = call.original_tool.as_str();
    match call.command() {
        Some((text, Dialect::Bash)) if matches!(tool, "Bash" | "Monitor") => {
            let stays =
                |(key, value): (&String, &Value)| OPTIONS.contains(&key.as_str()) || *value == Value::Bool(false);
            call.input.iter().all(stays) && is_plain_command(text, &cwd, resolve)
        }
        Some(_) => false,
        None if OF_FILES.contains(&tool) => {
            let has_path = call.paths().next().is_some();
            has_path && call.paths().all(|path| !is_odd(path) && is_plain_path(path, resolve))
        }
        None => tool.starts_with("mcp__"),
    }
}

fn is_plain_command(text: &str, cwd: &str, resolve: Resolve<'_>) -> bool {
    let Some(commands) = commands(text) else { return false };
    if commands.iter().map(Vec::len).sum::<usize>() > WORDS {
        return false;
    }
    commands.iter().all(|words| {
        let is_pathless = words.first().is_some_and(|program| PATHLESS.contains(&program.as_str()));
        // After a change of the directory, relative paths would be resolved elsewhere.
        let mut moves = words.iter().enumerate().filter(|(_, word)| is_move(word));
        let stays = moves
            .all(|(at, _)| words.get(at + 1).and_then(|folder| resolve(folder)).is_some_and(|folder| folder == cwd));
        stays
            && words
                .iter()
                .all(|word| if is_pathless { is_plain_text(word, resolve) } else { is_plain_word(word, resolve) })
    })
}

/// Checks a word of a program that takes no paths. A word with white space is text, such as a commit message, and isn't
/// a path.
fn is_plain_text(word: &str, resolve: Resolve<'_>) -> bool {
    let is_text = word.contains(char::is_whitespace);
    if is_text { !contains_sensitive_name(word) } else { parts(word).all(|part| is_plain_path(part, resolve)) }
}

/// Checks a word of any other program. It may be the text of a command, in which quotes and patterns form other words.
fn is_plain_word(word: &str, resolve: Resolve<'_>) -> bool {
    let is_plain_part = |part: &str| !is_odd(part) && is_plain_path(part, resolve);
    if word.contains(['\'', '"']) || word.contains(PATTERN) || !parts(word).all(is_plain_part) {
        return false;
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')');
    if !word.contains(ends) {
        return true;
    }
    word.split(ends).all(|inner| !is_move(inner) && parts(inner).all(is_plain_part))
}

fn is_move(word: &str) -> bool {
    matches!(word, "cd" | "chdir" | "popd" | "pushd")
}

/// Returns the word and the part of it that may be a path: the value of an option.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let glued = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| {
        let mut letters = rest.chars();
        letters.next().map(|_| letters.as_str())
    });
    [Some(word), value, glued].into_iter().flatten().filter(|part| !part.is_empty())
}

/// Returns whether the path leads to nothing sensitive, and through no link.
fn is_plain_path(path: &str, resolve: Resolve<'_>) -> bool {
    !contains_sensitive_name(path) && resolve(path).is_some_and(|end| !contains_sensitive_name(&strip_worktrees(&end)))
}

fn strip_worktrees(path: &str) -> String {
    path.replace(WORKTREES, "/")
}

/// Returns whether the text contains one of the names as a separate word.
fn contains_sensitive_name(text: &str) -> bool {
    let is_apart =
        |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '-' | '~' | '+' | '@');
    fold_case(text).split(is_apart).any(|name| SENSITIVE.contains(&name.trim_end_matches('.')))
}

/// Returns the text in lower case, as case-insensitive file systems compare it.
fn fold_case(text: &str) -> String {
    text.to_lowercase().replace('\u{131}', "i").replace('\u{17f}', "s")
}

/// Returns whether Claude Code may treat the path as another spelling of a Windows name, or as a network path.
fn is_odd(path: &str) -> bool {
    let is_short_name = path.split('~').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_short_name || path.starts_with("//") || path.contains('\\') || path.split('/').any(is_odd_name)
}

fn is_odd_name(name: &str) -> bool {
    if matches!(name, "" | "." | "..") {
        return false;
    }
    let name = name.to_lowercase();
    let is_device = |name: &str| {
        let numbered = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
        DEVICES.contains(&name)
            || numbered.is_some_and(|number| number.chars().count() == 1 && number.chars().all(char::is_numeric))
    };
    name.ends_with(|c: char| c == '.' || c.is_whitespace()) || name.split(['.', ' ', ':']).any(is_device)
}

/// Splits the text into the unquoted words of each simple command. `None` if it contains expansions.
fn commands(text: &str) -> Option<Vec<Vec<String>>> {
    let strange = |c: char| matches!(c, '$' | '`' | '\\') || c.is_control() && !matches!(c, '\n' | '\t');
    if text.len() > COMMAND_BYTES || text.contains(strange) {
        return None;
    }
    let mut all = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if word.is_none()
            && let Some(after) = strip_quiet_redirection(rest)
        {
            rest = after;
            continue;
        }
        let after = rest.strip_prefix(next)?;
        rest = after;
        match next {
            '\'' | '"' => {
                let (inner, after) = after.split_once(next)?;
                // A quoted tilde is a literal name, but an unquoted one is a folder.
                if word.is_none() && inner.starts_with('~') {
                    return None;
                }
                word.get_or_insert_default().push_str(inner);
                rest = after;
            }
            ' ' | '\t' => all.last_mut()?.extend(word.take()),
            '\n' | ';' | '&' | '|' => {
                all.last_mut()?.extend(word.take());
                all.push(Vec::new());
            }
            '(' | ')' | '<' | '>' => return None,
            other if PATTERN.contains(&other) => return None,
            // A quote in a comment isn't a quote.
            '#' if word.is_none() => return None,
            '~' if word.is_none() && !after.starts_with('/') => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    all.last_mut()?.extend(word);
    Some(all)
}

/// Returns the text after a redirection that writes no file.
fn strip_quiet_redirection(text: &str) -> Option<&str> {
    let after = QUIET.iter().find_map(|quiet| text.strip_prefix(quiet))?;
    let ends = |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&');
    (after.is_empty() || after.starts_with(ends)).then_some(after)
}

#[cfg(test)]
mod tests;
