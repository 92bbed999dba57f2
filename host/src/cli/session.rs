//! `guard-host session`: what was asked and confirmed, and forgetting it.

use std::time::Duration;

use super::args::{Format, SessionArgs, SessionCommand};
use super::confirm::described;
use super::print;
use crate::config::{Places, load};
use crate::exit::Exit;
use crate::redact::plain;
use crate::session::{Contents, Entry, Sessions};

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
        SessionCommand::Clear { session } => clear(&sessions, session.as_deref())?,
    }
    Ok(Exit::Success)
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

fn clear(sessions: &Sessions, session: Option<&str>) -> anyhow::Result<()> {
    match session {
        // An id, or a session as the list names it.
        Some(id) => {
            sessions.end(&Sessions::name(id), PATIENCE)?;
            if id.starts_with("sha256.") {
                sessions.end(id, PATIENCE)?;
            }
            print::line(&format!("cleared session {}", plain(id)))
        }
        None => {
            let count = sessions.clear(PATIENCE)?;
            print::line(&format!("cleared {count} sessions"))
        }
    }
}
