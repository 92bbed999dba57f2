//! The call's text as it is written, with blanks in the place of comments and data.
//!
//! Each command that runs is compared by itself. The text is for patterns over several commands, and for redirections.

use std::ops::Range;

use guard_sdk::syntax::Analysis;

use super::MOST;
use super::data::data_of;

/// The text with blanks in the place of data.
pub(crate) fn raw_without_data(raw: &str, analysis: &Analysis) -> String {
    let mut text = raw.to_owned();
    let mut data: Vec<(usize, String)> = Vec::new();
    for command in analysis.commands.iter().filter(|command| command.via.is_empty()).take(MOST) {
        let Ok(start) = usize::try_from(command.span.start) else { continue };
        let found = data_of(command, analysis);
        for document in found.documents {
            let at = text.get(start..).and_then(|rest| rest.find(document));
            if let Some(at) = at {
                blank(&mut text, start + at..start + at + document.len());
            }
        }
        data.extend(found.words.iter().map(|at| (start, command.word(*at).to_owned())));
        let values = command.assignments.iter().filter(|given| given.value.text.trim().contains(char::is_whitespace));
        data.extend(values.map(|given| (start, format!("{}={}", given.name, given.value.text))));
        let strings = command.redirections.iter().filter(|given| given.operator == "<<<");
        data.extend(strings.map(|given| (start, given.target.text.clone())));
    }
    data.sort_unstable_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
    data.dedup_by(|later, first| later.1 == first.1);
    for Token { at, text: word } in tokens(&text) {
        let is_data = word.as_ref().is_none_or(|word| {
            let known = data.binary_search_by(|(_, text)| text.as_str().cmp(word));
            known.ok().and_then(|found| data.get(found)).is_some_and(|(start, _)| *start <= at.start)
        });
        if is_data {
            blank(&mut text, at);
        }
    }
    text
}

/// Puts blanks of the same length in the place of a part. Ends of lines stay.
fn blank(text: &mut String, at: Range<usize>) {
    if let Some(part) = text.get(at.clone()) {
        let blanks: String = part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(at, &blanks);
    }
}

/// A word as it is written, and its text without quotes. `None`: a comment.
struct Token {
    at: Range<usize>,
    text: Option<String>,
}

/// The words and comments of a text of the shell.
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
            let word = word(bytes, &mut at);
            found.push(Token { at: start..at, text: String::from_utf8(word).ok() });
        }
    }
    found.retain(|token| token.text.is_some() || bytes.get(token.at.start) == Some(&b'#'));
    found
}

fn is_break(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b";&|()<>`".contains(&byte)
}

/// Reads one word without its quotes, from `at` on.
fn word(bytes: &[u8], at: &mut usize) -> Vec<u8> {
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
