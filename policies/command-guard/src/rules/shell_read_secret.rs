//! `shell-read-secret`: a shell command that reads a file that holds secrets, or gives it a second name.
//!
//! ## Why
//! What a command prints goes to the model and into logs, and a copy has no guard.
//! ## Example
//! `cat .env` · `cp .env /tmp/x` · `base64 ~/.ssh/id_rsa`
//! ## Settings
//! `secret-reads`, `files.blocked`, `files.exempt`

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::scene::{Hit, Scene};

pub(crate) const RULE: Rule = Rule {
    id: "shell-read-secret",
    summary: "a command that reads a file with secrets",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let files = &scene.settings.files;
    let entry = match effect.tag("link-to") {
        Some(original) => files.secret(original)?,
        None if effect.kind != "read" || effect.target.ends_with(".pub") || only_uses(effect, scene) => return None,
        None => files.secret_of(effect)?,
    };
    let outcome = scene.settings.secret_reads.outcome()?;
    let why = format!("`{entry}` holds secrets, and what a command prints or copies is out of the file's guard");
    Some(Hit::new(outcome, effect, why, remedy(entry)).tag("path", effect.target.as_str()))
}

/// Whether the command uses the file without showing it: a script that loads its variables, a certificate's data.
fn only_uses(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(command) = scene.command(effect) else { return false };
    let first = command.word(1);
    matches!(command.word(0), "source" | ".")
        || command.program() == "openssl" && matches!(first, "x509" | "verify" | "crl" | "s_client")
}

fn remedy(entry: &str) -> &'static str {
    if entry.starts_with(".env") {
        "read the names of the variables in `.env.example`, or ask the user for what you need to know"
    } else {
        "ask the user for what you need to know"
    }
}
