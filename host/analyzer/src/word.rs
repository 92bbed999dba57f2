//! Parses a word: quotes, expansions, patterns, and the texts that run when it is expanded.
//!
//! Reads the raw text, because the parser's own interpretation of a word isn't trusted. [`expand`] determines a word's
//! meaning at run time (variables, braces).

mod ansi;
mod brace;
pub(crate) mod expand;
pub(crate) mod zsh;

use guard_sdk::scan::{self, Frame, byte};

use crate::parse::tree::Range;

/// A piece of a word, in source order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    /// A literal's text after quote removal, a plain variable's name, or otherwise the source text.
    pub(crate) text: String,
    pub(crate) quoted: bool,
    /// The output of a command substitution, if known.
    pub(crate) output: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceKind {
    Literal,
    /// `$name` or `${name}`.
    Variable {
        braces: bool,
    },
    /// `${...}` with anything other than a name.
    Parameter,
    Command,
    Arithmetic,
    Process,
    Glob,
    Tilde,
    /// A result of a brace expression with too many results, which also represents the others.
    Brace,
}

/// A text that runs when its word is expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    /// Whether it is `<(...)` or `>(...)`, and not a command substitution.
    pub(crate) process: bool,
    /// The range of the body, without its brackets.
    pub(crate) body: Range,
    /// The range of the whole substitution.
    pub(crate) whole: Range,
    /// The body's text if it differs from the source: backticks with backslashes.
    pub(crate) text: Option<String>,
}

/// A parsed word.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) children: Vec<Child>,
    /// Whether a construct has no end in the word.
    pub(crate) torn: bool,
    /// Whether the word contains unquoted white space or an operator, so that it is more than one word.
    pub(crate) broken: bool,
}

/// How to read a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// One word.
    Word,
    /// Words separated by white space and comments: the elements of an array, `[[ ]]`.
    Words,
    /// Like double quotes: arithmetic, here-documents.
    Quoted,
}

/// Parses the words of `range`.
pub(crate) fn read(text: &str, range: Range, mode: Mode) -> Reading {
    let end = range.end.min(text.len());
    let mut reader = Reader { text, bytes: text.as_bytes(), end, reading: Reading::default(), silent: false };
    match mode {
        Mode::Word | Mode::Words => reader.unquoted(range.start, mode),
        Mode::Quoted => reader.quoted(range.start, end),
    }
    reader.reading
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    end: usize,
    reading: Reading,
    /// Whether the reader is in an operand: its pieces don't belong to the word, but its children run.
    silent: bool,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        if at < self.end { byte(self.bytes, at) } else { 0 }
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end.min(self.end)).unwrap_or_default()
    }

    fn push(&mut self, kind: PieceKind, text: &str, quoted: bool) {
        if self.silent {
            return;
        }
        if kind == PieceKind::Literal
            && let Some(last) = self.reading.pieces.last_mut()
            && last.kind == kind
            && last.quoted == quoted
        {
            last.text.push_str(text);
            return;
        }
        self.reading.pieces.push(Piece { kind, text: text.to_owned(), quoted, output: None });
    }

    fn source(&mut self, kind: PieceKind, start: usize, end: usize, quoted: bool) {
        let text = self.slice(start, end).to_owned();
        self.push(kind, &text, quoted);
    }

    fn torn(&mut self) -> usize {
        self.reading.torn = true;
        self.end
    }

    fn unquoted(&mut self, start: usize, mode: Mode) {
        let mut at = start;
        while at < self.end {
            at = match self.byte(at) {
                b'\\' => self.escape(at),
                b'\'' => self.single(at),
                b'"' => self.double(at),
                b'$' => self.dollar(at, false),
                b'`' => self.backtick(at, false),
                b'<' | b'>' if self.byte(at + 1) == b'(' => self.substitution(at, true, false),
                b'@' | b'+' | b'!' | b'?' | b'*' if self.byte(at + 1) == b'(' => self.pattern(at),
                b'*' | b'?' => {
                    self.source(PieceKind::Glob, at, at + 1, false);
                    at + 1
                }
                b'[' => self.class(at),
                b'~' if (at == start || mode == Mode::Words && is_blank(self.byte(at.wrapping_sub(1))))
                    && !self.silent =>
                {
                    self.tilde(at)
                }
                b'#' if mode == Mode::Words && matches!(self.byte(at.wrapping_sub(1)), b' ' | b'\t' | b'\n' | b'(') => {
                    scan::find(self.bytes, at, b'\n')
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
                    if mode == Mode::Word && !self.silent =>
                {
                    self.reading.broken = true;
                    self.literal(at)
                }
                _ => self.literal(at),
            };
        }
    }

    /// Reads a run of literal bytes.
    fn literal(&mut self, at: usize) -> usize {
        let mut end = at + 1;
        // Between the elements of an array, each blank begins a word, which may start with a home.
        while end < self.end
            && !(self.byte(end) == b'~' && is_blank(self.byte(end - 1)))
            && !matches!(
                self.byte(end),
                b'\\'
                    | b'\''
                    | b'"'
                    | b'$'
                    | b'`'
                    | b'<'
                    | b'>'
                    | b'@'
                    | b'+'
                    | b'!'
                    | b'?'
                    | b'*'
                    | b'['
                    | b'#'
                    | b' '
                    | b'\t'
                    | b'\n'
                    | b';'
                    | b'&'
                    | b'|'
                    | b'('
                    | b')'
            )
        {
            end += 1;
        }
        self.source(PieceKind::Literal, at, end, false);
        end
    }

    fn escape(&mut self, at: usize) -> usize {
        let next = self.slice(at + 1, self.end).chars().next();
        match next {
            Some('\n') => at + 2,
            Some(next) => {
                self.push(PieceKind::Literal, next.encode_utf8(&mut [0; 4]), true);
                at + 1 + next.len_utf8()
            }
            None => {
                self.push(PieceKind::Literal, "\\", false);
                at + 1
            }
        }
    }

    fn single(&mut self, at: usize) -> usize {
        let end = scan::find(self.bytes, at + 1, b'\'');
        if end >= self.end {
            return self.torn();
        }
        self.source(PieceKind::Literal, at + 1, end, true);
        end + 1
    }

    fn double(&mut self, at: usize) -> usize {
        let Some((end, _)) = scan::close(self.bytes, at + 1, Frame::Double).filter(|(end, _)| *end <= self.end) else {
            return self.torn();
        };
        // `"$@"` expands to no word if there are no parameters.
        let inside = self.slice(at + 1, end - 1);
        let is_each = inside == "$@" || inside == "${@}" || inside.ends_with("[@]}") && inside.starts_with("${");
        if !is_each || inside.matches('$').count() > 1 {
            self.push(PieceKind::Literal, "", true);
        }
        self.quoted(at + 1, end - 1);
        end
    }

    /// Reads the inside of double quotes.
    fn quoted(&mut self, start: usize, end: usize) {
        let outer = std::mem::replace(&mut self.end, end);
        let mut at = start;
        while at < end {
            at = match self.byte(at) {
                b'\\' => match self.byte(at + 1) {
                    b'\n' => at + 2,
                    b'$' | b'`' | b'"' | b'\\' => {
                        self.source(PieceKind::Literal, at + 1, at + 2, true);
                        at + 2
                    }
                    _ => {
                        self.push(PieceKind::Literal, "\\", true);
                        at + 1
                    }
                },
                b'$' => self.dollar(at, true),
                b'`' => self.backtick(at, true),
                _ => {
                    let mut stop = at + 1;
                    while stop < end && !matches!(self.byte(stop), b'\\' | b'$' | b'`') {
                        stop += 1;
                    }
                    self.source(PieceKind::Literal, at, stop, true);
                    stop
                }
            };
        }
        self.end = outer;
    }

    fn dollar(&mut self, at: usize, quoted: bool) -> usize {
        match self.byte(at + 1) {
            b'(' if self.byte(at + 2) == b'(' => self.arithmetic(at, quoted),
            b'(' => self.substitution(at, false, quoted),
            b'{' => self.parameter(at, quoted),
            b'[' => {
                let Some((end, _)) = self.close(at + 2, Frame::Bracket { open: 0 }) else { return self.torn() };
                self.inside(at + 2, end - 1, true);
                self.source(PieceKind::Arithmetic, at, end, quoted);
                end
            }
            b'\'' if !quoted => {
                let Some(end) = scan::close_ansi(self.bytes, at + 2).filter(|end| *end <= self.end) else {
                    return self.torn();
                };
                let decoded = ansi::decode(self.slice(at + 2, end - 1));
                self.push(PieceKind::Literal, &decoded, true);
                end
            }
            b'"' if !quoted => self.double(at + 1),
            // zsh: `$=x` is split, and `$~x` is a pattern, regardless of the options. In bash, this isn't used.
            b'=' | b'~' | b'^' if !quoted && zsh::is_marked_name(self.slice(at + 1, self.end)) => {
                self.dollar(at + 1, false)
            }
            next if next.is_ascii_alphabetic() || next == b'_' => {
                let mut end = at + 2;
                while self.byte(end).is_ascii_alphanumeric() || self.byte(end) == b'_' {
                    end += 1;
                }
                self.source(PieceKind::Variable { braces: false }, at + 1, end, quoted);
                end
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                self.source(PieceKind::Variable { braces: false }, at + 1, at + 2, quoted);
                at + 2
            }
            _ => {
                self.push(PieceKind::Literal, "$", quoted);
                at + 1
            }
        }
    }

    fn close(&self, from: usize, frame: Frame) -> Option<(usize, bool)> {
        scan::close(self.bytes.get(..self.end).unwrap_or_default(), from, frame)
    }

    fn child(&mut self, process: bool, whole: Range, body: Range, text: Option<String>) {
        self.reading.children.push(Child { process, body, whole, text });
    }

    /// Reads `$(...)`, `<(...)` or `>(...)`.
    fn substitution(&mut self, at: usize, process: bool, quoted: bool) -> usize {
        let Some((end, _)) = self.close(at + 2, scan::COMMANDS) else { return self.torn() };
        let body = Range { start: at + 2, end: end - 1 };
        self.child(process, Range { start: at, end }, body, None);
        self.source(if process { PieceKind::Process } else { PieceKind::Command }, at, end, quoted);
        end
    }

    fn arithmetic(&mut self, at: usize, quoted: bool) -> usize {
        let Some((end, changed)) = self.close(at + 3, Frame::Arithmetic { parens: 0 }) else { return self.torn() };
        if changed {
            let body = Range { start: at + 2, end: end - 1 };
            self.child(false, Range { start: at, end }, body, None);
            self.source(PieceKind::Command, at, end, quoted);
        } else {
            self.inside(at + 3, end - 2, true);
            self.source(PieceKind::Arithmetic, at, end, quoted);
        }
        end
    }

    fn parameter(&mut self, at: usize, quoted: bool) -> usize {
        let Some((end, _)) = self.close(at + 2, Frame::Parameter { quoted }) else { return self.torn() };
        let inner = Range { start: at + 2, end: end - 1 };
        let name = self.slice(inner.start, inner.end);
        let plain = is_name(name) || (name.len() == 1 && name.bytes().all(|byte| b"@*#?-$!0123456789".contains(&byte)));
        if plain {
            self.source(PieceKind::Variable { braces: true }, inner.start, inner.end, quoted);
            return end;
        }
        if let Some(name) = zsh::split_name(name).map(str::to_owned) {
            self.push(PieceKind::Variable { braces: true }, &name, false);
            return end;
        }
        if matches!(self.byte(inner.start), b' ' | b'\t' | b'\n' | b'|') {
            // bash 5.3: `${ command; }` runs in the current shell.
            let start = inner.start + usize::from(self.byte(inner.start) == b'|');
            self.child(false, Range { start: at, end }, Range { start, end: inner.end }, None);
        } else {
            self.inside(inner.start, inner.end, quoted);
        }
        self.source(PieceKind::Parameter, at, end, quoted);
        end
    }

    /// Reads an operand for the texts that run in it.
    fn inside(&mut self, start: usize, end: usize, quoted: bool) {
        let silent = std::mem::replace(&mut self.silent, true);
        let outer = std::mem::replace(&mut self.end, end);
        if quoted {
            self.quoted(start, end);
        } else {
            self.unquoted(start, Mode::Word);
        }
        self.end = outer;
        self.silent = silent;
    }

    fn backtick(&mut self, at: usize, quoted: bool) -> usize {
        let Some(end) = scan::close_backtick(self.bytes, at + 1).filter(|end| *end <= self.end) else {
            return self.torn();
        };
        let body = Range { start: at + 1, end: end - 1 };
        let raw = self.slice(body.start, body.end);
        let text = raw.contains('\\').then(|| unescape_backtick(raw, quoted));
        self.child(false, Range { start: at, end }, body, text);
        self.source(PieceKind::Command, at, end, quoted);
        end
    }

    /// Reads an extended pattern such as `@(a|b)`.
    fn pattern(&mut self, at: usize) -> usize {
        let Some((end, _)) = self.close(at + 2, scan::COMMANDS) else { return self.torn() };
        let whole = Range { start: at, end };
        if let Some(code) = zsh::code_of_qualifiers(self.slice(at + 2, end - 1)) {
            self.child(false, whole, whole, Some(code));
        }
        self.inside(at + 2, end - 1, false);
        self.source(PieceKind::Glob, at, end, false);
        end
    }

    /// Reads `[...]`, if it is a character class.
    fn class(&mut self, at: usize) -> usize {
        let mut end = at + 1 + usize::from(matches!(self.byte(at + 1), b'!' | b'^'));
        end += usize::from(self.byte(end) == b']');
        while self.byte(end).is_ascii_alphanumeric() || b"-_.,:+@%=^!~".contains(&self.byte(end)) {
            end += 1;
        }
        if self.byte(end) == b']' && end > at + 1 {
            self.source(PieceKind::Glob, at, end + 1, false);
            end + 1
        } else {
            self.push(PieceKind::Literal, "[", false);
            at + 1
        }
    }

    fn tilde(&mut self, at: usize) -> usize {
        let mut end = at + 1;
        while self.byte(end).is_ascii_alphanumeric() || b"-_+.".contains(&self.byte(end)) && self.byte(end) != 0 {
            end += 1;
        }
        let whole = matches!(self.byte(end), 0 | b'/' | b':') || is_blank(self.byte(end));
        let end = if whole { end } else { at + 1 };
        self.source(if whole { PieceKind::Tilde } else { PieceKind::Literal }, at, end, false);
        end
    }
}

/// Returns whether the byte separates words.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Returns whether the text is a variable's name.
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Removes the one level of backslashes that backticks consume.
fn unescape_backtick(raw: &str, quoted: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        let removes = char == '\\'
            && chars.peek().is_some_and(|next| matches!(next, '$' | '`' | '\\') || (quoted && *next == '"'));
        match chars.peek() {
            Some(&next) if removes => {
                text.push(next);
                chars.next();
            }
            _ => text.push(char),
        }
    }
    text
}
