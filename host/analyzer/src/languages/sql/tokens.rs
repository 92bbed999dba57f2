//! Splits SQL text into words, names, strings and signs. Comments are dropped.

use super::lines::Lines;
use super::placeholders;

/// A token of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A keyword or a plain name.
    Word(&'t str),
    /// A quoted name, without its quotes.
    Name(&'t str),
    /// A string literal's raw text between its quotes.
    Text(&'t str),
    /// A placeholder filled in at run time by a shell, a program, or the client: `$t`, `{t}`, `%s`, `?`, `:t`.
    Unknown(&'t str),
    /// Any other character except white space.
    Sign(char),
    /// A semicolon, or another end of a statement.
    End,
}

impl Token<'_> {
    /// Returns whether the token is this keyword.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Token::Word(text) if text.eq_ignore_ascii_case(word))
    }
}

/// The maximum length of a name in brackets or backticks. Servers allow half of it.
const MAX_NAME: usize = 256;

/// The maximum number of searches for the end of a dollar quote.
const MAX_OPEN_QUOTES: u32 = 16;

/// How the client reads syntax that differs between dialects.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dialect {
    /// Whether `#` begins a comment, and `--` only if white space follows.
    pub(super) mysql: bool,
    /// Whether a backslash in a string escapes the quote after it.
    pub(super) escapes: bool,
    /// The lines that are commands for the client.
    pub(super) lines: Lines,
}

/// Iterates over the tokens of a text.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'t> {
    pub(super) rest: &'t str,
    pub(super) dialect: Dialect,
    /// An additional statement delimiter, or empty.
    pub(super) delimiter: &'t str,
    /// Whether the last token is the first of its line.
    pub(super) begins_line: bool,
    open_quotes: u32,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect) -> Tokens<'t> {
        Tokens { rest: text, dialect, delimiter: "", begins_line: true, open_quotes: 0 }
    }

    /// Moves past the first occurrence of `end`, or to the end of the text, and returns the text before it.
    pub(super) fn up_to(&mut self, end: &str) -> &'t str {
        let (before, after) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = after;
        before
    }

    pub(super) fn skip_blank(&mut self) {
        loop {
            let trimmed = self.rest.trim_start();
            self.rest = trimmed;
            if self.skip_command() {
                continue;
            }
            if let Some(inside) = trimmed.strip_prefix("/*") {
                // `/*!` begins text that MySQL runs anyway, and `/*M!` text that MariaDB runs.
                if let Some(run) = inside.strip_prefix('!').or_else(|| inside.strip_prefix("M!")) {
                    self.rest = run.trim_start_matches(|c: char| c.is_ascii_digit());
                } else {
                    self.rest = inside;
                    self.up_to("*/");
                }
            } else if self.begins_line_comment() {
                self.up_to("\n");
            } else if let Some(closed) = trimmed.strip_prefix("*/") {
                self.rest = closed;
            } else {
                return;
            }
        }
    }

    fn begins_line_comment(&self) -> bool {
        if !self.dialect.mysql {
            return self.rest.starts_with("--");
        }
        let behind = self.rest.strip_prefix("--");
        let is_dashes = behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(char::is_whitespace));
        is_dashes || self.rest.starts_with('#')
    }

    /// Reads a quoted name, if it ends nearby and in the same statement. A stray opener must not consume the next
    /// statement.
    fn quoted_name(&mut self, behind: &'t str, end: char) -> Token<'t> {
        let found = behind.char_indices().take(MAX_NAME).find(|(_, letter)| *letter == end || *letter == ';');
        match found.filter(|(_, letter)| *letter == end).and_then(|(at, _)| behind.split_at_checked(at)) {
            Some((name, rest)) => {
                self.rest = rest.strip_prefix(end).unwrap_or_default();
                Token::Name(name)
            }
            None => {
                self.rest = behind;
                Token::Sign(end)
            }
        }
    }

    /// Reads a string up to `quote`. A doubled quote or one after a backslash doesn't end it.
    fn string(&mut self, quote: char) -> &'t str {
        let whole = self.rest;
        let mut letters = whole.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' && self.dialect.escapes {
                letters.next();
            } else if letter == quote {
                if letters.peek().is_some_and(|(_, next)| *next == quote) {
                    letters.next();
                    continue;
                }
                let (text, behind) = whole.split_at_checked(at).unwrap_or((whole, ""));
                self.rest = behind.strip_prefix(quote).unwrap_or_default();
                return text;
            }
        }
        self.rest = "";
        whole
    }

    /// Reads `$$ ... $$` or `$tag$ ... $tag$`.
    fn dollar_quoted(&mut self) -> Option<&'t str> {
        let (tag, behind) = self.rest.strip_prefix('$').and_then(|rest| rest.split_once('$'))?;
        if tag.len() > 64 || !tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return None;
        }
        if self.open_quotes >= MAX_OPEN_QUOTES {
            return None;
        }
        // Without its end, it is a shell variable before another one: `$schema$table`.
        match behind.split_once(&format!("${tag}$")) {
            Some((text, rest)) => {
                self.rest = rest;
                Some(text)
            }
            None => {
                self.open_quotes += 1;
                None
            }
        }
    }

    /// Moves past the first `width` bytes, and returns them.
    fn cut(&mut self, width: usize) -> &'t str {
        let (cut, rest) = self.rest.split_at_checked(width).unwrap_or((self.rest, ""));
        self.rest = rest;
        cut
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let before = self.rest;
        self.skip_blank();
        let blank = before.len().saturating_sub(self.rest.len());
        self.begins_line = before.get(..blank).is_some_and(|blank| blank.contains('\n'));
        let first = self.rest.chars().next()?;
        let behind = self.rest.strip_prefix(first).unwrap_or_default();
        if !self.delimiter.is_empty()
            && let Some(rest) = self.rest.strip_prefix(self.delimiter)
        {
            self.rest = rest;
            return Some(Token::End);
        }
        match first {
            ';' => {
                self.rest = behind;
                Some(Token::End)
            }
            '\'' => {
                self.rest = behind;
                Some(Token::Text(self.string('\'')))
            }
            '"' => {
                self.rest = behind;
                Some(Token::Name(self.up_to("\"")))
            }
            '`' => Some(self.quoted_name(behind, '`')),
            '[' => Some(self.quoted_name(behind, ']')),
            '\\' => Some(self.sending_command().unwrap_or_else(|| {
                self.rest = behind;
                Token::Sign(first)
            })),
            '$' if !self.dialect.mysql
                && let Some(text) = self.dollar_quoted() =>
            {
                Some(Token::Text(text))
            }
            // A cast.
            ':' if behind.starts_with(':') => {
                self.cut(2);
                Some(Token::Sign(first))
            }
            _ if let Some(width) = placeholders::width(self.rest) => Some(Token::Unknown(self.cut(width))),
            _ if first.is_alphanumeric() || first == '_' || first == '@' => {
                let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '-')));
                let mut end = end.unwrap_or(self.rest.len());
                if !self.delimiter.is_empty() {
                    end = self.rest.get(..end).and_then(|word| word.find(self.delimiter)).unwrap_or(end);
                }
                Some(Token::Word(self.cut(end)))
            }
            _ => {
                self.rest = behind;
                Some(Token::Sign(first))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_hold_no_words() {
        let tokens: Vec<_> =
            Tokens::new("a 'drop; it''s' -- x\n/* y */ \"B\" # z\n;c", Dialect { mysql: true, ..Dialect::default() })
                .collect();
        let expected = [Token::Word("a"), Token::Text("drop; it''s"), Token::Name("B"), Token::End, Token::Word("c")];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn a_comment_of_one_dialect_hides_nothing_in_another() {
        let drops = |text, dialect| Tokens::new(text, dialect).any(|token| token.is("drop"));
        let mysql = Dialect { mysql: true, ..Dialect::default() };
        assert!(drops("select 1 # 2; drop table t", Dialect::default()));
        assert!(!drops("select 1 # 2; drop table t", mysql));
        assert!(drops("select 1--1; drop table t", mysql));
        assert!(drops("select '\\'; drop table t; --'", Dialect::default()));
        assert!(drops("select [; drop table t", Dialect::default()));
    }

    #[test]
    fn a_dollar_quote_ends_at_its_own_tag() {
        let tokens: Vec<_> = Tokens::new("$f$ drop $$ $f$ x", Dialect::default()).collect();
        assert_eq!(tokens, [Token::Text(" drop $$ "), Token::Word("x")]);
    }
}
