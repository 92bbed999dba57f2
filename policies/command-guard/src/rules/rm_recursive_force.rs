//! `rm-recursive-force`: `rm` with both `-r` and `-f`, and other programs that delete a directory without asking.
//! Deletions that lose nothing pass, here and in the other rules about `rm`:
//!
//! - the repository's `.gitignore` files ignore every target
//! - the same call created the target
//! - the target doesn't exist, and the same call creates it afterwards
//! - the target is in a harness's folder for one session, or is a folder named by `mktemp`
//! - the target is in the project, and a program creates it again at each run, such as `__pycache__` and
//!   `coverage.xml`
//! - the target is the output of a build that the same call starts next
//!
//! ## Why
//! Everything in the directory is deleted without going to the trash.
//!
//! ## Examples
//! - asked: `rm -rf ./build`
//! - asked: `rm -rf "$DIR"`
//! - asked: `find . -name x -exec rm -rf {} +`
//! - passes: `rm -f file.txt`
//! - passes: `rmdir empty`
//! - passes: `rm -rf .pytest_cache coverage.xml`
//! - passes: `rm -rf dist && npm run build`
//!
//! ## Instead
//! Check the directory first with `ls`, or move it aside with `mv`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::blast_radius::{BlastRadius, blast_radius, is_disposable, deletes_whole};
use crate::by_products::is_by_product;
use crate::own_folders::is_own_folder;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "rm-recursive-force",
    summary: "forced deletion of a directory",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let forced = effect.operation == "fs.delete.recursive" && effect.tag("force").is_some();
    let is_kept = || {
        !is_disposable(effect)
            && !is_by_product(effect, view)
            && !is_own_folder(effect, view)
            && !is_one_file(effect)
            && !asks_first(effect, view)
    };
    (forced && is_kept() && !is_denied(effect, view)).then(|| {
        Hit::new(RULE.default, effect, "deletes ", "check it first with `ls`, or move it aside with `mv`")
            .naming(deleted_path(effect, view), " and everything in it")
    })
}

/// Returns whether `rm -r` targets a file, for which the option has no effect.
pub(super) fn is_one_file(effect: &Effect) -> bool {
    let path = &effect.path;
    let is_named = effect.certain && ["glob", "every", "where"].iter().all(|tag| effect.tag(tag).is_none());
    let by_rm = effect.tag("by").is_some_and(|by| matches!(by, "rm" | "grm"));
    let is_file = || path.kind == "file" || path.kind != "dir" && is_lock_file(&path.lexical);
    is_named && by_rm && is_file() && path.canonical == path.lexical && !effect.target.contains(['*', '?', '['])
}

/// Returns whether only a package manager's lock file has this name.
fn is_lock_file(path: &str) -> bool {
    const NAMES: &[&str] = &[".terraform.lock.hcl", "Package.resolved", "bun.lockb", "go.sum", "npm-shrinkwrap.json"];
    let name = path.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name) || [".lock", "-lock.json", "-lock.yaml"].iter().any(|end| name.ends_with(end))
}

/// Returns whether the program prompts for each file and reads no answers from the text: `find -ok`, or `rm -i` on
/// searched files.
pub(super) fn asks_first(effect: &Effect, view: &CallView<'_>) -> bool {
    let Some(command) = view.command(effect) else { return false };
    let Some(via) = command.via.last() else { return false };
    let is_interactive = effect.tag("interactive").is_some();
    let is_fed = || {
        let finder = view.command_by_id(command.parent);
        finder.is_none_or(|finder| {
            finder.position.index > 0 || !finder.position.within.is_empty() || !finder.redirections.is_empty()
        })
    };
    match via.kind.as_str() {
        "xargs" => is_interactive,
        "find-exec" => (is_interactive || via.detail == "asks") && !is_fed(),
        _ => false,
    }
}

/// Returns whether another rule already denies the deletion, so that an ask would be redundant.
fn is_denied(effect: &Effect, view: &CallView<'_>) -> bool {
    match blast_radius(effect, view) {
        BlastRadius::Part => false,
        BlastRadius::WorkingDirectory => super::rm_wildcard::is_rm(effect),
        BlastRadius::Home | BlastRadius::System | BlastRadius::Root => deletes_whole(effect),
    }
}

/// Returns the deleted path for a message.
pub(super) fn deleted_path(effect: &Effect, view: &CallView<'_>) -> String {
    let target = shorten(&effect.target);
    match supplier(effect, view) {
        Some("find-exec") if target == "{}" => "each path that is found".to_owned(),
        Some(_) if target == "{}" => "each path that the input names".to_owned(),
        Some("find-exec") => format!("each path that matches `{target}`"),
        Some(_) => format!("`{target}`, with names from the input in place of `{{}}`"),
        None if effect.tag("where") == Some("container") => format!("`{target}` in the container"),
        None if effect.certain => format!("`{target}`"),
        None => format!("`{target}` (known only at run time)"),
    }
}

/// Returns the kind of program that supplies the names of an uncertain target, such as `xargs`.
fn supplier<'a>(effect: &'a Effect, view: &'a CallView<'_>) -> Option<&'a str> {
    let command = view.command(effect).filter(|_| !effect.certain)?;
    let kind = command.via.last()?.kind.as_str();
    let stands_for_names = effect.target.contains("{}") || kind == "find-exec" && !effect.target.contains('$');
    (matches!(kind, "xargs" | "parallel" | "find-exec") && stands_for_names).then_some(kind)
}
