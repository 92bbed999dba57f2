//! [`SessionHistory`]: what the session did before, asked for when a rule needs it.

use std::cell::Cell;

use guard_sdk::paths::below;
use guard_sdk::syntax::Index;
use guard_sdk::{Call, Event, Fault};

/// The session before the call.
pub(crate) struct SessionHistory<'a> {
    call: &'a Call<'a>,
    /// Effects and pipelines by command.
    pub(crate) index: Index<'a>,
    /// A rule asked, and nobody knows.
    is_unknown: Cell<bool>,
}

impl<'a> SessionHistory<'a> {
    pub(crate) fn of(call: &'a Call<'a>) -> Self {
        SessionHistory { call, index: Index::of(call.analysis()), is_unknown: Cell::new(false) }
    }

    /// The events of a kind, oldest first; none where no session is known, or nobody knows what it did.
    pub(crate) fn events(&self, kind: &str) -> Vec<Event> {
        match self.call.history(kind) {
            Ok(events) => {
                let is_lost = |event: &Event| event.target == kind;
                if self.call.history("forgotten").is_ok_and(|lost| lost.iter().any(is_lost)) {
                    self.is_unknown.set(true);
                }
                events
            }
            Err(Fault::Absent) => Vec::new(),
            Err(_) => {
                self.is_unknown.set(true);
                Vec::new()
            }
        }
    }

    /// Whether a prompt stopped the event's call, and nothing says that the call ran afterwards.
    pub(crate) fn may_have_run(&self, event: &Event) -> bool {
        let has_run = || {
            let ran = self.call.history("ran").unwrap_or_default();
            ran.iter().any(|ran| ran.number > event.number && ran.tool == event.tool)
        };
        !event.certain && !has_run()
    }

    /// The download that a file comes from.
    pub(crate) fn download<'e>(downloads: &'e [Event], path: &str) -> Option<&'e Event> {
        let covers = |event: &&Event| !path.is_empty() && below(path, &event.target).is_some();
        downloads.iter().rev().find(covers)
    }

    /// A rule asked what the session did, and nobody knows.
    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown.get()
    }
}

/// When and how it happened, for a message.
pub(crate) fn told(event: &Event) -> String {
    let tool = &event.tool;
    match event.time.get(11..16) {
        Some(time) => format!("by `{tool}` at {time} UTC"),
        None => format!("by `{tool}`"),
    }
}

/// The value of a tag of an event.
pub(crate) fn tag<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
