//! [`Reader`]: steps through the tokens of one statement.

use super::tokens::Token;

/// Signs before a name that something else replaces: `&t`, `:1`, `\\"t\\"`, `<t>`, `%%t%%`.
const UNKNOWN_SIGNS: &[char] = &['&', ':', '\\', '<', '%', '`', '$', '!'];

/// A statement read from left to right.
pub(super) struct Reader<'s, 't> {
    pub(super) tokens: &'s [Token<'t>],
}

impl<'t> Reader<'_, 't> {
    /// Steps over the word if it comes next.
    pub(super) fn take(&mut self, word: &str) -> bool {
        match self.tokens.split_first() {
            Some((token, rest)) if token.is(word) => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    /// Steps over each of the words that comes next, in this order.
    pub(super) fn take_all(&mut self, words: &[&str]) {
        for word in words {
            self.take(word);
        }
    }

    /// A name, with its schema: `public.users`. A part that is known only at run time is as it is written.
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

    /// The name of what the statement is about; `None` if there is none. One that is in a string, or that begins with a
    /// sign of a client or of another language, is a name nobody knows. `#` begins the name of a temporary table.
    pub(super) fn object(&mut self) -> Option<String> {
        let name = self.name();
        let other = match self.tokens.first() {
            Some(Token::Text(_)) => true,
            Some(Token::Sign(sign)) => UNKNOWN_SIGNS.contains(sign),
            _ => false,
        };
        (!name.is_empty() || other).then_some(name)
    }

    /// Steps over the next token, if it is a word.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        let (Token::Word(word), rest) = self.tokens.split_first()? else { return None };
        self.tokens = rest;
        Some(word)
    }

    /// Whether the word stands anywhere in the rest.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.is(word))
    }
}
