//! Effects on cloud accounts and hosted repositories that no table can express: the files that a command copies.

use super::trees::keeps_names;
use crate::draft::Draft;
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// Adds the effects on the local side of a copy to or from S3.
pub(super) fn s3_copy<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let is_dry = parsed.on("", "dryrun", true);
    if is_dry || parsed.text(0) != "s3" || !matches!(parsed.text(1), "cp" | "mv" | "sync") {
        return;
    }
    let is_here = |operand: &&Operand<'a>| !operand.text.contains("://");
    parsed.from(2).iter().take(1).filter(is_here).for_each(|from| run.read(from));
    let whole = parsed.text(1) == "sync" || parsed.has("", "recursive");
    for to in parsed.from(3).iter().take(1).filter(is_here) {
        if whole || !keeps_names(&to.text) { run.write_tree(to) } else { run.write(to) }
    }
}

/// Adds the effects of `gh gist create`. The files become public, or available to anyone with the URL.
pub(super) fn gist<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.text(0) == "gist" && parsed.text(1) == "create" {
        parsed.from(2).iter().for_each(|file| run.read(file));
        run.emit(Draft::notable("network", "network.upload").target("gist"));
    }
}
