//! `renamed-program`: a call that copies a program to another name outside of the project: a shell or interpreter of
//! the system, or a program that the call then runs.
//!
//! ## Why
//! Process lists and logs then show a misleading name. ATT&CK T1036.003, T1036.005.
//!
//! ## Examples
//! - asked: `cp /bin/sh /tmp/crond; /tmp/crond -c id`
//! - asked: `cp /usr/bin/python3 /dev/shm/upd`
//! - asked: `cp /tmp/a/x.bin /tmp/svc && /tmp/svc`
//! - passes: `cp target/release/app /tmp/app && /tmp/app --version`
//! - passes: `cp /usr/bin/qemu-aarch64-static rootfs/usr/bin/`
//! - passes: `cp /etc/hosts /tmp/hosts.bak`
//!
//! ## Instead
//! Run the program under its own name.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::places::is_inside;
use crate::kinds::{CONNECTORS, SHELLS, is_any};
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "renamed-program",
    summary: "copies a program under another name",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// The system's folders for programs.
const PROGRAMS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/libexec",
    "/opt/homebrew/bin",
];

const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];

/// Programs that run arbitrary commands, besides shells and plain connections.
const TELLABLE: &[&str] =
    &["python", "perl", "ruby", "php", "node", "lua", "awk", "busybox", "curl", "wget", "openssl"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let copy = view.commands().find(|command| is_renamed(command, view))?;
    Some(Hit::new(
        format!("Copies a program to another name: `{}`", shorten(&copy.text())),
        "run the program under its own name",
    ))
}

fn is_renamed(command: &Command, view: &View<'_>) -> bool {
    // `cat PROGRAM > FILE`
    let shown = || {
        command.redirections.iter().find(|one| matches!(one.operator.as_str(), ">" | ">|") && matches!(one.fd, 1 | -1))
    };
    if name(command) == "cat"
        && command.argv.len() == 2
        && let Some(to) = shown()
    {
        return renames(command.word(1), &to.target.text, command, view);
    }
    if !matches!(&*name(command), "cp" | "install" | "ln" | "gcp" | "rsync" | "dd") {
        return false;
    }
    let operands: Vec<&str> = match &*name(command) {
        "dd" => {
            let value = |key: &str| texts(command).find_map(|text| text.strip_prefix(key));
            value("if=").into_iter().chain(value("of=")).collect()
        }
        _ => texts(command).filter(|text| !text.starts_with('-')).collect(),
    };
    let [.., from, to] = operands.as_slice() else { return false };
    renames(from, to, command, view)
}

/// Returns whether a copy gives a program another name, or runs it under one.
fn renames(from: &str, to: &str, command: &Command, view: &View<'_>) -> bool {
    let base = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let facts = view.facts();
    let is_own = |path: &str| {
        !path.starts_with(['/', '~', '$'])
            || [&facts.cwd, &facts.project_root].iter().any(|folder| folder.len() > 1 && is_inside(path, folder))
    };
    if is_own(to) || to.ends_with('/') {
        return false;
    }
    let of_system = PROGRAMS.iter().any(|folder| from.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
    let is_temporary = |path: &str| TEMPORARY.iter().any(|folder| is_inside(path, folder));
    let program = base(from);
    let plain = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let tellable = is_any(&program, SHELLS) || is_any(&program, CONNECTORS) || is_any(plain, TELLABLE);
    let runs = view.commands().any(|other| other.word(0) == to && other.id != command.id);
    let renamed = program != base(to);
    let hides = tellable && renamed && (is_temporary(to) || to.starts_with('~') || runs);
    of_system && (hides || runs && renamed) || is_temporary(from) && runs && renamed
}
