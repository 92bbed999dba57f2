//! [`PrecedingChanges`]: changes that a call makes before its losses. The copy is made before the call, so it doesn't
//! have these changes.

use std::collections::BTreeSet;

use guard_contract::Presence;
use guard_contract::paths::is_below;
use guard_contract::syntax::{Analysis, Command, Effect, Script};
use guard_sdk::git::{PROGRAM_VARIABLES, READING};

use super::of_git::{git_invocation, is_git};
use super::tag;
use crate::new_links::may_be_checked_out;

/// Programs that move or link existing files into a folder.
const BRING: [&str; 6] = ["ln", "link", "mount", "mv", "rename", "rsync"];

/// With more such effects, every later loss counts as affected.
const BROUGHT: usize = 64;

/// Constructs whose commands may run in another order than in the text, or more than once.
const UNORDERED: [&str; 5] = ["coprocess", "function", "loop", "process", "trap"];

/// git's verbs that add content to the work tree that neither it nor the last commit has.
const GIT_BRINGS: [&str; 7] = ["am", "apply", "cherry-pick", "mv", "stash", "submodule", "worktree"];

/// Prefixes of git's variables that don't select another repository.
const GIT_VARIABLES: [&str; 4] = ["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_MERGE_AUTOEDIT", "GIT_TERMINAL_PROMPT"];

/// The commands of a call that move something. Their writes put it at its new path.
#[derive(Debug, Default)]
pub(crate) struct MoveCommands(BTreeSet<u32>);

impl MoveCommands {
    pub(crate) fn from_effects(effects: &[Effect]) -> Self {
        let is_move = |effect: &&Effect| effect.kind == "delete" && matches!(tag(effect, "by"), Some("mv" | "git"));
        MoveCommands(effects.iter().filter(is_move).map(|effect| effect.command_id).collect())
    }

    /// Returns whether the effect brings something from elsewhere.
    pub(crate) fn moves_in(&self, effect: &Effect) -> bool {
        let by = tag(effect, "by").unwrap_or_default();
        // The links that `cp` creates are followed.
        let is_link = || tag(effect, "link-to").is_some() && !matches!(by, "cp" | "gcp");
        let is_own = || BRING.contains(&by) || is_link();
        effect.kind == "write" && (is_own() || self.0.contains(&effect.command_id))
    }
}

/// The changes of a call that come before its losses.
#[derive(Debug)]
pub(super) struct PrecedingChanges<'a> {
    analysis: &'a Analysis,
    /// The indices of the effects that bring something from elsewhere.
    brought: Vec<usize>,
    /// The git commands that may change something, with id and verb.
    git: Vec<(u32, &'a str)>,
    /// The commands that may run in another order than in the text, or more than once.
    unordered: BTreeSet<u32>,
    /// The commands with scripts, whose effects have an unknown order.
    scripts: BTreeSet<u32>,
    /// The commands with scripts that may create links, although no effect says so.
    linking: BTreeSet<u32>,
    /// Whether shell patterns may match case-insensitively.
    folds_case: bool,
    /// Whether a search follows links.
    follows_links: bool,
    /// Whether git may work on another repository.
    is_elsewhere: bool,
}

impl<'a> PrecedingChanges<'a> {
    pub(super) fn new(analysis: &'a Analysis) -> Self {
        let bringing = MoveCommands::from_effects(&analysis.effects);
        let effects = analysis.effects.iter().enumerate();
        // A file that is moved into an existing folder has its own effect.
        let commands = &analysis.commands;
        let whole = commands.iter().filter(|command| takes_no_folder(command));
        let whole: BTreeSet<u32> = whole.map(|command| command.id).collect();
        let is_new = |effect: &Effect| {
            let is_replaced = tag(effect, "by") == Some("rename") || whole.contains(&effect.command_id);
            effect.path.kind != "dir" || is_replaced
        };
        let brings = |effect: &Effect| bringing.moves_in(effect) && is_new(effect);
        let brought = effects.filter(|(_, effect)| brings(effect)).map(|(at, _)| at).collect();
        let git = commands.iter().filter(|command| is_git(command)).filter_map(changing).collect();
        let words = || commands.iter().flat_map(|command| &command.argv).map(|word| word.text.as_str());
        let names = commands.iter().flat_map(|command| &command.assignments).map(|it| it.name.as_str());
        let in_script = |name: &str| analysis.scripts.iter().any(|script| script.text.contains(name));
        PrecedingChanges {
            analysis,
            brought,
            git,
            unordered: commands.iter().filter(|command| is_unordered(command)).map(|command| command.id).collect(),
            scripts: analysis.scripts.iter().map(|script| script.command_id).collect(),
            linking: analysis.scripts.iter().filter(|script| may_link(script)).map(|it| it.command_id).collect(),
            folds_case: words().any(|word| word.to_ascii_lowercase().replace('_', "").contains("caseglob")),
            follows_links: commands.iter().any(follows_links),
            is_elsewhere: words().chain(names).any(selects_repository)
                || in_script("GIT_DIR")
                || in_script("GIT_WORK_TREE"),
        }
    }

    /// Returns whether the call may change what this effect loses before it is lost.
    pub(super) fn may_change_first(&self, at: usize, effect: &Effect, command: Option<&Command>) -> bool {
        let is_file = matches!(effect.kind.as_str(), "delete" | "write" | "database");
        if !is_file {
            return effect.kind == "vcs" && self.git_may_change_first(at, effect);
        }
        let is_pattern = tag(effect, "glob").is_some() || effect.path.lexical.contains(['*', '?', '[']);
        let is_search =
            tag(effect, "filtered").is_some() || matches!(tag(effect, "by"), Some("find" | "fd" | "fdfind"));
        let is_found = || is_search || command.is_some_and(|it| it.via.iter().any(|via| via.kind == "find-exec"));
        // The options of an inner shell aren't known.
        let is_inner = || command.is_some_and(|it| it.via.iter().any(|via| via.kind == "shell-c"));
        if is_pattern && (self.folds_case || is_inner()) || self.follows_links && effect.kind == "delete" && is_found()
        {
            return true;
        }
        let is_linked = |id: &u32| *id == effect.command_id || self.is_earlier(*id, effect);
        if may_be_checked_out(effect) || self.linking.iter().any(is_linked) {
            return true;
        }
        let git_brings = |(id, verb): &(u32, &str)| self.is_earlier(*id, effect) && GIT_BRINGS.contains(verb);
        if effect.kind == "delete" && !self.git.is_empty() && self.git.iter().any(git_brings) {
            return true;
        }
        let mut earlier = self.brought.iter().filter(|made| self.may_precede(**made, at, effect)).peekable();
        if earlier.peek().is_none() {
            return false;
        }
        if self.brought.len() > BROUGHT || effect.kind == "database" {
            return true;
        }
        earlier.any(|made| self.analysis.effects.get(*made).is_none_or(|made| are_related(made, effect)))
    }

    /// Returns whether the effect at `made` happens before the one at `at`, or may.
    fn may_precede(&self, made: usize, at: usize, effect: &Effect) -> bool {
        let Some(other) = self.analysis.effects.get(made) else { return false };
        let (one, other) = (effect.command_id, other.command_id);
        if one == other {
            return made != at && self.scripts.contains(&one);
        }
        made < at || self.unordered.contains(&one) || self.unordered.contains(&other)
    }

    fn is_earlier(&self, id: u32, effect: &Effect) -> bool {
        let own = effect.command_id;
        id != own && (id < own || self.unordered.contains(&id) || self.unordered.contains(&own))
    }

    fn git_may_change_first(&self, at: usize, effect: &Effect) -> bool {
        if self.is_elsewhere || self.git.iter().any(|(id, _)| self.is_earlier(*id, effect)) {
            return true;
        }
        let in_work_tree =
            ["git.abort", "git.clean", "git.discard", "git.rebase", "git.reset.hard", "git.worktree.remove"];
        if !in_work_tree.contains(&effect.operation.as_str()) {
            return false;
        }
        let is_clean = effect.operation == "git.clean";
        let comes_first = |made: usize| self.may_precede(made, at, effect);
        self.brought.iter().any(|made| comes_first(*made))
            || is_clean
                && self.analysis.effects.iter().enumerate().any(|(made, it)| changes_rules(it) && comes_first(made))
    }
}

/// Returns whether a command may run in another order than in the text, or more than once.
pub(crate) fn is_unordered(command: &Command) -> bool {
    let place = &command.position;
    place.background || place.within.iter().any(|within| UNORDERED.contains(&within.as_str()))
}

/// Returns whether `mv` or `ln` replaces its target even if that is a link to a folder.
fn takes_no_folder(command: &Command) -> bool {
    let is_option = |word: &str| match word.strip_prefix("--") {
        Some(long) => "no-target-directory".starts_with(long) && long.len() > 3,
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains('T')),
    };
    command.argv.iter().skip(1).any(|word| is_option(&word.text))
}

/// Returns whether a script of a language whose calls have no effects may create links.
fn may_link(script: &Script) -> bool {
    let mut words = script.text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    !matches!(script.language.as_str(), "javascript" | "python" | "sql")
        && words.any(|word| matches!(word, "link" | "ln" | "ln_s" | "ln_sf" | "ln_sr" | "symlink"))
}

/// Returns the id and verb of a git command that may change something.
fn changing(command: &Command) -> Option<(u32, &str)> {
    let (verb, rest) = match git_invocation(command) {
        Some((_, verb, rest)) => (verb, rest),
        None => ("", Vec::new()),
    };
    let lists = matches!(
        (verb, rest.first().copied()),
        ("stash" | "worktree", Some("list" | "show"))
            | ("branch" | "remote", None | Some("-a" | "-v" | "-vv" | "--list"))
    );
    (!lists && !READING.contains(&verb)).then_some((command.id, verb))
}

/// Returns whether an effect may change the ignore rules for `git clean`.
fn changes_rules(effect: &Effect) -> bool {
    if !matches!(effect.kind.as_str(), "delete" | "write") {
        return false;
    }
    let path = effect.path.lexical.as_str();
    let is_wide = ["archive", "filtered", "glob", "patch", "tree"].iter().any(|name| tag(effect, name).is_some());
    let is_of_git = path.rsplit('/').next().is_some_and(|name| name.starts_with(".git"));
    is_wide || is_of_git || !effect.certain || path.is_empty() || path.contains("/.git/")
}

/// The start of the paths that stand for a script's own temporary files, which are deleted when it ends.
const TEMPORARY: &str = "/tmp/tmp.XXXXXXXXXX";

/// Returns the moves after which a file may be gone, by command and old path.
pub(super) fn moves_astray(analysis: &Analysis) -> BTreeSet<(u32, &str)> {
    let effects = &analysis.effects;
    let scripts: BTreeSet<u32> = analysis.scripts.iter().map(|script| script.command_id).collect();
    let is_target = |effect: &&Effect| effect.kind == "write" && !effect.target.starts_with(TEMPORARY);
    let targets: BTreeSet<u32> = effects.iter().filter(is_target).map(|effect| effect.command_id).collect();
    let is_astray = |(at, effect): &(usize, &Effect)| match scripts.contains(&effect.command_id) {
        // A script can move several files. Each new path follows its old one.
        true => effects.get(at + 1).filter(is_target).is_none_or(|next| next.command_id != effect.command_id),
        false => !targets.contains(&effect.command_id),
    };
    let moved = effects.iter().enumerate().filter(|(_, effect)| super::is_moved(effect));
    moved.filter(is_astray).map(|(_, effect)| (effect.command_id, effect.target.as_str())).collect()
}

/// Returns whether the new path and the lost path may be the same, or one inside the other.
fn are_related(made: &Effect, lost: &Effect) -> bool {
    let (new, old) = (stem(&made.path.lexical), stem(&lost.path.lexical));
    // `rename` derives the new names from the old ones.
    let is_renamed = tag(made, "by") == Some("rename");
    if is_renamed
        || new.is_empty()
        || old.is_empty()
        || !made.certain
        || has_parent_step(&made.target)
        || has_parent_step(&lost.target)
    {
        return true;
    }
    let touch =
        |one: &str, other: &str| !one.is_empty() && !other.is_empty() && (is_below(one, other) || is_below(other, one));
    let start = tag(lost, "below").map(stem);
    touch(new, old)
        || touch(&made.path.canonical, &lost.path.canonical)
        || start.is_some_and(|start| !start.starts_with('/') || touch(new, start))
}

/// Returns whether the call adds to an existing file and then reads it. The file can be a list of names, and the old
/// ones aren't known.
pub(super) fn reads_old_content(effects: &[Effect]) -> bool {
    let is_other = |one: &Effect, other: &Effect| one.path.lexical != other.path.lexical;
    let is_added = |(at, added): (usize, &Effect)| {
        let mut earlier = effects.iter().take(at);
        let replaces = |it: &Effect| matches!(it.kind.as_str(), "delete" | "write") && tag(it, "append").is_none();
        added.kind == "write"
            && tag(added, "append").is_some()
            && added.path.exists != Presence::No
            && !earlier.any(|it| it.certain && replaces(it) && !is_other(it, added))
            && effects.iter().any(|it| it.kind == "read" && !is_other(it, added))
    };
    effects.iter().enumerate().any(is_added)
}

/// Returns the folder before the first wildcard.
fn stem(path: &str) -> &str {
    let Some(first) = path.find(['*', '?', '[', '{', '$', '`']) else { return path };
    let before = path.get(..first).unwrap_or_default();
    before.rfind('/').and_then(|end| before.get(..end)).filter(|folder| !folder.is_empty()).unwrap_or("/")
}

/// Returns whether a path contains `..`.
pub(crate) fn has_parent_step(path: &str) -> bool {
    path.split('/').any(|step| step == "..")
}

/// Returns whether `find` or `fd` may follow links.
fn follows_links(command: &Command) -> bool {
    let program = command.argv.first().map(|word| word.text.rsplit('/').next().unwrap_or_default()).unwrap_or_default();
    let follows = |word: &str| {
        let is_letters = word.starts_with('-') && !word.starts_with("--") && word.len() < 5;
        matches!(word, "-follow" | "--follow") || is_letters && word.contains(['H', 'L'])
    };
    let is_search = matches!(program, "find" | "gfind" | "bfs" | "fd" | "fdfind");
    is_search && command.argv.iter().any(|word| follows(&word.text))
}

/// Returns whether a word names a `GIT_` variable that may change the repository, the index or the settings.
fn selects_repository(word: &str) -> bool {
    word.starts_with("GIT_") && !GIT_VARIABLES.iter().chain(&PROGRAM_VARIABLES).any(|begin| word.starts_with(begin))
}
