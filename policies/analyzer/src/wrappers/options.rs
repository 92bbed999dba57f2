//! Reads options the way most programs do.

use guard_sdk::syntax::Word;

/// Which options of a program take a value in the next word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Takes {
    /// Letters of short options.
    pub(super) short: &'static str,
    /// Names of long options, separated by spaces, without the dashes.
    pub(super) long: &'static str,
}

/// An option that was read.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    /// `u` or `user`.
    pub(super) name: &'a str,
    pub(super) value: Option<&'a Word>,
    /// The value where it stands in the same word, `--user=x` or `-ux`.
    pub(super) inline: &'a str,
}

/// Options up to the first operand.
#[derive(Debug)]
pub(super) struct Options<'a> {
    pub(super) seen: Vec<Seen<'a>>,
    /// From the first operand on.
    pub(super) rest: &'a [Word],
    /// An option was known only at run time, so the rest is a guess.
    pub(super) certain: bool,
}

impl<'a> Options<'a> {
    /// The value of the first option with one of these names.
    pub(super) fn value(&self, names: &[&str]) -> Option<&'a str> {
        let seen = self.seen.iter().find(|seen| names.contains(&seen.name))?;
        Some(seen.value.map_or(seen.inline, |word| word.text.as_str()))
    }

    /// The word that holds the value of the first option with one of these names, if it stands alone.
    pub(super) fn word(&self, names: &[&str]) -> Option<Word> {
        let seen = self.seen.iter().find(|seen| names.contains(&seen.name))?;
        match seen.value {
            Some(word) => Some(word.clone()),
            None => Some(crate::word::expand::literal(seen.inline)),
        }
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.seen.iter().any(|seen| names.contains(&seen.name))
    }
}

/// Reads the options at the start of `words`, which begin after the program's name.
pub(super) fn read<'a>(words: &'a [Word], takes: Takes) -> Options<'a> {
    let mut options = Options { seen: Vec::new(), rest: words, certain: true };
    while let Some((first, rest)) = options.rest.split_first() {
        let text = first.text.as_str();
        if text == "--" {
            options.rest = rest;
            break;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        options.certain &= !first.dynamic;
        options.rest = rest;
        if let Some(long) = text.strip_prefix("--") {
            let (name, inline) = long.split_once('=').unwrap_or((long, ""));
            let takes_next = !long.contains('=') && takes.long.split(' ').any(|known| known == name);
            options.take(name, inline, takes_next);
        } else {
            options.cluster(text, takes);
        }
    }
    options
}

impl<'a> Options<'a> {
    fn take(&mut self, name: &'a str, inline: &'a str, takes_next: bool) {
        let mut value = None;
        if takes_next && let Some((next, rest)) = self.rest.split_first() {
            value = Some(next);
            self.rest = rest;
        }
        self.seen.push(Seen { name, value, inline });
    }

    /// `-abc`, where `c` may take the rest of the word or the next one.
    fn cluster(&mut self, text: &'a str, takes: Takes) {
        for (at, letter) in text.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            let name = text.get(at..end).unwrap_or_default();
            let inline = text.get(end..).unwrap_or_default();
            if takes.short.contains(letter) {
                self.take(name, inline, inline.is_empty());
                return;
            }
            self.seen.push(Seen { name, value: None, inline: "" });
        }
    }
}
