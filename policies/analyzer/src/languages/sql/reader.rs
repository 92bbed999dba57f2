//! [`Reader`]: steps through the tokens of one statement.

use super::tokens::Token;

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

    /// A name, with its schema: `public.users`.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some((Token::Word(text) | Token::Name(text), rest)) = self.tokens.split_first() {
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
