//! [`Lexer`]: a shell text as commands of words, and the texts of its substitutions.

use std::iter::Peekable;
use std::str::Chars;

/// The most commands and substitutions of one text.
const MOST: usize = 1_000;

/// Takes a text apart, once from left to right.
pub(super) struct Lexer<'a> {
    chars: Peekable<Chars<'a>>,
    commands: Vec<Vec<String>>,
    inner: Vec<String>,
    words: Vec<String>,
    /// The word that is being read; none between words.
    word: Option<String>,
    /// The next word belongs to a redirection.
    skip: bool,
    /// A here-document's delimiter comes next.
    names_document: bool,
    /// Delimiters whose texts begin at the next line.
    documents: Vec<String>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer {
            chars: text.chars().peekable(),
            commands: Vec::new(),
            inner: Vec::new(),
            words: Vec::new(),
            word: None,
            skip: false,
            names_document: false,
            documents: Vec::new(),
        }
    }

    /// The commands, and the texts of substitutions, which are commands again.
    pub(super) fn commands(mut self) -> (Vec<Vec<String>>, Vec<String>) {
        while let Some(next) = self.chars.next() {
            if self.commands.len() > MOST || self.inner.len() > MOST {
                break;
            }
            match next {
                '\\' => match self.chars.next() {
                    Some('\n') | None => {}
                    Some(other) => self.push(other),
                },
                '\'' => self.single(),
                '"' => self.double(),
                '`' => {
                    let text = self.until_backtick();
                    self.substitute(text);
                }
                '$' => self.dollar(),
                '<' | '>' => self.redirect(next),
                '#' if self.word.is_none() => while self.chars.next_if(|next| *next != '\n').is_some() {},
                '\n' => {
                    self.end_command();
                    self.pass_documents();
                }
                '&' if self.chars.next_if_eq(&'>').is_some() => {
                    self.end_word();
                    self.chars.next_if_eq(&'>');
                    self.skip = true;
                }
                ';' | '&' | '|' | '(' | ')' => self.end_command(),
                space if space.is_whitespace() => self.end_word(),
                other => self.push(other),
            }
        }
        self.end_command();
        (self.commands, self.inner)
    }

    fn push(&mut self, next: char) {
        self.word.get_or_insert_default().push(next);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.names_document) {
            self.documents.push(word);
        } else if !std::mem::take(&mut self.skip) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        (self.skip, self.names_document) = (false, false);
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.commands.push(words);
        }
    }

    fn single(&mut self) {
        let word = self.word.get_or_insert_default();
        word.extend(self.chars.by_ref().take_while(|next| *next != '\''));
    }

    fn double(&mut self) {
        self.word.get_or_insert_default();
        while let Some(next) = self.chars.next() {
            match next {
                '"' => return,
                '\\' => match self.chars.next() {
                    Some('\n') | None => {}
                    Some(other) => self.push(other),
                },
                '$' => self.dollar(),
                '`' => {
                    let text = self.until_backtick();
                    self.substitute(text);
                }
                other => self.push(other),
            }
        }
    }

    /// `$(...)` is a text of its own, `$((...))` and `${...}` are words.
    fn dollar(&mut self) {
        self.push('$');
        match self.chars.peek() {
            Some('(') => {
                self.chars.next();
                let text = self.until(')');
                if !text.starts_with('(') {
                    self.substitute(text);
                }
            }
            Some('{') => {
                self.chars.next();
                let text = self.until('}');
                self.word.get_or_insert_default().push_str(&text);
            }
            _ => {}
        }
    }

    fn substitute(&mut self, text: String) {
        self.word.get_or_insert_default();
        self.inner.push(text);
    }

    fn until_backtick(&mut self) -> String {
        self.chars.by_ref().take_while(|next| *next != '`').collect()
    }

    /// The text up to the bracket that closes this one; quotes hide brackets.
    fn until(&mut self, close: char) -> String {
        let open = if close == ')' { '(' } else { '{' };
        let (mut text, mut depth, mut quote) = (String::new(), 1_usize, None);
        while let Some(next) = self.chars.next() {
            match (quote, next) {
                (Some(mark), _) if mark == next => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => {
                    text.push(next);
                    text.extend(self.chars.next());
                    continue;
                }
                (None, '\'' | '"') => quote = Some(next),
                (None, _) if next == open => depth += 1,
                (None, _) if next == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return text;
            }
            text.push(next);
        }
        text
    }

    fn redirect(&mut self, first: char) {
        if self.chars.next_if_eq(&'(').is_some() {
            let text = self.until(')');
            return self.substitute(text);
        }
        // The digits before an operator are a descriptor.
        self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        let mut operator = String::from(first);
        while let Some(next) = self.chars.next_if(|next| matches!(*next, '<' | '>' | '&' | '|' | '-')) {
            operator.push(next);
        }
        if matches!(operator.as_str(), "<<" | "<<-") {
            self.names_document = true;
        } else {
            self.skip = !operator.ends_with("&-");
        }
    }

    /// Passes over the here-documents that begin here.
    fn pass_documents(&mut self) {
        for delimiter in std::mem::take(&mut self.documents) {
            while self.chars.peek().is_some() {
                let line: String = self.chars.by_ref().take_while(|next| *next != '\n').collect();
                if line.trim() == delimiter {
                    break;
                }
            }
        }
    }
}
