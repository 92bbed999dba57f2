//! Splits a text into commands and words, as far as a search for programs requires. Never fails. An unclosed construct
//! extends to the end of the text.

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// The maximum nesting of quoted commands.
const DEPTH: usize = 3;

/// A word after shell expansion, and its position in the source.
#[derive(Debug, Clone, Default)]
pub(super) struct Word<'t> {
    text: Cow<'t, str>,
    /// The offset in the whole text for each byte of `text`.
    places: Vec<usize>,
}

impl<'t> Word<'t> {
    /// Creates a word that is its own source.
    pub(super) fn plain(text: &'t str) -> Self {
        Word { text: Cow::Borrowed(text), places: Vec::new() }
    }

    /// Returns the text after quote removal and expansion.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a word that is its own source, or otherwise an empty text.
    pub(super) fn source(&self) -> &'t str {
        match self.text {
            Cow::Borrowed(text) => text,
            Cow::Owned(_) => "",
        }
    }

    /// Returns the range of this piece of the word in the whole text, without surrounding quotes.
    pub(super) fn place(&self, piece: Range<usize>) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes().get(piece.clone())?;
        let is_quote = |byte: &u8| matches!(byte, b'\'' | b'"');
        let first = piece.start + bytes.iter().position(|byte| !is_quote(byte))?;
        let last = piece.start + bytes.iter().rposition(|byte| !is_quote(byte))?;
        Some(*self.places.get(first)?..*self.places.get(last)? + 1)
    }

    fn push(&mut self, c: char, at: usize) {
        self.text.to_mut().push(c);
        self.places.extend(at..at + c.len_utf8());
    }
}

/// A parsed command.
#[derive(Debug, Default)]
pub(super) struct Command<'t> {
    pub(super) words: Vec<Word<'t>>,
    /// The here-strings.
    pub(super) here: Vec<Word<'t>>,
    /// The here-documents, as ranges in the whole text.
    pub(super) documents: Vec<Range<usize>>,
    /// The files that the command writes.
    pub(super) targets: Vec<Word<'t>>,
    /// Whether it reads the previous command's output.
    pub(super) piped: bool,
    /// Whether the next command's output is its input or last word, as in `< <(x)` and `$(x)`.
    pub(super) fed: bool,
    /// The first command of the preceding group, whose commands are part of the same pipeline.
    pub(super) group: Option<usize>,
}

/// Returns the commands of a text. Commands in quotes follow the one that contains them.
pub(super) fn commands(text: &str) -> Vec<Command<'static>> {
    let mut all = Vec::new();
    split(text, 0, DEPTH, &mut all);
    all
}

/// The kind of the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextWord {
    Argument,
    /// A file that is read.
    Source,
    /// A file that is written.
    Target,
    HereString,
    /// The delimiter of a here-document.
    Delimiter,
}

/// The maximum nesting of groups.
const GROUPS: usize = 16;

/// The maximum number of examined here-documents in a text.
const DOCUMENTS: usize = 64;

struct Splitter<'o> {
    text: &'o str,
    /// The unread rest of the text.
    chars: Peekable<CharIndices<'o>>,
    /// The offset of the text in the whole text.
    offset: usize,
    /// The earliest offset at which the next here-document may begin.
    read: usize,
    documents: usize,
    /// The first commands of the open groups.
    groups: Vec<usize>,
    current: Command<'static>,
    word: Option<Word<'static>>,
    next: NextWord,
    /// Quoted texts that may be commands.
    quoted: Vec<Range<usize>>,
    all: &'o mut Vec<Command<'static>>,
}

impl Splitter<'_> {
    fn end_word(&mut self, at: usize) {
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.next, NextWord::Argument) {
            NextWord::Argument => self.current.words.push(word),
            NextWord::HereString => self.current.here.push(word),
            NextWord::Target => self.current.targets.push(word),
            NextWord::Delimiter => self.document(at, word.text()),
            NextWord::Source => {}
        }
    }

    /// Records the here-document whose operator is before this offset.
    fn document(&mut self, at: usize, delimiter: &str) {
        if self.documents == DOCUMENTS {
            return;
        }
        self.documents += 1;
        let line = || self.text.get(at..)?.find('\n').map(|end| at + end + 1);
        let Some(start) = Some(self.read).filter(|read| *read > at).or_else(line) else { return };
        let mut end = start;
        for line in self.text.get(start..).unwrap_or_default().split_inclusive('\n') {
            if line.trim() == delimiter {
                self.read = end + line.len();
                self.current.documents.push(self.offset + start..self.offset + end);
                return;
            }
            end += line.len();
        }
        self.read = end;
        self.current.documents.push(self.offset + start..self.offset + end);
    }

    fn end_command(&mut self, at: usize, pipes: bool) {
        self.end_word(at);
        self.next = NextWord::Argument;
        let next = Command { piped: pipes, ..Command::default() };
        let ended = std::mem::replace(&mut self.current, next);
        if !ended.words.is_empty() || !ended.targets.is_empty() {
            self.all.push(ended);
        } else if pipes {
            self.current.group = ended.group;
        }
    }

    fn push(&mut self, c: char, at: usize) {
        self.word.get_or_insert_default().push(c, self.offset + at);
    }

    /// Adds the text in the quotes that begin at `at`. An unclosed quote is literal.
    fn quotes(&mut self, at: usize, quote: char) {
        let Some(end) = closing(self.text, at, quote) else { return self.push(quote, at) };
        self.word.get_or_insert_default();
        while let Some((at, inside)) = self.chars.next_if(|(at, _)| *at < end) {
            let escaped = quote == '"' && inside == '\\';
            let taken = if escaped { self.chars.next_if(|(at, _)| *at < end) } else { None };
            let (at, inside) = taken.unwrap_or((at, inside));
            self.push(inside, at);
        }
        self.chars.next();
        if self.text.get(at + 1..end).is_some_and(|inside| inside.contains(char::is_whitespace)) {
            self.quoted.push(at + 1..end);
        }
    }

    /// Ends the command at an operator between commands or around a group.
    fn operator(&mut self, at: usize, c: char) {
        let twice = self.chars.next_if(|(_, next)| *next == c).is_some();
        self.current.fed = c == '('
            && match &self.word {
                None => self.next == NextWord::Source,
                Some(word) => word.text().ends_with('$'),
            };
        self.end_command(at, c == '|' && !twice);
        match c {
            '(' | '{' if self.groups.len() < GROUPS => self.groups.push(self.all.len()),
            ')' | '}' => self.current.group = self.groups.pop(),
            _ => {}
        }
    }

    /// Ends the word at a redirection, which determines the kind of the next word.
    fn redirection(&mut self, at: usize, c: char) {
        // A number directly before it is a descriptor.
        let descriptor = |word: &Word<'_>| word.text().bytes().all(|byte| byte.is_ascii_digit());
        if self.word.as_ref().is_some_and(descriptor) {
            self.word = None;
        }
        self.end_word(at);
        let mut count = 1;
        while self.chars.next_if(|(_, next)| matches!(next, '<' | '>' | '&' | '|')).is_some() {
            count += 1;
        }
        self.next = match (c, count) {
            ('<', 3) => NextWord::HereString,
            ('<', 2) => {
                self.chars.next_if(|(_, next)| *next == '-');
                NextWord::Delimiter
            }
            ('<', _) => NextWord::Source,
            _ => NextWord::Target,
        };
    }
}

fn split(text: &str, offset: usize, depth: usize, all: &mut Vec<Command<'static>>) {
    let mut out = Splitter {
        text,
        chars: text.char_indices().peekable(),
        offset,
        read: 0,
        documents: 0,
        groups: Vec::new(),
        current: Command::default(),
        word: None,
        next: NextWord::Argument,
        quoted: Vec::new(),
        all,
    };
    let mut comment = false;
    while let Some((at, c)) = out.chars.next() {
        match c {
            '\n' => {
                comment = false;
                out.end_command(at, false);
            }
            _ if c.is_whitespace() => out.end_word(at),
            '\'' | '"' if !comment => out.quotes(at, c),
            '\\' => match out.chars.next() {
                Some((at, next)) if next != '\n' => out.push(next, at),
                _ => {}
            },
            '#' if out.word.is_none() => comment = true,
            '|' | ';' | '&' | '(' | ')' | '`' | '{' | '}' if out.word.is_none() || !matches!(c, '{' | '}') => {
                out.operator(at, c);
            }
            '<' | '>' => out.redirection(at, c),
            _ => out.push(c, at),
        }
    }
    out.end_command(text.len(), false);
    let quoted = out.quoted;
    if let Some(depth) = depth.checked_sub(1) {
        for range in quoted {
            split(text.get(range.clone()).unwrap_or_default(), offset + range.start, depth, all);
        }
    }
}

/// Returns the end of the quote that begins at `at`.
fn closing(text: &str, at: usize, quote: char) -> Option<usize> {
    let inside = text.get(at + 1..)?;
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = !escaped && byte == quote as u8;
        escaped = quote == '"' && byte == b'\\' && !escaped;
        ends
    })?;
    Some(at + 1 + end)
}
