//! The call's text as written, with comments and data replaced by blanks.
//!
//! Each command is also matched separately. This text is for patterns that span commands, and for redirections.

use std::collections::BTreeSet;
use std::ops::Range;

use guard_sdk::syntax::{Analysis, Command, Coverage};

use super::MOST;
use super::data::{Data, command_data};
use super::names::{assigns_program, words_without_names};

/// Returns the text with data blanked, and words that are only names as well if `names` is false.
pub(crate) fn raw_without_data(raw: &str, analysis: &Analysis, names: bool) -> String {
    let mut text = raw.to_owned();
    let commands: Vec<(&Command, Data<'_>)> =
        analysis.commands.iter().take(MOST).map(|command| (command, command_data(command, analysis))).collect();
    for (command, data) in &commands {
        let start = usize::try_from(command.span.start).unwrap_or(usize::MAX);
        for document in &data.documents {
            let at = text.get(start..).and_then(|rest| rest.find(document));
            if let Some(at) = at {
                blank(&mut text, start + at..start + at + document.len());
            }
        }
    }
    let tokens = tokens(&text);
    let mut is_data = vec![false; tokens.len()];
    // Words that aren't data. The others belong to the syntax, such as those of `case`.
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    for (command, data) in &commands {
        let words = command.argv.iter().enumerate().filter(|(at, _)| !data.words.contains(at));
        kept.extend(words.map(|(_, word)| word.text.as_str()));
        let blanked = blanked_words(command, data, names);
        let own = own_tokens(command, &tokens);
        for (token, is_data) in tokens.iter().zip(&mut is_data).take(own.end).skip(own.start) {
            *is_data |= token.text.as_ref().is_some_and(|text| blanked.contains(text));
        }
    }
    let is_all = !matches!(analysis.coverage, Coverage::Unparsed) && analysis.commands.len() <= MOST;
    for (token, is_data) in tokens.into_iter().zip(is_data) {
        let is_text =
            |word: &String| is_all && word.trim().contains(char::is_whitespace) && !kept.contains(word.as_str());
        if is_data || token.text.as_ref().is_none_or(is_text) {
            blank(&mut text, token.at);
        }
    }
    text
}

/// Returns the words of a command that are blanked.
fn blanked_words(command: &Command, data: &Data<'_>, names: bool) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = data.words.iter().map(|at| command.word(*at).to_owned()).collect();
    let is_text = |text: &str| !names || text.trim().contains(char::is_whitespace);
    let values = command.assignments.iter().filter(|item| is_text(&item.value.text));
    let values = values.map(|item| format!("{}={}", item.name, item.value.text));
    found.extend(values.filter(|word| names || !assigns_program(word)));
    let targets = command.redirections.iter().filter(|item| item.operator == "<<<" || !names);
    found.extend(targets.map(|item| item.target.text.clone()));
    if !names && let Some(plain) = words_without_names(command) {
        let words = command.argv.iter().map(|word| word.text.as_str());
        found.extend(words.filter(|word| !plain.contains(word)).map(str::to_owned));
    }
    found
}

/// Returns the indexes of a command's own words. The words of its wrapper are before them.
fn own_tokens(command: &Command, tokens: &[Token]) -> Range<usize> {
    let place = |at: u32| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        tokens.partition_point(|token| token.at.start < at)
    };
    let (start, end) = (place(command.span.start), place(command.span.end));
    let count = command.argv.len() + command.assignments.len() + 2 * command.redirections.len();
    start.max(end.saturating_sub(count))..end
}

/// Replaces a part with blanks of the same length. Line ends are kept.
fn blank(text: &mut String, at: Range<usize>) {
    if let Some(part) = text.get(at.clone()) {
        let blanks: String = part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(at, &blanks);
    }
}

/// A word as written, and its text without quotes. `None` for a comment.
struct Token {
    at: Range<usize>,
    text: Option<String>,
}

/// Returns the words and comments of a shell text.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        if *byte == b'#' {
            at += text.get(at..).and_then(|rest| rest.find('\n')).unwrap_or(text.len() - at);
            found.push(Token { at: start..at, text: None });
        } else if is_break(*byte) {
            at += 1;
        } else {
            let word = read_word(bytes, &mut at);
            found.push(Token { at: start..at, text: String::from_utf8(word).ok() });
        }
    }
    found.retain(|token| token.text.is_some() || bytes.get(token.at.start) == Some(&b'#'));
    found
}

fn is_break(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b";&|()<>`".contains(&byte)
}

/// Reads one word at `at` and removes its quotes.
fn read_word(bytes: &[u8], at: &mut usize) -> Vec<u8> {
    let mut word = Vec::new();
    let mut quote = None;
    while let Some(byte) = bytes.get(*at).copied() {
        match (quote, byte) {
            (None, byte) if is_break(byte) => break,
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (Some(b'"'), b'\\') if bytes.get(*at + 1).is_some_and(|next| b"$`\"\\".contains(next)) => {
                *at += 1;
                word.extend(bytes.get(*at));
            }
            (None, b'\\') => {
                *at += 1;
                word.extend(bytes.get(*at));
            }
            (_, byte) => word.push(byte),
        }
        *at += 1;
    }
    *at = (*at).min(bytes.len());
    word
}
