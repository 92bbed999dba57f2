//! Subcommands that move, delete or rewrite references and history, and those that delete unreachable objects.

use guard_sdk::syntax::Severity;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

/// Adds the effect of moving a branch. Its previous commits may become unreachable.
pub(super) fn moved(run: &mut Run<'_>, branch: &Operand<'_>) {
    let name = branch.text.strip_prefix("refs/heads/").unwrap_or(&branch.text);
    run.emit(Draft::destructive("vcs", "git.branch.move").target(name).certain(!branch.dynamic));
}

pub(super) fn branch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let force = parsed.has("D", "") || parsed.has("f", "force");
    if parsed.has("dD", "delete") {
        for branch in &parsed.operands {
            let draft = Draft::notable("vcs", "git.branch.delete").severe(Severity::Destructive, force);
            run.emit(draft.target(&branch.text).certain(!branch.dynamic).flag("force", force));
        }
        return;
    }
    // With one name, the current branch is renamed, which is often the first step in a new repository.
    let overwrites = parsed.has("MC", "") || force && parsed.has("mc", "move");
    if overwrites {
        parsed.operands.get(1).into_iter().for_each(|branch| moved(run, branch));
    } else if force {
        parsed.operands.iter().take(1).for_each(|branch| moved(run, branch));
    }
}

pub(super) fn tag<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("F", "file").for_each(|file| run.read(&file));
    if parsed.has("d", "delete") {
        for tag in &parsed.operands {
            run.emit(Draft::destructive("vcs", "git.tag.delete").target(&tag.text).certain(!tag.dynamic));
        }
    } else if parsed.is("f", "force") {
        for tag in parsed.operands.iter().take(1) {
            run.emit(Draft::destructive("vcs", "git.tag.move").target(&tag.text).certain(!tag.dynamic));
        }
    }
}

pub(super) fn remote<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let verb = parsed.text(0);
    if matches!(verb, "add" | "remove" | "rm" | "set-url" | "rename" | "prune") {
        let removes = matches!(verb, "remove" | "rm");
        let draft = Draft::notable("vcs", "git.remote").severe(Severity::Destructive, removes);
        run.emit(draft.target(parsed.text(1)).tag("verb", verb));
    }
}

pub(super) fn update_ref<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("", "stdin") {
        return updates(run, parsed.is("z", ""));
    }
    if parsed.has("d", "delete") {
        run.emit(Draft::destructive("vcs", "git.ref.delete").target(parsed.text(0)));
    } else if parsed.operands.len() > 1 && (parsed.text(0).starts_with("refs/heads/") || parsed.text(0) == "HEAD") {
        parsed.operands.iter().take(1).for_each(|branch| moved(run, branch));
    }
}

/// Adds the changes of references that standard input lists, one on each line.
fn updates(run: &mut Run<'_>, with_nul: bool) {
    let Some(input) = run.input().filter(|input| input.certain) else {
        return run.emit(Draft::destructive("vcs", "git.ref.delete").certain(false));
    };
    for line in input.text.split(if with_nul { '\0' } else { '\n' }) {
        let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
        match (words.next(), words.next()) {
            (Some("delete" | "symref-delete"), Some(name)) => {
                run.emit(Draft::destructive("vcs", "git.ref.delete").target(name))
            }
            (Some("update" | "symref-update"), Some(name)) => {
                if let Some(name) = name.strip_prefix("refs/heads/") {
                    run.emit(Draft::destructive("vcs", "git.branch.move").target(name));
                }
            }
            _ => {}
        }
    }
}

pub(super) fn symbolic_ref<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("d", "delete") {
        run.emit(Draft::destructive("vcs", "git.ref.delete").target(parsed.text(0)));
    }
}

pub(super) fn replace<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.is("l", "list") && !parsed.operands.is_empty() {
        run.emit(Draft::destructive("vcs", "git.history.rewrite").target(parsed.text(0)));
    }
}

pub(super) fn notes<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("F", "file").for_each(|file| run.read(&file));
    if matches!(parsed.text(0), "remove" | "prune") && !parsed.on("n", "dry-run", false) {
        run.emit(Draft::destructive("vcs", "git.notes.remove").target(parsed.text(1)));
    }
}

/// Adds the effects of a fetch. A forced refspec can overwrite a branch of this repository.
pub(super) fn fetch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.on("", "dry-run", false) {
        return;
    }
    let force = parsed.is("f", "force");
    for refspec in parsed.from(1) {
        let (forced, text) = refspec.text.strip_prefix('+').map_or((force, &*refspec.text), |rest| (true, rest));
        let branch = text.split_once(':').map(|(_, branch)| branch);
        // References that only the remote writes: its branches, tags and pull requests.
        let theirs = ["refs/remotes/", "refs/tags/", "refs/pull/", "refs/merge-requests/", "refs/changes/"];
        let is_ours = |branch: &&str| !branch.is_empty() && !theirs.iter().any(|start| branch.starts_with(start));
        if let Some(branch) = branch.filter(|branch| forced && is_ours(branch)) {
            moved(run, &refspec.renamed(branch.to_owned()));
        }
    }
}

/// Adds the effect of `fast-import`. With `--force`, it moves branches even if they lose commits.
pub(super) fn fast_import<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("", "force") {
        run.emit(Draft::destructive("vcs", "git.branch.move").certain(false));
    }
}

pub(super) fn reflog<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let is_dry = || run.parse(run.arguments(), Options::new("", "expire expire-unreachable")).on("n", "dry-run", true);
    if matches!(parsed.text(0), "expire" | "delete" | "drop") && !is_dry() {
        run.emit(Draft::destructive("vcs", "git.reflog.expire"));
    }
}

/// Adds the effect of deleting unreachable objects: immediately with a shortened grace period, or by `prune`, which has
/// none.
pub(super) fn gc<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let prunes = run.arguments().iter().any(|word| word.text.eq_ignore_ascii_case("prune"));
    if prunes && parsed.on("n", "dry-run", false) {
        return;
    }
    let short = |word: &str| {
        let Some((name, when)) = word.strip_prefix("--").and_then(|option| option.split_once('=')) else {
            return false;
        };
        !name.is_empty() && ("prune".starts_with(name) || "expire".starts_with(name)) && when != "never"
    };
    let configured = |word: &str| {
        let (key, when) = word.split_once('=').unwrap_or_default();
        key.to_ascii_lowercase().ends_with("pruneexpire") && when != "never"
    };
    let words = run.arguments();
    if prunes || words.iter().any(|word| short(&word.text) || configured(&word.text)) {
        run.emit(Draft::destructive("vcs", "git.objects.prune"));
    }
}

pub(super) fn rewrite<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // After an option, such a word may be its value.
    let is_alone = run.arguments().len() == 1;
    let tells = is_alone && (parsed.is("h", "help") || parsed.is("", "version"));
    if !tells && !parsed.is("", "analyze") && !parsed.on("", "dry-run", false) {
        run.emit(Draft::destructive("vcs", "git.history.rewrite"));
    }
}
