//! `shell-write-config`: a shell command that changes a file that controls a build, a tool, or the machine.
//! Deleting or moving a folder that contains a file on the user's list is a change to that file.
//! These pass: files on the default list that git moves or merges, empty folders, files in a folder for temporary files,
//! the manifest of a project whose folder the same call creates, and a lock file that the call has its package manager
//! write again.
//!
//! ## Why
//! Such a file runs code later or on other machines, and a shell command bypasses the rules for file tools.
//!
//! ## Examples
//! - asked: `echo x >> Makefile`
//! - asked: `sed -i s/a/b/ tsconfig.json`
//! - asked: `tar -xf x.tar -C /`
//! - asked: `git mv deploy.sh x.sh`, with `files = { confirm = ["deploy.sh"] }`
//! - passes: `cat Makefile`
//! - passes: `git mv Makefile GNUmakefile`
//!
//! ## Instead
//! Change the file with a file tool, so that the user sees the difference.
//!
//! ## Settings
//! - `files.confirm`: the names of such files.
//! - `files.exempt`: names that are never such files, such as templates.

use guard_sdk::Presence;
use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};
use guard_sensitive_paths::own_sensitive;

use super::Check;
use crate::blast_radius::{
    BlastRadius, blast_radius, is_in_home, is_in_project, is_inside, is_outside, is_temporary, deletes_whole,
};
use crate::by_products::is_resolved_again;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "shell-write-config",
    summary: "a change to a file that controls a build, a tool, or the machine",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    // In a container or on another host, the name is another file.
    if !matches!(effect.kind.as_str(), "write" | "delete") || effect.tag("where").is_some() {
        return None;
    }
    let files = &view.settings.files;
    let unpacks = effect.tag("archive").is_some() || effect.tag("by") == Some("rsync");
    // A folder is affected with a file in it that settings list.
    let within = || deletes_whole(effect).then(|| files.sensitive_within(effect, &|path| view.resolve(path))).flatten();
    let mut is_own = files.adds_sensitive(effect);
    let entry = match files.find_sensitive(effect).or_else(|| within().map(|taken| taken.entry).inspect(|_| is_own = true)) {
        // A project may be in a folder of programs.
        Some(entry) if entry.starts_with("/usr/") && is_in_project(effect, view) => return None,
        Some(entry) => entry,
        None if is_of_another_user(effect, view) => "/home/",
        // The archive is extracted into system directories.
        None if unpacks && blast_radius(effect, view) >= BlastRadius::System => "/",
        None => return None,
    };
    let is_rewritten = || !is_own && is_resolved_again(effect, view);
    let is_quiet = || {
        is_harmless(effect, entry, is_own)
            || is_temporary(effect, view)
            || is_of_new_project(effect, entry, view)
            || is_rewritten()
    };
    if files.find_secret(effect).is_some() || is_quiet() {
        return None;
    }
    let target = shorten(&effect.target);
    if effect.kind == "delete" && is_repository(&effect.target) {
        let remedy =
            "see the commits that no remote has with `git log --oneline --branches --not --remotes`, and ask the user";
        let hit = Hit::new(RULE.default, effect, "deletes the whole history in ", remedy).without_summary();
        return Some(
            hit.naming(format!("`{target}`"), ", with every commit that wasn't pushed").subject(&effect.target),
        );
    }
    // A link's name doesn't describe the file.
    let by_itself = files.sensitive(&effect.target) == Some(entry) || effect.target.trim_end_matches('/') == entry.trim_end_matches('/');
    let name = if by_itself { format!("`{target}`") } else { format!("`{target}` (`{entry}`)") };
    let remedy = if effect.kind == "delete" {
        "keep it, or ask the user to delete it"
    } else {
        "change it with the file tools, so that the user sees the diff"
    };
    let listing = files.find_sensitive(effect).and_then(|entry| own_sensitive(effect, entry));
    if let Some(listing) = listing {
        let hit = Hit::new(RULE.default, effect, "changes ", remedy).without_summary();
        return Some(hit.naming(name, format!(", {listing}")).subject(&effect.target));
    }
    let what = match effect.kind.as_str() {
        "delete" => "deletes a file that builds, tools or the machine use: ",
        _ => "changes a file that controls builds, tools or the machine: ",
    };
    Some(Hit::new(RULE.default, effect, what, remedy).naming(name, "").subject(&effect.target))
}

/// Returns whether the file is the manifest of a new project, in a folder that the text creates. It controls nothing
/// that existed before. Names with a leading dot may be for a tool that searches for them.
fn is_of_new_project(effect: &Effect, entry: &str, view: &CallView<'_>) -> bool {
    let makes = |other: &Effect| {
        let is_new = other.certain && other.path.exists == Presence::No && other.tag("directory").is_some();
        let folder = other.path.lexical.as_str();
        is_new && other.kind == "write" && other.tag("by") == Some("mkdir") && folder.len() > 1
            && other.command_id < effect.command_id
            && effect.path.lexical != folder && is_inside(&effect.path.lexical, folder)
    };
    let is_manifest = !entry.starts_with('.') && !entry.starts_with("mcp") && !entry.contains(['/', '~']);
    is_manifest
        && effect.kind == "write"
        && effect.certain
        && effect.path.exists == Presence::No
        && is_in_project(effect, view)
        && view.analysis.effects.iter().any(makes)
}

/// Returns whether the file is another user's: below a home that isn't the caller's and doesn't contain the project.
fn is_of_another_user(effect: &Effect, view: &CallView<'_>) -> bool {
    // Folders of homes that belong to a program, not to a person.
    const SHARED: &[&str] = &["linuxbrew", "Shared", "Public"];
    let user = |path: &str| {
        let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        let (user, below) = rest.split_once('/')?;
        (!user.is_empty() && !below.is_empty() && !SHARED.contains(&user)).then(|| user.to_owned())
    };
    let path = &effect.path;
    let Some(owner) = user(&path.raw).filter(|_| path.raw == path.lexical || user(&path.lexical).is_some()) else { return false };
    let facts = view.facts();
    let own = [&facts.home, &facts.cwd, &facts.project_root].into_iter().any(|folder| user(&format!("{folder}/x")) == Some(owner.clone()));
    !own && !is_in_home(effect, view) && is_outside(effect, view) && facts.home.starts_with('/')
}

/// Returns whether the folder is that of a repository itself.
fn is_repository(target: &str) -> bool {
    let folder = target.trim_end_matches(['/', '*']);
    folder.rsplit('/').next() == Some(".git")
}

/// Git's own files that start nothing: a stale lock, the text of a message, patterns to ignore.
const OF_GIT: &[&str] = &[
    "/.git/COMMIT_EDITMSG",
    "/.git/MERGE_HEAD",
    "/.git/MERGE_MSG",
    "/.git/description",
    "/.git/gc.log",
    "/.git/info/exclude",
];

/// Returns whether the file is a note or a draft of the harness's sessions, which controls nothing.
fn is_of_sessions(effect: &Effect) -> bool {
    let target = if effect.path.raw.is_empty() { &effect.target } else { &effect.path.raw };
    let below = |folder: &str| target.split_once(folder).is_some_and(|(_, rest)| !rest.is_empty() && !rest.contains(".."));
    below("/.claude/jobs/")
        || effect.kind == "write" && ["/.claude/projects/", "/.claude/todos/", "/.claude/plans/"].into_iter().any(below)
}

/// Returns whether the change starts nothing, now or later: an empty folder, a git move or merge, or a git file that no
/// program runs.
fn is_harmless(effect: &Effect, entry: &str, is_own: bool) -> bool {
    if entry.starts_with('/') {
        return false;
    }
    // Moved within the repository, or taken from one side of a merge: git has the content. Settings list files whose name
    // and place matter, too.
    let tracked = effect.tag("tracked").is_some() && !is_own || entry == ".claude/" && is_of_sessions(effect);
    let target = format!("/{}", effect.target);
    let own = |name: &&str| target.ends_with(*name);
    let lock = effect.kind == "delete" && target.contains("/.git/") && target.ends_with(".lock");
    effect.tag("directory").is_some() || tracked || lock || OF_GIT.iter().any(own)
}
