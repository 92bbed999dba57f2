//! Copies to and from other machines: what they start on the way, and what they delete at the end.

use super::{cp, destination, is_remote};
use crate::effects::draft::Draft;
use crate::effects::run::Run;
use crate::programs::options::Parsed;

pub(super) fn scp<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let commands = parsed.values("o", "").filter_map(|option| {
        let (key, value) = option.text.split_once(['=', ' '])?;
        key.trim().to_ascii_lowercase().ends_with("command").then(|| value.trim().to_owned())
    });
    let programs: Vec<String> =
        commands.chain(parsed.values("S", "").map(|program| program.text.into_owned())).collect();
    programs.iter().for_each(|program| starts(run, program));
    cp(run, parsed);
}

/// Transports that a copy over the network ordinarily starts.
const TRANSPORTS: &[&str] = &["ssh", "rsh", "sshpass", "autossh", "rsync", "nice", "ionice", "kubectl", "docker"];

/// The program is started on the way; another one than a transport does what nobody sees.
fn starts(run: &mut Run<'_>, program: &str) {
    let first = program.split_whitespace().find(|word| !matches!(*word, "sudo" | "env" | "exec")).unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    if !name.is_empty() && !TRANSPORTS.contains(&name) && name != "none" && !name.starts_with('$') {
        run.starts_helper(program);
    }
}

pub(super) fn rsync<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "dry-run") {
        return;
    }
    let programs = parsed.values("e", "rsh").chain(parsed.values("", "rsync-path"));
    let programs: Vec<String> = programs.map(|program| program.text.into_owned()).collect();
    programs.iter().for_each(|program| starts(run, program));
    cp(run, parsed);
    for list in ["files-from", "exclude-from", "include-from", "password-file"] {
        parsed.values("", list).for_each(|file| run.read(&file));
    }
    let Some((sources, target, _)) = destination(parsed) else { return };
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
