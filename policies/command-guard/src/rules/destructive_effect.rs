//! `destructive-effect`: a destructive effect that no other rule covers.
//! These pass because they lose nothing:
//!
//! - `git checkout -- FILE`, if the file is the same as in the last commit
//! - `git checkout NAME`, if there is no file with that name
//! - `git checkout --ours FILE` during a merge, or after a command that may start one
//! - a file on another machine or in a container whose name says that it is temporary or a product of a build, or that
//!   the same call wrote
//! - a dry run, except of `ufw reset`, which moves the rules away even then
//!
//! ## Why
//! Work or data is lost and takes effort to restore.
//!
//! ## Examples
//! - asked: `git checkout -- src`
//! - asked: `git branch -D topic`
//! - asked: `aws ec2 terminate-instances --instance-ids i-1`
//! - asked: `yes | git checkout -p`
//! - asked: `ssh web1 rm /srv/app.db`
//! - passes: `ssh web1 rm /tmp/app.tgz`
//! - passes: `git checkout topic`
//! - passes: `git rebase --abort`
//!
//! ## Instead
//! Preview the loss first. For many programs, the message says how.

use guard_sdk::Presence;
use guard_sdk::git::UNDER_WAY;
use guard_sdk::syntax::{Command, Effect, Severity};
use guard_sdk::{Outcome, Rule};

use super::Check;
use super::catastrophic_effect::{is_named, loss};
use crate::blast_radius::is_disposable;
use crate::call_view::{CallView, Hit, alternative};
use crate::elsewhere::is_expendable;

pub(crate) const RULE: Rule = Rule {
    id: "destructive-effect",
    summary: "a loss of work or data that is hard to restore",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let passes = || {
        is_disposable(effect)
            || is_named(effect)
            || is_own_worktree(effect, view)
            || is_many_to_one(effect)
            || is_branch(effect)
            || is_file(effect) && is_expendable(effect, view)
            || is_side_of_merge(effect, view)
    };
    if effect.severity != Severity::Destructive || passes() {
        return None;
    }
    let remedy = alternative(effect, "check first what would be lost, and say why it can go");
    Some(loss(RULE.default, effect, ", which is hard to recover", remedy))
}

/// Returns whether the same text adds the worktree at a new path, so that it contains no earlier work.
fn is_own_worktree(effect: &Effect, view: &CallView<'_>) -> bool {
    let adds = |other: &Effect| {
        other.kind == "write"
            && other.certain
            && other.tag("by") == Some("git")
            && other.target == effect.target
            && other.command_id < effect.command_id
            && other.path.exists == Presence::No
    };
    let fills = |other: &Effect| {
        other.kind == "write" && other.tag("by") != Some("git") && other.target.starts_with(&effect.target)
    };
    let effects = || view.analysis.effects.iter();
    effect.operation == "git.worktree.remove"
        && !effect.target.contains(['$', '`'])
        && effects().any(adds)
        && !effects().any(fills)
}

/// Returns whether there is no file with this name, so that git takes the operand for a branch.
fn is_branch(effect: &Effect) -> bool {
    effect.tag("unless-branch").is_some() && effect.path.exists != Presence::Yes
}

/// Subcommands that may leave conflicts.
const JOINS: [&str; 6] = ["am", "cherry-pick", "merge", "pull", "rebase", "revert"];

/// Returns whether one side of a conflict is chosen: a merge is in progress, or an earlier command may end in one.
fn is_side_of_merge(effect: &Effect, view: &CallView<'_>) -> bool {
    let root = effect.path.git_root.trim_end_matches('/');
    let is_there = |name: &&str| view.resolve(&format!("{root}/.git/{name}")).exists == Presence::Yes;
    let joins = |command: &Command| {
        let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
        let pops = words().any(|word| word == "stash") && words().any(|word| matches!(word, "pop" | "apply"));
        command.program() == "git" && (pops || words().any(|word| JOINS.contains(&word)))
    };
    let mut before = view.analysis.commands.iter().take_while(|command| command.id < effect.command_id);
    effect.tag("side").is_some()
        && (before.any(joins) || !root.is_empty() && UNDER_WAY.iter().any(is_there))
}

/// Returns whether the effect loses the content of a single file.
fn is_file(effect: &Effect) -> bool {
    matches!(effect.operation.as_str(), "fs.delete" | "fs.write")
}

/// Returns whether many files get one name, which has its own rule.
fn is_many_to_one(effect: &Effect) -> bool {
    effect.operation == "files.many-to-one"
}
