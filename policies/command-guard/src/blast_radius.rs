//! How far a change of a path reaches in the call at hand, and whether it lies where nothing is kept. The first judgement
//! itself is shared with `path-context`.

use guard_sdk::syntax::Effect;
pub(crate) use policy_blast_radius::{BlastRadius, is_disposable, takes_whole};

use crate::call_view::CallView;

/// How far the effect reaches.
pub(crate) fn blast_radius(effect: &Effect, view: &CallView<'_>) -> BlastRadius {
    policy_blast_radius::blast_radius(effect, view.command(effect), &|| view.facts())
}

/// Whether the effect's target lies where nobody expects that anything is kept.
pub(crate) fn is_temporary(effect: &Effect, view: &CallView<'_>) -> bool {
    policy_blast_radius::is_temporary(effect, &|| view.facts())
}
