//! [`GuardedChange`]: a change that affects a protected file, and its reach.
//!
//! A path is judged as written, by its lexical path and by its resolved path. A change of a folder above a protected
//! file is included if the folder is deleted, or if all modes in it change.

use guard_sdk::syntax::Effect;
use guard_sdk::{Finding, Outcome, Presence};

use crate::call_view::CallView;
use crate::guarded::{Guarded, GuardedKind};
use crate::names::{Match, Names, Relation, component_matches};
use crate::search::Distance;
use crate::supplying_searches;

/// The maximum number of changes.
const TOUCHES: usize = 32;

/// The maximum number of folders that are examined: each one requires requests to the host.
const FOLDERS: usize = 16;

/// The way in which a change affects a protected file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The change is to the file, or to something in the protected folder.
    Itself,
    /// The file is lost with its folder.
    LostWithFolder,
    /// The file is lost with a home, a project, or more.
    LostWithAll,
    /// Something is extracted over the folder that contains the file, or all modes below a folder change.
    Perhaps,
}

/// A change that affects a protected file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GuardedChange<'a> {
    pub(crate) effect: &'a Effect,
    pub(crate) what: GuardedKind,
    pub(crate) how: Reach,
}

impl GuardedChange<'_> {
    /// Returns the finding with its path. If a whole folder is deleted, that is more important than the guard's file in
    /// it.
    pub(crate) fn with_path(&self, finding: Finding) -> Finding {
        let finding = finding.tag("path", self.effect.target.as_str());
        let is_aside = self.how != Reach::Itself && finding.outcome == Outcome::Deny;
        if is_aside { finding.tag("aside", "yes") } else { finding }
    }
}

/// Returns all changes, in the order of the effects.
pub(crate) fn all_changes<'a>(view: &CallView<'a>) -> Vec<GuardedChange<'a>> {
    let mut touches = Vec::new();
    let mut folders = 0;
    for effect in view.analysis.effects.iter().filter(|effect| is_change(effect)) {
        if touches.len() >= TOUCHES {
            break;
        }
        match effect_reach(effect, view, &mut folders) {
            // A harness's settings are often kept out of the repository.
            Some((what, _)) if hides(effect) && !what.is_own() => {}
            Some((what, how)) => touches.push(GuardedChange { effect, what, how }),
            None => {
                touches.extend(linked_kind(effect, view).map(|what| GuardedChange { effect, what, how: Reach::Itself }))
            }
        }
    }
    touches
}

/// Returns whether the effect changes a file of this machine.
pub(crate) fn is_change(effect: &Effect) -> bool {
    changes(effect) && effect.tag("where").is_none()
}

/// Returns whether the effect changes a file on any machine.
pub(crate) fn changes(effect: &Effect) -> bool {
    matches!(effect.kind.as_str(), "write" | "delete" | "metadata") && effect.operation != "files.many-to-one"
        || hides(effect)
}

/// Returns whether git no longer sees the file's changes, or the next commit is without it: `git rm --cached`, `git
/// update-index --skip-worktree`.
fn hides(effect: &Effect) -> bool {
    effect.operation == "git.index" && effect.tag("hides").is_some()
}

fn effect_reach(effect: &Effect, view: &CallView<'_>, folders: &mut usize) -> Option<(GuardedKind, Reach)> {
    let paths: Vec<Names<'_>> = effect.spellings().map(Names::new).collect();
    let mut above = Vec::new();
    for guarded in view.guard.related(&paths) {
        // Of equal relations, the last one is used, because it is the most precise.
        let near = paths.iter().filter_map(|names| Some((names.relation(guarded.entry)?, names)));
        let Some((found, names)) = near.max_by_key(|(found, _)| found.relation) else { continue };
        match found.relation {
            Relation::Above => above.push((guarded, found, names)),
            // A shell pattern only matches existing files.
            _ if found.guessed && presence(names, found, guarded, view) == Presence::No => {}
            // If the file could be anywhere, the pattern's match is only a guess.
            _ if found.guessed
                && effect.kind != "write"
                && presence(names, found, guarded, view) == Presence::Unknown =>
            {
                return Some((guarded.what, Reach::Perhaps));
            }
            // A pattern's matches are deleted with the rest.
            Relation::Whole if found.guessed && effect.kind == "delete" => {
                return Some((guarded.what, Reach::LostWithFolder));
            }
            // A folder that is only created, or written into by a program that names its file elsewhere, is unchanged.
            Relation::Whole if effect.kind == "write" && !is_unpacked(effect) && !is_by_git(effect) => {}
            // An empty folder in it registers nothing.
            Relation::Inside if is_new_folder(effect) && contains_plugins(guarded) => {}
            _ => return Some((guarded.what, Reach::Itself)),
        }
    }
    if let Some((searches, tail)) = supplying_searches::find(effect, view) {
        let found = searches.iter().find_map(|search| search.reaches(&effect.kind, &tail, view));
        return found.map(|(what, distance)| (what, search_reach(effect, distance)));
    }
    let is_deletion = effect.kind == "delete" && effect.tag("by") != Some("rmdir") && !refuses_folders(effect);
    let modes = effect.kind == "metadata" && effect.tag("recursive").is_some();
    if !(is_deletion || modes || is_unpacked(effect)) || *folders >= FOLDERS {
        return None;
    }
    let mut extracted = None;
    for (guarded, found, names) in above {
        // Archives, checkouts and modes of a whole project are routine, and the loss of a project is judged below.
        let holds_project = || names.contains(&Names::new(&view.facts().project_root));
        if guarded.what == GuardedKind::Project && (!is_deletion || holds_project()) {
            continue;
        }
        // Extracted content has its own folders, so usually only the protected file's own folder matters.
        let near =
            is_deletion || modes || is_parent(names, guarded.entry) || is_reached(effect, names, found, guarded, view);
        if !near || *folders >= FOLDERS {
            continue;
        }
        *folders += 1;
        let there = presence(names, found, guarded, view);
        if there != Presence::No {
            let is_guess = found.guessed && there == Presence::Unknown;
            return Some((guarded.what, if is_deletion && !is_guess { Reach::LostWithFolder } else { Reach::Perhaps }));
        }
        // A new file may come with the rest. Registrations are the most important.
        let brings = !(is_deletion || modes) && is_below_home(names, found, guarded, view);
        if brings && !matches!(extracted, Some(GuardedKind::Registration(_))) {
            extracted = Some(guarded.what);
        }
    }
    if let Some(what) = extracted {
        return Some((what, Reach::Perhaps));
    }
    // A folder's content that is put directly into a home includes its settings folders.
    if is_unpacked(effect) && effect.tag("link-to").is_none() && contains_home(&paths, view) {
        return kind_in_root(&view.facts().home, view).map(|what| (what, Reach::Perhaps));
    }
    if !is_deletion {
        return None;
    }
    kind_in_roots(&paths, view, folders).map(|what| (what, Reach::LostWithAll))
}

/// Returns the reach of a change of the files that a search selects.
fn search_reach(effect: &Effect, distance: Distance) -> Reach {
    match (distance, effect.kind == "delete") {
        (Distance::Inside, _) => Reach::Itself,
        (Distance::Near, true) => Reach::LostWithFolder,
        (Distance::Far, true) => Reach::LostWithAll,
        (Distance::Near | Distance::Far, false) => Reach::Perhaps,
    }
}

/// Returns whether unknown content replaces or fills a folder: an archive, a tree of files, or a link in its place.
fn is_unpacked(effect: &Effect) -> bool {
    let tags = ["archive", "tree", "patch", "link-to"];
    let brings = tags.iter().any(|tag| effect.tag(tag).is_some()) || effect.target.ends_with("/.");
    effect.kind == "write" && brings
}

/// Returns whether git replaces the files of the folder: `git restore .guard`, `git stash push -- .guard`.
fn is_by_git(effect: &Effect) -> bool {
    effect.tag("by") == Some("git")
}

/// Returns whether the effect creates an empty folder.
fn is_new_folder(effect: &Effect) -> bool {
    let makes = |by: &str| matches!(by, "mkdir" | "gmkdir" | "install" | "ginstall");
    effect.kind == "write" && effect.tag("directory").is_some() && effect.tag("by").is_some_and(makes)
}

/// Returns whether the protected entry is a folder from which a harness loads hooks or scripts.
fn contains_plugins(guarded: Guarded<'_>) -> bool {
    guarded.entry.ends_with('/') && matches!(guarded.what, GuardedKind::Registration(_) | GuardedKind::Scripts(_))
}

/// Returns whether the program refuses to delete directories, as `rm` does without `-r`.
fn refuses_folders(effect: &Effect) -> bool {
    let is_plain = effect.operation == "fs.delete" && effect.tag("glob").is_none();
    is_plain && matches!(effect.tag("by"), Some("rm" | "grm" | "unlink"))
}

/// Returns whether one of the paths is the home, or a folder above it.
pub(crate) fn contains_home(paths: &[Names<'_>], view: &CallView<'_>) -> bool {
    let home = &view.facts().home;
    home.len() > 1 && paths.iter().any(|names| names.contains(&Names::new(home)))
}

/// Returns whether an archive that is extracted further above a file of guard-host may contain that file. Only applies
/// to the user's files: in a project, extracting is routine.
fn is_reached(effect: &Effect, names: &Names<'_>, found: Match, guarded: Guarded<'_>, view: &CallView<'_>) -> bool {
    let is_own = matches!(guarded.what, GuardedKind::Config | GuardedKind::State);
    effect.tag("archive").is_some() && is_own && is_below_home(names, found, guarded, view)
}

/// Returns whether the protected file in a match is in the home and in no project, and its name is specific.
fn is_below_home(names: &Names<'_>, found: Match, guarded: Guarded<'_>, view: &CallView<'_>) -> bool {
    let facts = view.facts();
    let Some(path) = names.guarded_path(found, guarded.entry).filter(|_| guarded.entry.starts_with(['.', '/'])) else {
        return false;
    };
    let path = Names::new(&path);
    let is_below = |folder: &str| folder.len() > 1 && Names::new(folder).contains(&path);
    is_below(&facts.home) && (facts.project_root == facts.home || !is_below(&facts.project_root))
}

/// Returns whether the folder directly contains the entry's file.
fn is_parent(folder: &Names<'_>, entry: &str) -> bool {
    let mut names: Vec<&str> = entry.trim_end_matches('/').split('/').collect();
    names.pop();
    names.last().is_some_and(|parent| component_matches(parent, folder.last_component()))
}

/// Returns whether the protected file in a match exists, as far as the host knows. If it could be anywhere, only names
/// with a leading dot may be meant, which shell patterns don't match by chance.
pub(crate) fn presence(names: &Names<'_>, found: Match, guarded: Guarded<'_>, view: &CallView<'_>) -> Presence {
    match names.guarded_path(found, guarded.entry) {
        Some(path) => view.call.resolve(&path).exists,
        None if !found.guessed => Presence::Yes,
        None if guarded.entry.starts_with('.') => Presence::Unknown,
        None => Presence::No,
    }
}

/// Returns the kind of a protected file that is lost with a home, a project, or a folder above them.
fn kind_in_roots(paths: &[Names<'_>], view: &CallView<'_>, folders: &mut usize) -> Option<GuardedKind> {
    let facts = view.facts();
    let holds = |root: &str| paths.iter().any(|names| names.contains(&Names::new(root)));
    if facts.home.starts_with('/') && holds(&facts.home) {
        return view.guard.all().next().map(|guarded| guarded.what);
    }
    let roots = [&facts.project_root, &facts.cwd];
    let root = roots.into_iter().find(|root| root.len() > 1 && holds(root))?;
    *folders += 1;
    kind_in_root(root, view)
}

/// Returns the kind of the first protected file below a folder, of those that may be anywhere.
fn kind_in_root(root: &str, view: &CallView<'_>) -> Option<GuardedKind> {
    let entries = view.guard.all().filter(|guarded| !guarded.entry.starts_with('/'));
    let mut found = entries.filter(|guarded| {
        let path: Vec<&str> =
            guarded.entry.split('/').filter(|name| !name.is_empty() && !name.starts_with('*')).collect();
        view.call.resolve(&format!("{root}/{}", path.join("/"))).exists == Presence::Yes
    });
    found.next().map(|guarded| guarded.what)
}

/// Returns the kind of the protected file that a path with the same last name resolves to: a settings folder may itself
/// be a link.
fn linked_kind(effect: &Effect, view: &CallView<'_>) -> Option<GuardedKind> {
    let canonical = effect.path.canonical.as_str();
    let last = Names::new(canonical).last_component();
    if last.is_empty() || effect.kind == "metadata" {
        return None;
    }
    let facts = view.facts();
    let same =
        |entry: &str| entry.rsplit('/').next().is_some_and(|name| !name.is_empty() && name.eq_ignore_ascii_case(last));
    let leads_here = |root: &str, entry: &str| {
        let path = if entry.starts_with('/') { entry.to_owned() } else { format!("{root}/{entry}") };
        root.starts_with('/') && view.call.resolve(&path).canonical == canonical
    };
    let mut candidates = view.guard.all().filter(|guarded| same(guarded.entry));
    let found = candidates
        .find(|guarded| leads_here(&facts.home, guarded.entry) || leads_here(&facts.project_root, guarded.entry));
    found.map(|guarded| guarded.what)
}
