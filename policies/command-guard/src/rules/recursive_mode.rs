//! `recursive-mode`: a broad change of file modes or owners:
//!
//! - a recursive change of much more than one directory
//! - a mode that lets everyone write, or that removes all permissions, in a directory outside of the project
//! - a change of a system directory
//! - a new owner for files outside of the project and the home
//! - a mode or an access control list that lets other users read a secret
//! - a mode that runs a file with its owner's permissions
//!
//! A recursive change of the root directory is denied. All others need confirmation.
//!
//! ## Why
//! Programs and keys stop working with wrong modes or owners, and nothing records the old ones.
//!
//! ## Examples
//! - denied: `chmod -R 777 /`
//! - asked: `chown -R u ~`
//! - asked: `chmod -R 777 .`
//! - asked: `chmod -R a+w /opt/app`
//! - asked: `chmod -R 755 "$DIR"`
//! - asked: `chmod -R 000 ~/work`
//! - asked: `chown -R www-data /var/www/site`
//! - asked: `chmod u+s /bin/bash`
//! - asked: `chmod 644 ~/.ssh/id_rsa`
//! - passes: `chmod -R u+w build`
//! - passes: `chmod 600 ~/.ssh/id_rsa`
//!
//! ## Instead
//! Name the file or directory that you mean, for example `chmod -R u+w ./build`.
//!
//! ## Settings
//! - `files.blocked`, `files.exempt`: the files with secrets.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, is_in_home, is_outside};
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "recursive-mode",
    summary: "a broad change of file modes or owners",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if !matches!(effect.operation.as_str(), "fs.mode" | "fs.owner") {
        return None;
    }
    if effect.tag("raises").is_some() {
        let why = "lets everyone run the file with its owner's permissions";
        let remedy = "grant only the permission that is needed, for example with `chmod u+x file`";
        return Some(Hit::new(Outcome::Ask, effect, why, remedy).without_summary());
    }
    if effect.tag("mode").is_some_and(opens) && !effect.target.ends_with(".pub") {
        let files = &view.settings.files;
        let folder = format!("{}/", effect.target.trim_end_matches('/'));
        if let Some(entry) = files.find_secret(effect).or_else(|| files.secret(&folder)) {
            let why = format!("`{}` (`{entry}`) can contain secrets, which every user of the machine could then read", shorten(&effect.target));
            return Some(Hit::new(Outcome::Ask, effect, why, "keep it private with `chmod 600`"));
        }
    }
    let grants = |letter: char| effect.tag("grants").is_some_and(|added| added.contains(letter));
    if (grants('r') || grants('w')) && view.settings.files.find_secret(effect).is_some() {
        let why = format!("gives another user access to `{}`, a file with secrets", shorten(&effect.target));
        return Some(Hit::new(Outcome::Ask, effect, why, "see who has access with `ls -l`, and say who needs it"));
    }
    if effect.tag("recursive").is_some() && effect.tag("mode").is_some_and(is_world_writable) && is_outside(effect, view) {
        let why = "lets every user of the machine change all files in it";
        return Some(Hit::new(if blast_radius(effect, view) == BlastRadius::Root { Outcome::Deny } else { Outcome::Ask }, effect, why, "give the one user or group that needs it the permission"));
    }
    let takes_all = effect.tag("recursive").is_some() && effect.tag("mode").is_some_and(removes_all);
    if takes_all && is_outside(effect, view) {
        let why = "takes every permission from all files in it, and the old ones aren't recorded";
        return Some(Hit::new(if blast_radius(effect, view) == BlastRadius::Root { Outcome::Deny } else { Outcome::Ask }, effect, why, "take only the permission you mean, for example with `chmod -R go-w DIR`"));
    }
    if is_of_others(effect, view) {
        let why = "changes who can use files outside of the project";
        return Some(Hit::new(Outcome::Ask, effect, why, "name the file you mean, and say who needs it"));
    }
    if effect.tag("recursive").is_none() {
        let is_opened = grants('w') || effect.tag("mode").is_some_and(is_world_writable);
        let why = match is_opened {
            true => "lets other users change it",
            false => "programs that use it fail when its mode or owner is wrong",
        };
        let is_extreme = effect.tag("mode").is_some_and(|mode| matches!(mode, "000" | "0" | "777" | "a+rwx" | "o+w"));
        let far = match blast_radius(effect, view) {
            BlastRadius::Root | BlastRadius::System => true,
            _ if is_of_system(effect) && is_opened => true,
            _ if effect.operation == "fs.owner" && view.settings.files.find_secret(effect).is_some_and(|entry| entry.starts_with('/')) => true,
            BlastRadius::Home => is_extreme,
            BlastRadius::WorkingDirectory | BlastRadius::Part => false,
        };
        return far.then(|| Hit::new(Outcome::Ask, effect, why, "name the file you mean, for example `chmod u+w ./file`"));
    }
    let outcome = match blast_radius(effect, view) {
        BlastRadius::WorkingDirectory if effect.tag("mode").is_some_and(is_harmless) && !climbs(&effect.target) => return None,
        BlastRadius::Root => Outcome::Deny,
        BlastRadius::System | BlastRadius::Home => Outcome::Ask,
        // Returning the working directory to its user is common, but a mode for all of its files is rarely right. A
        // path upward leaves the project.
        BlastRadius::WorkingDirectory if effect.operation == "fs.mode" || climbs(&effect.target) => Outcome::Ask,
        BlastRadius::Part if is_anywhere(effect, view) => Outcome::Ask,
        BlastRadius::WorkingDirectory | BlastRadius::Part => return None,
    };
    let why = "can break programs and keys, and the old modes and owners aren't recorded";
    Some(Hit::new(outcome, effect, why, "name the directory you mean, for example `chmod -R u+w ./build`"))
}

/// Returns whether the path begins with a variable, so that it may be anywhere: if it is unset, `$D/` is the root.
fn is_anywhere(effect: &Effect, view: &CallView<'_>) -> bool {
    const KNOWN: &[&str] = &["PWD", "TMPDIR", "OLDPWD", "GITHUB_WORKSPACE", "RUNNER_TEMP", "0", "BASH_SOURCE"];
    let target = effect.target.trim_start_matches('/');
    let target = substituted(target).unwrap_or(target);
    let Some(name) = target.strip_prefix('$') else { return false };
    let name = name.trim_start_matches('{');
    let name = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    // Users may take back their own files.
    let to_user = |command: &guard_sdk::syntax::Command| {
        command.argv.iter().any(|word| ["$USER", "$(id ", "$(whoami"].iter().any(|start| word.text.starts_with(start)))
    };
    let keeps = effect.tag("mode").is_some_and(is_harmless) || view.command(effect).is_some_and(to_user);
    !name.is_empty() && !KNOWN.contains(&name) && !keeps && !view.raw_text().contains("mktemp")
}

/// Returns the path in a substitution that prints a part of it: `$(dirname "$F")`.
fn substituted(target: &str) -> Option<&str> {
    let inner = target.strip_prefix("$(").or_else(|| target.strip_prefix('`'))?.trim_start();
    let rest = ["dirname ", "realpath ", "readlink "].iter().find_map(|program| inner.strip_prefix(program))?;
    let path = rest.split_whitespace().find(|word| !word.starts_with('-'))?;
    Some(path.trim_start_matches(['"', '\'']))
}

/// Returns whether a mode only adds permissions for the owner without making files executable, or removes others'
/// permissions.
fn is_harmless(mode: &str) -> bool {
    mode.split(',').all(|clause| {
        let gives = clause.strip_prefix("u+").is_some_and(|what| what.bytes().all(|right| b"rwX".contains(&right)));
        let takes = clause.split_once('-').is_some_and(|(who, _)| matches!(who, "g" | "o" | "go" | "og"));
        gives || takes
    })
}

/// Returns whether the change gives files outside of the project, the home and the temporary folders to a new owner.
fn is_of_others(effect: &Effect, view: &CallView<'_>) -> bool {
    effect.operation == "fs.owner"
        && is_outside(effect, view)
        && !is_in_home(effect, view)
        && blast_radius(effect, view) < BlastRadius::WorkingDirectory
}

/// Returns whether a path only leads upward.
fn climbs(target: &str) -> bool {
    target.starts_with("..") && target.split('/').all(|part| matches!(part, ".." | "." | ""))
}

/// Returns whether the target belongs to the system, which has more privileges than its users.
fn is_of_system(effect: &Effect) -> bool {
    const FOLDERS: &[&str] = &["/bin/", "/boot/", "/etc/", "/lib/", "/lib64/", "/run/", "/sbin/", "/usr/", "/var/run/"];
    effect.spellings().any(|text| FOLDERS.iter().any(|folder| text.starts_with(folder)))
}

/// Returns whether a mode leaves no permissions, not even for the owner.
fn removes_all(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return mode.bytes().all(|byte| byte == b'0');
    }
    mode.split(',').any(|clause| {
        let at = clause.find(['-', '=']);
        let Some((who, what)) = at.and_then(|at| clause.split_at_checked(at)) else { return false };
        let of_owner = who.is_empty() || who.contains(['u', 'a']);
        of_owner && (what == "=" || what.starts_with('-') && what.contains('r'))
    })
}

/// Returns whether a mode lets everyone write.
fn is_world_writable(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return mode.bytes().next_back().is_some_and(|others| matches!(others, b'2' | b'3' | b'6' | b'7'));
    }
    mode.split(',').any(|clause| {
        let at = clause.find(['+', '=']);
        let Some((who, what)) = at.and_then(|at| clause.split_at_checked(at)) else { return false };
        who.contains(['o', 'a']) && what.contains('w')
    })
}

/// Returns whether a mode adds permissions for users who are neither the owner nor in the group.
fn opens(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return mode.bytes().next_back().is_some_and(|others| others != b'0');
    }
    mode.split(',').any(|clause| {
        let at = clause.find(['+', '=']);
        let Some((who, what)) = at.and_then(|at| clause.split_at_checked(at)) else { return false };
        let others = who.contains(['o', 'a']) || who.is_empty() && what.starts_with('+');
        others && what.contains(['r', 'w', 'x', 'X'])
    })
}
