//! [`PastEvents`]: the lines of a history whose seals have been checked.

use std::io;

use guard_contract::Event;

use super::Line;

/// The events of a session.
#[derive(Debug, Clone, Default)]
pub struct PastEvents {
    /// The lines, each with its line feed.
    pub(super) lines: Vec<u8>,
}

impl PastEvents {
    /// Returns the events of a kind, oldest first, or all events if `kind` is empty.
    ///
    /// # Errors
    ///
    /// The file has events in a format that this version doesn't know.
    pub fn events(&self, kind: &str) -> io::Result<Vec<Event>> {
        let named = format!("\"kind\":{}", serde_json::Value::from(kind));
        let mut all = Vec::new();
        for line in self.lines.split(|byte| *byte == b'\n').filter_map(Line::parse) {
            // A search for the kind's name is much faster than parsing the JSON of every line.
            if kind.is_empty() || memchr::memmem::find(line.body, named.as_bytes()).is_some() {
                let events: Vec<Event> = serde_json::from_slice(line.body)?;
                all.extend(events.into_iter().filter(|event| kind.is_empty() || event.kind == kind));
            }
        }
        Ok(all)
    }

    /// The number of calls that ran, successfully or not, according to the harness.
    #[must_use]
    pub fn calls(&self) -> usize {
        let has = |line: &Line<'_>, kind: &[u8]| memchr::memmem::find(line.body, kind).is_some();
        let lines = self.lines.split(|byte| *byte == b'\n').filter_map(Line::parse);
        lines.filter(|line| has(line, b"\"kind\":\"ran\"") || has(line, b"\"kind\":\"failed\"")).count()
    }
}
