//! Deletions that lose nothing of value: the tag `disposable` of an effect.
//!
//! | value | meaning, for every file that the effect may delete | |---|---|
//! | `ignored` | the repository's `.gitignore` files, unchanged in this session, say that it is not kept, and a tool makes it again or undo can keep a copy of it |
//! | `made-here` | it did not exist before this text, which makes it |
//! | `remade` | nothing is there, or it lies below a folder for temporary files, and the text makes it again afterwards |
//! | `committed` | it is a file that git is to restore, and as the last commit has it |
//! | `scratch` | it lies in the folder that a harness makes for one session, or in one with a random name of `mktemp` |
//!
//! Each value is proven, except as documented at [`is_ignored_by_name`]. An effect without proof has no tag.

pub(crate) mod committed;
mod rules;
mod temporary;
pub(crate) mod unkept;

use std::cell::LazyCell;

use guard_contract::call::CallContext;
use guard_contract::paths::{below, is_below};
use guard_contract::syntax::{Analysis, Command, Effect};
use guard_contract::{FactFault, Presence};

use crate::ignored::is_remade;
use crate::losses::MoveCommands;
use crate::{Entry, Facts, Resolver, folders};
pub use rules::Rules;

/// The tag's name.
const TAG: &str = "disposable";

/// The tag with the name of everything that a search finds.
const EVERY: &str = "every";

/// The tag with the letter of the file type that a search is limited to.
const KIND: &str = "type";

/// The tag with the start of a search, if that isn't the effect's path.
const BELOW: &str = "below";

/// The end of the path of an ignore file.
const RULES: &str = "/.gitignore";

/// The maximum depth of a target below the repository's root. Deeper targets get no tag.
const DEPTH: usize = 32;

/// The maximum number of deletions that are examined in one call. The rest get no tag.
const DELETIONS: usize = 64;

/// Names in the `.git` folder, which a search also finds.
const GIT: [&str; 20] = [
    "HEAD",
    "ORIG_HEAD",
    "config",
    "description",
    "heads",
    "hooks",
    "index",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "pack",
    "pack-0.idx",
    "pack-0.pack",
    "packed-refs",
    "refs",
    "remotes",
    "tags",
    "worktrees",
];

/// Endings of names that are often ignored although they can't be rebuilt: backups, data, secrets. A search deletes all
/// of them at once.
const ASIDE: [&str; 23] = [
    "~",
    ".backup",
    ".bak",
    ".crt",
    ".db",
    ".dump",
    ".env",
    ".jks",
    ".key",
    ".keystore",
    ".local",
    ".old",
    ".orig",
    ".p12",
    ".pem",
    ".pfx",
    ".save",
    ".sql",
    ".sqlite",
    ".sqlite3",
    ".tfstate",
    "credentials.json",
    "secrets.json",
];

/// Names of folders for build output. A person may create one, too.
const BUILT: [&str; 8] =
    [".cache", ".output", ".parcel-cache", ".turbo", "coverage", "dist", "storybook-static", "target"];

/// Names that only folders have.
const FOLDERS: [&str; 10] = [
    "__pycache__",
    "node_modules",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".next",
    ".nuxt",
    ".tox",
    ".venv",
    ".gradle",
];

/// Marks the deletions whose paths are filled in.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts, resolver: &Resolver) {
    let is_file_deletion =
        |effect: &Effect| effect.kind == "delete" && effect.operation.starts_with("fs.") || is_cleaned(effect);
    let is_file_deletion = |effect: &Effect| is_file_deletion(effect) && !folders::is_unsure(effect);
    let deletions: Vec<usize> = (analysis.effects.iter().enumerate())
        .filter(|(_, effect)| is_file_deletion(effect) && tag(effect, "where").is_none())
        .filter(|(_, effect)| is_known(effect, &analysis.commands) || tag(effect, EVERY).is_some())
        .map(|(index, _)| index)
        .take(DELETIONS)
        .collect();
    if deletions.is_empty() {
        return;
    }
    let changes_rules = |effect: &Effect| effect.kind != "read" && effect.path.lexical.ends_with(RULES);
    let bringing = MoveCommands::from_effects(&analysis.effects);
    let are_rules_kept = !analysis.effects.iter().any(changes_rules);
    let are_rules_new = LazyCell::new(|| rules_were_written(facts));
    for index in deletions {
        let Some((earlier, [effect, later @ ..])) = analysis.effects.split_at_checked(index) else { continue };
        let mut effect = effect.clone();
        if let Some(start) = tag(&effect, BELOW).filter(|_| resolver.has_room()) {
            effect.path = resolver.resolve(facts, start);
        }
        if effect.path.canonical.is_empty() {
            continue;
        }
        let is_kept = |effect: &Effect| {
            !are_rules_kept || is_brought(effect, earlier, &bringing) || !is_made_by_tools(effect) && *are_rules_new
        };
        let is_ignored_search = || {
            let search = to_search(&effect, facts, resolver);
            search.is_some_and(|search| !is_kept(&search) && is_ignored_by_name(&search, facts))
        };
        let why = if temporary::is_scratch(&effect) || temporary::is_random(&effect, earlier, &bringing) {
            "scratch"
        } else if is_created_before(&effect, earlier, &bringing) {
            "made-here"
        } else if temporary::is_remade(&effect, (earlier, later), &bringing, resolver) {
            "remade"
        } else if !is_kept(&effect)
            && (is_ignored(&effect, facts) && is_replaceable(&effect, facts) || is_ignored_by_name(&effect, facts))
            || is_ignored_search()
        {
            "ignored"
        } else {
            continue;
        };
        if let Some(effect) = analysis.effects.get_mut(index) {
            effect.tags.push((TAG.to_owned(), why.to_owned()));
        }
    }
}

/// Returns whether the loss depends on the file at the effect's path, or on the repository that contains it.
pub(crate) fn depends_on_path(effect: &Effect) -> bool {
    let is_discard = effect.operation == committed::DISCARD;
    is_discard && ["unless-branch", "side"].iter().any(|name| tag(effect, name).is_some()) || is_cleaned(effect)
}

/// Returns whether git cleans one path. `git clean -dX dist` deletes no more than `rm -r dist`.
fn is_cleaned(effect: &Effect) -> bool {
    let has = |name: &&str| tag(effect, name).is_some();
    effect.operation == "git.clean" && ["directories", "ignored"].iter().all(has) && !effect.path.raw.is_empty()
}

/// Marks the files that git restores without a loss, and removes the ones that are branches.
pub(crate) fn mark_discards(analysis: &mut Analysis, facts: &dyn Facts, resolver: &Resolver, at: &CallContext) {
    analysis.effects.retain(|effect| !committed::is_branch(effect, facts));
    let is_new = |effect: &Effect| committed::is_new_branch(effect, analysis, facts, resolver);
    let new: Vec<bool> = analysis.effects.iter().map(is_new).collect();
    let mut new = new.into_iter();
    analysis.effects.retain(|_| !new.next().unwrap_or_default());
    let candidates = committed::discards(analysis).into_iter();
    let is_committed = |index: &usize| {
        let effect = analysis.effects.get(*index);
        effect.is_some_and(|effect| committed::is_committed(effect, analysis, (facts, resolver, at)))
    };
    let found: Vec<usize> = candidates.filter(is_committed).collect();
    for index in found {
        if let Some(effect) = analysis.effects.get_mut(index) {
            effect.tags.push((TAG.to_owned(), "committed".to_owned()));
        }
    }
}

/// Returns whether the target is certain, if the command runs at all. A function's command runs when it is called.
fn is_known(effect: &Effect, commands: &[Command]) -> bool {
    let is_late = || {
        let command = commands.iter().find(|command| command.id == effect.command_id);
        command.is_some_and(|command| command.position.within.iter().any(|place| place == "function"))
    };
    effect.certain || !effect.target.contains(['$', '`']) && tag(effect, "glob").is_none() && is_late()
}

fn tag<'a>(effect: &'a Effect, name: &str) -> Option<&'a str> {
    effect.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Returns whether an earlier effect of the text creates the target, something in it, or a folder above it, where
/// nothing existed before, so that only the text's own files are deleted.
fn is_created_before(effect: &Effect, earlier: &[Effect], bringing: &MoveCommands) -> bool {
    let Some(target) = start(effect) else { return false };
    let is_gone = |effect: &Effect| effect.path.exists == Presence::No;
    let is_write = |made: &&Effect| made.kind == "write" && made.certain;
    let above = earlier.iter().filter(is_write).filter(|made| is_gone(made) && is_below(target, &made.path.lexical));
    // The topmost folder is examined, so that everything in it is covered.
    let new = match above.min_by_key(|made| made.path.lexical.len()) {
        Some(made) => made.path.lexical.as_str(),
        None if is_gone(effect) && tag(effect, "glob").is_none() => target,
        None => return false,
    };
    let mut writes = earlier.iter().filter(|made| made.kind == "write" && is_below(&made.path.lexical, new)).peekable();
    let is_made = writes.peek().is_some();
    let is_own = |made: &Effect| !bringing.moves_in(made) || is_moved_within(made, earlier, new);
    is_made && writes.all(|made| (made.certain || is_output(made)) && is_own(made))
}

/// Returns whether a program writes this file or folder, according to one of its options. It may write nothing.
fn is_output(effect: &Effect) -> bool {
    tag(effect, "output").is_some() && !effect.path.canonical.is_empty()
}

/// Returns the folder that contains everything deleted: the path, a pattern's part before its first wildcard, or the
/// start of a search. `None` if a later segment could be `..`.
fn start(effect: &Effect) -> Option<&str> {
    let path = effect.path.lexical.as_str();
    if ["filtered", BELOW].into_iter().any(|name| tag(effect, name).is_some()) || tag(effect, "glob").is_none() {
        return Some(path);
    }
    let first = path.find(['*', '?', '[', '{', '(', '!', '^', '~', '#', '|', '@', '+']).unwrap_or(path.len());
    let (before, _) = path.split_at_checked(first)?;
    let (folder, _) = before.rsplit_once('/').filter(|(folder, _)| !folder.is_empty())?;
    let mut names = path.get(folder.len()..)?.split('/');
    // `.*` matches `..` in some shells, which leads out of the folder if another segment follows.
    let last = names.next_back().unwrap_or_default();
    (!names.any(|name| name.starts_with('.')) && last != "..").then_some(folder)
}

/// Returns whether an earlier effect of the text moves something from elsewhere into what is deleted.
fn is_brought(effect: &Effect, earlier: &[Effect], bringing: &MoveCommands) -> bool {
    let from = effect.path.lexical.trim_end_matches(['*', '/']);
    let brings = |made: &Effect| tag(made, "by").is_none_or(|by| by == "git") || bringing.moves_in(made);
    let mut into = earlier.iter().filter(|made| made.kind == "write" && is_below(&made.path.lexical, from));
    // A search or a pattern starts above the folders that it finds.
    let is_folder = tag(effect, EVERY).is_none() && !from.contains('*');
    into.any(|made| brings(made) && !(is_folder && is_moved_within(made, earlier, from)))
}

/// Returns whether the command only moves what was already in the folder: `mv build/a build/b`.
fn is_moved_within(made: &Effect, earlier: &[Effect], folder: &str) -> bool {
    let mut moved =
        earlier.iter().filter(|moved| moved.command_id == made.command_id && moved.kind == "delete").peekable();
    let is_within = |moved: &Effect| {
        let path = &moved.path;
        let is_named = moved.certain && tag(moved, "glob").is_none() && path.canonical == path.lexical;
        tag(moved, "by") == Some("mv") && is_named && is_below(&path.lexical, folder) && path.lexical != folder
    };
    moved.peek().is_some() && moved.all(is_within)
}

/// Converts a pattern with folders of any name to a search that finds at least as much: `packages/*/dist` to one for
/// `dist` below `packages`. Only for names that tools give to folders, which are also unproblematic behind a link.
fn to_search(effect: &Effect, facts: &dyn Facts, resolver: &Resolver) -> Option<Effect> {
    let path = effect.path.lexical.trim_end_matches('/');
    let (above, name) = path.rsplit_once('/')?;
    let first = above.find('*')?;
    let (start, names) = above.split_at_checked(above.get(..first)?.rfind('/')?)?;
    let is_plain = !above.contains(['?', '[', '{', '(', '!', '^', '~', '#', '|', '@', '+']);
    // `.*` matches `..` in some shells, which leads out of the folder.
    let stays = !names.contains("/.") && !effect.target.contains("..");
    let is_tool = FOLDERS.contains(&name) || BUILT.contains(&name);
    if !is_plain || !stays || !is_tool || ["filtered", EVERY].into_iter().any(|name| tag(effect, name).is_some()) {
        return None;
    }
    let mut search = Effect { path: resolver.has_room().then(|| resolver.resolve(facts, start))?, ..effect.clone() };
    search.tags.extend([(EVERY, name), (KIND, "d")].map(|(name, value)| (name.to_owned(), value.to_owned())));
    Some(search)
}

/// Returns whether an earlier call of the session wrote a `.gitignore` file, with which an agent could ignore anything.
/// True if the history can't be read.
fn rules_were_written(facts: &dyn Facts) -> bool {
    match facts.history("write") {
        Ok(events) => events.iter().any(|event| event.target.ends_with(RULES)),
        Err(FactFault::Absent) => false,
        Err(_) => true,
    }
}

/// Returns whether only tools create folders of this name, so that a new ignore rule for it can't cover a person's
/// files.
fn is_made_by_tools(effect: &Effect) -> bool {
    let within = below(&effect.path.canonical, &effect.path.git_root).unwrap_or_default();
    within.split('/').chain(tag(effect, EVERY)).any(|name| FOLDERS.contains(&name))
}

/// Returns whether the repository ignores every file that the effect may delete.
fn is_ignored(effect: &Effect, facts: &dyn Facts) -> bool {
    let (root, path) = (effect.path.git_root.as_str(), effect.path.canonical.as_str());
    let Some(relative) = below(path, root).filter(|relative| !root.is_empty() && *relative != ".") else {
        return false;
    };
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let is_pattern = tag(effect, "glob").is_some();
    // Deleting a link only removes the link, and deleting a repository removes its history. Neither is proven to be
    // disposable.
    if name(path) != name(&effect.path.lexical)
        || !is_pattern && !matches!(facts.entry(&format!("{path}/.git")), Entry::Absent)
    {
        return false;
    }
    let names: Vec<&str> = relative.split('/').collect();
    // A character set or another dialect's pattern may match other names, and a match may be a link to something else.
    let is_plain = |name: &&str| !name.contains(['[', '(', '|', '^', '~', '#']);
    let above = names.split_last().map_or(&[][..], |(_, above)| above);
    if names.len() > DEPTH || !names.iter().all(is_plain) || above.iter().any(|name| name.contains(['*', '?'])) {
        return false;
    }
    let mut rules = Rules::default();
    let mut folder = root.to_owned();
    for (depth, name) in names.iter().enumerate() {
        if !rules.read(&folder, facts) {
            return false;
        }
        let is_last = depth + 1 == names.len();
        if is_pattern && name.contains(['*', '?']) {
            return tag(effect, "filtered").is_none() && rules.ignore_all(&folder, name);
        }
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        if rules.ignoring(&path, !is_last || effect.path.kind != "file").is_some() {
            return true;
        }
        folder = path;
    }
    false
}

/// Tools make again what the effect may delete, or undo can keep a copy of it.
fn is_replaceable(effect: &Effect, facts: &dyn Facts) -> bool {
    let path = effect.path.canonical.as_str();
    below(path, &effect.path.git_root).is_some_and(is_remade) || facts.is_small(path)
}

/// Returns whether the repository ignores everything of the name that a search finds, at any depth. Nested `.gitignore`
/// files, which could exclude the name, aren't read.
fn is_ignored_by_name(effect: &Effect, facts: &dyn Facts) -> bool {
    let (root, start) = (effect.path.git_root.as_str(), effect.path.canonical.as_str());
    let (Some(name), Some(relative)) = (tag(effect, EVERY), below(start, root)) else { return false };
    let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let names: Vec<&str> = relative.split('/').filter(|name| *name != ".").collect();
    if root.is_empty() || names.len() > DEPTH || name.contains('/') || last(start) != last(&effect.path.lexical) {
        return false;
    }
    let mut rules = Rules::default();
    let mut folder = root.to_owned();
    for name in names {
        if !rules.read(&folder, facts) {
            return false;
        }
        folder = format!("{}/{name}", folder.trim_end_matches('/'));
    }
    // The `.git` folder contains such names, and branches may have them.
    let is_branch = || !matches!(facts.entry(&format!("{root}/.git/refs/heads/{name}")), Entry::Absent);
    let is_of_git = GIT.iter().any(|own| may_fit(name, own)) || is_branch();
    let is_kept_aside = ASIDE.iter().any(|end| name.ends_with(end)) || name.starts_with(".env");
    let is_folder = match tag(effect, KIND) {
        Some("d") if !is_remade(name) => return false,
        Some("d") => true,
        Some("") | None => FOLDERS.contains(&name) || BUILT.contains(&name),
        Some(_) => false,
    };
    !is_of_git && !is_kept_aside && rules.read(&folder, facts) && rules.ignore_everywhere(&folder, name, is_folder)
}

/// Returns whether the pattern may match the name, by its parts before the first and after the last special character.
fn may_fit(pattern: &str, name: &str) -> bool {
    let special = |char: char| "*?[]\\".contains(char);
    match (pattern.find(special), pattern.rfind(special)) {
        (Some(first), Some(last)) => {
            let (before, behind) =
                (pattern.get(..first).unwrap_or_default(), pattern.get(last + 1..).unwrap_or_default());
            name.starts_with(before) && name.ends_with(behind)
        }
        _ => pattern == name,
    }
}

#[cfg(test)]
mod tests;
