//! `shared-state`: a change outside this machine that loses nothing by itself but that others notice.
//!
//! ## Why
//! It works on clusters, clouds and registries, where nobody sees the difference before it is made.
//!
//! ## Examples
//! - asked: `kubectl drain node-1`
//! - asked: `terraform apply`
//! - asked: `gh repo edit --visibility public`
//! - passes: `terraform plan`
//! - passes: `kubectl apply -f x.yaml`
//!
//! ## Instead
//! Show the difference first, such as with a dry run or a plan.

use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, instead};

pub(crate) const RULE: Rule =
    Rule { id: "shared-state", summary: "a change to what others use", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    // What is only rehearsed on this machine nobody else uses.
    let shared = effect.tag("rehearsal").is_none()
        && effect.severity == Severity::Notable
        && is_shared(effect)
        && !super::catastrophic_effect::is_named(effect);
    shared.then(|| {
        let why = match effect.operation.as_str() {
            "github.repo.visibility" if effect.target == "public" => {
                "everybody can read the code and its history from then on"
            }
            "github.repo.visibility" => "who could read the repository no longer can, or others can from then on",
            _ => "others use what it changes, and they notice at once",
        };
        let remedy = instead(effect, "show the difference first, such as with a dry run or a plan");
        Hit::new(RULE.default, effect, why, remedy).plain()
    })
}

/// Whether the effect reaches beyond this machine in a way that others notice.
fn is_shared(effect: &Effect) -> bool {
    match effect.operation.as_str() {
        // Applying a manifest or a chart is everyday work; going back, or by force, has a name of its own.
        "kubernetes.change" | "helm.change" | "package.publish" => false,
        "redis.config" | "redis.shutdown" => true,
        operation => {
            let hosted = ["github.", "gitlab."].iter().any(|host| operation.starts_with(host));
            hosted || matches!(effect.kind.as_str(), "cloud" | "orchestration" | "package")
        }
    }
}
