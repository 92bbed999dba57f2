//! Programs that delete what runs or is kept elsewhere: cloud accounts, infrastructure, hosted repositories.

use guard_sdk::syntax::Word;

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["aws"], Options::new("", &["profile", "region", "output", "query", "endpoint-url"]), aws),
    Program::new(&["terraform", "tofu", "terragrunt"], Options::NONE, terraform),
    Program::new(&["pulumi"], Options::new("sC", &["stack", "cwd"]), pulumi),
    Program::new(&["gcloud", "az", "doctl", "heroku", "flyctl", "fly", "vercel", "netlify"], ACCOUNT, account),
    Program::new(&["gsutil"], Options::new("oh", &[]), gsutil),
    Program::new(&["gh"], Options::new("R", &["repo"]), gh),
    Program::new(&["crontab"], Options::new("u", &[]), crontab),
];

const ACCOUNT: Options =
    Options::new("agn", &["project", "app", "resource-group", "name", "zone", "region", "subscription"]);

fn is_dry(words: &[Word]) -> bool {
    words.iter().any(|word| matches!(word.text.as_str(), "--dryrun" | "--dry-run"))
}

fn aws<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if is_dry(run.arguments()) {
        return;
    }
    let recursive = parsed.has("", "recursive");
    let draft = match (parsed.text(0), parsed.text(1)) {
        ("s3", "rb") => Draft::catastrophic("cloud", "aws.s3.remove-bucket").flag("force", parsed.has("", "force")),
        ("s3", "rm") if recursive => Draft::destructive("cloud", "aws.s3.remove").flag("recursive", true),
        ("s3", "rm") => Draft::notable("cloud", "aws.s3.remove"),
        ("s3", "sync") if parsed.is("", "delete") => Draft::destructive("cloud", "aws.s3.sync-delete"),
        ("s3" | "configure", _) => return s3_copy(run, parsed),
        (_, verb) if verb.starts_with("delete-") || verb.starts_with("terminate-") => {
            Draft::destructive("cloud", "aws.delete").tag("verb", verb)
        }
        _ => return,
    };
    let target = parsed.operands.last().filter(|_| parsed.operands.len() > 2);
    run.emit(draft.target(target.map_or("", |target| target.text.as_ref())));
}

fn s3_copy<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !matches!(parsed.text(1), "cp" | "mv" | "sync") {
        return;
    }
    let is_here = |operand: &&Operand<'a>| !operand.text.contains("://");
    parsed.from(2).iter().take(1).filter(is_here).for_each(|from| run.read(from));
    parsed.from(3).iter().take(1).filter(is_here).for_each(|to| run.write(to));
}

fn terraform<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let words = run.arguments();
    let says = |text: &str| words.iter().any(|word| word.text.trim_start_matches('-') == text);
    let automatic = says("auto-approve") || says("auto-approve=true");
    let verb = parsed.operands.first().map_or("", |verb| verb.text.as_ref());
    match verb {
        "destroy" => run.emit(Draft::catastrophic("cloud", "terraform.destroy").flag("auto-approve", automatic)),
        "apply" if says("destroy") => {
            run.emit(Draft::catastrophic("cloud", "terraform.destroy").flag("auto-approve", automatic));
        }
        "apply" => run.emit(Draft::notable("cloud", "terraform.apply").flag("auto-approve", automatic)),
        "state" if parsed.text(1) == "rm" => {
            run.emit(Draft::destructive("cloud", "terraform.state.remove").target(parsed.text(2)));
        }
        _ => {}
    }
}

fn pulumi<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let removes = parsed.text(0) == "stack" && parsed.text(1) == "rm";
    if matches!(parsed.text(0), "destroy" | "down") || removes {
        run.emit(Draft::catastrophic("cloud", "pulumi.destroy"));
    }
}

/// Accounts whose programs spell it `NOUN... delete NAME` or `NOUN:destroy`.
fn account<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let name = run.name.clone();
    let verb = parsed.operands.iter().take(5).position(|operand| {
        let text = operand.text.rsplit(':').next().unwrap_or_default();
        matches!(text, "delete" | "destroy" | "remove" | "rm" | "purge")
    });
    if let Some(verb) = verb {
        let target = parsed.text(verb.saturating_add(1)).to_owned();
        run.emit(Draft::destructive("cloud", "cloud.delete").target(&target).tag("client", &name));
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
        ("pr", "merge") => Draft::notable("vcs", "github.pr.merge"),
        ("release", "create") => Draft::notable("package", "package.release").tag("manager", "gh"),
        ("repo", "edit") if parsed.has("", "visibility") => Draft::notable("vcs", "github.repo.visibility"),
        _ => return,
    };
    run.emit(draft.target(parsed.text(2)));
}

fn crontab<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("r", "") {
        run.emit(Draft::destructive("service", "service.crontab.remove"));
    } else if let Some(file) = parsed.operands.first() {
        run.read(file);
        run.emit(Draft::notable("service", "service.crontab.replace"));
    }
}
