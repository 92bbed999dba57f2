//! `forged-time`: a call that sets the time of a file outside of the project, or copies it from another file.
//! With `strict`, the rule also covers code that sets the time of any file.
//!
//! ## Why
//! A forged time hides a new file among old ones. ATT&CK T1070.006.
//!
//! ## Examples
//! - asked: `touch -r /bin/ls /usr/local/bin/x`
//! - asked: `touch -t 202001010101 /tmp/x`
//! - asked: `python3 -c "import os; os.utime('/usr/bin/sudo', (1, 1))"`
//! - passes: `touch -d '1 hour ago' tests/old.txt`
//! - passes: `touch /tmp/marker`
//! - passes: `touch -c marker`
//!
//! ## Instead
//! Leave the time unchanged, or set it on a file in the project.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, places};
use crate::view::{View, has_option, name, path, texts};

pub(crate) const RULE: Rule =
    Rule { id: "forged-time", summary: "changes the time of a file", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let by_command = view.commands().find_map(|command| file_in_command(command, view));
    let by_code = || {
        let strict = view.settings.strict;
        let mut texts = view.code();
        texts.find_map(|text| file_in_code(text, view).or_else(|| (strict && sets(text)).then(|| "a file".to_owned())))
    };
    let target = by_command.or_else(by_code)?;
    Some(Hit::new(
        format!("Sets a false timestamp on `{}`", shorten(&target)),
        "leave the time as it is, or set it on a file of the project",
    ))
}

fn file_in_command(command: &Command, view: &View<'_>) -> Option<String> {
    match &*name(command) {
        "touch" | "gtouch" => {
            let forges = has_option(command, "rtd", &["reference", "date"]);
            let facts = view.facts();
            let own = [&facts.cwd, &facts.project_root];
            let mut effects = view.index().effects(command).iter().filter(|effect| effect.kind == "write");
            let is_foreign = |path: &str| {
                path.starts_with('/') && !own.iter().any(|folder| crate::kinds::places::is_inside(path, folder))
            };
            effects.find(|effect| forges && is_foreign(path(effect))).map(|effect| path(effect).to_owned())
        }
        "setfile" => has_option(command, "dm", &[]).then(|| texts(command).last().unwrap_or_default().to_owned()),
        "timestomp" => Some(texts(command).next().unwrap_or_default().to_owned()),
        "debugfs" => texts(command)
            .any(|text| has_any(text, &["crtime", "mtime", "set_inode_field"]))
            .then(|| "an inode".to_owned()),
        _ => None,
    }
}

/// Calls in code that set the time of a file.
const CALLS: &[&str] = &[
    "os.utime(",
    ".utimes(",
    ".utimesSync(",
    ".lutimesSync(",
    "File.utime(",
    "File.lutime(",
    ".LastWriteTime =",
    ".CreationTime =",
];

fn sets(text: &str) -> bool {
    has_any(text, CALLS)
}

/// Calls that are plain words, and set a time only with arguments in the same statement.
const STATEMENTS: &[&str] = &["utime ", "utime(", "touch("];

/// The maximum number of calls in one script that are examined.
const MOST: usize = 32;

/// Returns the system file whose time the code sets, as named in the statement.
fn file_in_code(text: &str, view: &View<'_>) -> Option<String> {
    let calls = CALLS.iter().chain(STATEMENTS).flat_map(|call| text.match_indices(call).take(MOST));
    calls.map(|(at, _)| statement(text, at)).find_map(|statement| {
        // PHP's `touch("x")` sets the current time.
        let is_now = statement.starts_with("touch(") && !statement.contains(',');
        let mut literals = statement.split(['"', '\'']);
        let found = literals.find(|literal| places::is_system_path(literal, view) || is_of_windows(literal));
        found.filter(|_| !is_now).map(|path| path.trim().to_owned())
    })
}

/// Returns the statement around a position: up to the line's end or a semicolon, and back to one. In an assignment, the
/// file is before it.
fn statement(text: &str, at: usize) -> &str {
    let ends = |char: char| matches!(char, ';' | '\n');
    let is_assignment = text
        .get(at..)
        .is_some_and(|rest| rest.starts_with('.') && rest.split('(').next().is_some_and(|head| head.contains(" =")));
    let start =
        if is_assignment { text.get(..at).and_then(|head| head.rfind(ends)).map_or(0, |place| place + 1) } else { at };
    let rest = text.get(start..).unwrap_or_default();
    rest.split(ends).next().unwrap_or_default()
}

fn is_of_windows(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    has_any(&lower, &[":\\windows\\", ":\\program files", "$env:windir", "$env:systemroot"])
}
