//! [`GuardedChange`]: a change that reaches a guarded file, and how.
//!
//! A path is judged as it is written, by its text, and by where links lead. A folder above a guarded file counts if it is
//! lost, or its mode changes, with all that is in it.

use guard_sdk::syntax::Effect;
use guard_sdk::{Finding, Outcome, Presence};

use crate::call_view::CallView;
use crate::guarded::{Guarded, GuardedKind};
use crate::names::{Match, Names, Relation, fits};
use crate::search::Distance;
use crate::supplying_searches;

/// More of them say nothing new.
const TOUCHES: usize = 32;

/// More folders are not looked into: each costs questions to the machine.
const FOLDERS: usize = 16;

/// How a change reaches a guarded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The change is one of the file, or of something in the guarded folder.
    Itself,
    /// It is lost with a folder.
    LostWithFolder,
    /// It is lost with a home, a project, or more.
    LostWithAll,
    /// Something is unpacked over the folder that holds it, or all modes below a folder change.
    Perhaps,
}

/// A change that reaches a guarded file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GuardedChange<'a> {
    pub(crate) effect: &'a Effect,
    pub(crate) what: GuardedKind,
    pub(crate) how: Reach,
}

impl GuardedChange<'_> {
    /// The finding with its path. The loss of a whole folder, which is denied, matters more than the guard's file in
    /// it.
    pub(crate) fn tagged(&self, finding: Finding) -> Finding {
        let finding = finding.tag("path", self.effect.target.as_str());
        let is_aside = self.how != Reach::Itself && finding.outcome == Outcome::Deny;
        if is_aside { finding.tag("aside", "yes") } else { finding }
    }
}

/// All of them, in the order of the effects.
pub(crate) fn all<'a>(view: &CallView<'a>) -> Vec<GuardedChange<'a>> {
    let mut touches = Vec::new();
    let mut folders = 0;
    for effect in view.analysis.effects.iter().filter(|effect| is_change(effect)) {
        if touches.len() >= TOUCHES {
            break;
        }
        match of_effect(effect, view, &mut folders) {
            Some((what, how)) => touches.push(GuardedChange { effect, what, how }),
            None => touches.extend(linked(effect, view).map(|what| GuardedChange { effect, what, how: Reach::Itself })),
        }
    }
    touches
}

/// Whether the effect leaves a file of this machine other than it was.
pub(crate) fn is_change(effect: &Effect) -> bool {
    changes(effect) && effect.tag("where").is_none()
}

/// The same, wherever the file is.
pub(crate) fn changes(effect: &Effect) -> bool {
    matches!(effect.kind.as_str(), "write" | "delete" | "metadata") && effect.operation != "files.many-to-one"
}

fn of_effect(effect: &Effect, view: &CallView<'_>, folders: &mut usize) -> Option<(GuardedKind, Reach)> {
    let paths: Vec<Names<'_>> = effect.spellings().map(Names::new).collect();
    let mut above = Vec::new();
    for guarded in view.guard.near(&paths) {
        // Of equal ones the last: it says most of where it is.
        let near = paths.iter().filter_map(|names| Some((names.relation(guarded.entry)?, names)));
        let Some((found, names)) = near.max_by_key(|(found, _)| found.relation) else { continue };
        match found.relation {
            Relation::Above => above.push((guarded, found, names)),
            // A pattern of the shell stands for what is there.
            _ if found.guessed && presence(names, found, guarded, view) == Presence::No => {}
            // Where it could lie anywhere, what a pattern deletes is a guess.
            _ if found.guessed
                && effect.kind != "write"
                && presence(names, found, guarded, view) == Presence::Unknown =>
            {
                return Some((guarded.what, Reach::Perhaps));
            }
            // What a pattern reaches goes with the rest.
            Relation::Whole if found.guessed && effect.kind == "delete" => {
                return Some((guarded.what, Reach::LostWithFolder));
            }
            // A folder that is only made, or written into by a program that names its file elsewhere, stays what it is.
            Relation::Whole if effect.kind == "write" && !is_unpacked(effect) => {}
            // Nor does an empty folder in it register anything.
            Relation::Inside if is_new_folder(effect) && holds_plugins(guarded) => {}
            _ => return Some((guarded.what, Reach::Itself)),
        }
    }
    if let Some((searches, tail)) = supplying_searches::behind(effect, view) {
        let found = searches.iter().find_map(|search| search.reaches(&effect.kind, &tail, view));
        return found.map(|(what, distance)| (what, how(effect, distance)));
    }
    let lost = effect.kind == "delete" && effect.tag("by") != Some("rmdir") && !refuses_folders(effect);
    let modes = effect.kind == "metadata" && effect.tag("recursive").is_some();
    if !(lost || modes || is_unpacked(effect)) || *folders >= FOLDERS {
        return None;
    }
    let mut brought = None;
    for (guarded, found, names) in above {
        // What is unpacked brings its own folders; mostly the guarded file's own folder is near enough.
        let near = lost || modes || is_parent(names, guarded.entry) || is_reached(effect, names, found, guarded, view);
        if !near || *folders >= FOLDERS {
            continue;
        }
        *folders += 1;
        let there = presence(names, found, guarded, view);
        if there != Presence::No {
            let is_guess = found.guessed && there == Presence::Unknown;
            return Some((guarded.what, if lost && !is_guess { Reach::LostWithFolder } else { Reach::Perhaps }));
        }
        // What is not there yet may come with the rest; a registration says most.
        let brings = !(lost || modes) && is_below_home(names, found, guarded, view);
        if brings && !matches!(brought, Some(GuardedKind::Registration(_))) {
            brought = Some(guarded.what);
        }
    }
    if let Some(what) = brought {
        return Some((what, Reach::Perhaps));
    }
    // The contents of a folder that are put right into a home bring its folders of settings.
    if is_unpacked(effect) && effect.tag("link-to").is_none() && holds_home(&paths, view) {
        return in_root(&view.facts().home, view).map(|what| (what, Reach::Perhaps));
    }
    if !lost {
        return None;
    }
    of_root(&paths, view, folders).map(|what| (what, Reach::LostWithAll))
}

/// How a change of the files that a search selects reaches a guarded one.
fn how(effect: &Effect, distance: Distance) -> Reach {
    match (distance, effect.kind == "delete") {
        (Distance::Inside, _) => Reach::Itself,
        (Distance::Near, true) => Reach::LostWithFolder,
        (Distance::Far, true) => Reach::LostWithAll,
        (Distance::Near | Distance::Far, false) => Reach::Perhaps,
    }
}

/// Whether something is put over a folder, with whatever it brings: an archive, a tree of files, a link in its place.
fn is_unpacked(effect: &Effect) -> bool {
    let tags = ["archive", "tree", "patch", "link-to"];
    let brings = tags.iter().any(|tag| effect.tag(tag).is_some()) || effect.target.ends_with("/.");
    effect.kind == "write" && brings
}

/// Whether the effect makes a folder with nothing in it.
fn is_new_folder(effect: &Effect) -> bool {
    let makes = |by: &str| matches!(by, "mkdir" | "gmkdir" | "install" | "ginstall");
    effect.kind == "write" && effect.tag("directory").is_some() && effect.tag("by").is_some_and(makes)
}

/// Whether the guarded entry is a folder from which a harness takes hooks or scripts.
fn holds_plugins(guarded: Guarded<'_>) -> bool {
    guarded.entry.ends_with('/') && matches!(guarded.what, GuardedKind::Registration(_) | GuardedKind::Scripts(_))
}

/// Whether the program deletes what its words name only if it is no folder: `rm` without `-r`.
fn refuses_folders(effect: &Effect) -> bool {
    let is_plain = effect.operation == "fs.delete" && effect.tag("glob").is_none();
    is_plain && matches!(effect.tag("by"), Some("rm" | "grm" | "unlink"))
}

/// Whether one of the paths is the home, or a folder above it.
fn holds_home(paths: &[Names<'_>], view: &CallView<'_>) -> bool {
    let home = &view.facts().home;
    home.len() > 1 && paths.iter().any(|names| names.holds(&Names::new(home)))
}

/// Whether an archive that is unpacked further above a file of guard-host's own may bring that file. It is the user's: in
/// a project everybody unpacks what they like.
fn is_reached(effect: &Effect, names: &Names<'_>, found: Match, guarded: Guarded<'_>, view: &CallView<'_>) -> bool {
    let is_own = matches!(guarded.what, GuardedKind::Config | GuardedKind::State);
    effect.tag("archive").is_some() && is_own && is_below_home(names, found, guarded, view)
}

/// Whether the guarded file that a match means lies in the home and in no project, by a name that says what it is.
fn is_below_home(names: &Names<'_>, found: Match, guarded: Guarded<'_>, view: &CallView<'_>) -> bool {
    let facts = view.facts();
    let Some(path) = names.place(found, guarded.entry).filter(|_| guarded.entry.starts_with(['.', '/'])) else {
        return false;
    };
    let path = Names::new(&path);
    let is_below = |folder: &str| folder.len() > 1 && Names::new(folder).holds(&path);
    is_below(&facts.home) && (facts.project_root == facts.home || !is_below(&facts.project_root))
}

/// Whether the folder is the one in which the entry's file lies.
fn is_parent(folder: &Names<'_>, entry: &str) -> bool {
    let mut names: Vec<&str> = entry.trim_end_matches('/').split('/').collect();
    names.pop();
    names.last().is_some_and(|parent| fits(parent, folder.last()))
}

/// Whether the guarded file that a match means is there, as far as the machine can say. Where it could be anywhere, only
/// a name with a dot, which patterns of the shell do not reach by chance, may be meant.
fn presence(names: &Names<'_>, found: Match, guarded: Guarded<'_>, view: &CallView<'_>) -> Presence {
    match names.place(found, guarded.entry) {
        Some(path) => view.call.resolve(&path).exists,
        None if !found.guessed => Presence::Yes,
        None if guarded.entry.starts_with('.') => Presence::Unknown,
        None => Presence::No,
    }
}

/// The guarded files lost with a home, a project, or a folder above them.
fn of_root(paths: &[Names<'_>], view: &CallView<'_>, folders: &mut usize) -> Option<GuardedKind> {
    let facts = view.facts();
    let holds = |root: &str| paths.iter().any(|names| names.holds(&Names::new(root)));
    if facts.home.starts_with('/') && holds(&facts.home) {
        return view.guard.all().next().map(|guarded| guarded.what);
    }
    let roots = [&facts.project_root, &facts.cwd];
    let root = roots.into_iter().find(|root| root.len() > 1 && holds(root))?;
    *folders += 1;
    in_root(root, view)
}

/// The first guarded file, of those that may lie anywhere, that is there below a folder.
fn in_root(root: &str, view: &CallView<'_>) -> Option<GuardedKind> {
    let entries = view.guard.all().filter(|guarded| !guarded.entry.starts_with('/'));
    let mut found = entries.filter(|guarded| {
        let path: Vec<&str> =
            guarded.entry.split('/').filter(|name| !name.is_empty() && !name.starts_with('*')).collect();
        view.call.resolve(&format!("{root}/{}", path.join("/"))).exists == Presence::Yes
    });
    found.next().map(|guarded| guarded.what)
}

/// The guarded file that a path with the same last name leads to: a folder of settings may itself be a link.
fn linked(effect: &Effect, view: &CallView<'_>) -> Option<GuardedKind> {
    let canonical = effect.path.canonical.as_str();
    let last = Names::new(canonical).last();
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
