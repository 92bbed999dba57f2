//! `guard-host doctor`: reports whether the guard works here, and how to fix it if not.

use serde_json::json;

use super::args::{DoctorArgs, Format};
use super::install::{Registered, registrable_harnesses, registration};
use super::subject::{call_context, checked_folders};
use super::{outcome_counts, print};
use guard_config::load;
use guard_contract::exit::Exit;
use guard_kit::compile::making;
use guard_platform::paths::native;
use guard_redact::{plain, shorten};
use guard_setup::doctor::{CheckedFolders, State, examine};
use guard_setup::install::{HookLocation, InstallOptions};
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn run(args: &DoctorArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let at = call_context(environment, None);
    if args.last {
        return print_last_call(args.format, dirs, &at.projects());
    }
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    let options = args.options();
    let harnesses = match &args.harness {
        Some(name) => vec![registration(name)?],
        None => registered_harnesses(&options, site)?,
    };
    // Other folders, such as one with many clones, may take minutes.
    let is_project = [".git", ".guard"].iter().any(|name| site.project.join(name).exists());
    let (checked, unread) = if is_project { checked_folders(&at) } else { (at.projects(), Vec::new()) };
    let folders = CheckedFolders { checked: &checked, unread: &unread, making: Some(making()) };
    let findings = examine(&harnesses, &options, site, &at.projects(), folders);
    let fine = findings.iter().all(|finding| finding.state != State::Problem);
    if args.format == Format::Json {
        let rows: Vec<_> = findings
            .iter()
            .map(|finding| {
                let (state, _) = state_name(finding.state);
                json!({ "check": finding.check, "state": state, "text": finding.text, "remedy": finding.remedy })
            })
            .collect();
        print::json(&json!({ "fine": fine, "findings": rows }))?;
    } else {
        for finding in &findings {
            let (state, colour) = state_name(finding.state);
            let state = print::color_by_outcome(&format!("{state:<8}"), colour);
            print::line(&format!("{state} {}: {}", finding.check, finding.text))?;
            if !finding.remedy.is_empty() {
                print::line(&format!("         hint: {}", finding.remedy))?;
            }
        }
    }
    Ok(if fine { Exit::Success } else { Exit::Unavailable })
}

/// Prints when a call was last judged. At the default level, a call that passed silently isn't in the log.
fn print_last_call(format: Format, dirs: &AppDirs, projects: &[String]) -> anyhow::Result<Exit> {
    let call = outcome_counts::last_call(&load(dirs, projects).audit.path);
    let noted = outcome_counts::last_recorded_call(&dirs.state);
    if format == Format::Json {
        let call = call.as_ref().map(|call| {
            json!({ "ts": call.ts, "harness": call.harness, "tool": call.tool, "operation": call.operation,
                "action": call.action, "session": call.session })
        });
        let noted = noted.as_ref().map(|(ts, session)| json!({ "ts": ts, "session": session }));
        print::json(&json!({ "call": call, "noted": noted }))?;
    } else {
        if let Some(call) = &call {
            let operation = shorten(&plain(&call.operation).replace(char::is_control, " "), OPERATION_BYTES);
            print::line(&format!("last call in the log: {}, by {}", call.ts, call.harness))?;
            print::line(&format!("  {}: {operation} ({}, session {})", call.tool, call.action, call.session))?;
        }
        if let Some((ts, session)) = &noted {
            print::line(&format!("last call in the history of a session: {ts}, session {session}"))?;
        }
        if call.is_none() && noted.is_none() {
            print::line("no call was judged yet: ask your agent to run `ls`, then try again")?;
        }
    }
    Ok(if call.is_some() || noted.is_some() { Exit::Success } else { Exit::Unavailable })
}

/// The maximum length of a shown operation, in bytes.
const OPERATION_BYTES: usize = 160;

/// Returns the harnesses with registrations here. If there are none, or a file is given, the default one.
fn registered_harnesses(options: &InstallOptions, site: HookLocation<'_>) -> anyhow::Result<Vec<Registered>> {
    let usual = || registration(guard_harness::default().name()).map(|usual| vec![usual]);
    if *options != InstallOptions::default() {
        return usual();
    }
    let is_registered = |(_, registration): &Registered| !registration.survey(options, site).found.is_empty();
    let found: Vec<Registered> = registrable_harnesses().into_iter().filter(is_registered).collect();
    if found.is_empty() { usual() } else { Ok(found) }
}

/// Returns the name of a state, and the outcome with the same color.
fn state_name(state: State) -> (&'static str, &'static str) {
    match state {
        State::Ok => ("ok", "allow"),
        State::Note => ("note", "warn"),
        State::Gap => ("warning", "ask"),
        State::Problem => ("problem", "deny"),
    }
}
