//! [`losses`]: what a call destroys, derived from its effects, and the tag `recovery` of each effect.
//!
//! Opens no files, because this runs for every call.

mod database;
mod of_git;
mod order;
mod references;
#[cfg(test)]
mod tests;
mod unseen;
mod wrappers;

use std::collections::{BTreeMap, BTreeSet};

use guard_contract::Presence;
use guard_contract::paths::lexical;
use guard_contract::syntax::{Analysis, Command, Coverage, Effect, Severity};
use serde::{Deserialize, Serialize};

use crate::folders;
pub(crate) use of_git::git_invocation;
pub(crate) use order::{MoveCommands, has_parent_step, is_unordered};
use order::{PrecedingChanges, moves_astray, reads_old_content};
use unseen::may_lose_unseen;
use wrappers::HERE;

/// The maximum number of losses of one call. Further ones aren't kept.
const LOSSES: usize = 256;

/// Kinds of effects for which [`losses`] lists everything that can be lost. Changed modes or owners lose nothing.
const LISTED: [&str; 7] = ["delete", "execute", "metadata", "network", "privilege", "read", "write"];

/// The operation that gives all files of a command one name, so that only the last one remains.
const MANY_TO_ONE: &str = "files.many-to-one";

/// How a path is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// The path is deleted, with everything in it.
    Delete,
    /// Deleted by a program that splits paths at blanks, so that other files may be lost.
    DeleteWords,
    /// The content is replaced.
    Overwrite,
    /// Files in the folder are replaced: an archive is unpacked there, or a tree is copied.
    Merge,
    /// Another file gets the path. Other names of the file keep its content, and a link itself is lost.
    Replace,
}

impl How {
    /// Returns whether the path is gone afterwards. For a link, that is the link itself.
    #[must_use]
    pub fn deletes(self) -> bool {
        matches!(self, How::Delete | How::DeleteWords)
    }
}

/// A path whose content is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathLoss {
    /// The absolute path, with its last component unresolved. With a trailing slash, a link's target is lost, too.
    pub path: String,
    /// How the path is lost.
    pub how: How,
    /// Whether the path is a shell pattern.
    pub is_pattern: bool,
    /// If not empty, only files of this name are lost, at any depth below the path.
    pub name: String,
}

/// What a git command destroys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitLoss {
    /// The folder in which git runs.
    pub folder: String,
    /// The operation, such as `git.reset.hard`.
    pub operation: String,
    /// A path, a branch, a commit, or a stash. Empty for all.
    pub target: String,
    /// Whether changes in the whole work tree are lost. For `git clean`: whether nested repositories are lost as well.
    pub is_forced: bool,
    /// Whether ignored files are lost as well.
    pub with_ignored: bool,
    /// The operands after the verb and the values of options: paths, branches, commits.
    pub words: Vec<String>,
    /// The references that are moved or deleted: names, and prefixes that end with a slash.
    pub refs: Vec<String>,
    /// Whether branches are fetched, so that the repository's settings may make git prune others.
    pub fetches: bool,
}

/// Something that a call destroys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// Files.
    Path(PathLoss),
    /// The contents of a repository.
    Git(GitLoss),
    /// Something that a copy can't restore, or that isn't known.
    Unkept(String),
}

/// The losses that a call causes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// Each loss, in the order of the effects.
    pub list: Vec<Loss>,
    /// Whether there may be losses that aren't in the list.
    pub may_be_more: bool,
}

impl Losses {
    /// Returns whether something is lost that a copy can restore.
    #[must_use]
    pub fn is_worth_a_copy(&self) -> bool {
        self.list.iter().any(|loss| !matches!(loss, Loss::Unkept(_)))
    }

    /// Adds the losses of another call in the same event.
    pub fn extend(&mut self, other: Losses) {
        self.list.extend(other.list);
        self.may_be_more |= other.may_be_more;
    }
}

impl Loss {
    /// Returns whether this effect loses nothing else. The files of a name are only known at run time, but no others
    /// are lost.
    fn is_sure(&self, effect: &Effect, command: Option<&Command>) -> bool {
        // A task that may be another one also has other names.
        let is_doubtful = |command: &Command| !command.certain && command.via.iter().any(|via| via.kind == "script");
        effect.certain || matches!(self, Loss::Path(path) if !path.name.is_empty()) && !command.is_some_and(is_doubtful)
    }
}

/// Returns the losses that a call with this analysis causes.
#[must_use]
pub fn losses(analysis: &Analysis) -> Losses {
    let mut found = Losses { list: Vec::new(), may_be_more: analysis.coverage != Coverage::Complete };
    found.may_be_more |= reads_old_content(&analysis.effects) && analysis.effects.iter().any(is_file_loss);
    let call = LossView::new(analysis);
    let mut takes_sources = false;
    // The git commands whose effects cover all their losses.
    let mut reported = BTreeSet::new();
    for (at, effect) in analysis.effects.iter().enumerate() {
        let (fate, may_change_first) = ordered_fate(at, effect, &call);
        found.may_be_more |= may_change_first;
        takes_sources |= may_change_first;
        if let Fate::Lost(Loss::Git(_)) = fate {
            reported.insert(effect.command_id);
        }
        match fate {
            Fate::Safe => found.may_be_more |= may_lose(effect),
            Fate::Lost(loss) if found.list.contains(&loss) => {}
            Fate::Lost(loss) => {
                found.may_be_more |= !loss.is_sure(effect, call.command(effect));
                found.list.push(loss);
            }
        }
    }
    if takes_sources {
        let moved = analysis.effects.iter().filter(|effect| is_moved(effect));
        let lost =
            moved.map(|effect| named_files_fate(effect, &call).unwrap_or_else(|| path(effect, How::Delete, &call)));
        let lost: Vec<Loss> =
            lost.filter_map(|fate| if let Fate::Lost(loss) = fate { Some(loss) } else { None }).collect();
        for loss in lost {
            if !found.list.contains(&loss) {
                found.list.push(loss);
            }
        }
    }
    for command in &analysis.commands {
        let silent = if reported.contains(&command.id) { None } else { of_git::silent_loss(command).map(Loss::Git) };
        if let Some(silent) = silent.filter(|loss| !found.list.contains(loss)) {
            found.list.push(silent);
        }
        found.may_be_more |= command.via.iter().any(|via| !HERE.contains(&via.kind.as_str()));
        found.may_be_more |= may_lose_unseen(command);
    }
    if found.list.len() > LOSSES {
        found.list.truncate(LOSSES);
        found.may_be_more = true;
    }
    found
}

/// The parts of an analysis that are needed for each effect.
struct LossView<'a> {
    analysis: &'a Analysis,
    /// The commands that overwrite a file.
    replacing: BTreeSet<u32>,
    /// For each command that gives many files one name, the first of the effects that identify these files.
    joined: BTreeMap<u32, Option<usize>>,
    /// The moves whose new path isn't known or is temporary, by command and old path.
    astray: BTreeSet<(u32, &'a str)>,
    order: PrecedingChanges<'a>,
}

impl<'a> LossView<'a> {
    fn new(analysis: &'a Analysis) -> Self {
        LossView {
            analysis,
            replacing: replacing(analysis),
            joined: first_moves(analysis),
            astray: moves_astray(analysis),
            order: PrecedingChanges::new(analysis),
        }
    }

    /// Returns the command of an effect. Commands are sorted by id.
    fn command(&self, effect: &Effect) -> Option<&Command> {
        let commands = &self.analysis.commands;
        let place = commands.binary_search_by_key(&effect.command_id, |command| command.id).ok()?;
        commands.get(place)
    }

    /// Returns an effect's target as written, relative to its command's folder. `None` if that isn't known.
    fn written_target(&self, effect: &Effect) -> Option<String> {
        let target = effect.target.as_str();
        if target.starts_with('/') {
            return Some(target.to_owned());
        }
        let cwd = &self.command(effect)?.cwd;
        (cwd.starts_with('/') && !target.starts_with(['~', '$']))
            .then(|| format!("{}/{target}", cwd.trim_end_matches('/')))
    }
}

fn replacing(analysis: &Analysis) -> BTreeSet<u32> {
    let replaces = |effect: &&Effect| effect.kind == "write" && is_file(effect);
    analysis.effects.iter().filter(replaces).map(|effect| effect.command_id).collect()
}

fn first_moves(analysis: &Analysis) -> BTreeMap<u32, Option<usize>> {
    let ends = analysis.effects.iter().filter(|effect| effect.operation == MANY_TO_ONE);
    let mut found: BTreeMap<u32, Option<usize>> = ends.map(|effect| (effect.command_id, None)).collect();
    if !found.is_empty() {
        for (at, effect) in analysis.effects.iter().enumerate().filter(|(_, effect)| is_moved(effect)) {
            found.entry(effect.command_id).and_modify(|first| *first = first.or(Some(at)));
        }
    }
    found
}

/// The tag that says whether a copy restores what an effect loses.
const RECOVERY: &str = "recovery";

/// Gives each effect that loses something the tag `recovery`: `recoverable`, `partly` or `not`.
pub(crate) fn mark(analysis: &mut Analysis) {
    let call = LossView::new(analysis);
    let effects = analysis.effects.iter().enumerate();
    let mut found: Vec<Option<&str>> = effects.map(|(at, effect)| recovery(at, effect, &call)).collect();
    if reads_old_content(&analysis.effects) {
        let complete = found.iter_mut().flatten().filter(|recovery| **recovery == "recoverable");
        complete.for_each(|recovery| *recovery = "partly");
    }
    for (effect, recovery) in analysis.effects.iter_mut().zip(found) {
        effect.tags.extend(recovery.map(|recovery| (RECOVERY.to_owned(), recovery.to_owned())));
    }
}

/// Returns the tag's value, or `None` if the effect loses nothing.
fn recovery(at: usize, effect: &Effect, call: &LossView<'_>) -> Option<&'static str> {
    let (fate, may_change_first) = ordered_fate(at, effect, call);
    match fate {
        Fate::Safe => may_lose(effect).then_some("not"),
        Fate::Lost(Loss::Unkept(_)) => Some("not"),
        Fate::Lost(_) if tag(effect, crate::disposable::unkept::UNKEPT).is_some() => Some("not"),
        Fate::Lost(loss) => {
            let is_here = |command: &Command| command.via.iter().all(|via| HERE.contains(&via.kind.as_str()));
            let command = call.command(effect);
            let is_certain = !may_change_first && loss.is_sure(effect, command) && command.is_none_or(is_here);
            Some(if is_certain { "recoverable" } else { "partly" })
        }
    }
}

/// Returns whether an effect without a known loss may have one nevertheless.
fn may_lose(effect: &Effect) -> bool {
    let changes = effect.severity != Severity::Routine && tag(effect, "dry-run").is_none();
    let is_guess =
        !effect.certain && matches!(effect.kind.as_str(), "delete" | "write") && tag(effect, "append").is_none();
    changes && (is_guess || !LISTED.contains(&effect.kind.as_str()))
}

/// Returns whether an effect on an unknown file may destroy something.
fn may_destroy(effect: &Effect) -> bool {
    effect.severity != Severity::Routine && ["append", "directory"].iter().all(|name| tag(effect, name).is_none())
}

enum Fate {
    Safe,
    Lost(Loss),
}

fn tag<'a>(effect: &'a Effect, name: &str) -> Option<&'a str> {
    effect.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Returns an effect's fate, and whether the call may change its target before, so that a copy is incomplete.
fn ordered_fate(at: usize, effect: &Effect, call: &LossView<'_>) -> (Fate, bool) {
    let may_change_first = call.order.may_change_first(at, effect, call.command(effect));
    match effect_fate(effect, call) {
        Fate::Safe if may_change_first && is_file_loss(effect) => (path(effect, How::Delete, call), true),
        Fate::Safe => (Fate::Safe, false),
        lost => (lost, may_change_first),
    }
}

/// Returns whether the effect destroys a file's whole content.
fn is_file_loss(effect: &Effect) -> bool {
    let is_kept = ["append", "directory", "dry-run", "where"].iter().any(|name| tag(effect, name).is_some());
    match effect.kind.as_str() {
        "delete" => effect.operation.starts_with("fs.") && !is_moved(effect) && !is_kept,
        "write" => effect.path.kind != "dir" && !is_kept,
        _ => false,
    }
}

fn effect_fate(effect: &Effect, call: &LossView<'_>) -> Fate {
    let unkept = || match effect.severity {
        Severity::Destructive | Severity::Catastrophic => {
            Fate::Lost(Loss::Unkept(format!("{} {}", effect.operation, effect.target).trim().to_owned()))
        }
        Severity::Routine | Severity::Notable => Fate::Safe,
    };
    if tag(effect, "dry-run").is_some() {
        return Fate::Safe;
    }
    if folders::is_unsure(effect) {
        return if may_destroy(effect) { Fate::Lost(Loss::Unkept(effect.target.clone())) } else { Fate::Safe };
    }
    if tag(effect, "where").is_some() {
        return unkept();
    }
    match effect.kind.as_str() {
        "delete" if effect.operation == MANY_TO_ONE => same_name_fate(effect, call).unwrap_or_else(unkept),
        "delete" if effect.operation.starts_with("fs.") => deletion_fate(effect, call),
        "write" => write_fate(effect, call),
        "vcs" => of_git::git_fate(effect, call).unwrap_or_else(unkept),
        "database" => database::database_fate(effect, call).unwrap_or_else(unkept),
        _ => unkept(),
    }
}

fn path(effect: &Effect, how: How, call: &LossView<'_>) -> Fate {
    // The system resolves `..` after a link from the link's target.
    let is_stepped = has_parent_step(&effect.target) && effect.path.lexical != effect.path.canonical;
    let stepped = is_stepped.then(|| call.written_target(effect));
    let Some(written) = stepped.unwrap_or_else(|| Some(effect.path.lexical.clone())) else {
        return Fate::Lost(Loss::Unkept(effect.target.clone()));
    };
    let mut path = written.trim_end_matches('/').to_owned();
    let is_pattern = tag(effect, "glob").is_some() || is_absent_pattern(effect);
    // The link's target may be lost, not the link.
    let is_behind = if is_pattern { effect.target.ends_with('/') } else { !loses_only_link(effect) };
    if how.deletes() && !path.is_empty() && is_behind {
        path.push('/');
    }
    // Extended patterns aren't supported.
    let is_other = is_pattern && path.contains(['(', ')', '|', '^', '#']);
    if path.is_empty() || path.contains(['$', '`']) && !effect.certain || is_other {
        let shown = if effect.target.is_empty() { "a path that is not known" } else { &effect.target };
        return Fate::Lost(Loss::Unkept(shown.to_owned()));
    }
    Fate::Lost(Loss::Path(PathLoss { path, how, is_pattern, name: String::new() }))
}

/// Returns whether only a link itself is lost, as with `rm`.
fn loses_only_link(effect: &Effect) -> bool {
    let is_plain = matches!(tag(effect, "by"), None | Some("rm" | "grm" | "unlink" | "mv" | "gmv" | "trash"));
    is_plain && !effect.target.ends_with('/') && tag(effect, "filtered").is_none()
}

/// Returns whether the program gives the path to another file, and doesn't write to the file that has it.
fn replaces_name(effect: &Effect) -> bool {
    matches!(tag(effect, "by"), Some("gln" | "gmv" | "ln" | "mv"))
}

/// Returns whether there is no file of this name, so that a program may take it for a pattern.
fn is_absent_pattern(effect: &Effect) -> bool {
    effect.path.exists == Presence::No && effect.path.lexical.contains(['*', '?', '['])
}

fn deletion_fate(effect: &Effect, call: &LossView<'_>) -> Fate {
    if let Some("made-here" | "scratch") = tag(effect, "disposable") {
        return Fate::Safe;
    }
    if is_moved(effect) || tag(effect, "tracked").is_some() {
        // A moved file isn't lost. Its old path is only worth a copy if it replaces another file.
        let is_lost = call.replacing.contains(&effect.command_id)
            || call.joined.contains_key(&effect.command_id)
            || call.astray.contains(&(effect.command_id, effect.target.as_str()));
        return if is_lost {
            named_files_fate(effect, call).unwrap_or_else(|| path(effect, How::Delete, call))
        } else {
            Fate::Safe
        };
    }
    if let Some(loss) = named_files_fate(effect, call) {
        return loss;
    }
    let is_search = tag(effect, "filtered").is_some();
    if effect.target == "{}" {
        return Fate::Lost(Loss::Unkept("files whose names another program writes".to_owned()));
    }
    if is_search && !effect.path.lexical.is_empty() {
        // Everything below the start of the search, which deletes a part of it.
        let path = format!("{}/", effect.path.lexical.trim_end_matches('/'));
        return Fate::Lost(Loss::Path(PathLoss { path, how: How::Delete, is_pattern: false, name: String::new() }));
    }
    // A non-ASCII name may be encoded differently on disk, so the file may exist.
    let is_plain = effect.target.is_ascii() && !has_parent_step(&effect.target) && !is_absent_pattern(effect);
    if is_plain && effect.path.exists == Presence::No && effect.path.kind != "link" && tag(effect, "glob").is_none() {
        return Fate::Safe;
    }
    path(effect, How::Delete, call)
}

/// Returns the fate of a folder's files that match a pattern.
fn into_folder(effect: &Effect) -> Option<Fate> {
    let (folder, name) = effect.path.lexical.rsplit_once('/')?;
    let is_known = !folder.is_empty() && !folder.contains(['$', '`', '*', '?', '[', '{']) && !name.contains(['$', '`']);
    let (path, name) = (folder.to_owned(), name.to_owned());
    let is_pattern = is_known && name.contains('*');
    is_pattern.then_some(Fate::Lost(Loss::Path(PathLoss { path, how: How::Overwrite, is_pattern: false, name })))
}

/// Returns the fate of the files of one name anywhere below a folder.
fn named_files_fate(effect: &Effect, call: &LossView<'_>) -> Option<Fate> {
    let (start, name) = (tag(effect, "below").unwrap_or(&effect.path.lexical), tag(effect, "every")?);
    let start = lexical(start, "/", "");
    let is_known = start.len() > 1 && !start.contains(['$', '`', '*', '{']) && !name.contains(['$', '`']);
    let is_by_words = |command: &Command| command.via.iter().any(|via| via.kind == "xargs");
    let how = if call.command(effect).is_some_and(is_by_words) { How::DeleteWords } else { How::Delete };
    let loss = PathLoss { path: start, how, is_pattern: false, name: name.to_owned() };
    is_known.then_some(Fate::Lost(Loss::Path(loss)))
}

fn is_moved(effect: &Effect) -> bool {
    effect.kind == "delete" && tag(effect, "by") == Some("mv")
}

/// Returns the fate of files that get one name: all but the last are lost, and a copy must contain them at their old
/// paths.
fn same_name_fate(effect: &Effect, call: &LossView<'_>) -> Option<Fate> {
    let first = call.joined.get(&effect.command_id).copied()??;
    call.analysis.effects.get(first).map(|moved| deletion_fate(moved, call))
}

fn is_file(effect: &Effect) -> bool {
    effect.path.exists == Presence::Yes && effect.path.kind == "file"
}

fn write_fate(effect: &Effect, call: &LossView<'_>) -> Fate {
    if let Some(files) = tag(effect, "each").filter(|_| effect.path.kind != "dir") {
        // Each file but the last is replaced by the next one, before a copy of it could be made.
        return Fate::Lost(Loss::Unkept(files.to_owned()));
    }
    let adds = tag(effect, "append").is_some() || tag(effect, "directory").is_some();
    if tag(effect, "empties").is_some() && tag(effect, "glob").is_some() {
        // For a folder that a search traverses, everything.
        return path(effect, if effect.path.kind == "dir" { How::Merge } else { How::Overwrite }, call);
    }
    if tag(effect, "tree").is_some() && !effect.certain {
        // The names of the files in the folder are only known at run time.
        return into_folder(effect).unwrap_or(Fate::Safe);
    }
    if !adds && is_absent_pattern(effect) && effect.severity != Severity::Routine {
        return path(effect, How::Overwrite, call);
    }
    let is_other_name = !effect.target.is_ascii() || has_parent_step(&effect.target);
    if adds || effect.path.exists != Presence::Yes && !is_other_name {
        return Fate::Safe;
    }
    // The git effect of the same command has the loss.
    let is_own = ["output", "patch", "tracked"].iter().any(|name| tag(effect, name).is_some());
    if tag(effect, "by") == Some("git") && !is_own {
        return Fate::Safe;
    }
    let is_merged = ["tree", "archive", "patch"].iter().any(|name| tag(effect, name).is_some());
    match effect.path.kind.as_str() {
        "file" if replaces_name(effect) => path(effect, How::Replace, call),
        "file" => path(effect, How::Overwrite, call),
        // `ln -sfn` replaces a link to a folder.
        "dir" if tag(effect, "link-to").is_some() => path(effect, How::Replace, call),
        "dir" if is_merged => path(effect, How::Merge, call),
        "dir" => Fate::Safe,
        _ if is_other_name => path(effect, How::Overwrite, call),
        _ => Fate::Safe,
    }
}
