//! `shell-write-secret`: a shell command that changes or deletes a file with secrets.
//! Deleting or moving a folder that contains a file on the user's list is a change to that file.
//! These pass:
//!
//! - a key created in a folder for temporary files
//! - a new key from a program such as `openssl`, if no file with its name exists
//! - a new key store
//! - certificates
//! - a template copied to a name that doesn't exist
//! - `touch`
//! - hosts added to `known_hosts`, or removed with `ssh-keygen -R`, because the file is public. Replacing or deleting it
//!   is an ask.
//!
//! ## Why
//! An overwritten key can't be restored, and a shell command bypasses the rules for file tools.
//!
//! ## Examples
//! - denied: `echo x > .env`
//! - denied: `sed -i s/a/b/ .env.local`
//! - denied: `echo x >> ~/.ssh/authorized_keys`
//! - denied: `mv db old`, with `files = { blocked = ["db/migrations"] }`
//! - passes: `echo x > .env.example`
//! - passes: `git status .env`
//! - asked: `rm ~/.ssh/known_hosts`
//! - passes: `ssh-keyscan example.org >> ~/.ssh/known_hosts`
//! - passes: `touch .env`
//! - passes: `cp -n .env.example .env`
//! - passes: `openssl genrsa -out server.key 2048`
//!
//! ## Instead
//! Write a placeholder to `.env.example`, and ask the user to make the change.
//!
//! ## Settings
//! - `files.blocked`: the names of files with secrets.
//! - `files.exempt`: names that are never such files, such as templates.
//! - `strict`: a name matches even if the file doesn't exist. Default: only in `hardened`, `guardrail` and `full`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Presence, Rule};
use guard_sensitive_paths::{ON_LIST, Taken, own_secret, secret_reason};

use super::Check;
use super::shell_read_secret::is_certificate;
use crate::blast_radius::{is_in_home, is_outside, is_temporary, deletes_whole};
use crate::call_view::{CallView, Hit, shorten};
use crate::secret_use::is_template_copy;

pub(crate) const RULE: Rule = Rule {
    id: "shell-write-secret",
    summary: "a change to a file with secrets",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if !matches!(effect.kind.as_str(), "write" | "delete") {
        return None;
    }
    let Some(entry) = view.settings.files.find_secret(effect) else { return folder_hit(effect, view) };
    if effect.kind == "write" && !view.settings.strict {
        // A test key in a folder for temporary files.
        let is_of_test = entry.starts_with("*.") && is_temporary(effect, view);
        let is_public = entry == "*.pem" && is_certificate(&effect.target);
        let is_new = is_new(effect, entry, view) || entry.starts_with(".env") && is_template_copy(effect, view);
        if is_of_test || is_public || is_new {
            return None;
        }
    }
    if effect.kind == "write" && is_made(effect, entry, view) {
        return None;
    }
    // `touch` only changes the modification time.
    if effect.kind == "write" && view.command(effect).is_some_and(|command| matches!(command.program(), "touch" | "gtouch")) {
        return None;
    }
    if !view.settings.strict && is_known_hosts(effect) {
        return known_hosts(effect, view);
    }
    let target = shorten(&effect.target);
    // A link's name doesn't describe the file.
    let by_itself = view.settings.files.secret(&effect.target) == Some(entry);
    let through = if by_itself { String::new() } else { format!(" (`{entry}`)") };
    let hit = Hit::new(RULE.default, effect, "modifications to ", remedy(entry));
    if let Some(listing) = own_secret(effect, entry) {
        let behind = format!(" never allowed: {listing}{through}");
        return Some(hit.naming(format!("'{target}'"), behind).subject(&effect.target).without_summary());
    }
    let behind = format!(" never allowed: {}{through}", secret_reason(entry));
    Some(hit.naming(format!("'{target}'"), behind).subject(&effect.target))
}

/// Returns whether the effect is on the list of known hosts itself.
fn is_known_hosts(effect: &Effect) -> bool {
    let is_named = |path: &str| path.rsplit('/').next() == Some("known_hosts");
    let leads_there = effect.path.canonical.is_empty() || is_named(&effect.path.canonical);
    is_named(&effect.target) && leads_there && effect.tag("link-to").is_none()
}

/// Returns a hit for a lost list of known hosts. It contains no secret, and one entry more or less loses nothing.
fn known_hosts(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let by_keygen = view.command(effect).is_some_and(|command| command.program() == "ssh-keygen");
    let loses = effect.kind == "delete" || effect.tag("append").is_none() && !by_keygen;
    loses.then(|| {
        let remedy = "remove a single host with `ssh-keygen -R HOST`, or append the new ones";
        let hit = Hit::new(Outcome::Ask, effect, "loses the keys of known hosts in ", remedy);
        hit.naming(format!("'{}'", shorten(&effect.target)), "").subject(&effect.target)
    })
}

/// A folder is affected with a file in it that `files.blocked` lists.
fn folder_hit(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let within = || view.settings.files.secret_within(effect, &|path| view.resolve(path));
    let Taken { entry, is_certain } = deletes_whole(effect).then(within).flatten()?;
    let outcome = if is_certain { RULE.default } else { Outcome::Ask };
    let hit = Hit::new(outcome, effect, "modifications to ", remedy(entry));
    let behind = format!(" never allowed: with `{entry}`, {ON_LIST}");
    Some(hit.naming(format!("'{}'", shorten(&effect.target)), behind).subject(&effect.target).without_summary())
}

/// Returns whether a program that creates keys writes a new file.
fn is_made(effect: &Effect, entry: &str, view: &CallView<'_>) -> bool {
    const MAKERS: &[&str] = &["openssl", "certtool", "mkcert", "step", "keytool", "ssh-keygen", "certstrap", "cfssl"];
    let program = view.command(effect).map_or("", |command| command.program());
    effect.path.exists != Presence::Yes
        && MAKERS.contains(&program)
        && entry.starts_with("*.")
        && (!is_outside(effect, view) || is_in_home(effect, view))
}

/// Returns whether the write creates a key store or one environment's settings. Excludes `.env`, which belongs to the
/// user even before it exists, and keys that a shell would write.
fn is_new(effect: &Effect, entry: &str, view: &CallView<'_>) -> bool {
    const NEW: &[&str] = &[".env.*", "*.p12", "*.pfx", "*.jks", "*.keystore"];
    let program = view.command(effect).map_or("", |command| command.program());
    effect.path.exists == Presence::No
        && NEW.contains(&entry)
        && !effect.target.contains(['*', '?', '['])
        && !matches!(program, "sed" | "gsed" | "perl" | "ln")
}

fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "write a placeholder to `.env.example` and ask the user to put the value into `.env`"
    } else {
        "tell the user which change is needed, so that they can make it"
    }
}
