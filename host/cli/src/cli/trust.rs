//! `guard-host trust` and `untrust`: trusts a project's configuration until it changes.

use std::path::Path;

use super::args::TrustArgs;
use super::config::source;
use super::print;
use super::subject::{call_context, exit_error};
use super::terminal::{is_agreed, is_attended, terminal_error};
use guard_config::Trust;
use guard_config::candidate;
use guard_config::trust::{self, TrustError};
use guard_contract::exit::Exit;
use guard_contract::policy::Entry;
use guard_contract::shell_word::quoted;
use guard_contract::{Limits, Outcome, Wasi};
use guard_hook::cache::{Readiness, warm};
use guard_kit::compile::making;
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn trust(args: &TrustArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let root = root(args.project.as_deref(), environment);
    let candidate = candidate(dirs, &root);
    let is_needless = candidate
        .as_ref()
        .is_ok_and(|candidate| candidate.entries.iter().all(|entry| requested_parts(entry).is_empty()));
    let file = AppDirs::project_file(&root);
    let needless = format!("{} needs no trust: all of it applies already", file.display());
    if !is_attended() {
        if is_needless {
            return print::line(&needless).map(|()| Exit::Success);
        }
        return Err(terminal_error("a project is trusted", &format!("guard-host trust {}", quoted(&root))));
    }
    let candidate = candidate.map_err(explain_error)?;
    if is_needless {
        print::line(&format!("{needless}\nOnce it is trusted, you are warned when the file changes or is missing"))?;
    } else {
        print::line(&format!("{} would be asked with all that it says:", file.display()))?;
    }
    candidate.entries.iter().flat_map(describe_entry).try_for_each(|line| print::line(&line))?;
    if !args.yes && !is_agreed("Trust it, as long as no file of it changes?")? {
        return Err(exit_error(Exit::NoPermission, "nothing was trusted", ""));
    }
    trust::trust(dirs, &root, &candidate.pins).map_err(explain_error)?;
    print::line(&format!("trusted: {root}"))?;
    for (path, digest) in &candidate.pins {
        let digest = digest.as_deref().map_or("not there", |digest| digest.get(..16).unwrap_or(digest));
        print::line(&format!("  {digest:<16}  {}", path.display()))?;
    }
    let prepared = warm(dirs, &environment.program, std::slice::from_ref(&root), making());
    let mut exit = Exit::Success;
    for (_, state) in &prepared.config.projects {
        if let Trust::Lapsed(text) = state {
            print::note(&format!("warning: {text}"));
            exit = Exit::Config;
        }
    }
    for member in &prepared.members {
        if let Readiness::Broken(fault) = &member.readiness {
            print::note(&format!("warning: policy `{}`: {fault}", member.entry.name));
            exit = Exit::Unavailable;
        }
    }
    Ok(exit)
}

/// Describes an entry and what it gets once it is trusted, one on each line.
fn describe_entry(entry: &Entry) -> Vec<String> {
    let mut wishes = requested_parts(entry);
    if wishes.is_empty() {
        wishes.push("    asks or denies, and gets no grant".to_owned());
    }
    wishes.insert(0, format!("  {}  {}", plain(&entry.name), plain(&source(entry))));
    wishes
}

/// Returns the parts of an entry that only apply once it is trusted, one on each line.
fn requested_parts(entry: &Entry) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |key: &str, value: &str| lines.push(format!("    {key:<9} {}", plain(value)));
    entry.grants.words().iter().for_each(|grant| line("grant", grant));
    if entry.on_error == Outcome::Abstain {
        line("on-error", "allow: a fault of it lets the call run");
    }
    if entry.may_allow {
        line("may-allow", "in a project's root, it may let a call run without the harness's own prompt");
    }
    if entry.wasi != Wasi::Absent {
        line("wasi", "frozen");
    }
    let (limits, usual) = (entry.limits, Limits::DEFAULT);
    if limits.time_ms > usual.time_ms || limits.memory_mib > usual.memory_mib {
        line("limits", &format!("{} ms, {} MiB", limits.time_ms, limits.memory_mib));
    }
    lines
}

pub(super) fn untrust(args: &TrustArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let root = root(args.project.as_deref(), environment);
    if !is_attended() {
        return Err(terminal_error("trust is taken back", &format!("guard-host trust --remove {}", quoted(&root))));
    }
    let was = trust::untrust(dirs, &root).map_err(explain_error)?;
    print::line(&if was { format!("no longer trusted: {root}") } else { format!("was not trusted: {root}") })?;
    Ok(Exit::Success)
}

/// Returns the project's root, as for a call in it.
fn root(project: Option<&Path>, environment: &Environment) -> String {
    let project = project.map(Path::to_string_lossy);
    let at = call_context(environment, project.as_deref());
    if project.is_some() { at.cwd } else { at.project_root }
}

fn explain_error(error: TrustError) -> anyhow::Error {
    let (exit, hint) = match &error {
        TrustError::NoFile(_) => (Exit::NoInput, "give the project's root".to_owned()),
        TrustError::Broken(problem) => (Exit::Config, problem.hint.clone()),
        TrustError::TooMany => (Exit::Unavailable, "run `guard-host trust --remove` for some of them".to_owned()),
        TrustError::Io(_) => return error.into(),
    };
    exit_error(exit, error.to_string(), hint)
}
