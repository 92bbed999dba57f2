//! `find` and what it deletes or writes by itself, and the operands it supplies to the commands it starts.

use guard_sdk::syntax::{Command, Word};

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::{Run, here};

pub(super) const TABLE: &[Program] = &[Program::new(&["find", "gfind"], Options::NONE, find)];

/// Tests that leave most files alone. `-type` and the depth are not among them.
const FILTERS: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newer",
    "-newermt",
    "-size",
    "-empty",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-inum",
    "-samefile",
    "-nouser",
    "-nogroup",
    "-links",
    "-lname",
];

/// Where it starts; the working directory if nothing is named.
fn starts(words: &[Word]) -> impl Iterator<Item = &Word> {
    let is_option = |word: &&Word| matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O");
    let ends = |word: &Word| word.text.starts_with('-') || matches!(word.text.as_str(), "(" | "!" | "\\(");
    words.iter().skip_while(is_option).take_while(move |word| !ends(word))
}

fn is_filtered(words: &[Word]) -> bool {
    words.iter().any(|word| FILTERS.contains(&word.text.to_ascii_lowercase().as_str()))
}

fn find<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let words = run.arguments();
    if words.iter().any(|word| word.text.eq_ignore_ascii_case("-delete")) {
        delete(run, words);
    }
    for pair in words.windows(2) {
        let [option, file] = pair else { continue };
        if matches!(option.text.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls") {
            run.write(&Operand::of(file));
        }
    }
}

fn delete<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let filtered = is_filtered(words);
    let mut any = false;
    for start in starts(words) {
        any = true;
        let operand = Operand::of(start);
        if filtered {
            run.emit_on(some_files(), &operand);
        } else {
            run.delete_tree(&operand, true, "find");
        }
    }
    if any {
        return;
    }
    let here = here();
    let here = Operand::of(&here);
    if filtered {
        run.emit_on(some_files(), &here);
    } else {
        run.delete_tree(&here, true, "find");
    }
}

fn some_files() -> Draft {
    Draft::notable("delete", "fs.delete").flag("glob", true).flag("filtered", true).tag("by", "find")
}

/// The start paths that `{}` stands for, if the operand comes from a `find` that leaves nothing out.
///
/// `None` where the operand is an ordinary one, or stands for some files only.
pub(super) fn starts_of<'a>(run: &Run<'a>, operand: &Operand<'a>) -> Option<Vec<Operand<'a>>> {
    if operand.text != "{}" || !run.is_via("find-exec") {
        return None;
    }
    let place = usize::try_from(run.command.parent).ok()?.checked_sub(1)?;
    let parent: &'a Command = run.commands.get(place).filter(|command| command.id == run.command.parent)?;
    let words: &'a [Word] = parent.argv.get(1..).unwrap_or_default();
    if !parent.program().ends_with("find") || is_filtered(words) {
        return None;
    }
    let found: Vec<Operand<'a>> = starts(words).take(64).map(Operand::of).collect();
    (!found.is_empty()).then_some(found)
}
