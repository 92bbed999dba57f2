//! Copies to and from other machines: the programs that they start, and the files that they delete at the end.

use super::{cp, is_remote, targets};
use crate::draft::Draft;
use crate::options::Parsed;
use crate::run::Run;
use crate::wrappers::remote::local_user;

pub(super) fn scp<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    cp(run, &with_own_files(run, parsed));
}

/// Replaces local files that are written with a host name by plain paths.
fn with_own_files<'a>(run: &Run<'a>, parsed: &Parsed<'a>) -> Parsed<'a> {
    let mut parsed = parsed.clone();
    for operand in &mut parsed.operands {
        if let Some(path) = own_file(&operand.text, run.home) {
            *operand = operand.renamed(path);
        }
    }
    parsed
}

/// Returns the path after `localhost:`, which is relative to the home directory.
fn own_file(text: &str, home: &str) -> Option<String> {
    let end = text.find("]:").map(|at| at + 1).or_else(|| text.find(':'))?;
    let (host, path) = text.split_at_checked(end)?;
    let path = path.strip_prefix(':').filter(|path| !path.starts_with(':'))?;
    local_user(host)?;
    let path = path.strip_prefix("~/").unwrap_or(path);
    Some(if path.starts_with('/') { path.to_owned() } else { format!("{home}/{path}") })
}

pub(super) fn rsync<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.on("n", "dry-run", false) {
        return;
    }
    let parsed = &with_own_files(run, parsed);
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
