//! `typed-password`: a login with a password in the command.
//! With `strict`, the rule also covers `sudo`.
//!
//! ## Why
//! The agent must have found the password in a file or text, and a password can't be revoked as easily as a key.
//! ATT&CK T1110.004, T1078.
//!
//! ## Examples
//! - asked: `sshpass -p pw ssh root@203.0.113.9`
//! - passes: `ssh build.example.org uptime`
//! - passes: `sshpass -V`
//! - passes: `echo sshpass`
//!
//! ## Instead
//! Use a key: ask the user to run `ssh-copy-id`.

use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "typed-password",
    summary: "logs in with a password in the command",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let types = view.commands().any(|command| {
        let by_wrapper = command.via.iter().any(|via| via.kind == "sshpass");
        by_wrapper
            || name(command) == "sshpass"
                && texts(command).any(|text| text.starts_with("-p") || text.starts_with("-e") || text.starts_with("-f"))
            // `su USER <<< PASSWORD`
            || (name(command) == "su" || command.via.iter().any(|via| matches!(via.kind.as_str(), "su" | "login")))
                && view.text().contains("<<<")
    }) || view.analysis.commands.iter().any(|command| command.via.iter().any(|via| via.kind == "sshpass"));
    // Words of a list are guesses.
    let is_guess = || has_any(view.text(), &["for ", "while "]) && has_any(view.text(), &["| sudo -S", "|sudo -S"]);
    let to_sudo = || {
        (view.settings.strict || is_guess())
            && view.text().contains("sudo -S")
            && view
                .commands()
                .any(|command| command.position.index > 0 && command.via.iter().any(|via| via.kind == "sudo"))
    };
    (types || to_sudo()).then(|| {
        Hit::new(
            "Logs in with a password from the command line",
            "use a key that the user has set up, or ask the user to log in",
        )
    })
}
