//! `kubectl-delete`: `kubectl delete`.
//!
//! ## Why
//! The object and its data are lost for everyone who uses the cluster.
//!
//! ## Examples
//! - asked: `kubectl delete pod x`
//! - asked: `kubectl -n a delete -f x`
//! - passes: `kubectl get pods`
//! - passes: `kubectl delete pod x --dry-run=client`
//! - passes: `kubectl --context kind-dev delete pod x`
//!
//! ## Instead
//! Preview the loss with `kubectl delete --dry-run=client`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, alternative};

pub(crate) const RULE: Rule = Rule {
    id: "kubectl-delete",
    summary: "deletion of cluster objects",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, _: &CallView<'_>) -> Option<Hit> {
    let is_tried = ["dry-run", "rehearsal"].iter().any(|tag| effect.tag(tag).is_some());
    (effect.operation == "kubernetes.delete" && !is_tried).then(|| {
        let why = "deletes objects and their data for everyone who uses the cluster";
        Hit::new(RULE.default, effect, why, alternative(effect, "see what would be deleted by adding `--dry-run=client`"))
    })
}
