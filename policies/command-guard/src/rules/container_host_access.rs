//! `container-host-access`: a container with access to the host's root directory, its devices, or the container
//! engine's socket.
//!
//! ## Why
//! A program in the container can then change the host.
//!
//! ## Examples
//! - asked: `docker run -v /var/run/docker.sock:/var/run/docker.sock alpine`
//! - passes: `docker run --rm alpine ls`
//! - passes: `docker run -v $PWD:/app alpine`
//!
//! ## Instead
//! Mount only the directory that you need, for example with `-v ./data:/data`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "container-host-access",
    summary: "a container with access to its host",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    (effect.operation == "container.host-access").then(|| {
        let why = match effect.tag("mounts") {
            Some(path) => {
                format!("the container can change `{}` on this machine", shorten(path))
            }
            None => "programs in the container can change the host".to_owned(),
        };
        Hit::new(RULE.default, effect, why, "mount the one directory that is needed, such as with `-v ./data:/data`")
    })
}
