//! `git-push`: `git push`, unless a stricter rule denies it, and the publishing commands of other version control
//! systems.
//!
//! ## Why
//! Everyone who can read the remote can see the pushed commits.
//!
//! ## Examples
//! - asked: `git push origin main`
//! - asked: `git push --force origin topic`
//! - asked: `hg push`
//! - passes: `git push --dry-run`
//! - passes: `git stash push`
//! - passes: `git config push.default simple`
//!
//! ## Instead
//! List the commits with `git log --oneline --branches --not --remotes`, then ask the user to approve the push.
//! For a forced push or a deletion, the message says how to see which commits would be lost.
//!
//! ## Settings
//! - `strict`: a dry run also needs confirmation. Default: only in `hardened`, `guardrail` and `full`.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit};

pub(crate) const RULE: Rule =
    Rule { id: "git-push", summary: "a push to a remote", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let is_dry = effect.tag("dry-run").is_some();
    if is_dry && !view.settings.strict {
        return None;
    }
    let (why, remedy) = match effect.operation.as_str() {
        "git.push" if effect.tag("tags").is_some() => {
            let look = "see which tags the remote has with `git ls-remote --tags`";
            ("publishes all tags and their commits to everyone who can read the remote", look.to_owned())
        }
        "git.push" => ("publishes commits to everyone who can read the remote", NEW.to_owned()),
        "git.push.force" => ("replaces the history of the remote branch", vanishing(effect)),
        "git.push.force-with-lease" => {
            ("replaces the history of the remote branch", vanishing(effect))
        }
        "git.push.delete" if is_dry || !view.settings.protects(&effect.target) => (
            "deletes the branch on the remote",
            format!("see its commits with `git log {}`", remote_branch(effect)),
        ),
        "vcs.push" => ("publishes changes to everyone who uses the server", listing_advice(effect)),
        _ => return None,
    };
    Some(Hit::new(RULE.default, effect, why, remedy))
}

/// Also works for a branch without an upstream.
const NEW: &str = "list unpushed commits with `git log --oneline --branches --not --remotes`";

/// Returns advice for listing the commits that a forced push removes from the remote branch.
fn vanishing(effect: &Effect) -> String {
    if effect.tag("mirror").is_some() {
        return "see what the remote has with `git ls-remote`, and push only the branches you mean"
            .to_owned();
    }
    format!("see which commits would be lost with `git log HEAD..{}`", remote_branch(effect))
}

/// Returns the remote-tracking branch, or a placeholder if the command doesn't name it.
fn remote_branch(effect: &Effect) -> String {
    let is_name = |name: &&str| {
        !name.is_empty() && name.len() < 60 && name.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c))
    };
    let remote = effect.tag("remote").filter(is_name).unwrap_or("origin");
    let branch = Some(effect.target.as_str()).filter(is_name).filter(|_| effect.certain).unwrap_or("BRANCH");
    format!("{remote}/{branch}")
}

/// Returns advice for listing what another version control system would publish.
fn listing_advice(effect: &Effect) -> String {
    let look = match effect.tag("by").unwrap_or_default() {
        "hg" => "`hg outgoing`",
        "sl" => "`sl status` and `sl log`",
        "svn" => "`svn diff`",
        "p4" => "`p4 opened`",
        "bzr" => "`bzr missing`",
        "darcs" => "`darcs push --dry-run`",
        "cvs" => "`cvs diff`",
        _ => "the program's `status` or `diff` command",
    };
    format!("see what would be published with {look}")
}
