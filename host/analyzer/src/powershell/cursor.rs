//! [`Cursor`]: the reader's position in a PowerShell text.

/// A position in a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    /// Whether a comment or a skipped bracket has no end.
    is_torn: bool,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Cursor { text, at: 0, is_torn: false }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns whether a comment or a skipped bracket has no end.
    pub(super) fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Goes back to an earlier position.
    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Returns the character after the next one.
    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn before(&self) -> Option<char> {
        self.text.get(..self.at).and_then(|before| before.chars().next_back())
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn starts_with(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Reads characters while `fits` returns true.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|char| !fits(char)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Reads up to and including a text, or to the end if it is missing. Also returns whether it was found.
    pub(super) fn take_until(&mut self, end: &str) -> (&'t str, bool) {
        let rest = self.rest();
        match rest.find(end) {
            Some(found) => {
                self.at += found + end.len();
                (rest.get(..found).unwrap_or_default(), true)
            }
            None => {
                self.at = self.text.len();
                (rest, false)
            }
        }
    }

    /// Skips white space in a line, line continuations, and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(char) if char.is_whitespace() && char != '\n' => _ = self.next(),
                Some('`')
                    if self.rest().get(1..).is_some_and(|rest| rest.starts_with('\n') || rest.starts_with("\r\n")) =>
                {
                    self.take_until("\n");
                }
                Some('<') if self.eat("<#") => self.is_torn |= !self.take_until("#>").1,
                Some('#') => _ = self.take_while(|char| char != '\n'),
                _ => return,
            }
        }
    }

    /// Skips white space, newlines and comments.
    pub(super) fn lines(&mut self) {
        loop {
            self.blanks();
            if !self.eat("\n") {
                return;
            }
        }
    }

    /// Returns the word of letters at this position, in lower case.
    pub(super) fn word(&self) -> String {
        let rest = self.rest();
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_' && char != '-').unwrap_or(rest.len());
        rest.get(..end.min(32)).unwrap_or_default().to_lowercase()
    }

    /// Skips a bracket of any kind and its content.
    pub(super) fn skip_balanced(&mut self) {
        let mut depth = 0_usize;
        while let Some(char) = self.next() {
            match char {
                '`' => _ = self.next(),
                '\'' => _ = self.take_until("'"),
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
        self.is_torn = true;
    }
}
