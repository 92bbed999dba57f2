//! Subcommands that show or pack current or former file content.

use super::operands::may_be_name;
use crate::draft::Draft;
use crate::options::{Operand, Parsed};
use crate::run::{Run, here};

/// Adds the write of the output file. With `--no-index`, the operands are ordinary files, which are read.
fn output<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("o", "output").for_each(|file| written(run, &file));
    if parsed.is("", "no-index") {
        parsed.operands.iter().for_each(|file| run.read(file));
    }
}

/// Adds the write of a file that git doesn't track for this command.
fn written(run: &mut Run<'_>, file: &Operand<'_>) {
    run.write_as(file, Draft::notable("write", "fs.write").tag("by", "git").flag("output", true));
}

/// `git format-patch`, which writes a file for each commit.
pub(super) fn format_patch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("", "output").for_each(|file| written(run, &file));
    if parsed.is("", "stdout") || parsed.is("", "output") {
        return;
    }
    let folder = parsed.value("o", "output-directory");
    folder.iter().for_each(|folder| written(run, folder));
    let here = here();
    let folder = folder.unwrap_or_else(|| Operand::of(&here));
    let path = format!("{}/*.patch", folder.text.trim_end_matches('/'));
    let draft = Draft::notable("write", "fs.write").tag("by", "git").flag("output", true).flag("tree", true);
    run.write_as(&folder.renamed(path), draft.certain(false));
}

/// `git fast-export`
pub(super) fn fast_export<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("", "export-marks").for_each(|file| written(run, &file));
}

/// Returns the operands that can only be files: those after `--`, and those that start like a path.
fn files<'p, 'a>(parsed: &'p Parsed<'a>) -> impl Iterator<Item = &'p Operand<'a>> {
    let operands = parsed.operands.iter().enumerate();
    operands.filter(move |(at, operand)| is_file(parsed, *at, operand)).map(|(_, operand)| operand)
}

fn is_file(parsed: &Parsed<'_>, at: usize, operand: &Operand<'_>) -> bool {
    let is_spelt = operand.text.starts_with(['.', '~', '/']) && !operand.text.contains("..");
    is_spelt || parsed.before_dashes.is_some_and(|dashes| at >= dashes)
}

fn shown(run: &mut Run<'_>, operand: &Operand<'_>) {
    run.read_as(operand, Draft::routine("read", "fs.read").flag("revision", true));
}

pub(super) fn diff<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    output(run, parsed);
    let counts =
        ["stat", "shortstat", "numstat", "name-only", "name-status", "summary", "quiet", "dirstat", "no-index"];
    if !counts.iter().any(|name| parsed.is("", name)) {
        files(parsed).for_each(|file| shown(run, file));
    }
}

pub(super) fn log<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    output(run, parsed);
    if parsed.is("pu", "patch") {
        files(parsed).for_each(|file| shown(run, file));
    }
}

pub(super) fn blame<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.last().into_iter().for_each(|file| shown(run, file));
}

pub(super) fn grep<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // The matches reveal the patterns in a file, although these aren't printed.
    parsed.values("f", "file").for_each(|file| run.read(&file));
    if !parsed.is("l", "files-with-matches") && !parsed.is("q", "quiet") && !parsed.is("c", "count") {
        let patterns = usize::from(!parsed.is("ef", "file"));
        // A branch looks like a file, but its name is on no list.
        let may_be_file = |operand: &Operand<'_>| may_be_name(operand) && !operand.text.contains("..");
        let named = parsed.operands.iter().enumerate().skip(patterns);
        let named = named.filter(|(at, operand)| is_file(parsed, *at, operand) || may_be_file(operand));
        named.for_each(|(_, file)| shown(run, file));
        // These options also search ignored files.
        let takes_ignored =
            parsed.is("", "no-index") || parsed.is("", "untracked") && parsed.is("", "no-exclude-standard");
        if takes_ignored {
            crate::programs::text::sweep::find(run, parsed, parsed.is("ef", "file"), true);
        }
    }
}

/// Adds the reads of `REVISION:PATH`, a file's content in a revision.
pub(super) fn revision_file<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|operand| revision(run, operand));
}

/// Adds the read of one such operand.
pub(super) fn revision<'a>(run: &mut Run<'a>, operand: &Operand<'a>) {
    let file = operand.text.split_once(':').filter(|(revision, file)| !revision.contains('/') && !file.is_empty());
    if let Some((_, file)) = file {
        shown(run, &operand.renamed(file.to_owned()));
    }
}

/// `git stash show -p`
pub(super) fn stash_show<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("pu", "patch") {
        files(parsed).for_each(|file| shown(run, file));
    }
}

pub(super) fn show<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    output(run, parsed);
    revision_file(run, parsed);
}

pub(super) fn archive<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    output(run, parsed);
    parsed.from(1).iter().for_each(|file| shown(run, file));
}

pub(super) fn bundle<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.text(0) == "create" {
        parsed.from(1).iter().take(1).for_each(|file| written(run, file));
    }
}

/// Adds the reads of `git add`, whose files are in the history from the next commit on. A forced `add` even includes
/// ignored files.
pub(super) fn add<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let forced = parsed.is("f", "force");
    if !parsed.on("n", "dry-run", false) {
        for file in &parsed.operands {
            run.read_as(file, Draft::routine("read", "fs.read").flag("kept", !forced));
        }
    }
}

pub(super) fn hash_object<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("w", "") {
        parsed.operands.iter().for_each(|file| run.read(file));
    }
}
