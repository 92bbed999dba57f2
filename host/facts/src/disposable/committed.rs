//! Files that git is told to restore, and that are as the last commit has them: nothing is lost.

use guard_contract::Presence;
use guard_contract::call::CallContext;
use guard_contract::syntax::{Analysis, Command, Effect};

use super::tag;
use crate::sources::COMPARED_BYTES;
use crate::view::ask_git_about;
use crate::{Facts, GitQuestion, Resolver};

/// The effect that loses changes of files.
pub(super) const DISCARD: &str = "git.discard";

/// Tags of an effect on more than one file.
const MANY: [&str; 5] = ["force", "glob", "listed", "where", "whole-directory"];

/// Commands that change no file.
const QUIET: [&str; 7] = ["cat", "cd", "echo", "head", "ls", "pwd", "true"];

/// Verbs of git that change no file.
const QUIET_GIT: [&str; 6] = ["branch", "diff", "log", "rev-parse", "show", "status"];

/// The most effects of one call that are looked at: each reads a file, and asks git.
const EFFECTS: usize = 8;

/// Whether a `git.discard` loses nothing: its file is as the last commit and the index have it. `analysis` is that of the
/// call, with its paths.
pub(super) fn is_committed(
    effect: &Effect,
    analysis: &Analysis,
    (facts, resolver, at): (&dyn Facts, &Resolver, &CallContext),
) -> bool {
    let restored = restored(effect, analysis).unwrap_or(effect);
    let file = Some(&restored.path.canonical).filter(|_| is_one_file(restored));
    let Some(file) = file.filter(|_| is_first(effect, analysis)) else { return false };
    let Ok(text) = facts.read_source(file, COMPARED_BYTES) else { return false };
    // Bytes that are no text are equal to others in a text.
    if text.len() >= COMPARED_BYTES || text.contains(char::REPLACEMENT_CHARACTER) {
        return false;
    }
    let ask = |question| ask_git_about(file, question, (facts, resolver), (&at.cwd, &at.project_root));
    ask(GitQuestion::Head) == Some(text) && ask(GitQuestion::Staged).as_deref() == Some("no")
}

/// The effects that may be such.
pub(super) fn discards(analysis: &Analysis) -> Vec<usize> {
    let is_candidate =
        |effect: &Effect| effect.operation == DISCARD && MANY.iter().all(|name| tag(effect, name).is_none());
    let found = analysis.effects.iter().enumerate().filter(|(_, effect)| is_candidate(effect));
    found.map(|(index, _)| index).take(EFFECTS).collect()
}

/// Whether git takes the operand for a branch or a tag: one has that name, or no file has it.
pub(super) fn is_branch(effect: &Effect, facts: &dyn Facts) -> bool {
    let is_candidate = effect.operation == DISCARD && tag(effect, "unless-branch").is_some();
    is_candidate && (effect.path.exists == Presence::No || is_reference(effect, facts))
}

/// Whether a branch or a tag of the repository has the name.
fn is_reference(effect: &Effect, facts: &dyn Facts) -> bool {
    let (root, name) = (effect.path.git_root.trim_end_matches('/'), effect.target.as_str());
    if root.is_empty() || name.contains("..") || name.starts_with(['/', '-']) {
        return false;
    }
    let names = ["heads", "tags"].map(|kind| format!("refs/{kind}/{name}"));
    let is_loose = |name: &String| facts.read_source(&format!("{root}/.git/{name}"), COMPARED_BYTES).is_ok();
    let packed = || facts.read_source(&format!("{root}/.git/packed-refs"), COMPARED_BYTES).unwrap_or_default();
    let ends = |line: &str| line.split_once(' ').is_some_and(|(_, packed)| names.iter().any(|name| name == packed));
    names.iter().any(is_loose) || packed().lines().any(ends)
}

/// The write that goes with the loss, which has the path.
fn restored<'a>(effect: &Effect, analysis: &'a Analysis) -> Option<&'a Effect> {
    let is_it = |other: &&Effect| {
        other.kind == "write" && other.command_id == effect.command_id && other.target == effect.target
    };
    analysis.effects.iter().find(is_it)
}

fn is_one_file(write: &Effect) -> bool {
    write.path.kind == "file" && !write.path.canonical.is_empty() && !write.target.contains(['$', '`'])
}

/// Whether no command before it may change a file.
fn is_first(effect: &Effect, analysis: &Analysis) -> bool {
    let is_quiet = |command: &Command| {
        let word = |index: usize| command.argv.get(index).map_or("", |word| word.text.as_str());
        QUIET.contains(&word(0)) || word(0) == "git" && QUIET_GIT.contains(&word(1))
    };
    let earlier = || analysis.commands.iter().filter(|command| command.id < effect.command_id);
    let writes = |other: &Effect| other.command_id < effect.command_id && other.kind != "read";
    // `GIT_WORK_TREE=other git restore FILE` restores another file than the one that is compared.
    let is_here = |command: &Command| command.assignments.iter().all(|set| !set.name.starts_with("GIT_"));
    let runs_itself = |command: &Command| command.id == effect.command_id && command.certain && is_here(command);
    analysis.commands.iter().any(runs_itself) && earlier().all(is_quiet) && !analysis.effects.iter().any(writes)
}
