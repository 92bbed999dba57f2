//! `guard-host statusline`: prints one line with the guard's state and its activity in this session.

use std::io::{IsTerminal, Read};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::install::registration;
use super::outcome_counts::OutcomeCounts;
use super::print;
use super::subject::call_context;
use guard_config::{Config, load};
use guard_contract::exit::Exit;
use guard_contract::policy::{Entry, SELF_PROTECT};
use guard_hook::watch::IdlePolicies;
use guard_platform::paths::native;
use guard_redact::{plain, shorten};
use guard_setup::doctor::{Finding, State, glance, idle_policies};
use guard_setup::install::{HookLocation, InstallOptions, Survey};
use guard_state::environment::Environment;
use guard_state::{AppDirs, Pause};

/// The maximum size of Claude Code's input to a status line, in bytes.
const INPUT_BYTES: u64 = 1 << 20;

/// The maximum length of the list of policies, in bytes.
const NAMES_BYTES: usize = 60;

pub(super) fn run(dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let input = input();
    let text = |pointer: &str| input.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default();
    let cwd = [text("/workspace/current_dir"), text("/cwd")].into_iter().find(|cwd| cwd.starts_with('/'));
    let at = call_context(environment, cwd);
    let config = load(dirs, &at.projects());
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    let (harness, claude) = registration(guard_harness::default().name())?;
    let survey = claude.survey(&InstallOptions::default(), site);
    if let Some(off) = off(&survey) {
        print::line(&format!("guard OFF: {off}"))?;
        return Ok(Exit::Success);
    }
    let findings = glance((harness, claude), &survey, &config, site, &at.projects());
    let is_problem = |finding: &&Finding| matches!(finding.state, State::Problem | State::Gap);
    let problems = findings.iter().filter(is_problem).count() as u64;
    let mut parts = vec![
        enforcement(&config, dirs)?
            + &match problems {
                0 => String::new(),
                _ => format!(", {}: run `guard-host doctor`", print::count(problems, "problem")),
            },
    ];
    let OutcomeCounts { ran, asked, denied, watched, faults } =
        OutcomeCounts::for_session(text("/session_id"), &config.audit.path, &dirs.state);
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

/// Returns why Claude Code runs no hook of this program.
fn off(survey: &Survey) -> Option<String> {
    if let Some(switch) = survey.switches.first() {
        return Some(format!("`{}` in `{}`, run `guard-host doctor`", switch.setting, switch.place.display()));
    }
    if !survey.found.is_empty() {
        return None;
    }
    Some(match survey.unreadable.first() {
        Some((file, _)) => format!("`{}` can't be read, run `guard-host doctor`", file.display()),
        None => "not registered, run `guard-host install claude`".to_owned(),
    })
}

/// Returns which policies are enforced: all, or all except those that a person disabled, watches or paused.
fn enforcement(config: &Config, dirs: &AppDirs) -> anyhow::Result<String> {
    let pause = Pause::load(&dirs.state, Timestamp::now());
    let IdlePolicies { off, watched, paused } = idle_policies(config, pause.as_ref());
    if let Some(pause) = pause.filter(|_| !paused.is_empty()) {
        let until = pause.until.parse::<Timestamp>()?.to_zoned(TimeZone::system());
        let what = if pause.denies { "asks and denies" } else { "asks" };
        let only = format_names(&pause.only);
        let of = if only.is_empty() { String::new() } else { format!(" of {only}") };
        return Ok(format!("guard PAUSED: {what}{of} until {}", until.strftime("%H:%M")));
    }
    // A server has its own policies, and an invalid file stops every call.
    let is_alone = config.remote.is_none() && config.problems.is_empty();
    if is_alone && config.entries.is_empty() {
        return Ok("guard OFF: no policies".to_owned());
    }
    let is_watched = |entry: &Entry| watched.contains(&entry.name) || entry.name == SELF_PROTECT;
    if is_alone && config.entries.iter().all(is_watched) {
        return Ok("guard NOT ENFORCING: only changes to guard-host itself are stopped".to_owned());
    }
    let parts = [(off, "off"), (watched, "only watched")].into_iter().filter(|(policies, _)| !policies.is_empty());
    let parts: Vec<String> = parts.map(|(policies, state)| format!("{} {state}", format_names(&policies))).collect();
    Ok(if parts.is_empty() { "guard on".to_owned() } else { format!("guard on ({})", parts.join("; ")) })
}

/// Formats the names of policies in a few words.
fn format_names(policies: &[String]) -> String {
    shorten(&plain(&policies.join(", ")), NAMES_BYTES)
}

/// Reads the harness's JSON from standard input. `null` if a person runs the command.
fn input() -> serde_json::Value {
    let mut bytes = Vec::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        // Without a session, the line has less information. A status line shouldn't show errors.
        let _ = stdin.lock().take(INPUT_BYTES).read_to_end(&mut bytes);
    }
    serde_json::from_slice(&bytes).unwrap_or_default()
}
