//! Marks paths that may go through links which an earlier command of the call copies or checks out.
//!
//! A link that is copied from an existing one leads to the same folder, so an effect on a path through the copy is
//! marked as one in another folder. git may check out any link, so an effect after it only gets the tag `links`.

use std::collections::BTreeSet;

use guard_contract::paths::{below, is_below};
use guard_contract::syntax::{Analysis, Command, Effect};

use crate::losses::{git_invocation, is_unordered};
use crate::{Entry, Facts, folders};

/// The tag of an effect whose path may go through a link that git checks out.
const TAG: &str = "links";

/// The maximum number of paths of one call that are compared. The others are marked.
const COMPARED: usize = 512;

/// git's verbs that write files of a commit, a stash or a patch to the work tree.
const CHECKS_OUT: [&str; 15] = [
    "am",
    "apply",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clone",
    "merge",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "stash",
    "switch",
];

/// Programs that copy links as links.
const COPIES: [&str; 5] = ["cp", "ditto", "gcp", "install", "rsync"];

/// Returns whether git may check out a link on the effect's path.
pub(crate) fn may_be_checked_out(effect: &Effect) -> bool {
    effect.tags.iter().any(|(name, _)| name == TAG)
}

/// Marks the effects.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts) {
    let call = Call { analysis, facts };
    let changes = |effect: &Effect| matches!(effect.kind.as_str(), "delete" | "write");
    let mut left = COMPARED;
    let (mut through, mut behind_git) = (Vec::new(), Vec::new());
    let (copies, checkouts) = (call.copies(), call.checkouts());
    if copies.is_empty() && checkouts.is_empty() {
        return;
    }
    for (at, effect) in analysis.effects.iter().enumerate().filter(|(_, effect)| changes(effect)) {
        let copied = copies.iter().filter(|copy| copy.at < at && copy.may_precede(effect));
        let mut copied = copied.filter(|copy| is_below(&effect.path.lexical, &copy.to));
        if copied.any(|copy| take(&mut left) || call.goes_through(effect, &copy.from, &copy.to, false)) {
            through.push(at);
        }
        let mut earlier = checkouts
            .iter()
            .filter(|git| git.id != effect.command_id && (git.id < effect.command_id || is_unordered(git)));
        if earlier.any(|git| take(&mut left) || call.goes_through(effect, &git.cwd, &git.cwd, true)) {
            behind_git.push(at);
        }
    }
    for (at, effect) in analysis.effects.iter_mut().enumerate() {
        if through.contains(&at) {
            folders::mark_unsure(effect);
        }
        if behind_git.contains(&at) {
            effect.tags.push((TAG.to_owned(), "unsure".to_owned()));
        }
    }
}

fn take(left: &mut usize) -> bool {
    let is_last = *left == 0;
    *left = left.saturating_sub(1);
    is_last
}

/// A file or folder that a command copies with its links.
struct LinkCopy {
    /// The index of the effect that writes the copy.
    at: usize,
    command_id: u32,
    is_script: bool,
    from: String,
    to: String,
}

impl LinkCopy {
    fn may_precede(&self, effect: &Effect) -> bool {
        self.is_script || effect.command_id != self.command_id
    }
}

struct Call<'a> {
    analysis: &'a Analysis,
    facts: &'a dyn Facts,
}

impl Call<'_> {
    fn copies(&self) -> Vec<LinkCopy> {
        let scripts: BTreeSet<u32> = self.analysis.scripts.iter().map(|script| script.command_id).collect();
        let copying = self.analysis.commands.iter().filter(|command| copies_links(command)).map(|command| command.id);
        let copying: BTreeSet<u32> = copying.chain(scripts.iter().copied()).collect();
        let effects = || self.analysis.effects.iter().enumerate();
        let of_kind = |kind: &'static str| {
            effects().filter(move |(_, effect)| effect.kind == kind && !effect.path.lexical.is_empty())
        };
        let writes = of_kind("write").filter(|(_, effect)| copying.contains(&effect.command_id)).take(COMPARED);
        let copies = writes.flat_map(|(at, write)| {
            let read = of_kind("read").filter(|(_, read)| read.command_id == write.command_id);
            read.map(move |(_, read)| (at, write, read))
        });
        let copy = |(at, write, read): (usize, &Effect, &Effect)| LinkCopy {
            at,
            command_id: write.command_id,
            is_script: scripts.contains(&write.command_id),
            from: read.path.lexical.clone(),
            to: write.path.lexical.clone(),
        };
        copies.map(copy).take(COMPARED).collect()
    }

    fn checkouts(&self) -> Vec<&Command> {
        let checks_out = |command: &&Command| {
            let verb = git_invocation(command).map(|(_, verb, _)| verb);
            command.argv.first().is_some_and(|word| word.text == "git" || word.text.ends_with("/git"))
                && command.cwd.starts_with('/')
                && verb.is_none_or(|verb| CHECKS_OUT.contains(&verb))
        };
        self.analysis.commands.iter().filter(checks_out).collect()
    }

    /// Returns whether a path below `to` would go through a link if `to` had the content of `from`. `is_replaced`:
    /// whether a folder that doesn't exist may become a link.
    fn goes_through(&self, effect: &Effect, from: &str, to: &str, is_replaced: bool) -> bool {
        let path = effect.path.lexical.as_str();
        let common = if is_replaced { common_folder(path, to) } else { to };
        let Some(rest) = below(path, common) else { return false };
        let start = if is_replaced { common } else { from };
        // A program writes to the target of a link.
        let with_last = effect.kind == "write" || effect.target.ends_with('/');
        let names: Vec<&str> = rest.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        let count = if with_last { names.len() } else { names.len().saturating_sub(1) };
        let is_link = |path: &str| matches!(self.facts.entry(path), Entry::Link(_));
        let has_rest = !names.is_empty() || with_last;
        if !is_replaced && has_rest && is_link(start) {
            return true;
        }
        let mut folder = start.trim_end_matches('/').to_owned();
        for (at, name) in names.iter().take(count).enumerate() {
            if name.contains(['*', '?', '[', '{', '$']) {
                return false;
            }
            folder = format!("{folder}/{name}");
            match self.facts.entry(&folder) {
                Entry::Link(_) => return true,
                Entry::Absent => return is_replaced && at + 1 < names.len(),
                _ => {}
            }
        }
        false
    }
}

/// Returns the folder that contains both paths.
fn common_folder<'a>(path: &'a str, folder: &str) -> &'a str {
    let mut end = 0;
    let mut names = folder.split('/').filter(|name| !name.is_empty());
    for (at, name) in path.match_indices('/').map(|(at, _)| (at, path.get(at + 1..).unwrap_or_default())) {
        let own = name.split('/').next().unwrap_or_default();
        if names.next() != Some(own) {
            break;
        }
        end = at + 1 + own.len();
    }
    path.get(..end).filter(|common| !common.is_empty()).unwrap_or("/")
}

/// Returns whether the command copies links as links, and doesn't follow those on its command line.
fn copies_links(command: &Command) -> bool {
    let Some((program, words)) = command.argv.split_first() else { return false };
    let program = program.text.rsplit('/').next().unwrap_or_default();
    let keeps = |word: &str| match word.strip_prefix("--") {
        Some(long) => {
            ["archive", "links", "no-dereference", "preserve", "recursive"].iter().any(|name| long.starts_with(name))
        }
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains(['P', 'R', 'a', 'd', 'l', 'r'])),
    };
    COPIES.contains(&program) && words.iter().any(|word| keeps(&word.text))
}

#[cfg(test)]
mod tests;
