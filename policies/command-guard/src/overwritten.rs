//! Trees and archives that replace the project's files: another copy of the project, or an archive that is extracted
//! over it.

use guard_sdk::syntax::Effect;

use crate::blast_radius::{is_disposable, is_in_project, is_inside};
use crate::call_view::CallView;

/// Folders that contain other working copies of a project.
const OF_COPIES: &[&str] = &["worktree", "worktrees"];

/// Words in the name of a folder with an older copy.
const COPIES: &[&str] =
    &["backup", "backups", "bak", "copy", "old", "orig", "original", "previous", "snapshot", "snapshots", "wt"];

/// The source that replaces project files which the command doesn't name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacing {
    Archive,
    Copy,
}

/// Returns whether the effect replaces files of the project, and their source.
pub(crate) fn replacing(effect: &Effect, view: &CallView<'_>) -> Option<Replacing> {
    if effect.operation != "fs.write" || effect.tag("where").is_some() || is_disposable(effect) {
        return None;
    }
    let path = effect.path.lexical.as_str();
    let facts = view.facts();
    let is_root =
        !path.is_empty() && [&facts.project_root, &facts.cwd].iter().any(|root| root.trim_end_matches('/') == path);
    if effect.tag("replaces").is_some() {
        return (is_root && !is_own_archive(effect, view)).then_some(Replacing::Archive);
    }
    let from = effect.tag("merged-from")?;
    let is_folder = effect.path.kind == "dir" && is_in_project(effect, view);
    ((is_root || is_folder) && is_copy(from, path, view)).then_some(Replacing::Copy)
}

/// Returns whether the text downloaded or created the archive itself, so that its content is known to the text's
/// author.
fn is_own_archive(effect: &Effect, view: &CallView<'_>) -> bool {
    let reads = |other: &&Effect| other.command_id == effect.command_id && other.kind == "read";
    let mut archives = view.analysis.effects.iter().filter(reads).map(|read| read.path.lexical.as_str());
    let makes = |other: &Effect, archive: &str| {
        other.kind == "write" && other.command_id < effect.command_id && other.path.lexical == archive
    };
    archives.any(|archive| view.analysis.effects.iter().any(|other| makes(other, archive)))
}

/// Returns whether a folder contains another copy of `target`: a worktree, a backup, or the same path in a checkout
/// next to the project.
fn is_copy(from: &str, target: &str, view: &CallView<'_>) -> bool {
    let root = view.facts().project_root.trim_end_matches('/');
    let below_root = from.strip_prefix(root).unwrap_or(from);
    let names = || below_root.split('/').filter(|name| !name.is_empty());
    if names().any(|name| OF_COPIES.contains(&name.trim_start_matches('.'))) {
        return true;
    }
    let words = |name: &'_ str| {
        name.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase).collect::<Vec<_>>()
    };
    if names().any(|name| words(name).iter().any(|word| COPIES.contains(&word.as_str()))) {
        return true;
    }
    let Some((parent, _)) = root.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) else { return false };
    let Some(beside) = from.strip_prefix(parent).filter(|_| is_inside(from, parent) && !is_inside(from, root)) else {
        return false;
    };
    let place = beside.trim_start_matches('/').split_once('/').map_or("", |(_, place)| place);
    target.strip_prefix(root).is_some_and(|below| below.trim_start_matches('/') == place)
}
