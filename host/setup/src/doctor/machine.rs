//! The files of this program on the machine: its configuration, its folders, what is compiled.

use std::path::Path;

use super::Finding;
use crate::check::{Mistake, check, line, of_registrations};
use crate::install::Site;
use crate::oversights::oversights;
use crate::surroundings::obstacle;
use guard_config::load;
use guard_contract::Layer;
use guard_contract::policy::{Entry, Source};
use guard_hook::cache::{Prepared, prepare};
use guard_hook::watch::span;
use guard_state::{FolderErrorKind, Pause, Places, check_private, io_hint};
use jiff::Timestamp;

const CONFIGURATION: &str = "configuration";
const POLICIES: &str = "policies";

/// The folders that must belong to this user alone.
pub(super) fn folders(places: &Places) -> Vec<Finding> {
    let check = |path: &Path| match check_private(path) {
        Ok(()) => Finding::ok("folders", format!("`{}` is yours alone", path.display())),
        Err(error) => {
            let missing = matches!(&error.kind, FolderErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound);
            let shown = path.display();
            let remedy = match (&error.kind, missing) {
                (_, true) if let Some((folder, why)) = obstacle(path) => {
                    let text = format!("`{}` can't be made: `{}`: {why}", path.display(), folder.display());
                    let elsewhere = "`guard-host install NAME --state DIR --cache DIR` uses other folders";
                    return Finding::problem("folders", text, format!("{}; {elsewhere}", io_hint(&why)));
                }
                (_, true) => "run `guard-host cache warm`, which makes it".to_owned(),
                (FolderErrorKind::Open, _) => format!("run `chmod 700 {shown}`"),
                _ => format!("move `{shown}` away and run `guard-host cache warm`"),
            };
            Finding::problem("folders", error.to_string(), remedy)
        }
    };
    vec![check(&places.state), check(&places.cache)]
}

/// The policies that stop nothing now, and whether the one that denies the tried call is among them.
pub(super) fn idle(site: Site<'_>, projects: &[String]) -> (Vec<Finding>, bool) {
    const CHECK: &str = "mode";
    let config = load(site.places, projects);
    let names = |entries: Vec<&Entry>| entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
    let watched: Vec<&Entry> = config.entries.iter().filter(|entry| entry.watched).collect();
    let is_tried = |entry: &&Entry| entry.source == Source::Builtin("command-guard".to_owned());
    let mut is_idle = watched.iter().any(is_tried);
    let mut findings = Vec::new();
    if !watched.is_empty() {
        let text = format!("these policies are only watched and stop nothing: {}", names(watched));
        findings.push(Finding::note(CHECK, text, "remove `mode` from guard.toml once they should stop calls"));
    }
    let now = Timestamp::now();
    if let Some(pause) = Pause::of(&site.places.state, now)
        && let Some(left) = pause.left(now)
    {
        let is_paused = |entry: &&Entry| pause.names(&entry.name) && config.may_loosen(Layer::User, entry);
        let paused: Vec<&Entry> = config.entries.iter().filter(is_paused).collect();
        is_idle |= pause.denies && paused.iter().any(is_tried);
        let stops = if pause.denies { "stop nothing" } else { "ask about nothing" };
        let text = format!("these policies are paused for {} and {stops}: {}", span(left), names(paused));
        findings.push(Finding::note(CHECK, text, "run `guard-host pause --end`"));
    }
    (findings, is_idle)
}

/// Whether a call finds everything made.
pub(super) fn ready(site: Site<'_>, projects: &[String]) -> Vec<Finding> {
    const CHECK: &str = "artifacts";
    match Prepared::open(site.places, &site.environment.program, projects) {
        Some(_) => vec![Finding::ok(CHECK, "every policy is compiled")],
        None => {
            let text = "the chain is not prepared for this version of the program and its configuration; a policy that is \
                        not compiled yet gives no answer until it is";
            let remedy = match obstacle(&site.places.cache) {
                Some((_, error)) => format!("{}; then run `guard-host cache warm`", io_hint(&error)),
                None => "run `guard-host cache warm`".to_owned(),
            };
            vec![Finding::problem(CHECK, text, remedy)]
        }
    }
}

/// Errors in the configuration, and policies that give no answer.
pub(super) fn chain(site: Site<'_>, projects: &[String]) -> Vec<Finding> {
    let environment = site.environment;
    let prepared = Prepared::open(site.places, &environment.program, projects)
        .unwrap_or_else(|| prepare(site.places, &environment.program, projects, None));
    let count = prepared.members.len();
    let unused = oversights(&prepared, projects, site.places).into_iter().map(Mistake::warning);
    let unused: Vec<Mistake> = unused.collect();
    let mut mistakes = check(prepared, environment, &site.project.to_string_lossy());
    let beside = of_registrations(site, projects, None).into_iter();
    mistakes.extend(beside.filter(|mistake| !mistakes.contains(mistake)).collect::<Vec<_>>());
    let finding = |mistake: &Mistake| {
        let remedy = if mistake.problem.hint.is_empty() { "correct the file" } else { &mistake.problem.hint };
        Finding::problem(if mistake.is_fault { POLICIES } else { CONFIGURATION }, line(mistake), remedy)
    };
    let mut findings: Vec<Finding> = mistakes.iter().map(finding).collect();
    let fine = [(CONFIGURATION, format!("{count} policies")), (POLICIES, "every policy answers".to_owned())];
    for (what, text) in fine {
        if !findings.iter().any(|finding| finding.check == what) {
            findings.push(Finding::ok(what, text));
        }
    }
    findings.extend(unused.iter().map(|one| Finding::note(CONFIGURATION, line(one), &one.problem.hint)));
    findings
}
