//! The files of this program on the machine: its configuration, its folders, what is compiled.

use std::env::consts::EXE_SUFFIX;
use std::path::Path;

use super::Finding;
use crate::check::{Mistake, check, line, registration_mistakes};
use crate::install::{HookLocation, Running, Survey};
use crate::oversights::oversights;
use crate::surroundings::{MachineFile, obstacle, open_to_others};
use guard_config::{load, trust};
use guard_contract::policy::{Entry, Source};
use guard_contract::{FaultKind, Layer};
use guard_hook::cache::{Member, Prepared, Readiness, prepare};
use guard_hook::programs::TOOLS;
use guard_hook::watch::span;
use guard_platform::paths::native;
use guard_state::{AppDirs, FolderErrorKind, Pause, check_private, io_hint};
use jiff::Timestamp;

const CONFIGURATION: &str = "configuration";
const POLICIES: &str = "policies";

/// Registrations for every user of the machine, and the programs that they start, which other users can change.
pub(super) fn registrations(surveys: &[Survey], site: HookLocation<'_>) -> Vec<Finding> {
    let mut files = Vec::new();
    for found in surveys.iter().flat_map(|survey| &survey.found).filter(|found| found.managed) {
        files.push(MachineFile { path: found.place.clone(), role: "the registration of the hook" });
        if let Running::Program(name, _) = &found.running {
            let program = native(name).into_owned();
            let tools = program.with_file_name(format!("{TOOLS}{EXE_SUFFIX}"));
            let programs = [program, tools].into_iter().filter(|path| path.is_absolute());
            files.extend(programs.map(|path| MachineFile { path, role: "the program of the hook" }));
        }
    }
    let found = open_to_others(&files, site.dirs);
    found.iter().map(|problem| Finding::problem("managed", problem.to_string(), &problem.hint)).collect()
}

/// The folders that must belong to this user alone.
pub(super) fn folders(dirs: &AppDirs) -> Vec<Finding> {
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
    vec![check(&dirs.state), check(&dirs.cache)]
}

/// The policies that stop nothing now, and whether the one that denies the tried call is among them.
pub(super) fn idle(site: HookLocation<'_>, projects: &[String]) -> (Vec<Finding>, bool) {
    const CHECK: &str = "mode";
    let config = load(site.dirs, projects);
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
    if let Some(pause) = Pause::load(&site.dirs.state, now)
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

/// Whether a call finds every policy compiled. After a change of the configuration the chain is prepared again here, as the
/// next call would do it, so only a policy that still has to be compiled is a problem.
pub(super) fn ready(site: HookLocation<'_>, projects: &[String]) -> Vec<Finding> {
    const CHECK: &str = "artifacts";
    let program = &site.environment.program;
    let is_compiled = |prepared: &Prepared| {
        let is_missing = |member: &Member| matches!(member.readiness, Readiness::Broken(FaultKind::NotReady));
        !prepared.members.iter().any(is_missing)
    };
    if Prepared::open(site.dirs, program, projects).is_some() {
        return vec![Finding::ok(CHECK, "every policy is compiled")];
    }
    if let Some((_, error)) = obstacle(&site.dirs.cache) {
        let text = "the chain can't be prepared for this version of the program and its configuration";
        let remedy = format!("{}; then run `guard-host cache warm`", io_hint(&error));
        return vec![Finding::problem(CHECK, text, remedy)];
    }
    match is_compiled(&prepare(site.dirs, program, projects, None)) {
        true => vec![Finding::ok(CHECK, "every policy is compiled")],
        false => {
            let text = "a policy is not compiled for this version of the program, and gives no answer until it is";
            vec![Finding::problem(CHECK, text, "run `guard-host cache warm`")]
        }
    }
}

/// Errors in the configuration, and policies that give no answer.
pub(super) fn chain(site: HookLocation<'_>, projects: &[String]) -> Vec<Finding> {
    let environment = site.environment;
    let prepared = Prepared::open(site.dirs, &environment.program, projects)
        .unwrap_or_else(|| prepare(site.dirs, &environment.program, projects, None));
    let count = prepared.members.len();
    let unused = oversights(&prepared, projects, site.dirs).into_iter().map(Mistake::warning);
    let unused: Vec<Mistake> = unused.collect();
    let mut mistakes = check(prepared, environment, &site.project.to_string_lossy());
    let beside = registration_mistakes(site, projects, None).into_iter();
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
    for file in trust::missing(site.dirs, projects) {
        let (text, remedy) = trust::missing_file_problem(&file);
        findings.push(Finding::note(CONFIGURATION, text, remedy));
    }
    findings
}
