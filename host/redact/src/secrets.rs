//! [`Secrets`]: the secrets of a call, and their removal from texts about it.
//!
//! A policy's sentence contains pieces of the call and its own words. Only the pieces may contain secrets. If the call
//! uses a common word as a password, the same word in a policy's own text must stay. So a secret that can't be a normal
//! word is hidden everywhere. One that may be a word is hidden after the same text as in the call. It is also hidden
//! alone in quotes, unless the call contains it openly elsewhere.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::names::keeps_secrets;
use super::spans::{merged, without};
use super::{find, programs, shapes};

/// The number of characters before a secret that identify a quotation of the call.
const CONTEXT: usize = 3;

/// The length from which a text isn't a word.
const NO_WORD: usize = 16;

/// The minimum length of a mixed secret's piece that isn't a coincidence.
const PIECE: usize = 6;

/// The maximum number of truncated quotations in a text.
const CUTS: usize = 8;

/// The maximum number of bytes read from a call.
const READ_BYTES: usize = 1 << 20;

/// The maximum length of a secret whose start is searched for in truncated quotations.
const CUT_BYTES: usize = 4 << 10;

/// A secret, without white space and quotes, which a quotation may change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Secret {
    value: String,
    /// The text before it in the call.
    before: String,
    /// Whether the secret can't be a normal word.
    is_distinct: bool,
}

/// The secrets of a call.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    known: HashSet<Secret>,
    /// The texts of the call that aren't secret.
    open: String,
}

impl Secrets {
    /// Learns the secrets of a text of the call. Only the first mebibyte of all texts is read, because the hook has a
    /// deadline, and secrets of known shape are hidden anyway.
    pub fn learn(&mut self, text: &str) {
        let text = self.readable(text);
        self.note(text, &find(text));
    }

    /// Learns the secrets of a text that is written to this file.
    pub fn learn_written(&mut self, path: &str, text: &str) {
        if !keeps_secrets(path) {
            return self.learn(text);
        }
        let text = self.readable(text);
        let mut found = find(text);
        programs::find_kept(text, &mut found);
        self.note(text, &merged(found));
    }

    /// Returns the part of a text that is read.
    fn readable<'t>(&self, text: &'t str) -> &'t str {
        let left = READ_BYTES.saturating_sub(self.open.len());
        text.get(..text.floor_char_boundary(left)).unwrap_or_default()
    }

    /// Records the secrets found in a text.
    fn note(&mut self, text: &str, found: &[Range<usize>]) {
        if found.is_empty() {
            self.open.push_str(text);
        } else {
            self.open.push_str(&without(text, found));
        }
        self.open.push('\n');
        let mut rest = found;
        while let Some((first, mut others)) = rest.split_first() {
            // The words of one quoted text are one secret.
            let mut end = first.end;
            while let Some((next, more)) = others.split_first()
                && text.get(end..next.start).is_some_and(|between| between.chars().all(is_noise))
            {
                (end, others) = (next.end, more);
            }
            self.add(text.get(..first.start).unwrap_or_default(), text.get(first.start..end).unwrap_or_default());
            rest = others;
        }
    }

    /// Learns the secrets among the words of a command, after shell expansion.
    pub fn learn_words(&mut self, words: &[&str]) {
        let quoted: Vec<Cow<'_, str>> = words.iter().map(|word| quoted(word)).collect();
        self.learn(&quoted.join(" "));
        for secret in programs::secrets_in_words(words) {
            self.add("", secret);
        }
    }

    /// Learns the value of a name.
    pub fn learn_value(&mut self, name: &str, value: &str) {
        if super::may_name_secret(name) && !super::names::is_harmless(name, value) {
            self.add(&format!("{name}:"), value);
        }
    }

    /// Like [`Secrets::hide`], for the value of a name.
    #[must_use]
    pub fn hide_under(&self, name: &str, text: &str) -> String {
        if super::may_name_secret(name) && !super::names::is_harmless(name, text) && !text.is_empty() {
            return super::MARK.to_owned();
        }
        self.hide(text)
    }

    /// Like [`Secrets::hide`], for one word of the call.
    #[must_use]
    pub fn hide_word(&self, word: &str) -> String {
        let is_secret = || self.known.iter().any(|secret| secret.value == word);
        if is_secret() { super::MARK.to_owned() } else { self.hide(word) }
    }

    fn add(&mut self, before: &str, secret: &str) {
        let value: String = secret.chars().filter(|c| !is_noise(*c)).collect();
        if value.is_empty() {
            return;
        }
        let mut signs: Vec<char> = before.chars().rev().filter(|c| !is_noise(*c)).take(CONTEXT).collect();
        signs.reverse();
        let is_distinct = is_distinct(secret);
        self.known.insert(Secret { value, before: signs.into_iter().collect(), is_distinct });
    }

    /// Removes the call's secrets, and secrets of known shape, from a text about the call.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut ranges = shapes(text);
        if !self.known.is_empty() {
            let quoted = UnquotedText::new(text);
            for secret in &self.known {
                quoted.find(secret, &self.open, &mut ranges);
            }
        }
        without(text, &merged(ranges))
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_noise(c) && !matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '#');
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    // Single quotes, because few words contain one. Double quotes avoid escapes if the word contains nothing else to
    // escape.
    let quote = if word.contains('\'') && !word.contains(['"', '\\']) { '"' } else { '\'' };
    Cow::Owned(format!("{quote}{}{quote}", if quote == '"' { word.to_owned() } else { word.replace('\'', r"'\''") }))
}

/// Returns whether it is white space, a quote or a backslash, which a quotation of the call may lose or gain.
fn is_noise(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\'' | '"' | '\\')
}

/// Returns whether this secret can't be a normal word.
pub(super) fn is_distinct(secret: &str) -> bool {
    secret.split_whitespace().any(is_mixed)
}

/// Returns whether a text without white space doesn't look like a word of a language or command.
fn is_mixed(text: &str) -> bool {
    let length = text.chars().count();
    let has = |of: fn(char) -> bool| text.chars().any(of);
    let digits = has(|c| c.is_ascii_digit());
    let letters = has(char::is_alphabetic);
    let lower = has(char::is_lowercase);
    let upper = text.chars().skip(1).any(char::is_uppercase);
    let signs =
        has(|c| c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '.' | '/' | ',' | ':' | '\'' | '`' | ')' | '('));
    let runs = || text.split(|c: char| !c.is_alphanumeric());
    length >= PIECE && (digits && letters || lower && upper || signs && letters)
        || runs().any(|run| run.chars().count() >= NO_WORD)
}

/// A text without noise, and the position of each character.
struct UnquotedText<'t> {
    text: &'t str,
    signs: String,
    /// The offset in `text` for each byte of `signs`, and the end of the text.
    places: Vec<usize>,
    /// The offsets in `signs` where a quotation may be truncated.
    cuts: Vec<usize>,
}

impl<'t> UnquotedText<'t> {
    fn new(text: &'t str) -> Self {
        let (mut signs, mut places, mut cuts) = (String::with_capacity(text.len()), Vec::new(), Vec::new());
        for (at, c) in text.char_indices() {
            if cuts.len() < CUTS && (c == '…' || text.get(at..).is_some_and(|rest| rest.starts_with("..."))) {
                cuts.push(signs.len());
            }
            if !is_noise(c) {
                signs.push(c);
                places.extend(at..at + c.len_utf8());
            }
        }
        cuts.push(signs.len());
        places.push(text.len());
        UnquotedText { text, signs, places, cuts }
    }

    fn find(&self, secret: &Secret, open: &str, ranges: &mut Vec<Range<usize>>) {
        let mut from = 0;
        while let Some(found) = self.signs.get(from..).and_then(|rest| rest.find(&secret.value)) {
            let (start, end) = (from + found, from + found + secret.value.len());
            let is_alone = || self.is_alone(start, end) && !open.contains(&secret.value);
            if secret.is_distinct || self.is_announced(secret, start) || is_alone() {
                ranges.extend(self.range(start, end));
            }
            from = start + secret.value.chars().next().map_or(1, char::len_utf8);
        }
        for cut in &self.cuts {
            let least = cut.saturating_sub(secret.value.len().min(CUT_BYTES));
            let begins = |start: &usize| {
                let piece = self.signs.get(*start..*cut).filter(|piece| !piece.is_empty());
                piece.is_some_and(|piece| {
                    secret.value.starts_with(piece)
                        && (self.is_announced(secret, *start) || secret.is_distinct && piece.len() >= PIECE)
                })
            };
            if let Some(start) = (least..*cut).find(begins) {
                ranges.extend(self.range(start, *cut));
            }
        }
    }

    /// Returns whether the text before this offset is the text before the secret in the call.
    fn is_announced(&self, secret: &Secret, start: usize) -> bool {
        let before = self.signs.get(..start).unwrap_or_default();
        !secret.before.is_empty() && before.ends_with(&secret.before)
    }

    /// Returns whether it is alone in quotes.
    fn is_alone(&self, start: usize, end: usize) -> bool {
        let Some(range) = self.range(start, end) else { return false };
        let quotes = |c: Option<char>| c.is_none_or(|c| matches!(c, '\'' | '"' | '`'));
        let before = self.text.get(..range.start).and_then(|before| before.chars().next_back());
        quotes(before) && quotes(self.text.get(range.end..).and_then(|after| after.chars().next()))
    }

    fn range(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let last = end.checked_sub(1)?;
        Some(*self.places.get(start)?..*self.places.get(last)? + 1)
    }
}
