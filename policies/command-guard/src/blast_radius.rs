//! How far a change of a path reaches in the call at hand, and whether it lies where nothing is kept. The first judgement
//! itself is shared with `path-context`.

use guard_sdk::syntax::Effect;
pub(crate) use policy_blast_radius::{BlastRadius, takes_whole};

use crate::call_view::CallView;

/// How far the effect reaches.
pub(crate) fn blast_radius(effect: &Effect, view: &CallView<'_>) -> BlastRadius {
    policy_blast_radius::blast_radius(effect, view.command(effect), &|| view.facts())
}

/// Folders of which nobody expects that they keep anything.
const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/", "/private/tmp/"];

/// How the folder of this user's temporary files is written where only the shell knows it.
const OF_USER: &[&str] = &["$TMPDIR/", "${TMPDIR}/", "${TMPDIR:-/tmp}/"];

/// Whether the effect's target lies below a folder for temporary files, by every name that it has, and is part neither
/// of the project nor of a home.
pub(crate) fn is_temporary(effect: &Effect, view: &CallView<'_>) -> bool {
    let path = &effect.path;
    if path.raw.is_empty() {
        return OF_USER.iter().any(|folder| effect.target.starts_with(folder)) && !effect.target.contains("..");
    }
    let names = || [&path.raw, &path.lexical, &path.canonical].into_iter().filter(|name| !name.is_empty());
    let below = |name: &String| TEMPORARY.iter().any(|folder| name.starts_with(folder)) && !name.contains("/..");
    let facts = view.facts();
    let inside = |folder: &String| !folder.is_empty() && names().any(|name| is_inside(name, folder));
    names().all(below) && ![&facts.cwd, &facts.project_root, &facts.home].into_iter().any(inside)
}

/// Whether the effect's target is known to lie neither in the project nor where nothing is kept.
pub(crate) fn is_outside(effect: &Effect, view: &CallView<'_>) -> bool {
    let path = &effect.path;
    if effect.tag("where").is_some() || !path.raw.starts_with('/') {
        return false;
    }
    let names = || [&path.raw, &path.lexical, &path.canonical].into_iter();
    let facts = view.facts();
    let own = |folder: &String| !folder.is_empty() && names().any(|name| is_inside(name, folder));
    ![&facts.cwd, &facts.project_root].into_iter().any(own) && !is_temporary(effect, view)
}

/// Whether the target lies in the project.
pub(crate) fn is_in_project(effect: &Effect, view: &CallView<'_>) -> bool {
    effect.path.raw.starts_with('/')
        && effect.tag("where").is_none()
        && !is_outside(effect, view)
        && !is_temporary(effect, view)
}

/// Whether the target lies in the home of the user who asks.
pub(crate) fn is_in_home(effect: &Effect, view: &CallView<'_>) -> bool {
    let path = &effect.path;
    let home = &view.facts().home;
    !home.is_empty() && [&path.raw, &path.lexical, &path.canonical].into_iter().any(|name| is_inside(name, home))
}

fn is_inside(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
