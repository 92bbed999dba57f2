//! The part of a piece of code that may call services: without comments, and with evaluated texts.

use std::borrow::Cow;
use std::ops::Range;

use guard_sdk::code::literal;

/// The maximum length of examined code, in bytes.
const LONGEST: usize = 256 * 1024;

/// The maximum number of evaluated literals.
const MAX_EVALUATED: usize = 8;

/// Returns the code without comments, and with the texts that it evaluates.
pub(crate) fn live<'t>(language: &str, code: &'t str) -> Cow<'t, str> {
    if code.len() > LONGEST || !matches!(language, "python" | "javascript" | "ruby" | "php") {
        return Cow::Borrowed(code);
    }
    let (bare, comments) = bare(code, language);
    let mut is_gone = vec![false; code.len()];
    comments.into_iter().for_each(|range| mark(&mut is_gone, range));
    let evaluated = evaluated(code, &bare, &is_gone);
    if evaluated.is_empty() && !is_gone.contains(&true) {
        return Cow::Borrowed(code);
    }
    let left = code.char_indices().filter(|(at, char)| *char == '\n' || is_gone.get(*at) != Some(&true));
    let mut text: String = left.map(|(_, char)| char).collect();
    for code in evaluated {
        text.push('\n');
        text.push_str(&code);
    }
    Cow::Owned(text)
}

fn mark(is_gone: &mut [bool], range: Range<usize>) {
    if let Some(part) = is_gone.get_mut(range) {
        part.fill(true);
    }
}

/// Returns the code with comments and literals replaced by blanks, except quotes, and the ranges of comments.
fn bare(code: &str, language: &str) -> (String, Vec<Range<usize>>) {
    let hashes = language != "javascript";
    let slashes = matches!(language, "javascript" | "php");
    let mut bare = String::with_capacity(code.len());
    let mut comments = Vec::new();
    let blank = |bare: &mut String, text: &str| bare.extend(text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
    let mut rest = code;
    while let Some(char) = rest.chars().next() {
        let at = code.len() - rest.len();
        let line = || rest.find('\n').unwrap_or(rest.len());
        let comment = match char {
            '#' if hashes => line(),
            '/' if slashes && rest.starts_with("//") => line(),
            '/' if slashes && rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '=' if language == "ruby" && rest.starts_with("=begin") && (at == 0 || bare.ends_with('\n')) => {
                rest.find("\n=end").map_or(rest.len(), |end| end + 5)
            }
            _ => 0,
        };
        let width = if comment > 0 {
            comments.push(at..at + comment);
            blank(&mut bare, rest.get(..comment).unwrap_or_default());
            comment
        } else if let Some((inside, after)) = literal(rest).filter(|_| matches!(char, '\'' | '"' | '`')) {
            let quote = (rest.len() - after.len() - inside.len()) / 2;
            bare.push_str(rest.get(..quote).unwrap_or_default());
            blank(&mut bare, inside);
            bare.push_str(rest.get(..quote).unwrap_or_default());
            rest.len() - after.len()
        } else if char == '\\' {
            let width = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
            blank(&mut bare, rest.get(..width).unwrap_or_default());
            width
        } else {
            bare.push(char);
            char.len_utf8()
        };
        rest = rest.get(width..).unwrap_or_default();
    }
    (bare, comments)
}

/// Calls that run a text as code of the same language.
const EVALUATES: &[&str] = &[
    "exec(",
    "eval(",
    "compile(",
    "Function(",
    "instance_eval(",
    "class_eval(",
    "runInNewContext(",
    "runInThisContext(",
];

/// Returns the literals that the code evaluates.
fn evaluated(code: &str, bare: &str, is_gone: &[bool]) -> Vec<String> {
    let mut found = Vec::new();
    for call in EVALUATES {
        for (at, _) in bare.match_indices(call).take(MAX_EVALUATED) {
            let before = bare.get(..at).unwrap_or_default();
            // A method with this name runs a command or searches a text.
            let is_part = before.ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '$'));
            let argument = code.get(at + call.len()..).unwrap_or_default().trim_start();
            let is_method = is_part && matches!(*call, "exec(" | "eval(" | "compile(" | "Function(");
            if !is_method
                && is_gone.get(at) == Some(&false)
                && let Some((inside, _)) = literal(argument)
            {
                found.push(inside.replace("\\n", "\n").replace("\\'", "'").replace("\\\"", "\""));
            }
        }
    }
    found.truncate(MAX_EVALUATED);
    found
}

#[cfg(test)]
mod tests;
