//! Words that the preceding ones determine.

use super::super::names::{is_harmless, is_name, is_reference};
use super::super::secrets::is_distinct;
use super::super::spans::Spans;
use super::super::word::{ends_as_function, is_call, is_quote, is_scheme};
use super::{Expect, State};

impl<'a> State<'a> {
    /// Reads a word according to the expectation. Returns false if it is like any other.
    pub(super) fn expected(&mut self, word: &'a str, separator: Option<char>, out: &mut Spans) -> bool {
        let quote = separator.filter(|c| is_quote(*c));
        match self.expect {
            Expect::Nothing => return false,
            Expect::Until(closing) | Expect::UntilEscaped(closing) => {
                hide_unescaped(word, out);
                let (escaped, wanted) = (word.ends_with('\\'), matches!(self.expect, Expect::UntilEscaped(_)));
                if separator == Some(closing) && escaped == wanted {
                    self.expect = Expect::Adjoining;
                }
            }
            Expect::Line(depth) => {
                if is_reference(word) {
                    out.keep(word);
                } else {
                    out.hide(word);
                }
                if separator == Some('\n') || self.closes && self.quotes.0.len() < depth {
                    self.expect = Expect::Nothing;
                }
            }
            Expect::Adjoining => {
                let structure = word.starts_with(['}', ']', ':', '\\']);
                if structure || word.is_empty() && quote.is_none() {
                    self.expect = Expect::Nothing;
                    return false;
                }
                out.hide(word);
                self.expect = self.adjoins(quote);
            }
            Expect::Pair => {
                self.expect = match separator {
                    Some(',') => Expect::Quoted,
                    Some(')' | '\n') | None => Expect::Nothing,
                    _ => Expect::Pair,
                };
                out.keep(word);
            }
            Expect::Quoted => return self.before_quotes(word, separator, out),
            Expect::Secret | Expect::Nameless if word.bytes().all(|byte| matches!(byte, b'\\' | b'$')) => {
                out.keep(word);
                self.expect = match (quote, separator) {
                    (Some(_), _) if self.closes => Expect::Adjoining,
                    (Some(quote), _) => self.opened(quote, word),
                    (None, Some('\n')) if word.is_empty() => Expect::Nothing,
                    (None, Some(';' | '|' | '&' | ')' | '<' | '>')) => Expect::Nothing,
                    (None, Some('(')) if !word.is_empty() => Expect::Nothing,
                    (None, _) => self.expect,
                };
            }
            Expect::Secret | Expect::Nameless | Expect::Last => return self.secret(word, separator, out),
        }
        true
    }

    /// Reads a word before a quoted secret, such as the `N` in `N'x'`.
    fn before_quotes(&mut self, word: &'a str, separator: Option<char>, out: &mut Spans) -> bool {
        let quote = separator.filter(|c| is_quote(*c));
        let value = word.trim_start_matches(['=', '\\']);
        // PostgreSQL quotes: `$$x$$`.
        if ["$$", "$\\$"].iter().any(|quotes| value.starts_with(quotes)) {
            out.hide(word);
            self.expect = Expect::Nothing;
            return true;
        }
        let begins =
            value.is_empty() || matches!(value, "N" | "n" | "E" | "e" | "b" | "f" | "r" | "u") && quote.is_some();
        if !begins {
            self.expect = Expect::Nothing;
            return false;
        }
        out.keep(word);
        self.expect = match quote {
            Some(quote) if !self.closes => self.opened(quote, word),
            _ if separator == Some(';') => Expect::Nothing,
            _ => Expect::Quoted,
        };
        true
    }

    /// Reads a word that is a secret, unless it only precedes or replaces one.
    fn secret(&mut self, word: &'a str, separator: Option<char>, out: &mut Spans) -> bool {
        let expect = std::mem::replace(&mut self.expect, Expect::Nothing);
        let value = word.trim_end_matches(['}', ']']);
        // An object begins, whose keys determine their own values.
        let inside = word.trim_start_matches(['[', '{']);
        let open = inside.len() < word.len() && (inside.is_empty() || inside.ends_with(':'));
        let waits = matches!(word, "await" | "new" | "yield");
        if expect == Expect::Secret && is_scheme(word) {
            out.keep(word);
            self.expect = if word.eq_ignore_ascii_case("digest") { self.line() } else { Expect::Secret };
            return true;
        }
        let harmless = open
            || waits
            || is_harmless("", value)
            || is_call(word, separator)
            || word.starts_with("--") && !is_distinct(word)
            || expect == Expect::Nameless && is_name(value)
            || expect == Expect::Last && !(self.is_last(separator) && is_distinct(word));
        if !harmless {
            hide_unescaped(word, out);
            self.expect = self.adjoins(separator.filter(|c| is_quote(*c)));
            return true;
        }
        if waits {
            self.expect = expect;
        }
        if separator == Some('(') && ends_as_function(word) {
            self.expect = Expect::Quoted;
        }
        // Without a secret, the word is like any other.
        let is_value = expect == Expect::Secret && !word.starts_with('-') && !open;
        if is_value {
            out.keep(word);
        }
        is_value
    }
}

/// Hides a word up to the backslashes before a quote.
fn hide_unescaped(word: &str, out: &mut Spans) {
    let secret = word.trim_end_matches('\\');
    out.hide(secret);
    out.keep(word.get(secret.len()..).unwrap_or_default());
}
