//! `guard-mentioned`: a protected file in a call whose effect on the file isn't known:
//!
//! - in a command that isn't fully understood
//! - in an argument or variable of a command without a known effect on it
//! - in a call to an MCP server's tool
//! - among the files that `grep -l` or a similar search selects
//! - under a protected name in a running container
//!
//! The rule applies only if no other rule of this policy does.
//!
//! ## Why
//! guard-host can't tell what the call does to the file, and few calls have a good reason to name it.
//!
//! ## Examples
//! - asked: `python3 edit.py ~/.claude/settings.json`
//! - asked: `$cmd ~/.config/guard-host/guard.toml`
//! - asked: `GIT_TRACE=~/.claude/settings.json git status`
//! - asked: `docker exec dev rm /home/node/.claude/settings.json`
//! - asked: `grep -rl guard-host ~/.claude | xargs sed -i s/guard-host/true/`
//! - passes: `git diff .claude/settings.json`
//! - passes: `python3 edit.py settings.json`
//!
//! ## Instead
//! Use simple commands or the file tools, so that the effect on the file is visible.

use guard_sdk::serde_json::Value;
use guard_sdk::syntax::{Command, Coverage, Effect};
use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, is_remote, shorten};
use crate::guarded::GuardedKind;
use crate::unexplained::{self, Candidate};
use crate::{mention, supplying_searches, touch};

pub(crate) const RULE: Rule = Rule {
    id: "guard-mentioned",
    summary: "a protected file in a call whose effect on it isn't known",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs that change none of the files that they get, or whose effects the analysis knows.
const HARMLESS: &[&str] = &[
    "[",
    "[[",
    "ag",
    "alias",
    "awk",
    "b2sum",
    "base64",
    "basename",
    "bat",
    "bsdtar",
    "case",
    "cat",
    "cd",
    "cksum",
    "claude",
    "cmp",
    "code",
    "codex",
    "column",
    "comm",
    "command",
    "cursor",
    "cut",
    "declare",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exa",
    "exit",
    "export",
    "eza",
    "false",
    "fd",
    "fgrep",
    "file",
    "find",
    "for",
    "gawk",
    "gemini",
    "getfacl",
    "gh",
    "git",
    "grep",
    "head",
    "hexdump",
    "jq",
    "jsonlint",
    "less",
    "local",
    "ls",
    "lsattr",
    "md5sum",
    "more",
    "nl",
    "od",
    "open",
    "opencode",
    "prettier",
    "printf",
    "pushd",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "rg",
    "sed",
    "set",
    "sha1sum",
    "sha256sum",
    "shasum",
    "shellcheck",
    "shift",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "tar",
    "test",
    "tree",
    "true",
    "tsc",
    "type",
    "typeset",
    "uniq",
    "unset",
    "unzip",
    "wc",
    "where",
    "which",
    "xdg-open",
    "xxd",
    "yamllint",
    "yq",
    "zgrep",
];

/// Programs that run a script, which decides the meaning of the arguments.
const INTERPRETERS: &[&str] = &[
    "bash", "bun", "dash", "deno", "fish", "ksh", "node", "perl", "php", "python", "python2", "python3", "ruby", "sh",
    "zsh",
];

/// Tools that are read-only, or whose input is text for a model or a person.
const TALK: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "SendMessage",
    "Skill",
    "Task",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
];

/// Words in the name of a read-only tool.
const LOOKS: &[&str] =
    &["read", "get", "list", "search", "find", "view", "show", "fetch", "stat", "describe", "query", "info"];

/// Keys with code as their value.
const CODE: &[&str] =
    &["command", "commands", "cmd", "code", "script", "args", "arguments", "input", "shell", "source"];

/// The maximum length of a path in a tool's input, in bytes.
const PATH_BYTES: usize = 4096;

/// The maximum number of values of a tool's input that are examined.
const VALUES: usize = 10_000;

/// The maximum depth of values that are searched.
const DEPTH: usize = 32;

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    // A more specific rule has reported.
    if !findings.is_empty() {
        return;
    }
    let found = if view.is_command() { command_mention(view) } else { tool_mention(view) };
    findings.extend(found.map(|(name, why)| {
        let message = format!("`{}` is protected, and {why}", shorten(&name));
        Finding::new(&RULE, message)
            .remedy("use plain commands or the file tools, so that guard-host can see what happens to it")
    }));
}

/// The protected name, and a clause with the reason why its use isn't understood.
type Mention = (String, String);

fn command_mention(view: &CallView<'_>) -> Option<Mention> {
    let analysis = view.analysis;
    let scripts = analysis.scripts.iter().filter(|script| mention::may_change(script));
    let mut scripts = scripts.filter_map(|script| Some((mention::find(&script.text, &view.guard)?, script)));
    if let Some((guarded, script)) = scripts.next() {
        return Some((guarded.entry.to_owned(), format!("the {} code that names it isn't analysed", script.language)));
    }
    let beyond_code = |reason: &&String| !(reason.starts_with("inline ") && reason.ends_with(" is not followed"));
    if analysis.coverage != Coverage::Complete
        && let Some(reason) = analysis.reasons.iter().find(beyond_code)
        && let Some(guarded) = mention::find(view.text(), &view.guard)
    {
        return Some((guarded.entry.to_owned(), format!("the command can't be fully analysed ({})", shorten(reason))));
    }
    let uncertain = analysis.effects.iter().find(|effect| {
        let changes = matches!(effect.kind.as_str(), "write" | "delete" | "metadata" | "process");
        changes && !effect.certain && view.guard.is_program_name(&effect.target)
    });
    if let Some(effect) = uncertain {
        return Some((effect.target.clone(), "its name is known only at run time".to_owned()));
    }
    // The files that a running container shares with this machine are unknown.
    let in_container = analysis.effects.iter().find(|effect| {
        let is_there = touch::changes(effect) && effect.tag("where") == Some("container");
        is_there && is_guarded(&effect.target, view) && is_in_running(effect.command_id, view)
    });
    if let Some(effect) = in_container {
        return Some((effect.target.clone(), "the container may mount it from this machine".to_owned()));
    }
    // Words of a command in a container are other paths on this machine.
    let mut passed =
        analysis.effects.iter().filter(|effect| effect.operation == "execute.unknown").flat_map(|effect| {
            let paths = effect.tags.iter().filter(|(name, path)| name == "given" && is_guarded(path, view));
            paths.map(move |(_, path)| (path.clone(), unknown_use(&effect.target)))
        });
    if let Some(named) = passed.next() {
        return Some(named);
    }
    let changes = analysis.effects.iter().filter(|effect| touch::is_change(effect));
    let selected =
        changes.filter_map(|effect| Some((supplying_searches::content_search_start(effect, view)?, effect))).next();
    if let Some((place, effect)) = selected {
        let by = effect.tag("by").unwrap_or("the command").to_owned();
        return Some((place, format!("`{by}` may change any of the files there")));
    }
    analysis.commands.iter().filter(|command| !is_remote(command)).find_map(|command| words_mention(command, view))
}

/// Returns a protected path that a command gets, and that no effect explains.
fn words_mention<'a>(command: &'a Command, view: &CallView<'a>) -> Option<Mention> {
    if let Some(named) = unexplained::variable_mention(command, |path| covers(path, command, view)) {
        return Some(named);
    }
    let program = command.program();
    let interprets = is_interpreter(program);
    let is_harmless = HARMLESS.contains(&program);
    if program.is_empty() || view.guard.is_program(program) {
        return None;
    }
    let effects = || view.index().effects(command).iter().copied();
    if !is_harmless && (interprets || !effects().any(|effect| explains_use(&effect.kind))) {
        let place = supplying_searches::words_search_start(command, view);
        if let Some(place) = place {
            return Some((place, format!("`{}` could change the files there", shorten(program))));
        }
    }
    let is_unexplained = |found: &Candidate<'_>| {
        let explains = |effect: &Effect| {
            let is_change = matches!(effect.kind.as_str(), "write" | "delete" | "metadata");
            let may_explain = if found.is_output { is_change } else { explains_use(&effect.kind) };
            may_explain && effect.spellings().any(|text| text == found.value || text == found.word)
        };
        (found.is_output || !is_harmless) && covers(found.value, command, view) && !effects().any(explains)
    };
    let found = unexplained::candidates(command, &view.analysis.commands).find(is_unexplained)?;
    Some((found.value.to_owned(), unknown_use(program)))
}

/// Returns whether a program runs a script that it gets.
pub(super) fn is_interpreter(program: &str) -> bool {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().any(|name| *name == program || *name == plain)
}

fn unknown_use(program: &str) -> String {
    format!("`{}` could change it", shorten(program))
}

/// Returns whether an effect of this kind explains the use of a file.
fn explains_use(kind: &str) -> bool {
    matches!(kind, "read" | "write" | "delete" | "metadata" | "network" | "vcs" | "container" | "package")
}

/// Returns whether a word is the path of a protected file, relative to the command's working directory.
fn covers(word: &str, command: &Command, view: &CallView<'_>) -> bool {
    let guarded = |path: &str| is_guarded(path, view);
    let plain = word.starts_with('-') || word.is_empty() || word.len() > PATH_BYTES;
    !plain && (guarded(word) || (!word.starts_with(['/', '~']) && guarded(&format!("{}/{word}", command.cwd))))
}

/// Returns whether a path is, or is in, something protected other than the program.
fn is_guarded(path: &str, view: &CallView<'_>) -> bool {
    view.guard.find_covering(path).is_some_and(|guarded| guarded.what != GuardedKind::Program)
}

/// Returns whether a command is started in an existing container.
fn is_in_running(id: u32, view: &CallView<'_>) -> bool {
    let mut command = view.command_by_id(id);
    for _ in 0..DEPTH {
        let Some(found) = command else { return false };
        if !found.via.iter().any(|via| via.kind == "container") {
            return found.argv.iter().any(|word| word.text == "exec");
        }
        command = view.command_by_id(found.parent);
    }
    false
}

/// Returns a mention in a tool with unknown effects, such as an MCP server's tool.
fn tool_mention(view: &CallView<'_>) -> Option<Mention> {
    let tool = view.call.tool();
    if view.analysis.coverage == Coverage::Complete || TALK.contains(&tool) {
        return None;
    }
    let name = tool.rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
    if name.split(['_', '-', '.']).any(|word| LOOKS.contains(&word)) {
        return None;
    }
    let mut left = VALUES;
    let found = value_mention(view.input(), "", view, 0, &mut left)?;
    Some((found, format!("the tool `{}` could change it", shorten(tool))))
}

fn value_mention(value: &Value, key: &str, view: &CallView<'_>, depth: usize, left: &mut usize) -> Option<String> {
    *left = left.checked_sub(1)?;
    if depth > DEPTH {
        return None;
    }
    match value {
        Value::String(text) => {
            let path = text.strip_prefix("file://").unwrap_or(text);
            let is_path = path.len() <= PATH_BYTES && !path.contains('\n') && view.guard.find_covering(path).is_some();
            if is_path {
                return Some(path.to_owned());
            }
            let is_code = CODE.iter().any(|name| key.eq_ignore_ascii_case(name));
            is_code.then(|| mention::find(text, &view.guard)).flatten().map(|guarded| guarded.entry.to_owned())
        }
        Value::Array(items) => items.iter().find_map(|item| value_mention(item, key, view, depth + 1, left)),
        Value::Object(map) => map.iter().find_map(|(key, value)| value_mention(value, key, view, depth + 1, left)),
        _ => None,
    }
}
