//! `custom`: a command whose text matches a pattern of the settings. The rule tries the text as it is written, and each
//! command as it runs, so that another quoting doesn't bypass a pattern. Quoted text that a command only prints, searches
//! for, or takes as a message is left out. A match begins and ends where a word does: `npm run deploy` doesn't match
//! `npm run deploy-docs`. It matches the same script in other words, such as `pnpm deploy` or `yarn run deploy`. Case is
//! ignored.
//!
//! ## Why
//! The user forbids the command.
//!
//! ## Examples
//! - denied: `rm -rf /tmp/test`, with `deny-patterns = ["rm -rf /"]`
//! - denied: `deploy web --env=prod`, with `deny-patterns = ['^deploy .*--env[ =]prod\b']`
//! - denied: `yarn deploy`, with `deny-patterns = ["npm run deploy"]`
//! - passes: `git commit -m 'npm run deploy works'`, with `deny-patterns = ["npm run deploy"]`
//! - passes: `ls -la`
//!
//! ## Instead
//! Do it in another way, or ask the user to change `deny-patterns`.
//!
//! ## Settings
//! - `deny-patterns`: regular expressions.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, one_line};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a text that the settings forbid", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let patterns = &view.settings.deny_patterns;
    if patterns.is_empty() {
        return None;
    }
    // As it was written, with each run of white space as one space, and each command as it runs: another quoting is no
    // way around a pattern.
    let commands = view.analysis.commands.iter().flat_map(|command| {
        let text = std::iter::once_with(|| without_data(command));
        text.chain(runs_in_other_words(command))
    });
    let written = raw_without_data(view);
    let texts = [one_line(&written), written].into_iter().chain(commands);
    let pattern = texts.flat_map(|text| patterns.iter().find(|pattern| pattern.matches(&text))).next()?;
    let why = format!("the settings forbid commands that match `{}`", pattern.text());
    let hit = Hit::of_command(RULE.default, 0, why, "do it another way, or ask the user to change `deny-patterns`");
    Some(hit.plain().tag("pattern", pattern.text()).tag("called", pattern.text()))
}

/// Commands that are looked at, at most.
const MOST: usize = 256;

/// The call's text, with blanks in the place of data.
fn raw_without_data(view: &CallView<'_>) -> String {
    let mut text = view.raw_text().to_owned();
    for command in view.analysis.commands.iter().filter(|command| command.via.is_empty()).take(MOST) {
        let Ok(start) = usize::try_from(command.span.start) else { continue };
        for data in data(command) {
            let Some(at) = text.get(start..).and_then(|rest| rest.find(data)) else { continue };
            text.replace_range(start + at..start + at + data.len(), &" ".repeat(data.len()));
        }
    }
    text
}

/// The words of a command but for data.
fn without_data(command: &Command) -> String {
    let data = data(command);
    let words = command.argv.iter().map(|word| word.text.as_str()).filter(|word| !data.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// The texts of several words that a command only prints, searches for, or takes as a message.
fn data(command: &Command) -> Vec<&str> {
    /// Programs that take what they get on standard input as a text.
    const KEEPERS: &[&str] = &["cat", "gh", "git", "glab", "hg", "jj", "tee"];
    let is_last = command.position.index + 1 == command.position.length;
    let mut data: Vec<&str> = Vec::new();
    let words = || command.argv.iter().map(|word| word.text.as_str());
    for (before, word) in words().zip(words().skip(1)).take(MOST) {
        let is_message = is_message(before, command) || word.split_once('=').is_some_and(|(option, _)| is_message(option, command));
        let is_data = is_message || shows_words(command, is_last) || searches_for_words(command);
        if word.trim().contains(char::is_whitespace) && is_data {
            data.push(word);
        }
    }
    if is_last && KEEPERS.contains(&command.program()) {
        let texts = command.redirections.iter().filter(|given| given.operator.starts_with("<<")).take(MOST);
        data.extend(texts.map(|given| given.body.as_str()).filter(|body| !body.trim().is_empty()));
    }
    data
}

/// Whether the value of an option is a text for people.
fn is_message(option: &str, command: &Command) -> bool {
    const LONG: &[&str] = &["--body", "--comment", "--description", "--grep", "--message", "--notes", "--title"];
    const TRACKERS: &[&str] = &["gh", "glab"];
    const HISTORIES: &[&str] = &["bzr", "fossil", "git", "hg", "jj", "svn"];
    let program = command.program();
    let is_short = option.starts_with('-') && !option.starts_with("--") && option.ends_with('m');
    LONG.contains(&option)
        || HISTORIES.contains(&program) && is_short
        || TRACKERS.contains(&program) && matches!(option, "-b" | "-n" | "-t")
}

/// Whether the command prints its words, for nobody but the reader.
fn shows_words(command: &Command, is_last: bool) -> bool {
    is_last && matches!(command.program(), "echo" | "printf")
}

/// Whether the words of a command are patterns and files.
fn searches_for_words(command: &Command) -> bool {
    let is_git = command.program() == "git" && command.word(1) == "grep";
    let is_search = matches!(command.program(), "egrep" | "fgrep" | "grep" | "rg") || is_git;
    // These options start a program.
    is_search && !command.argv.iter().any(|word| word.text.starts_with("--pre") || word.text.starts_with("--open") || word.text.starts_with("-O"))
}

/// Programs that run scripts of a package.
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// The texts by which a command that runs a script of a package could be written.
fn runs_in_other_words(command: &Command) -> Vec<String> {
    let Some(script) = script_of(command) else { return Vec::new() };
    let script = script.join(" ");
    let with_run = MANAGERS.iter().map(|manager| format!("{manager} run {script}"));
    with_run.chain(MANAGERS.iter().map(|manager| format!("{manager} {script}"))).collect()
}

/// The script of a package that a command runs, with its words.
fn script_of(command: &Command) -> Option<Vec<&str>> {
    /// Options with a value, which may come before the verb.
    const VALUED: &[&str] = &["--cwd", "--dir", "--filter", "--prefix", "--workspace", "-C", "-F", "-w"];
    /// Verbs of npm that run the script of the same name.
    const VERBS: &[&str] = &["restart", "start", "stop", "test"];
    let mut words = command.argv.iter().map(|word| word.text.as_str());
    let program = words.next()?.rsplit('/').next()?;
    if !MANAGERS.contains(&program) {
        return None;
    }
    let mut words = words.peekable();
    while let Some(option) = words.next_if(|word| word.starts_with('-')) {
        if VALUED.contains(&option) {
            words.next();
        }
    }
    if program == "yarn" && words.next_if_eq(&"workspace").is_some() {
        words.next();
    }
    let verb = words.next()?;
    match verb {
        "run" | "run-script" | "rum" | "urn" => {
            let script: Vec<&str> = words.skip_while(|word| word.starts_with('-')).collect();
            (!script.is_empty()).then_some(script)
        }
        _ if program == "npm" && !VERBS.contains(&verb) => None,
        _ if OWN.contains(&verb) => None,
        _ => Some(std::iter::once(verb).chain(words).collect()),
    }
}

/// Verbs of package managers, which run no script of that name.
const OWN: [&str; 28] = [
    "add", "audit", "ci", "config", "create", "dedupe", "dlx", "exec", "i", "info", "init", "install", "link", "list", "login",
    "logout", "ls", "outdated", "pack", "patch", "publish", "remove", "up", "update", "upgrade", "version", "why", "x",
];
