//! Subcommands that discard changes in the work tree or the stash.

use guard_sdk::syntax::Severity;

use super::operands::{is_answered, is_listed_file, is_path, may_be_name, may_be_path, names_deleted};
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::run::path;

/// Adds the loss of a file's changes, and its write with git's content.
fn discard(run: &mut Run<'_>, operand: &Operand<'_>, certain: bool) {
    if names_deleted(run, operand) {
        return run.write_as(operand, Draft::notable("write", "fs.write").tag("by", "git").flag("tracked", true));
    }
    let draft = Draft::destructive("vcs", "git.discard").certain(certain);
    let place = path::place(operand, run.cwd(), run.home);
    let whole = path::is_whole_directory(&operand.text, operand.word.glob, place.relative) || operand.text == ":/";
    run.emit_on(draft.flag("whole-directory", whole).flag("glob", operand.word.glob), operand);
    run.write_as(operand, Draft::notable("write", "fs.write").tag("by", "git").certain(certain));
}

/// Returns whether one side of a conflict is taken completely. Both branches still contain their sides.
fn takes_side(parsed: &Parsed<'_>) -> bool {
    parsed.is("", "ours") || parsed.is("", "theirs")
}

/// Adds the effects of taking one side of a conflict. Files without a conflict are reset to git's content, so the tag
/// `side` marks the effect as harmless only during a merge.
fn take_sides<'a>(run: &mut Run<'a>, operands: &[Operand<'a>]) {
    for operand in operands {
        run.emit_on(Draft::destructive("vcs", "git.discard").flag("side", true), operand);
    }
    write_sides(run, operands);
}

fn write_sides<'a>(run: &mut Run<'a>, operands: &[Operand<'a>]) {
    for operand in operands {
        run.write_as(operand, Draft::notable("write", "fs.write").tag("by", "git").flag("tracked", true));
    }
}

/// Git prompts for each change. Answers from a pipe or a file discard changes unseen.
fn pick_parts<'a>(run: &mut Run<'a>, files: &[Operand<'a>]) {
    write_sides(run, files);
    if is_answered(run) {
        let draft = Draft::destructive("vcs", "git.discard").flag("listed", true);
        match files.first() {
            Some(file) => run.emit_on(draft, file),
            None => run.emit(draft.target(".").flag("whole-directory", true)),
        }
    }
}

pub(super) fn checkout<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("p", "patch") {
        return pick_parts(run, parsed.before_dashes.map_or(&[], |before| parsed.from(before)));
    }
    if parsed.has("", "pathspec-from-file") {
        run.emit(Draft::destructive("vcs", "git.discard").flag("listed", true));
    }
    if takes_side(parsed) {
        return take_sides(run, &parsed.operands);
    }
    let files = parsed.before_dashes.map_or(&[][..], |before| parsed.from(before));
    if !files.is_empty() {
        files.iter().for_each(|operand| discard(run, operand, true));
        return;
    }
    if parsed.has("f", "force") {
        run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
    }
    resets_branch(run, parsed, "B");
    // Without files after `--`, the operand is a commit.
    if parsed.before_dashes.is_some() {
        return;
    }
    let makes_branch = parsed.has("bBt", "orphan") || parsed.has("", "track") || parsed.is("", "detach");
    if makes_branch {
        return;
    }
    for (index, operand) in parsed.operands.iter().enumerate() {
        if index > 0 || is_path(operand) {
            discard(run, operand, true);
        } else if may_be_path(operand) || is_listed_file(run, operand) {
            discard(run, operand, false);
        } else if parsed.operands.len() == 1 && may_be_name(operand) {
            // Only if such a file exists. Otherwise, it is a branch.
            let draft = Draft::destructive("vcs", "git.discard").certain(false);
            run.emit_on(draft.flag("unless-branch", true), operand);
        }
    }
}

/// Adds the move of a branch that is recreated from another commit, and loses the commits that only it contained.
fn resets_branch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>, letter: &str) {
    if let (Some(branch), Some(start)) = (parsed.value(letter, ""), parsed.operands.first())
        && start.text != "HEAD"
        && start.text.rsplit('/').next() != Some(branch.text.as_ref())
    {
        super::refs::moved(run, &branch);
    }
}

pub(super) fn switch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    resets_branch(run, parsed, "C");
    if parsed.has("f", "force") || parsed.has("", "discard-changes") {
        run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
    }
}

pub(super) fn restore<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let index_only = parsed.has("S", "staged") && !parsed.has("W", "worktree");
    if parsed.has("p", "patch") {
        if !index_only {
            pick_parts(run, &parsed.operands);
        }
        return;
    }
    if index_only {
        // Without a source, it only unstages files.
        let from = if parsed.has("s", "source") { parsed.operands.as_slice() } else { &[] };
        return from.iter().for_each(|file| run.emit_on(Draft::notable("vcs", "git.index"), file));
    }
    if parsed.has("", "pathspec-from-file") {
        run.emit(Draft::destructive("vcs", "git.discard").flag("listed", true));
    }
    if takes_side(parsed) {
        return take_sides(run, &parsed.operands);
    }
    parsed.operands.iter().for_each(|operand| discard(run, operand, true));
}

pub(super) fn stash<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((first, words)) = parsed.rest.split_first().filter(|_| parsed.before_dashes.is_none()) else {
        return put_away(run, parsed, &parsed.operands);
    };
    if first.text.eq_ignore_ascii_case("show") {
        let shown = run.parse(words, Options::NONE);
        return super::looks::stash_show(run, &shown);
    }
    if matches!(first.text.as_str(), "push" | "save") {
        let rest = run.parse(words, Options::new("m", "message pathspec-from-file"));
        // The words after `save` are a message.
        return put_away(run, &rest, if first.text == "push" { &rest.operands } else { &[] });
    }
    let clear = first.text.eq_ignore_ascii_case("clear");
    if !clear && !first.text.eq_ignore_ascii_case("drop") {
        return;
    }
    let rest = run.parse(words, Options::NONE);
    let draft = Draft::notable("vcs", "git.stash.drop").severe(Severity::Destructive, true);
    run.emit(draft.target(rest.text(0)).flag("all", clear));
}

/// Adds the writes of files that are reset to git's content. With `-u`, untracked files are removed. The stash keeps
/// both.
fn put_away(run: &mut Run<'_>, parsed: &Parsed<'_>, files: &[Operand<'_>]) {
    let takes_new = parsed.has("ua", "include-untracked") || parsed.has("", "all");
    let draft = Draft::notable("write", "fs.write").tag("by", "git").flag("tracked", true);
    if files.is_empty() && takes_new {
        return run.emit_among(draft.certain(false), std::iter::once("**/*".to_owned()));
    }
    let draft = draft.flag("pathspec", true);
    files.iter().for_each(|file| run.write_as(file, draft.clone()));
}

/// Adds the writes of files with a prefix, and the loss of changes with `--force`.
pub(super) fn checkout_index<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // The prefix is prepended to each name, so it is only a folder if it ends with a slash.
    if let Some(prefix) = parsed.value("", "prefix") {
        if prefix.text.ends_with('/') && parsed.operands.is_empty() {
            run.write_tree(&prefix);
        }
        for file in &parsed.operands {
            run.write(&prefix.renamed(format!("{}{}", prefix.text, file.text)));
        }
    }
    if parsed.is("f", "force") && !parsed.is("", "prefix") {
        run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
    }
}

pub(super) fn read_tree<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some(prefix) = parsed.value("", "prefix").filter(|_| parsed.is("u", "")) {
        run.write_tree(&prefix);
    }
    if parsed.has("", "reset") && parsed.is("u", "") && !parsed.on("n", "dry-run", false) {
        run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
    }
}

pub(super) fn submodule<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let rest = run.parse(words, Options::new("b", "branch name depth reference"));
    if first.text == "add"
        && let Some(url) = rest.operands.first()
    {
        match rest.operands.get(1) {
            Some(folder) => run.write_tree(folder),
            None => run.write_tree(&crate::programs::trees::folder_of(url)),
        }
    }
    let loses = match first.text.as_str() {
        "deinit" | "update" => rest.is("f", "force"),
        _ => false,
    };
    if loses {
        run.emit(Draft::destructive("vcs", "git.discard").target(rest.text(0)).flag("force", true));
    }
}
