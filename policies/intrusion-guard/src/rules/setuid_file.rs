//! `setuid-file`: a call that creates a program that runs with its owner's permissions (setuid).
//!
//! ## Why
//! Anyone who starts the program gets these permissions, now and later. ATT&CK T1548.001.
//!
//! ## Examples
//! - asked: `install -m 4755 x /usr/local/bin/x`
//! - asked: `python3 -c "import os; os.chmod('x', 0o4755)"`
//! - passes: `install -m 755 x bin/x`
//! - passes: `python3 -c "import os; os.chmod('x', 0o755)"`
//! - passes: `stat -c %a x`
//!
//! ## Instead
//! Give the program the single permission that it needs, or start it with `sudo`.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "setuid-file",
    summary: "makes a program that runs with its owner's permissions",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| makes(command));
    let in_code = || view.scripts().find(|script| sets(&script.text));
    let shown = match command {
        Some(command) => command.text(),
        None => in_code()?.text.clone(),
    };
    Some(Hit::new(
        format!("Creates a setuid program: `{}`", shorten(&shown)),
        "give it the one capability that it needs, or let the user start it with `sudo`",
    ))
}

/// Returns whether a mode has the setuid or setgid bit.
fn is_set(mode: &str) -> bool {
    let digits = mode.trim_start_matches("0o").trim_start_matches('0');
    let is_octal = digits.len() == 4 && digits.bytes().all(|byte| (b'0'..b'8').contains(&byte));
    is_octal && matches!(digits.chars().next(), Some('2' | '4' | '6' | '7')) && !digits.starts_with('1')
        || mode.split(',').any(|clause| {
            clause.contains(['+', '=']) && clause.split(['+', '=']).nth(1).is_some_and(|rights| rights.contains('s'))
        })
}

fn makes(command: &Command) -> bool {
    let words: Vec<&str> = texts(command).collect();
    let by_pair =
        |option: &str| words.windows(2).any(|pair| matches!(pair, [name, mode] if *name == option && is_set(mode)));
    match &*name(command) {
        "install" => {
            by_pair("-m")
                || by_pair("--mode")
                || words
                    .iter()
                    .any(|word| word.strip_prefix("-m").or_else(|| word.strip_prefix("--mode=")).is_some_and(is_set))
        }
        _ => false,
    }
}

fn sets(text: &str) -> bool {
    let calls = ["chmod(", "chmodSync(", "fchmod(", "lchmod("];
    calls.iter().any(|call| {
        text.split(call).skip(1).any(|rest| {
            let arguments = rest.split(')').next().unwrap_or_default();
            has_any(arguments, &["S_ISUID", "S_ISGID"]) || arguments.split(',').any(|argument| is_set(argument.trim()))
        })
    })
}
