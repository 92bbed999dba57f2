//! `shared-state`: a change outside of this machine that loses no data but affects other people.
//!
//! ## Why
//! The change affects other machines, databases, clusters, clouds or registries, and can't be reviewed before it happens.
//!
//! ## Examples
//! - asked: `kubectl drain node-1`
//! - asked: `terraform apply`
//! - asked: `gh repo edit --visibility public`
//! - asked: `gh pr create --fill`
//! - asked: `fly deploy`
//! - asked: `scp dist.tar.gz user@example.org:/srv`
//! - asked: `ssh web1 'sed -i s/a/b/ /etc/app.conf'`
//! - asked: `psql -h db.example.com -c 'update users set admin = true where id = 4'`
//! - asked: `kubectl apply -f x.yaml --context prod`
//! - passes: `terraform plan`
//! - passes: `ssh web1 'cat /etc/app.conf'`
//! - passes: `kubectl apply -f x.yaml`
//!
//! ## Instead
//! Show the change first, for example with a dry run or a plan.

use guard_sdk::syntax::{Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, alternative};
use crate::elsewhere::is_expendable;

pub(crate) const RULE: Rule =
    Rule { id: "shared-state", summary: "a change to a shared service", default: Outcome::Ask, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    // A rehearsal on this machine affects nobody else.
    let shared = effect.tag("rehearsal").is_none()
        && effect.severity == Severity::Notable
        && (is_shared(effect) || is_remote_write(effect, view))
        && !is_download(effect, view)
        && !super::catastrophic_effect::is_named(effect);
    shared.then(|| {
        let why = match effect.operation.as_str() {
            "github.repo.visibility" if effect.target == "public" => {
                "makes the code and its history public"
            }
            "github.repo.visibility" => "changes who can read the repository",
            "github.pr.create" => "opens a pull request in the user's name, visible to others at once",
            "github.pr.merge" => "merges the pull request",
            "github.pr.review" => "submits a review in the user's name, visible to others at once",
            "github.pr.change" => "changes a pull request in the user's name, visible to others at once",
            "gitlab.pr.change" => "changes a merge request in the user's name, visible to others at once",
            "github.issue.change" | "gitlab.issue.change" => {
                "opens or changes an issue in the user's name, visible to others at once"
            }
            "message.send" => "sends a message in the user's name",
            "cloud.access.change" => "changes who may see or use something",
            "payment.change" => "moves money, and a payment can't be reversed",
            "database.change" => "changes the data of a database on another machine",
            "http.change" => "changes something on a server that others use",
            "fs.write" => "changes a file on another machine",
            "database.migrate.deploy" => "changes the schema of a shared database",
            "network.upload" | "cloud.upload" => "sends data to another machine, where others may read it",
            operation if is_deployed(operation) => "deploys a version that others use at once",
            operation if operation.starts_with("github.") || operation.starts_with("gitlab.") => {
                "changes a repository or an account that others use"
            }
            _ => "changes a service that others use",
        };
        let otherwise = match effect.operation.as_str() {
            "network.upload" | "cloud.upload" | "message.send" => "show the user what would be sent, and to whom",
            _ => "show the difference first, for example with a dry run or a plan",
        };
        let remedy = alternative(effect, otherwise);
        Hit::new(RULE.default, effect, why, remedy).without_summary()
    })
}

/// Returns whether the operation deploys a program, or a description of one.
fn is_deployed(operation: &str) -> bool {
    operation.starts_with("cloud.deploy") || matches!(operation, "cluster.sync" | "helm.change.release")
}

/// Returns whether an address is this machine, or only known to the shell.
fn is_own(target: &str) -> bool {
    let rest = target.split_once("://").map_or(target, |(_, rest)| rest);
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let local = ["localhost", "127.", "0.0.0.0", "[::1]", "::1", "host.docker.internal"];
    target.is_empty() || target.starts_with('$') || local.iter().any(|start| host.starts_with(start))
}

/// Returns whether the effect changes a file on another machine, as `scp` does. Logs and temporary files don't matter.
fn is_remote_write(effect: &Effect, view: &CallView<'_>) -> bool {
    let target = effect.target.as_str();
    let is_log = effect.tag("by") == Some("redirect") && [".err", ".log", ".out"].iter().any(|end| target.ends_with(end));
    let removes = |other: &Effect| {
        other.operation == "fs.delete"
            && other.command_id > effect.command_id
            && other.target == target
            && other.tag("where") == effect.tag("where")
    };
    effect.operation == "fs.write"
        && effect.tag("where") == Some("ssh")
        && ["archive", "directory", "tree"].iter().all(|tag| effect.tag(tag).is_none())
        && !is_log
        && !target.starts_with("/dev/")
        && !is_expendable(effect, view)
        && !view.analysis.effects.iter().any(removes)
}

/// Returns whether another machine runs a script from the network, which `pipe-to-shell` reports.
fn is_download(effect: &Effect, view: &CallView<'_>) -> bool {
    effect.operation == "server.change"
        && view.analysis.effects.iter().any(|other| other.operation == "execute.remote")
}

/// Returns whether the effect is visible beyond this machine.
fn is_shared(effect: &Effect) -> bool {
    match effect.operation.as_str() {
        // Applying a manifest or a chart is routine outside of production. Rollbacks and forced changes have their own
        // operations.
        "kubernetes.change" | "helm.change" => effect.tag("environment") == Some("production"),
        "package.publish" => false,
        "redis.config" | "redis.shutdown" | "database.migrate.deploy" | "database.change" | "http.change" => true,
        "network.upload" => effect.tag("file").is_some() && !is_own(&effect.target),
        operation => {
            let hosted = ["github.", "gitlab."].iter().any(|host| operation.starts_with(host));
            hosted || matches!(effect.kind.as_str(), "cloud" | "orchestration" | "package")
        }
    }
}
