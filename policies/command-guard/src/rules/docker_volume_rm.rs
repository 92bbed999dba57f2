//! `docker-volume-rm`: `docker volume rm`, and the same command of podman.
//!
//! ## Why
//! A service's data is usually only in its volume.
//!
//! ## Examples
//! - asked: `docker volume rm v`
//! - asked: `podman volume rm v`
//! - passes: `docker volume inspect v`
//! - passes: `docker volume create v && docker run --rm -v v:/data alpine && docker volume rm v`
//!
//! ## Instead
//! Check the volume with `docker volume inspect`, and save its data first.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "docker-volume-rm", summary: "deletion of a volume", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let is_lost = effect.operation == "container.volume.remove" && effect.tag("rehearsal").is_none();
    is_lost.then(|| {
        Hit::new(
            RULE.default,
            effect,
            "deletes the only copy of a service's data",
            "check it with `docker volume inspect`, and back up its data first",
        )
    })
}
