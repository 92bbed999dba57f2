//! `guard-host statusline`: one line that says whether the guard is on, and what it did in this session.

use std::io::{IsTerminal, Read};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::install::registration;
use super::outcome_counts::OutcomeCounts;
use super::print;
use super::subject::call_context;
use guard_config::load;
use guard_contract::exit::Exit;
use guard_contract::policy::{Entry, SELF_PROTECT};
use guard_platform::paths::native;
use guard_redact::{plain, shorten};
use guard_setup::install::{HookLocation, InstallOptions};
use guard_state::environment::Environment;
use guard_state::{AppDirs, Pause};

/// The longest input that is read: what Claude Code tells a status line.
const INPUT_BYTES: u64 = 1 << 20;

/// The longest name of a paused policy that is shown.
const NAME_BYTES: usize = 40;

pub(super) fn run(dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let input = input();
    let text = |pointer: &str| input.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default();
    let cwd = [text("/workspace/current_dir"), text("/cwd")].into_iter().find(|cwd| cwd.starts_with('/'));
    let at = call_context(environment, cwd);
    let config = load(dirs, &at.projects());
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    let (_, claude) = registration(guard_harness::default().name())?;
    if claude.survey(&InstallOptions::default(), site).found.is_empty() {
        print::line("guard OFF: not registered, run `guard-host install claude`")?;
        return Ok(Exit::Success);
    }
    let mut parts = Vec::new();
    match Pause::load(&dirs.state, Timestamp::now()) {
        Some(pause) => {
            let until = pause.until.parse::<Timestamp>()?.to_zoned(TimeZone::system());
            let what = if pause.denies { "asks and denies" } else { "asks" };
            let only = shorten(&plain(&pause.only.join(", ")), NAME_BYTES);
            let of = if only.is_empty() { String::new() } else { format!(" of {only}") };
            parts.push(format!("guard PAUSED: {what}{of} until {}", until.strftime("%H:%M")));
        }
        None if config.problems.is_empty() && config.entries.is_empty() => {
            parts.push("guard OFF: no policies, run `guard-host config check`".to_owned());
        }
        None if config.problems.is_empty() && is_watched(&config.entries) => {
            parts.push("guard NOT ENFORCING: only changes to guard-host itself are stopped".to_owned());
        }
        None if config.problems.is_empty() => parts.push("guard on".to_owned()),
        None => parts.push("guard on, broken configuration: run `guard-host doctor`".to_owned()),
    }
    let OutcomeCounts { ran, asked, denied, watched, faults } =
        OutcomeCounts::of_session(text("/session_id"), &config.audit.path, &dirs.state);
    if ran + asked + denied + watched == 0 {
        parts.push("no call in this session yet".to_owned());
    } else {
        parts.push(format!("{} ran", print::count(ran as u64, "call")));
        parts.push(format!("{asked} asked, {denied} denied"));
    }
    if watched > 0 {
        parts.push(format!("{watched} only watched"));
    }
    if faults > 0 {
        parts.push(format!("{}: run `guard-host doctor`", print::count(faults as u64, "fault")));
    }
    print::line(&parts.join(" | "))?;
    Ok(Exit::Success)
}

/// All policies are only watched, except the one that a user can't switch to that.
fn is_watched(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| entry.watched || entry.name == SELF_PROTECT)
}

/// Reads the harness's JSON from standard input. The value is null where a person types the command.
fn input() -> serde_json::Value {
    let mut bytes = Vec::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        // Without a session the line says less, and a status line is no place for an error.
        let _ = stdin.lock().take(INPUT_BYTES).read_to_end(&mut bytes);
    }
    serde_json::from_slice(&bytes).unwrap_or_default()
}
