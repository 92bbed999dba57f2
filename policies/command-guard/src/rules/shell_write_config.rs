//! `shell-write-config`: a shell command that changes a file that steers a build, a tool, or the machine.
//!
//! ## Why
//! It goes around the guard of the file tools; such files run code on other machines.
//! ## Example
//! `echo x >> Makefile` · `tee .github/workflows/a.yml` · `sed -i s/a/b/ tsconfig.json`
//! ## Settings
//! `files.confirm`, `files.exempt`

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::reach::{Reach, reach};
use crate::scene::{Hit, Scene, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "shell-write-config",
    summary: "a change to a file that steers a build, a tool, or the machine",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    // In a container or on another host the same name is another file.
    if !matches!(effect.kind.as_str(), "write" | "delete") || effect.tag("where").is_some() {
        return None;
    }
    let files = &scene.settings.files;
    let unpacks = effect.tag("archive").is_some() || effect.tag("by") == Some("rsync");
    let entry = match files.sensitive_of(effect) {
        Some(entry) => entry,
        // What is unpacked there lands in the directories of the system.
        None if unpacks && reach(effect, scene) >= Reach::System => "/",
        None => return None,
    };
    if files.secret_of(effect).is_some() {
        return None;
    }
    let why = format!("'{}' decides what runs later or elsewhere (`{entry}`)", shorten(&effect.target));
    let hit =
        Hit::new(RULE.default, effect, why, "change it with the file tools, so that the user sees the difference");
    Some(hit.tag("path", effect.target.as_str()).tag("subject", effect.target.as_str()))
}
