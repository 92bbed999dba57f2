//! The message at the start of a session: guard-host is on, with these policies.

use jiff::Timestamp;

use crate::cache::{Prepared, Readiness};
use crate::watch::IdlePolicies;
use guard_config::{Fallback, Remote, trust};
use guard_contract::Outcome;
use guard_contract::policy::Entry;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_state::files::read_text;
use guard_state::{AppDirs, Pause};

/// The maximum number of policies that are named.
const NAMES: usize = 6;

/// The maximum number of bytes read of a token's file.
const TOKEN_BYTES: u64 = 64 << 10;

/// Returns one line about the chain, and one about each project whose trusted rules are missing. They don't affect
/// calls.
pub(super) fn verdict(prepared: &Prepared, dirs: &AppDirs, projects: &[String]) -> Verdict {
    let is_ready = |ready: bool| {
        let members = prepared.members.iter();
        members.filter(move |member| matches!(member.readiness, Readiness::Ready { .. }) == ready)
    };
    let mut names: Vec<&str> = is_ready(true).map(|member| member.entry.name.as_str()).collect();
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let what = match (&prepared.config.remote, names.is_empty()) {
        (Some(remote), _) if !has_token(remote) => format!(
            "the server's token can't be read, so {}; run `guard-host doctor`",
            match remote.fallback {
                Fallback::Local => "this machine judges each call instead",
                Fallback::Ask => "every call needs confirmation",
                Fallback::Deny => "each call is denied",
            }
        ),
        (Some(_), _) => "a server judges each call".to_owned(),
        (None, true) => "no policy judges a call".to_owned(),
        (None, false) => format!("{}{more} judge each call", names.join(", ")),
    };
    let broken = match is_ready(false).count() + prepared.config.problems.len() {
        0 => "",
        _ => "; something is broken: run `guard-host doctor`",
    };
    let entries: Vec<&Entry> = prepared.members.iter().map(|member| &member.entry).collect();
    let pauses = |pause: &Pause| !IdlePolicies::new(&prepared.config, &entries, Some(pause)).paused.is_empty();
    let paused = match Pause::load(&dirs.state, Timestamp::now()).filter(pauses) {
        Some(pause) => format!("; PAUSED until {}", pause.until),
        None => String::new(),
    };
    let text = format!("guard-host is on: {what}{paused}{broken}");
    let on = Opinion::from_host("guard-host", "on", Outcome::Warn, text, String::new());
    merge([on].into_iter().chain(missing_rules(dirs, projects)))
}

/// Returns a warning for each of these projects that had trusted rules and has none now.
pub(super) fn missing_rules(dirs: &AppDirs, projects: &[String]) -> Vec<Opinion> {
    let files = trust::missing(dirs, projects);
    let warning = |(text, remedy)| Opinion::from_host("config", "missing-rules", Outcome::Warn, text, remedy);
    files.iter().map(|file| warning(trust::missing_file_problem(file))).collect()
}

/// Returns whether this user can read the server's token.
fn has_token(remote: &Remote) -> bool {
    read_text(&remote.token_file, TOKEN_BYTES).is_ok()
}
