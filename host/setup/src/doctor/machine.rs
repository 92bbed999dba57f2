//! Checks this program's files on the machine: the configuration, folders and compiled artifacts.

use std::env::consts::EXE_SUFFIX;
use std::path::Path;

use super::{CheckedFolders, Finding, State};
use crate::check::{CONFIGURATION, Depth, POLICIES, Severity, line};
use crate::findings::{Inspection, mistakes};
use crate::install::{HookLocation, Running, Survey};
use crate::surroundings::{MachineFile, READ, START, closed_to_users, obstacle, open_to_others};
use guard_config::Config;
use guard_contract::FaultKind;
use guard_contract::policy::{Entry, Source};
use guard_hook::cache::{Member, Prepared, Readiness, prepare};
use guard_hook::programs::TOOLS;
use guard_hook::watch::{IdlePolicies, span};
use guard_platform::account::other_owner;
use guard_platform::paths::native;
use guard_state::files::read_text;
use guard_state::{AppDirs, FolderErrorKind, Pause, check_private, io_hint};
use jiff::Timestamp;

/// The maximum size of the managed file, in bytes.
const TEXT_BYTES: u64 = 1 << 20;

/// Reports registrations for every user of the machine, and programs that they start, that other users can change.
pub(super) fn registrations(surveys: &[Survey], site: HookLocation<'_>) -> Vec<Finding> {
    let (mut files, mut closed) = (Vec::new(), Vec::new());
    for found in surveys.iter().flat_map(|survey| &survey.found).filter(|found| found.managed) {
        files.push(MachineFile { path: found.place.clone(), role: "the registration of the hook" });
        closed.extend(closed_to_users(&found.place, READ, site.dirs));
        if let Running::Program(name, _) = &found.running {
            let program = native(name).into_owned();
            let tools = program.with_file_name(format!("{TOOLS}{EXE_SUFFIX}"));
            let programs = [program, tools].into_iter().filter(|path| path.is_absolute());
            closed.extend(programs.clone().find_map(|path| closed_to_users(&path, START, site.dirs)));
            files.extend(programs.map(|path| MachineFile { path, role: "the program of the hook" }));
        }
    }
    let found = open_to_others(&files, site.dirs).into_iter().chain(closed).collect::<Vec<_>>();
    found.iter().map(|problem| Finding::problem("managed", problem.to_string(), &problem.hint)).collect()
}

/// Checks the folders that must be private to this user.
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
                    let fix = take_over(folder, dirs).unwrap_or_else(|| io_hint(&why).to_owned());
                    return Finding::problem("folders", text, format!("{fix}; {elsewhere}"));
                }
                (_, true) => {
                    return Finding::ok("folders", format!("`{shown}` doesn't exist yet: the first call creates it"));
                }
                (FolderErrorKind::Open, _) => format!("run `chmod 700 {shown}`"),
                (FolderErrorKind::Foreign, _) if let Some(fix) = take_over(path, dirs) => fix,
                _ => format!("move `{shown}` away and run `guard-host cache warm`"),
            };
            Finding::problem("folders", error.to_string(), remedy)
        }
    };
    vec![check(&dirs.state), check(&dirs.cache)]
}

/// Returns the command that makes this user the owner of a folder in their home, such as one that root created.
fn take_over(folder: &Path, dirs: &AppDirs) -> Option<String> {
    let home = native(&dirs.home);
    if other_owner(&home).is_some() || !folder.starts_with(&home) {
        return None;
    }
    let below_home = folder.ancestors().take_while(|path| *path != home);
    let outermost = below_home.filter(|path| other_owner(path).is_some()).last()?;
    Some(format!("run `sudo chown -R \"$(id -un)\" {}`", outermost.display()))
}

/// Reports the policies that block nothing now. Also returns whether the policy that denies the test call is among
/// them.
pub(super) fn idle(idle: &IdlePolicies, pause: Option<&Pause>, config: &Config) -> (Vec<Finding>, bool) {
    const CHECK: &str = "mode";
    let IdlePolicies { off, watched, paused } = idle;
    let mut findings = Vec::new();
    if !off.is_empty() {
        let text = format!("these policies are off and stop nothing: {}", off.join(", "));
        findings.push(Finding::note(CHECK, text, "add them to guard.toml, or choose another `preset`, to have them"));
    }
    if !watched.is_empty() {
        let text = format!("these policies are only watched and stop nothing: {}", watched.join(", "));
        findings.push(Finding::note(CHECK, text, "remove `mode` from guard.toml once they should stop calls"));
    }
    if let Some(pause) = pause
        && let Some(left) = pause.remaining(Timestamp::now())
    {
        let stops = if pause.denies { "stop nothing" } else { "ask about nothing" };
        let (left, names) = (span(left), paused.join(", "));
        let text = match paused.is_empty() {
            true => format!("a pause lasts for {left} and has no effect: you may not pause any of its policies"),
            false => format!("these policies are paused for {left} and {stops}: {names}"),
        };
        findings.push(Finding::note(CHECK, text, "run `guard-host pause --end`"));
    }
    let is_tried = |entry: &&Entry| entry.source == Source::Builtin("command-guard".to_owned());
    let is_idle = |entry: &Entry| {
        watched.contains(&entry.name) || pause.is_some_and(|pause| pause.denies) && paused.contains(&entry.name)
    };
    (findings, config.entries.iter().filter(is_tried).any(is_idle))
}

/// Returns the fix for a chain that denies no shell command, if the configuration is the cause.
pub(super) fn toothless(site: HookLocation<'_>, config: &Config) -> Option<String> {
    const DENIES: &str = "command-guard";
    let file = |key| key_file(key, site.dirs).display();
    if let Some(remote) = &config.remote {
        return Some(format!(
            "the server {} decides: start it, or correct its configuration or `[remote]`",
            remote.url
        ));
    }
    let mut own = config.entries.iter().filter(|entry| entry.source == Source::Builtin(DENIES.to_owned())).peekable();
    let is_narrow =
        |entry: &Entry| entry.tools.as_ref().is_some_and(|tools| !tools.iter().any(|tool| is_of_shell(tool)));
    if own.peek().is_none() {
        let off = config.disabled.iter().any(|name| name == DENIES);
        let (what, key) = match off {
            true => ("remove `enabled = false` from its entry", Some(DENIES)),
            false => ("set `preset = \"standard\"`", None),
        };
        return Some(format!("`{DENIES}` isn't in the chain: {what} in {}", file(key)));
    }
    own.all(is_narrow).then(|| {
        format!("`{DENIES}` isn't asked about shell commands: remove `tools` from its entry in {}", file(Some(DENIES)))
    })
}

/// Returns the managed file if it has an entry for the policy, or `preset` without a policy. Otherwise the user's.
fn key_file<'a>(policy: Option<&str>, dirs: &'a AppDirs) -> &'a Path {
    let managed = read_text(&dirs.managed, TEXT_BYTES).unwrap_or_default();
    let table: toml::Table = toml::from_str(&managed).unwrap_or_default();
    let is_set = match policy {
        None => table.contains_key("preset"),
        Some(name) => {
            let entries = table.get("policy").and_then(toml::Value::as_array).into_iter().flatten();
            entries.filter_map(|entry| entry.get("name")).any(|own| own.as_str() == Some(name))
        }
    };
    if is_set { &dirs.managed } else { &dirs.config }
}

/// Returns whether a tool pattern may match the shell tool.
fn is_of_shell(pattern: &str) -> bool {
    pattern == "Bash" || pattern.contains(['*', '?', '[', '{'])
}

/// Checks that all policies are compiled for the next call. After a change of the configuration, the chain is prepared
/// again here, as the next call would do, so only a policy that still has to be compiled is a problem.
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

/// Reports all known mistakes in the configuration and its related files.
pub(super) fn chain(site: HookLocation<'_>, folders: CheckedFolders<'_>, depth: Depth) -> Vec<Finding> {
    let CheckedFolders { checked, unread, making } = folders;
    let program = &site.environment.program;
    let prepared =
        Prepared::open(site.dirs, program, checked).unwrap_or_else(|| prepare(site.dirs, program, checked, making));
    let (count, log) = (prepared.members.len(), prepared.config.audit.path.clone());
    let inspection = Inspection { depth, of_machine: true, making: None };
    let findings = mistakes(prepared, site, &[checked, unread].concat(), inspection).into_iter().map(|mistake| {
        let state = match mistake.severity {
            Severity::Error => State::Problem,
            Severity::Gap => State::Gap,
            Severity::Warning => State::Note,
        };
        let text = line(&mistake);
        let hint = mistake.problem.hint;
        let remedy = if hint.is_empty() { "correct the file".to_owned() } else { hint };
        Finding { check: mistake.subject, state, text, remedy }
    });
    let mut findings: Vec<Finding> = findings.collect();
    let fine = [
        (CONFIGURATION, format!("{count} policies")),
        (POLICIES, "every policy answers".to_owned()),
        ("audit", format!("`{}` is writable", log.display())),
    ];
    for (check, text) in fine {
        if !findings.iter().any(|finding| finding.check == check && finding.state == State::Problem) {
            findings.push(Finding::ok(check, text));
        }
    }
    findings
}
