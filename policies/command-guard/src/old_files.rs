//! Searches that clean up a folder for temporary files by deleting only files that are at least days old.

use guard_sdk::syntax::{Command, Effect};

use crate::blast_radius::is_inside;
use crate::call_view::CallView;

/// Folders that systems clean up by the age of the files.
const FOLDERS: &[&str] =
    &["/tmp", "/private/tmp", "/var/tmp", "/private/var/tmp", "$TMPDIR", "${TMPDIR}", "${TMPDIR:-/tmp}"];

/// Tests with a value that only narrow down a search.
const NARROWING: &[&str] =
    &["-group", "-iname", "-maxdepth", "-mindepth", "-name", "-path", "-perm", "-regextype", "-size", "-type", "-user"];

/// Returns whether the deletion only affects files that a search finds by their age in a folder for temporary files
/// that contains neither the project nor the home.
pub(crate) fn is_clean_up(effect: &Effect, view: &CallView<'_>) -> bool {
    let search = search(effect, view).filter(|search| search.program() == "find");
    effect.tag("where").is_none() && search.is_some_and(|search| finds_old_files(search, view))
}

/// Returns the command that finds the deleted files.
fn search<'a>(effect: &Effect, view: &'a CallView<'_>) -> Option<&'a Command> {
    let command = view.command(effect)?;
    match command.via.last().map(|via| via.kind.as_str()) {
        None if effect.tag("by") == Some("find") => Some(command),
        Some("find-exec") => view.command_by_id(command.parent),
        Some("xargs") if command.position.index == 1 => {
            let is_first = |other: &&Command| other.position.index == 0 && other.parent == command.parent;
            let mut pipeline = view.analysis.commands.iter().filter(is_first);
            pipeline.find(|first| first.position.pipeline == command.position.pipeline)
        }
        _ => None,
    }
}

/// Returns whether all files that the search finds are at least a day old.
fn finds_old_files(search: &Command, view: &CallView<'_>) -> bool {
    let mut words = search.argv.iter().skip(1).map(|word| word.text.as_str()).peekable();
    let mut starts = 0;
    while let Some(start) = words.next_if(|word| !word.starts_with(['-', '(', '!'])) {
        starts += 1;
        if !is_temporary(start, view) {
            return false;
        }
    }
    let mut is_old = false;
    while let Some(word) = words.next() {
        match word {
            "-mtime" | "-atime" | "-ctime" => is_old |= words.next().is_some_and(is_days),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                // The words after the program are its own.
                while words.next().is_some_and(|word| !matches!(word, ";" | "+")) {}
            }
            "-delete" | "-depth" | "-empty" | "-mount" | "-print" | "-print0" | "-xdev" => {}
            "-not" | "!" if words.peek().is_some_and(|test| matches!(*test, "-name" | "-path")) => {}
            word if NARROWING.contains(&word) => drop(words.next()),
            _ => return false,
        }
    }
    starts > 0 && is_old
}

/// `+7`: more than a week.
fn is_days(value: &str) -> bool {
    value.strip_prefix('+').is_some_and(|days| days.parse::<u32>().is_ok_and(|days| days > 0))
}

/// Returns whether the search starts at the folder, or at its content.
fn is_temporary(start: &str, view: &CallView<'_>) -> bool {
    let folder = start.strip_suffix("/*").unwrap_or(start).trim_end_matches('/');
    let facts = view.facts();
    let holds = |place: &String| !place.is_empty() && is_inside(place, folder);
    FOLDERS.contains(&folder) && ![&facts.cwd, &facts.project_root, &facts.home].into_iter().any(holds)
}
