//! Pieces to words: braces, values of variables that are known, and the splitting of what they give.

pub(crate) mod arithmetic;
pub(crate) mod parameter;

use std::borrow::Cow;

use guard_sdk::syntax::{Part, Word};

use super::{Piece, PieceKind, brace, is_name};
use crate::limits;

/// The known variables of a text. A value may have parts that are known only at run time.
pub(crate) trait Values {
    /// The value of `name`, or of the parameter of this number.
    fn value(&self, name: &str) -> Option<Cow<'_, Word>>;
    /// The elements of the array `name`; of `@`, the parameters.
    fn elements(&self, name: &str) -> Option<Vec<&Word>>;
    /// The element of the array `name` at a literal subscript.
    fn element(&self, name: &str, subscript: &str) -> Option<&Word>;
    /// The subscripts of the array `name`.
    fn subscripts(&self, _name: &str) -> Option<Vec<&str>> {
        None
    }
    /// The characters that an unquoted value is split at.
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
    /// This, by the text's own word.
    Is(&'a Word),
    /// Something that is not known.
    Unknown,
}

/// A text of which no variable is known.
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
    /// `"$@"`: a word each. Joined if it is `$*`.
    Each(Vec<Cow<'v, Word>>),
    Joined(Vec<Cow<'v, Word>>),
}

fn known<'v>(piece: &Piece, values: &'v dyn Values) -> Option<KnownValue<'v>> {
    match piece.kind {
        // zsh puts all elements of an array in, bash the first.
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

/// The words that one word becomes.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    /// Words were split at a field separator that is only assumed.
    pub(crate) assumed: bool,
    /// Braces give more words than these.
    pub(crate) cut: bool,
}

/// Expands a word as far as it is known.
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

/// Expands a word that is never split: a value, a redirection's target.
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

/// Expands a word that is not split, but may be several by its braces: an operand of `declare`.
pub(crate) fn unsplit(pieces: Vec<Piece>, values: &dyn Values) -> Words {
    let (variants, all) = brace::expand(pieces);
    let words = variants.into_iter().map(|variant| word(variant, values)).collect();
    Words { words, assumed: false, cut: !all }
}

/// The elements of an array, with the subscripts that are written before them. `None` if one cannot be read.
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
        // `['NAME']=value` and `[$((1+1))]=value`
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

/// The fields of a plain text.
pub(crate) fn fields(text: &str, separators: &str) -> Vec<Word> {
    let mut fields = Fields::default();
    fields.split_text(text, separators, None);
    fields.end(true);
    fields.done
}

/// A word of plain text.
pub(crate) fn literal(text: &str) -> Word {
    let parts = vec![Part { kind: "literal".to_owned(), text: text.to_owned(), quoted: false }];
    Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts }
}

#[derive(Default)]
struct Fields {
    done: Vec<Word>,
    current: Option<Word>,
    /// An unquoted variable was empty: without anything else there is no word.
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

    /// A value that is not split.
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

    /// Adds the output of a substitution; the part records its origin.
    fn output(&mut self, piece: &Piece, text: &str) {
        self.part("command", &piece.text, piece.quoted);
        let word = self.current();
        word.text.push_str(text);
        word.quoted |= piece.quoted;
    }

    /// Values in one word.
    fn joined(&mut self, words: &[Cow<'_, Word>], between: &str, quoted: bool) {
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                self.literal(between, quoted);
            }
            self.value(word, quoted);
        }
    }

    /// A value outside quotes: split at the separators, and a pattern if it holds one.
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

    /// Splits a text as POSIX says: blanks among the separators end a field, if there is one; each other separator ends one
    /// that may be empty, and takes the blanks around it with it.
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
            // bash joins the words, and splits what comes of it; zsh splits nothing.
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

/// The separator that `$*` puts between words: the first one, if there is any.
fn first(separators: &str) -> &str {
    separators.chars().next().and_then(|char| separators.get(..char.len_utf8())).unwrap_or_default()
}

/// A part as it is written.
pub(crate) fn source(part: &Part) -> Cow<'_, str> {
    let plain = is_name(&part.text) || part.text.len() == 1;
    if part.kind == "variable" && plain { Cow::Owned(format!("${}", part.text)) } else { Cow::Borrowed(&part.text) }
}
