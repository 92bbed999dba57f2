//! `guard-host pause` and `resume`: policies that block nothing for a while.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::args::PauseArgs;
use super::print;
use super::subject::{call_context, decider, exit_error, is_sole_decider, open};
use super::terminal::{is_attended, terminal_error};
use guard_config::load;
use guard_contract::Layer;
use guard_contract::call::CallContext;
use guard_contract::exit::Exit;
use guard_contract::policy::Entry;
use guard_hook::audit::{append_deed, moment};
use guard_hook::hook::is_asked_locally;
use guard_state::environment::Environment;
use guard_state::pause::LONGEST;
use guard_state::{AppDirs, Pause};

pub(super) fn pause(args: &PauseArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let spelled = args.length.as_deref().unwrap_or_default();
    let length = length(spelled)?;
    let at = call_context(environment, None);
    let config = load(dirs, &at.projects());
    let decider = decider(&config, dirs);
    let here = is_sole_decider(&config).then(|| local_policies(&at, dirs, environment));
    let is_heeded = |entry: &Entry| here.as_ref().is_none_or(|names| names.contains(&entry.name));
    let (mut paused, kept): (Vec<&Entry>, Vec<&Entry>) =
        config.entries.iter().partition(|entry| config.may_loosen(Layer::User, entry) && is_heeded(entry));
    for name in &args.only {
        let is_of_server = |entry: &&Entry| entry.name == *name && !is_heeded(entry);
        if let Some((text, hint)) = decider.as_ref().filter(|_| kept.iter().any(is_of_server)) {
            return Err(exit_error(Exit::Unavailable, format!("can't pause `{name}`: {text}"), hint));
        }
        if kept.iter().any(|entry| entry.name == *name) && !paused.iter().any(|entry| entry.name == *name) {
            let text = format!("`{name}` cannot be paused");
            let hint = match paused.as_slice() {
                [] => "no policy of the chain can be paused".to_owned(),
                paused => format!("these can: {}", shown_names(paused, &[])),
            };
            return Err(exit_error(Exit::Usage, text, hint));
        }
        if !paused.iter().any(|entry| entry.name == *name) {
            let hint = format!("the chain has: {}", shown_names(&paused, &[]));
            return Err(exit_error(Exit::Usage, format!("no policy has the name `{name}`"), hint));
        }
    }
    if let Some((text, hint)) = decider.as_ref().filter(|_| paused.is_empty()) {
        return Err(exit_error(Exit::Unavailable, format!("nothing to pause: {text}"), hint));
    }
    if paused.is_empty() {
        let text = "nothing to pause: no policy of the chain can be paused";
        let hint = format!("self-protect and the policies of {} always apply", dirs.managed.display());
        return Err(exit_error(Exit::Unavailable, text, hint));
    }
    if !is_attended() {
        let all = if args.all { " --all" } else { "" };
        let only = if args.only.is_empty() { String::new() } else { format!(" --only {}", args.only.join(",")) };
        return Err(terminal_error("policies are paused", &format!("guard-host pause {spelled}{all}{only}")));
    }
    let pause = Pause::begin(&dirs.state, Timestamp::now(), length, args.only.clone(), args.all)?;
    if !args.only.is_empty() {
        paused.retain(|entry| args.only.contains(&entry.name));
        paused.sort_by_key(|entry| args.only.iter().position(|name| *name == entry.name));
    }
    let what = shown_names(&paused, &kept);
    append_deed(&config.audit, "pause", &format!("{what} until {}", pause.until), &at.cwd)?;
    let ends = pause.until.parse::<Timestamp>()?.to_zoned(TimeZone::system());
    let is_today = ends.date() == Timestamp::now().to_zoned(TimeZone::system()).date();
    let ends = ends.strftime(if is_today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" });
    let outcomes = if args.all { "prompts and denials" } else { "prompts" };
    let here = if decider.is_some() { " on this machine" } else { "" };
    print::line(&format!("{outcomes} of {what}{here} are paused until {ends}"))?;
    if !args.all {
        print::line("denied calls stay blocked; `--all` pauses denials as well")?;
    }
    if !kept.is_empty() {
        print::line(&format!("not paused: {}", shown_names(&kept, &paused)))?;
    }
    if let Some((text, hint)) = decider {
        print::note(&format!("warning: {text}, and its prompts and denials aren't paused; {hint}"));
    }
    print::line("to resume now: `guard-host pause --end`")?;
    Ok(Exit::Success)
}

/// Lists the names of entries. A name that `others` have too gets the layer, because the two are different policies.
fn shown_names(entries: &[&Entry], others: &[&Entry]) -> String {
    let shown = |entry: &&Entry| match others.iter().any(|other| other.name == entry.name) {
        true => format!("{} ({})", entry.name, entry.layer.name()),
        false => entry.name.clone(),
    };
    let mut names: Vec<String> = Vec::new();
    for name in entries.iter().map(shown) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Returns the policies that this machine evaluates although a server decides.
fn local_policies(at: &CallContext, dirs: &AppDirs, environment: &Environment) -> Vec<String> {
    let prepared = open(dirs, &environment.program, &at.projects());
    let local = prepared.members.iter().filter(|member| is_asked_locally(&prepared.config, member));
    local.map(|member| member.entry.name.clone()).collect()
}

pub(super) fn resume(dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let was = Pause::load(&dirs.state, Timestamp::now()).is_some();
    Pause::end(&dirs.state)?;
    if was {
        let at = call_context(environment, None);
        append_deed(&load(dirs, &at.projects()).audit, "resume", "", &at.cwd)?;
    }
    print::line(if was { "the pause is over" } else { "nothing is paused" })?;
    Ok(Exit::Success)
}

fn length(text: &str) -> anyhow::Result<SignedDuration> {
    let now = Timestamp::now();
    // Only a number with a unit is accepted, unlike in `--since`.
    let is_span = text.ends_with(|unit: char| unit.is_ascii_alphabetic());
    let length = Some(text).filter(|_| is_span).and_then(|text| moment(text, now, &TimeZone::UTC));
    let length = length.map(|begin| now.duration_since(begin));
    match length {
        Some(length) if length.is_positive() && length <= LONGEST => Ok(length),
        _ => {
            let text = match length {
                Some(length) if length > LONGEST => format!("`{text}` is too long"),
                _ => format!("`{text}` isn't a duration"),
            };
            let hint = "give a number with a unit, such as `90s`, `10m` or `2h`, up to `24h`";
            Err(exit_error(Exit::Usage, text, hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_of_two_policies_is_shown_with_its_layer() {
        let home = tempfile::tempdir().unwrap();
        let mut dirs = AppDirs::under_home(&home.path().to_string_lossy());
        dirs.managed = home.path().join("managed.toml");
        fs::create_dir_all(dirs.config.parent().unwrap()).unwrap();
        let entry = "[[policy]]\nname = \"protected-files\"\n";
        fs::write(&dirs.managed, format!("{entry}[[policy]]\nname = \"session-guard\"\n")).unwrap();
        fs::write(&dirs.config, format!("preset = \"none\"\n{entry}[[policy]]\nname = \"command-guard\"\n")).unwrap();
        let config = load(&dirs, &[]);
        let (paused, kept): (Vec<&Entry>, Vec<&Entry>) =
            config.entries.iter().partition(|entry| config.may_loosen(Layer::User, entry));
        assert_eq!(shown_names(&paused, &kept), "protected-files (user), command-guard");
        assert_eq!(shown_names(&kept, &paused), "protected-files (managed), session-guard");
        assert_eq!(shown_names(&[&paused[..], &paused[..]].concat(), &[]), "protected-files, command-guard");
    }
}
