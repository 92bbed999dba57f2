//! How far a change of a path reaches in the call at hand. The judgement itself is shared with `path-context`.

use guard_sdk::syntax::Effect;
pub(crate) use policy_path_reach::{Reach, takes_whole};

use crate::scene::Scene;

/// How far the effect reaches.
pub(crate) fn reach(effect: &Effect, scene: &Scene<'_>) -> Reach {
    policy_path_reach::reach(effect, scene.command(effect), &|| scene.facts())
}
