//! `guard-host session`: shows pending calls, approvals and activity, and clears them.

use std::io::{IsTerminal, stdin};
use std::time::Duration;

use super::args::{Format, SessionArgs, SessionCommand};
use super::print;
use super::subject::exit_error;
use super::terminal::is_agreed;
use guard_config::load;
use guard_contract::Event;
use guard_contract::exit::Exit;
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::history::History;
use guard_state::session::{Contents, Entry, Sessions};

/// The maximum wait for other processes that write to a session.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(args: &SessionArgs, dirs: &AppDirs) -> anyhow::Result<Exit> {
    let sessions = load(dirs, &[]).sessions;
    let known = sessions.read_all();
    match &args.command {
        SessionCommand::List { format: Format::Json } => {
            print::json(&known)?;
        }
        SessionCommand::List { format: Format::Human } => list(&known, dirs)?,
        SessionCommand::Show { session, format } => return show(dirs, session.as_deref(), *format),
        SessionCommand::Clear { session, yes } => return clear(dirs, &sessions, &known, session.as_deref(), *yes),
    }
    Ok(warn_of_unusable(&sessions))
}

/// Prints the files that are ignored. Returns the exit code after the others were listed.
pub(super) fn warn_of_unusable(sessions: &Sessions) -> Exit {
    let unusable = sessions.unusable();
    for path in &unusable {
        let text = "is ignored: other users can write to it, or guard-host didn't write it; remove it, or run `chmod 600` on it";
        print::note(&format!("warning: `{}` {text}", path.display()));
    }
    if unusable.is_empty() { Exit::Success } else { Exit::Data }
}

/// Formats a pending call in two lines.
pub(super) fn describe_entry(entry: &Entry) -> String {
    let shown = |text: &str| plain(text).replace('\n', "\n    ");
    format!(
        "{}  {}: {}\n    {} in {}, session {}, asked by {}",
        shown(&entry.code),
        shown(&entry.tool),
        shown(&entry.operation),
        shown(&entry.ts),
        shown(&entry.cwd),
        shown(&entry.session),
        shown(&entry.rules.join(", "))
    )
}

fn list(known: &Contents, dirs: &AppDirs) -> anyhow::Result<()> {
    let names = known.sessions();
    if names.is_empty() {
        print::line("nothing was asked or confirmed")?;
    }
    // These can also be shown and cleared.
    let histories = History::all(&dirs.state).into_iter().map(|(name, _)| name);
    let others: Vec<String> = histories.filter(|name| !names.contains(name)).collect();
    for name in names {
        print::line(&format!("session {}", plain(&name)))?;
        let of_session = |entry: &&Entry| entry.session == name;
        for entry in known.confirmed.iter().filter(of_session) {
            print::line(&format!("  confirmed  {}", describe_entry(entry)))?;
        }
        for entry in known.pending.iter().filter(of_session) {
            print::line(&format!("  pending    {}", describe_entry(entry)))?;
        }
    }
    for name in others.iter().map(|name| plain(name)) {
        print::line(&format!("session {name}\n  history    see `guard-host session show {name}`"))?;
    }
    Ok(())
}

/// Prints the activity of the session with this id, or of the last active one.
fn show(dirs: &AppDirs, session: Option<&str>, format: Format) -> anyhow::Result<Exit> {
    let mut histories = History::all(&dirs.state);
    if let Some(id) = session {
        let names = [Sessions::name(id), id.to_owned()];
        histories.retain(|(name, _)| names.contains(name));
        if histories.is_empty() {
            let text = format!("there is no history of a session `{}`", plain(id));
            return Err(exit_error(
                Exit::NoQuestion,
                text,
                "run `guard-host session show` without an id for the most recent session",
            ));
        }
    }
    let written = |history: &History| history.file().metadata().and_then(|data| data.modified()).ok();
    let Some((name, history)) = histories.into_iter().max_by_key(|(_, history)| written(history)) else {
        print::line("no session has a history")?;
        return Ok(Exit::Success);
    };
    let events = history.read().and_then(|past| Ok(past.events("")?)).map_err(|error| {
        let remedy = format!("delete the history: `guard-host session clear --session {}`", plain(&name));
        exit_error(Exit::Data, error.to_string(), &remedy)
    })?;
    if matches!(format, Format::Json) {
        let value = serde_json::json!({ "session": name, "events": events });
        print::json(&value)?;
        return Ok(Exit::Success);
    }
    print::line(&format!("session {}", plain(&name)))?;
    for event in &events {
        let Event { number, time, kind, tool, target, certain, tags } = event;
        let perhaps = if *certain { "" } else { "  (uncertain)" };
        let line = format!("{number:>5}  {time}  {kind:<11}  {tool}  {target}{perhaps}");
        print::line(&plain(&line))?;
        for (name, value) in tags.iter().filter(|(name, _)| name != "call") {
            print::line(&plain(&format!("       {name}: {value}")))?;
        }
    }
    Ok(Exit::Success)
}

/// Prompts for confirmation to delete. Without a terminal, there is no one to prompt.
fn is_meant(what: &str, yes: bool) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !stdin().is_terminal() {
        let text = format!("`session clear` deletes {what}, and there is no terminal to ask on");
        return Err(exit_error(Exit::Usage, text, "nothing was deleted; give `--yes`"));
    }
    is_agreed(&format!("Delete {what}?"))
}

fn clear(
    dirs: &AppDirs,
    sessions: &Sessions,
    known: &Contents,
    session: Option<&str>,
    yes: bool,
) -> anyhow::Result<Exit> {
    const KEPT: &str = "nothing was deleted";
    let histories = History::all(&dirs.state);
    let Some(id) = session else {
        let mut names = known.sessions();
        names.extend(histories.iter().map(|(name, _)| name.clone()));
        names.sort();
        names.dedup();
        let what =
            format!("the approvals, pending calls and histories of {}", print::count(names.len() as u64, "session"));
        if !names.is_empty() && !is_meant(&what, yes)? {
            return print::line(KEPT).map(|()| Exit::Success);
        }
        sessions.clear(PATIENCE)?;
        histories.iter().try_for_each(|(_, history)| history.end())?;
        print::line(&format!("cleared {} sessions", names.len()))?;
        return Ok(Exit::Success);
    };
    // An id, or a session's name from the list.
    let names = [Sessions::name(id), id.to_owned()];
    let history = histories.into_iter().find(|(name, _)| names.contains(name));
    let pending = known.sessions().into_iter().find(|name| names.contains(name));
    if history.is_none() && pending.is_none() {
        let text = format!("there is no session `{}`", plain(id));
        return Err(exit_error(Exit::NoQuestion, text, "see the sessions with `guard-host session list`"));
    }
    if !is_meant(&format!("the approvals, pending calls and history of session {}", plain(id)), yes)? {
        return print::line(KEPT).map(|()| Exit::Success);
    }
    if let Some(name) = pending {
        sessions.end(&name, PATIENCE)?;
    }
    if let Some((_, history)) = history {
        history.end()?;
    }
    print::line(&format!("cleared session {}", plain(id)))?;
    Ok(Exit::Success)
}
