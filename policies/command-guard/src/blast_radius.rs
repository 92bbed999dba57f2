//! The reach of a change of a path in the current call, and whether it is in a temporary place. `path-context` shares
//! the code for the reach.

use guard_sdk::syntax::Effect;
pub(crate) use policy_blast_radius::{BlastRadius, deletes_whole, is_disposable, is_inside, refuses_folders};

use crate::call_view::CallView;

/// Returns the reach of the effect.
pub(crate) fn blast_radius(effect: &Effect, view: &CallView<'_>) -> BlastRadius {
    policy_blast_radius::blast_radius(effect, view.command(effect), &|| view.facts())
}

/// Returns whether the effect's target is in a place for temporary files.
pub(crate) fn is_temporary(effect: &Effect, view: &CallView<'_>) -> bool {
    policy_blast_radius::is_temporary(effect, &|| view.facts())
}

/// Returns whether the effect's target is known to be neither in the project nor in a place for temporary files.
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

/// Returns whether the target is in the project.
pub(crate) fn is_in_project(effect: &Effect, view: &CallView<'_>) -> bool {
    effect.path.raw.starts_with('/')
        && effect.tag("where").is_none()
        && !is_outside(effect, view)
        && !is_temporary(effect, view)
}

/// Returns whether the target is in the user's home.
pub(crate) fn is_in_home(effect: &Effect, view: &CallView<'_>) -> bool {
    let path = &effect.path;
    let home = &view.facts().home;
    !home.is_empty() && [&path.raw, &path.lexical, &path.canonical].into_iter().any(|name| is_inside(name, home))
}
