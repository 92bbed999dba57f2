//! `guard-host session`: what was asked and confirmed, and forgetting it.

use std::time::Duration;

use super::args::{Format, SessionArgs, SessionCommand};
use super::print;
use super::subject::refused;
use guard_config::load;
use guard_contract::exit::Exit;
use guard_redact::plain;
use guard_state::Places;
use guard_state::session::{Contents, Entry, Sessions};

/// How long to wait for other processes that write to a session.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(args: &SessionArgs, places: &Places) -> anyhow::Result<Exit> {
    let sessions = load(places, &[]).sessions;
    let known = sessions.all();
    match &args.command {
        SessionCommand::List { format: Format::Json } => {
            print::line(&serde_json::to_string_pretty(&known)?)?;
        }
        SessionCommand::List { format: Format::Human } => list(&known)?,
        SessionCommand::Clear { session } => return clear(&sessions, &known, session.as_deref()),
    }
    Ok(warn_of_unusable(&sessions))
}

/// Names the files that count for nothing. Says how a command ends that has listed the others.
pub(super) fn warn_of_unusable(sessions: &Sessions) -> Exit {
    let unusable = sessions.unusable();
    for path in &unusable {
        let text = "holds no sessions that can be believed, so nothing in it counts; remove it, or make it yours alone";
        print::note(&format!("warning: `{}` {text}", path.display()));
    }
    if unusable.is_empty() { Exit::Success } else { Exit::Data }
}

/// A question in two lines.
pub(super) fn described(entry: &Entry) -> String {
    let shown = |text: &str| plain(text).replace('\n', "\n    ");
    format!(
        "{}  {}: {}\n    {} in {}, asked by {}",
        shown(&entry.code),
        shown(&entry.tool),
        shown(&entry.operation),
        shown(&entry.ts),
        shown(&entry.cwd),
        shown(&entry.rules.join(", "))
    )
}

fn list(known: &Contents) -> anyhow::Result<()> {
    let names = known.sessions();
    if names.is_empty() {
        print::line("nothing was asked or confirmed")?;
    }
    for name in names {
        print::line(&format!("session {}", plain(&name)))?;
        let of_session = |entry: &&Entry| entry.session == name;
        for entry in known.confirmed.iter().filter(of_session) {
            print::line(&format!("  confirmed  {}", described(entry)))?;
        }
        for entry in known.pending.iter().filter(of_session) {
            print::line(&format!("  pending    {}", described(entry)))?;
        }
    }
    Ok(())
}

fn clear(sessions: &Sessions, known: &Contents, session: Option<&str>) -> anyhow::Result<Exit> {
    let Some(id) = session else {
        let count = sessions.clear(PATIENCE)?;
        print::line(&format!("cleared {count} sessions"))?;
        return Ok(Exit::Success);
    };
    // An id, or a session as the list names it.
    let names = [Sessions::name(id), id.to_owned()];
    let Some(name) = known.sessions().into_iter().find(|name| names.contains(name)) else {
        let text = format!("there is no session `{}`", plain(id));
        return Err(refused(Exit::NoQuestion, text, "see the sessions with `guard-host session list`"));
    };
    sessions.end(&name, PATIENCE)?;
    print::line(&format!("cleared session {}", plain(id)))?;
    Ok(Exit::Success)
}
