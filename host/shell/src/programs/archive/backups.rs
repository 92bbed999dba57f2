//! Backups and copies in a cloud: what sends files there, and what throws copies away.

use crate::effects::draft::Draft;
use crate::effects::run::Run;
use crate::programs::options::{Operand, Parsed};

/// Programs whose verbs stand in the table only.
pub(super) const NAMES: &[&str] = &["restic", "borg", "kopia", "duplicity", "tarsnap", "bup"];

/// The program, its verb, and an option that must be there, if one is named.
const VERBS: &[(&str, &str, &str)] = &[
    ("restic", "forget", ""),
    ("restic", "prune", ""),
    ("restic", "unlock", "--remove-all"),
    ("borg", "delete", ""),
    ("borg", "prune", ""),
    ("borg", "recreate", ""),
    ("kopia", "delete", ""),
    ("kopia", "snapshot", "delete"),
    ("duplicity", "cleanup", "--force"),
    ("duplicity", "remove-all-but-n-full", "--force"),
    ("duplicity", "remove-older-than", "--force"),
    ("tarsnap", "-d", ""),
    ("tarsnap", "--nuke", ""),
    ("bup", "rm", ""),
    ("bup", "gc", ""),
];

pub(super) fn by_verb<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "dry-run") || parsed.is("h", "help") {
        return;
    }
    let says = |wanted: &str| wanted.is_empty() || run.arguments().iter().any(|word| word.text == wanted);
    let found = VERBS.iter().any(|(program, verb, option)| {
        let is_verb = if verb.starts_with('-') { says(verb) } else { parsed.text(0) == *verb };
        run.name == *program && is_verb && says(option)
    });
    if found {
        run.emit(Draft::destructive("delete", "backup.delete").target(parsed.text(1)));
    }
}

/// `remote:path`, or a folder here.
fn is_remote(operand: &Operand<'_>) -> bool {
    operand.text.split_once(':').is_some_and(|(remote, _)| !remote.contains('/'))
}

pub(super) fn rclone<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "dry-run") || parsed.is("h", "help") {
        return;
    }
    let verb = parsed.text(0);
    let (from, to) = (parsed.operands.get(1), parsed.operands.get(2));
    match verb {
        "delete" | "purge" | "deletefile" | "cleanup" | "rmdirs" => {
            for target in from.into_iter() {
                if is_remote(target) {
                    run.emit(Draft::destructive("delete", "remote.delete").target(&target.text));
                } else {
                    run.delete_tree(target, true, "rclone");
                }
            }
        }
        "copy" | "copyto" | "sync" | "move" | "moveto" | "bisync" => {
            let (Some(from), Some(to)) = (from, to) else { return };
            if !is_remote(from) {
                run.read_as(from, Draft::routine("read", "fs.read").flag("recursive", true));
            }
            match is_remote(to) {
                true => run.emit(Draft::notable("network", "network.upload").target(&to.text)),
                false => run.write(to),
            }
            // What the source lacks goes from the destination.
            if verb == "sync" && is_remote(to) {
                run.emit(Draft::destructive("delete", "remote.delete").target(&to.text));
            } else if verb == "sync" {
                run.delete_tree(to, true, "rclone");
            }
            if verb.starts_with("move") && !is_remote(from) {
                run.delete(from, false);
            }
        }
        _ => {}
    }
}
