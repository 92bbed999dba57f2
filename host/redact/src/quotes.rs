//! [`Quotes`]: the quotes that are open at a place of a text.

/// The quotes that are open, outermost first: the sign, and whether it stands behind a backslash.
#[derive(Debug, Default)]
pub(super) struct Quotes(pub(super) Vec<(char, bool)>);

/// So many bytes tell what comes behind a word.
pub(super) const AHEAD: usize = 256;

/// More quotes are not within each other.
pub(super) const NESTED: usize = 4;

impl Quotes {
    /// Goes over a quote behind `word`. Returns whether it ends what an earlier one began.
    pub(super) fn pass(&mut self, quote: char, word: &str) -> bool {
        let this = (quote, word.ends_with('\\'));
        if let Some(place) = self.0.iter().rposition(|open| *open == this) {
            self.0.truncate(place);
            return true;
        }
        // An apostrophe stands within a word.
        if !word.ends_with(char::is_alphanumeric) {
            if self.0.len() == NESTED {
                self.0.clear();
            }
            self.0.push(this);
        }
        false
    }
}
