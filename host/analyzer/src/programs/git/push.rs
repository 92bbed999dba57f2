//! `git push`: an effect for each refspec, with the operation on the remote branch.

use guard_sdk::syntax::Severity;

use crate::draft::Draft;
use crate::options::{Options, Parsed};
use crate::run::Run;

pub(super) const OPTIONS: Options = Options::new("o", "push-option receive-pack exec repo");

/// The operation of a push on the remote branch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PushKind {
    Plain,
    Lease,
    Force,
    Delete,
}

impl PushKind {
    fn draft(self) -> Draft {
        let (operation, severity) = match self {
            PushKind::Plain => ("git.push", Severity::Notable),
            PushKind::Lease => ("git.push.force-with-lease", Severity::Notable),
            PushKind::Force => ("git.push.force", Severity::Destructive),
            PushKind::Delete => ("git.push.delete", Severity::Destructive),
        };
        Draft::notable("vcs", operation).severe(severity, true)
    }
}

pub(super) fn push<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let mirror = parsed.has("", "mirror") || parsed.from(1).iter().any(|refspec| takes_all(&refspec.text));
    let manner = if parsed.has("d", "delete") {
        PushKind::Delete
    } else if parsed.is("f", "force") || mirror {
        PushKind::Force
    } else if parsed.has("", "force-with-lease") {
        // An abbreviation of both options, which git itself refuses.
        PushKind::Lease
    } else {
        PushKind::Plain
    };
    let repository = parsed.value("", "repo");
    let remote = repository.as_ref().map_or_else(|| parsed.text(0), |operand| operand.text.as_ref());
    // Options can be abbreviated. Even a dry run starts the program for the remote side.
    let undoes = |word: &guard_sdk::syntax::Word| {
        word.dynamic || ["--no-d", "--rec", "--exe"].iter().any(|start| word.text.starts_with(start))
    };
    let is_dry = parsed.on("n", "dry-run", true) && !run.arguments().iter().any(undoes);
    let draft = |manner: PushKind| {
        let mut draft = manner.draft();
        if !remote.is_empty() {
            draft = draft.tag("remote", remote);
        }
        if !parsed.text(0).is_empty() {
            draft = draft.tag("positional", parsed.text(0));
        }
        draft
            .flag("dry-run", is_dry)
            .flag("all", parsed.has("", "all") || parsed.has("", "branches"))
            .flag("mirror", mirror)
            .flag("tags", parsed.has("", "tags"))
            .flag("prune", parsed.has("", "prune"))
    };
    let refspecs = parsed.from(1).iter().filter(|refspec| refspec.text != "tag");
    let mut any = false;
    for refspec in refspecs {
        any = true;
        let (manner, branch) = read(&refspec.text, manner);
        run.emit(draft(manner).target(branch).certain(!refspec.dynamic));
    }
    if !any {
        let known = parsed.operands.iter().all(|operand| !operand.dynamic);
        run.emit(draft(manner).certain(known));
    }
}

/// Adds the effect of `git send-email`, which sends patches to people by mail.
pub(super) fn mails<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let looks = ["dry-run", "dump-aliases", "translate-aliases"].iter().any(|option| parsed.has("", option));
    if !looks {
        let to = parsed.value("", "to").map(|to| to.text.into_owned()).unwrap_or_default();
        run.emit(Draft::notable("cloud", "message.send").target(&to));
    }
}

/// Returns whether a refspec contains all references, as with `--mirror`.
fn takes_all(refspec: &str) -> bool {
    let refspec = refspec.trim_start_matches('+');
    refspec.split_once(':').map_or(refspec, |(source, _)| source) == "refs/*"
}

/// Returns the operation of one refspec, and its branch.
fn read(refspec: &str, manner: PushKind) -> (PushKind, &str) {
    let (forced, refspec) = refspec.strip_prefix('+').map_or((false, refspec), |rest| (true, rest));
    let (source, branch) = refspec.split_once(':').unwrap_or((refspec, refspec));
    let branch = branch.strip_prefix("refs/heads/").or_else(|| branch.strip_prefix("heads/")).unwrap_or(branch);
    if manner == PushKind::Delete || (source.is_empty() && !branch.is_empty()) {
        return (PushKind::Delete, branch);
    }
    (if forced { PushKind::Force } else { manner }, branch)
}
