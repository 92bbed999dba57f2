//! Programs that delete what runs or is kept elsewhere: cloud accounts, infrastructure, hosted repositories.

use guard_sdk::syntax::Severity;

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["pulumi"], Options::new("sC", &["stack", "cwd"]), pulumi),
    Program::new(&["gcloud", "az", "doctl", "heroku", "flyctl", "fly", "vercel", "netlify"], ACCOUNT, account),
    Program::new(
        &["firebase", "railway", "turso", "neonctl", "oci", "ibmcloud", "linode-cli", "hcloud"],
        ACCOUNT,
        account,
    ),
    Program::new(&["vault", "bao"], ACCOUNT, vault),
    Program::new(&["gsutil"], Options::new("oh", &[]), gsutil),
    Program::new(&["gh"], Options::new("RXFfHq", &["repo", "method", "field", "raw-field", "header", "input"]), gh),
];

const ACCOUNT: Options = Options::new(
    "agnosc",
    &[
        "project",
        "app",
        "resource-group",
        "name",
        "zone",
        "region",
        "subscription",
        "output",
        "format",
        "query",
        "filter",
        "org",
        "team",
        "config",
        "account-name",
        "account-key",
        "source",
        "pattern",
        "container-name",
    ],
);

/// The local side of a copy to or from S3.
pub(super) fn s3_copy<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let is_dry = parsed.on("", "dryrun", true);
    if is_dry || parsed.text(0) != "s3" || !matches!(parsed.text(1), "cp" | "mv" | "sync") {
        return;
    }
    let is_here = |operand: &&Operand<'a>| !operand.text.contains("://");
    parsed.from(2).iter().take(1).filter(is_here).for_each(|from| run.read(from));
    parsed.from(3).iter().take(1).filter(is_here).for_each(|to| run.write(to));
}

fn pulumi<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let removes = parsed.text(0) == "stack" && parsed.text(1) == "rm";
    if matches!(parsed.text(0), "destroy" | "down") || removes {
        run.emit(Draft::catastrophic("cloud", "pulumi.destroy"));
    }
}

/// What a verb of an account's program loses; `None` if nothing.
fn verb_severity(word: &str) -> Option<Severity> {
    let verb = word.rsplit(':').next().unwrap_or_default();
    let verb = verb.strip_suffix("-batch").unwrap_or(verb);
    match verb {
        "delete" | "destroy" | "remove" | "rm" | "purge" | "reset" => Some(Severity::Destructive),
        "unset" | "leave" | "kill" | "rename" | "down" | "stop" | "transfer" => Some(Severity::Notable),
        _ if word.ends_with("maintenance:on") => Some(Severity::Notable),
        _ => None,
    }
}

/// Accounts whose programs spell it `NOUN... delete NAME` or `NOUN:destroy`.
fn account<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let name = run.name.clone();
    let words = parsed.operands.iter().take(5).enumerate();
    let verb = words.filter_map(|(at, operand)| verb_severity(&operand.text).map(|severity| (at, severity))).next();
    if let Some((at, severity)) = verb {
        let target = parsed.text(at.saturating_add(1)).to_owned();
        let operation = if severity == Severity::Destructive { "cloud.delete" } else { "cloud.change" };
        let draft = Draft::notable("cloud", operation).severe(severity, true).target(&target);
        run.emit(draft.tag("client", &name).tag("verb", parsed.text(at)));
    }
}

fn vault<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let words: Vec<&str> = parsed.operands.iter().take(4).map(|operand| operand.text.as_ref()).collect();
    let loses =
        words.iter().any(|word| matches!(*word, "delete" | "destroy" | "disable" | "revoke" | "seal" | "purge"));
    if loses {
        let target = words.last().copied().unwrap_or_default();
        run.emit(Draft::destructive("cloud", "cloud.delete").target(target).tag("client", "vault"));
    }
}

fn gsutil<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.text(0) {
        "rb" => run.emit(Draft::catastrophic("cloud", "gcs.remove-bucket").target(parsed.text(1))),
        "rm" => run.emit(Draft::destructive("cloud", "gcs.remove").target(parsed.text(1))),
        _ => {}
    }
}

fn gh<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let draft = match (parsed.text(0), parsed.text(1)) {
        ("repo", "delete") => Draft::catastrophic("vcs", "github.repo.delete"),
        ("release" | "secret" | "variable" | "gist" | "issue" | "run" | "cache", "delete") => {
            Draft::destructive("vcs", "github.delete").tag("what", parsed.text(0))
        }
        ("api", _) if parsed.values("X", "method").any(|method| method.text.eq_ignore_ascii_case("delete")) => {
            run.emit(Draft::destructive("vcs", "github.delete").target(parsed.text(1)));
            return;
        }
        ("repo", "rename" | "archive") => Draft::notable("vcs", "github.repo.change").tag("verb", parsed.text(1)),
        ("gist", "create") => {
            parsed.from(2).iter().for_each(|file| run.read(file));
            run.emit(Draft::notable("network", "network.upload").target("gist"));
            return;
        }
        ("pr", "merge") => Draft::notable("vcs", "github.pr.merge"),
        ("release", "create") => Draft::notable("package", "package.release").tag("manager", "gh"),
        ("repo", "edit") if parsed.has("", "visibility") => Draft::notable("vcs", "github.repo.visibility"),
        _ => return,
    };
    run.emit(draft.target(parsed.text(2)));
}
