//! `rm-glob`: the loss of files that the command doesn't name:
//!
//! - `rm` with an unquoted pattern, and `find -delete`
//! - `rm` of names that a list supplies, by `xargs`, a loop or a substitution, even in a fixed folder
//! - commands that empty files selected by a pattern or such a list
//! - `mv` of everything in the project to another place
//! - a worktree, a backup or a neighboring checkout that is copied over the project
//! - a formatter, a fixing linter or a codemod on a folder outside of the project and of repositories
//! - an archive that is unpacked over the project with an option to replace files, unless the same call created the
//!   archive
//!
//! These pass:
//!
//! - build products such as `*.o` and `dist/*.map`
//! - files whose names are only known at run time, in a folder of build output
//! - files in a folder for temporary files, if the pattern contains a name (`/tmp/app-*.log`), or if they are days old
//! - files in the project that only an interpreter, an editor or a system creates, such as `*.pyc` and `.DS_Store`
//!
//! ## Why
//! The command doesn't show which files are lost, and a stray space makes `*.log` mean every file.
//!
//! ## Examples
//! - asked: `rm *.log`
//! - asked: `find . -name '*.o' -delete`
//! - asked: `truncate -s 0 *.py`
//! - asked: `while read -r f; do rm "notes/$f"; done < list`
//! - asked: `mv * ../elsewhere`
//! - asked: `cp -a .worktrees/topic/. .`
//! - asked: `unzip -o site.zip`
//! - asked: `npx eslint --fix ~/elsewhere`
//! - passes: `npx eslint --fix src`
//! - passes: `rm a.log`
//! - passes: `rm -f *.pyc`
//! - passes: `ls dist | xargs -I{} rm dist/{}`
//! - passes: `find . -name '*.o' -print`
//! - passes: `find . -name '*.pyc' -delete`
//! - passes: `find /tmp -type f -mtime +7 -delete`
//! - passes: `find . -type d -name old -delete`
//! - passes: `cp -an .worktrees/topic/. .`
//! - passes: `unzip -o site.zip -d site`
//!
//! ## Instead
//! List the files first with `ls`, and name them.

use guard_sdk::Presence;
use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};

use super::Check;
use super::rm_recursive_force::{asks_first, deleted_path};
use crate::blast_radius::{is_disposable, is_inside, is_outside, is_temporary};
use crate::by_products::{COMPILED_ENDS, OF_BUILDS, is_below_output, is_brought, is_by_product, is_program_name};
use crate::call_view::{CallView, Hit, shorten};
use crate::old_files;
use crate::overwritten::{Replacing, replacing};

pub(crate) const RULE: Rule = Rule {
    id: "rm-glob",
    summary: "loss of files that the command doesn't name",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Loss(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if let Some(what) = replacing(effect, view) {
        return Some(replaced_files_hit(effect, what));
    }
    if let Some(hit) = rewritten(effect, view) {
        return Some(hit);
    }
    effect.tag("glob")?;
    if let Some(hit) = moved_away_hit(effect, view) {
        return Some(hit);
    }
    let deletes = matches!(effect.operation.as_str(), "fs.delete" | "fs.delete.recursive");
    let by_code = || view.analysis.scripts.iter().any(|script| script.command_id == effect.command_id);
    let deleter = |program| super::is_program(program, &["rm", "unlink", "shred", "find"]);
    let moved = effect.tag("by").is_some_and(|by| by == "mv" || !deleter(by) && !by_code());
    let empties = effect.operation == "fs.write" && effect.tag("empties").is_some();
    let made_again = effect.operation == "fs.delete"
        && (old_files::is_clean_up(effect, view)
            || match effect.tag("filtered") {
                None => is_made_again(effect, view) && !is_brought(effect, view),
                Some(_) => is_of_temporary(effect, view),
            })
        || deletes && (is_by_product(effect, view) || asks_first(effect, view));
    ((deletes && !moved && !is_disposable(effect) || empties) && !made_again).then(|| {
        let what = if empties { "empties" } else { "deletes" };
        let target = format!("`{}`", shorten(&effect.target));
        let is_start = || effect.tag("by") == Some("find") && !effect.target.contains(['*', '?', '[']);
        let (which, name, rest) = if effect.tag("filtered").is_some() {
            ("everything below ", target, " that matches the search")
        } else if effect.target.contains("{}") {
            ("", deleted_path(effect, view), "")
        } else if effect.tag("whole-directory").is_some() {
            ("everything in ", target, "")
        } else if is_start() {
            ("everything below ", target, "")
        } else {
            ("everything that matches ", target, "")
        };
        let remedy = match effect.tag("by") {
            Some("find") => "list them first with `find` without `-delete`, and name them",
            _ if effect.target.contains("{}") => "list the names first, and pass them explicitly",
            _ => "list them first with `ls`, and name them",
        };
        Hit::new(RULE.default, effect, format!("the command {what} {which}"), remedy).naming(name, rest)
    })
}

/// Returns a hit for a formatter or codemod that rewrites the files of a folder outside of the project and of
/// repositories.
fn rewritten(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let path = &effect.path;
    let facts = view.facts();
    let is_own = |folder: &String| !folder.is_empty() && is_inside(&path.lexical, folder);
    let is_elsewhere = path.lexical.starts_with('/')
        && path.git_root.is_empty()
        && effect.tag("where").is_none()
        && ![&facts.cwd, &facts.project_root].into_iter().any(is_own)
        && !is_temporary(effect, view);
    let is_folder = effect.operation == "fs.write" && effect.tag("rewrites").is_some() && path.kind != "file";
    (is_folder && is_elsewhere).then(|| {
        let why = "rewrites every file that the program understands in a folder outside of the project: ";
        let hit = Hit::new(RULE.default, effect, why, "check first with the program's option for it, such as `--check`");
        hit.naming(format!("`{}`", shorten(&effect.target)), "")
    })
}

/// Returns a hit for project files that are replaced by others with the same names.
fn replaced_files_hit(effect: &Effect, what: Replacing) -> Hit {
    let (why, remedy) = match what {
        Replacing::Archive => (
            "overwrites files that the archive also contains, in ",
            "commit your work first, or unpack into a new folder and compare",
        ),
        Replacing::Copy => (
            "overwrites files with those of another copy, in ",
            "commit your work first, or compare the two with `diff -rq`",
        ),
    };
    Hit::new(RULE.default, effect, why, remedy).naming(format!("`{}`", shorten(&effect.target)), "")
}

/// Returns a hit for files from another program that a move takes out of the project, or that aren't part of it.
fn moved_away_hit(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    let command = view.command(effect).filter(|_| effect.tag("by") == Some("mv"))?;
    let is_found = command.via.iter().any(|via| matches!(via.kind.as_str(), "find-exec" | "xargs"));
    let written = |other: &&Effect| other.command_id == effect.command_id && other.operation == "fs.write";
    let leaves = is_outside(effect, view) || view.analysis.effects.iter().filter(written).any(|to| is_outside(to, view));
    if is_all_of_project(effect, view) && view.analysis.effects.iter().filter(written).any(|to| leaves_project(to, view)) {
        let why = "moves everything out of the project: ";
        let hit = Hit::new(RULE.default, effect, why, "name what is to be moved");
        return Some(hit.naming(format!("`{}`", shorten(&effect.target)), ""));
    }
    // A search by name is specific.
    (is_found && leaves && effect.certain).then(|| {
        let why = "moves everything that a search finds without recording where it was: ";
        let remedy = "list the names first, and move them explicitly";
        Hit::new(RULE.default, effect, why, remedy).naming(format!("`{}`", shorten(&effect.target)), "")
    })
}

/// Returns whether a pattern matches everything in the project's folder.
fn is_all_of_project(effect: &Effect, view: &CallView<'_>) -> bool {
    let facts = view.facts();
    let path = effect.path.lexical.as_str();
    let folder = path.rsplit_once('/').filter(|(_, name)| is_everything(name)).map(|(folder, _)| folder);
    !facts.project_root.is_empty() && folder == Some(facts.project_root.trim_end_matches('/'))
}

/// Returns whether the destination of a move is outside of the project.
fn leaves_project(to: &Effect, view: &CallView<'_>) -> bool {
    let path = to.path.lexical.as_str();
    !path.is_empty() && !is_inside(path, &view.facts().project_root)
}

/// Endings of files that an editor, a merge or a test run recreates.
const BY_PRODUCTS: &[&str] = &[".aux", ".orig", ".rej", ".swo", ".swp", ".tmp", ".tsbuildinfo", "~"];

/// Returns whether a search by name deletes files below a folder for temporary files that doesn't contain the project.
fn is_of_temporary(effect: &Effect, view: &CallView<'_>) -> bool {
    let names_some = effect.tag("every").is_some_and(|name| !is_everything(name));
    let facts = view.facts();
    let start = &effect.path.canonical;
    // A folder that doesn't exist, or that the text fills, may differ when the command runs.
    let fills = |other: &Effect| {
        let path = &other.path.lexical;
        other.command_id < effect.command_id && other.kind != "read" && (is_inside(path, start) || is_inside(start, path))
    };
    if effect.path.exists != Presence::Yes || view.analysis.effects.iter().any(fills) {
        return false;
    }
    let holds = |folder: &String| !folder.is_empty() && is_inside(folder, start);
    !start.is_empty()
        && names_some && is_temporary(effect, view) && ![&facts.cwd, &facts.project_root, &facts.home].into_iter().any(holds)
}

fn is_everything(name: &str) -> bool {
    name.chars().all(|c| "*?.[]!".contains(c))
}

/// Returns whether the pattern names by-products: of a compiler or editor by their ending, of a build by their folder
/// and an ending, or files below a folder for temporary files. A `*` alone may match anything.
fn is_made_again(effect: &Effect, view: &CallView<'_>) -> bool {
    let target = effect.tag("pattern").unwrap_or(&effect.target);
    let (folder, name) = target.rsplit_once('/').unwrap_or(("", target));
    let is_plain = |text: &str| !text.contains(['*', '?', '[', '$', '{']);
    if effect.tag("pattern").is_some() && (is_below_output(folder, view) || is_program_name(name)) {
        return true;
    }
    if !is_everything(name) && is_temporary(effect, view) {
        return true;
    }
    // Files that another program finds may be anywhere below.
    let written =
        view.command(effect).is_some_and(|command| command.argv.iter().any(|word| word.text == effect.target));
    let Some(end) = name.strip_prefix('*').filter(|end| is_plain(end) && written) else { return false };
    let built = !folder.is_empty() && folder.split('/').all(|part| is_plain(part) && part != "..") && {
        let last = folder.rsplit('/').next().unwrap_or_default();
        OF_BUILDS.contains(&last) && end.len() > 1 && end.starts_with('.')
    };
    BY_PRODUCTS.contains(&end) || COMPILED_ENDS.contains(&end) || built
}
