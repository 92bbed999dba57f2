//! [`SessionHistory`]: the session's earlier events, which are requested on demand.

use std::cell::Cell;

use guard_sdk::paths::below;
use guard_sdk::syntax::Index;
use guard_sdk::{Call, Event, Fault};

/// The session before the call.
pub(crate) struct SessionHistory<'a> {
    call: &'a Call<'a>,
    /// Effects and pipelines by command.
    pub(crate) index: Index<'a>,
    /// Whether a rule needed the history, and it was unavailable.
    is_unknown: Cell<bool>,
}

impl<'a> SessionHistory<'a> {
    pub(crate) fn new(call: &'a Call<'a>) -> Self {
        SessionHistory { call, index: Index::of(call.analysis()), is_unknown: Cell::new(false) }
    }

    /// Returns the events of a kind, oldest first. Empty if there is no session, or if its history is unavailable.
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

    /// Returns whether a prompt stopped the event's call, without a sign that the call ran afterwards.
    pub(crate) fn may_have_run(&self, event: &Event) -> bool {
        let has_run = || {
            let ran = self.call.history("ran").unwrap_or_default();
            ran.iter().any(|ran| ran.number > event.number && ran.tool == event.tool)
        };
        !event.certain && !has_run()
    }

    /// Returns the download that a file comes from.
    pub(crate) fn download<'e>(downloads: &'e [Event], path: &str) -> Option<&'e Event> {
        let covers = |event: &&Event| !path.is_empty() && below(path, &event.target).is_some();
        downloads.iter().rev().find(covers)
    }

    /// Returns whether a rule needed the history, and it was unavailable.
    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown.get()
    }
}

/// Formats the time and cause of an event for a message.
pub(crate) fn format_event(event: &Event) -> String {
    let tool = &event.tool;
    match event.time.get(11..16) {
        Some(time) => format!("by `{tool}` at {time} UTC"),
        None => format!("by `{tool}`"),
    }
}

/// Returns the value of an event's tag.
pub(crate) fn tag<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
