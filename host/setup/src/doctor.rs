//! `guard-host doctor`: checks everything between the harness's settings and a verdict, and tries it with test calls.
//!
//! Changes nothing itself, but test calls leave the same traces as real ones. Reports fixes, and applies none.

mod machine;
mod server;
mod trial;
mod undo;

use std::io::ErrorKind;
use std::path::Path;

use crate::check::{Depth, named_files};
use crate::install::{FailureBehavior, FoundHook, HookLocation, InstallOptions, Registration, Running, Survey};
use crate::sync::{readable_hint, unenterable};
use crate::versions;
use guard_config::{Config, load};
use guard_contract::shell_word::word;
use guard_harness::Harness;
use guard_hook::cache::BuildOptions;
use guard_hook::watch::IdlePolicies;
use guard_state::Pause;
use jiff::Timestamp;
use trial::{Program, Trial};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Everything is as it should be.
    Ok,
    /// A choice that has a consequence.
    Note,
    /// The guard blocks less here than its files say.
    Gap,
    /// A problem to fix.
    Problem,
}

/// The finding of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the check: a fixed word.
    pub check: &'static str,
    /// The result.
    pub state: State,
    /// The description.
    pub text: String,
    /// The fix. Empty if none is needed.
    pub remedy: String,
}

impl Finding {
    fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Finding { check, state: State::Ok, text: text.into(), remedy: String::new() }
    }

    pub(crate) fn note(check: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { check, state: State::Note, text: text.into(), remedy: remedy.into() }
    }

    fn problem(check: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { check, state: State::Problem, text: text.into(), remedy: remedy.into() }
    }
}

/// The folders whose configurations are checked.
#[derive(Debug, Clone, Copy)]
pub struct CheckedFolders<'a> {
    /// The projects, and the folders with a configuration.
    pub checked: &'a [String],
    /// Folders that may have a misplaced configuration.
    pub unread: &'a [String],
    /// How to build missing artifacts. `None` to build none.
    pub making: Option<BuildOptions>,
}

/// Checks everything between these harnesses and a verdict.
#[must_use]
pub fn examine(
    asked: &[(&dyn Harness, &dyn Registration)],
    options: &InstallOptions,
    site: HookLocation<'_>,
    projects: &[String],
    folders: CheckedFolders<'_>,
) -> Vec<Finding> {
    let surveys: Vec<Survey> = asked.iter().map(|(_, registration)| registration.survey(options, site)).collect();
    let mut findings = Vec::new();
    for ((harness, registration), survey) in asked.iter().zip(&surveys) {
        findings.extend(registered(harness.name(), survey, *registration, options, site));
        findings.extend(switched_off(survey));
        findings.extend(versions::newer(harness.name(), site));
    }
    findings.extend(machine::registrations(&surveys, site));
    findings.extend(machine::folders(site.dirs));
    let config = load(site.dirs, projects);
    let pause = Pause::load(&site.dirs.state, Timestamp::now());
    let (idle, is_idle) = machine::idle(&idle_policies(&config, pause.as_ref()), pause.as_ref(), &config);
    let cause = machine::toothless(site, &config);
    // Must run before the test calls, which would build missing artifacts.
    let ready = machine::ready(site, projects);
    for ((harness, registration), survey) in asked.iter().zip(&surveys) {
        for found in &survey.found {
            let trial =
                Trial { harness: *harness, registration: *registration, site, found, is_idle, cause: cause.as_deref() };
            findings.extend(trial.run());
        }
        findings.extend(unverified(harness.name(), *registration, asked.len() > 1));
    }
    findings.extend(idle);
    findings.extend(ready);
    findings.extend(machine::chain(site, folders, Depth::Calls));
    let is_sound = !findings.iter().any(|finding| finding.check == "remote");
    findings.extend(config.remote.as_ref().filter(|_| is_sound).map(|remote| server::ask(remote, site)));
    findings.extend(undo::rehearsed(&config, site));
    findings
}

/// Returns the behavior that nobody has seen with the harness itself. Among several harnesses, only its number.
fn unverified(name: &str, registration: &dyn Registration, is_short: bool) -> Vec<Finding> {
    let note = |text: String, remedy: &str| Finding::note("unverified", format!("with `{name}`: {text}"), remedy);
    match registration.unverified() {
        texts @ [_, _, ..] if is_short => {
            let remedy = format!("`guard-host doctor {name}` lists them");
            vec![note(format!("{} behaviors weren't seen with the harness itself", texts.len()), &remedy)]
        }
        texts => {
            let remedy = "docs/harness-details.md says how to try it";
            texts.iter().map(|text| note((*text).to_owned(), remedy)).collect()
        }
    }
}

/// Returns the findings that need neither a call nor a network request, in a few milliseconds.
#[must_use]
pub fn glance(
    (harness, registration): (&dyn Harness, &dyn Registration),
    survey: &Survey,
    config: &Config,
    site: HookLocation<'_>,
    projects: &[String],
) -> Vec<Finding> {
    let surveys = std::slice::from_ref(survey);
    let mut findings = registered(harness.name(), survey, registration, &InstallOptions::default(), site);
    findings.extend(switched_off(survey));
    findings.extend(machine::registrations(surveys, site));
    findings.extend(machine::folders(site.dirs));
    let folders = CheckedFolders { checked: projects, unread: &[], making: None };
    findings.extend(machine::chain(site, folders, Depth::Settings));
    let is_sound = !findings.iter().any(|finding| finding.check == "remote");
    findings.extend(config.remote.as_ref().filter(|_| is_sound).and_then(server::knock));
    findings
}

/// Returns the policies that a person has set to block nothing.
#[must_use]
pub fn idle_policies(config: &Config, pause: Option<&Pause>) -> IdlePolicies {
    IdlePolicies::new(config, &config.entries.iter().collect::<Vec<_>>(), pause)
}

/// Checks the registrations, and the programs that they start.
fn registered(
    name: &str,
    survey: &Survey,
    registration: &dyn Registration,
    options: &InstallOptions,
    site: HookLocation<'_>,
) -> Vec<Finding> {
    const CHECK: &str = "registration";
    let again = registering(name, survey, options, site);
    let mut findings = Vec::new();
    if survey.found.is_empty() {
        let text = format!("`{name}` does not run guard-host");
        // Only a person knows whether a harness reads such a file.
        let named = named_files(site).into_iter().next().filter(|_| *options == InstallOptions::default());
        let damaged = survey.unreadable.first().map(|(file, _)| correction(file));
        let look = named.filter(|_| name == guard_harness::default().name()).map(|file| {
            format!(
                "run `guard-host doctor --hooks-file {}` if the harness reads that file, or ",
                word(&file.to_string_lossy())
            )
        });
        findings.push(Finding::problem(CHECK, text, damaged.unwrap_or_else(|| look.unwrap_or_default() + &again)));
    }
    for found in &survey.found {
        let again = format!("run `{}`", found.again);
        let place = found.place.display();
        match &found.tools {
            None if found.left_out.is_empty() => {
                findings.push(Finding::ok(CHECK, format!("`{place}` has it for all tools")));
            }
            // Reasons for which it isn't run at all are reported below.
            None => {}
            Some(tools) => {
                let left_out: String = found.left_out.iter().map(|tool| format!("{tool}, ")).collect();
                let text = format!("`{place}` has it for `{tools}` only; {left_out}other tools run unasked by it");
                findings.push(Finding::note(CHECK, text, format!("{again} without `--matcher` to cover all tools")));
            }
        }
        for hindrance in &found.hindrances {
            findings.push(Finding::problem(CHECK, format!("`{place}`: {hindrance}"), &again));
        }
        if let Some(remedy) = found.unapproved {
            let text = format!("`{place}`: the hook is skipped until you approve it");
            findings.push(Finding::problem(CHECK, text, remedy));
        }
        findings.extend(program(found, &again, site));
        let FailureBehavior { text, remedy } = registration.when_it_fails(found.blocks);
        // Fix the registration in the same file.
        let remedy = remedy.replace(&format!("guard-host install {name}"), &found.again);
        let state = if remedy.is_empty() { State::Ok } else { State::Note };
        findings.push(Finding { check: "failure", state, text, remedy });
    }
    if survey.found.iter().all(|found| !found.only.is_empty())
        && let Some(found) = survey.found.iter().find(|found| found.managed)
    {
        let (place, only) = (found.place.display(), found.only.join(", "));
        let text = format!("`{place}` asks `{only}` only; no other policy of the chain judges a call");
        let remedy = format!("run `sudo guard-host install {name} --managed` without `--only`");
        findings.push(Finding::problem(CHECK, text, remedy));
    }
    let left_out = |tool: &&str| survey.found.iter().all(|found| found.left_out.contains(tool));
    let uncovered: Vec<&str> = registration.tools().into_iter().filter(left_out).collect();
    if !survey.found.is_empty() && !uncovered.is_empty() {
        let text = format!("no registration is asked about {}: they run unasked", uncovered.join(", "));
        let remedy = format!("{again} without `--matcher` to cover all tools");
        // A script that replaces one policy's own script is only registered for the tools of that policy.
        let is_of_some = survey.found.iter().all(|found| !found.only.is_empty());
        let state = if is_of_some { State::Note } else { State::Problem };
        findings.push(Finding { check: CHECK, state, text, remedy });
    }
    if !survey.found.is_empty() && !survey.session_end {
        let text = "the harness does not tell the end of a session, so its approvals end after a day";
        let managed = survey.found.iter().find(|found| found.managed);
        findings.push(Finding::note(CHECK, text, managed.map_or(again, |found| format!("run `{}`", found.again))));
    }
    findings
}

/// Returns the step that registers the hook. A managed setting may allow only the administrator's hooks.
fn registering(name: &str, survey: &Survey, options: &InstallOptions, site: HookLocation<'_>) -> String {
    match survey.switches.iter().any(|switch| switch.place.starts_with(site.dirs.machine())) {
        true => format!("run `sudo guard-host install {name} --managed`"),
        false => format!("run `guard-host install {name}{}`", options.named_file()),
    }
}

/// Checks the program that a registration starts.
fn program(found: &FoundHook, again: &str, site: HookLocation<'_>) -> Vec<Finding> {
    const CHECK: &str = "program";
    let Running::Program(name, arguments) = &found.running else { return Vec::new() };
    let own = &site.environment.program;
    let mut findings = Vec::new();
    findings.push(match Program::find(name, site) {
        Program::This => Finding::ok(CHECK, format!("`{name}` is this program")),
        Program::Other => {
            let text = format!("`{name}` is another program than this one, `{}`", own.display());
            Finding::problem(CHECK, text, format!("{again} to register this one, or remove it and use the other"))
        }
        Program::NotExecutable if name.contains('/') => {
            let sudo = if found.managed { "sudo chmod a+rx" } else { "chmod +x" };
            let remedy = format!("run `{sudo} {}`", word(name));
            Finding::problem(CHECK, format!("`{name}` cannot be executed"), remedy)
        }
        Program::NotExecutable => Finding::problem(CHECK, format!("`{name}` cannot be executed"), again),
        Program::Missing if let Some(folder) = unenterable(Path::new(name)) => {
            let text = format!("you can't enter `{}`, so `{name}` doesn't run for you", folder.display());
            let remedy = "ask the administrator to move both programs to `/usr/local/bin` and to register them again";
            Finding::problem(CHECK, text, remedy)
        }
        Program::Empty => {
            let text = format!("`{name}` is an empty file, which a shell runs as a script that does nothing");
            Finding::problem(CHECK, text, format!("install guard-host again, then {again}"))
        }
        Program::Missing if !name.contains('/') => {
            let fate = if found.blocks { "is blocked" } else { "runs unchecked" };
            let text = format!("there is no program `{name}` on the PATH, so every call {fate}");
            let remedy = format!(
                "put this program there, for example with `sudo ln -s {} /usr/local/bin/{name}`",
                word(&own.to_string_lossy())
            );
            Finding::problem(CHECK, text, remedy)
        }
        Program::Missing => Finding::problem(CHECK, format!("there is no program `{name}`"), again),
    });
    let told = |flag: &str| {
        let value = arguments.iter().skip_while(|argument| *argument != flag).nth(1);
        value.map(Path::new)
    };
    let dirs = site.dirs.arguments();
    // A file for several users can't contain the folders of one user.
    let missing = dirs.iter().any(|(flag, _)| told(flag).is_none());
    if missing && !found.foreign && !found.managed {
        let text = "the registration is of an older form, without the places of configuration, state and cache";
        findings.push(Finding::problem(CHECK, text, again));
    }
    for (flag, path) in dirs {
        if let Some(told) = told(flag).filter(|told| *told != path) {
            let text = format!("the hook has `{flag} {}`, and here it is `{}`", told.display(), path.display());
            findings.push(Finding::note(CHECK, text, format!("run `doctor` with the same flag, or {again}")));
        }
    }
    findings
}

/// Returns the fix for a file that the harness can't read.
fn correction(file: &Path) -> String {
    let is_denied = std::fs::File::open(file).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    if is_denied { readable_hint(file) } else { format!("correct `{}` by hand", file.display()) }
}

/// Reports settings that disable hooks.
fn switched_off(survey: &Survey) -> Vec<Finding> {
    let switches = survey.switches.iter().map(|switch| {
        let text = format!("`{}` keeps hooks from running: `{}`", switch.place.display(), switch.setting);
        Finding::problem("switches", text, "remove the setting; if it is a managed one, ask who manages the machine")
    });
    let unreadable = survey.unreadable.iter().map(|(place, error)| {
        let text = format!("the harness cannot read `{}`: {error}", place.display());
        Finding::problem("switches", text, correction(place))
    });
    let mut findings: Vec<Finding> = switches.chain(unreadable).collect();
    if findings.is_empty() {
        findings.push(Finding::ok("switches", "hooks are enabled"));
    }
    findings
}
