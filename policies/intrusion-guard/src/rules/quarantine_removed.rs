//! `quarantine-removed`: a call that removes the mark of a downloaded file, which makes macOS or Windows check the
//! file before it runs.
//!
//! ## Why
//! Without the mark, the system runs the program unchecked. ATT&CK T1553.001, T1553.005.
//!
//! ## Examples
//! - asked: `xattr -d com.apple.quarantine tool`
//! - asked: `xattr -cr Tool.app`
//! - passes: `xattr -l tool`
//! - passes: `xattr -p com.apple.quarantine tool`
//! - passes: `xattr -w user.comment x tool`
//!
//! ## Instead
//! Ask the user to open the program once, so that the system checks it.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "quarantine-removed",
    summary: "removes the download mark of a file",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| removes(command))?;
    let file = texts(command).last().unwrap_or_default();
    Some(Hit::new(
        format!("Removes the download mark of `{}`, so the system doesn't check it before it runs", shorten(file)),
        "ask the user to open the program once, which checks it",
    ))
}

fn removes(command: &Command) -> bool {
    let of_mark = || {
        texts(command).any(|text| text.to_ascii_lowercase().contains("quarantine") || text.contains("Zone.Identifier"))
    };
    // `xattr -cr .` cleans a project before it is signed.
    let is_program = || {
        texts(command).any(|text| {
            let text = text.trim_end_matches('/');
            has_any(text, &["/Applications", "/Downloads"])
                || [".app", ".pkg", ".dmg", ".command"].iter().any(|end| text.ends_with(end))
        })
    };
    match &*name(command) {
        "xattr" => {
            has_option(command, "d", &[]) && of_mark() || has_option(command, "c", &[]) && !of_mark() && is_program()
        }
        "unblock-file" => true,
        "remove-item" | "del" | "rm" | "setfattr" => texts(command).any(|text| text.contains("Zone.Identifier")),
        _ => false,
    }
}
