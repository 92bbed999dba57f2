//! Expands pieces to words: braces, known variables, and field splitting.

pub(crate) mod arithmetic;
pub(crate) mod parameter;

use std::borrow::Cow;

use guard_sdk::syntax::{Part, Word};

use super::{Piece, PieceKind, brace, is_name};
use crate::limits;

/// The known variables of a text. A value may have parts that are only known at run time.
pub(crate) trait Values {
    /// Returns the value of `name`, or of the parameter with this number.
    fn value(&self, name: &str) -> Option<Cow<'_, Word>>;
    /// Returns the elements of the array `name`, or the parameters for `@`.
    fn elements(&self, name: &str) -> Option<Vec<&Word>>;
    /// Returns the element of the array `name` at a literal subscript.
    fn element(&self, name: &str, subscript: &str) -> Option<&Word>;
    /// Returns the subscripts of the array `name`.
    fn subscripts(&self, _name: &str) -> Option<Vec<&str>> {
        None
    }
    /// Returns the field separators, or `None` if they are unknown.
    fn separators(&self) -> Option<&str>;
    /// Returns the home that `~` refers to, as changed by the text.
    fn home(&self) -> Home<'_> {
        Home::Usual
    }
}

/// The directory that `~` refers to.
pub(crate) enum Home<'a> {
    /// The user's home.
    Usual,
    /// Set by the text.
    Is(&'a Word),
    /// Unknown.
    Unknown,
}

/// A text without known variables.
pub(crate) struct NoVariables;

impl Values for NoVariables {
    fn value(&self, _: &str) -> Option<Cow<'_, Word>> {
        None
    }

    fn elements(&self, _: &str) -> Option<Vec<&Word>> {
        None
    }

    fn element(&self, _: &str, _: &str) -> Option<&Word> {
        None
    }

    fn separators(&self) -> Option<&str> {
        None
    }
}

/// The known value of an expansion.
pub(super) enum KnownValue<'v> {
    One(Cow<'v, Word>),
    /// One word for each element, as for `"$@"`. For `$*`, the elements are joined.
    Each(Vec<Cow<'v, Word>>),
    Joined(Vec<Cow<'v, Word>>),
}

fn known<'v>(piece: &Piece, values: &'v dyn Values) -> Option<KnownValue<'v>> {
    match piece.kind {
        // zsh inserts all elements of an array, and bash the first.
        PieceKind::Variable { .. } if !piece.quoted && is_name(&piece.text) => {
            let several = values.elements(&piece.text).filter(|words| words.len() > 1);
            let all = several.map(|words| KnownValue::Each(words.into_iter().map(Cow::Borrowed).collect()));
            all.or_else(|| variable(&piece.text, values))
        }
        PieceKind::Variable { .. } => variable(&piece.text, values),
        PieceKind::Parameter => parameter::known(&piece.text, values),
        PieceKind::Arithmetic => {
            let value = arithmetic::evaluate(arithmetic::inner(&piece.text)?, values)?;
            Some(KnownValue::One(Cow::Owned(literal(&value.to_string()))))
        }
        _ => None,
    }
}

/// Returns the known value of a plain variable.
pub(super) fn variable<'v>(name: &str, values: &'v dyn Values) -> Option<KnownValue<'v>> {
    let all = || values.elements("@").map(|words| words.into_iter().map(Cow::Borrowed).collect());
    match name {
        "@" => all().map(KnownValue::Each),
        "*" => all().map(KnownValue::Joined),
        _ => values.value(name).map(KnownValue::One),
    }
}

/// The words that one word expands to.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    /// Whether words were split at a field separator that is only assumed.
    pub(crate) assumed: bool,
    /// Whether braces expand to more words than these.
    pub(crate) cut: bool,
}

/// Expands a word as far as its value is known.
pub(crate) fn words(pieces: Vec<Piece>, values: &dyn Values) -> Words {
    let mut result = Words::default();
    let (variants, all) = brace::expand(pieces);
    result.cut = !all;
    for variant in variants {
        let mut fields = Fields::default();
        for piece in variant {
            fields.piece(piece, values, &mut result.assumed);
        }
        fields.end(true);
        result.words.append(&mut fields.done);
        if result.words.len() > limits::WORDS {
            break;
        }
    }
    result
}

/// Expands a word that is never split: a value, or a redirection's target.
pub(crate) fn word(pieces: Vec<Piece>, values: &dyn Values) -> Word {
    let mut fields = Fields::default();
    for piece in pieces {
        if fields.current.as_ref().is_some_and(|word| word.text.len() > limits::SOURCE) {
            fields.unknown(piece);
            continue;
        }
        match known(&piece, values) {
            Some(KnownValue::One(word)) if word.text.len() <= limits::VALUE => fields.value(&word, piece.quoted),
            Some(KnownValue::Each(words)) => fields.joined(&words, " ", piece.quoted),
            Some(KnownValue::Joined(words)) if values.separators().is_some() => {
                fields.joined(&words, values.separators().map_or("", first), piece.quoted);
            }
            _ => match &piece.output {
                Some(output) => fields.output(&piece, output),
                None => fields.unknown(piece),
            },
        }
    }
    fields.end(true);
    fields.done.pop().unwrap_or_else(|| literal(""))
}

/// Expands a word that isn't split, but may become several through braces, such as an operand of `declare`.
pub(crate) fn unsplit(pieces: Vec<Piece>, values: &dyn Values) -> Words {
    let (variants, all) = brace::expand(pieces);
    let words = variants.into_iter().map(|variant| word(variant, values)).collect();
    Words { words, assumed: false, cut: !all }
}

/// Returns the elements of an array with their subscripts. `None` if one can't be parsed.
pub(crate) fn elements(pieces: Vec<Piece>, values: &dyn Values) -> Option<Vec<(Option<String>, Word)>> {
    let mut groups: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in pieces {
        if piece.kind != PieceKind::Literal || piece.quoted {
            groups.last_mut()?.push(piece);
            continue;
        }
        for (index, text) in piece.text.split([' ', '\t', '\n']).enumerate() {
            if index > 0 {
                groups.push(Vec::new());
            }
            if !text.is_empty() {
                groups.last_mut()?.push(Piece { text: text.to_owned(), ..piece.clone() });
            }
        }
    }
    let mut found = Vec::new();
    for mut group in groups.into_iter().filter(|group| !group.is_empty()) {
        if found.len() > limits::ELEMENTS {
            return None;
        }
        // `['NAME']=value` and `[$((1+1))]=value`.
        if let [open, name, close, ..] = group.as_slice()
            && (open.text.as_str(), open.quoted) == ("[", false)
            && let Some(value) = close.text.strip_prefix("]=").filter(|_| !close.quoted).map(str::to_owned)
        {
            let subscript = word(vec![name.clone()], values);
            if subscript.dynamic {
                return None;
            }
            let subscript = subscript.text;
            group.drain(..2);
            group.first_mut()?.text = value;
            found.push((Some(subscript), word(group, values)));
            continue;
        }
        let assigned = group.get(1).and_then(|piece| piece.text.strip_prefix('=')).map(str::to_owned);
        match (group.first(), assigned) {
            (Some(Piece { kind: PieceKind::Glob, text, .. }), Some(value)) if text.starts_with('[') => {
                let subscript = text.trim_matches(['[', ']']).to_owned();
                group.remove(0);
                group.first_mut()?.text = value;
                found.push((Some(subscript), word(group, values)));
            }
            (Some(Piece { kind: PieceKind::Literal, text, quoted: false, .. }), _) if text == "[" => return None,
            _ => {
                let words = words(group, values);
                if words.cut {
                    return None;
                }
                found.extend(words.words.into_iter().map(|word| (None, word)));
            }
        }
    }
    Some(found)
}

/// Splits a plain text into fields.
pub(crate) fn fields(text: &str, separators: &str) -> Vec<Word> {
    let mut fields = Fields::default();
    fields.split_text(text, separators, None);
    fields.end(true);
    fields.done
}

/// Creates a word of plain text.
pub(crate) fn literal(text: &str) -> Word {
    let parts = vec![Part { kind: "literal".to_owned(), text: text.to_owned(), quoted: false }];
    Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts }
}

#[derive(Default)]
struct Fields {
    done: Vec<Word>,
    current: Option<Word>,
    /// Whether an unquoted variable was empty. If there is nothing else, there is no word.
    vanished: bool,
}

impl Fields {
    fn current(&mut self) -> &mut Word {
        self.current.get_or_insert_with(|| Word {
            text: String::new(),
            dynamic: false,
            quoted: false,
            glob: false,
            parts: Vec::new(),
        })
    }

    fn part(&mut self, kind: &str, text: &str, quoted: bool) {
        let word = self.current();
        if let Some(last) = word.parts.last_mut()
            && last.kind == "literal"
            && kind == "literal"
            && last.quoted == quoted
        {
            last.text.push_str(text);
            return;
        }
        word.parts.push(Part { kind: kind.to_owned(), text: text.to_owned(), quoted });
    }

    fn literal(&mut self, text: &str, quoted: bool) {
        self.part("literal", text, quoted);
        let word = self.current();
        word.text.push_str(text);
        word.quoted |= quoted;
    }

    fn end(&mut self, last: bool) {
        match self.current.take() {
            Some(word) => self.done.push(word),
            None if last && !self.vanished && self.done.is_empty() => {
                self.current();
                self.end(false);
            }
            None => {}
        }
    }

    /// Adds a value without splitting it.
    fn value(&mut self, value: &Word, quoted: bool) {
        if !value.dynamic && !value.glob {
            return self.literal(&value.text, quoted);
        }
        for part in &value.parts {
            self.value_part(part, quoted);
        }
    }

    fn value_part(&mut self, part: &Part, quoted: bool) {
        if part.kind == "literal" {
            return self.literal(&part.text, quoted);
        }
        self.part(&part.kind, &part.text, quoted);
        let word = self.current();
        word.text.push_str(&source(part));
        word.quoted |= quoted;
        word.dynamic |= !matches!(part.kind.as_str(), "glob" | "tilde");
        word.glob |= part.kind == "glob";
    }

    /// Adds the output of a substitution. The part records its origin.
    fn output(&mut self, piece: &Piece, text: &str) {
        self.part("command", &piece.text, piece.quoted);
        let word = self.current();
        word.text.push_str(text);
        word.quoted |= piece.quoted;
    }

    /// Adds values as one word.
    fn joined(&mut self, words: &[Cow<'_, Word>], between: &str, quoted: bool) {
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                self.literal(between, quoted);
            }
            self.value(word, quoted);
        }
    }

    /// Adds an unquoted value, which is split at the separators and may be a pattern.
    fn split(&mut self, value: &Word, separators: &str) {
        self.vanished = true;
        if !value.dynamic && !value.glob {
            return self.split_text(&value.text, separators, None);
        }
        for part in &value.parts {
            match part.kind.as_str() {
                "literal" => self.split_text(&part.text, separators, None),
                _ => self.value_part(part, false),
            }
        }
    }

    /// Splits a text according to POSIX: a run of blank separators ends a field, if there is one. Any other separator
    /// ends a field, which may be empty, and absorbs the blanks around it.
    fn split_text(&mut self, text: &str, separators: &str, from: Option<&Piece>) {
        self.vanished = true;
        let mut field = String::new();
        let mut is_behind_blanks = false;
        for char in text.chars() {
            if !separators.contains(char) {
                field.push(char);
                is_behind_blanks = false;
                continue;
            }
            self.field(&mut field, from);
            let ends = self.current.is_some();
            if !ends && !char.is_whitespace() && !is_behind_blanks {
                self.current();
            }
            self.end(false);
            is_behind_blanks = char.is_whitespace() && (ends || is_behind_blanks);
        }
        self.field(&mut field, from);
    }

    fn field(&mut self, field: &mut String, from: Option<&Piece>) {
        if field.is_empty() {
            return;
        }
        match from {
            Some(piece) => self.output(piece, field),
            None => self.literal(field, false),
        }
        if field.contains(['*', '?', '[']) {
            self.current().glob = true;
        }
        field.clear();
    }

    fn piece(&mut self, piece: Piece, values: &dyn Values, assumed: &mut bool) {
        let separators = values.separators();
        let is_home = match &piece.kind {
            PieceKind::Tilde => piece.text == "~",
            PieceKind::Variable { .. } => piece.text == "HOME",
            _ => false,
        };
        if is_home {
            match values.home() {
                Home::Is(home) if piece.kind == PieceKind::Tilde => return self.value(home, true),
                Home::Unknown => {
                    let (kind, text) = (PieceKind::Variable { braces: false }, "_".to_owned());
                    return self.unknown(Piece { kind, text, ..piece });
                }
                Home::Is(_) | Home::Usual => {}
            }
        }
        match (known(&piece, values), separators) {
            (Some(KnownValue::One(value)), _) if value.text.len() > limits::VALUE => self.unknown(piece),
            (Some(KnownValue::One(value)), _) if piece.quoted => self.value(&value, true),
            (Some(KnownValue::One(value)), Some(separators)) => self.split(&value, separators),
            (Some(KnownValue::Joined(words)), Some(separators)) if piece.quoted => {
                self.joined(&words, first(separators), true);
            }
            // bash joins the words and splits the result. zsh doesn't split.
            (Some(KnownValue::Joined(words)), Some(separators))
                if !first(separators).trim().is_empty() && words.iter().all(|word| !word.dynamic && !word.glob) =>
            {
                *assumed = true;
                let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                self.split_text(&texts.join(first(separators)), separators, None);
            }
            (Some(KnownValue::Each(words) | KnownValue::Joined(words)), Some(separators)) => {
                self.vanished = true;
                for (index, word) in words.iter().enumerate() {
                    if index > 0 {
                        self.end(false);
                    }
                    if piece.quoted {
                        self.value(word, true);
                    } else {
                        self.split(word, separators);
                    }
                }
            }
            _ if piece.text == "IFS" && !piece.quoted && piece.kind != PieceKind::Literal => {
                *assumed = true;
                self.vanished = true;
                self.end(false);
            }
            _ => match (&piece.output, separators) {
                (Some(output), _) if piece.quoted => self.output(&piece, output),
                (Some(output), Some(separators)) => self.split_text(output, separators, Some(&piece)),
                _ => self.unknown(piece),
            },
        }
    }

    fn unknown(&mut self, piece: Piece) {
        let (kind, dynamic) = match piece.kind {
            PieceKind::Literal => return self.literal(&piece.text, piece.quoted),
            PieceKind::Variable { .. } | PieceKind::Parameter => ("variable", true),
            PieceKind::Command => ("command", true),
            PieceKind::Arithmetic => ("arithmetic", true),
            PieceKind::Process => ("process", true),
            PieceKind::Glob => ("glob", false),
            PieceKind::Tilde => ("tilde", false),
            PieceKind::Brace => ("brace", true),
        };
        self.part(kind, &piece.text, piece.quoted);
        let word = self.current();
        word.dynamic |= dynamic;
        word.quoted |= piece.quoted;
        word.glob |= piece.kind == PieceKind::Glob;
        match piece.kind {
            PieceKind::Variable { braces: true } => {
                word.text.push_str("${");
                word.text.push_str(&piece.text);
                word.text.push('}');
            }
            PieceKind::Variable { braces: false } => {
                word.text.push('$');
                word.text.push_str(&piece.text);
            }
            _ => word.text.push_str(&piece.text),
        }
    }
}

/// Returns the separator that `$*` puts between words: the first one, if there is any.
fn first(separators: &str) -> &str {
    separators.chars().next().and_then(|char| separators.get(..char.len_utf8())).unwrap_or_default()
}

/// Returns a part's source text.
pub(crate) fn source(part: &Part) -> Cow<'_, str> {
    let plain = is_name(&part.text) || part.text.len() == 1;
    if part.kind == "variable" && plain { Cow::Owned(format!("${}", part.text)) } else { Cow::Borrowed(&part.text) }
}
