//! [`Reader`]: steps through the tokens of one statement.

use super::tokens::Token;

/// Signs before a placeholder: `&t`, `:1`, `\\"t\\"`, `<t>`, `%%t%%`.
const UNKNOWN_SIGNS: &[char] = &['&', ':', '\\', '<', '%', '`', '$', '!'];

/// A statement that is read from left to right.
pub(super) struct Reader<'s, 't> {
    pub(super) tokens: &'s [Token<'t>],
}

impl<'t> Reader<'_, 't> {
    /// Skips the word if it is next.
    pub(super) fn take(&mut self, word: &str) -> bool {
        match self.tokens.split_first() {
            Some((token, rest)) if token.is(word) => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    /// Skips each of the words that is next, in this order.
    pub(super) fn take_all(&mut self, words: &[&str]) {
        for word in words {
            self.take(word);
        }
    }

    /// Reads a name with its schema: `public.users`. A part that is only known at run time stays as written.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some((Token::Word(text) | Token::Name(text) | Token::Unknown(text), rest)) = self.tokens.split_first()
        {
            name.push_str(text);
            self.tokens = rest;
            match rest.split_first() {
                Some((Token::Sign('.'), rest)) => {
                    name.push('.');
                    self.tokens = rest;
                }
                _ => break,
            }
        }
        name
    }

    /// Reads the name of the statement's object. `None` if it has no name. A name in a string, or after a sign of a
    /// client or another language, is unknown. `#` begins the name of a temporary table.
    pub(super) fn object(&mut self) -> Option<String> {
        let name = self.name();
        let other = match self.tokens.first() {
            Some(Token::Text(_)) => true,
            Some(Token::Sign(sign)) => UNKNOWN_SIGNS.contains(sign),
            _ => false,
        };
        (!name.is_empty() || other).then_some(name)
    }

    /// Skips the next token if it is a word, and returns it.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        let (Token::Word(word), rest) = self.tokens.split_first()? else { return None };
        self.tokens = rest;
        Some(word)
    }

    /// Returns whether the rest contains the word.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.is(word))
    }
}
