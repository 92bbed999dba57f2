//! Finds the ends of shell constructs in one linear pass without a grammar.
//!
//! It uses an explicit stack instead of recursion, so that no text can overflow the machine's stack. It doesn't
//! identify commands. It only knows enough (quotes, comments, here-documents, `case`) to match openers with closers.

use std::ops::Range;

use heredocs::Heredoc;

mod heredocs;

/// The maximum number of here-documents.
pub const HEREDOCS: usize = 512;

/// The maximum number of comments that are listed.
const COMMENTS: usize = 4_096;

/// A construct around the scanner's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// Commands.
    Commands {
        /// Whether they end with `)`.
        closes: bool,
        /// The number of open `case` commands.
        cases: u16,
    },
    /// Double quotes.
    Double,
    /// `${...}`.
    Parameter {
        /// Whether it is in double quotes.
        quoted: bool,
    },
    /// `$((...))` or `((...))`.
    Arithmetic {
        /// The number of open parentheses in it.
        parens: u32,
    },
    /// `$[...]`.
    Bracket {
        /// The number of open brackets in it.
        open: u32,
    },
}

/// The commands after an opening parenthesis.
pub const COMMANDS: Frame = Frame::Commands { closes: true, cases: 0 };

/// The totals of a whole scan.
#[derive(Debug, Default)]
pub struct Counts {
    /// The maximum depth of the stack.
    pub depth: usize,
    /// The maximum number of command frames on the stack.
    pub command_depth: usize,
    /// Openers of extended patterns outside quotes.
    pub pattern_openers: usize,
    /// The maximum number of `[` open at once.
    pub brackets: usize,
    /// The maximum number of `{` open at once.
    pub braces: usize,
    /// The maximum number of compound commands open at once, counted by reserved words.
    pub compounds: usize,
    /// The longest run of `time`, `!` and `coproc`.
    pub prefix_run: usize,
    /// Here-documents.
    pub heredocs: usize,
    /// The maximum number of expansions in one outermost word.
    pub expansions: usize,
    /// Offsets where a backslash and a newline join two lines.
    pub continuations: Vec<usize>,
    /// The first comments, each from its `#` to the end of the line.
    pub comments: Vec<Range<usize>>,
}

/// Returns the byte at `at`, or 0 after the end.
#[must_use]
pub fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Returns the offset of `needle` at or after `from`, or the end.
#[must_use]
pub fn find(bytes: &[u8], from: usize, needle: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter().position(|&byte| byte == needle).map_or(bytes.len(), |found| from + found)
}

/// Returns whether a `#` after this byte opens a comment.
fn separates(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// The scanner, with its position and the enclosing constructs.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Frame>,
    heredocs: Vec<Heredoc>,
    /// Whether a command's name is allowed here.
    command_position: bool,
    /// Whether a word starts here.
    word_start: bool,
    run: usize,
    open_brackets: usize,
    open_braces: usize,
    open_compounds: usize,
    expansions: usize,
    counts: Counts,
}

/// Scans a whole text.
#[must_use]
pub fn survey(text: &str) -> Counts {
    let mut scanner = Scanner::new(text.as_bytes(), 0, Frame::Commands { closes: false, cases: 0 });
    while scanner.at < scanner.bytes.len() {
        scanner.step();
    }
    scanner.counts
}

/// Returns the offset after the closer of the construct in `frame`. `from` is the offset after its opener.
///
/// If an arithmetic construct turns out to be two subshells, returns the end of the outer one and `true`.
#[must_use]
pub fn close(bytes: &[u8], from: usize, frame: Frame) -> Option<(usize, bool)> {
    let mut scanner = Scanner::new(bytes, from, frame);
    let mut changed = false;
    while scanner.at < bytes.len() {
        scanner.step();
        match scanner.stack.first() {
            None => return Some((scanner.at, changed)),
            Some(Frame::Commands { .. }) if !matches!(frame, Frame::Commands { .. }) => changed = true,
            Some(_) => {}
        }
    }
    None
}

/// Returns the offset after the closing backtick of a substitution. `from` is the offset after the opening one.
#[must_use]
pub fn close_backtick(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match byte(bytes, at) {
            b'\\' => at += 2,
            b'`' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Returns the offset after the closing quote of `$'...'`. `from` is the offset after the opening one.
#[must_use]
pub fn close_ansi(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match byte(bytes, at) {
            b'\\' => at += 2,
            b'\'' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8], at: usize, frame: Frame) -> Self {
        Scanner {
            bytes,
            at,
            stack: vec![frame],
            heredocs: Vec::new(),
            command_position: true,
            word_start: true,
            run: 0,
            open_brackets: 0,
            open_braces: 0,
            open_compounds: 0,
            expansions: 0,
            counts: Counts::default(),
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        byte(self.bytes, self.at + ahead)
    }

    fn push(&mut self, frame: Frame, opener: usize) {
        self.at += opener;
        self.stack.push(frame);
        self.command_position = true;
        self.word_start = true;
        self.counts.depth = self.counts.depth.max(self.stack.len());
        self.expansions += 1;
        self.counts.expansions = self.counts.expansions.max(self.expansions);
        let commands = self.stack.iter().rev().take(64).filter(|frame| !matches!(frame, Frame::Double)).count();
        self.counts.command_depth = self.counts.command_depth.max(commands);
    }

    fn pop(&mut self, closer: usize) {
        self.at += closer;
        self.stack.pop();
        self.command_position = false;
        self.word_start = false;
    }

    fn within_word(&mut self, width: usize) {
        self.at += width;
        self.command_position = false;
        self.word_start = false;
    }

    fn step(&mut self) {
        match self.stack.last().copied() {
            Some(Frame::Commands { closes, cases }) => self.commands(closes, cases),
            Some(Frame::Double) => match self.peek(0) {
                b'"' => self.pop(1),
                _ => self.expansion(true),
            },
            Some(Frame::Parameter { quoted }) => match self.peek(0) {
                b'}' => self.pop(1),
                b'\'' if !quoted => self.at = find(self.bytes, self.at + 1, b'\'') + 1,
                b'"' => self.push(Frame::Double, 1),
                b'<' | b'>' if !quoted && self.peek(1) == b'(' => self.push(COMMANDS, 2),
                _ => self.expansion(quoted),
            },
            Some(Frame::Arithmetic { parens }) => match (self.peek(0), parens) {
                (b'(', _) => self.replace(Frame::Arithmetic { parens: parens + 1 }),
                (b')', 0) if self.peek(1) == b')' => self.pop(2),
                (b')', 0) => self.replace(COMMANDS),
                (b')', _) => self.replace(Frame::Arithmetic { parens: parens - 1 }),
                (b'"', _) => self.push(Frame::Double, 1),
                _ => self.expansion(true),
            },
            Some(Frame::Bracket { open }) => match (self.peek(0), open) {
                (b'[', _) => self.replace(Frame::Bracket { open: open + 1 }),
                (b']', 0) => self.pop(1),
                (b']', _) => self.replace(Frame::Bracket { open: open - 1 }),
                (b'"', _) => self.push(Frame::Double, 1),
                _ => self.expansion(true),
            },
            None => self.at = self.bytes.len(),
        }
    }

    fn replace(&mut self, frame: Frame) {
        if let Frame::Arithmetic { parens: open } | Frame::Bracket { open } = frame {
            self.counts.depth = self.counts.depth.max(self.stack.len() + open as usize);
        }
        if let Some(top) = self.stack.last_mut() {
            *top = frame;
        }
        self.at += 1;
    }

    /// Scans a backslash, a `$`, a backtick, or one other byte.
    fn expansion(&mut self, quoted: bool) {
        match self.peek(0) {
            b'\\' => {
                if self.peek(1) == b'\n' {
                    self.counts.continuations.push(self.at);
                    self.at += 2;
                } else {
                    self.within_word(2);
                }
            }
            b'`' => {
                let end = close_backtick(self.bytes, self.at + 1).unwrap_or(self.bytes.len());
                self.expansions += 1;
                self.counts.expansions = self.counts.expansions.max(self.expansions);
                self.backtick_continuations(end);
                self.within_word(end - self.at);
            }
            b'$' => match self.peek(1) {
                b'(' if self.peek(2) == b'(' => self.push(Frame::Arithmetic { parens: 0 }, 3),
                b'(' => self.push(COMMANDS, 2),
                b'{' => self.push(Frame::Parameter { quoted }, 2),
                b'[' => self.push(Frame::Bracket { open: 0 }, 2),
                b'\'' if !quoted => {
                    let end = close_ansi(self.bytes, self.at + 2).unwrap_or(self.bytes.len());
                    self.within_word(end - self.at);
                }
                b'"' if !quoted => self.push(Frame::Double, 2),
                // `$\` and a newline: the byte after the continuation decides.
                b'\\' if self.peek(2) == b'\n' => {
                    self.counts.continuations.push(self.at + 1);
                    match self.peek(3) {
                        b'(' => self.push(COMMANDS, 4),
                        b'{' => self.push(Frame::Parameter { quoted }, 4),
                        _ => self.within_word(3),
                    }
                }
                _ => self.within_word(1),
            },
            _ => self.within_word(1),
        }
    }

    fn backtick_continuations(&mut self, end: usize) {
        let mut at = self.at;
        while at + 1 < end {
            match (byte(self.bytes, at), byte(self.bytes, at + 1)) {
                (b'\\', b'\n') => {
                    self.counts.continuations.push(at);
                    at += 2;
                }
                (b'\\', _) => at += 2,
                _ => at += 1,
            }
        }
    }

    fn commands(&mut self, closes: bool, cases: u16) {
        let byte = self.peek(0);
        if self.stack.len() == 1 && matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|') {
            self.expansions = 0;
        }
        match byte {
            b'\'' => {
                let end = find(self.bytes, self.at + 1, b'\'') + 1;
                self.within_word(end - self.at);
            }
            b'"' => self.push(Frame::Double, 1),
            b'#' if self.word_start => self.comment(),
            b'\n' => {
                self.at += 1;
                self.command_position = true;
                self.word_start = true;
                self.run = 0;
                if !self.heredocs.is_empty() {
                    self.heredoc_bodies();
                }
            }
            b' ' | b'\t' => {
                self.at += 1;
                self.word_start = true;
            }
            b';' | b'&' | b'|' => {
                self.at += 1;
                self.command_position = true;
                self.word_start = true;
                self.run = 0;
            }
            b'<' if self.peek(1) == b'<' && self.peek(2) == b'<' => self.word_break(3),
            b'<' if self.peek(1) == b'<' => self.heredoc(),
            b'<' | b'>' if self.peek(1) == b'(' => self.push(COMMANDS, 2),
            b'<' | b'>' => self.word_break(1),
            b'(' if self.command_position && self.word_start && self.peek(1) == b'(' => {
                self.push(Frame::Arithmetic { parens: 0 }, 2);
            }
            b'(' => self.push(COMMANDS, 1),
            b')' if cases > 0 => {
                self.at += 1;
                self.command_position = true;
                self.word_start = true;
            }
            b')' if closes => self.pop(1),
            b')' => self.word_break(1),
            b'[' | b']' => {
                self.open_brackets =
                    if byte == b'[' { self.open_brackets + 1 } else { self.open_brackets.saturating_sub(1) };
                self.counts.brackets = self.counts.brackets.max(self.open_brackets);
                self.within_word(1);
            }
            b'@' | b'?' | b'*' | b'+' | b'!' if self.peek(1) == b'(' => {
                self.counts.pattern_openers += 1;
                self.within_word(1);
            }
            b'{' | b'}' => self.brace(byte == b'{'),
            _ if self.word_start && (byte.is_ascii_alphabetic() || byte == b'!') => self.bare_word(closes, cases),
            _ => self.expansion(false),
        }
    }

    fn comment(&mut self) {
        let end = find(self.bytes, self.at, b'\n');
        if self.counts.comments.len() < COMMENTS {
            self.counts.comments.push(self.at..end);
        }
        self.at = end;
    }

    fn brace(&mut self, opens: bool) {
        self.open_braces = if opens { self.open_braces + 1 } else { self.open_braces.saturating_sub(1) };
        self.counts.braces = self.counts.braces.max(self.open_braces);
        let follows = self.peek(1);
        let group = opens && self.word_start && self.command_position && (follows == 0 || separates(follows));
        self.within_word(1);
        self.command_position = group;
    }

    fn word_break(&mut self, width: usize) {
        self.at += width;
        self.word_start = true;
    }

    /// Scans a word that may be reserved.
    fn bare_word(&mut self, closes: bool, cases: u16) {
        let start = self.at;
        let mut end = start;
        while byte(self.bytes, end).is_ascii_alphabetic() || byte(self.bytes, end) == b'!' {
            end += 1;
        }
        let follows = byte(self.bytes, end);
        let whole = end == self.bytes.len() || separates(follows);
        let word = self.bytes.get(start..end).unwrap_or_default();
        let position = self.command_position;
        if matches!(word, b"time" | b"!" | b"coproc") {
            self.run += 1;
            self.counts.prefix_run = self.counts.prefix_run.max(self.run);
        } else {
            self.run = 0;
        }
        self.at = end;
        self.word_start = false;
        self.command_position = false;
        if !whole {
            return;
        }
        let cases = match word {
            b"case" if position => cases.saturating_add(1),
            b"esac" if position => cases.saturating_sub(1),
            _ => cases,
        };
        if let Some(top) = self.stack.last_mut() {
            *top = Frame::Commands { closes, cases };
        }
        let introduces = matches!(
            word,
            b"then" | b"do" | b"else" | b"elif" | b"if" | b"while" | b"until" | b"time" | b"!" | b"coproc"
        );
        match word {
            b"if" | b"while" | b"until" | b"for" | b"case" | b"select" | b"foreach" | b"repeat" if position => {
                self.open_compounds += 1;
            }
            b"fi" | b"done" | b"esac" if position => self.open_compounds = self.open_compounds.saturating_sub(1),
            _ => {}
        }
        self.counts.compounds = self.counts.compounds.max(self.open_compounds);
        // `for ((` isn't a command's position, but its parentheses are arithmetic as well.
        self.command_position = (position && (introduces || word == b"for")) || (word == b"in" && cases > 0);
    }
}
