//! `kubectl_delete`: `kubectl delete`.
//!
//! ## Why
//! Workloads stop, and their volumes and secrets are lost.
//!
//! ## Examples
//! - asked: `kubectl delete pod x`
//! - passes: `kubectl get pods`
//! - passes: `kubectl delete pod x --dry-run=client`
//!
//! ## Instead
//! Preview the loss with `kubectl delete --dry-run=client`.
//!
//! ## Settings
//! - `rules`: the pattern `kubectl delete` in `bash`, with its action.

use guard_sdk::{Outcome, Rule};

use super::starters::Starter;

pub(super) const STARTER: Starter = Starter {
    rule: Rule {
        id: "kubectl_delete",
        summary: "deletion of cluster objects",
        default: Outcome::Ask,
        ceiling: Outcome::Deny,
    },
    patterns: &["kubectl delete"],
    texts: &["kubectl delete"],
    hits: |effect, _| effect.operation == "kubernetes.delete" && effect.tag("dry-run").is_none(),
};
