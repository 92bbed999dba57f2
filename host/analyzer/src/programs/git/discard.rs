//! Subcommands that throw away changes of the work tree or the stash.

use guard_sdk::syntax::{Command, Severity};

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::run::path;

/// The file goes back to what git holds: its changes are lost, and it is written.
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

/// Whether the operand stands for files that git itself lists as deleted: there are no changes in what is not there.
fn names_deleted(run: &Run<'_>, operand: &Operand<'_>) -> bool {
    let is_substituted = operand.word.parts.len() == 1 && operand.word.parts.iter().all(|part| part.kind == "command");
    let mut listing: Vec<&Command> = Vec::new();
    if is_substituted {
        let mut substitutions =
            run.command.argv.iter().filter(|word| word.parts.iter().any(|part| part.kind == "command"));
        // Which commands belong to which of several words is not told.
        let only = substitutions.next().is_some() && substitutions.next().is_none();
        listing.extend(run.pipelines.children(run.commands, run.command.id).filter(|_| only).take(MOST));
    } else if operand.text == "{}" && run.is_via("xargs") {
        let position = &run.command.position;
        listing.extend(run.pipelines.stages(run.commands, position.pipeline, position.index).take(MOST));
    }
    let Some((first, filters)) = listing.split_first() else { return false };
    let says = |wanted: &[&str]| first.argv.iter().any(|word| wanted.contains(&word.text.as_str()));
    let lists = match (first.program(), first.word(1)) {
        ("git", "ls-files") => {
            says(&["-d", "--deleted"]) && !says(&["-m", "--modified", "-o", "--others", "-c", "--cached"])
        }
        ("git", "diff") => says(&["--diff-filter=D"]) && says(&["--name-only"]),
        _ => false,
    };
    lists
        && filters
            .iter()
            .all(|command| matches!(command.program(), "grep" | "egrep" | "rg" | "head" | "tail" | "sort" | "uniq"))
}

/// The most commands that are looked at for the list of files.
const MOST: usize = 16;

/// Whether an operand can only be a path: a branch does not look so.
fn is_path(operand: &Operand<'_>) -> bool {
    let text = operand.text.as_ref();
    matches!(text, "." | "..") || text.starts_with(['.', '/', '~', ':']) || text.ends_with('/') || operand.word.glob
}

/// Whether an operand may be a file as well as a branch: it has something like an extension. A dot behind a number is
/// one of a version: `v1.2.3`, `release/1.x`.
fn may_be_path(operand: &Operand<'_>) -> bool {
    let name = operand.text.rsplit('/').next().unwrap_or_default();
    name.split_once('.').is_some_and(|(stem, _)| !stem.ends_with(|c: char| c.is_ascii_digit()))
}

/// In a conflict one of the two sides is taken whole, which both branches still hold.
fn takes_side(parsed: &Parsed<'_>) -> bool {
    parsed.is("", "ours") || parsed.is("", "theirs")
}

fn write_sides<'a>(run: &mut Run<'a>, operands: &[Operand<'a>]) {
    for operand in operands {
        run.write_as(operand, Draft::notable("write", "fs.write").tag("by", "git").flag("tracked", true));
    }
}

pub(super) fn checkout<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("p", "patch") {
        // The answers decide which parts of the files are put back.
        return write_sides(run, parsed.before_dashes.map_or(&[], |before| parsed.from(before)));
    }
    if parsed.has("", "pathspec-from-file") {
        run.emit(Draft::destructive("vcs", "git.discard").flag("listed", true));
    }
    if takes_side(parsed) {
        return write_sides(run, &parsed.operands);
    }
    if let Some(before) = parsed.before_dashes {
        parsed.from(before).iter().for_each(|operand| discard(run, operand, true));
        return;
    }
    if parsed.has("f", "force") {
        run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
    }
    let makes_branch = parsed.has("bBt", "orphan") || parsed.has("", "track") || parsed.is("", "detach");
    if makes_branch {
        return;
    }
    for (index, operand) in parsed.operands.iter().enumerate() {
        if index > 0 || is_path(operand) {
            discard(run, operand, true);
        } else if may_be_path(operand) {
            discard(run, operand, false);
        }
    }
}

pub(super) fn switch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("f", "force") || parsed.has("", "discard-changes") {
        run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
    }
}

pub(super) fn restore<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let index_only = parsed.has("S", "staged") && !parsed.has("W", "worktree");
    if parsed.has("p", "patch") {
        return write_sides(run, if index_only { &[] } else { &parsed.operands });
    }
    if index_only {
        // Without a source, it only takes back what was added.
        let from = if parsed.has("s", "source") { parsed.operands.as_slice() } else { &[] };
        return from.iter().for_each(|file| run.emit_on(Draft::notable("vcs", "git.index"), file));
    }
    if parsed.has("", "pathspec-from-file") {
        run.emit(Draft::destructive("vcs", "git.discard").flag("listed", true));
    }
    if takes_side(parsed) {
        return write_sides(run, &parsed.operands);
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
        // The words behind `save` are a message.
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

/// Files are put back to what git has, and with `-u` those that git doesn't have go away. The stash keeps both.
fn put_away(run: &mut Run<'_>, parsed: &Parsed<'_>, files: &[Operand<'_>]) {
    let takes_new = parsed.has("ua", "include-untracked") || parsed.has("", "all");
    let draft = Draft::notable("write", "fs.write").tag("by", "git").flag("tracked", true);
    if files.is_empty() && takes_new {
        return run.emit_among(draft.certain(false), std::iter::once("**/*".to_owned()));
    }
    let draft = draft.flag("pathspec", true);
    files.iter().for_each(|file| run.write_as(file, draft.clone()));
}

/// A file that is written over is not asked for twice.
pub(super) fn checkout_index<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // The prefix is a text before each name, so a folder only with a slash at its end.
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
