//! [`PastEvents`]: the lines of a history, once each is known to be sealed.

use std::io;

use guard_contract::Event;

use super::Line;

/// The events of a session.
#[derive(Debug, Clone, Default)]
pub struct PastEvents {
    /// Sealed lines, each with its line feed.
    pub(super) lines: Vec<u8>,
}

impl PastEvents {
    /// The events of a kind, oldest first, or all if it is empty.
    ///
    /// # Errors
    ///
    /// Another version of the program wrote what this one does not know.
    pub fn events(&self, kind: &str) -> io::Result<Vec<Event>> {
        let named = format!("\"kind\":{}", serde_json::Value::from(kind));
        let mut all = Vec::new();
        for line in self.lines.split(|byte| *byte == b'\n').filter_map(Line::parse) {
            // Reading JSON takes longer than all else.
            if kind.is_empty() || memchr::memmem::find(line.body, named.as_bytes()).is_some() {
                let events: Vec<Event> = serde_json::from_slice(line.body)?;
                all.extend(events.into_iter().filter(|event| kind.is_empty() || event.kind == kind));
            }
        }
        Ok(all)
    }

    /// How many calls have run, well or not, as far as the harness told.
    #[must_use]
    pub fn calls(&self) -> usize {
        let has = |line: &Line<'_>, kind: &[u8]| memchr::memmem::find(line.body, kind).is_some();
        let lines = self.lines.split(|byte| *byte == b'\n').filter_map(Line::parse);
        lines.filter(|line| has(line, b"\"kind\":\"ran\"") || has(line, b"\"kind\":\"failed\"")).count()
    }
}
