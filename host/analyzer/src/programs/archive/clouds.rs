//! Copies in a cloud: uploads of files, and deletions of copies.

use crate::draft::Draft;
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// Returns whether an operand is `remote:path`, and not a local folder.
fn is_remote(operand: &Operand<'_>) -> bool {
    operand.text.split_once(':').is_some_and(|(remote, _)| !remote.contains('/'))
}

pub(super) fn rclone<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.on("n", "dry-run", false) || parsed.is("h", "help") {
        return;
    }
    let verb = parsed.text(0);
    let (from, to) = (parsed.operands.get(1), parsed.operands.get(2));
    match verb {
        "delete" | "purge" | "deletefile" | "cleanup" | "rmdirs" => {
            for target in from.into_iter() {
                if is_remote(target) {
                    run.emit(remote(&target.text));
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
                true => run
                    .emit(Draft::notable("network", "network.upload").target(&to.text).flag("file", !is_remote(from))),
                false => {
                    let by = run.name.clone();
                    let whole = !verb.ends_with("to");
                    run.write_as(to, Draft::notable("write", "fs.write").tag("by", &by).flag("tree", whole));
                }
            }
            // Files that the source lacks are deleted from the destination.
            if verb == "sync" && is_remote(to) {
                run.emit(remote(&to.text));
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

/// Drafts the deletion of data stored elsewhere.
fn remote(target: &str) -> Draft {
    let draft = Draft::destructive("delete", "remote.delete").target(target);
    draft
        .tag("loses", "files that may be kept nowhere else")
        .tag("instead", "see what would be deleted with `--dry-run`")
}
