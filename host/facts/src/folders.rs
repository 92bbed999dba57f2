//! Marks the effects of commands that may run in another folder than the text says, because `cd` fails there.
//!
//! A shell whose `cd` fails stays in its folder, and a relative path then names another file.

use guard_contract::Presence;
use guard_contract::paths::is_below;
use guard_contract::syntax::{Analysis, Command, Effect};
use guard_sdk::globs::Glob;

use crate::{Facts, Resolver};

/// The tag of an effect whose path may be in another folder.
const TAG: &str = "cwd";

/// The maximum number of folders of one call that are examined. The commands in others are marked.
const FOLDERS: usize = 64;

/// The maximum number of folders that the text creates inside each other.
const DEPTH: usize = 32;

/// Returns whether the effect's path may be in another folder.
pub(crate) fn is_unsure(effect: &Effect) -> bool {
    effect.tags.iter().any(|(name, _)| name == TAG)
}

/// Marks an effect as one whose path may be in another folder.
pub(crate) fn mark_unsure(effect: &mut Effect) {
    if !is_unsure(effect) {
        effect.tags.push((TAG.to_owned(), "unsure".to_owned()));
    }
}

/// Marks the effects. `cwd` is the folder in which the call runs.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts, resolver: &Resolver, cwd: &str) {
    let depends = |command: &Command| {
        let is_own = |effect: &Effect| effect.command_id == command.id && depends_on_folder(effect);
        command.cwd.starts_with('/') && command.cwd != cwd && analysis.effects.iter().any(is_own)
    };
    let mut known: Vec<(&str, u32, bool)> = Vec::new();
    let mut unsure: Vec<u32> = Vec::new();
    let text = Text { analysis, facts, resolver };
    for command in analysis.commands.iter().filter(|command| depends(command)) {
        // The folder of the command before is still there, unless a command in between deletes it.
        let deletes = |from: u32| text.deletions(&command.cwd).any(|id| id >= from && id < command.id);
        let before = known.iter().rev().find(|(folder, id, _)| *folder == command.cwd && !deletes(*id));
        let is_there = match before {
            Some((.., is_there)) => *is_there,
            None => {
                known.len() < FOLDERS
                    && (text.has_folder(&command.cwd, command, DEPTH) || text.is_reached(command, cwd, DEPTH))
            }
        };
        known.push((&command.cwd, command.id, is_there));
        if !is_there {
            unsure.push(command.id);
        }
    }
    for effect in analysis.effects.iter_mut().filter(|effect| depends_on_folder(effect)) {
        if unsure.contains(&effect.command_id) {
            mark_unsure(effect);
        }
    }
}

/// Returns whether the effect changes something at a relative path, or in the folder's repository.
fn depends_on_folder(effect: &Effect) -> bool {
    let changes = matches!(effect.kind.as_str(), "delete" | "write" | "vcs" | "database" | "metadata");
    changes && !effect.target.starts_with(['/', '~'])
}

struct Text<'a> {
    analysis: &'a Analysis,
    facts: &'a dyn Facts,
    resolver: &'a Resolver,
}

impl Text<'_> {
    /// Returns the commands that delete or move a folder, or one above it.
    fn deletions<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = u32> + 'a {
        let takes = move |effect: &&Effect| {
            let path = &effect.path;
            effect.kind == "delete"
                && [&path.lexical, &path.canonical].into_iter().any(|path| may_take(effect, path, folder))
        };
        self.analysis.effects.iter().filter(takes).map(|effect| effect.command_id)
    }

    /// Returns whether the folder exists when this command runs.
    fn has_folder(&self, folder: &str, at: &Command, depth: usize) -> bool {
        let last_deletion = self.deletions(folder).filter(|id| *id < at.id).max().unwrap_or_default();
        let on_disk = || self.resolver.has_room().then(|| self.resolver.resolve(self.facts, folder));
        let is_on_disk = || on_disk().is_some_and(|path| path.exists == Presence::Yes && path.kind == "dir");
        if folder == "/" || last_deletion == 0 && is_on_disk() {
            return true;
        }
        let (Some(left), Some((above, _))) = (depth.checked_sub(1), folder.rsplit_once('/')) else { return false };
        let creates = |effect: &Effect| {
            let is_made = effect.kind == "write" && effect.certain && has(effect, &["directory", "tree"]);
            let is_open = effect.path.exists == Presence::No || last_deletion > 0;
            let Some(command) = self.command(effect).filter(|command| command.id < at.id) else { return false };
            let with_parents = || takes_parents(command) && is_below(&effect.path.lexical, folder);
            let is_meant = || effect.path.lexical == folder || with_parents();
            let has_parent = || takes_parents(command) || above.is_empty() || self.has_folder(above, command, left);
            // Only its output contains the name, so it was there.
            let is_temporary = || is_by(effect, &["gmktemp", "mktemp"]) && effect.path.lexical == folder;
            is_made
                && is_open
                && command.id > last_deletion
                && (is_temporary() || self.runs_first(command, at) && is_meant() && has_parent())
        };
        self.analysis.effects.iter().any(creates)
    }

    /// Returns whether the command only runs after a `cd` that succeeded: `cd x && make && rm -rf out`.
    fn is_reached(&self, at: &Command, start: &str, depth: usize) -> bool {
        let is_change = |command: &&Command| {
            let program = command.argv.first().map(|word| word.text.as_str());
            command.id < at.id && matches!(program, Some("cd" | "pushd"))
        };
        let Some(change) = self.analysis.commands.iter().rfind(is_change) else { return false };
        let after = || self.analysis.commands.iter().filter(|it| it.id > change.id && it.id <= at.id);
        let is_start = || change.cwd == start || self.has_folder(&change.cwd, change, depth);
        let is_before = || depth.checked_sub(1).is_some_and(|left| self.is_reached(change, start, left));
        change.position.within == at.position.within
            && (after().all(|it| it.position.operator == "&&" || it.position.index > 0) || self.ends_at_failure(change))
            && (is_start() || is_before())
    }

    /// Returns whether the shell ends if this command fails, because of `set -e`. The setting has no effect in a
    /// condition, nor before `&&` and `||`.
    fn ends_at_failure(&self, command: &Command) -> bool {
        let is_plain = |within: &[String]| within.iter().all(|kind| kind == "subshell");
        let (before, after): (Vec<&Command>, Vec<&Command>) =
            self.analysis.commands.iter().partition(|it| it.id < command.id);
        let sets = |it: &&&Command| it.argv.first().is_some_and(|word| word.text == "set");
        let Some(set) = before.iter().rfind(sets) else { return false };
        is_exit_set(set)
            && command.position.within.starts_with(&set.position.within)
            && is_plain(&command.position.within)
            && command.position.length == 1
            && before.iter().chain(&after).all(|it| it.position.operator != "||")
            && after.get(1).is_none_or(|next| next.position.operator != "&&")
    }

    /// Returns whether a command runs before another one whenever the latter runs.
    fn runs_first(&self, command: &Command, later: &Command) -> bool {
        let (one, other) = (&command.position, &later.position);
        let between = || self.analysis.commands.iter().filter(|it| it.id > command.id && it.id <= later.id);
        let is_chain = || between().all(|it| it.position.operator == "&&" || it.position.index > 0);
        let is_always = matches!(one.operator.as_str(), "" | ";");
        !one.background && other.within.starts_with(&one.within) && (is_always || is_chain())
    }

    fn command(&self, effect: &Effect) -> Option<&Command> {
        self.analysis.commands.iter().find(|command| command.id == effect.command_id)
    }
}

fn has(effect: &Effect, names: &[&str]) -> bool {
    !is_unsure(effect) && effect.tags.iter().any(|(name, _)| names.contains(&name.as_str()))
}

fn is_by(effect: &Effect, programs: &[&str]) -> bool {
    effect.tags.iter().any(|(name, value)| name == "by" && programs.contains(&value.as_str()))
}

/// Returns whether a `set` command makes the shell end when a command fails: `set -e`, `set -euo pipefail`.
fn is_exit_set(set: &Command) -> bool {
    let words = || set.argv.iter().skip(1).map(|word| word.text.as_str());
    let is_cluster = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('e');
    let is_off = |word: &str| word.starts_with('+');
    !words().any(is_off) && (words().any(is_cluster) || words().any(|word| word == "errexit"))
}

/// Returns whether the command creates the folders above its target.
fn takes_parents(command: &Command) -> bool {
    let creates =
        |word: &str| word == "--parents" || word.starts_with('-') && !word.starts_with("--") && word.contains('p');
    let program = command.argv.first().map(|word| word.text.as_str()).unwrap_or_default();
    program.ends_with("git") || command.argv.iter().skip(1).any(|word| creates(&word.text))
}

/// Returns whether a deletion of this path, pattern or search takes the folder.
fn may_take(effect: &Effect, path: &str, folder: &str) -> bool {
    let tag = |name: &str| effect.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let fits = |pattern: &str, name: &str| pattern == name || Glob::new(pattern).is_ok_and(|glob| glob.matches(name));
    let mut names = folder.split('/').filter(|name| !name.is_empty());
    let is_above =
        path.split('/').filter(|name| !name.is_empty()).all(|part| names.next().is_some_and(|name| fits(part, name)));
    let is_found = || tag("every").is_none_or(|every| names.clone().any(|name| fits(every, name)));
    path.len() > 1 && is_above && is_found()
}

#[cfg(test)]
mod tests;
