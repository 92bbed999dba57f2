//! `new-package`: a package that a command adds by name.
//! A package from a git repository or another address needs confirmation, because no registry has checked it.
//! A package from a registry passes, unless a setting changes that. A package in a lockfile also passes.
//!
//! ## Why
//! A package runs its own code when it is installed, and later with the project's permissions.
//!
//! ## Examples
//! - asked: `pip install git+https://example.org/x.git`
//! - asked: `npm install https://example.org/x.tgz`
//! - asked: `cargo install --git https://example.org/x`
//! - passes: `npm install x`
//! - passes: `pip install -r requirements.txt`
//! - passes: `npm ci`
//!
//! ## Instead
//! Install it from the registry, or explain where the code comes from and why you need it.
//!
//! ## Settings
//! - `new-packages`: the outcome for a package from a registry: `allow`, `warn` or `ask`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "new-package",
    summary: "a package that is new to the project",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let is_new = effect.operation == "package.install" && effect.tag("lockfile") == Some("no");
    if !is_new || effect.tag("dry-run").is_some() {
        return None;
    }
    let (outcome, why, remedy) = match effect.tag("source") {
        Some("git" | "url") => {
            let remedy = "install it from the registry, or say where the code comes from and why";
            (Outcome::Ask, " from outside of a registry, and runs its code", remedy)
        }
        Some("registry") => {
            let remedy = "add it to the project's manifest first, so that the user sees it";
            (view.settings.new_packages.outcome()?, ", whose code runs with the project's permissions", remedy)
        }
        _ => return None,
    };
    let name = effect.tag("name").unwrap_or(&effect.target);
    Some(Hit::new(outcome, effect, "installs ", remedy).naming(format!("`{}`", shorten(name)), why))
}
