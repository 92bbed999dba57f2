//! [`Quotes`]: the open quotes at a position in a text.

/// The open quotes, outermost first: the sign, and whether a backslash precedes it.
#[derive(Debug, Default)]
pub(super) struct Quotes(pub(super) Vec<(char, bool)>);

/// The number of bytes examined after a word.
pub(super) const AHEAD: usize = 256;

/// The maximum nesting of quotes.
pub(super) const NESTED: usize = 4;

impl Quotes {
    /// Passes a quote after `word`. Returns whether it closes an open one.
    pub(super) fn pass(&mut self, quote: char, word: &str) -> bool {
        let this = (quote, word.ends_with('\\'));
        if let Some(place) = self.0.iter().rposition(|open| *open == this) {
            self.0.truncate(place);
            return true;
        }
        // An apostrophe is in a word.
        if !word.ends_with(char::is_alphanumeric) {
            if self.0.len() == NESTED {
                self.0.clear();
            }
            self.0.push(this);
        }
        false
    }
}
