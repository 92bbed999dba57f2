//! `many-to-one`: `mv` of many files to one name, in a loop or in a search that runs it for each file.
//! `Move-Item` with a pattern is treated the same way.
//! A target that is a folder or that the call creates passes, and so do options that keep existing files.
//!
//! ## Why
//! Each move replaces the previous file, so only the last one remains.
//!
//! ## Examples
//! - asked: `for f in *.mov; do mv "$f" clip.mov; done`
//! - asked: `find . -name '*.jpg' -exec mv {} out.jpg \;`
//! - passes: `for f in *.jpeg; do mv "$f" "${f%.jpeg}.jpg"; done`
//! - passes: `for f in *.mov; do mv -n "$f" clip.mov; done`
//! - passes: `for f in *.mov; do mv "$f" clips/; done`
//!
//! ## Instead
//! Include the file's own name in the new one, or end a folder's name with `/`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::is_inside;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "many-to-one",
    summary: "several files moved to one name",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if effect.operation != "files.many-to-one" {
        return None;
    }
    let path = &effect.path;
    let made = |other: &Effect| {
        let is_folder = other.tag("directory").is_some();
        let before = other.command_id < effect.command_id || is_folder && other.command_id == effect.command_id;
        let fills = other.path.lexical != path.lexical || other.tag("tree").is_some();
        before
            && matches!(other.kind.as_str(), "write" | "vcs")
            && is_inside(&other.path.lexical, &path.lexical)
            && (is_folder || fills)
    };
    let known = !path.lexical.is_empty();
    if path.kind == "dir" || known && view.analysis.effects.iter().any(made) {
        return None;
    }
    let remedy = "give each a name of its own, or end the name of a folder with `/`";
    let name = format!("`{}`", shorten(&effect.target));
    let hit = Hit::new(RULE.default, effect, "all but the last file are lost, because each move replaces ", remedy);
    Some(hit.with_loss(effect).naming(name, ""))
}
