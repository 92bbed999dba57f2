//! Other version control systems: verbs that lose work, rewrite history or publish.
//!
//! A table of programs, their verbs, and the options that cause or prevent the effect.

use guard_sdk::syntax::Severity;

use crate::draft::Draft;
use crate::options::{Options, Parsed};
use crate::run::Run;

pub(super) const NAMES: &[&str] = &["hg", "chg", "svn", "jj", "p4", "bzr", "brz", "fossil", "darcs", "cvs", "sl"];

struct Verb {
    program: &'static str,
    /// The words after the program, in order.
    words: &'static [&'static str],
    /// Options of which one is required. Empty: no condition.
    with: &'static [&'static str],
    /// Options that prevent the effect.
    without: &'static [&'static str],
    operation: &'static str,
    severity: Severity,
}

const fn loses(program: &'static str, words: &'static [&'static str], operation: &'static str) -> Verb {
    Verb { program, words, with: &[], without: DRY, operation, severity: Severity::Destructive }
}

impl Verb {
    const fn with(self, with: &'static [&'static str]) -> Verb {
        Verb { with, ..self }
    }

    const fn without(self, without: &'static [&'static str]) -> Verb {
        Verb { without, ..self }
    }

    const fn publishes(self) -> Verb {
        Verb { severity: Severity::Notable, ..self }
    }
}

const DRY: &[&str] = &["-n", "--dry-run", "--help", "-h"];
const CLEAN: &[&str] = &["-C", "--clean"];

const VERBS: &[Verb] = &[
    loses("hg", &["strip"], "vcs.history.rewrite"),
    loses("hg", &["debugstrip"], "vcs.history.rewrite"),
    loses("hg", &["rollback"], "vcs.history.rewrite"),
    loses("hg", &["prune"], "vcs.history.rewrite"),
    loses("hg", &["update"], "vcs.discard").with(CLEAN),
    loses("hg", &["up"], "vcs.discard").with(CLEAN),
    loses("hg", &["checkout"], "vcs.discard").with(CLEAN),
    loses("hg", &["co"], "vcs.discard").with(CLEAN),
    loses("hg", &["revert"], "vcs.discard"),
    loses("hg", &["shelve"], "vcs.discard").with(&["-d", "--delete", "--cleanup"]),
    loses("hg", &["purge"], "vcs.clean").without(&["-p", "--print", "--help", "-h"]),
    loses("hg", &["clean"], "vcs.clean").without(&["-p", "--print", "--help", "-h"]),
    loses("hg", &["push"], "vcs.push.force").with(&["-f", "--force"]),
    loses("hg", &["push"], "vcs.push").without(&["-f", "--force", "-h", "--help"]).publishes(),
    loses("sl", &["goto"], "vcs.discard").with(CLEAN),
    loses("sl", &["revert"], "vcs.discard"),
    loses("sl", &["hide"], "vcs.history.rewrite"),
    loses("sl", &["purge"], "vcs.clean"),
    loses("sl", &["push"], "vcs.push").publishes(),
    loses("svn", &["revert"], "vcs.discard"),
    loses("svn", &["cleanup"], "vcs.clean").with(&["--remove-unversioned", "--remove-ignored"]),
    loses("svn", &["delete"], "vcs.delete"),
    loses("svn", &["del"], "vcs.delete"),
    loses("svn", &["remove"], "vcs.delete"),
    loses("svn", &["rm"], "vcs.delete"),
    loses("svn", &["commit"], "vcs.push").publishes(),
    loses("svn", &["ci"], "vcs.push").publishes(),
    loses("jj", &["abandon"], "vcs.history.rewrite"),
    loses("jj", &["restore"], "vcs.discard"),
    loses("jj", &["op", "restore"], "vcs.history.rewrite"),
    loses("jj", &["op", "abandon"], "vcs.history.rewrite"),
    loses("jj", &["operation", "restore"], "vcs.history.rewrite"),
    loses("jj", &["operation", "abandon"], "vcs.history.rewrite"),
    loses("jj", &["bookmark", "delete"], "vcs.branch.delete"),
    loses("jj", &["bookmark", "forget"], "vcs.branch.delete"),
    loses("jj", &["git", "push"], "git.push").without(&["--dry-run", "--help", "-h"]).publishes(),
    loses("p4", &["revert"], "vcs.discard").without(&["-n", "-a", "-k"]),
    loses("p4", &["clean"], "vcs.clean").without(&["-n"]),
    loses("p4", &["obliterate"], "vcs.history.rewrite").with(&["-y"]),
    loses("p4", &["archive"], "vcs.history.rewrite").with(&["-p"]),
    loses("p4", &["depot"], "vcs.delete").with(&["-d"]),
    loses("p4", &["stream"], "vcs.delete").with(&["-d"]),
    loses("p4", &["client"], "vcs.delete").with(&["-d"]),
    loses("p4", &["workspace"], "vcs.delete").with(&["-d"]),
    loses("p4", &["label"], "vcs.delete").with(&["-d"]),
    loses("p4", &["branch"], "vcs.delete").with(&["-d"]),
    loses("p4", &["user"], "vcs.delete").with(&["-d"]),
    loses("p4", &["sync"], "vcs.discard").with(&["-f"]),
    loses("p4", &["shelve"], "vcs.discard").with(&["-d"]),
    loses("p4", &["submit"], "vcs.push").publishes(),
    loses("bzr", &["revert"], "vcs.discard"),
    loses("bzr", &["uncommit"], "vcs.history.rewrite"),
    loses("bzr", &["clean-tree"], "vcs.clean").with(&["--force"]),
    loses("bzr", &["push"], "vcs.push").publishes(),
    loses("fossil", &["revert"], "vcs.discard"),
    loses("fossil", &["clean"], "vcs.clean"),
    loses("fossil", &["purge"], "vcs.history.rewrite"),
    loses("darcs", &["obliterate"], "vcs.history.rewrite"),
    loses("darcs", &["unpull"], "vcs.history.rewrite"),
    loses("darcs", &["unrecord"], "vcs.history.rewrite"),
    loses("darcs", &["revert"], "vcs.discard"),
    loses("darcs", &["push"], "vcs.push").publishes(),
    loses("cvs", &["update"], "vcs.discard").with(&["-C"]),
    loses("cvs", &["commit"], "vcs.push").publishes(),
];

/// Returns whether a word abbreviates a verb of Mercurial, which accepts an unambiguous start of a verb.
fn is_shortened(full: &str, given: &str) -> bool {
    given.len() > 2 && full.starts_with(given)
}

/// Options before the verb that take a value.
pub(super) const GLOBAL: Options =
    Options::leading("RcduHP", "cwd repository config config-dir username password color at-op at-operation");

pub(super) fn act<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let name = match run.name.as_str() {
        "chg" => "hg",
        "brz" => "bzr",
        name => name,
    };
    let words: Vec<&str> = parsed.rest.iter().map(|word| word.text.as_str()).collect();
    let gives = |options: &[&str]| {
        options.iter().any(|option| {
            let short = option.strip_prefix('-').filter(|letter| letter.len() == 1);
            words.iter().any(|word| {
                let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-') && rest.len() < 5);
                word == option || short.zip(cluster).is_some_and(|(letter, cluster)| cluster.contains(letter))
            })
        })
    };
    let found = VERBS.iter().find(|verb| {
        let fits = |(full, given): &(&&str, &&str)| full == given || name == "hg" && is_shortened(full, given);
        let stands = verb.program == name && verb.words.iter().zip(&words).filter(fits).count() == verb.words.len();
        stands && (verb.with.is_empty() || gives(verb.with)) && !gives(verb.without)
    });
    if let Some(verb) = found {
        // Only losses get a target. The operand of a push describes the changes, not their destination.
        let names = parsed.operands.iter().skip(verb.words.len()).filter(|word| !word.text.starts_with('-'));
        let named = names.map(|word| word.text.as_ref()).next().filter(|_| verb.severity == Severity::Destructive);
        let target = named.unwrap_or_default().to_owned();
        let draft = Draft::notable("vcs", verb.operation).severe(verb.severity, true);
        run.emit(draft.target(&target).tag("by", name));
    }
}
