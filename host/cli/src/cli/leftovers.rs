//! `guard-host self uninstall`: lists what the program has saved on this machine, and removes it after confirmation.
//!
//! # Invariants
//!
//! - Only private folders named `guard-host` are removed, so that a wrong `--state` can't delete anything else.
//! - Registrations are removed first, because a registered hook would create its folders again.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::args::Format;
use super::install::{Registered, change, registrable_harnesses};
use super::print;
use super::subject::{call_context, write_error};
use super::terminal::{is_agreed, is_attended, terminal_error};
use guard_config::bundle::FOLDER as SYNC_FOLDER;
use guard_config::load;
use guard_contract::exit::Exit;
use guard_contract::shell_word::word;
use guard_hook::programs::tools;
use guard_platform::access::is_administrator;
use guard_platform::paths::native;
use guard_setup::install::{Action, FoundHook, HookLocation, InstallOptions, Scope};
use guard_setup::sync::SYNC_FILE;
use guard_state::environment::Environment;
use guard_state::registrations;
use guard_state::{AppDirs, check_private};

/// The name of the program's folders.
const FOLDER: &str = "guard-host";

/// The maximum number of folders between a project's file with hooks and the project's root, inclusive.
const PROJECT_DEPTH: usize = 3;

pub(super) fn run(purge: bool, format: Format, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let at = call_context(environment, None);
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    let usual = InstallOptions::default();
    let hooks = hooks(&usual, site);
    let others = other_projects(&hooks, site);
    let folders = folders(dirs);
    let mut rows: Vec<(&str, PathBuf, String)> = Vec::new();
    rows.extend(
        hooks.iter().map(|(_, found)| ("registration", found.place.clone(), format!("remove: {}", removal(found)))),
    );
    rows.extend(others.iter().map(|(file, removal)| match removal {
        Some(removal) => ("registration", file.clone(), format!("remove: {removal}")),
        None => ("file", file.clone(), "stays: it belongs to a registration of another project or plugin".to_owned()),
    }));
    rows.extend(folders.iter().map(|(kind, path)| (*kind, path.clone(), String::new())));
    let log = load(dirs, &[]).audit.path;
    if log.exists() && !log.starts_with(&dirs.state) {
        rows.push(("audit log", log, "stays".to_owned()));
    }
    let of_machine = ["guard.toml", SYNC_FILE, SYNC_FOLDER].map(|name| dirs.managed.with_file_name(name));
    for path in of_machine.into_iter().filter(|path| path.exists()) {
        rows.push(("managed", path, "stays: it is the administrator's".to_owned()));
    }
    let programs = [environment.program.clone(), tools(environment)].into_iter().filter(|program| program.exists());
    rows.extend(programs.map(|program| ("program", program, "remove it as you installed it".to_owned())));
    if format == Format::Json {
        let row = |(kind, path, note)| json!({ "kind": kind, "path": path, "note": note });
        return print::json(&rows.into_iter().map(row).collect::<Vec<_>>()).map(|()| Exit::Success);
    }
    for (kind, path, note) in &rows {
        let note = if note.is_empty() { String::new() } else { format!("  ({note})") };
        print::line(&format!("{kind:<14} {}{note}", path.display()))?;
    }
    if !purge {
        print::line("nothing was removed; `guard-host self uninstall --purge` removes registrations and folders")?;
        return Ok(Exit::Success);
    }
    if !is_attended() {
        return Err(terminal_error("guard-host is uninstalled", "guard-host self uninstall --purge"));
    }
    if !is_agreed("Remove your registrations and these folders, with the configuration and the audit log in them?")? {
        return print::line("nothing was removed").map(|()| Exit::Success);
    }
    remove(&hooks, &others, &folders, site)
}

/// Returns the registrations that are known here, with the names of their harnesses.
fn hooks(options: &InstallOptions, site: HookLocation<'_>) -> Vec<(&'static str, FoundHook)> {
    let of = |(harness, registration): Registered| {
        let found = registration.survey(options, site).found;
        found.into_iter().map(move |found| (harness.name(), found))
    };
    let mut hooks: Vec<(&str, FoundHook)> = registrable_harnesses().into_iter().flat_map(of).collect();
    // Two harnesses may read the same file.
    hooks.dedup_by(|one, other| one.1.place == other.1.place);
    hooks
}

/// Returns the files that other projects' registrations changed, each with the command that removes the registration in
/// it, if it has one.
fn other_projects(hooks: &[(&str, FoundHook)], site: HookLocation<'_>) -> Vec<(PathBuf, Option<String>)> {
    let (files, _) = registrations::list_registered(&site.dirs.state);
    let is_elsewhere = |file: &PathBuf| file.exists() && !hooks.iter().any(|(_, found)| found.place == *file);
    files
        .into_iter()
        .filter(is_elsewhere)
        .map(|file| {
            let removal = removal_elsewhere(&file, site);
            (file, removal)
        })
        .collect()
}

/// Returns the command that removes the registration in a file of another project.
fn removal_elsewhere(file: &Path, site: HookLocation<'_>) -> Option<String> {
    let found_in = |options: &InstallOptions, project: &Path| {
        let found = hooks(options, HookLocation { project, ..site });
        found.into_iter().map(|(_, found)| found).find(|found| found.place == file)
    };
    let usual = InstallOptions::default();
    for root in file.ancestors().skip(1).take(PROJECT_DEPTH) {
        if let Some(found) = found_in(&usual, root) {
            return Some(format!("cd {} && {}", word(&root.to_string_lossy()), removal(&found)));
        }
    }
    let named = InstallOptions { hooks_file: Some(file.to_path_buf()), ..usual };
    found_in(&named, site.project).map(|found| removal(&found))
}

/// Returns the command that removes a registration.
fn removal(found: &FoundHook) -> String {
    found.again.replacen("guard-host install", "guard-host uninstall", 1)
}

/// Returns whether the purge removes a registration: one of the user's own, not one for others.
fn is_purged(found: &FoundHook) -> bool {
    !found.managed && !found.again.contains(" --shared")
}

/// Returns the program's existing folders.
fn folders(dirs: &AppDirs) -> Vec<(&'static str, PathBuf)> {
    let config = dirs.config.parent().unwrap_or(&dirs.config);
    let all = [("cache", dirs.cache.as_path()), ("state", &dirs.state), ("configuration", config)];
    all.into_iter().filter(|(_, path)| path.exists()).map(|(kind, path)| (kind, path.to_path_buf())).collect()
}

fn remove(
    hooks: &[(&str, FoundHook)],
    others: &[(PathBuf, Option<String>)],
    folders: &[(&str, PathBuf)],
    site: HookLocation<'_>,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    for (name, found) in hooks.iter().filter(|(_, found)| is_purged(found)) {
        let Some((_, registration)) = registrable_harnesses().into_iter().find(|(harness, _)| harness.name() == *name)
        else {
            continue;
        };
        let scope = found.foreign.then_some(Scope::Project);
        change(registration, &InstallOptions { scope, ..InstallOptions::default() }, site, Action::Uninstall, false)?;
    }
    for (_, path) in folders {
        let shown = path.display();
        let is_ours = path.file_name().is_some_and(|name| name == FOLDER) && check_private(path).is_ok();
        if !is_ours {
            print::note(&format!("note: `{shown}` stays, because it is not a folder of yours alone named `{FOLDER}`"));
            print::problem("  hint: look into it, then remove it by hand");
            exit = Exit::Unavailable;
            continue;
        }
        fs::remove_dir_all(path).map_err(|error| write_error(path, &error))?;
        print::status(&format!("removed {shown}"))?;
    }
    for (_, found) in hooks.iter().filter(|(_, found)| found.managed) {
        print::note(&format!("note: a registration for every user is left; remove it with `{}`", removal(found)));
        if is_administrator() {
            exit = Exit::Unavailable;
        }
    }
    let shared = hooks.iter().map(|(_, found)| found).filter(|found| !found.managed && !is_purged(found));
    let elsewhere = others.iter().filter_map(|(_, removal)| removal.clone());
    for remove in shared.map(removal).chain(elsewhere) {
        print::note(&format!("note: a registration of a project is left; remove it with `{remove}`"));
        exit = Exit::Unavailable;
    }
    Ok(exit)
}
