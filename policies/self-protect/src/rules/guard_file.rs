//! `guard-file`: a change to guard-host's configuration, state, cache, audit log or program.
//! The configuration includes the user's files, the managed file, a project's `.guard/`, and the files that it uses.
//! A change far above these files, or of a whole cache folder, needs confirmation instead.
//!
//! - Reading a copy that `guard-host undo` restores is denied, because it can contain secrets.
//! - `git clean` and `git stash -u` need confirmation in a work tree that contains these files.
//! - A sparse checkout without `.guard` needs confirmation.
//!
//! ## Why
//! A guard that the agent can change protects nothing.
//!
//! ## Examples
//! - denied: `Write .guard/guard.toml`
//! - denied: `rm -rf ~/.config/guard-host`
//! - denied: `docker run -v ~/.config/guard-host:/c alpine rm /c/guard.toml`
//! - denied: `git rm --cached -r .guard`
//! - denied: `: > ~/.local/state/guard-host/audit.jsonl`
//! - denied: `git update-ref -d refs/guard-host/undo/1/0`
//! - denied: `find ~/.local -name undo -exec rm -rf {} +`
//! - denied: `cat ~/.local/state/guard-host/undo/*/0`
//! - asked: `rm -rf ~/.cache`
//! - passes: `cat ~/.config/guard-host/guard.toml .guard/guard.toml`
//! - passes: `mkdir -p ~/.config/nvim`
//!
//! ## Instead
//! Tell the user which change is needed and why, and let them make it.
//!
//! ## Settings
//! - `places`: the locations of guard-host's files. guard-host sets it.

use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, shorten};
use crate::guarded::GuardedKind;
use crate::pins;
use crate::stored_copies;
use crate::swept;
use crate::touch::{GuardedChange, Reach};

pub(crate) const RULE: Rule = Rule {
    id: "guard-file",
    summary: "a change to guard-host's own files",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    findings.extend(view.touches().iter().filter(|touch| touch.what.is_own()).map(finding));
    findings.extend(pins::changed_reference(view).map(|target| {
        let target = shorten(&target);
        let message = format!("changes `{target}`, a git reference that guard-host needs for undo");
        let remedy = "don't change `refs/guard-host`: the user can remove old copies with `guard-host undo prune`";
        Finding::new(&RULE, message).remedy(remedy).tag("path", target)
    }));
    findings.extend(stored_copies::read(view).map(|(effect, outcome)| {
        let target = shorten(&effect.target);
        let message = format!("`{target}` has copies that guard-host made for undo, which can contain secrets");
        let remedy = "let the user run `guard-host undo show`";
        Finding::new(&RULE, message).at(outcome).remedy(remedy).tag("path", target)
    }));
    findings.extend(swept::command(view).map(|command| {
        let message = format!("`{}` removes guard-host's own files from the work tree", shorten(&command.text()));
        Finding::new(&RULE, message).at(Outcome::Ask).remedy("name the files or folders to remove")
    }));
    findings.extend(swept::sparse_checkout(view).map(|command| {
        let message = format!("`{}` removes the project's `.guard` from the work tree", shorten(&command.text()));
        Finding::new(&RULE, message).at(Outcome::Ask).remedy("add `.guard` to the folders of the sparse checkout")
    }));
}

fn finding(touch: &GuardedChange<'_>) -> Finding {
    let path = shorten(&touch.effect.target);
    let outcome = match (touch.how, touch.what) {
        (Reach::Itself, _) => Outcome::Deny,
        // The cache can be rebuilt, and there are legitimate reasons to empty a whole cache folder.
        (Reach::LostWithFolder, GuardedKind::Cache) => Outcome::Ask,
        (Reach::LostWithFolder, _) => Outcome::Deny,
        (Reach::LostWithAll | Reach::Perhaps, _) => Outcome::Ask,
    };
    let message = match touch.how {
        Reach::Itself => format!("`{path}` is {} of guard-host, which an agent must not change", part(touch.what)),
        Reach::LostWithFolder | Reach::LostWithAll => {
            format!("this deletes `{path}` with {} of guard-host", part(touch.what))
        }
        Reach::Perhaps => format!("this may change {} of guard-host in `{path}`", part(touch.what)),
    };
    let remedy = match touch.how {
        Reach::Itself => "tell the user which change is needed and why, so that they can make it",
        _ => "name the files that you mean, not the whole folder",
    };
    touch.with_path(Finding::new(&RULE, message).at(outcome).remedy(remedy))
}

fn part(what: GuardedKind) -> &'static str {
    match what {
        GuardedKind::State => "the state or the audit log",
        GuardedKind::Cache => "the cache",
        GuardedKind::Program => "the program",
        _ => "the configuration",
    }
}
