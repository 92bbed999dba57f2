//! Python: parses the text.

pub(crate) mod bounds;
