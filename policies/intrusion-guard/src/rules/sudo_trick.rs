//! `sudo-trick`: a `sudo` call with a user number that older versions treat as root, or code that becomes root.
//!
//! ## Why
//! It bypasses the administrator's rules. ATT&CK T1548.003.
//!
//! ## Examples
//! - asked: `sudo -u#-1 /bin/bash`
//! - passes: `sudo -u postgres psql`
//! - passes: `sudo -u '#1000' id`
//! - passes: `sudo apt-get install -y jq`
//!
//! ## Instead
//! Ask the user to run the command.

use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { id: "sudo-trick", summary: "bypasses the rules of `sudo`", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let is_trick = |user: &str| user.contains("#-") || has_any(user, &["#4294967295", "#$((0xffff", "#0xffffffff"]);
    let by_user =
        view.commands().any(|command| command.via.iter().any(|via| via.kind == "sudo" && is_trick(&via.detail)));
    let by_code = || {
        view.scripts().any(|script| {
            has_any(
                &script.text,
                &[
                    "os.setuid(0)",
                    "setresuid(0",
                    "os.seteuid(0)",
                    "posix.setuid(0)",
                    "Process::UID.change_privilege",
                    "process.setuid(0)",
                    "POSIX::setuid(0)",
                    "posix_setuid(0)",
                ],
            )
        })
    };
    // The timestamp of a recently typed password.
    let by_mark = || {
        view.analysis.effects.iter().any(|effect| {
            matches!(effect.kind.as_str(), "write" | "metadata")
                && effect.spellings().any(|path| {
                    has_any(path, &["/run/sudo/ts", "/var/db/sudo/", "/var/lib/sudo/ts", "/var/lib/sudo/lectured"])
                })
        })
    };
    (by_user || by_code() || by_mark())
        .then(|| Hit::new("Bypasses the rules of `sudo` to become root", "ask the user to run the command"))
}
