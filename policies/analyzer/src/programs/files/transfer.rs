//! Copies to and from other machines: what they start on the way, and what they delete at the end.

use super::{cp, is_remote, targets};
use crate::draft::Draft;
use crate::options::Parsed;
use crate::run::Run;

pub(super) fn scp<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    cp(run, parsed);
}

pub(super) fn rsync<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "dry-run") {
        return;
    }
    cp(run, parsed);
    for list in ["files-from", "exclude-from", "include-from", "password-file"] {
        parsed.values("", list).for_each(|file| run.read(&file));
    }
    let Some(target) = targets::of(run, parsed) else { return };
    let (sources, target) = (target.sources, target.place);
    let deletes =
        ["delete", "delete-before", "delete-during", "delete-after", "delete-excluded", "delete-delay", "del"];
    if deletes.iter().any(|name| parsed.has("", name)) {
        if is_remote(&target) {
            let draft = Draft::destructive("delete", "fs.delete.recursive").target(&target.text);
            run.emit(draft.tag("by", "rsync").tag("where", "ssh"));
        } else {
            run.delete_tree(&target, false, "rsync");
        }
    }
    if parsed.has("", "remove-source-files") {
        sources.iter().filter(|source| !is_remote(source)).for_each(|source| run.delete(source, false));
    }
}
