//! Splits the words of a command into options and operands, as getopt does.
//!
//! One parser for every program and wrapper. It supports short clusters, values attached or in the next word,
//! `--name=value`, abbreviated long names and `--`. An [`Options`] value from the program table defines which options
//! take a value.

use std::borrow::Cow;

use guard_sdk::syntax::Word;

use crate::word::expand::literal;

/// The options of a program that take a value, and where options are allowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Short options whose value is the rest of the cluster or the next word.
    pub(crate) short: &'static str,
    /// Short options whose value, if any, is the rest of the cluster.
    pub(crate) attached: &'static str,
    /// Long options, without dashes and separated by spaces, whose value is the next word if there is no `=`.
    pub(crate) long: &'static str,
    /// The first operand ends the options, as before a subcommand.
    pub(crate) leading: bool,
    /// A single dash begins a long name, as in `-chdir=x`, and there are no clusters.
    pub(crate) single: bool,
    /// Long names can't be abbreviated.
    pub(crate) exact: bool,
}

impl Options {
    /// No option takes a value.
    pub(crate) const NONE: Options = Options::new("", "");

    /// Options anywhere. `short` and `long` take values.
    pub(crate) const fn new(short: &'static str, long: &'static str) -> Options {
        Options { short, attached: "", long, leading: false, single: false, exact: false }
    }

    /// Options only before the first operand.
    pub(crate) const fn leading(short: &'static str, long: &'static str) -> Options {
        Options { short, attached: "", long, leading: true, single: false, exact: false }
    }

    /// The same options without abbreviated long names.
    pub(crate) const fn exactly(self) -> Options {
        Options { exact: true, ..self }
    }

    /// The same options, with short options whose value is the rest of their cluster.
    pub(crate) const fn with_attached(self, attached: &'static str) -> Options {
        Options { attached, ..self }
    }
}

/// A word, or the part of a word that is an option's value.
#[derive(Debug, Clone)]
pub(crate) struct Operand<'a> {
    /// The text after quote removal.
    pub(crate) text: Cow<'a, str>,
    /// The word that contains the text.
    pub(crate) word: &'a Word,
    /// Whether a part of the word is only known at run time.
    pub(crate) dynamic: bool,
}

impl<'a> Operand<'a> {
    /// Creates an operand from a whole word.
    pub(crate) fn of(word: &'a Word) -> Operand<'a> {
        Operand { text: Cow::Borrowed(&word.text), word, dynamic: word.dynamic }
    }

    /// Creates an operand from the tail of a word, such as the text after `of=`.
    pub(crate) fn tail(word: &'a Word, text: &'a str) -> Operand<'a> {
        Operand { text: Cow::Borrowed(text), word, dynamic: word.dynamic }
    }

    /// Returns the path of `other` once it is copied into `self`, a directory.
    pub(crate) fn joined(&self, other: &Operand<'a>) -> Operand<'a> {
        let name = other.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let text = format!("{}/{name}", self.text.trim_end_matches('/'));
        Operand { text: Cow::Owned(text), word: self.word, dynamic: self.dynamic || other.dynamic }
    }

    /// Returns the operand with another text.
    pub(crate) fn renamed(&self, text: String) -> Operand<'a> {
        Operand { text: Cow::Owned(text), word: self.word, dynamic: self.dynamic }
    }
}

/// An option with its value, if any.
#[derive(Debug, Clone)]
pub(crate) struct Flag<'a> {
    name: Name<'a>,
    value: Option<Operand<'a>>,
}

#[derive(Debug, Clone, Copy)]
enum Name<'a> {
    Short(char),
    Long(&'a str),
}

impl<'a> Flag<'a> {
    /// Creates a long option whose value is a separate word.
    pub(crate) fn long(name: &'a str, value: &'a Word) -> Flag<'a> {
        Flag { name: Name::Long(name), value: Some(Operand::of(value)) }
    }

    /// Returns whether the option has this name: a letter, or the full long name.
    pub(crate) fn is(&self, name: &str) -> bool {
        match self.name {
            Name::Short(letter) => name.strip_prefix(letter).is_some_and(str::is_empty),
            Name::Long(given) => given == name,
        }
    }

    /// Returns whether the option has one of these names.
    pub(crate) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    /// Returns the option's value.
    pub(crate) fn operand(&self) -> Option<&Operand<'a>> {
        self.value.as_ref()
    }

    /// Returns the text of the option's value, or an empty text.
    pub(crate) fn text(&self) -> &str {
        self.value.as_ref().map_or("", |value| &value.text)
    }

    /// Returns the option's value as a word.
    pub(crate) fn word(&self) -> Word {
        match &self.value {
            Some(value) if value.text.len() == value.word.text.len() => value.word.clone(),
            _ => literal(self.text()),
        }
    }
}

/// The parsed words of a command.
#[derive(Debug, Clone)]
pub(crate) struct Parsed<'a> {
    /// The options in order.
    pub(crate) flags: Vec<Flag<'a>>,
    /// The operands in order.
    pub(crate) operands: Vec<Operand<'a>>,
    /// The words from the first operand on. Only meaningful for leading options.
    pub(crate) rest: &'a [Word],
    /// The number of operands before `--`.
    pub(crate) before_dashes: Option<usize>,
    /// Whether every option is known before run time, so that the operands are no guess.
    pub(crate) certain: bool,
}

impl<'a> Parsed<'a> {
    /// Returns whether one of the letters or the long name was given. A long name may be abbreviated.
    ///
    /// Ambiguous abbreviations match, so use [`Parsed::is`] for an option that makes a command harmless.
    pub(crate) fn has(&self, letters: &str, long: &str) -> bool {
        self.flags.iter().any(|flag| matches(flag.name, letters, long, true))
    }

    /// Returns whether one of the letters or exactly the long name was given.
    pub(crate) fn is(&self, letters: &str, long: &str) -> bool {
        self.flags.iter().any(|flag| matches(flag.name, letters, long, false))
    }

    /// Returns whether the option was given, and not reverted by a value such as `false` or a later `--no-`.
    pub(crate) fn on(&self, letters: &str, long: &str, abbreviated: bool) -> bool {
        let mut on = false;
        for flag in &self.flags {
            if matches(flag.name, letters, "", false) || is_named(flag.name, long, abbreviated) {
                on = !flag.value.as_ref().is_some_and(|value| is_off(&value.text));
            } else if let Name::Long(given) = flag.name
                && given.strip_prefix("no-").is_some_and(|name| same(name, long))
            {
                on = false;
            }
        }
        on
    }

    /// Returns the last value of an option.
    pub(crate) fn value(&self, letters: &str, long: &str) -> Option<Operand<'a>> {
        self.values(letters, long).last()
    }

    /// Returns every value of an option, in order.
    pub(crate) fn values(&self, letters: &str, long: &str) -> impl Iterator<Item = Operand<'a>> {
        self.flags.iter().filter(move |flag| matches(flag.name, letters, long, false)).filter_map(|f| f.value.clone())
    }

    /// Returns the first option with one of these names: letters and full long names.
    pub(crate) fn flag(&self, names: &[&str]) -> Option<&Flag<'a>> {
        self.flags.iter().find(|flag| flag.is_any(names))
    }

    /// Returns the text of an operand, or an empty text.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.operands.get(index).map_or("", |operand| operand.text.as_ref())
    }

    /// Returns the operands from `index` on.
    pub(crate) fn from(&self, index: usize) -> &[Operand<'a>] {
        self.operands.get(index..).unwrap_or_default()
    }
}

fn matches(name: Name<'_>, letters: &str, long: &str, abbreviated: bool) -> bool {
    match name {
        Name::Short(letter) => letters.contains(letter),
        Name::Long(given) => same(given, long) || (abbreviated && is_abbreviation(given, long, 1)),
    }
}

/// Returns whether the name is the long name, or an unambiguous abbreviation.
fn is_named(name: Name<'_>, long: &str, abbreviated: bool) -> bool {
    match name {
        Name::Short(_) => false,
        Name::Long(given) => same(given, long) || (abbreviated && is_abbreviation(given, long, 3)),
    }
}

/// Returns whether a value turns a switch off: `--force=false`, `--dry-run=none`.
fn is_off(value: &str) -> bool {
    ["false", "none", "no", "off", "0"].iter().any(|off| value.eq_ignore_ascii_case(off))
}

fn same(given: &str, long: &str) -> bool {
    !long.is_empty() && given.eq_ignore_ascii_case(long)
}

fn is_abbreviation(given: &str, long: &str, least: usize) -> bool {
    given.len() >= least
        && given.len() < long.len()
        && long.get(..given.len()).is_some_and(|p| p.eq_ignore_ascii_case(given))
}

/// Separates options from operands. `words` are those after the program or subcommand.
///
/// `shouted` folds short options to lower case, for a command in capitals.
pub(crate) fn parse<'a>(words: &'a [Word], spec: Options, shouted: bool) -> Parsed<'a> {
    let mut parsed = read(words, spec, shouted);
    parsed.operands.extend(parsed.rest.iter().map(Operand::of));
    parsed
}

/// Parses leading options. The words after them are only in `rest`.
pub(crate) fn leading(words: &[Word], spec: Options) -> Parsed<'_> {
    read(words, Options { leading: true, ..spec }, false)
}

fn read<'a>(words: &'a [Word], spec: Options, shouted: bool) -> Parsed<'a> {
    let mut parsed =
        Parsed { flags: Vec::new(), operands: Vec::new(), rest: words, before_dashes: None, certain: true };
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let text = word.text.as_str();
        if text == "--" && !word.dynamic {
            parsed.before_dashes = Some(parsed.operands.len());
            index += 1;
            break;
        }
        if text.len() > 1 && text.starts_with('-') {
            parsed.certain &= !word.dynamic;
        }
        if let Some(long) = text.strip_prefix("--") {
            index += long_option(&mut parsed, word, long, words.get(index + 1), spec);
        } else if spec.single && text.len() > 1 && text.starts_with('-') {
            let long = text.strip_prefix('-').unwrap_or_default();
            index += long_option(&mut parsed, word, long, words.get(index + 1), spec);
        } else if text.len() > 1 && text.starts_with('-') {
            index += cluster(&mut parsed, word, words.get(index + 1), spec, shouted);
        } else if spec.leading {
            break;
        } else {
            parsed.operands.push(Operand::of(word));
        }
        index += 1;
    }
    parsed.rest = words.get(index..).unwrap_or_default();
    parsed
}

/// Adds a long option, and returns the number of further words it used.
fn long_option<'a>(
    parsed: &mut Parsed<'a>,
    word: &'a Word,
    long: &'a str,
    next: Option<&'a Word>,
    spec: Options,
) -> usize {
    if let Some((name, value)) = long.split_once('=') {
        let name = with_value(name, spec).unwrap_or(name);
        parsed.flags.push(Flag { name: Name::Long(name), value: Some(Operand::tail(word, value)) });
        return 0;
    }
    let known = with_value(long, spec);
    let value = known.and(next).map(Operand::of);
    let used = usize::from(value.is_some());
    parsed.flags.push(Flag { name: Name::Long(known.unwrap_or(long)), value });
    used
}

/// Returns the full name of an option that takes a value, which may be abbreviated.
fn with_value(given: &str, spec: Options) -> Option<&'static str> {
    let mut names = spec.long.split_ascii_whitespace();
    let exact = names.clone().find(|name| same(given, name));
    if spec.exact {
        return exact;
    }
    exact.or_else(|| names.find(|name| is_abbreviation(given, name, 3)))
}

/// Adds a cluster of short options, and returns the number of further words it used.
fn cluster<'a>(parsed: &mut Parsed<'a>, word: &'a Word, next: Option<&'a Word>, spec: Options, shouted: bool) -> usize {
    let mut letters = word.text.chars();
    letters.next();
    while let Some(given) = letters.next() {
        let letter = if shouted { given.to_ascii_lowercase() } else { given };
        let rest = tail_of(&word.text, letters.as_str());
        if spec.attached.contains(letter) {
            let value = (!rest.is_empty()).then(|| Operand::tail(word, rest));
            parsed.flags.push(Flag { name: Name::Short(letter), value });
            return 0;
        }
        if spec.short.contains(letter) {
            let value = if rest.is_empty() { next.map(Operand::of) } else { Some(Operand::tail(word, rest)) };
            let used = usize::from(rest.is_empty() && value.is_some());
            parsed.flags.push(Flag { name: Name::Short(letter), value });
            return used;
        }
        parsed.flags.push(Flag { name: Name::Short(letter), value: None });
    }
    0
}

/// Returns the end of `text` with the length of `rest`, which is a part of the same word.
fn tail_of<'a>(text: &'a str, rest: &str) -> &'a str {
    text.len().checked_sub(rest.len()).and_then(|start| text.get(start..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        text.split_whitespace()
            .map(|text| Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts: Vec::new() })
            .collect()
    }

    #[test]
    fn a_cluster_ends_where_a_letter_takes_a_value() {
        let words = words("-rvofile x -o next");
        let parsed = parse(&words, Options::new("o", ""), false);
        assert!(parsed.has("r", "") && parsed.has("v", ""));
        let values: Vec<_> = parsed.values("o", "").map(|value| value.text.into_owned()).collect();
        assert_eq!(values, ["file", "next"]);
        assert_eq!(parsed.text(0), "x");
    }

    #[test]
    fn nothing_is_an_option_behind_two_dashes() {
        let words = words("a -- -r --force");
        let parsed = parse(&words, Options::NONE, false);
        assert!(!parsed.has("r", "force"));
        assert_eq!(parsed.operands.len(), 3);
        assert_eq!(parsed.before_dashes, Some(1));
    }

    #[test]
    fn an_option_is_on_until_it_is_taken_back() {
        for (text, on) in [
            ("--force", true),
            ("--force=true", true),
            ("--force=none", false),
            ("--force --no-force", false),
            ("--force=false --force", true),
            ("--no-force", false),
        ] {
            let words = words(text);
            assert_eq!(parse(&words, Options::NONE, false).on("f", "force", false), on, "{text}");
        }
    }

    #[test]
    fn one_dash_may_begin_a_long_name() {
        let words = words("-chdir=x -target y z");
        let spec = Options { single: true, ..Options::new("", "target") };
        let parsed = parse(&words, spec, false);
        assert!(parsed.on("", "chdir", false) && !parsed.on("c", "", false));
        assert_eq!(parsed.value("", "target").unwrap().text, "y");
        assert_eq!(parsed.text(0), "z");
    }

    #[test]
    fn an_abbreviation_counts_for_danger_only() {
        let words = words("--recur --dry");
        let parsed = parse(&words, Options::NONE, false);
        assert!(parsed.has("", "recursive"));
        assert!(!parsed.on("", "dry-run", false));
    }
}
