//! Guesses the commands of a text that doesn't parse, in one pass and without a grammar.
//!
//! It makes `rm -rf /` visible to policies after hostile text. Its results are never certain.

/// The maximum number of commands kept from the start and from the end of the text.
const ENDS: usize = 256;
/// The maximum number of words in one command.
const WORDS: usize = 64;

/// Returns the words of possible commands.
pub(crate) fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut last: std::collections::VecDeque<Vec<String>> = std::collections::VecDeque::new();
    let mut keep = |words: Vec<String>| {
        if words.is_empty() {
        } else if found.len() < ENDS {
            found.push(words);
        } else {
            if last.len() == ENDS {
                last.pop_front();
            }
            last.push_back(words);
        }
    };
    let mut closers = ClosingQuotes::new(text);
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some((_, '\n')) | None => {}
                Some((_, next)) => word.get_or_insert_default().push(next),
            },
            // An unmatched quote is dropped.
            '\'' | '"' if closers.end(char, at + 1).is_none() => {}
            '\'' | '"' => {
                let end = closers.end(char, at + 1).unwrap_or(at);
                let current = word.get_or_insert_default();
                while let Some(&(inner, next)) = chars.peek() {
                    chars.next();
                    if inner >= end {
                        break;
                    }
                    current.push(next);
                }
            }
            ' ' | '\t' => end_word(&mut word, &mut words),
            '\n' | ';' | '&' | '|' | '(' | ')' | '`' => {
                end_word(&mut word, &mut words);
                keep(std::mem::take(&mut words));
            }
            '{' | '}' | '!' if word.is_none() && chars.peek().is_none_or(|(_, next)| next.is_whitespace()) => {}
            '<' | '>' => {
                end_word(&mut word, &mut words);
                word = Some(char.to_string());
            }
            '$' if chars.peek().is_some_and(|(_, next)| *next == '(') => {}
            _ => word.get_or_insert_default().push(char),
        }
    }
    end_word(&mut word, &mut words);
    keep(words);
    found.extend(last);
    for words in &mut found {
        strip(words);
    }
    found.retain(|words| !words.is_empty());
    found
}

fn end_word(word: &mut Option<String>, words: &mut Vec<String>) {
    if let Some(word) = word.take()
        && words.len() < WORDS
    {
        words.push(word);
    }
}

/// Drops reserved words, assignments and redirections before the name.
fn strip(words: &mut Vec<String>) {
    const RESERVED: &[&str] = &[
        "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "case", "esac", "time", "!", "{", "}",
        "coproc",
    ];
    let named = words.iter().position(|word| {
        let assigns = word.split_once('=').is_some_and(|(name, _)| crate::word::is_name(name));
        !(assigns || RESERVED.contains(&word.as_str()) || word.starts_with(['<', '>']))
    });
    words.drain(..named.unwrap_or(words.len()));
}

/// Finds the end of a quote. Remembers a missing end, so that the scan stays linear.
struct ClosingQuotes<'t> {
    text: &'t str,
    single_gone: bool,
    double_gone: bool,
}

impl<'t> ClosingQuotes<'t> {
    fn new(text: &'t str) -> Self {
        ClosingQuotes { text, single_gone: false, double_gone: false }
    }

    fn end(&mut self, quote: char, from: usize) -> Option<usize> {
        let gone = if quote == '\'' { &mut self.single_gone } else { &mut self.double_gone };
        if *gone {
            return None;
        }
        let found = self.text.get(from..).and_then(|rest| rest.find(quote)).map(|offset| from + offset);
        *gone = found.is_none();
        found
    }
}
